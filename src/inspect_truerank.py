"""The extension of inspect_ai: after an evaluation, what its scores are worth beside earlier logs.

It stands beside the package, so that inspect_ai imports nothing of truerank before a run has ended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from inspect_ai.hooks import Hooks, RunEnd, hooks

FOLDER = "truerank"
"""The folder of the pages, beside the logs."""


@hooks(name="truerank", description="Prints what the scores are worth beside earlier logs of the same task.")
class TruerankHooks(Hooks):  # type: ignore[misc]
    """Compares the models of a task when a run ends; `TRUERANK_INSPECT=off` turns it off."""

    def enabled(self) -> bool:
        """Whether it is wanted."""
        return os.environ.get("TRUERANK_INSPECT", "") != "off"

    async def on_run_end(self, data: RunEnd) -> None:
        """Print an answer for each task of the run, and write its page."""
        from truerank.errors import TruerankError

        for log in {log.eval.task: log for log in data.logs if log.status == "success"}.values():
            try:
                lines = list(_answer(log))
            except TruerankError as error:
                lines = [str(error)]
            print("\n".join([f"\ntruerank, {log.eval.task}:", *(f"  {line}" for line in lines)]), flush=True)


def _answer(log: Any) -> Iterator[str]:
    """The answer on a task, in lines: a gate of two models, an assessment of more."""
    import truerank
    from truerank._support.files import safe_name
    from truerank._support.outputs import write_folder
    from truerank.errors import MissingPackagesError

    place = _path(log.location)
    if place is None:
        return
    logs = _newest(place.parent, log.eval.task)
    if len(logs) < 2:
        yield f"1 model so far ({log.eval.model}); evaluate another in the same log folder to compare them."
        return
    scorers = [one.name for one in log.results.scores] if log.results else []
    table = truerank.read_scores(
        [str(path) for path in logs.values()], scorers[0] if len(set(scorers)) > 1 else None
    )
    if table.m == 2:
        candidate = log.eval.model
        baseline = next(name for name in table.systems if name != candidate)
        found: Any = truerank.gate(table, baseline, candidate)
    else:
        found = truerank.assess(table)
    yield from found.summary().splitlines()
    try:
        pages = {f"{safe_name(log.eval.task)}.html": found.to_html()}
        yield f"Page: {write_folder(place.parent / FOLDER, pages, overwrite=True)[0]}"
    except MissingPackagesError as error:
        yield str(error)


def _newest(folder: Path, task: str) -> dict[str, Path]:
    """The newest successful log of each model on a task, by model."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    found: dict[str, tuple[str, Path]] = {}
    for info in list_eval_logs(str(folder), recursive=False):
        header = read_eval_log(info, header_only=True)
        path = _path(info.name)
        if path is not None and header.eval.task == task and header.status == "success":
            known = found.get(header.eval.model)
            if known is None or known[0] < header.eval.created:
                found[header.eval.model] = (header.eval.created, path)
    return {model: path for model, (_, path) in sorted(found.items(), key=_created)}


def _created(one: tuple[str, Sequence[Any]]) -> Any:
    return one[1][0]


def _path(location: str) -> Path | None:
    """A log on this machine; None for one elsewhere."""
    parts = urlparse(location)
    if parts.scheme not in ("", "file") and len(parts.scheme) > 1:  # of one letter it is a drive of Windows
        return None
    return Path(unquote(parts.path) if parts.scheme == "file" else location)
