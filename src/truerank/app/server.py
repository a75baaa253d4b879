"""The server behind the page: it takes bytes, works on them in a separate process, and keeps nothing.

Only browsers on this machine reach it. A request is answered in lines of JSON: the steps, and then the
answer. The process ends when the browser closes the connection.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import re
import sys
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from truerank._support.escaping import line
from truerank.app.page import EXAMPLES, example_table, read_and_asked, shell, static
from truerank.errors import InputError
from truerank.report.outputs.page import static as page_file

if TYPE_CHECKING:
    import uvicorn

LOOPBACK = "127.0.0.1"
HERE = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?", re.IGNORECASE)
SIZE = 256 << 20  # bytes of a file
AT_ONCE = 2  # files that are held in memory and worked on at the same time


class Guard:
    """Refuses requests from elsewhere than the page, takes files in turn, and limits what scripts may run."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.free = asyncio.Semaphore(AT_ONCE)
        digest = base64.b64encode(hashlib.sha256(page_file("page.js").encode()).digest()).decode()
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
        refused = refusal(Request(scope))

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(key.encode(), text.encode()) for key, text in self.headers.items()]
            await send(message)

        if refused is not None:
            await refused(scope, receive, with_headers)
        elif scope["method"] == "POST":
            async with self.free:  # until then no byte of the file is read
                await self.app(scope, receive, with_headers)
        else:
            await self.app(scope, receive, with_headers)


def refusal(request: Request) -> Response | None:
    """What a request is refused with; ``None`` if it comes from the page."""
    hosts, origins = request.headers.getlist("host"), request.headers.getlist("origin")
    if len(hosts) != 1 or not HERE.fullmatch(hosts[0]):
        return PlainTextResponse("This server answers only to browsers on its own machine.\n", 403)
    if any(origin.lower() != f"http://{hosts[0].lower()}" for origin in origins):
        return PlainTextResponse("Requests from other sites are refused.\n", 403)
    if request.method != "POST":
        return None
    if request.headers.get("content-type") != "application/octet-stream":
        return PlainTextResponse("Send the bytes of a file, as application/octet-stream.\n", 403)
    declared = request.headers.get("content-length", "0")
    return TOO_LARGE if not declared.isdecimal() or int(declared[:20]) > SIZE else None


TOO_LARGE = PlainTextResponse(f"The file has more than {SIZE >> 20} MB; use the command line.\n", 413)


async def worked(header: dict[str, Any], data: bytes) -> AsyncIterator[bytes]:
    """The lines that the process of a request prints; it ends when the browser goes away."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-B", "-m", "truerank.app.work"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 30,  # a page is one line
    )
    assert process.stdin is not None
    assert process.stdout is not None
    feeding = asyncio.create_task(_fed(process.stdin, _line(header), data))
    answered = False
    try:
        async for line in process.stdout:
            answered = b'"step"' not in line[:8]
            yield line
        if not answered:
            yield _line({"refused": "this takes more memory than there is; use the command line"})
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


async def _body(request: Request) -> bytes | None:
    """The file of a request; ``None`` if it is too large, which is not read to its end."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > SIZE:
            return None
        parts.append(part)
    return b"".join(parts)


def application() -> Starlette:
    """The application: the page, its files, and the answers to its requests."""

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
            data = await _body(request)
        except ClientDisconnect:
            return Response(status_code=400)
        if data is None:
            return TOO_LARGE
        try:
            read_and_asked(header["task"], options)
        except InputError as error:
            return PlainTextResponse(f"{error}\n", 400)
        return StreamingResponse(worked(header, data), media_type="application/x-ndjson")

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
        middleware=[(Guard, (), {})],  # type: ignore[list-item]
    )


def server() -> uvicorn.Server:
    """The server: silent, and ended by one interrupt, whatever it is doing."""
    import uvicorn

    quiet: dict[str, Any] = {"log_level": "critical", "access_log": False, "server_header": False}
    quiet |= {"lifespan": "off", "ws": "none", "http": "h11", "timeout_graceful_shutdown": 1}
    return uvicorn.Server(uvicorn.Config(application(), **quiet))


def serve(port: int, opened: Callable[[str], Any] | None) -> None:
    """Serve until it is interrupted; `opened` is called with the page's address."""
    import socket

    try:
        listening = socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise InputError(f"port {port}: {error.strerror}; use a free one with --port 0") from None
    address = f"http://{LOOPBACK}:{listening.getsockname()[1]}/"
    print(f"The page is at {address} (Ctrl+C ends it)", flush=True)
    if opened is not None:
        opened(address)
    server().run(sockets=[listening])
