"""The local page: what it answers, what it refuses, and what it looks like."""

from __future__ import annotations

import itertools
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from truerank.cli import run
from truerank.cli.app import EXAMPLES, LOOPBACK, Server, offered, remedies, typed
from truerank.errors import InputError
from truerank.readers.options import NAMES
from validation.browser import axe_script, violations

HONEST = b"topic,A,B,C\n" + b"".join(
    f"t{k},{0.3 + k % 7 / 10:.2f},{0.2 + k % 5 / 10:.2f},{0.1 + k % 3 / 10:.2f}\n".encode() for k in range(20)
)
HOLES = HONEST.replace(b"0.30", b"", 1)
LONG = b"who,where,much\n" + b"".join(b"s%d,t%d,%d\n" % (k % 3, k // 3, k * 7 % 5) for k in range(30))


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The server on a free port of this machine, in a thread."""
    with Server((LOOPBACK, 0), str(tmp_path_factory.mktemp("app"))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def request(path: str, body: bytes = b"", method: str = "POST", **headers: str) -> bytes:
    """The bytes of an HTTP request; a header with an underscore has a hyphen there."""
    given = {"host": "127.0.0.1", "content-type": "application/octet-stream"}
    given |= {"content-length": str(len(body))} | {k.replace("_", "-"): v for k, v in headers.items()}
    head = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in given.items())]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def answer(port: int, sent: bytes) -> bytes:
    """All that the server says to a request."""
    with socket.create_connection((LOOPBACK, port), timeout=300) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def asking(command: str, files: dict[str, bytes], **options: str) -> bytes:
    """A request of the page."""
    sizes = [[name, len(data)] for name, data in files.items()]
    given = json.dumps({"command": command, "options": options, "files": sizes})
    return request("/run?" + urlencode({"request": given}), b"".join(files.values()))


def asked(port: int, command: str, files: dict[str, bytes], **options: str) -> Any:
    return json.loads(answer(port, asking(command, files, **options)).partition(b"\r\n\r\n")[2])


def test_the_answer_is_the_page_of_the_command(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asked(port, "assess", {"../../scores.csv": HONEST}, baseline="B")
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_bytes(HONEST)
    assert run(["assess", "scores.csv", "--baseline", "B", "--html", "page.html", "--json", "a.json"]) == 0
    ranking = json.loads(Path("a.json").read_bytes())["ranking"]
    assert found["systems"] == [row["system"] for row in ranking]

    def shown(page: str) -> str:
        return re.sub(r'<pre tabindex="0" aria-label="Command">.*?</pre>', "", page)

    assert shown(found["page"]) == shown(Path("page.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (request("/run", HONEST, host="evil.example"), 403),
        (request("/run", HONEST, origin="http://evil.example"), 403),
        (request("/run", HONEST, content_type="multipart/form-data"), 403),
        (request("/run", HONEST, host="localhost:80", origin="http://localhost:80@evil.example"), 403),
        (request("/run", content_length=str(300 << 20)), 413),
        (request("/run", HONEST), 400),
        (request("/", method="GET", host="localhost"), 200),
        (request("/example/open_clip.csv.gz", method="GET"), 200),
        (request("/../../pyproject.toml", method="GET"), 404),
        (request("/example/../app.py", method="GET"), 404),
    ],
)
def test_what_does_not_come_from_the_page_is_refused(port: int, sent: bytes, code: int) -> None:
    assert int(answer(port, sent).split(b" ", 2)[1]) == code


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("assess", {"plugins": "a.py"}),
        ("assess", {"machine": "/etc/passwd"}),
        ("assess", {"topics": "../../secret.txt"}),
        ("assess", {"missing": "zero --html=x"}),
    ],
)
def test_no_option_reaches_other_files_or_runs_code(command: str, options: dict[str, str]) -> None:
    with pytest.raises(InputError):
        typed(command, options)


def test_hostile_files_learn_nothing(port: int) -> None:
    module = {"scores.csv": HONEST, "numpy.py": b"raise SystemExit"}
    for sent in (module, {"a.csv": b"/etc/passwd\n"}):
        found = asked(port, "assess", sent)
        assert "refused" in found
        assert not re.search(r"Traceback|File \"|root:x:0|/tmp", found["refused"])


def test_the_button_of_a_message_is_a_way_out(port: int) -> None:
    refused = asked(port, "assess", {"a.csv": LONG})
    way = refused["remedies"][0]
    assert "page" in asked(port, way["command"], {"a.csv": LONG}, **way["set"])
    assert remedies("use --measure='P(rel=2)@10'", "assess")[0]["set"] == {"measures": "P(rel=2)@10"}


def test_the_options_of_reading_are_on_the_page() -> None:
    declared = {*NAMES} - {"measure", "weights"}
    for command in ("assess", "gate", "plan", "significance"):
        assert declared <= {*offered(command)}
        headings = [item.heading for item in offered(command).values()]
        assert sum(a != b for a, b in itertools.pairwise(headings)) == len({*headings}) - 1


def test_one_interrupt_ends_it_while_a_file_is_sent() -> None:
    command = [sys.executable, "-m", "truerank", "app", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(re.findall(r":(\d+)/", process.stdout.readline())[0])
        with socket.create_connection((LOOPBACK, port)) as connection:
            connection.sendall(request("/run", HONEST, content_length=str(10**6)))
            assert answer(port, request("/", method="GET"))
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=300) in (0, 130, -signal.SIGINT)


def test_a_port_that_is_taken_is_refused(capsys: pytest.CaptureFixture[str], port: int) -> None:
    assert run(["app", "--port", str(port), "--no-browser"]) == 2
    assert "--port 0" in capsys.readouterr().err


def test_examples_are_tables_of_the_gallery() -> None:
    import truerank.cli

    tables = Path(__file__).parents[2] / "gallery" / "tables"
    for name in EXAMPLES:
        held = Path(truerank.cli.__file__).parent / "examples" / name
        assert held.read_bytes() == (tables / name).read_bytes()


@pytest.mark.packaging
def test_a_stranger_with_a_file_sees_who_may_be_first(port: int, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"http://127.0.0.1:{port}/")
    assert violations(page, axe_script() or pytest.skip("no axe-core")) == []
    hostile = HOLES.replace(b"A,", b"<img src=x onerror=\"document.title='run'\">,", 1)
    page.set_input_files("#file", {"name": "<b>scores</b>.csv", "mimeType": "text/csv", "buffer": hostile})
    page.click("#remedies button", timeout=120_000)  # --missing common, which the gate takes too
    page.wait_for_selector("#answer:not([hidden])", timeout=120_000)
    assert re.search("may be first|leads", page.frame_locator("#page").locator("main").inner_text())
    page.select_option("#command", "gate")
    page.click("#of-gate details:has-text('Verdict') summary")
    page.fill("#of-gate [name=baseline]", "B")
    page.press("#of-gate [name=baseline]", "Enter")
    page.wait_for_function("() => answer.page && !answer.systems.length", timeout=120_000)
    for scheme, width in (("light", 1200), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert violations(page, axe_script() or "") == []
    assert page.title() != "run"
    assert wrong == []
    page.close()
