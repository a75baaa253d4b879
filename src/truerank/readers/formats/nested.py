"""Dictionaries of dictionaries of scores, as pytrec_eval returns them and people save them as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.formats.adapter import Adapter, Files, Remark, Row
from truerank.readers.formats.source import Source
from truerank.readers.measures import known
from truerank.readers.options import Options
from truerank.readers.roles import like_topics

_SHOWN = 40


def _first(found: Any) -> Any:
    """The first value of a dictionary; None of anything else."""
    return next(iter(found.values()), None) if isinstance(found, Mapping) else None


def _is_score(value: Any) -> bool:
    """Whether a leaf is a number, of Python or of NumPy."""
    return hasattr(value, "__float__") and not hasattr(value, "__len__")


def _is_measure(name: Any) -> bool:
    """Whether a name is a measure's; of one letter (P, R) it would lack its cutoff, and is a topic."""
    return len(str(name)) > 1 and known(str(name))


def _of_one(found: Any) -> bool:
    """Whether these are the scores of one system: topic → measure → number."""
    inner = _first(found)
    if not isinstance(inner, Mapping) or any(isinstance(value, str) for value in inner.values()):
        return False
    # BEIR's ndcg → NDCG@10 → mean has no topics.
    measures = any(map(_is_measure, inner)) and not all(map(_is_measure, found))
    return measures and _is_score(_first(inner))


def _of_several(found: Any) -> bool:
    """Whether these are the scores of several systems: system → topic → measure → number."""
    return _of_one(_first(found))


def _plain(found: Any) -> bool:
    """Whether this is system → topic → number, of a measure without a name."""
    inner = _first(found)
    numbers = isinstance(inner, Mapping) and bool(inner) and all(map(_is_score, inner.values()))
    return numbers and all(isinstance(other, Mapping) for other in found.values()) and not _of_one(found)


def is_nested(found: Any) -> bool:
    """Whether a dictionary holds scores by dictionaries."""
    return isinstance(found, Mapping) and (_of_one(found) or _of_several(found) or _plain(found))


def _recognizes(source: Source) -> bool:
    found = source.document
    if not _plain(found):
        return _of_one(found) or _of_several(found)
    # Systems share topics; a run has the same shape: topic → document → score.
    topics = {topic for inner in found.values() for topic in inner}
    shared = 2 * sum(map(len, found.values())) >= len(found) * len(topics)
    numbers = not any(isinstance(_first(inner), str) for inner in found.values())
    return len(found) > 1 and shared and numbers and not like_topics(list(found))


def _rows(files: Files) -> Iterator[Row | Remark]:
    for source in files:
        yield from rows_of(source.json, files.options, source.path)


def rows_of(found: Any, options: Options, path: str, system: str = "") -> Iterator[Row | Remark]:
    """The scores of a dictionary, of a `system` where it names none; without a name it is asked for."""
    ask = not system
    if _plain(found):
        found = {
            name: {topic: {"": value} for topic, value in _items(topics, f"{path}: {name!r}")}
            for name, topics in _of_systems(found, options, f"{path}: ", ask).items()
        }
        if ask:
            yield Remark(Note("reading", {"case": "nested", "path": path}))
    elif options.transpose is not None:
        needless = setting("transpose", options.transpose)
        raise InputError(f"{path}: names of measures say what is what; leave out {needless}")
    elif not _of_several(found):
        found = {system: found}
    for name, topics in _items(found, path):
        for topic, values in _items(topics, f"{path}: {name!r}"):
            for measure, value in _items(values, f"{path}: {name!r}, {topic!r}"):
                yield Row(str(name), str(topic), value, str(measure))


def _of_systems(found: Mapping[Any, Any], options: Options, where: str, ask: bool) -> Mapping[Any, Any]:
    """System → topic → number; asks of a file with more names outside than inside, which may be topics."""
    inner = list(dict.fromkeys(name for one in found.values() for name in one))
    if ask and options.transpose is None and len(found) > len(inner) and not like_topics(inner):
        systems, topics = (setting("transpose", way) for way in (True, False))
        raise InputError(
            f"{where}{few(list(found), 3)} may be systems or topics, with scores of {few(inner, 3)}. Use "
            f"{systems} if they are systems, or {topics} if they are topics"
        )
    if options.transpose is not False:
        return found
    return {name: {one: of[name] for one, of in found.items() if name in of} for name in inner}


def _items(found: Any, where: str) -> Sequence[tuple[Any, Any]]:
    if not isinstance(found, Mapping):
        raise InputError(
            f"{where}: {repr(found)[:_SHOWN]} where a dictionary belongs; give topic → measure → score"
        )
    return list(found.items())


PYTREC_EVAL = Adapter(
    name="pytrec_eval",
    label="a dictionary of pytrec_eval",
    explanation="Topic → measure → score of one system, as RelevanceEvaluator.evaluate returns it, or "
    "system → topic → measure → score; in Python, or saved as JSON. Also system → topic → "
    "score.",
    recognizes=_recognizes,
    together=_rows,
    files=(),
    noun="topic",
    takes=("transpose",),
)
