"""The page that takes files: what it answers, what it refuses, and what it looks like."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import truerank
from truerank.app.page import CONTROLS, EXAMPLES, QUESTIONS, example_table
from truerank.cli import run
from truerank.readers.formats.source import Source
from validation.browser import axe_script, violations

HONEST = b"topic,A,B,C\n" + b"".join(
    f"t{k},{0.3 + k % 7 / 10:.2f},{0.2 + k % 5 / 10:.2f},{0.1 + k % 3 / 10:.2f}\n".encode() for k in range(20)
)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The server on a free port of this machine, in a thread."""
    from truerank.app.server import server

    listening = socket.create_server(("127.0.0.1", 0))
    running = server()
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.02)
    yield listening.getsockname()[1]
    running.should_exit = True
    thread.join(20)


def request(path: str, body: bytes = b"", method: str = "POST", **headers: str) -> bytes:
    """The bytes of an HTTP request; a header with an underscore has a hyphen there."""
    given = {"host": "127.0.0.1", "content-type": "application/octet-stream"}
    given |= {"content-length": str(len(body))} | {k.replace("_", "-"): v for k, v in headers.items()}
    head = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in given.items()), "connection: close"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def answer(port: int, sent: bytes) -> bytes:
    """All that the server says to a request."""
    with socket.create_connection(("127.0.0.1", port), timeout=300) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def status(said: bytes) -> int:
    return int(said.split(b" ", 2)[1])


def test_bytes_are_a_source_like_their_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(HONEST)
    from_bytes, from_file = truerank.read_scores(HONEST), truerank.read_scores(path)
    assert from_bytes.systems == from_file.systems
    assert (from_bytes.values == from_file.values).all()


def test_the_name_of_bytes_is_never_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    source = Source("here", data=HONEST)
    assert not source.is_folder
    assert source.folder_name == ""
    assert truerank.read_scores(source).systems == ("A", "B", "C")


def test_the_answer_is_that_of_the_library_and_of_the_command_it_names(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asked(port, HONEST, name="scores.csv")
    known = truerank.assess(truerank.read_scores(HONEST))
    assert found["json"]["estimates"] == json.loads(json.dumps(known.to_dict()["estimates"]))
    assert found["systems"] == [one.system for one in known.ranking]
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_bytes(HONEST)
    assert run([*shlex.split(found["command"])[1:], "--json", "out.json", "-q"]) == 0
    assert json.loads(Path("out.json").read_text(encoding="utf-8"))["estimates"] == found["json"]["estimates"]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (request("/assess", HONEST, host="evil.example"), 403),
        (request("/", host="evil.example:80", method="GET"), 403),
        (request("/assess", HONEST, origin="http://evil.example"), 403),
        (request("/assess", HONEST, origin="null"), 403),
        (request("/assess", HONEST, **{"content-type": "multipart/form-data"}), 403),
        (request("/assess", HONEST, host="localhost:80@evil.example"), 403),
        (request("/assess", HONEST, host="localhost:80", origin="http://localhost:80@evil.example"), 403),
        (request("/assess", HONEST, origin="http://[::1"), 403),
        (request("/assess", HONEST, origin="https://127.0.0.1"), 403),
        # The size counts before a byte of the file is read: none is sent.
        (request("/assess", content_length=str(300 << 20)), 413),
        (request("/assess?levels=high", HONEST), 400),
        (request("/schema", HONEST), 400),
        (request("/", method="GET", host="localhost"), 200),
        (request("/", method="GET", host="[::1]:8321", origin="http://[::1]:8321"), 200),
        (request("/../../pyproject.toml", method="GET"), 404),
    ],
)
def test_what_does_not_come_from_the_page_is_refused(port: int, sent: bytes, code: int) -> None:
    assert status(answer(port, sent)) == code


@pytest.mark.parametrize(
    "body", [b"", bytes(50_000), b"[" * 100_000, gzip.compress(HONEST)[:-10], b"/etc/passwd\n"]
)
def test_hostile_files_learn_nothing(port: int, body: bytes) -> None:
    said = answer(port, request("/assess?name=../../etc/passwd", body))
    assert b"refused" in said
    for sign in (b"Traceback", b'File "', b"root:x:0", str(Path(__file__).parents[2]).encode()):
        assert sign not in said


def test_files_wait_unread_while_two_are_sent(port: int) -> None:
    """Of a third file the server reads nothing; it is answered once the others are gone."""
    waiting = [socket.create_connection(("127.0.0.1", port), timeout=300) for _ in range(2)]
    for connection in waiting:
        connection.sendall(request("/assess", HONEST, content_length=str(10**6)))
    answers: list[bytes] = []
    third = threading.Thread(target=lambda: answers.append(answer(port, request("/plan", HONEST))))
    third.start()
    third.join(1)
    assert not answers
    for connection in waiting:
        connection.close()
    third.join(300)
    assert status(answers[0]) == 200


