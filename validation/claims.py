"""Figures that the pages print, held against what their commands give now.

A claim is a page, a pattern whose groups are the figures in its text, and what makes them. Changing either
side fails. `QUICK` needs a few seconds and is tested with everything else (tests/docs/test_claims.py); `SLOW`
takes longer, or the data folder, and is run here: `python -m validation claims`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validation.checks import Checks, NoDataError, data_folder

if TYPE_CHECKING:
    from truerank import Assessment, ScoreMatrix
    from truerank.planning import Plan

ROOT = Path(__file__).resolve().parents[1]

Figures = tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """Figures on a page.

    Attributes:
        page: its path from the root.
        pattern: a regular expression that finds them; a space stands for any white space, ``#`` for a figure.
        made: the figures, as they are printed.
    """

    page: str
    pattern: str
    made: Callable[[], Figures]

    def check(self) -> str:
        """What is wrong; empty where every place that the pattern finds has these figures."""
        text = (ROOT / self.page).read_text(encoding="utf-8")
        figure = r"([−+-]?\d[\d,]*(?:\.\d+)?)"
        pattern = self.pattern.replace("#", figure).replace(" ", r"\s+")
        found = [match.groups() for match in re.finditer(pattern, text)]
        made = self.made()
        if not found:
            return f"{self.page}: nothing there is like {self.pattern!r}, which is to be {made}"
        wrong = [one for one in found if one != made]
        return f"{self.page}: {wrong[0]} where the command gives {made} ({self.pattern})" if wrong else ""


@cache
def demo() -> tuple[ScoreMatrix, dict[str, float]]:
    """The scores of `truerank demo`, and the truth."""
    from truerank.cli.demo import demo_scores

    scores, truth = demo_scores(1)
    return scores, dict(truth)


@cache
def assessed() -> Assessment:
    """What `truerank demo` prints."""
    import truerank

    return truerank.assess(demo()[0], "all", seed=1)


@cache
def planned() -> Plan:
    """What `truerank plan scores.csv --tau 0.9` prints."""
    import truerank

    return truerank.plan(demo()[0], tau=0.9)


def tau(estimator: str = "eb", coefficient: str = "tau", digits: int = 2) -> Figures:
    """An estimate of the demo and the ends of its interval."""
    found = assessed().estimate(coefficient, estimator)
    interval = found.interval(0.95)
    assert interval is not None
    return f"{found.estimate:.{digits}f}", f"{interval.low:.2f}", f"{interval.high:.2f}"


def pairs() -> Figures:
    """τ of the demo as pairs of a hundred that are in the right order."""
    found = assessed().estimate()
    interval = found.interval(0.95)
    assert interval is not None
    shares = (found.estimate, interval.low, interval.high)
    return tuple(f"{100 * (1 + one) / 2:.0f}" for one in shares)


def truth() -> Figures:
    """The demo's true τ."""
    from truerank.reliability.results import true_coefficients

    return (f"{true_coefficients(assessed(), demo()[1])['tau']:.2f}",)


def both(estimator: str) -> Figures:
    """τ and τ_AP of the demo by one estimator, as a row of the terminal's table."""
    return tau(estimator) + tau(estimator, "tau_ap")


def point(topics: int) -> Figures:
    """A row of the demo's plan."""
    found = next(one for one in planned().curve if one.topics == topics)
    return f"{found.estimate:.2f}", f"{found.low:.2f}", f"{found.high:.2f}"


def needed(place: int) -> Figures:
    """Topics that the demo's plan asks for."""
    from truerank._support.wording import topics_text

    found = planned().needed[place]
    return topics_text(found.topics), topics_text(found.low), topics_text(found.high)


def leader() -> Figures:
    """The demo's first system: its rank range."""
    first = assessed().ranking[0]
    return str(first.rank_low), str(first.rank_high)


TAU = r"τ = # \(95%\W+interval # to #"

QUICK: tuple[Claim, ...] = (
    *(
        Claim(page, TAU, tau)
        for page in ("README.md", "docs/start.md", "docs/questions.md", "docs/read-your-page.md")
    ),
    Claim("docs/which-estimator.md", TAU, tau),
    *(
        Claim(page, r"about # \(# to #\) are in the right order", pairs)
        for page in ("README.md", "docs/start.md")
    ),
    Claim("docs/methods/intervals.md", r"τ = # with the 95% interval # to #", tau),
    Claim("docs/methods/intervals.md", r"about # of every 100 are in the right order, from # to #", pairs),
    Claim("docs/start.md", r"ranking agrees with it at τ = #", truth),
    *(
        Claim("docs/which-estimator.md", rf"{label} # \(# to #\) # \(# to #\)", lambda name=name: both(name))
        for name, label in (
            ("eb", r"\(eb\)"),
            ("ml", r"\(ml\)"),
            ("msqd", "quantile deviation"),
            ("res", r"\(res\)"),
            ("kd", r"\(kd\)"),
        )
    ),
    Claim("docs/questions.md", r"\neb tau # 0\.95", lambda: (tau(digits=3)[0],)),
    Claim("docs/questions.md", r"\nsys5 # # a", leader),
    *(
        Claim("docs/recipes/planning.md", rf"\n {n} # \(# to #\)", lambda n=n: point(n))
        for n in (10, 20, 30, 50, 75, 100)
    ),
    Claim(
        "docs/recipes/planning.md",
        r"Order as a whole \(τ = 0\.9\): you need about # new topics \(95% interval # to #\); 50 new",
        lambda: needed(0),
    ),
    Claim(
        "docs/recipes/planning.md",
        r"takes 95\. Reaching it with 97\.5% probability \(one-sided\) takes about # \(95% interval # to #\)",
        lambda: needed(1),
    ),
)


