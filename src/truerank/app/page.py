"""The page that takes files: made of the controls that are declared, and of examples to start from."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from truerank.app.controls import CONTROLS, QUESTIONS, Control
from truerank.report.palette import style_rules

# Tables to start from: simulated, as their names do not say.
EXAMPLES = {
    "search-engines.csv": "22 search engines on 50 queries",
    "battles.csv": "8 chatbots in 2,000 battles",
    "models-and-data-sets.csv": "10 models on 5 data sets, with gaps",
}


@cache
def example_table(name: str) -> bytes:
    """An example as the bytes of a CSV file."""
    import numpy as np

    from truerank.readers.writing import table_bytes
    from truerank.scores import ScoreMatrix
    from truerank.simulation import load_embedded

    model = load_embedded("web2010-ap")
    rng = np.random.default_rng(1)
    order = np.argsort(-np.asarray(model.true_means))
    if name == "search-engines.csv":
        drawn = model.sample(50, 1).select(sorted(order[::4].tolist()))
        return table_bytes(
            ScoreMatrix.build(drawn.values.round(4), systems=drawn.systems, measure="AP"), name
        )
    if name == "battles.csv":
        lines = ["prompt,model_a,model_b,winner"]
        strengths = np.linspace(0.8, -0.8, 8)
        for battle in range(2000):
            a, b = rng.choice(8, 2, replace=False)
            won = rng.random() < 1 / (1 + np.exp(strengths[b] - strengths[a]))
            winner = "tie" if rng.random() < 0.1 else "model_a" if won else "model_b"
            lines.append(f"p{battle // 5},chatbot-{'ABCDEFGH'[a]},chatbot-{'ABCDEFGH'[b]},{winner}")
        return "\n".join(lines).encode() + b"\n"
    lines = []
    chosen = order[2:72:7]
    for seed, (data_set, topics) in enumerate(
        {"news": 60, "law": 25, "health": 40, "code": 30, "web": 20}.items()
    ):
        drawn = model.sample(topics, seed).select(chosen.tolist())
        if not lines:
            lines.append(",".join(["data_set", "topic", *drawn.systems]))
        for place, row in enumerate(drawn.values):
            cells = ["" if rng.random() < 0.05 else f"{value:.4f}" for value in row]
            lines.append(",".join([data_set, f"{data_set}-{place + 1}", *cells]))
    return "\n".join(lines).encode() + b"\n"


@cache
def static(name: str) -> str:
    """A file of the page: its template, script or style."""
    return files("truerank.app").joinpath("static", name).read_text(encoding="utf-8")


@cache
def shell() -> str:
    """The page."""
    from jinja2 import Environment

    template = Environment(autoescape=True).from_string(static("app.html"))
    return template.render(
        style=style_rules(),
        reading=[one for one in CONTROLS if one.of == "read"],
        assessing=[one for one in CONTROLS if one.of == "assess"],
        examples=EXAMPLES,
        questions=QUESTIONS,
        control=Control,
    )
