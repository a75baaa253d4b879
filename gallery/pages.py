"""The pages of the gallery, in Markdown, from what is declared of a board and what was computed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from gallery.boards import BOARDS, Board
from gallery.results import TARGET, commands, stored
from truerank._support.wording import listed, number, plural, sentence, share, topics_text

OPEN, FEWEST_FOLDED = 25, 15
"""Rows of a board that are shown, and how many others it takes to fold them."""


def pages() -> Iterator[tuple[str, str]]:
    """Name and text of each board's page."""
    for board in BOARDS.values():
        yield f"{board.key}.md", page_of(board, stored(board))


def page_of(board: Board, result: dict[str, Any]) -> str:
    """The page of one board."""
    state = f" As it was on {board.date}." if board.date else ""
    parts = [f"# {board.title}", f"*For those who read or run this board. {board.about}{state}*"]
    parts += _of_runs(result) if not board.ranked else _of_ranking(board, result)
    parts += ["## What these numbers do not say", "\n".join(f"- {caution}" for caution in board.cautions)]
    parts += _origin(board)
    return "\n\n".join(parts) + "\n"


def _of_ranking(board: Board, result: dict[str, Any]) -> Iterator[str]:
    yield '!!! abstract "In short"\n\n    ' + " ".join(_short(board, result))
    yield f"## The {result['systems']} systems and their rank ranges"
    yield (
        "Rank range: ranks that a system may truly have. All ranges hold together with 95% probability. "
        "The bar shows the range, the mark the observed rank."
    )
    if "arena" in result:
        yield _battles(result)
    yield _table(board, result["ranking"])
    yield "## What leads, and why it might not"
    yield " ".join(_leads(board, result))
    if "pareto" in result:
        yield f"## Which of them for how many {result['pareto']['measure']}"
        yield from _weighed(board, result["pareto"])
    if "noise" in result:
        yield "## Where the noise comes from"
        yield _noise(result["noise"])
    yield f"## How many {plural(board.sampled)} would do"
    yield _plan(board, result)
    if result["warnings"]:
        said = "\n".join(f"    - {escape(sentence(text), quote=False)}" for text in result["warnings"])
        yield f'???+ note "Warnings and notes of the assessment"\n\n{said}'


def contenders(board: Board, result: dict[str, Any]) -> list[str]:
    """The systems that may truly be first, of those that compete for it, in ranking order.

    The best of these is not below the ranks of those set aside, nor below any range of its own kind.
    """
    rows = [row for row in result["ranking"] if row["system"] not in board.aside]
    worst = min(1 + len(board.aside), *(row["rank_high"] for row in rows))
    return [row["system"] for row in rows if row["rank_low"] <= worst]


def separated(result: dict[str, Any]) -> int:
    """How many neighbors in the ranking have rank ranges that do not overlap."""
    return sum(above["rank_high"] < below["rank_low"] for above, below in pairwise(result["ranking"]))


def _short(board: Board, result: dict[str, Any]) -> Iterator[str]:
    if board.part:
        yield f"This is a part of the board: {board.part}."
    many, share, first = result["systems"], 50 * (1 + result["tau"]["estimate"]), contenders(board, result)
    yield (
        f"The order of these {many} systems {_basis(board, result)} is expected to agree with "
        f"the true one at **τ = {_tau(result)}**: about {share:.0f} of 100 pairs are in the right order."
    )
    if "truth" in result:
        yield _truth(result)
    apart = f"{_apart(board)}, " if board.aside else ""
    if len(first) == 1:
        here = " of this part" if board.part else ""
        yield f"{apart}**{_name(first[0])} leads, and no other system{here} may be first.**"
    else:
        yield f"{apart}**{len(first)} of the {many - len(board.aside)} systems may be first.**"
    pairs, alike = result["pairs"], many - 1 - separated(result)
    yield (
        f"{pairs['separated']:,} of the {pairs['count']:,} pairs are separated: their rank ranges do not "
        f"overlap. Of the {many - 1} pairs of neighbors {alike} overlap."
    )
    if "noise" in result:
        yield f"{_percent(result['noise']['sources'][0]['share'])} of the noise comes from runs."
    plan, more = result["plan"], 2 * _sample(result)
    if plan["pilot_topics"] == _sample(result) and more <= plan["curve"][-1]["topics"]:
        yield f"Twice as many {plural(board.sampled)} are expected to reach τ = {_two(_at(result, more))}."