def indices(index: str) -> Figures:
    """Topics for Eρ² or Φ of 0.95, of TREC-6 ad hoc."""
    import truerank

    plan = truerank.plan(data_folder() / "trec" / "adhoc6_ap.csv", stability=0.95, draws=64)
    assert plan.generalizability is not None
    return (f"{getattr(plan.generalizability, index).topics:.0f}",)


def simulated(table: str) -> Figures:
    """How like a real table twenty thousand topics of its model are."""
    import numpy as np

    import truerank
    from truerank._support.seeds import stream
    from truerank.simulation import fit
    from truerank.simulation.copulas import kendall_matrix
    from validation.simulation import TOPICS, split_noise

    scores = truerank.read_scores(data_folder() / "trec" / f"{table}.csv")
    model = fit(scores)
    values = model.draw(TOPICS, stream(1, "validation"))
    difference = (kendall_matrix(values) - kendall_matrix(scores.values))[np.triu_indices(scores.m, 1)]
    error = values.std(axis=0, ddof=1) / np.sqrt(TOPICS)
    miss = np.abs(values.mean(axis=0) - model.true_means) / np.where(error > 0, error, 1.0)
    bias = f"{np.nanmean(difference):+.3f}".replace("-", "−")
    noise = f"{split_noise(scores.values):.3f}"
    return f"{np.nanmean(np.abs(difference)):.3f}", bias, noise, f"{miss.max():.1f}"


@cache
def calibrated() -> Any:
    """The run of docs/extending/estimator.md, with the plug-in that the page prints."""
    import tempfile

    from truerank.experiments import run

    page = (ROOT / "docs" / "extending" / "estimator.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        plugin = Path(folder) / "normal_prior.py"
        plugin.write_text(
            page.split('```python title="normal_prior.py"\n')[1].split("```")[0], encoding="utf-8"
        )
        found = run(
            "calibration",
            ["web2010-ap"],
            Path(folder) / "run",
            plugins=[str(plugin)],
            estimators="normal-prior,ml",
            coefficients="tau",
            topics="10,50",
            trials=20,
            draws=500,
            intervals="normal-prior/shrunk/quantile,ml/shrunk/quantile",
            levels="0.95",
            workers=1,
        )
        return {one.name: found.to_frame(one.name) for one in found.findings.tables}


def extended(topics: int) -> Figures:
    """Bias and coverage of the example's estimator and of `ml`."""
    tables = calibrated()
    bias = tables["bias"].query("topics == @topics").iloc[0]
    coverage = tables["coverage"].query("topics == @topics and coefficient == 'tau'")
    signed = [f"{bias[name]:.3f}".replace("-", "−") for name in ("normal-prior", "ml")]
    return (*signed, *(f"{share:.3f}" for share in coverage["95"]))


SLOW: tuple[Claim, ...] = (
    Claim("docs/methods/generalizability.md", r"\| Eρ² \|[^|]*\| # topics", lambda: indices("relative")),
    Claim("docs/methods/generalizability.md", r"\| Φ \|[^|]*\| # topics", lambda: indices("absolute")),
    *(
        Claim(
            "docs/methods/evidence/simulation.md",
            rf"\| {name} \| \d+ × \d+ \| # \| # \| # \| # \|",
            lambda table=table: simulated(table),
        )
        for name, table in (
            ("adhoc6 AP", "adhoc6_ap"),
            ("adhoc7 AP", "adhoc7_ap"),
            ("robust2003 AP", "robust2003_ap"),
            ("web2010 AP", "web2010_ap"),
            ("web2010 P@10", "web2010_p10"),
        )
    ),
    *(
        Claim("docs/extending/estimator.md", rf"\| {n} \| # \| # \| # \| # \|", lambda n=n: extended(n))
        for n in (10, 50)
    ),
)


EVIDENCE = re.compile(
    r"python -m (?:validation [a-z]|benchmarks)|validation/[a-z_0-9]+\.py|truerank experiment run [a-z]"
    r"|pytest tests/|truerank (?:plan|compare) \S+\.csv|settled\.md|git checkout"
)
"""How a page with evidence names the command that makes it."""


def evidence_pages() -> Iterator[Path]:
    """Pages of methods and experiments with tables of figures."""
    row = re.compile(r"^ *\|.*\| *[−+-]?\d*\.\d\d", re.MULTILINE)
    for folder in ("methods", "experiments"):
        for page in sorted((ROOT / "docs" / folder).rglob("*.md")):
            if len(row.findall(page.read_text(encoding="utf-8"))) > 1:
                yield page


def run(checks: Checks) -> None:
    """Hold all claims against what is made now."""
    for claim in (*QUICK, *SLOW):
        try:
            wrong = claim.check()
        except NoDataError as missing:
            checks.note(f"  skipped: {claim.page}, {missing}")
            continue
        checks.that(f"{claim.page}: {claim.pattern}", not wrong, wrong or ", ".join(claim.made()))
