"""Agents on tasks: terminal-bench, Harbor (its successor), and SWE-bench's lists of resolved ids."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import count, few
from truerank.errors import InputError
from truerank.readers.formats.adapter import Adapter, Files, Remark, Row
from truerank.readers.formats.source import Source, a_name, has_keys, text_within, within
from truerank.readers.roles import find

# ── terminal-bench: results.json of a run, which has all its trials, and one of each trial ────────────


def _is_terminal_bench(document: Any) -> bool:
    """Whether a document has the results of a run of terminal-bench, or of one of its trials."""
    results = within(document, "results")
    first = results[0] if isinstance(results, list) and results else document
    return has_keys(first, "task_id", "trial_name", "is_resolved")


def _rows_of_runs(sources: Files) -> Iterator[Row | Remark]:
    runs: dict[str, tuple[Source, Path]] = {}  # of each id, one that was copied counting once
    for one in sources:
        if _is_terminal_bench(one.document):
            path = Path(one.path).resolve()
            runs.setdefault(str(one.json["id"]), (one, path.parents[0 if "results" in one.json else 2]))
    # A trial has a file of its own, which is read where its run has none.
    whole = {folder for source, folder in runs.values() if "results" in source.json}
    kept = [(one, folder) for one, folder in runs.values() if "results" in one.json or folder not in whole]
    named = {folder: _run(folder) for _, folder in kept}
    several = len({data_set for _, data_set in named.values() if data_set}) > 1
    failed = 0
    for source, folder in kept:
        sources.current = source
        system, data_set = named[folder]
        if len({other.parent for other, (name, _) in named.items() if name == system}) > 1:
            system = folder.parent.name
        for trial in source.json.get("results", [source.json]):
            failed += trial.get("is_resolved") is None
            score = trial.get("is_resolved") or False
            yield Row(system, trial["task_id"], score, "resolved", data_set if several else "")
        source.forget()
    yield from _failed(failed)


def _run(folder: Path) -> tuple[str, str]:
    """System and data set of a run, by the file beside its results, or by the folder of the runs."""
    path = folder / "run_metadata.json"
    about = Source(str(path)).json if path.is_file() else None
    agent, model = text_within(about, "agent_name"), text_within(about, "model_name")
    data_set = " ".join(filter(None, (text_within(about, f"dataset_{part}") for part in ("name", "version"))))
    return _system_trials(agent, model) if agent else folder.parent.name, data_set


def _system_trials(agent: str, model: str) -> str:
    return f"{agent} ({model})" if model else agent


def _failed(number: int) -> Iterator[Remark]:
    if number:
        yield Remark(Note("counted-as-zero", {"case": "trials", "number": number}))


# ── Harbor: result.json of each trial, beside that of the job ─────────────────────────────────────────


def _trials(document: Any) -> list[dict[str, Any]] | None:
    """The trials in a file, none in many a job's; None where it is another tool's."""
    if has_keys(document, "task_name", "trial_name", "agent_info"):
        return [document]
    return (
        list(document.get("trial_results") or ()) if has_keys(document, "n_total_trials", "stats") else None
    )


def _rows_of_trials(files: Files) -> Iterator[Row | Remark]:
    trials: dict[str, tuple[Source, dict[str, Any], dict[str, Any]]] = {}
    for source in files:
        for trial in _trials(source.document) or ():
            rewards = within(trial, "verifier_result", "rewards") or {}
            trials.setdefault(str(within(trial, "id")), (source, trial, rewards))
        source.forget()
    names = list(dict.fromkeys(name for *_, rewards in trials.values() for name in rewards)) or ["reward"]
    for source, trial, rewards in trials.values():
        files.current = source
        agent, model = trial["agent_info"]["name"], text_within(trial, "agent_info", "model_info", "name")
        system, data_set = _system_trials(agent, model), text_within(trial, "source")
        for name in names:
            yield Row(system, trial["task_name"], rewards.get(name, 0), name, data_set)
    yield from _failed(sum(not rewards for *_, rewards in trials.values()))


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
    recognizes=lambda source: _trials(source.document) is not None,
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
    outcomes = document.values() if isinstance(document, dict) else ()
    return bool(outcomes) and all(isinstance(within(one, "resolved"), bool) for one in outcomes)


def _has_ids(source: Source) -> bool:
    document = source.document
    if _is_terminal_bench(document):  # which lists resolved ids, too
        return False
    return any(_is_list(within(document, key)) for key in _SOLVED) or _is_map(document)


@dataclass
class _Report:
    """What files say of a system: resolved ids, all tried, those not tried, and whether this is all."""

    name: str
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
        self.untried = lists.pop("incomplete_ids", {})
        self.solved = next(lists[key] for key in _SOLVED if key in lists)
        self.tried = self.solved | {name: None for of in lists.values() for name in of}
        self.whole = document.get("total_instances") == len(self.tried | self.untried)
        self.untried = {name: None for name in self.untried if name not in self.tried}


def _rows_of_ids(sources: Files) -> Iterator[Row | Remark]:
    roots = [Path(source.given).resolve() for source in sources if source.given != source.path]
    found: dict[Path, _Report] = {}
    for source in _lists(sources):
        path, document = Path(source.path).resolve(), source.json
        if _is_map(document) and list(document) == [path.parent.name]:  # MODEL/INSTANCE/report.json
            path, name = path.parents[1], path.parents[1].name
        else:  # like the file, or the nearest folder with its own name
            names = [path.stem, *(one.name for one in path.parents if one not in roots)]
            name = next((one for one in names if one.casefold() not in _GENERIC), path.parent.name)
        found.setdefault(path, _Report(name, source.path)).add(document)
        source.forget()
    reports = list(found.values())
    topics = dict.fromkeys(one for report in reports for one in report.tried)
    if all_topics := sources.options.topics:
        topics = dict.fromkeys(_topics(str(all_topics)))
        for report in reports:
            report.untried = {}
            if stranger := next((one for one in report.solved if one not in topics), None):
                raise InputError(
                    f"{all_topics}: {stranger!r}, which {report.name!r} resolved, is not among the topics; "
                    "give the file of the same set"
                )
    elif not all(report.whole for report in reports):
        yield Remark(Note("scores-missing", {"case": "unlisted", "number": len(topics)}))
    if left := {one for report in reports for one in report.untried if one not in topics}:
        yield Remark(Note("topics-left-out", {"case": "untried", "number": len(left)}))
    if gaps := [report.name for report in reports if report.untried.keys() & topics.keys()]:
        yield Remark(Note("scores-missing", {"case": "untried", "names": gaps}))
    for report in reports:
        for topic in topics:
            value = None if topic in report.untried else float(topic in report.solved)
            yield Row(report.name, topic, value, "resolved", source=report.path)


def _lists(sources: Sequence[Source]) -> list[Source]:
    """The files that are of this format; of a folder of submissions each `results.json`, and not its logs."""
    found = []
    for given in dict.fromkeys(source.given for source in sources):
        files = [source for source in sources if source.given == given and _has_ids(source)]
        found += [one for one in files if Path(one.path).name == "results.json"] or files
    return found


def _topics(path: str) -> list[str]:
    """The ids in a file: lines or a column of text, or a list in JSON, of ids or of objects that have one."""
    source = Source(path)
    found: list[Any] = []
    if source.looks_like_json:
        found = list(source.records()) if source.first_record is not None else source.json
    else:
        rows = [row for row in csv.reader(source.text.splitlines()) if row]
        header = find(rows[0], "topic", "topic_first")
        found = [row[header or 0].strip() for row in rows[header is not None :]]
    topics = [a_name(_id(one), f"{path}: ", "an id") for one in found]
    if len(topics) < 2:
        raise InputError(f"{path}: {count(len(topics), 'topic')} ({few(topics)}); write one id per line")
    return topics


def _id(one: Any) -> Any:
    """The id of a topic, which may stand in an object."""
    at = find(list(one), "topic", "topic_first") if isinstance(one, dict) else None
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
    one_file=True,
)
