"""Logs of inspect_ai: one file per model and task, as JSON or as a zip archive (`.eval`)."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from truerank._support.files import decode, input_limit, refuse_more_than
from truerank._support.imports import PARQUET, require
from truerank._support.notes import Note
from truerank.errors import InputError, TruerankError
from truerank.readers.cell_values import is_number
from truerank.readers.formats.adapter import Adapter, Remark, Row
from truerank.readers.formats.source import OPENING, Source, parse_json, text_within, within

BLOCK = 1 << 20
"""Bytes that are unpacked at a time."""

_ZSTD = 93
"""The method of zip that Python's own reader does not know before 3.14."""
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def _is_log(source: Source) -> bool:
    if source.content == "zip":
        return any(name in source.data[:OPENING] for name in (b"_journal/", b"header.json", b"samples/"))
    return bool(
        text_within(source.document, "eval", "model")
        and text_within(source.document, "eval", "task")
        and "status" in source.document
    )


def _rows(source: Source) -> Iterator[Row | Remark]:
    """The scores of each sample in each epoch, and what the log lacks."""
    header, samples = _log(source)
    model, task = header["eval"]["model"], header["eval"]["task"]
    scored: Counter[str] = Counter()
    for sample in samples:
        topic = sample["id"]
        for scorer, entry in (sample.get("scores") or {}).items():
            value = entry["value"]
            for part, grade in (value if isinstance(value, dict) else {"": value}).items():
                name = f"{scorer}/{part}" if part else scorer
                number = _number(grade, f"{source.path}: sample {str(topic)!r}: ", name)
                scored[name] += number is not None and number == number
                yield Row(model, topic, number, name, task)
    reducers = within(header, "eval", "config", "epochs_reducer")
    others = [str(name) for name in reducers if name != "mean"] if isinstance(reducers, list) else []
    if others:
        yield Remark(Note("averaged", {"case": "epochs", "path": source.path, "reducers": others}))
    for measure in scored:
        if lacks := _gaps(header, len(samples), scored[measure]):
            facts = {"case": "samples", "path": source.path, "measure": measure, **lacks}
            yield Remark(Note("scores-missing", facts), measure=measure)


def _gaps(header: Any, there: int, scored: int) -> dict[str, Any]:
    """What a log lacks: samples without a score, in some epoch or in all, and a run that did not end well."""
    config, data, status = ("eval", "config"), ("eval", "dataset"), text_within(header, "status")
    epochs = _whole(header, *config, "epochs") or 1
    planned = len(within(header, *data, "sample_ids") or ()) or _whole(header, *data, "samples")
    planned = epochs * min(planned, _whole(header, *config, "limit") or planned)
    total = _whole(header, "results", "total_samples")
    ended = status in ("success", "")
    expected = max(there, total if total and ended else max(planned, total))
    facts = {"lacking": expected - scored, "of": expected, "epochs": epochs}
    return {**facts, "status": "" if ended else status} if facts["lacking"] or not ended else {}


def _whole(document: Any, *keys: str) -> int:
    found = within(document, *keys)
    return found if type(found) is int and found > 0 else 0


def _number(value: Any, where: str, name: str) -> Any:
    """A grade as the number that inspect_ai makes of it: C, P, I and N, yes and no, or a number."""
    if not isinstance(value, (str, list)):
        return value
    if isinstance(value, str):
        if is_number(value.strip()):
            return float(value)
        if (number := _GRADES.get(value, _WORDS.get(value.lower()))) is not None:
            return number
    raise InputError(
        f"{where}{name} is {value!r:.40}, not a grade (C, P, I, N, yes, no or a number). Choose another "
        "scorer, or score the log again with one that gives grades"
    )


def _log(source: Source) -> tuple[Any, list[Any]]:
    """The header of a log and its samples."""
    zipped = source.content == "zip"
    header, samples = _archived(source) if zipped else (source.json, source.json.get("samples"))
    if samples is None:
        raise InputError(f"{source.path}: a log without its samples; write it with inspect_ai's log_samples")
    return header, samples


def _archived(source: Source) -> tuple[Any, list[Any] | None]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.data))
        entries = {entry.filename: entry for entry in archive.infolist()}
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError) as error:
        raise InputError(f"{source.path}: broken zip archive ({error}); copy the log again") from None
    # A finished log has summaries: the scores without the conversations.
    header = "header.json" if "header.json" in entries else "_journal/start.json"
    parts = [name for name in entries if name == "summaries.json"]
    parts = parts or [name for name in entries if name.startswith("samples/") and name.endswith(".json")]
    if sum(entries[name].file_size for name in (header, *parts)) > input_limit():
        raise refuse_more_than(input_limit(), source.path)

    def load(name: str) -> Any:
        place = f"{source.path} ({name})"
        return parse_json(decode(_unpack(source, archive, entries[name]), place), place)

    if parts == ["summaries.json"]:
        return load(header), load(parts[0])
    return load(header), [load(name) for name in parts] or None


def _unpack(source: Source, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry; those of zstd by pyarrow."""
    where = f"{source.path} ({entry.filename}): "
    try:
        if entry.compress_type != _ZSTD:
            return archive.read(entry)
        data = _zstd(source.data, entry, where)
        if len(data) != entry.file_size or zlib.crc32(data) != entry.CRC:
            raise ValueError("its checksum is wrong")
    except (TruerankError, MemoryError):
        raise
    except Exception as error:  # each way to pack has errors of its own
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{where}broken zip entry ({reason}); copy the log again") from None
    return data


def _zstd(data: bytes, entry: zipfile.ZipInfo, where: str) -> bytes:
    require(PARQUET, f"{where}logs packed with zstd")
    import pyarrow

    # Names and extra fields stand between the entry's own header (30 bytes) and its data.
    at = entry.header_offset
    start = at + 30 + int.from_bytes(data[at + 26 : at + 28], "little")
    start += int.from_bytes(data[at + 28 : at + 30], "little")
    packed = pyarrow.BufferReader(data[start : start + entry.compress_size])
    with pyarrow.input_stream(packed, compression="zstd") as stream:
        # By blocks, for a broken header may claim gigabytes, and reading takes the memory that is asked for.
        parts, left = [], entry.file_size + 1
        while left > 0 and (part := stream.read(min(left, BLOCK))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


INSPECT = Adapter(
    name="inspect",
    label="a log of inspect_ai",
    explanation="A log of inspect_ai, .eval or .json: one file per model and task. A scorer is a "
    "measure; C, P, I and N are 1, 0.5, 0 and 0; the epochs of a sample are averaged.",
    rows=_rows,
    recognizes=_is_log,
    files=("*.eval", "*.json"),
    repeats="runs",
    one_file=True,
)