def _battles(result: dict[str, Any]) -> str:
    """How many voters judged the battles, how many were ties, and how many each system had."""
    arena = result["arena"]
    voters = "" if arena["voters"] is None else f" {arena['voters']:,} voters judged them."
    low, high = arena["each"]
    return (
        f"Each system had {low:,} to {high:,} of the {result['battles']:,} battles.{voters} "
        f"{_percent(arena['ties'])} were ties."
    )


def _basis(board: Board, result: dict[str, Any]) -> str:
    """``on 118 questions``, or ``in 8,931 battles on 13 prompts``."""
    battles = f"in {result['battles']:,} battles " if "battles" in result else ""
    return f"{battles}on {_topics(board, result)}"


def _topics(board: Board, result: dict[str, Any]) -> str:
    """``118 questions``, or ``12,002 questions from 91 sources``."""
    topics = f"{result['topics']:,} {board.unit if result['topics'] == 1 else plural(board.unit)}"
    return f"{topics} from {result['clusters']} {plural(board.cluster)}" if board.cluster else topics


def _sample(result: dict[str, Any]) -> int:
    """How many there are of what is sampled."""
    size: int = result.get("clusters", result["topics"])
    return size


def _truth(result: dict[str, Any]) -> str:
    """Where the true ranking is known: how well the estimate of τ did."""
    tau, true = result["tau"], result["truth"]["tau"]
    missed = "" if tau["low"] <= true <= tau["high"] else ", which the interval misses"
    return f"The true τ is known here: {_two(true)}{missed}."


def _tau(result: dict[str, Any]) -> str:
    """τ with its interval."""
    tau = result["tau"]
    return f"{_two(tau['estimate'])} (95% interval {_two(tau['low'])} to {_two(tau['high'])})"


def _apart(board: Board) -> str:
    """Those that do not compete for the first place, by what they are."""
    kinds: dict[str, list[str]] = {}
    for system, what in board.aside.items():
        kinds.setdefault(what, []).append(_name(system))
    return "Apart from " + listed([f"{listed(names)} ({what})" for what, names in kinds.items()])


def _leads(board: Board, result: dict[str, Any]) -> Iterator[str]:
    first, *others = contenders(board, result)
    leader, means = result["leader"], {row["system"]: row["mean"] for row in result["ranking"]}
    apart = f"{_apart(board)}, " if board.aside else ""
    yield f"{apart}{_name(first)} leads. Its {board.score} is {_score(board, means[first])}."
    if leader["system"] == first:
        fair, low, high = (_score(board, leader[which]) for which in ("shrunken", "low", "high"))
        yield (
            f"As the best of {leader['tried']}, it is probably too high: {fair}"
            f"{' or more' * (leader['limited'] and not others)} (95% interval {low} to {high})."
        )
    named = listed([_name(one) for one in others])
    yield f"May be first, too: {named}." if others else "No other system may be first."
    fragility = leader.get("fragility")
    if fragility and leader["system"] == first:
        unit = {"topic": board.unit, "cluster": board.cluster}.get(fragility["unit"], fragility["unit"])
        yield (
            f"Without {fragility['topics']:,} of {fragility['total']:,} {plural(unit)}, "
            f"{_name(fragility['by'])} would be first."
        )


def _weighed(board: Board, found: dict[str, Any]) -> Iterator[str]:
    measure, observed, inside = found["measure"], len(found["observed"]), len(found["systems"])
    yield (
        f"{observed} systems are on the observed frontier of {board.score} and {measure}. "
        f"**{inside} may be on the true one**, with 95% probability for all together. Each of the others is "
        f"dominated with high probability, which need not be by the same system in every case."
    )
    heads = ["System", board.score.capitalize(), measure, "Chance to be on it", "Observed frontier"]
    yield _rows(
        heads,
        [
            [
                _name(row["system"]),
                _score(board, row["mean"]),
                f"{row['value']:,.4g}",
                share(row["probability"]),
                "yes" if row["observed"] else "no",
            ]
            for row in found["rows"]
        ],
    )


