"""`truerank app`: a local page that runs the commands of this package on the files that are dropped on it."""

from __future__ import annotations

import json
import re
import select
import shlex
import subprocess
import sys
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path, PureWindowsPath
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Annotated, Any
from urllib.parse import parse_qs, urlsplit

from truerank._support.escaping import line, terminal
from truerank.cli.command import Parameter, command, option, switch
from truerank.errors import InputError

PORT = 8321
LOOPBACK = "127.0.0.1"
HERE = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?", re.IGNORECASE)
SIZE = 256 << 20  # bytes of the files of one request
COMMANDS = ("assess", "gate", "plan", "significance", "compare")
NOT_HERE = {"plugins", "state", "board", "save_resamples"}  # options that run code or write files
EXAMPLES = {  # tables of the gallery
    "open_clip.csv.gz": "121 image classifiers on 38 data sets",
    "evalperf_pass.csv.gz": "34 language models on 118 programming tasks",
    "llmfao.csv.gz": "59 chatbots in battles",
}
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
POLICY += "img-src data:; frame-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
)
VALUE = r"'[^']*'|[^\s(),;-][^\s(),;]*"
GIVEN = rf"=(?:'[^']*'|[^\s(),;]+)| (?:{VALUE})"  # only behind = a value may start with a minus sign
REMEDY = re.compile(rf"(?:truerank (\w+)[^;]*? )?((?:--[a-z][a-z-]*(?:{GIVEN})* ?)+)")
PROSE = re.compile("and|are|as|for|has|if|in|is|names|needs|of|on|or|says|takes|that|the|to|where|with|")


@command("app", "")
def app(
    port: Annotated[int, option("N", "Port; 0: any free one.", min=0, max=65535)] = PORT,
    no_browser: Annotated[bool, switch("Do not open the browser.", "--no-browser")] = False,
) -> None:
    """Assess a table in the browser: drop a file, see the page.

    Files are worked on in a temporary folder of this machine, and deleted with the answer.
    """
    import webbrowser

    with TemporaryDirectory(prefix="truerank-app-", ignore_cleanup_errors=True) as folder:
        try:
            server = Server((LOOPBACK, port), folder)
        except OSError as error:
            raise InputError(f"port {port}: {error.strerror}; use a free one with --port 0") from None
        address = f"http://{LOOPBACK}:{server.server_address[1]}/"
        print(f"The page is at {address} (Ctrl+C ends it)", flush=True)
        if not no_browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        finally:
            server.server_close()


@cache
def offered(command: str) -> dict[str, Parameter]:
    """The options of a command that the page offers, by name, those of one heading together."""
    from truerank.cli import PROGRAM

    items = [
        item
        for item in PROGRAM.find(command).parameters  # type: ignore[union-attr]
        if item.flags and item.heading not in ("Options", "Output") and item.name not in NOT_HERE
    ]
    headings = [item.heading for item in items]
    return {item.name: item for item in sorted(items, key=lambda item: headings.index(item.heading))}


def typed(command: str, given: dict[str, str]) -> list[str]:
    """The options of a command as they are typed; `given` has the text of each control by its name.

    >>> typed("assess", {"missing": "zero", "measures": "AP"})
    ['--missing=zero', '--measure=AP']
    """
    words: list[str] = []
    for name, text in given.items():
        parameter = offered(command).get(name)
        if parameter is None:
            raise InputError(f"truerank {command} has no option {name!r} on this page; load it again")
        few, name, pair = parameter.choices, parameter.shown, parameter.takes > 1
        if few and text not in few:
            raise InputError(f"{name}: {text!r} is not one of {', '.join(few)}")
        for value in shlex.split(text) if pair else text.splitlines():
            path = Path(value.partition("=")[2] or value)
            if path.is_absolute() or PureWindowsPath(path).drive or {"..", "~"} & {*path.parts}:
                raise InputError(f"{name} {value}: drop that file on the page, and give its name alone")
            words += [f"{name}={value}"] if parameter.takes == 1 else [value]
        if pair:
            words[-parameter.takes :] = [name, *words[-parameter.takes :]]
    return words


def remedies(message: str, command: str) -> list[dict[str, Any]]:
    """A button for each option that a message names: the command, its label, and the controls that it sets.

    A control without a value is one to be filled in.

    >>> remedies("use --missing zero or --tried with a number", "assess")[0]["set"]
    {'missing': 'zero', 'tried': None}
    """
    buttons: dict[str, dict[str, Any]] = {}
    for match in REMEDY.finditer(message):
        other = match[1] if match[1] in COMMANDS else command
        known = {name: one for one in offered(other).values() for name in one.flags}
        values: dict[str, str | None] = {}
        for name, value in re.findall(rf"(--[a-z][a-z-]*)({GIVEN})?", match[2]):
            if (parameter := known.get(name)) is not None:
                value = value[1:].rstrip(".:").strip("'")
                prose = PROSE.fullmatch(value) and f"'{value}'" not in message
                open_ = prose or value == parameter.option.metavar
                values[parameter.name] = (None if open_ else value) if parameter.takes else name
        for name in values if len(values) == 1 else ():  # "--missing model (…), common (…) or zero (…)"
            for choice in offered(other)[name].choices:
                if not choice.startswith("-") and re.search(rf"\b{choice}\b", message[match.start() :]):
                    shown = f"{offered(other)[name].shown} {choice}"
                    buttons[shown] = {"command": other, "label": shown, "set": {name: choice}}
        if values:
            shown = match[2].strip() if other == command else f"truerank {other} {match[2].strip()}"
            buttons.setdefault(shown, {"command": other, "label": shown, "set": values})
    return list(buttons.values())


