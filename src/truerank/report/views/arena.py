"""What an assessment says of battles: what its ranking means, what errors rest on, what style is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from truerank._support.escaping import printable
from truerank._support.tables import Column, Table, Text
from truerank._support.wording import count, level_text, listed, number, percent, plural, two_digits
from truerank.reliability.arena import StyleEffect
from truerank.reliability.results import Assessment, RankedSystem
from truerank.report.view import Section
from truerank.report.views import made
from truerank.report.words import style_words

if TYPE_CHECKING:
    from truerank.reliability.arena import Arena


def arena_section(a: Assessment) -> Section | None:
    """What the ranking means under this matchmaking, and which battles there are; nothing of scores."""
    found = a.arena
    if found is None:
        return None
    columns = (Column("Fact", Text(), "fact"), Column("Value", Text(), "value"))
    table = Table("arena", "Facts about the battles", columns, list(_facts(a, found)))
    text = list(_sentences(found, bool(a.covariates)))
    return Section("battles", "Battles", text, tables=[table], details=True)


def _sentences(found: Arena, styled: bool) -> Iterator[str]:
    units = plural(found.unit)
    if not math.isnan(found.tau_pairs_alike):
        other = "every battle" if found.pairs_alike else "every pair that met"
        asked = "without --pairs-alike" if found.pairs_alike else "with --pairs-alike"
        yield (
            f"The ranking in which {other} counts alike ({asked}) has τ = "
            f"{number(found.tau_pairs_alike, 2)} with this one. That compares two observed rankings, and "
            "says nothing of the true one."
        )
    if not math.isnan(found.tau_without_ties):
        yield f"Without ties the ranking has τ = {number(found.tau_without_ties, 2)} with this one."
    if found.cycles.triads:
        cycles = found.cycles
        yield (
            f"Of {count(cycles.triads, 'triad')} of systems whose pairs all have a winner, "
            f"{percent(cycles.cyclic / cycles.triads, 1)} are circles: A beats B, B beats C, C beats A. "
            f"Strengths that explain all battles would give {percent(cycles.expected, 1)}."
        )
    if found.pairs_alike and not styled:
        yield "Its order is that of mean win rates against all others, whether strengths explain them or not."
    if found.draw_prior:
        yield (
            f"Drawn battles added for each system: {found.draw_prior:g}. One draws a strength of 2 from 10 "
            "battles towards the average by about 0.1."
        )
    if found.unit != "battle":
        parts = [f"{percent(found.share_battles)} comes from single battles"]
        parts.append(f"{percent(found.share_units)} from {units}")
        parts += [] if math.isnan(found.share_voters) else [f"{percent(found.share_voters)} from voters"]
        on = "by" if found.unit == "voter" else "on"
        yield (
            f"Of the variance of a typical difference, {listed(parts)}. More battles {on} the same {units} "
            f"leave the part of {units}."
        )
    if found.unit != "battle" and found.interaction > 0:
        yield (
            f"Battles of one {found.unit} hang together: strengths vary from {found.unit} to {found.unit} by "
            f"{number(math.sqrt(found.interaction), 2)} logits. Beyond about {two_digits(found.enough):,} "
            f"battles per {found.unit}, more battles bring less than half of what more {units} bring."
        )


def _facts(a: Assessment, found: Arena) -> Iterator[tuple[str, str]]:
    yield "Battles", f"{found.battles:,}"
    each = [s.battles for s in a.ranking if s.battles is not None]
    yield "Battles per system", f"{min(each):,} to {max(each):,}"
    if found.unit != "battle":
        yield plural(found.unit).capitalize(), f"{found.units:,}"
        yield f"Battles per {found.unit}, on average", number(found.battles / found.units, 1)
    if found.voters is not None:
        yield "Voters", f"{found.voters:,}"
    yield "Ties", percent(found.ties)
    yield "Dispersion of outcomes (φ)", number(found.dispersion, 3)
    if found.unit != "battle":
        yield f"Variance of a {found.unit}’s own strengths (σ²)", number(found.interaction, 3)


def style_answer(a: Assessment) -> list[str]:
    """What the covariate that decides most is worth, and how many ranks move; nothing without covariates."""
    if not a.covariates:
        return []
    moved, m = len(_moved(a)), len(a.ranking)
    change = (
        "no rank changes" if not moved else f"{moved} of {m} ranks {'changes' if moved == 1 else 'change'}"
    )
    return [f"{worth(_most(a))[:-1]}; at equal {style_of(a)} {change}."]


def _most(a: Assessment) -> StyleEffect:
    """The covariate that decides most."""
    return max(a.covariates or (), key=lambda one: abs(one.win_share - 0.5))


def worth(one: StyleEffect) -> str:
    """What one covariate is worth, in battles won."""
    name = printable(one.name)
    more = f"{number(one.unit, 2)} more of {name}"
    if one.step == "twice":
        more = "twice the length" if one.name == "length" else f"twice the {name}"
    answer = "The answer that stands first" if one.step == "first" else f"An answer with {more}"
    share, low, high = (percent(end, 1) for end in (one.win_share, one.win_low, one.win_high))
    return f"{answer} wins {share} ({low} to {high}) against one of an equal system."


def _moved(a: Assessment) -> list[RankedSystem]:
    """The systems whose rank differs without covariates."""
    return [s for s in a.ranking if s.rank_without not in (None, s.rank)]


def _moves(a: Assessment) -> str:
    """Which ranks differ without covariates, and whose most."""
    moved = _moved(a)
    if not moved:
        return f"All {len(a.ranking)} systems have the same rank without {style_of(a)}."
    most = max(moved, key=lambda s: abs(s.rank - (s.rank_without or s.rank)))
    return (
        f"At equal {style_of(a)}, {count(len(moved), 'system')} of {len(a.ranking)} "
        f"{'has another rank' if len(moved) == 1 else 'have other ranks'}; {listed([most.system])} moves "
        f"from {most.rank_without} to {most.rank}."
    )


def style_of(a: Assessment) -> str:
    """The covariates that strengths are freed of: ``length``, or ``style`` where they are many."""
    return style_words([one.name for one in a.covariates or ()])


def style_section(a: Assessment) -> Section | None:
    """The coefficients, and the ranks that move; nothing without covariates."""
    if not a.covariates:
        return None
    s = a.settings
    table = Table.of(
        "style",
        "What style is worth",
        StyleEffect,
        a.covariates,
        {"level": level_text(s.levels[0])},
        note="Wins: of an answer one step ahead, against one of an equal system.",
        made=made(s.version, a.headline_estimator, a.dependence, seed=s.seed),
    )
    unclear = [printable(one.name) for one in a.covariates if one.low <= 0 <= one.high]
    text = [worth(_most(a)), _moves(a)]
    if unclear:
        text.append(f"Whether {listed(unclear)} matters is not clear: the interval has 0 in it.")
    return Section("style", "Equal style", text, tables=[table])
