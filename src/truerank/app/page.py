"""The page that takes files: its controls, each with the argument that it sets, and examples."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from truerank.errors import InputError


@dataclass(frozen=True)
class Control:
    """One control of the page."""

    argument: str  # the keyword of the function that it sets; its option has the same name
    of: Literal["read", "assess", "question"]  # the function; a question is a gate or a plan
    label: str
    kind: Literal["text", "number", "choice", "system", "column"] = "text"
    choices: tuple[tuple[str, str], ...] = ()  # values and their labels
    hint: str = ""  # one line below it

    def said(self, value: Any) -> str:
        """What messages call it, with the value that it is to have.

        >>> CONTROLS[1].said(True)
        '“Direction: Lower is better”'
        """
        if value is None:
            return f"“{self.label}”"
        key = str(value) if not isinstance(value, bool) else "yes" if value else "no"
        return f"“{self.label}: {dict(self.choices).get(key, key).partition(':')[0]}”"


_MISSING = (
    ("", "Refuse them"),
    ("model", "model: stay empty, and systems are compared where they share topics"),
    ("common", "common: keep the topics that all systems have"),
    ("complete", "complete: keep the systems that have all topics"),
    ("zero", "zero: count as 0"),
)

_DIRECTION = (("", "By the name of the measure"), ("no", "Higher is better"), ("yes", "Lower is better"))
_ROWS = (("", "By the names"), ("no", "Rows are topics"), ("yes", "Rows are systems"))
_POPULATION = (("", "By the file"), ("topics", "New topics"), ("data_sets", "New data sets"))
_COLUMNS = ("topic", "system", "score", "data_set", "run")

CONTROLS = (
    Control("measure", "read", "Measure", hint="Where the file has several, or none is named"),
    Control("lower_is_better", "read", "Direction", "choice", _DIRECTION),
    Control("missing", "read", "Empty cells", "choice", _MISSING),
    Control("transpose", "read", "Rows", "choice", _ROWS),
    *(
        Control(
            f"{name}_column",
            "read",
            f"{name.replace('_', ' ').capitalize()} column",
            "column",
            hint="Only where its name is not recognized",
        )
        for name in _COLUMNS
    ),
    Control("missing_value", "read", "Number for a missing score", "text", hint="Such as -1, or none"),
    Control("baseline", "assess", "Baseline", "system"),
    Control("levels", "assess", "Confidence level", "number", hint="0.95 unless set"),
    Control("generalize_to", "assess", "The ranking is to hold for", "choice", _POPULATION),
    Control("pareto", "assess", "Frontier with", hint="Another measure of the file, such as cost"),
)

# Questions about scores that have been read, with the controls of each.
QUESTIONS = {
    "gate": (
        Control("baseline", "question", "Baseline", "system"),
        Control("candidate", "question", "Candidate", "system"),
        Control("margin", "question", "Margin", "number", hint="Losses up to it are tolerable"),
    ),
    "plan": (Control("tau", "question", "Target τ", "number"),),
}


def read_and_asked(task: str, given: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments for reading the scores, and those of the task.

    >>> read_and_asked("plan", {"missing": "zero", "tau": "0.9"})
    ({'missing': 'zero'}, {'tau': 0.9})
    """
    if task != "assess" and task not in QUESTIONS:
        raise InputError(f"nothing here is called {task!r}; load the page again")
    of_reading = {one.argument for one in CONTROLS if one.of == "read"}
    controls = CONTROLS if task == "assess" else QUESTIONS[task]
    read = settings({key: text for key, text in given.items() if key in of_reading}, CONTROLS)
    return read, settings({key: text for key, text in given.items() if key not in of_reading}, controls)


def settings(given: Mapping[str, str], controls: tuple[Control, ...]) -> dict[str, Any]:
    """The arguments that the controls set, from the texts of an address; empty ones are left out.

    >>> settings({"lower_is_better": "yes", "levels": "0.9", "measure": ""}, CONTROLS)
    {'lower_is_better': True, 'levels': 0.9}
    """
    known = {one.argument: one for one in controls}
    if unknown := sorted(set(given) - set(known)):
        raise InputError(f"there is no control {unknown[0]!r} on this page; load it again")
    return {name: _value(known[name], text.strip()) for name, text in given.items() if text.strip()}


def _value(control: Control, text: str) -> Any:
    if control.kind == "choice" and text not in dict(control.choices):
        raise InputError(f"{control.label}: {text!r} is none of its choices; load the page again")
    if control.argument in ("lower_is_better", "transpose"):
        return text == "yes"
    if control.kind == "number":
        try:
            return float(text)
        except ValueError:
            raise InputError(f"{control.label}: {text!r} is not a number; write one such as 0.95") from None
    return text


def as_command(name: str, source: str, arguments: Mapping[str, Any]) -> str:
    """The command that does the same.

    >>> as_command("assess", "my scores.csv", {"baseline": "bm25", "lower_is_better": True})
    "truerank assess 'my scores.csv' --baseline bm25 --lower-is-better"
    """
    parts = ["truerank", name, shlex.quote(source if not source.startswith("-") else f"./{source}")]
    for argument, value in arguments.items():
        option = "--" + {"levels": "level"}.get(argument, argument).replace("_", "-")
        if argument == "lower_is_better" and value is False:
            parts.append("--higher-is-better")
        elif isinstance(value, bool):
            parts.append(option if value else option.replace("--", "--no-", 1))
        else:
            text = f"{value:g}" if isinstance(value, float) else str(value).replace("data_sets", "data-sets")
            parts.append(f"{option}{'=' if text.startswith('-') else ' '}{shlex.quote(text)}")
    return " ".join(parts)


def as_python(name: str, source: str, read: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """The lines of Python that do the same.

    >>> print(as_python("assess", "a.csv", {"missing": "zero"}, {"baseline": "bm25"}))
    import truerank
    scores = truerank.read_scores('a.csv', missing='zero')
    print(truerank.assess(scores, baseline='bm25').summary())
    """

    def call(function: str, first: str, given: Mapping[str, Any], **more: str) -> str:
        parts = {key: repr(value) for key, value in given.items()} | more
        return f"truerank.{function}({', '.join([first, *(f'{key}={part}' for key, part in parts.items())])})"

    lines = ["import truerank", f"scores = {call('read_scores', repr(source), read)}"]
    if "pareto" not in arguments:
        return "\n".join([*lines, f"print({call(name, 'scores', arguments)}.summary())"])
    arguments = dict(arguments)
    other = call("read_scores", repr(source), other_measure(read, arguments.pop("pareto")))
    return "\n".join([*lines, f"print({call(name, 'scores', arguments, pareto=other)}.summary())"])


def other_measure(read: Mapping[str, Any], measure: str) -> dict[str, Any]:
    """The arguments that read another measure of the same file; its direction is told by its name."""
    return {key: value for key, value in read.items() if key != "lower_is_better"} | {"measure": measure}


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

    from truerank.report.palette import style_rules

    template = Environment(autoescape=True).from_string(static("app.html"))
    return template.render(
        style=style_rules(),
        reading=[one for one in CONTROLS if one.of == "read"],
        assessing=[one for one in CONTROLS if one.of == "assess"],
        examples=EXAMPLES,
        questions=QUESTIONS,
        control=Control,
    )
