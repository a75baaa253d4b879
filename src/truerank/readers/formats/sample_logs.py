"""EvalPlus, and BigCodeBench after it: a file per model, with what came of each of its samples."""

from __future__ import annotations

import re
from collections.abc import Sequence

from truerank.errors import InputError
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import declared
from truerank.readers.formats.json_text import (
    an_object,
    objects,
    within,
)
from truerank.readers.formats.source import Source
from truerank.readers.names import choose_names_and_data_sets, file_stem
from truerank.readers.options import Options
from truerank.scores import ScoreMatrix

_SUFFIX = re.compile(r"(^|[_.])eval_results$")
_STATUS = {"base": ("base_status",), "plus": ("base_status", "plus_status"), "passed": ("status",)}
"""What has to be "pass" where a measure counts 1: the added tests count with those before."""
_STATUSES = ("pass", "fail", "timeout")


def _is_evalplus(source: Source) -> bool:
    tasks = within(source.document, "eval")
    samples = next(iter(tasks.values()), None) if isinstance(tasks, dict) else None
    return bool(
        isinstance(samples, list)
        and samples
        and isinstance(samples[0], dict)
        and samples[0].keys() & {"base_status", "status"}
    )


def _read_evalplus(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    tasks = [an_object(within(one.json, "eval"), f"{one.path}: ", "eval") for one in sources]
    names, data_sets, notes = choose_names_and_data_sets(
        [_SUFFIX.sub("", file_stem(one.path)) or one.folder_name for one in sources],
        [one.path for one in sources],
        tasks,
    )
    scores = Collected(sources[0].given, repeats="runs")
    scores.note(*notes)
    for source, name, data_set, found in zip(sources, names, data_sets, tasks, strict=True):
        where = f"{source.path}: "
        for task, samples in found.items():
            for sample in objects(samples, where, task, "a sample"):
                for measure, keys in _STATUS.items():
                    status = [sample.get(key) for key in keys]
                    if None not in status:
                        if strange := [one for one in status if one not in _STATUSES]:
                            raise InputError(
                                f"{where}{task}: {strange[0]!r} is not a status; evaluate again with a "
                                f"version that writes {', '.join(_STATUSES)}"
                            )
                        passed = float(all(one == "pass" for one in status))
                        scores.add(name, task, passed, measure, data_set=data_set, source=source.path)
        source.forget()
    return scores.table(options)


EVALPLUS = declared("evalplus", recognizes=_is_evalplus, read=_read_evalplus)
