"""Topics by how difficult they are and how much they separate the systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank.report.charts.style import PAGE, Records, Size, chart, finished, layered
from truerank.report.lettering import in_passing, shortened_middle
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED
from truerank.report.words import number

if TYPE_CHECKING:
    from truerank.reliability.topics import Topics

NAMED = 18
"""Letters of a name beside its dot."""


def topics_chart(found: Topics, size: Size = PAGE) -> Any:
    """A dot a topic, by its mean score and its separation; those to read first have their names.

    Args:
        found: the topics.
        size: for a page or a paper.
    """
    import altair as alt

    width = size.width - 6.5 * size.font
    height = min(0.45 * width, size.height) if size.width > 500 else 0.75 * width
    records = _records(found)
    x = alt.X(
        "mean:Q",
        scale=alt.Scale(zero=False, padding=2 * size.font),
        axis=alt.Axis(title="mean score of all systems"),
    )
    y = alt.Y("separation:Q", axis=alt.Axis(title="separation", tickCount=5))
    about = alt.Description("about:N")
    named, rest, dead = (
        [one for one in records if one["kind"] == kind] for kind in ("named", "rest", "dead")
    )
    area = 0.5 * size.font**2
    layers = [
        chart([{"separation": 0.0}]).mark_rule(color=INK, strokeWidth=1, aria=False).encode(y=y),
        chart(rest).mark_circle(color=ACCENT, size=area, opacity=0.6).encode(x=x, y=y, description=about),
        chart(dead)
        .mark_point(color=MUTED, size=area, filled=False, opacity=1)
        .encode(x=x, y=y, description=about),
        chart(named).mark_circle(color=DOUBT, size=area, opacity=1).encode(x=x, y=y, description=about),
    ]
    placed = _placed(records, named, width, height, size)
    layers += [
        chart([one])
        .mark_text(dx=dx, dy=dy, fontSize=0.9 * size.font, color=INK, aria=False)
        .encode(x=x, y=y, text=alt.Text("name:N"))
        for one, (dx, dy) in zip(named, placed, strict=True)
    ]
    return finished(layered(*layers, width=width, height=height), size)


def _placed(
    every: Records, named: Records, width: float, height: float, size: Size
) -> list[tuple[float, float]]:
    """Where each name stands, from its dot: the first of a few places that is free."""
    across, up = ([float(one[key]) for one in every] for key in ("mean", "separation"))
    wide, high = width / (max(across) - min(across) or 1), height / (max(up) - min(up) or 1)
    spots = [(one["mean"] * wide, -one["separation"] * high, 0.5 * size.font) for one in named]
    taken = list(spots)
    found = []
    for one, (at, below, _) in zip(named, spots, strict=True):
        half = 0.5 * size.text(one["name"], 0.9 * size.font)
        beside = half + 0.6 * size.font
        steps = [(0.0, 1.1), (0.0, -1.1), (-beside, 0.0), (beside, 0.0), (0.0, 2.1), (0.0, -2.1), (0.0, 3.1)]
        places = [(dx, dy * size.font) for dx, dy in steps]
        free = [
            (dx, dy)
            for dx, dy in places
            if all(
                abs(at + dx - x) > half + room or abs(below + dy - y) > 0.9 * size.font
                for x, y, room in taken
                if (x, y) != (at, below)
            )
        ]
        dx, dy = (free or places)[0]
        taken.append((at + dx, below + dy, half))
        found.append((dx, dy))
    return found


def _records(found: Topics) -> Records:
    first = set(found.read_first)
    return [
        {
            "mean": one.mean,
            "separation": one.separation,
            "kind": "dead" if one.dead else "named" if one.topic in first else "rest",
            "name": shortened_middle(in_passing(one.topic), NAMED),
            "about": f"{in_passing(one.topic)}: mean {number(one.mean)}, separation "
            f"{number(one.separation, 3, sign=True)}, item-rest {number(one.item_rest, 2, sign=True)}",
        }
        for one in found.topics
    ]
