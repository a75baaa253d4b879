"""Signed numbers of systems with intervals and verdicts: differences from a baseline, a machine’s biases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import level_text
from truerank.reliability.pair.contrast import SHOWN as IN_WORDS
from truerank.report.charts.rows import Rows, number_axis, remark, row_axis, row_panel, texts_right
from truerank.report.charts.style import COLUMN, PADDING, Chart, Records, Size, channel, finished, mark
from truerank.report.lettering import fitted, shortened_middle
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED
from truerank.report.sampled import score_title, score_word
from truerank.report.words import difference_interval

if TYPE_CHECKING:
    from truerank.comparison.gate.decision import Judged
    from truerank.reliability.results import Assessment


SIGNED: dict[str, Any] = {"format": "+f", "labelExpr": "datum.value == 0 ? '0' : datum.label"}
"""How an axis writes its numbers, which have signs: zero has none."""

MORE, EVEN, LESS = (ACCENT, "triangle-right"), (MUTED, "circle"), (DOUBT, "triangle-left")
"""Color and shape of what is said of a system."""


def _row(
    row: int,
    name: str,
    value: float,
    ends: tuple[float, float],
    verdict: str,
    rank: int | None = None,
) -> dict[str, Any]:
    """One system: a side without a bound ends at its value."""
    low, high = ends
    return {
        "row": row,
        "name": name,
        "value": value,
        "low": low if math.isfinite(low) else value,
        "high": high if math.isfinite(high) else value,
        "verdict": verdict,
    } | ({} if rank is None else {"rank": rank})


def signed_chart(
    records: Records,
    title: str,
    looks: Mapping[str, tuple[str, str]],
    size: Size,
    systems: Sequence[str],
    most: int,
    margin: float | None = None,
) -> Chart:
    """One row per system: its interval, its number and, by shape and color, what is said of it.

    There could be `most` rows. With a margin there is a line for it, and verdicts in words where they fit.
    """
    verdicts, styles = list(looks), list(zip(*looks.values(), strict=True))
    ranked = "rank" in records[0]
    rows = Rows.of([r["name"] for r in records], size, records[-1].get("rank"), ranked, among=systems)
    y = row_axis("row", rows.count)
    worded = margin is not None
    words = max(size.text(r["verdict"], rows.font) for r in records) if worded else 0.0
    end = words + 1.2 * size.font
    width = size.width - PADDING - rows.names - end
    ends = [0.0, -(margin or 0.0), *(r[key] for r in records for key in ("low", "value", "high"))]
    x = number_axis("low", title, ends, width, size, **SIGNED)
    legend = {
        "title": None,
        "orient": "bottom",
        "direction": "horizontal",
        "columnPadding": 1.2 * size.font,
        "symbolOpacity": 1,
        "symbolSize": 0.8 * size.font**2,
    }
    color, shape = (
        channel("verdict:N", scale={"domain": verdicts, "range": [*style]}, legend=None if worded else legend)
        for style in styles
    )
    rules: dict[str, Any] = {"x": x, "x2": "high:Q", "y": y, "color": color}
    points: dict[str, Any] = {"x": "value:Q", "y": y, "color": color, "shape": shape}
    layers = (
        mark("rule", [{"zero": 0}], color=INK, strokeWidth=1, x="zero:Q"),
        mark("rule", records, strokeWidth=rows.stroke, opacity=0.5, **rules),
        mark("point", records, size=1.4 * rows.dot, **points),
        *([margin_rule(margin)] if margin else []),
        *([] if not worded else [texts_right(records, rows, "verdict", 0.6 * size.font, INK)]),
    )
    drawn = row_panel(records, rows, *layers, width=width, beside=end)
    return finished(drawn, size, note=remark(rows, most))


def margin_rule(margin: float) -> Chart:
    """The line at the largest loss that passes."""
    look: dict[str, Any] = {"color": DOUBT, "strokeWidth": 1.5, "strokeDash": [4, 3]}
    return mark("rule", [{"at": -margin}], x="at:Q", **look)


OF_VERDICTS = {"better": MORE, "pass": (ACCENT, "square"), "inconclusive": EVEN, "fail": LESS}


def verdicts_chart(decisions: Sequence[Judged], size: Size = COLUMN) -> Chart:
    """The difference of every candidate with its bounds, beside zero and the margin, in their order."""
    first = decisions[0]
    sets = any(one.data_set for one in decisions)
    names = [f"{one.candidate}, {one.data_set or 'all'}" if sets else one.candidate for one in decisions]
    records = [
        _row(row, name, one.difference, (one.low, one.high), IN_WORDS.get(one.verdict, one.verdict))
        for row, (name, one) in enumerate(zip(names, decisions, strict=True), 1)
    ]
    baseline = fitted([printable(first.baseline)], 0.4 * size.width, size.text)[printable(first.baseline)]
    title = f"difference from {baseline}, {level_text(first.level)} interval"
    return signed_chart(records, title, OF_VERDICTS, size, names, len(names), margin=first.margin)


SHOWN = {"better": "better", "undecided": "inconclusive", "fail": "worse"}
"""Verdicts as the chart names them."""

OF_BASELINE = dict(zip(SHOWN.values(), (MORE, EVEN, LESS), strict=True))


def differences_chart(
    assessment: Assessment, size: Size = COLUMN, shown: Sequence[str] | None = None
) -> Chart:
    """Differences in ranking order; shape and color say better, worse, or inconclusive."""
    baseline = shortened_middle(printable(assessment.settings.baseline or ""), 36)
    baseline = fitted([baseline], 0.6 * size.width, size.text)[baseline]
    what = f"{score_title(assessment)} minus that of {baseline}"
    title = f"{what}, {difference_interval(assessment.settings)}"
    ranks = {s.system: s.rank for s in assessment.ranking}
    records = []
    for row, d in enumerate((d for d in assessment.baseline if shown is None or d.system in shown), 1):
        verdict, rank = SHOWN[d.verdict], ranks[d.system]
        records.append(_row(row, d.system, d.difference, (d.low, d.high), verdict, rank))
    systems = assessment.scores.systems
    return signed_chart(records, title, OF_BASELINE, size, systems, len(systems) - 1)


OF_MACHINE = {"over-scored": MORE, "inconclusive": EVEN, "under-scored": LESS}


def machine_chart(assessment: Assessment, size: Size = COLUMN, shown: Sequence[str] | None = None) -> Chart:
    """Biases minus their average in ranking order; shape and color say over- or under-scored, or neither."""
    if assessment.machine is None:
        raise ValueError("an assessment without a machine judge has no biases to show")
    score = score_word(assessment)
    if assessment.scores.kind.by_cells:
        score = printable(assessment.measure) or "score"
    what = f"machine minus human {score}, beyond the average of all systems"
    title = f"{what}, {level_text(assessment.machine.level)} interval"
    ranks = {s.system: s.rank for s in assessment.ranking}
    records = []
    for row, one in enumerate(
        (m for m in assessment.machine.systems if shown is None or m.system in shown), 1
    ):
        ends = one.relative_low, one.relative_high
        records.append(_row(row, one.system, one.relative, ends, one.verdict, ranks[one.system]))
    systems = assessment.scores.systems
    return signed_chart(records, title, OF_MACHINE, size, systems, len(systems))
