"""One request, in a separate process: bytes and settings come in, lines of JSON go out, nothing is written.

``python -m truerank.app.work`` reads a line of JSON and then the bytes of a file. It prints a line for each
step, and one with the answer.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from truerank._support.arguments import speaking_of_options
from truerank.app.page import CONTROLS, as_command, as_python, other_measure, read_and_asked
from truerank.errors import InputError, PairError, TruerankError

Send = Callable[[Mapping[str, Any]], None]


def main() -> None:
    """Answer the request on standard input."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is not part of the answer
    header = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    send = _sender(out)
    try:
        send(answer(header, data, send))
    except TruerankError as error:
        send({"refused": str(error)})
    except MemoryError:
        send({"refused": "this takes more memory than there is; use the command line"})
    except Exception:  # a traceback names files of this machine
        send({"refused": "internal error; the command line shows more of it"})


def _sender(out: BinaryIO) -> Send:
    def send(message: Mapping[str, Any]) -> None:
        out.write(json.dumps(message, ensure_ascii=True, allow_nan=False).encode() + b"\n")
        out.flush()

    return send


def answer(header: Mapping[str, Any], data: bytes, send: Send) -> dict[str, Any]:
    """What the page gets: a result's page, and what it needs to go on asking.

    `header` has the ``task`` (assess, gate or plan), the ``name`` of the file, and its ``settings`` as texts.
    Its ``files`` are ``csv`` or ``paper`` for an archive in place of a page.
    """
    from truerank.readers import read_scores
    from truerank.readers.formats.source import Source
    from truerank.report.shown import Views
    from truerank.report.view import Asked
    from truerank.scores import ranking_order

    task, name = header["task"], header["name"]
    read, asked = read_and_asked(task, header["settings"])
    send({"step": "Reading the file"})
    with speaking_of_options(**{one.argument: one.said for one in CONTROLS}):  # messages name controls
        scores = read_scores(Source(name, keep=True, data=data), **read)
        send({"step": f"{scores.n:,} × {scores.m:,} scores"})
        pair: list[str] = []
        try:
            weighed = {}
            if "pareto" in asked:
                weighed["pareto"] = read_scores(
                    Source(name, keep=True, data=data), **other_measure(read, asked["pareto"])
                )
            result = _computed(task, scores, asked | weighed, send)
        except PairError as error:
            if task != "assess":
                raise
            pair, task = [error.baseline, error.candidate], "gate"
            asked = _of_pair(pair, asked)
            result = _computed(task, scores, asked, send)
        command = as_command(task, name, {**read, **asked})
        shown = Views([result], Asked(command))
        found: dict[str, Any] = {"command": command, "python": as_python(task, name, read, asked)}
        if header.get("files"):
            return found | {"zip": base64.b64encode(_archive(shown, header["files"])).decode()}
        send({"step": "Drawing the page"})
        return found | {
            "page": shown.page(),
            "summary": result.summary(),
            "json": result.to_dict(),
            "systems": [scores.systems[place] for place in ranking_order(scores.means)],
            "pair": pair,
            "topics": scores.n,
            "read": _how_read(scores),
        }


def _computed(task: str, scores: Any, asked: dict[str, Any], send: Send) -> Any:
    import truerank

    if task != "assess":
        return getattr(truerank, task)(scores, **asked)
    done = [0]

    def progress(part: int, of: int, label: str) -> None:
        if (share := 100 * part // max(of, 1)) > done[0]:
            done[0] = share
            send({"step": f"{label or 'Estimating'}: {share}%"})

    return truerank.assess(scores, **asked, progress=progress)


def _of_pair(pair: list[str], asked: dict[str, Any]) -> dict[str, Any]:
    """What is asked of a gate where a ranking was asked of two systems."""
    rest = {
        "level" if name == "levels" else name: asked[name]
        for name in asked
        if name not in ("baseline", "pareto")
    }
    return {"baseline": pair[0], "candidate": pair[1]} | rest


def _how_read(scores: Any) -> str:
    reading = scores.reading
    sizes = f"{scores.n:,} {scores.unit.many} × {scores.m:,} systems"
    return f"{sizes}; {reading.line}" if reading is not None else sizes


def _archive(shown: Any, what: str) -> bytes:
    """The files of a result as a zip archive, made in memory."""
    files: dict[str, Callable[[], Mapping[str, str | bytes]]] = {"csv": shown.csv, "paper": shown.kit}
    if what not in files:
        raise InputError(f"there is no download {what!r}; load the page again")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files[what]().items():
            archive.writestr(name, text)
    return held.getvalue()


if __name__ == "__main__":
    main()