@cache
def page() -> bytes:
    from jinja2 import Environment

    from truerank.report.outputs.page import static
    from truerank.report.palette import style_rules

    text = files("truerank.cli").joinpath("app.html").read_text(encoding="utf-8")
    known: dict[str, Any] = {"offered": offered, "commands": COMMANDS, "examples": EXAMPLES}
    known["style"] = style_rules() + static("page.css")
    return Environment(autoescape=True).from_string(text).render(known).encode()


class Server(ThreadingHTTPServer):
    """Serves the page on this machine."""

    def __init__(self, address: tuple[str, int], folder: str) -> None:
        super().__init__(address, Handler)
        self.folder = folder


class Handler(BaseHTTPRequestHandler):
    """Answers requests of the page, and refuses those of other sites."""

    server: Server
    timeout = 60

    def log_message(self, *given: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        """The page, or one of its examples."""
        example = self.path.removeprefix("/example/")
        if not self._from_here():
            self.send_error(403)
        elif self.path == "/":
            self._send(page(), "text/html; charset=utf-8")
        elif example in EXAMPLES:
            table = files("truerank.cli").joinpath("examples", example)
            self._send(table.read_bytes(), "application/octet-stream")
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        size = self.headers.get("content-length", "")
        if not self._from_here() or self.headers.get("content-type") != "application/octet-stream":
            return self.send_error(403)
        if not size.isdecimal() or int(size[:20]) > SIZE:
            return self.send_error(413, "the files have more than 256 MB; use the command line")
        try:
            request = json.loads(parse_qs(urlsplit(self.path).query)["request"][0])
            with TemporaryDirectory(dir=self.server.folder, ignore_cleanup_errors=True) as folder:
                answer = self._answer(Path(folder), request)
        except InputError as error:
            answer = {"refused": str(error), "remedies": []}
        except (LookupError, TypeError, ValueError):
            return self.send_error(400, "this is not a request of the page; load it again")
        self._send(json.dumps(answer).encode(), "application/json")

    def _from_here(self) -> bool:
        hosts, origins = (self.headers.get_all(name) or [] for name in ("host", "origin"))
        known = len(hosts) == 1 and HERE.fullmatch(hosts[0]) is not None
        return known and all(origin.lower() == f"http://{hosts[0].lower()}" for origin in origins)

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        for name, value in (("Content-Type", kind), *HEADERS):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _answer(self, folder: Path, request: dict[str, Any]) -> dict[str, Any]:
        command = request["command"]
        if command not in COMMANDS:
            raise InputError(f"this page does not run {command!r}; load it again")
        options = typed(command, request["options"])
        named = {word.partition("=")[2] for word in options}
        sources = []
        for name, size in request["files"]:
            name = line(terminal(name.replace("\\", "/").rsplit("/", 1)[-1]))[-80:].lstrip("-.") or "table"
            sources += [name] * (name not in named)
            with (folder / name).open("wb") as file:
                while size > 0 and (block := self.rfile.read(min(size, 1 << 20))):
                    size -= file.write(block)
        made = ["--html=page.html", "--json=truerank.json", "--quiet"]
        # -P: a file called numpy.py is not imported.
        words = [sys.executable, "-B", "-P", "-m", "truerank", command, *sources, *options, *made]
        code, said = self._run(words, folder)
        if code not in (0, 1, 4):
            message = said or "this takes more memory than there is; use the command line"
            return {"refused": message, "remedies": remedies(message, command)}
        result = json.loads((folder / "truerank.json").read_bytes())
        results = result if isinstance(result, list) else [result]
        return {
            "page": (folder / "page.html").read_text(encoding="utf-8"),
            "systems": [row["system"] for row in results[0].get("ranking", ())],
            "remedies": remedies("; ".join(w for one in results for w in one.get("warnings", ())), command),
        }

    def _run(self, words: list[str], folder: Path) -> tuple[int, str]:
        """The exit code of a command and its message; it ends when the browser goes away."""
        with (
            TemporaryFile() as errors,
            subprocess.Popen(
                words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
            ) as process,
        ):
            while process.poll() is None:
                if select.select([self.connection], [], [], 0.1)[0]:  # closed: the page sends nothing more
                    process.kill()
                    process.wait()
            errors.seek(0)
            said = ("\n" + errors.read().decode(errors="replace").strip()).rpartition("\ntruerank: ")[2]
        return process.returncode, re.sub(r" \(see 'truerank.*'\)$", "", said)
