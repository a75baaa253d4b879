"""Writes docs/compared.md from what was measured: `python -m validation.peers.page`."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from validation.peers.questions import QUESTION
from validation.peers.racing import HERE, Figure, peers, stored

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compared.md"
OURS = "truerank"
ENOUGH = 30
"""Collections from which a population can be called the worst."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """What the page says about a question.

    Attributes:
        title: its heading.
        asked: what all packages were asked, of which collections.
        behind: where truerank is behind, why, and what was done about it.
        ahead: where it is ahead.
    """

    title: str
    asked: str
    behind: str
    ahead: str


@cache
def _texts() -> dict[str, str | dict[str, str]]:
    found: dict[str, str | dict[str, str]] = tomllib.loads(
        (HERE / "compared.toml").read_text(encoding="utf-8")
    )
    return found


def sections() -> dict[str, Section]:
    """The sections by question, in their order on the page."""
    return {name: Section(**one) for name, one in _texts().items() if isinstance(one, dict)}


def page() -> str:
    """The whole page."""
    head, tail = (str(_texts()[key]).strip() for key in ("head", "tail"))
    found = stored()
    parts = [head]
    for name, one in sections().items():
        mine = [figure for figure in found if figure.question == name]
        parts += [
            f"## {one.title}",
            _wrapped(one.behind),
            _wrapped(one.asked),
            _table(name, mine),
            _settings(name),
            _wrapped(one.ahead),
        ]
    return "\n\n".join([*parts, tail]) + "\n"


def _wrapped(text: str) -> str:
    options = {"break_long_words": False, "break_on_hyphens": False}
    return "\n\n".join(
        textwrap.fill(" ".join(part.split()), 118, **options) for part in text.strip().split("\n\n")
    )


def _table(question: str, found: Sequence[Figure]) -> str:
    """One row per package: how often it is right, what it says, and its time."""
    sizes = "/".join(f"{n}×{m}" for n, m in QUESTION[question].sizes.values())
    metrics = {figure.metric for figure in found}
    heads = ["package"]
    if "false" in metrics:
        heads += ["false claims", "worst", "power"]
    if "covered" in metrics:
        heads += ["covered", "worst", "width"]
    if "fair" in metrics:
        heads.append("fair width")
    heads.append(f"seconds at {sizes}")
    rows = [
        _row(name, question, found) for name in peers() if any(figure.package == name for figure in found)
    ]
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _settings(question: str) -> str:
    return "\n".join(
        f"- {name}: {peer.asked[question]}" for name, peer in peers().items() if question in peer.asked
    )


def _row(name: str, question: str, found: Sequence[Figure]) -> list[str]:
    mine = [figure for figure in found if figure.package == name]
    metrics = {figure.metric for figure in found}
    row = [f"{name} {mine[0].version}".strip()]
    if "false" in metrics:
        row += [*_shares(mine, "false", max), _shares(mine, "power", min)[0]]
    if "covered" in metrics:
        row += [*_shares(mine, "covered", min), _beside(found, name, "width")]
    if "fair" in metrics:
        row.append(_beside(found, name, "fair"))
    return [*row, _seconds(mine, question)]


def _shares(mine: Sequence[Figure], metric: str, worst: object) -> tuple[str, str]:
    """The mean over populations and sizes, with its standard error, and the worst."""
    cells = [figure for figure in mine if figure.metric == metric]
    if not cells:
        return "", ""
    mean = np.mean([figure.value for figure in cells])
    error = np.sqrt(np.sum(np.nan_to_num([figure.error for figure in cells]) ** 2)) / len(cells)
    enough = [figure for figure in cells if figure.collections >= ENOUGH] or cells
    edge = (max if worst is max else min)(enough, key=lambda figure: figure.value)
    shown = f"{100 * mean:.1f}% ± {100 * error:.1f}"
    return shown, f"{100 * edge.value:.0f}% ± {100 * np.nan_to_num(edge.error):.0f}"


def _beside(found: Sequence[Figure], name: str, metric: str) -> str:
    """The geometric mean of widths over truerank's, in the populations where both answered."""
    cells = {
        (figure.population, figure.size): figure.value
        for figure in found
        if figure.package == name and figure.metric == metric
    }
    ours = {
        (figure.population, figure.size): figure.value
        for figure in found
        if figure.package == OURS and figure.metric == metric
    }
    ratios = [
        cells[cell] / ours[cell] for cell in cells.keys() & ours.keys() if cells[cell] > 0 and ours[cell] > 0
    ]
    return f"{np.exp(np.mean(np.log(ratios))):.2f}" if ratios else ""


def _seconds(mine: Sequence[Figure], question: str) -> str:
    shown = []
    for size in QUESTION[question].sizes:
        times = [figure.value for figure in mine if figure.metric == "seconds" and figure.size == size]
        shown.append(f"{np.median(times):.2g}" if times else "–")
    return " / ".join(shown)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
