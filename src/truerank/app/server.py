"""The server behind the page: it takes bytes, works on them in a separate process, and keeps nothing.

Only browsers on this machine reach it, unless it is public. A request is answered in lines of JSON: the
steps, and then the answer. The process ends when the browser closes the connection, or the time is over.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from truerank._support.escaping import line
from truerank.app.page import EXAMPLES, example_table, read_and_asked, shell, static
from truerank.errors import InputError
from truerank.report import templating

LOOPBACK = "127.0.0.1"
_HERE = ("127.0.0.1", "localhost", "[::1]")  # names of this machine in its own browser


@dataclass(frozen=True)
class Limits:
    """The limits of requests."""

    size: int = 256 << 20  # bytes of a file
    memory: int = 4 << 30  # bytes of its process
    seconds: int = 600  # of processor time, and of waiting for an answer
    upload: int = 60  # seconds for sending a file
    at_once: int = 2  # requests that are worked on at the same time
    waiting: int = 20  # requests that may wait for that


PUBLIC = Limits(size=16 << 20, memory=1 << 30, seconds=60, upload=30)  # for users who are not known


class Guard:
    """Refuses requests from elsewhere than the page, and limits the scripts that may run."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self.app = app
        self.hosts = frozenset(hosts)
        digest = base64.b64encode(hashlib.sha256(templating.static("page.js").encode()).digest()).decode()
        self.headers = {
            "content-security-policy": (
                f"default-src 'none'; script-src 'self' 'sha256-{digest}'; style-src 'self' 'unsafe-inline'; "
                "img-src 'self' data:; connect-src 'self'; frame-src blob:; base-uri 'none'; "
                "form-action 'none'; frame-ancestors 'none'"
            ),
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "cache-control": "no-store",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        refused = self.refusal(Request(scope))

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(key.encode(), text.encode()) for key, text in self.headers.items()]
            await send(message)

        answer: ASGIApp = self.app if refused is None else PlainTextResponse(refused, 403)
        await answer(scope, receive, with_headers)

    def refusal(self, request: Request) -> str | None:
        """Why a request is refused; ``None`` if it comes from the page."""
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or _name(hosts[0]) not in self.hosts:
            return "This server does not answer to that name; start it with --allowed-host NAME.\n"
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != hosts[0]:
            return "Requests from other sites are refused.\n"
        if request.method == "POST" and request.headers.get("content-type") != "application/octet-stream":
            return "Send the bytes of a file, as application/octet-stream.\n"
        return None


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    return host.rsplit(":", 1)[0].lower() if not host.endswith("]") else host.lower()


