"""ranx's `.lz4`: topic → document → score as CBOR (RFC 8949), packed by lz4 (twice)."""

from __future__ import annotations

import struct

from truerank.errors import InputError, at
from truerank.readers.formats.source import Source
from truerank.readers.run_formats.run_format import Kind
from truerank.readers.trecfiles import Qrels, Run, qrels_from, run_from

_MAP, _TEXT = 5, 3
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}
_SIZES = {24: ">B", 25: ">H", 26: ">I", 27: ">Q"}


class RanxLz4:
    """A dictionary of dictionaries in CBOR, of which only texts, numbers and maps occur in a run."""

    name = "ranx-lz4"
    label = "ranx's .lz4"
    explanation = (
        "What ranx's Run.save writes to a path that ends with .lz4: the run's dictionary as CBOR in lz4."
    )

    def fits(self, source: Source, kind: Kind) -> bool:
        """Whether it starts with a map whose first key is text and whose first value is a map."""
        del kind
        data = source.start
        try:
            kind_of_all, count, place = _head(data, 0)
            kind_of_key, length, place = _head(data, place)
            kind_of_value = data[place + length] >> 5
        except (IndexError, struct.error, ValueError):
            return False
        return kind_of_all == _MAP and count > 0 and kind_of_key == _TEXT and kind_of_value == _MAP

    def run(self, source: Source) -> Run:
        """The run; the file says no name."""
        return run_from(_decoded(source), at(source.path))

    def qrels(self, source: Source) -> Qrels:
        """The judgments."""
        return qrels_from(_decoded(source), at(source.path))


def _decoded(source: Source) -> dict[str, dict[str, float]]:
    """The dictionary of dictionaries; no key may be there twice."""
    data, found = source.data, {}
    try:
        topics, place = _entries(data, 0)
        for _ in range(topics):
            topic, place = _text(data, place)
            documents, place = _entries(data, place)
            scored: dict[str, float] = {}
            for _ in range(documents):
                document, place = _text(data, place)
                value, place = _number(data, place)
                if document in scored:
                    raise ValueError(f"document {document!r} is there twice for topic {topic!r}")
                scored[document] = value
            if topic in found:
                raise ValueError(f"topic {topic!r} is there twice")
            found[topic] = scored
        if place != len(data):
            raise ValueError("more behind its end")
    except (IndexError, struct.error):
        raise InputError(f"{at(source.path)}the run breaks off; write it again with ranx") from None
    except UnicodeDecodeError:
        raise InputError(f"{at(source.path)}a name is no text; write it again with ranx") from None
    except ValueError as error:
        raise InputError(f"{at(source.path)}no run of ranx ({error}); write it again with ranx") from None
    return found


def _head(data: bytes, place: int) -> tuple[int, int, int]:
    """The major type of an item, its argument, and where its content starts."""
    first = data[place]
    kind, small = first >> 5, first & 31
    if small < 24:
        return kind, small, place + 1
    if small not in _SIZES:
        raise ValueError("a length that is not given")
    (argument,) = struct.unpack_from(_SIZES[small], data, place + 1)
    return kind, argument, place + 1 + struct.calcsize(_SIZES[small])


def _entries(data: bytes, place: int) -> tuple[int, int]:
    kind, count, place = _head(data, place)
    if kind != _MAP:
        raise ValueError("something else where a dictionary belongs")
    return count, place


def _text(data: bytes, place: int) -> tuple[str, int]:
    kind, length, place = _head(data, place)
    if kind != _TEXT:
        raise ValueError("something else where a name belongs")
    if place + length > len(data):
        raise IndexError
    return data[place : place + length].decode(), place + length


def _number(data: bytes, place: int) -> tuple[float, int]:
    first = data[place]
    if first >> 5 == 7 and first & 31 in _FLOATS:
        form = _FLOATS[first & 31]
        (value,) = struct.unpack_from(form, data, place + 1)
        return float(value), place + 1 + struct.calcsize(form)
    kind, argument, place = _head(data, place)
    if kind not in (0, 1):
        raise ValueError("something else where a number belongs")
    return (argument if kind == 0 else -1 - argument), place
