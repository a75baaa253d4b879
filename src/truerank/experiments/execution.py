"""Running an experiment: what is missing is computed by an executor and stored, chunk by chunk."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from truerank._support.arguments import either
from truerank._support.files import PathLike, checksum
from truerank._support.imports import CLUSTER, PARQUET, require
from truerank._support.registry import Registry
from truerank._support.resources import Progress, at_most
from truerank._support.seeds import sequence
from truerank.errors import InputError, TruerankError, UnknownNameError
from truerank.experiments import view as _view  # noqa: F401  # how results show themselves
from truerank.experiments.experiment import Experiment, Row, as_text, build, options
from truerank.experiments.store import FORMAT, MANIFEST, Chunk, Manifest, Results, Store
from truerank.experiments.studies import (
    documents,
    intervals,
    judged,
    reorderings,
    sample_size,
    three_systems,
)
from truerank.experiments.workers import Pool, executor_for, limit_blas, pack, rows_of, run_chunk, versions
from truerank.readers.plugins import load

EXPERIMENTS: Registry[Experiment] = Registry(
    "experiment",
    intervals.ESTIMATION,
    intervals.EXPERIMENT,
    sample_size.EXPERIMENT,
    judged.MEASURES,
    judged.POOLS,
    judged.INCOMPLETE,
    judged.PSEUDO_QRELS,
    three_systems.EXPERIMENT,
    reorderings.ALLOWED_RANKS,
    reorderings.RANDOM_RANKINGS,
    documents.EXPERIMENT,
)
"""The experiments by name.

Example:
    >>> from truerank.experiments import EXPERIMENTS
    >>> "estimators" in EXPERIMENTS
    True
"""
register = EXPERIMENTS.register
"""Make an experiment known by its name, to :func:`truerank.experiments.run` and the command line.

Example:
    >>> from truerank.experiments import EXPERIMENTS, register
    >>> register(EXPERIMENTS["estimators"])
    Traceback (most recent call last):
    truerank.errors.InputError: experiment 'estimators' exists already; choose another name