def _noise(noise: dict[str, Any]) -> str:
    """Which sources of noise there are."""
    rows = [
        [
            one["source"],
            f"{one['levels']:,.0f}",
            _percent(one["share"]),
            _percents(one.get("low"), one.get("high")),
        ]
        for one in noise["sources"]
    ]
    whole = all(one["levels"] == round(one["levels"]) for one in noise["sources"])
    runs = "Runs" if whole else "Runs (average)"
    return _rows(["Source", runs, "Share of the noise", "95% interval"], rows)


def _plan(board: Board, result: dict[str, Any]) -> str:
    plan, units, sample = result["plan"], plural(board.sampled), _sample(result)
    pilot = plan["pilot_topics"]
    basis = "" if pilot == sample else f" This plan rests on the {pilot:,} {units} without empty cells."
    needed = plan["needed"][0]  # of τ, by the expectation
    sizes = [n for n in (10, 30, 100, 300, 1000) if n <= plan["curve"][-1]["topics"] and n != pilot]
    rows = [[f"{n:,}", _two(_at(result, n)), _span(result, n)] for n in sizes]
    if needed["topics"] is None:
        said = f"No practical number of {units} is expected to reach τ = {TARGET}."
    else:
        low, high = needed["low"], needed["high"]
        span = "" if low is None else f" (95% interval {topics_text(low)} to {_most(high)})"
        said = (
            f"A new test set of about **{topics_text(needed['topics'])} {units}**{span} is expected to reach "
            f"τ = {TARGET}; the board has {sample:,}.{basis}"
        )
    table = _rows([f"New {units}", "τ", "95% of such test sets"], rows)
    read = (
        "These ranges are about new test sets, if systems differ as much as is estimated here. The interval "
        "at the top is about this one, and allows for the error of that estimate, too."
    )
    return "\n\n".join([said, table, read])


def _most(topics: float | None) -> str:
    """The upper end of an interval of topics, which is null where it is not practical."""
    return topics_text(math.inf if topics is None else topics)


def _at(result: dict[str, Any], topics: float, field: str = "estimate") -> float:
    """A point of the plan's curve, between its own by the logarithm of the size."""
    import numpy as np

    curve = result["plan"]["curve"]
    sizes = np.log([point["topics"] for point in curve])
    return float(np.interp(np.log(topics), sizes, [point[field] for point in curve]))


def _span(result: dict[str, Any], topics: float) -> str:
    return f"{_two(_at(result, topics, 'low'))} to {_two(_at(result, topics, 'high'))}"


def _of_runs(result: dict[str, Any]) -> Iterator[str]:
    runs, tasks, noise = result["runs"], result["topics"], result["noise"]
    source = noise["sources"][0]
    yield '!!! abstract "In short"\n\n    ' + " ".join(
        [
            f"In {runs['count']} runs gpt-4o solved {listed([_percent(mean) for mean in runs['means']])} of "
            f"{tasks} tasks.",
            f"**{runs['mixed']} of the {tasks} tasks were solved in some runs and not in others.**",
            f"Run noise is {_percent(source['share'])} (95% interval "
            f"{_percents(source['low'], source['high'])}) of the variance of its score.",
        ]
    )
    yield "## Solved in every run"
    yield "pass^k is the probability that all of k runs of a task succeed, averaged over tasks."
    solved = [[str(k), f"{100 * value:.1f}%"] for k, value in enumerate(runs["pass_all"], start=1)]
    yield _rows(["k", "pass^k"], solved)
    yield "## Where the noise comes from"
    yield _noise(noise)
    share, count = source["share"], runs["count"]
    alone = count * share / (1 + (count - 1) * share)
    yield (
        f"The rest is between tasks, and only more tasks reduce it. With one run of each task instead of "
        f"{count}, run noise would be {_percent(alone)} of a larger variance."
    )


