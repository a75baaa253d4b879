"""Running an experiment: what is missing is computed by an executor and stored, chunk by chunk."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any

from truerank._support.files import PathLike
from truerank._support.seeds import sequence
from truerank._support.threads import at_most
from truerank._support.types import Progress
from truerank.errors import InputError
from truerank.experiments.engine import parameters as parameter
from truerank.experiments.engine import plugins as plugin
from truerank.experiments.engine.executors import executor_for
from truerank.experiments.engine.experiment import Experiment, Summary
from truerank.experiments.engine.run_results import Results
from truerank.experiments.engine.store import FORMAT, Chunk, Manifest, Store, chunks
from truerank.experiments.engine.worker import Job, limit_blas, pack, run_chunk
from truerank.experiments.experiment_registry import EXPERIMENTS

PACKAGES = ("truerank", "numpy", "scipy", "pyvinecopulib")
"""Whose versions can change digits."""

WAITING = 2
"""Chunks handed out per worker, so that none waits and memory stays flat."""


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
    **parameters: Any,
) -> Results:
    """Run an experiment, or what is missing of it, and return its results.

    Started again with the same arguments it goes on where it ended, however it ended, and comes to
    the same digits. Digits do not depend on executor or workers. Parameters that count trials may
    grow. At most two chunks a worker are under way, so memory does not grow with the trials.

    With several local workers, a script must call this under ``if __name__ == "__main__":``.

    Args:
        name: the experiment, or its name.
        sources: what it runs on; for the papers' simulations a score table, a path, a list of them or
            a mapping from names to them.
        folder: of its results; made where there is none.
        seed: of everything random.
        workers: local processes; all cores by default, 1 for this process alone.
        dask: ``tcp://HOST:PORT`` of a scheduler, or ``local``.
        executor: any other executor, used as it is.
        plugins: modules or Python files of the user's own estimators, coefficients, simulators and
            experiments; imported here, sent to the workers by value.
        progress: called with (tasks done, tasks in all, label).
        parameters: of the experiment, by the names of its dataclass.

    Raises:
        UnknownNameError: an unknown experiment or parameter.
        InputError: data or parameters that cannot be used, or a folder of another run.
        TruerankError: a worker died.
    """
    sequence(seed)
    codes = plugin.load(plugins)
    chosen = EXPERIMENTS.find(name)
    values = parameter.build(chosen.parameters, parameters)
    data = chosen.load(sources, values)
    grid = chosen.grid(values, tuple(data))
    manifest = _manifest(chosen, values, data, seed, codes)
    store = Store.at(folder)
    with store.lock():
        known = store.manifest()
        if known is not None and store.started():
            _refuse_other(store, chosen, known, manifest)
        if known != manifest:
            store.write_manifest(manifest)
        missing, done = [], 0
        for chunk in chunks(len(grid), chosen.chunk):
            if store.has(chunk):
                done += chunk[1] - chunk[0]
            else:
                missing.append(chunk)
        if progress:
            progress(done, len(grid), chosen.name)
        if missing:
            with _pinned():
                context = chosen.prepare(values, data, seed)
                packed = pack(Job(chosen.name, chosen.work, context, grid, seed))
                for chunk in _compute(packed, missing, store, executor, workers, dask):
                    done += chunk[1] - chunk[0]
                    if progress:
                        progress(done, len(grid), chosen.name)
    return results(store, chosen)


@contextmanager
def _pinned() -> Iterator[None]:
    """One thread while models are fitted and tasks run in this process."""
    limits = limit_blas()
    try:
        with at_most(1):
            yield
    finally:
        limits.restore_original_limits()


def _compute(
    packed: bytes,
    missing: Sequence[Chunk],
    store: Store,
    executor: Executor | None,
    workers: int | None,
    dask: str | None,
) -> Iterator[Chunk]:
    """Compute and store the missing chunks; yields each as it is stored."""
    if executor is not None:
        yield from _through(executor, 4, packed, missing, store)
        return
    if workers is not None and dask is None:
        workers = max(1, min(workers, len(missing))) if workers > 0 else workers
    with executor_for(workers, dask) as (made, slots):
        yield from _through(made, slots, packed, missing, store)


def _through(
    executor: Executor, slots: int, packed: bytes, missing: Sequence[Chunk], store: Store
) -> Iterator[Chunk]:
    ahead = WAITING * slots if slots > 1 else 1
    queue = iter(missing)
    under_way: dict[Future[Any], Chunk] = {}
    try:
        while True:
            for chunk in islice(queue, ahead - len(under_way)):
                under_way[executor.submit(run_chunk, packed, chunk)] = chunk
            if not under_way:
                return
            finished, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                chunk = under_way.pop(future)
                tables, seconds = future.result()
                store.write(chunk, tables, seconds)
                yield chunk
    finally:
        for future in under_way:
            future.cancel()


def show(folder: PathLike, plugins: Sequence[str] = ()) -> Results:
    """The results that a folder holds now, also while they are computed.

    Raises:
        InputError: no experiment was run in that folder.
        UnknownNameError: one that is not known here; name its plugin.
    """
    plugin.load(plugins)
    store = Store.at(folder)
    manifest = store.manifest()
    if manifest is None:
        raise InputError(
            f"{folder}: no experiment here; `truerank experiment run NAME … -o {folder}` makes one"
        )
    return results(store, EXPERIMENTS.find(manifest["experiment"]))


def results(store: Store, chosen: Experiment) -> Results:
    """What a store holds of its experiment."""
    manifest = store.manifest()
    assert manifest is not None
    values = parameter.build(chosen.parameters, manifest["parameters"])
    total = len(chosen.grid(values, tuple(entry["name"] for entry in manifest["data"])))
    finished = tuple(chunk for chunk in chunks(total, manifest["chunk"]) if store.has(chunk))
    done = sum(stop - start for start, stop in finished)
    return Results(values, manifest, finished, done, total, store)


def damaged(found: Results) -> list[str]:
    """Files of rows that are there but cannot be read; running again computes them anew."""
    pieces = chunks(found.total, found.manifest["chunk"])
    return [path for chunk in pieces if (path := found.store.damaged(chunk)) is not None]


def summary(found: Results) -> Summary:
    """Tables and figures of the results so far; no tables where nothing is finished."""
    return EXPERIMENTS.find(found.manifest["experiment"]).summarise(found) if found.done else Summary(())


def _manifest(
    chosen: Experiment, values: Any, data: Mapping[str, Any], seed: int, codes: Mapping[str, str]
) -> Manifest:
    described = dataclasses.asdict(values)
    return {
        "format": FORMAT,
        "experiment": chosen.name,
        "parameters": {k: list(v) if isinstance(v, tuple) else v for k, v in described.items()},
        "seed": seed,
        "chunk": chosen.chunk,
        "data": [
            {"name": name, "fingerprint": one.fingerprint(), "source": _source(one)}
            for name, one in data.items()
        ],
        "versions": {"python": platform.python_version(), **_versions()},
        "plugins": dict(codes),
    }


def _source(one: Any) -> str | None:
    source = getattr(one, "source", None)
    return None if source is None else Path(source).name


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _refuse_other(store: Store, chosen: Experiment, known: Manifest, wanted: Manifest) -> None:
    """Refuse to mix two runs in one folder.

    Raises:
        InputError: anything that can change digits is different, or a count of trials is smaller.
    """

    def refuse(what: str, before: Any, now: Any, remedy: str = "") -> None:
        raise InputError(
            f"{store.folder}: this folder holds a run with {what} {before}, not {now}; "
            + (remedy or "choose another folder, or repeat the command that made it")
        )

    if known["experiment"] != wanted["experiment"]:
        refuse("the experiment", known["experiment"], wanted["experiment"])
    grows = parameter.growing(chosen.parameters)
    before, now = known["parameters"], wanted["parameters"]
    for name in dict.fromkeys([*before, *now]):
        old, new = before.get(name), now.get(name)
        if name in grows and isinstance(old, int) and isinstance(new, int) and new > old:
            continue
        if old != new:
            refuse(name.replace("_", "-"), _shown(old), _shown(new))
    if known["seed"] != wanted["seed"]:
        refuse("seed", known["seed"], wanted["seed"])
    if known["chunk"] != wanted["chunk"]:
        refuse("chunks of", known["chunk"], wanted["chunk"])
    data_before, data_now = ({one["name"]: one["fingerprint"] for one in m["data"]} for m in (known, wanted))
    if list(data_before) != list(data_now):
        refuse("the data", _shown(list(data_before)), _shown(list(data_now)))
    for name, fingerprint in data_now.items():
        if data_before[name] != fingerprint:
            refuse(f"other scores under the name {name!r}:", data_before[name][:12], fingerprint[:12])
    for kind in ("versions", "plugins"):
        for name in dict.fromkeys([*known[kind], *wanted[kind]]):
            old, new = known[kind].get(name), wanted[kind].get(name)
            if old != new:
                what = f"{name} {'code' if kind == 'plugins' else 'version'}"
                refuse(
                    what,
                    _shown(old and old[:12]),
                    _shown(new and new[:12]),
                    "digits could differ; choose another folder",
                )


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