"""

Warn = Callable[[str], None]
PATIENCE = 5.0  # seconds without a result after which the engine asks again how many workers there are


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def run(
    name: str | Experiment,
    sources: Any,
    folder: PathLike,
    *,
    seed: int = 0,
    workers: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    plugins: Sequence[str] = (),
    progress: Progress | None = None,
    warn: Warn = _warn,
    **parameters: Any,
) -> Results:
    """Run an experiment, or what is missing of it, and return its results.

    Started again with the same arguments it goes on where it ended, and comes to the same digits, whatever
    the executor and its workers. Parameters that count trials may grow. Memory does not grow with the trials.
    A damaged file of rows is removed and computed again. In a folder of anything else nothing is touched.
    With several local workers, a script must call this under ``if __name__ == "__main__":``.

    Args:
        name: the experiment, or its name.
        sources: what it runs on; for the papers' simulations a score table, a path, a list of them or
            a mapping from names to them.
        folder: of its results; a new or empty one, or that of the same run.
        seed: of everything random.
        workers: local processes; all cores by default, 1 for this process alone.
        dask: ``tcp://HOST:PORT`` of a scheduler, or ``local``.
        executor: any other executor, used as it is.
        plugins: modules or files of the user's own estimators, experiments …; sent to the workers by value.
        progress: called with (tasks done, tasks in all, label).
        warn: called with a sentence about each damaged file; :func:`warnings.warn` by default.
        parameters: of the experiment, by the names of its dataclass.

    Returns:
        What is in the folder now: ``frame()`` has the rows, all tasks' of this run.

    Raises:
        UnknownNameError: an unknown experiment or parameter.
        InputError: data or parameters that cannot be used, a folder of another run or with other things
            in it, or a file that cannot be written.
        TruerankError: a worker died.
        MissingPackagesError: what an experiment writes with is not installed.

    Example:
        >>> import tempfile
        >>> options = {"trials": 2, "topics": 10, "estimators": "ml", "workers": 1}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = run("estimators", "web2010-ap", f"{folder}/results", **options)
        ...     columns = list(found.frame().columns)
        >>> found.done, columns[:5]
        (2, ['trial', 'data', 'topics', 'estimator', 'coefficient'])
    """
    require(PARQUET, "experiments")
    if dask is not None:
        require(CLUSTER)
    sequence(seed)
    store = _store(folder)
    codes = load(plugins)
    chosen = EXPERIMENTS.find(name)
    values = build(chosen.parameters, parameters)
    data = chosen.load(sources, values)
    grid = chosen.grid(values, tuple(data))
    manifest = _manifest(chosen, values, data, seed, codes)
    with store.lock():
        finished, damaged = store.look(manifest["run"])
        known = store.manifest()
        if known is not None and any(store.rows.glob("[0-9]*")):
            _refuse_other(store, chosen, known, manifest)
        if known != manifest:
            store.write_manifest(manifest)
        for path in damaged:
            path.unlink()
            warn(f"{path}: damaged (its checksum does not match); removed, what it held is computed again")
        missing = [chunk for chunk in _chunks(len(grid), chosen.chunk) if chunk not in finished]
        done = len(grid) - sum(stop - start for start, stop in missing)
        tell = progress or (lambda done, total, label: None)
        tell(done, len(grid), chosen.name)
        if missing:
            with limit_blas(), at_most(1):  # also while models are fitted and tasks run in this process
                context = chosen.prepare(values, data, seed)
                packed = pack(partial(rows_of, chosen.name, chosen.work, context, grid, seed))
                with executor_for(workers, dask, executor, len(missing)) as pool:
                    for chunk, tables in _computed(pool, packed, missing):
                        store.write(chunk, tables, manifest["run"])
                        done += chunk[1] - chunk[0]
                        tell(done, len(grid), chosen.name)
    return _results(store, chosen, warn)


def _store(folder: PathLike) -> Store:
    if not str(folder):
        raise InputError("the folder of an experiment has no name; name one ('.' is the current folder)")
    return Store(Path(folder))


def _chunks(tasks: int, size: int) -> list[Chunk]:
    return [(start, min(start + size, tasks)) for start in range(0, tasks, size)]


def _computed(
    pool: Pool, packed: bytes, missing: Sequence[Chunk]
) -> Iterator[tuple[Chunk, dict[str, list[Row]]]]:
    """The missing chunks with their rows, as they are ready; memory stays flat."""
    executor, ahead = pool
    waiting = iter(missing)
    under_way: dict[Future[dict[str, list[Row]]], Chunk] = {}
    try:
        while True:
            for chunk in islice(waiting, max(0, ahead() - len(under_way))):
                under_way[executor.submit(run_chunk, packed, chunk)] = chunk
            if not under_way:
                return
            for future in wait(under_way, PATIENCE, FIRST_COMPLETED).done:
                yield under_way.pop(future), future.result()
    finally:
        for future in under_way:
            future.cancel()


def show(folder: PathLike, plugins: Sequence[str] = (), warn: Warn = _warn) -> Results:
    """The results that a folder holds now, also while they are computed.

    What is damaged, or belongs to another run, is named and left out: the results are then those so far.

    Args:
        folder: of the run.
        plugins: as in :func:`run`.
        warn: called with a sentence about each file left out; :func:`warnings.warn` by default.

    Returns:
        As :func:`run`; ``done`` of ``total`` tasks are in it.

    Raises:
        InputError: no experiment was run in that folder, its manifest is damaged, or a plug-in is missing
            or has changed.
        UnknownNameError: one that is not known here; name its plugin.
        MissingPackagesError: what rows are read with is not installed.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     try:
        ...         show(folder)
        ...     except InputError as error:
        ...         "no experiment here" in str(error)
        True
    """
    require(PARQUET, "experiments")
    codes = load(plugins)
    store = _store(folder)
    manifest = store.manifest()
    if manifest is None:
        if papers := sorted(Path(folder).glob("runs/*/manifest.json")):
            shown = " or ".join(str(one.parent) for one in papers)
            raise InputError(f"{folder}: a paper's folder; open {folder}/index.html, or show {shown}")
        raise InputError(
            f"{folder}: no experiment here; `truerank experiment run NAME … -o {folder}` makes one"
        )
    used: Mapping[str, str] = manifest.get("plugins", {})
    for name in used.keys() & codes.keys():
        if codes[name] != used[name]:
            raise InputError(f"{folder}: the plug-in {name!r} has changed since this run; give the old one")
    try:
        return _results(store, EXPERIMENTS.find(manifest["experiment"]), warn)
    except UnknownNameError as error:
        missing = [name for name in used if name not in codes]
        if not missing:
            place = str(store.folder / MANIFEST)
            raise error if str(error).startswith(place) else UnknownNameError(f"{place}: {error}") from None
        named = either(f"plugins=['{missing[0]}.py']", f"--plugin {missing[0]}.py")
        raise InputError(f"{folder}: this run used the plug-in {missing[0]!r}; name it: {named}") from error


def _results(store: Store, chosen: Experiment, warn: Warn) -> Results:
    manifest = store.manifest()
    assert manifest is not None
    try:
        values = build(chosen.parameters, manifest["parameters"])
        total = len(chosen.grid(values, tuple(item["name"] for item in manifest["data"])))
    except TruerankError as error:
        raise type(error)(f"{store.folder / MANIFEST}: {error}") from None
    stored, damaged = store.look(manifest["run"])
    for path in damaged:
        warn(
            f"{path}: damaged (its checksum does not match), left out; the command that ran here computes it "
            "anew"
        )
    finished = {c: stored[c] for c in _chunks(total, manifest["chunk"]) if c in stored}
    done = sum(stop - start for start, stop in finished)
    return Results(values, manifest, finished, done, total, store, chosen)


def _manifest(
    chosen: Experiment, values: Any, data: Mapping[str, Any], seed: int, codes: Mapping[str, str]
) -> Manifest:
    """What the run is; "run" is a digest of all that determines its rows, without the number of trials."""
    data_kept = []
    for name, item in data.items():
        source, notes = getattr(item, "source", None), getattr(item, "warnings", ())
        kept = {"name": name, "fingerprint": item.fingerprint()}
        kept |= {"source": None if source is None else Path(source).name}
        data_kept.append(kept | ({"notes": list(notes)} if notes else {}))
    described = dataclasses.asdict(values)
    manifest = {
        "format": FORMAT,
        "experiment": chosen.name,
        "parameters": {k: list(v) if isinstance(v, tuple) else v for k, v in described.items()},
        "seed": seed,
        "chunk": chosen.chunk,
        "data": data_kept,
        "versions": versions(),
        "plugins": dict(codes),
    }
    grows = _growing(chosen)
    determined = {what: value for what, value in _determined(manifest).items() if what not in grows}
    return manifest | {"run": checksum(determined).removeprefix("sha256:")[:12]}


def _growing(chosen: Experiment) -> set[str]:
    return {name.replace("_", "-") for name, item in options(chosen.parameters).items() if item.get("grows")}


def _determined(manifest: Manifest) -> dict[str, Any]:
    """All that the digits of a run depend on, by the words for it."""
    return {
        "the experiment": manifest["experiment"],
        **{name.replace("_", "-"): value for name, value in manifest["parameters"].items()},
        "seed": manifest["seed"],
        "chunks of": manifest["chunk"],
        "the data": [item["name"] for item in manifest["data"]],
        **{f"other scores under the name {one['name']!r}:": one["fingerprint"] for one in manifest["data"]},
        **{f"{name} version": number for name, number in manifest["versions"].items()},
        **{f"{name} code": digest for name, digest in manifest["plugins"].items()},
    }


def _refuse_other(store: Store, chosen: Experiment, known: Manifest, wanted: Manifest) -> None:
    """Refuse to mix two runs in one folder: all that can change digits is equal, trials are no fewer."""
    grows = _growing(chosen)
    before, now = _determined(known), _determined(wanted)
    for what in {**before, **now}:
        old, new = before.get(what), now.get(what)
        if old != new and not (what in grows and old is not None and new > old):
            remedy = "choose another folder, or repeat the command that made it"
            if what.endswith((" version", " code")):
                remedy = "digits could differ; choose another folder"
            raise InputError(
                f"{store.folder}: this folder holds a run with {what} {_shown(old)}, not {_shown(new)}; "
                f"{remedy}"
            )


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    text = as_text(tuple(value) if isinstance(value, list) else value)
    text = text[:12] if len(text) == 64 else text or "none"
    return text if text.isprintable() else repr(text)
