"""What truerank finds on a board: runs the commands of its page on the stored table, keeps what it needs."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any

from gallery.boards import HERE, TABLES, Board

RESULTS = HERE / "results"
ROOT = HERE.parent
TARGET = 0.9
"""The τ for which topics are planned."""

TWICE = re.compile(r"raise it to τ = ([0-9.]+[0-9])")
"""The one number of the printed answer that the JSON does not have."""

KEPT = ("topics", "systems", "generalize_to", "aggregate", "leader", "truth", "warnings", "noise")
"""What a page takes from an assessment as it is; "noise" is there where a board has runs or raters."""


def commands(board: Board) -> list[str]:
    """What to type, in the project's folder, for the numbers of a board's page."""
    table = shlex.quote(str((TABLES / board.table).relative_to(ROOT)))
    found = [shlex.join(["truerank", "assess", table, *board.options, "--seed", "1"])]
    if board.planned:
        found.append(
            shlex.join(["truerank", "plan", table, *board.plan, "--tau", f"{TARGET:g}", "--seed", "1"])
        )
    return found if board.ranked else []


def compute(board: Board) -> dict[str, Any]:
    """The result of a board: of `assess` and `plan`, or what runs say where there is nothing to rank."""
    if not board.ranked:
        return _of_runs(board)
    (assessment, said), *plans = (_run(command) for command in commands(board))
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
    if twice := TWICE.search(" ".join(said.split())):
        found["twice"] = float(twice[1])
    for plan, _ in plans:
        found["plan"] = {key: plan[key] for key in ("pilot_topics", "unit", "curve", "needed", "warnings")}
    return found


def _is_headline(estimate: dict[str, Any], headline: dict[str, Any]) -> bool:
    return estimate["coefficient"] == "tau" and all(estimate[key] == value for key, value in headline.items())


def _run(command: str) -> tuple[dict[str, Any], str]:
    """The JSON that a command writes, and what it prints."""
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
        return json.loads(path.read_text("utf-8")), done.stdout


def _of_runs(board: Board) -> dict[str, Any]:
    """Of one system's runs: the share of run noise in the mean of a question, and pass^k."""
    import pandas as pd

    runs = pd.read_csv(TABLES / board.table)
    by_question = runs.groupby("question")["reward"]
    count = int(by_question.size().iloc[0])
    means, right = by_question.mean(), by_question.sum().astype(int)
    return {
        "topics": len(means),
        "systems": runs["system"].nunique(),
        "runs": {
            "count": count,
            "means": runs.groupby("run")["reward"].mean().tolist(),
            "share": float(by_question.var().mean() / count / means.var()),
            "mixed": int(((means > 0) & (means < 1)).sum()),
            "pass_all": [
                float(right.map(lambda c, k=k: comb(c, k)).mean() / comb(count, k))
                for k in range(1, count + 1)
            ],
        },
    }


def stored(board: Board) -> dict[str, Any]:
    """What was computed last."""
    found: dict[str, Any] = json.loads((RESULTS / f"{board.key}.json").read_text("utf-8"))
    return found


def text_of(result: dict[str, Any]) -> str:
    """A result as it is stored: numbers to six significant digits, one system a line."""
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
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return (
        [_rounded(one) for one in value]
        if isinstance(value, Sequence) and not isinstance(value, str)
        else value
    )
