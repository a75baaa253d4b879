"""Dictionaries of dictionaries, as `pytrec_eval` returns them and people save them as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truerank.errors import InputError
from truerank.readers.columns import Asked
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.source import Source
from truerank.readers.measures import known
from truerank.readers.names import choose_names, file_stem
from truerank.readers.raw_scores import RawScores

_SHOWN = 40


def _first(found: Any) -> Any:
    """The first value of a dictionary; None of anything else."""
    return next(iter(found.values()), None) if isinstance(found, Mapping) else None


def _is_score(value: Any) -> bool:
    """Whether a leaf is a number, of Python or of NumPy."""
    return hasattr(value, "__float__") and not hasattr(value, "__len__")


def _of_one(found: Any) -> bool:
    """Whether these are the scores of one system: topic → measure → number."""
    inner = _first(found)
    return isinstance(inner, Mapping) and _is_score(_first(inner)) and any(map(_is_measure, inner))


def _is_measure(name: Any) -> bool:
    """Whether a name is a measure's; of one letter (P, R) it would lack its cutoff, and is a topic."""
    return len(str(name)) > 1 and known(str(name))


def _of_several(found: Any) -> bool:
    """Whether these are the scores of several systems: system → topic → measure → number."""
    return isinstance(_first(found), Mapping) and _of_one(_first(found))


def _recognises(source: Source) -> bool:
    return _of_one(source.document) or _of_several(source.document)


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path)
    alone = [source.path for source in sources if not _of_several(source.json)]
    chosen, notes = choose_names([file_stem(path) for path in alone], alone, "name")
    names = dict(zip(alone, chosen, strict=True))
    scores.notes += notes
    for source in sources:
        systems = {names[source.path]: source.json} if source.path in names else source.json
        _add(scores, systems, source.path)
    return scores.raw(asked)


def _recognises_object(thing: Any) -> bool:
    return isinstance(thing, Mapping) and (_of_one(thing) or _of_several(thing) or _plain(thing))


def _plain(found: Mapping[Any, Any]) -> bool:
    """Whether this is system → topic → number, of a measure without a name."""
    inner = _first(found)
    return (
        isinstance(inner, Mapping)
        and bool(inner)
        and all(map(_is_score, inner.values()))
        and all(isinstance(other, Mapping) for other in found.values())
        and not _of_one(found)
    )


def _read_object(thing: Any, asked: Asked) -> RawScores:
    scores = Collected("dictionary")
    if _plain(thing):
        thing = {
            name: {topic: {"": value} for topic, value in _items(topics, name)}
            for name, topics in thing.items()
        }
    _add(scores, thing if not _of_one(thing) else {"sys1": thing}, "dictionary")
    return scores.raw(asked)


def _add(scores: Collected, systems: Mapping[Any, Any], source: str) -> None:
    """Take in system → topic → measure → number.

    Raises:
        InputError: something else on the way.
    """
    for system, topics in systems.items():
        for topic, values in _items(topics, f"{source}: {system!r}"):
            for measure, value in _items(values, f"{source}: {system!r}, {topic!r}"):
                scores.add(str(system), str(topic), value, str(measure), source=source)


def _items(found: Any, where: str) -> Sequence[tuple[Any, Any]]:
    if not isinstance(found, Mapping):
        raise InputError(
            f"{where}: {repr(found)[:_SHOWN]} where a dictionary belongs; give topic → measure → score"
        )
    return list(found.items())


PYTREC_EVAL = ScoreFormat(
    "pytrec_eval",
    "a dictionary of pytrec_eval",
    "Topic → measure → score of one system, as RelevanceEvaluator.evaluate returns it, or system → topic → "
    "measure → score; in Python, or saved as JSON. In Python also system → topic → score.",
    ("files",),
    _recognises,
    _read,
    _recognises_object,
    _read_object,
)
