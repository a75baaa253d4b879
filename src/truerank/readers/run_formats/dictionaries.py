"""Dictionaries of topic → document → number: as JSON, in MTEB's predictions, and as ranx's CBOR."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from typing import Any

from truerank._support.wording import few
from truerank.errors import InputError, at
from truerank.readers.formats.json_text import an_object, text_within
from truerank.readers.formats.source import Source
from truerank.readers.run_formats.run_format_registry import Kind, RunFormat
from truerank.readers.trecfiles import Qrels, Run, run_from

_KEY = r'\s*"(?:[^"\\]|\\.)*"\s*:\s*'
_NUMBER = r"\{(?:" + _KEY + r"[-+.\dNI]|\s*\})"
"""An object without keys, or with a number behind its first."""
_NESTED = re.compile(r"\{" + _KEY + _NUMBER)

JSON = RunFormat.of_objects(
    "json",
    "JSON of topics, documents and scores",
    "An object of topics, each an object from documents to scores (or relevance): ranx, BEIR, MTEB 1 "
    "with save_predictions, pytrec_eval.",
    lambda source, _: _NESTED.match(source.opening.lstrip()) is not None,
    lambda source: source.json,
)


# MTEB 2: subset → split → topic → document → score, under the model's name

_META = "mteb_model_meta"
_PREDICTIONS = re.compile(r'\{\s*"' + _META + r'"\s*:|\{' + _KEY + r"\{" + _KEY + r"\{" + _KEY + _NUMBER)


def _fits_mteb(source: Source, kind: Kind) -> bool:
    return kind == "run" and _PREDICTIONS.match(source.opening.lstrip()) is not None


def _mteb_run(source: Source) -> Run:
    where = at(source.path)
    document = an_object(source.json, where, "the file")
    name = text_within(document.pop(_META, None), "model_name")
    run = run_from(_together(document, where), where)
    return Run(run.documents, tag=name, tied=run.tied)


def _together(document: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The topics of all subsets and splits."""
    parts: dict[str, Mapping[str, Any]] = {}
    for subset, splits in document.items():
        if not isinstance(splits, Mapping):
            raise InputError(f"{where}subset {subset!r} holds no splits; give what mteb wrote, as it is")
        for split, topics in splits.items():
            if not isinstance(topics, Mapping):
                raise InputError(
                    f"{where}{subset} / {split} holds no topics with documents and scores; only predictions "
                    "of retrieval and reranking tasks are runs"
                )
            parts[f"{subset} / {split}"] = topics
    found: dict[str, Any] = {}
    for name, topics in parts.items():
        twice = next((topic for topic in topics if topic in found), None)
        if twice is not None:
            raise InputError(
                f"{where}topic {twice!r} of {name} is in another part too (there are {few(list(parts), 6)}); "
                "keep one subset and split in the file"
            )
        found |= topics
    return found


def _no_judgments(source: Source) -> Qrels:
    raise InputError(f"{at(source.path)}MTEB predictions are a run, not judgments; give the task's qrels")


MTEB = RunFormat(
    "mteb",
    "MTEB predictions",
    "mteb_model_meta, and for each subset and split of a retrieval task the topics with their documents "
    "and scores. Several subsets are read together where no topic is in two.",
    _fits_mteb,
    _mteb_run,
    _no_judgments,
)


# ranx: CBOR (RFC 8949), of which only texts, numbers and maps occur in a run

_MAP, _TEXT, _FLOAT = 5, 3, 7
_SIZES = {24: ">B", 25: ">H", 26: ">I", 27: ">Q"}
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}


def _head(data: bytes, place: int) -> tuple[int, Any, int]:
    """The major type of an item, its argument, and where its content starts."""
    kind, small = data[place] >> 5, data[place] & 31
    if small < 24:
        return kind, small, place + 1
    form = (_FLOATS if kind == _FLOAT else _SIZES).get(small)
    if form is None:
        raise ValueError("a length that is not given")
    (argument,) = struct.unpack_from(form, data, place + 1)
    return kind, argument, place + 1 + struct.calcsize(form)


def _item(data: bytes, place: int, maps: int) -> tuple[Any, int]:
    """So many levels of `maps`, below them a text or a number; and where the next item starts."""
    kind, argument, place = _head(data, place)
    if maps == 0:
        if kind == _TEXT:
            text = data[place : place + argument]
            if len(text) < argument:
                raise IndexError
            return text.decode(), place + argument
        if kind in (0, 1) or isinstance(argument, float):
            return (-1 - argument if kind == 1 else argument), place
    if kind != _MAP or maps == 0:
        raise ValueError(f"something else where a {'dictionary' if maps else 'number'} belongs")
    found: dict[str, Any] = {}
    for _ in range(argument):
        name, place = _item(data, place, 0)
        if not isinstance(name, str) or name in found:
            raise ValueError(f"{name!r} is there twice" if isinstance(name, str) else f"{name!r} is not text")
        found[name], place = _item(data, place, maps - 1)
    return found, place


def _fits_ranx(source: Source, kind: Kind) -> bool:
    del kind  # one and the same for runs and judgments
    data = source.start
    try:
        kind_of_all, size, place = _head(data, 0)
        kind_of_key, length, place = _head(data, place)
        return (kind_of_all, kind_of_key, data[place + length] >> 5) == (_MAP, _TEXT, _MAP) and size > 0
    except (IndexError, struct.error, ValueError):
        return False


def _decoded(source: Source) -> Any:
    where, data = at(source.path), source.data
    try:
        found, end = _item(data, 0, maps=2)
    except (IndexError, struct.error):
        raise InputError(f"{where}the run breaks off; write it again with ranx") from None
    except UnicodeDecodeError:
        raise InputError(f"{where}a name is not text; write it again with ranx") from None
    except ValueError as error:
        raise InputError(f"{where}no run of ranx ({error}); write it again with ranx") from None
    if end != len(data):
        raise InputError(f"{where}no run of ranx (more behind its end); write it again with ranx")
    return found


RANX_LZ4 = RunFormat.of_objects(
    "ranx-lz4",
    "ranx's .lz4",
    "What ranx's Run.save writes to a path that ends with .lz4: the run's dictionary as CBOR in lz4.",
    _fits_ranx,
    _decoded,
)
