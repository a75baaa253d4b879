"""Agents on tasks: terminal-bench, Harbor (its successor), and SWE-bench's lists of resolved ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truerank._support.files import read_text
from truerank._support.notes import Note
from truerank._support.wording import count, few
from truerank.errors import InputError
from truerank.readers.formats.adapter import Adapter, Files, Remark, Row
from truerank.readers.formats.source import Source, a_name, has_keys, parse_json, text_within, within
from truerank.readers.names import refuse_second_file
from truerank.readers.roles import TOPIC, TOPIC_FIRST, find

_METADATA = "run_metadata.json"


# ── terminal-bench: results.json of a run, which has all its trials, and one of each trial ────────────


def _is_terminal_bench(document: Any) -> bool:
    """Whether a document has the results of a run of terminal-bench, or of one of its trials."""
    results = within(document, "results")
    first = results[0] if isinstance(results, list) and results else document
    return has_keys(first, "task_id", "trial_name", "is_resolved")


def _rows_of_runs(sources: Files) -> Iterator[Row | Remark]:
    files = [one for one in sources if _is_terminal_bench(one.document)]
    whole = {Path(one.path).resolve().parent for one in files if "results" in one.json}
    # A trial has a file of its own, which is read where its run has none.
    files = [
        one for one in files if "results" in one.json or whole.isdisjoint(Path(one.path).resolve().parents)
    ]
    runs = [_run(source) for source in files]
    folders: dict[str, set[Path]] = {}
    for name, folder, _ in runs:
        folders.setdefault(name, set()).add(folder)
    several = len({data_set for *_, data_set in runs if data_set}) > 1
    seen: dict[str, str] = {}
    failed = 0
    for source, (name, folder, data_set) in zip(files, runs, strict=True):
        sources.current = source
        if (other := seen.setdefault(str(within(source.json, "id")), source.path)) != source.path:
            raise InputError(
                f"{source.path}: the results of a run that was read, as in {other}; keep one of the two"
            )
        system = folder.name if len(folders[name]) > 1 else name
        for trial in source.json.get("results", [source.json]):
            failed += trial.get("is_resolved") is None
            score = trial.get("is_resolved") or False
            yield Row(system, trial["task_id"], score, "resolved", data_set if several else "")
        source.forget()
    yield from _failed(failed)


def _run(source: Source) -> tuple[str, Path, str]:
    """System, folder of its runs and data set of a run, by the file beside its results, or by the folder."""
    path = Path(source.path).resolve()
    run = path.parent if "results" in source.json else path.parents[2]
    metadata = run / _METADATA
    about = parse_json(read_text(metadata), str(metadata)) if metadata.is_file() else None
    agent, model = text_within(about, "agent_name"), text_within(about, "model_name")
    data_set = " ".join(filter(None, (text_within(about, f"dataset_{part}") for part in ("name", "version"))))
    return _system_trials(agent, model) if agent else run.parent.name, run.parent, data_set


def _system_trials(agent: str, model: str) -> str:
    return f"{agent} ({model})" if model else agent


def _failed(number: int) -> Iterator[Remark]:
    if number:
        yield Remark(Note("counted-as-zero", {"case": "trials", "number": number}))


# ── Harbor: result.json of each trial, beside that of the job ─────────────────────────────────────────


def _is_trial(document: Any) -> bool:
    return has_keys(document, "task_name", "trial_name", "agent_info")


def _is_job(document: Any) -> bool:
    return has_keys(document, "n_total_trials", "stats")


def _trials(source: Source) -> list[dict[str, Any]]:
    """The trials in a file."""
    document = source.document
    if _is_trial(document):
        return [document]
    return list(document.get("trial_results") or []) if _is_job(document) else []


def _rewards(trial: Any) -> dict[str, Any]:
    return within(trial, "verifier_result", "rewards") or {}


def _rows_of_trials(files: Files) -> Iterator[Row | Remark]:
    trials: dict[str, tuple[Source, dict[str, Any]]] = {}
    for source in files:
        for trial in _trials(source):
            trials.setdefault(str(within(trial, "id")), (source, trial))
        source.forget()
    rewards = [_rewards(trial) for _, trial in trials.values()]
    names = list(dict.fromkeys(name for each in rewards for name in each)) or ["reward"]
    for source, trial in trials.values():
        files.current = source
        agent, model = trial["agent_info"]["name"], text_within(trial, "agent_info", "model_info", "name")
        for name in names:
            reward, data_set = _rewards(trial).get(name, 0), text_within(trial, "source")
            yield Row(_system_trials(agent, model), trial["task_name"], reward, name, data_set)
    yield from _failed(sum(not each for each in rewards))


TERMINAL_BENCH = Adapter(
    name="terminal_bench",
    label="the results of terminal-bench",
    explanation="results.json of each run: agents with their models are systems, tasks questions, "
    "attempts and runs are runs. The name of a system is in run_metadata.json, or is that "
    "of the folder of its runs.",
    together=_rows_of_runs,
    recognizes=lambda source: _is_terminal_bench(source.document),
    files=("results.json",),
    repeats="runs",
)

HARBOR = Adapter(
    name="harbor",
    label="the results of Harbor",
    explanation="The folder of one or several jobs, with a result.json per trial: agents with their "
    "models are systems, tasks questions, and attempts runs. Rewards are measures.",
    together=_rows_of_trials,
    recognizes=lambda source: _is_trial(source.document) or _is_job(source.document),
    files=("result.json",),
    repeats="runs",
)

# SWE-bench: lists of resolved ids, as its harness and its archive of submissions have them

_SOLVED = ("resolved_ids", "resolved")
_GENERIC = ("results", "report", "final_report", "eval", "evaluation", "logs")
"""What files and folders are called, whichever system they are of."""


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_map(document: Any) -> bool:
    """Whether a document is instance → outcome, each with a truth value `resolved`."""
    return (
        isinstance(document, dict)
        and bool(document)
        and all(isinstance(one, dict) and isinstance(one.get("resolved"), bool) for one in document.values())
    )


def _has_ids(source: Source) -> bool:
    document = source.document
    if _is_terminal_bench(document):  # which lists resolved ids, too
        return False
    return any(_is_list(within(document, key)) for key in _SOLVED) or _is_map(document)


@dataclass
class _Report:
    """What files say of a system: resolved ids, all tried, those not tried, and whether this is all."""

    path: str
    solved: dict[str, None] = field(default_factory=dict)
    tried: dict[str, None] = field(default_factory=dict)
    untried: dict[str, None] = field(default_factory=dict)
    whole: bool = True

    def add(self, document: dict[str, Any]) -> None:
        """Take in what one file says."""
        if _is_map(document):
            self.tried |= dict.fromkeys(document)
            self.solved |= dict.fromkeys(name for name, found in document.items() if found["resolved"])
            return
        lists = {name: dict.fromkeys(of) for name, of in document.items() if _is_list(of)}
        untried = lists.pop("incomplete_ids", {})
        solved = next(lists[key] for key in _SOLVED if key in lists)
        tried = {**solved, **{name: None for of in lists.values() for name in of}}
        self.whole &= document.get("total_instances") == len({**tried, **untried})
        self.solved, self.tried = self.solved | solved, self.tried | tried
        self.untried = {name: None for name in {**self.untried, **untried} if name not in self.tried}


def _rows_of_ids(sources: Files) -> Iterator[Row | Remark]:
    roots = [Path(source.given).resolve() for source in sources if source.given != source.path]
    reports: dict[str, _Report] = {}
    seen: dict[tuple[str, str], str] = {}
    for source in _lists(sources):
        folder = Path(source.path).resolve().parent
        if _is_map(source.json) and list(source.json) == [folder.name]:  # MODEL/INSTANCE/report.json
            name = folder.parent.name
        else:
            name = _system_of_file(source, roots)
            refuse_second_file(seen, (name, ""), source.path, "swe_bench")
        reports.setdefault(name, _Report(source.path)).add(source.json)
        source.forget()
    topics = dict.fromkeys(one for report in reports.values() for one in report.tried)
    if path := sources.options.topics:
        topics = dict.fromkeys(_topics(str(path)))
        for name, report in reports.items():
            report.untried = {}
            if stranger := next((one for one in report.solved if one not in topics), None):
                raise InputError(
                    f"{path}: {stranger!r}, which {name!r} resolved, is not among the topics; give "
                    "the file of the same set"
                )
    elif not all(report.whole for report in reports.values()):
        yield Remark(Note("scores-missing", {"case": "unlisted", "number": len(topics)}))
    if left := {one for report in reports.values() for one in report.untried if one not in topics}:
        yield Remark(Note("topics-left-out", {"case": "untried", "number": len(left)}))
    if gaps := [name for name, report in reports.items() if report.untried.keys() & topics.keys()]:
        yield Remark(Note("scores-missing", {"case": "untried", "names": gaps}))
    for name, report in reports.items():
        for topic in topics:
            unknown = topic in report.untried and topic not in report.solved
            value = None if unknown else float(topic in report.solved)
            yield Row(name, topic, value, "resolved", source=report.path)


def _lists(sources: Sequence[Source]) -> list[Source]:
    """The files that are of this format; of a folder of submissions each `results.json`, and not its logs."""
    found = []
    for given in dict.fromkeys(source.given for source in sources):
        files = [source for source in sources if source.given == given and _has_ids(source)]
        found += [one for one in files if Path(one.path).name == "results.json"] or files
    return found


def _system_of_file(source: Source, roots: Sequence[Path]) -> str:
    """What the system of a file is called: like the file, or the nearest folder with its own name."""
    path = Path(source.path).resolve()
    names = [path.name.removesuffix(".json"), *(one.name for one in path.parents if one not in roots)]
    return next((name for name in names if name.casefold() not in _GENERIC), path.parent.name)


def _topics(path: str) -> list[str]:
    """The ids in a file: lines, a column, JSON lines, a list in JSON, or the names of an object."""
    source = Source(path)
    found = source.document
    if isinstance(found, dict):
        lists = [one for one in found.values() if isinstance(one, list)]
        found = lists[0] if len(lists) == len(found) == 1 else list(found)
    elif found is None and (source.looks_like_json or find(source.header, TOPIC, TOPIC_FIRST) is not None):
        found = list(source.records())
    elif found is None:
        found = [line.split(",")[0].strip() for line in source.text.splitlines() if line.strip()]
        found = found[1:] if find(found[:1], TOPIC) is not None else found
    topics = [a_name(_id(one), f"{path}: ", "an id") for one in found]
    if len(topics) < 2:
        raise InputError(f"{path}: {count(len(topics), 'topic')} ({few(topics)}); write one id per line")
    return topics


def _id(one: Any) -> Any:
    """The id of a topic, which may stand in an object."""
    at = find(list(one), TOPIC, TOPIC_FIRST) if isinstance(one, dict) else None
    return one if at is None else list(one.values())[at]


SWE_BENCH = Adapter(
    name="swe_bench",
    label="a list of resolved ids (SWE-bench)",
    explanation="A file per system with the ids that it resolved: resolved or resolved_ids, or id → "
    "resolved. Other ids count 0: those of a file of topics, or else those that some file "
    "lists.",
    recognizes=_has_ids,
    together=_rows_of_ids,
    files=("results.json", "*.json"),
    takes=("topics",),
)