def _origin(board: Board) -> Iterator[str]:
    yield "## How this page was made"
    typed = commands(board)
    if typed:
        yield "In the project’s folder:"
        yield "```\n" + "\n".join(typed) + "\n```"
        yield "With `--html page.html` the first command writes a page with all details."
    else:
        yield f"In the project’s folder, `python -m gallery {board.key}` computes these numbers."
    if board.repository:
        yield (
            f"The table is made by `gallery/extract/{board.script}.py` from "
            f"[{board.repository}]({board.source}) at commit `{board.commit[:12]}` of {board.date}. "
            f"Source: {board.credit}. License: {board.license}."
        )
    else:
        yield f"The table is made by `gallery/extract/{board.script}.py`. License: {board.license}."
    yield f"Left out: {board.left_out}"


def overview() -> str:
    """One row per ranked board."""
    rows = []
    for board in BOARDS.values():
        result = stored(board)
        if not board.ranked:
            continue
        found = result["plan"]["needed"][0]["topics"]
        of = f" {plural(board.cluster)}" if board.cluster else ""
        needed = "not practical" if found is None else f"{topics_text(found)}{of}"
        rows.append(
            [
                f"[{board.title}]({board.key}.md)" + (" (part)" if board.part else ""),
                f"{result['systems']} on {_topics(board, result)}",
                _tau(result).replace("95% interval ", ""),
                str(len(contenders(board, result))),
                f"{separated(result)} of {result['systems'] - 1}",
                needed,
            ]
        )
    heads = ["Board", "Systems", "τ (95% interval)", "May be first", "Neighbors separated"]
    return _rows([*heads, f"Needed for τ = {TARGET}"], rows)


def _table(board: Board, ranking: Sequence[dict[str, Any]]) -> str:
    shown = ranking[:OPEN] if len(ranking) >= OPEN + FEWEST_FOLDED else ranking
    folded = ranking[len(shown) :]
    text = _rank_rows(board, shown, len(ranking))
    if folded:
        text += f"\n\n<details><summary>The other {len(folded)} systems</summary>\n"
        text += _rank_rows(board, folded, len(ranking)) + "\n</details>"
    return text


def _rank_rows(board: Board, ranking: Sequence[dict[str, Any]], count: int) -> str:
    heads = ["Rank", "System", board.score[0].upper() + board.score[1:], "Range", "First to last"]
    lines = ['<table class="ranges">', "<thead><tr>" + "".join(f"<th>{head}</th>" for head in heads)]
    lines[-1] += "</tr></thead><tbody>"
    for row in ranking:
        low, high = row["rank_low"], row["rank_high"]
        places = (
            f"--low:{_place(low, count)};--high:{_place(high, count)};--rank:{_place(row['rank'], count)}"
        )
        span = str(low) if low == high else f"{low} to {high}"
        score = _score(board, row["mean"])
        lines.append(
            f"<tr><td>{row['rank']}</td><td>{_marked(board, row['system'])}</td><td>{score}</td>"
            f'<td>{span}</td><td><span class="range" style="{places}" aria-hidden="true"></span></td></tr>'
        )
    return "\n".join([*lines, "</tbody></table>"])


def _marked(board: Board, system: str) -> str:
    what = board.aside.get(system)
    return escape(system) + (f" <em>({escape(what)})</em>" if what else "")


def _place(rank: int, count: int) -> str:
    """Where a rank is between the first (0) and the last (1)."""
    return f"{(rank - 1) / (count - 1):.4f}"


def _rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _name(system: str) -> str:
    """A system's name in Markdown: its own characters, and nothing that Markdown reads."""
    return "".join("\\" + c if c in "\\`*_{}[]<>#+!|" else c for c in system)


def _score(board: Board, value: float) -> str:
    return number(value, board.digits)


def _two(value: float) -> str:
    return number(value, 2)


def _percent(share: float) -> str:
    """A share with two digits."""
    return f"{100 * share:.{1 if share < 0.0995 else 0}f}%"


def _percents(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{_percent(low)} to {_percent(high)}"
