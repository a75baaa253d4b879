"""Topics by how difficult they are and how much they separate the systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank._support.wording import number
from truerank.report.charts.style import PAGE, Records, Size, chart, finished, layered
from truerank.report.lettering import in_passing, shortened_middle
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED

if TYPE_CHECKING:
    from truerank.reliability.topics import Topics

NAMED = 18
"""Letters of a name beside its dot."""

PLACES = ((0, 1.1), (0, -1.1), (-1, 0), (1, 0), (0, 2.1), (0, -2.1), (0, 3.1))
"""Where a name may stand from its dot: beside it, or so many lines below it."""


def topics_chart(found: Topics, size: Size = PAGE) -> Any:
    """A dot per topic, by its mean score and its separation; those to read first have their names."""
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
    area = 0.5 * size.font**2
    styles: dict[str, dict[str, Any]] = {
        "rest": {"color": ACCENT, "opacity": 0.6},
        "dead": {"color": MUTED, "filled": False},
        "named": {"color": DOUBT},
    }
    layers = [chart([{"separation": 0.0}]).mark_rule(color=INK, strokeWidth=1).encode(y=y)]
    for kind, style in styles.items():
        mark = chart([one for one in records if one["kind"] == kind])
        layers.append(mark.mark_point(size=area, **style).encode(x=x, y=y, description="about:N"))
    for one, dx, dy in _labels(records, width, height, size):
        text = chart([one]).mark_text(dx=dx, dy=dy, fontSize=0.9 * size.font, color=INK)
        layers.append(text.encode(x=x, y=y, text="name:N"))
    return finished(layered(*layers, width=width, height=height), size)


def _labels(
    records: Records, width: float, height: float, size: Size
) -> list[tuple[dict[str, Any], float, float]]:
    """The named topics, and where each name stands from its dot: the first of a few places that is free."""
    across, up = ([float(one[key]) for one in records] for key in ("mean", "separation"))
    wide, high = width / (max(across) - min(across) or 1), height / (max(up) - min(up) or 1)
    named = [one for one in records if one["kind"] == "named"]
    taken = [(one["mean"] * wide, -one["separation"] * high, 0.5 * size.font) for one in named]
    found = []
    for one, (x, y, _) in zip(named, list(taken), strict=True):
        half = 0.5 * size.text(one["name"], 0.9 * size.font)
        places = [(side * (half + 0.6 * size.font), line * size.font) for side, line in PLACES]

        def free(dx: float, dy: float, x: float = x, y: float = y, half: float = half) -> bool:
            return all(
                abs(x + dx - left) > half + room or abs(y + dy - top) > 0.9 * size.font
                for left, top, room in taken
                if (left, top) != (x, y)
            )

        dx, dy = next((place for place in places if free(*place)), places[0])
        taken.append((x + dx, y + dy, half))
        found.append((one, dx, dy))
    return found


def _records(found: Topics) -> Records:
    first = set(found.read_first)
    return [
        {
            "mean": one.mean,
            "separation": one.separation,
            "kind": "dead" if one.dead else "named" if one.place in first else "rest",
            "name": shortened_middle(in_passing(one.topic), NAMED),
            "about": f"{in_passing(one.topic)}: mean {number(one.mean)}, separation "
            f"{number(one.separation, 3, sign=True)}, item-rest {number(one.item_rest, 2, sign=True)}",
        }
        for one in found.topics
    ]
