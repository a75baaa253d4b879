"""The rows of a run as they are now, read a chunk at a time so that memory stays flat."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.display import Shown
from truerank._support.plain import plain
from truerank._support.registry import Entry, explained
from truerank.experiments.experiment import SOLE_TABLE, Experiment, Summary
from truerank.experiments.store import Chunk, Manifest, Store

if TYPE_CHECKING:
    from pandas import DataFrame


def named(pattern: str, name: object) -> bool:
    """Whether a name ends in the words of a pattern, as ``ap`` in ``web2010_ap``."""
    return re.search(rf"(^|[^a-z0-9])({pattern or '.*'})$", str(name).lower()) is not None


@dataclass(frozen=True)
class Results(Shown):
    """What a run has stored so far: `done` of `total` tasks, in the files of finished chunks."""

    parameters: Any
    manifest: Manifest
    finished: Mapping[Chunk, Path]
    done: int
    total: int
    store: Store = field(repr=False)
    experiment: Experiment = field(repr=False)
    only: str = ""  # a pattern: the results are of the data whose names end in its words

    @property
    def data(self) -> tuple[str, ...]:
        names = (entry["name"] for entry in self.manifest["data"])
        return tuple(name for name in names if named(self.only, name))

    @cached_property
    def findings(self) -> Summary:
        """Tables, figures and notes of the results so far; no tables where nothing is finished."""
        return self.experiment.summarize(self) if self.done else Summary(())

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of the results: what is left out of the data, then the notes of the summary."""
        data = [f"{item['name']}: {note}" for item in self.manifest["data"] for note in item.get("notes", ())]
        return (*data, *self.findings.notes)

    @property
    def methods(self) -> Mapping[str, Sequence[Entry]]:
        """What the run compares, by kind (``estimators``, ``coefficients`` …); of a user's own as of any."""
        return self.experiment.methods(self.parameters)

    def to_dict(self) -> dict[str, Any]:
        """The results so far as JSON-ready data; ``None`` for what has no value."""
        rows = {
            item.name: [dict(zip(item.keys, row, strict=True)) for row in item.values()]
            for item in self.findings.tables
        }
        result: dict[str, Any] = {
            kind: {item.name: explained(item) for item in things} for kind, things in self.methods.items()
        }
        result |= {key: self.manifest[key] for key in ("experiment", "parameters", "seed", "data")}
        result |= {"notes": list(self.notes), "versions": self.manifest["versions"]}
        result |= {"done": self.done, "total": self.total}
        return plain(result | {"tables": rows})

    def frames(self, table: str = SOLE_TABLE) -> Iterator[DataFrame]:
        """One frame of rows a chunk that has any, in order of the tasks."""
        for path in self.finished.values():
            frame = self.store.read(path, table)
            if self.only:
                frame = frame[[named(self.only, name) for name in frame["data"]]]
            if len(frame):
                yield frame

    def frame(self, table: str = SOLE_TABLE) -> DataFrame:
        """All rows of a table at once, for experiments with few; raises as :meth:`frames`."""
        import pandas as pd

        frames = list(self.frames(table))
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def moments(
        self,
        by: Sequence[str],
        values: Sequence[str],
        derive: Callable[[DataFrame], DataFrame] = lambda frame: frame,
        table: str = SOLE_TABLE,
    ) -> DataFrame:
        """``V_count``, ``V_mean``, ``V_sd`` (n − 1) and ``V_se``, its standard error, of columns V by groups.

        It takes memory for one chunk at a time. Rows are in order of appearance; NaN counts nowhere.
        """
        import pandas as pd

        total: Any = None
        for rows in map(derive, self.frames(table)):
            numbers = rows[list(values)].astype(float)
            parts = [numbers.notna().astype(float), numbers.fillna(0.0), (numbers**2).fillna(0.0)]
            wide = pd.concat(parts, axis=1, keys=["count", "sum", "squares"])
            sums = wide.groupby([rows[key] for key in by], sort=False, dropna=False).sum()
            if total is not None:
                sums = total.add(sums, fill_value=0.0).reindex(total.index.union(sums.index, sort=False))
            total = sums
        if total is None:
            moments = [f"{value}_{what}" for value in values for what in ("count", "mean", "sd", "se")]
            return pd.DataFrame(columns=[*by, *moments])
        count, sums = total["count"], total["sum"]
        mean = sums / count.where(count > 0)
        variance = (total["squares"] - count * mean**2).clip(lower=0.0) / (count - 1).where(count > 1)
        found = {
            "count": count.astype(int),
            "mean": mean,
            "sd": variance**0.5,
            "se": (variance / count) ** 0.5,
        }
        columns = {f"{value}_{what}": found[what][value] for value in values for what in found}
        return pd.DataFrame(columns).reset_index()
