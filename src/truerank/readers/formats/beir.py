"""The results of BEIR: one file per model and data set, with the mean of each measure at each cutoff."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import an_object, has_keys, is_number
from truerank.readers.formats.source import Source
from truerank.readers.roles import NAMES
from truerank.scores import ScoreMatrix

_KINDS = ("ndcg", "map", "recall", "precision")


def _recognizes(source: Source) -> bool:
    found = source.document
    return has_keys(found, *_KINDS) and all(isinstance(found[kind], dict) for kind in _KINDS)


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given)
    names = [_two_names(source) for source in sources]
    flipped, note = _order(names, options.transpose)
    scores.note(Note("folders-assumed", note))
    for source, (outer, inner) in zip(sources, names, strict=True):
        where = f"{source.path}: "
        model, data_set = (inner, outer) if flipped else (outer, inner)
        scores.once((model, data_set), source.path, f"results of {model!r} on {data_set!r}")
        for kind, means in an_object(source.json, where, "the file").items():
            for measure, value in an_object(means, where, kind).items():
                if not is_number(value):
                    raise InputError(f"{where}{measure} is {repr(value)[:40]}, no number; run BEIR again")
                scores.add(model, data_set, value, measure, data_set=data_set, source=source.path)
        source.forget()
    return scores.table(options)


def _two_names(source: Source) -> tuple[str, str]:
    """What the folder of a file and the file are called: one is the model and the other the data set."""
    if source.path == "-":
        raise InputError("-: nothing says which model and data set this is of; give MODEL/DATA_SET.json")
    name = Path(source.path).name.removesuffix(".gz").removesuffix(".json")
    return source.folder_name or "/", name


def _order(names: Sequence[tuple[str, str]], transpose: bool | None) -> tuple[bool, str]:
    """Whether the folders are the data sets, by the names of BEIR's own; and a note that says so."""
    outer, inner = ({name[i].casefold() for name in names} for i in (0, 1))
    known = [len(level.intersection(NAMES["data_sets_of_beir"])) for level in (outer, inner)]
    # Files of unknown names in one folder are models: one model alone would be no leaderboard.
    flipped = known[0] > known[1] or (not any(known) and len(outer) == 1 and len(inner) > 1)
    flipped = flipped if transpose is None else transpose
    what = "folders are read as data sets, and files as models"
    if not flipped:
        what = "folders are read as models, and files as data sets"
    return flipped, f"{what}; {setting('transpose', True)} or {setting('transpose', False)} decides"


BEIR = ScoreFormat(
    "beir",
    "a result file of BEIR",
    "The dictionaries of nDCG, MAP, recall and precision that BEIR's util.save_results writes, as "
    "MODEL/DATA_SET.json or DATA_SET/MODEL.json.",
    ("files", "folder"),
    _recognizes,
    _read,
    inside=("*.json",),
    transposes=True,
    aggregates=True,
    content=("json",),
)
