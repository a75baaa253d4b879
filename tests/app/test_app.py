"""The page that takes files: what it answers, what it refuses, and what it looks like."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import truerank
from truerank.app.page import CONTROLS, EXAMPLES, QUESTIONS, example_table
from truerank.cli import run
from truerank.readers.formats.source import Source
from validation.app_served import (
    HONEST,
    Hostile,
    answer,
    answers,
    assessed,
    attacks,
    betrayals,
    request,
    served,
)
from validation.browser import axe_script, violations


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with served() as found:
        yield found


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
    found: Any = assessed(port)
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
        (request("/assess", bytes(5 << 20)), 413),
        (request("/assess", HONEST, length=10**6), 408),
        (request("/assess?levels=high", HONEST), 400),
        (request("/schema", HONEST), 400),
        (request("/", method="GET", host="localhost"), 200),
    ],
)
def test_what_does_not_come_from_the_page_is_refused(port: int, sent: bytes, code: int) -> None:
    assert status(asyncio.run(answer(port, Hostile("one", sent)))) == code


def test_hostile_requests_learn_nothing_and_do_no_harm(port: int) -> None:
    said = asyncio.run(answers(port, attacks(40, seed=3), 20))
    assert betrayals(said) == []
    assert b'"page"' in asyncio.run(answer(port, Hostile("honest", request("/assess", HONEST))))


def test_a_process_may_write_no_file(tmp_path: Path) -> None:
    code = "import sys; from truerank.app.work import limit; limit(1 << 31, 60); "
    code += "print(1, file=open(sys.argv[1], 'w'))"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "x")], capture_output=True, check=False)
    assert (tmp_path / "x").read_bytes() == b""


def test_what_takes_too_long_is_ended() -> None:
    with served(seconds=1) as port:
        said = asyncio.run(
            answer(port, Hostile("slow", request("/assess", example_table("search-engines.csv"))))
        )
    last = json.loads([line for line in said.splitlines() if line.startswith(b"{")][-1])
    assert "refused" in last


def asked(port: int, body: bytes, **settings: str) -> dict[str, Any]:
    address = "/assess?" + urlencode({"name": "a.csv", **settings})
    said = asyncio.run(answer(port, Hostile("one", request(address, body))))
    found: dict[str, Any] = json.loads([line for line in said.splitlines() if line.startswith(b"{")][-1])
    return found


def test_options_that_cannot_be_served_are_refused(capsys: pytest.CaptureFixture[str], port: int) -> None:
    said = [
        (["--port", "70000"], "65535"),
        (["--port", str(port), "--no-browser"], "--port 0"),
        (["--public", "--allowed-host", "http://ranks.example.org"], "ranks.example.org"),
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


def test_what_a_message_names_is_a_control_with_that_choice(port: int) -> None:
    holes = HONEST.replace(b"0.30", b"", 1)
    long = b"who,where,much\n" + b"".join(b"s%d,t%d,%d\n" % (k % 3, k // 3, k * 7 % 5) for k in range(30))
    of_label = {control.label: control for control in CONTROLS}
    for body in (holes, long):
        named = re.findall("“([^“”]+?): ([^“”]+)”", asked(port, body)["refused"])
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
