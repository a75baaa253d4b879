"""What truerank finds on a board: runs the commands of its page on the stored table, keeps what it needs."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gallery.boards import HERE, TABLES, Board

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truerank._support.types import Vector

RESULTS = HERE / "results"
ROOT = HERE.parent
TARGET = 0.9
"""The τ for which topics are planned."""

OF_PLAN = ("pilot_topics", "unit", "curve", "needed", "warnings")
"""What it takes from a plan."""

OF_COSTS = ("system", "mean", "value", "probability", "observed")
"""What it takes of each system that may be on the frontier of scores and costs."""

KEPT = ("topics", "systems", "generalize_to", "aggregate", "leader", "truth", "warnings", "noise")
"""What a page takes from an assessment as it is; "noise" is there where a board has runs or raters."""


def commands(board: Board) -> list[str]:
    """What to type, in the project's folder, for the numbers of a board's page."""
    table = shlex.quote(str((TABLES / board.table).relative_to(ROOT)))
    assess = ["truerank", "assess", table, *board.options, "--seed", "1"]
    assess += ["--pareto", str((TABLES / board.costs).relative_to(ROOT))] if board.costs else []
    plan = ["truerank", "plan", table, *board.plan, "--tau", f"{TARGET:g}", "--seed", "1"]
    return [shlex.join(one) for one in (assess, plan)] if board.ranked else []


def compute(board: Board) -> dict[str, Any]:
    """The result of a board: of `assess` and `plan`, or what runs say where there is nothing to rank."""
    if not board.ranked:
        return _of_runs(board)
    assessment, plan = (_run(command) for command in commands(board))
    tau = next(one for one in assessment["estimates"] if _is_headline(one, assessment["headline"]))
    interval = next(one for one in tau["intervals"] if one["method"] == "quantile")
    ranking = [
        {
            key: row[key]
            for key in ("rank", "system", "mean", "mean_low", "mean_high", "rank_low", "rank_high")
        }
        for row in assessment["ranking"]
    ]
    found = {key: assessment[key] for key in KEPT if assessment.get(key) is not None}
    found |= {"tau": {"estimate": tau["estimate"], "low": interval["low"], "high": interval["high"]}}
    found |= {"ranking": ranking}
    if plan["unit"] == "cluster":
        found["clusters"] = plan["pilot_topics"]
    found["pairs"] = _pairs(assessment)
    if weighed := assessment.get("pareto"):
        found["pareto"] = weighed | {
            "rows": [{key: row[key] for key in OF_COSTS} for row in weighed["rows"] if row["in_set"]]
        }
    if arena := assessment.get("arena"):
        each = [row["battles"] for row in assessment["ranking"]]
        found["battles"] = arena["battles"]
        found["arena"] = {"voters": arena["voters"], "ties": arena["ties"], "each": [min(each), max(each)]}
    found["plan"] = {key: plan[key] for key in OF_PLAN if plan.get(key) is not None}
    return found


def _pairs(assessment: dict[str, Any]) -> dict[str, int]:
    """How many pairs there are, and how many of them are separated: have no letter in common."""
    names = [row["letters"] for row in assessment["ranking"]]
    spaced = any(" " in text or text == "aa" for text in names)
    letters = [set(text.split() if spaced else text) for text in names]
    pairs = [not one & other for one, other in combinations(letters, 2)]
    return {"count": len(pairs), "separated": sum(pairs)}


def _is_headline(estimate: dict[str, Any], headline: dict[str, Any]) -> bool:
    return estimate["coefficient"] == "tau" and all(estimate[key] == value for key, value in headline.items())


def _run(command: str) -> dict[str, Any]:
    """The JSON that a command writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command), "--quiet", "--json", str(path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{command}\n{done.stderr}")
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found


def _of_runs(board: Board) -> dict[str, Any]:
    """Of one system's runs: the share of run noise in its mean, and pass^k."""
    import pandas as pd

    runs = pd.read_csv(TABLES / board.table)
    by_question = runs.groupby("question")["reward"]
    count = int(by_question.size().iloc[0])
    means, right = by_question.mean(), by_question.sum().astype(int)
    share, low, high = _run_share(by_question.var().to_numpy() / count, means.to_numpy())
    return {
        "noise": {"sources": [{"source": "run", "levels": count, "share": share, "low": low, "high": high}]},
        "topics": len(means),
        "systems": runs["system"].nunique(),
        "runs": {
            "count": count,
            "means": runs.groupby("run")["reward"].mean().tolist(),
            "mixed": int(((means > 0) & (means < 1)).sum()),
            "pass_all": [
                float(right.map(lambda c, k=k: comb(c, k)).mean() / comb(count, k))
                for k in range(1, count + 1)
            ],
        },
    }


def _run_share(errors: Vector, means: Vector) -> tuple[float, float, float]:
    """Variance that runs leave in a mean over questions, as a share of all, with its 95% interval.

    An assessment has the same of differences between systems (docs/methods/noise.md, eq. 4 and 5).
    """
    import numpy as np
    from scipy.special import stdtrit

    def log_share(kept: NDArray[np.bool_]) -> float:
        return float(np.log(errors[kept].mean() / means[kept].var(ddof=1)))

    n = len(means)
    logs = np.array([log_share(np.arange(n) != question) for question in range(n)])
    found = log_share(np.ones(n, bool))
    half = stdtrit(n - 1, 0.975) * np.sqrt((n - 1) / n * np.sum((logs - logs.mean()) ** 2))
    return float(np.exp(found)), float(np.exp(found - half)), float(min(np.exp(found + half), 1.0))


def stored(board: Board) -> dict[str, Any]:
    """What was computed last."""
    found: dict[str, Any] = json.loads((RESULTS / f"{board.key}.json").read_text("utf-8"))
    return found


def text_of(result: dict[str, Any]) -> str:
    """A result as it is stored: numbers to six significant digits, tiny ones as 0, one system a line."""
    lines = [f"{json.dumps(key)}: {_lines(value)}" for key, value in _rounded(result).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _lines(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join("  " + _line(one) for one in value) + "\n]"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}") if abs(value) > 1e-12 else 0.0
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return (
        [_rounded(one) for one in value]
        if isinstance(value, Sequence) and not isinstance(value, str)
        else value
    )