def test_one_interrupt_ends_it_while_a_file_is_sent() -> None:
    command = [sys.executable, "-m", "truerank", "app", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(re.findall(r":(\d+)/", process.stdout.readline())[0])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(request("/assess", HONEST, content_length=str(10**6)))
            while not answer(port, request("/", method="GET")):
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=300) in (0, 130, -signal.SIGINT)


def asked(port: int, body: bytes, **settings: str) -> dict[str, Any]:
    said = answer(port, request("/assess?" + urlencode({"name": "a.csv", **settings}), body))
    found: dict[str, Any] = json.loads([line for line in said.splitlines() if line.startswith(b"{")][-1])
    return found


def test_options_that_cannot_be_served_are_refused(capsys: pytest.CaptureFixture[str], port: int) -> None:
    said = [
        (["--port", "70000"], "65535"),
        (["--port", str(port), "--no-browser"], "--port 0"),
        (["--public"], "No such option"),
    ]
    for options, remedy in said:
        assert run(["app", *options]) == 2
        assert remedy in capsys.readouterr().err


def test_two_systems_are_answered_by_the_gate_that_is_named(port: int) -> None:
    two = b"".join(line.rsplit(b",", 1)[0] + b"\n" for line in HONEST.splitlines())
    found = asked(port, two, levels="0.9", baseline="B")
    known = truerank.gate(truerank.read_scores(two), *found["pair"], level=0.9)
    assert found["pair"] == ["B", "A"]
    assert found["json"]["verdict"] == known.to_dict()["verdict"]
    assert found["command"] == "truerank gate a.csv --baseline B --candidate A --level 0.9"


def test_the_frontier_with_another_measure_of_the_file(port: int) -> None:
    costs = b"".join(
        b"t%d,%s,%.2f,%.1f\n" % (t, s, 0.1 * i + t % 7 / 10, 9 - i * (t % 3))
        for t in range(20)
        for i, s in enumerate((b"A", b"B", b"C"))
    )
    found = asked(port, b"topic,system,acc,cost\n" + costs, measure="acc", pareto="cost")
    assert found["command"] == "truerank assess a.csv --measure acc --pareto cost"
    assert "pareto=truerank.read_scores('a.csv', measure='cost')" in found["python"]
    assert found["json"]["pareto"]["systems"] == ["C"]
    assert 'class="frontier"' in found["page"]


def test_what_a_message_names_is_a_control_with_that_choice(port: int) -> None:
    holes = HONEST.replace(b"0.30", b"", 1)
    long = b"who,where,much\n" + b"".join(b"s%d,t%d,%d\n" % (k % 3, k // 3, k * 7 % 5) for k in range(30))
    of_label = {control.label: control for control in CONTROLS}
    for body in (holes, long):
        way = asked(port, body)["refused"].partition(" if there is one row")[0]
        named = re.findall("“([^“”]+?): ([^“”]+)”", way)
        settings = {of_label[label].argument: value for label, value in named}
        assert "page" in asked(port, body, **settings)


def test_controls_are_arguments_of_what_they_set() -> None:
    import inspect

    from truerank.readers.options import NAMES

    known = {"read": NAMES, "assess": inspect.signature(truerank.assess).parameters}
    for control in CONTROLS:
        assert control.argument in known[control.of]
    for task, controls in QUESTIONS.items():
        assert {one.argument for one in controls} <= set(
            inspect.signature(getattr(truerank, task)).parameters
        )


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_read_without_a_question(name: str) -> None:
    scores = truerank.read_scores(example_table(name), missing="model")
    assert len(scores.systems) >= 8


@pytest.mark.packaging
def test_a_stranger_with_a_file_sees_who_may_be_first(port: int, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"http://127.0.0.1:{port}/")
    assert violations(page, axe_script() or pytest.skip("no axe-core")) == []
    hostile = HONEST.replace(b"A,", b"<img src=x onerror=\"document.title='run'\">,", 1)
    page.set_input_files("#file", {"name": "<b>scores</b>.csv", "mimeType": "text/csv", "buffer": hostile})
    page.wait_for_selector("#answer:not([hidden])", timeout=120_000)
    frame = page.frame_locator("#page")
    assert (
        "may be first" in frame.locator("main").inner_text() or "leads" in frame.locator("main").inner_text()
    )
    page.keyboard.press("Tab")
    page.select_option("#gate select[name=baseline]", "B")
    page.press("#gate input[name=margin]", "Enter")
    page.wait_for_selector("#gate-answer:not(:empty)", timeout=120_000)
    assert "against B" in page.inner_text("#gate-answer")
    for scheme, width in (("light", 1200), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert violations(page, axe_script() or "") == []
    page.set_input_files("#file", {"name": "second.csv", "mimeType": "text/csv", "buffer": HONEST})
    page.wait_for_function("() => document.getElementById('command').textContent.includes('second.csv')")
    frame.locator("h1").wait_for()
    page.locator("#page").scroll_into_view_if_needed()
    assert len(page.locator("#page").screenshot()) > 10_000, "the page of a second file is not painted"
    assert page.title() != "run"
    assert wrong == []
    page.close()