class Works:
    """Processes that answer requests, a few at a time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.waiting = 0
        self.free = asyncio.Semaphore(limits.at_once)

    async def lines(self, header: dict[str, Any], data: bytes) -> AsyncIterator[bytes]:
        """The lines that the process of a request prints; it ends when the browser goes away."""
        if self.waiting >= self.limits.waiting:
            yield _refused("too many people ask at the same time; try again in a minute")
            return
        self.waiting += 1
        try:
            yield _line({"step": "Waiting for others"} if self.free.locked() else {"step": "Starting"})
            await self.free.acquire()
        finally:
            self.waiting -= 1
        try:
            async for line in self._worked(header, data):
                yield line
        finally:
            self.free.release()

    async def _worked(self, header: dict[str, Any], data: bytes) -> AsyncIterator[bytes]:
        limits = self.limits
        header |= {"memory": limits.memory, "seconds": limits.seconds}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "truerank.app.work"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=1 << 30,  # a page is one line
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "TRUERANK_MAX_INPUT": str(8 * limits.size)},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        feeding = asyncio.create_task(_fed(process.stdin, _line(header), data))
        answered = False
        try:
            async with asyncio.timeout(limits.seconds):
                async for line in process.stdout:
                    answered = b'"step"' not in line[:8]
                    yield line
            if not answered:
                yield _refused("this takes more memory or time than a request may have; use the command line")
        except TimeoutError:
            yield _refused(f"this takes more than {limits.seconds} seconds; use the command line")
        finally:
            feeding.cancel()
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _fed(stream: asyncio.StreamWriter, *parts: bytes) -> None:
    with contextlib.suppress(ConnectionError):
        for part in parts:
            stream.write(part)
            await stream.drain()
        stream.close()


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _refused(why: str) -> bytes:
    return _line({"refused": why})


async def _body(request: Request, limits: Limits) -> bytes:
    """The file of a request; one that is too slow or too large is refused and not kept."""
    parts, size = [], 0
    async with asyncio.timeout(limits.upload):
        async for part in request.stream():
            size += len(part)
            parts.append(part)
            if size > limits.size:
                parts.clear()
    if size > limits.size:
        raise OverflowError
    return b"".join(parts)


def application(limits: Limits, hosts: Sequence[str] = _HERE) -> Starlette:
    """The application: the page, its files, and the answers to its requests."""
    works = Works(limits)

    async def ask(request: Request) -> Response:
        options = dict(request.query_params)
        name, files = options.pop("name", ""), options.pop("files", "")
        header = {
            "task": request.path_params["task"],
            "name": line(name.replace("\\", "/").rsplit("/", 1)[-1])[:80] or "pasted table",
            "files": files,
            "settings": options,
        }
        try:
            data = await _body(request, limits)
        except OverflowError:
            return PlainTextResponse(f"The file has more than {limits.size >> 20} MB.\n", 413)
        except TimeoutError:
            return PlainTextResponse("The file came too slowly.\n", 408)
        except ClientDisconnect:
            return Response(status_code=400)
        try:
            read_and_asked(header["task"], options)
        except InputError as error:
            return PlainTextResponse(f"{error}\n", 400)
        return StreamingResponse(works.lines(header, data), media_type="application/x-ndjson")

    async def example(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in EXAMPLES:
            return PlainTextResponse("There is no such example.\n", 404)
        return Response(await asyncio.to_thread(example_table, name), media_type="application/octet-stream")

    def fixed(text: Callable[[], str], kind: str) -> Callable[[Request], Response]:
        return lambda request: Response(text(), media_type=kind)

    return Starlette(
        routes=[
            Route("/", fixed(shell, "text/html")),
            Route("/app.js", fixed(lambda: static("app.js"), "text/javascript")),
            Route("/app.css", fixed(lambda: static("app.css"), "text/css")),
            Route("/example/{name}", example),
            Route("/{task:str}", ask, methods=["POST"]),
        ],
        middleware=[(Guard, (), {"hosts": tuple(hosts)})],  # type: ignore[list-item]
    )


def settings_of(limits: Limits) -> dict[str, Any]:
    """The settings of uvicorn: silent, and closing idle connections."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):
        """A connection that is closed if no request comes in time."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.loop.call_later(limits.upload, lambda: transport.close() if self.cycle is None else None)

    quiet = {"log_level": "critical", "access_log": False, "server_header": False}
    quiet |= {"lifespan": "off", "ws": "none"}
    return {"http": Impatient, "limit_concurrency": 10 * limits.waiting, "timeout_keep_alive": 5, **quiet}


def serve(port: int, public: bool, allowed: Sequence[str], opened: Callable[[str], Any] | None) -> None:
    """Serve until it is interrupted, where `public` on all addresses, with stricter limits.

    `allowed` are further names of this machine; `opened` is called with the page's address.
    """
    import socket

    import uvicorn

    try:
        listening = socket.create_server(("0.0.0.0" if public else LOOPBACK, port))
    except OSError as error:
        raise InputError(f"port {port}: {error.strerror}; use a free one with --port 0") from None
    address = f"http://{LOOPBACK}:{listening.getsockname()[1]}/"
    limits = PUBLIC if public else Limits()
    application_ = application(limits, [*_HERE, *(name.lower() for name in allowed)])
    config = uvicorn.Config(application_, **settings_of(limits))
    print(f"The page is at {address} (Ctrl+C ends it)", flush=True)
    if opened is not None:
        opened(address)
    uvicorn.Server(config).run(sockets=[listening])
