"""Requests that nobody sends by mistake, against the page's server: `python -m validation app_served`.

A thousand of them, fifty at a time: tables that are none, names with paths and markup, wrong hosts and
origins, bodies that never end, broken packing, depth without end. After all of them the server answers an
honest one, no file was written, and no answer shows a traceback or a path of this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from validation.checks import Checks

HONEST = b"topic,A,B,C\n" + b"".join(
    f"t{k},{0.3 + k % 7 / 10:.2f},{0.2 + k % 5 / 10:.2f},{0.1 + k % 3 / 10:.2f}\n".encode() for k in range(20)
)
"""A table that is assessed at once."""

MARKUP = "<img src=x onerror=document.title='run'>"

NAMES = (
    "../../etc/passwd",
    "/etc/passwd",
    "con.csv",
    "a\x00b.csv",
    "x" * 5000,
    MARKUP,
    "-",
    "--json=/tmp/x.json",
    "",
)


@dataclass(frozen=True)
class Hostile:
    """One request: its bytes, and whether it is sent whole."""

    name: str
    sent: bytes
    slow: bool = False


def request(
    path: str,
    body: bytes = b"",
    host: str = "127.0.0.1",
    method: str = "POST",
    length: int | None = None,
    **headers: str,
) -> bytes:
    """The bytes of an HTTP request."""
    given = {
        "host": host,
        "content-type": "application/octet-stream",
        "content-length": str(length or len(body)),
    }
    lines = [
        f"{method} {path} HTTP/1.1",
        *(f"{k}: {v}" for k, v in {**given, **headers}.items()),
        "connection: close",
    ]
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def bodies(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Files that are no tables of scores, or tables that are traps."""
    yield "nothing", b""
    yield "noise", rng.randbytes(rng.choice([10, 1000, 100_000]))
    yield "zeros", b"\0" * 50_000
    yield "depth", b"[" * 100_000
    yield "objects", b'{"a":' * 50_000
    yield "bomb", gzip.compress(b"0" * (1 << 26))
    yield "half packed", gzip.compress(HONEST)[:-10]
    yield "markup", HONEST.replace(b"A", MARKUP.encode()).replace(b"t1,", b"<script>alert(1)</script>,")
    yield "formula", HONEST.replace(b"t3", b'"=cmd|calc"')
    yield "wide", b",".join([b"topic"] + [b"s%d" % k for k in range(20_000)]) + b"\n" + b"t," + b"1," * 20_000
    yield "path", b"/etc/passwd\n"
    yield "marker", b"\xef\xbb\xbf" + HONEST
    yield "parquet", b"PAR1" + rng.randbytes(500) + b"PAR1"
    yield "zip", b"PK\x03\x04" + rng.randbytes(500)


def attacks(count: int, seed: int = 0) -> list[Hostile]:
    """So many requests, of all kinds, in an order of chance."""
    rng = random.Random(seed)
    found: list[Hostile] = []
    while len(found) < count:
        for name, body in bodies(rng):
            address = {
                "name": rng.choice(NAMES),
                rng.choice(["missing", "baseline", "measure", "tau", "x"]): MARKUP,
            }
            task = rng.choice(["assess", "gate", "plan", "schema", "../assess"])
            found.append(Hostile(name, request(f"/{task}?{urlencode(address)}", body)))
        found += [
            Hostile("host", request("/assess", HONEST, host="evil.example")),
            Hostile("origin", request("/assess", HONEST, origin="http://evil.example")),
            Hostile("kind", request("/assess", HONEST, **{"content-type": "text/plain"})),
            Hostile("short", request("/assess", HONEST, length=10**9), slow=True),
            Hostile("negative", request("/assess", HONEST, length=-5)),
            Hostile("static", request("/../../pyproject.toml", method="GET")),
            Hostile("example", request(f"/example/{quote('../app.html', safe='')}", method="GET")),
            Hostile("no request", b"\x16\x03\x01" + rng.randbytes(200)),
            Hostile("half a head", b"POST /assess HTTP/1.1\r\nhost: 127.0.0.1\r\n", slow=True),
        ]
    rng.shuffle(found)
    return found[:count]


@contextlib.contextmanager
def served(seconds: int = 60) -> Iterator[int]:
    """The server on a free port of this machine, in a thread; gives the port."""
    import socket

    import uvicorn

    from truerank.app.server import Limits, application, settings_of

    limits = Limits(size=1 << 22, memory=1 << 31, seconds=seconds, upload=3, at_once=2, waiting=200)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(application(limits), **settings_of(limits)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.02)
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(20)


async def answer(port: int, one: Hostile, wait: float = 120.0) -> bytes:
    """What the server says to a request; what a slow one sends ends in the middle."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        with contextlib.suppress(ConnectionError):
            writer.write(one.sent)
            await writer.drain()
        with contextlib.suppress(ConnectionError, TimeoutError):
            return await asyncio.wait_for(reader.read(), wait)
        return b""
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def answers(port: int, requests: list[Hostile], at_once: int) -> list[bytes]:
    """The answers to all, so many at a time."""
    free = asyncio.Semaphore(at_once)

    async def one(request: Hostile) -> bytes:
        async with free:
            return await answer(port, request)

    return await asyncio.gather(*map(one, requests))


def betrayals(answers: list[bytes]) -> list[bytes]:
    """Answers that show more than they should: tracebacks, files of this machine."""
    home = os.fsencode(str(Path(__file__).resolve().parents[1]))
    signs = (b"Traceback", b'File "', b"root:x:0", b"[build-system]", home)
    return [one for one in answers if any(sign in one for sign in signs)]


def assessed(port: int) -> dict[str, object]:
    """What an honest request gets, from its last line."""
    said = asyncio.run(answer(port, Hostile("honest", request("/assess?name=scores.csv", HONEST))))
    lines = [line for line in said.splitlines() if line.startswith(b"{")]
    return json.loads(lines[-1])


def run(checks: Checks, count: int = 1000) -> None:
    """All requests, and one honest one after them."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = folder
        try:
            with served() as port:
                said = asyncio.run(answers(port, attacks(count), 50))
                checks.that(f"{count} hostile requests show nothing of this machine", not betrayals(said))
                checks.that("an honest request is answered after them", "page" in assessed(port))
        finally:
            os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before)
        checks.that("nothing was written", not list(Path(folder).rglob("*")))
