"""Altair's charts, composed at a fraction of the cost.

Altair copies every layer deeply, several times at every step, with a hundred unset properties each. And to
learn which channel ``y2="high:Q"`` is it hashes its whole schema. That took half of the time of a large page.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any


@cache
def kinds() -> SimpleNamespace:
    """`Chart`, `LayerChart`, `HConcatChart` and `VConcatChart`; Altair is imported with the first of them.

    Nothing changes the parts of a chart once they are in it, so a copy may share them.
    """
    import altair as alt

    class Shared:
        _args: tuple[Any, ...]
        _kwds: dict[str, Any]

        def __deepcopy__(self, _: Any) -> Any:
            made = object.__new__(type(self))
            object.__setattr__(made, "_args", self._args)
            object.__setattr__(made, "_kwds", dict(self._kwds))
            return made

        def _repr_mimebundle_(self: Any, *_: Any, **__: Any) -> dict[str, str]:
            """What a notebook shows: a picture that needs no network, where Altair's own fetches scripts."""
            from truerank.report.render import svg

            return {"image/svg+xml": svg(self)}

    class Chart(Shared, alt.Chart):
        def encode(self, *channels: Any, **named: Any) -> Any:
            """As Altair's; a channel is known by its name."""
            made = {
                name: getattr(alt, name[0].upper() + name[1:])(given) if isinstance(given, str) else given
                for name, given in named.items()
            }
            return super().encode(*channels, **made)

    class LayerChart(Shared, alt.LayerChart):
        pass

    class HConcatChart(Shared, alt.HConcatChart):
        pass

    class VConcatChart(Shared, alt.VConcatChart):
        pass

    return SimpleNamespace(
        Chart=Chart, LayerChart=LayerChart, HConcatChart=HConcatChart, VConcatChart=VConcatChart
    )
