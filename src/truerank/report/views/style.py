"""What an assessment says of style: what it is worth, and which ranks move without it."""

from __future__ import annotations

from truerank._support.escaping import printable
from truerank._support.tables import Table
from truerank._support.wording import count, level_text, listed, number, percent
from truerank.reliability.results import Assessment
from truerank.reliability.style import StyleEffect
from truerank.report.view import Section
from truerank.report.views.assessment_methods import made


def style_sentences(a: Assessment) -> list[str]:
    """What the covariate that decides most is worth, and the ranks that move; nothing without covariates."""
    if not a.covariates:
        return []
    first = max(a.covariates, key=lambda one: abs(one.win_share - 0.5))
    return [worth(first), *_moved(a)]


def worth(one: StyleEffect) -> str:
    """What one covariate is worth, in battles won."""
    name = printable(one.name)
    more = f"{number(one.unit, 2)} more of {name}"
    if one.step == "twice":
        more = "twice the length" if one.name == "length" else f"twice the {name}"
    return (
        f"An answer with {more} wins {percent(one.win_share, 1)} ({percent(one.win_low, 1)} to "
        f"{percent(one.win_high, 1)}) against one of an equal system."
    )


def _moved(a: Assessment) -> list[str]:
    """Which ranks differ without covariates, and whose most."""
    moved = [s for s in a.ranking if s.rank_without not in (None, s.rank)]
    if not moved:
        return [f"All {len(a.ranking)} systems have the same rank without {_style(a)}."]
    most = max(moved, key=lambda s: abs(s.rank - (s.rank_without or s.rank)))
    return [
        f"At equal {_style(a)}, {count(len(moved), 'system')} of {len(a.ranking)} "
        f"{'has another rank' if len(moved) == 1 else 'have other ranks'}; {listed([most.system])} moves "
        f"from {most.rank_without} to {most.rank}."
    ]


def _style(a: Assessment) -> str:
    names = [printable(one.name) for one in a.covariates]
    return listed(names) if len(names) < 3 else "style"


def style_section(a: Assessment) -> Section | None:
    """The coefficients, and the ranks that move; nothing without covariates."""
    if not a.covariates:
        return None
    table = Table.of(
        "style",
        "What style is worth",
        StyleEffect,
        a.covariates,
        {"level": level_text(a.settings.levels[0])},
        note="Coefficient: in logits, for one root mean square of the difference. Wins: of an answer with "
        "twice as much, or one root mean square more, against one of an equal system.",
        made=made(a),
    )
    others = [one for one in a.covariates if not one.low <= 0 <= one.high]
    text = style_sentences(a)
    if len(others) < len(a.covariates):
        unclear = [printable(one.name) for one in a.covariates if one not in others]
        text.append(f"Whether {listed(unclear)} matters is not clear: the interval has 0 in it.")
    return Section("style", "Equal style", text, tables=[table])
