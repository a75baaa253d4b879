"""The golden comparison finds changed texts, exit codes and numbers."""

from __future__ import annotations

import copy
import json
import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from validation import golden

Document = dict[str, Any]

ANSWER: Document = {
    "verdict": "better",
    "rule": "exact",
    "p_value": 0.012345678901234567,
    "best": {"k": 1, "systems": ["A"]},
    "leader": {"system": "A"},
    "ranking": [
        {"system": "A", "mean": 0.71, "letters": "a"},
        {"system": "B", "mean": 0.52, "letters": "ab"},
    ],
    "notes": [{"code": "few-topics", "text": "Few topics.", "level": "warning", "systems": []}],
    "warnings": ["Few topics."],
    "dropped": [],
    "version": "0.1",
}


@pytest.fixture(autouse=True)
def rounding_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the reasons for changes of today out of these tests."""
    rounding = {"why": "Rounding: least squares and sums in another order", "where": ["*"], "at_most": 1e-9}
    monkeypatch.setitem(golden.PLAN, "moved", [rounding])


def recorded(folder: Path, document: Document, code: int = 0) -> Path:
    """One command as golden records it: its answer on standard output, a table in a file."""
    folder.mkdir(parents=True)
    step = {"command": "gate", "exit": code, "stdout": json.dumps(document), "stderr": ""}
    (folder / golden.STEPS).write_text(json.dumps([step]), encoding="utf-8")
    rows = [f"{row['system']},{row['letters']}\n" for row in document.get("ranking", [])]
    (folder / "ranking.csv").write_text("system,letters\n" + "".join(rows), encoding="utf-8")
    return folder


def differences(
    tmp_path: Path, change: Callable[[Document], object], code: int = 0
) -> tuple[list[str], list[str], golden.Moved]:
    """What the comparison calls wrong, and what it leaves to be read, after one change."""
    after = copy.deepcopy(ANSWER)
    change(after)
    moved: golden.Moved = defaultdict(list)
    before = recorded(tmp_path / "before/gate", ANSWER)
    wrong, read, _ = golden.compare_outputs(
        "gate", golden.outputs(before), golden.outputs(recorded(tmp_path / "after/gate", after, code)), moved
    )
    return wrong, read, moved


def set_at(*place: str | int, to: object) -> Callable[[Document], object]:
    """Change one value of a document."""

    def change(document: Any) -> None:
        for key in place[:-1]:
            document = document[key]
        document[place[-1]] = to

    return change


CHANGES: dict[str, Callable[[Document], object]] = {
    "verdict": set_at("verdict", to="undecided"),
    "rule": set_at("rule", to="t"),
    "one more in the best set": set_at("best", "systems", to=["A", "C"]),
    "leader": set_at("leader", "system", to="B"),
    "letters": set_at("ranking", 1, "letters", to="b"),
    "code of a note": set_at("notes", 0, "code", to="skewed"),
    "no note": set_at("notes", to=[]),
    "no such key": lambda document: document.pop("rule"),
    "a digit": set_at("p_value", to=0.0123457),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_value_is_wrong(tmp_path: Path, change: str) -> None:
    wrong, _, moved = differences(tmp_path, CHANGES[change])
    assert wrong
    assert not moved


def test_a_changed_exit_code_is_wrong(tmp_path: Path) -> None:
    wrong, _, _ = differences(tmp_path, lambda document: None, code=4)
    assert wrong == ["gate: 1 exit code: exit: 0 became 4"]


@pytest.mark.parametrize(
    "change",
    [
        set_at("notes", 0, "text", to="There are few topics."),
        set_at("warnings", to=["There are few topics."]),
        set_at("unit", to="topic"),
    ],
)
def test_reworded_sentences_and_new_keys_are_only_read(
    tmp_path: Path, change: Callable[[Document], object]
) -> None:
    wrong, read, _ = differences(tmp_path, change)
    assert not wrong
    assert len(read) == 1


def test_a_version_and_an_equal_answer_are_not_reported(tmp_path: Path) -> None:
    assert differences(tmp_path, set_at("version", to="0.2")) == ([], [], {})


@pytest.mark.parametrize(("where", "fits"), [("gate: *verdict", True), ("gate: *", False)])
def test_a_reason_for_a_text_names_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, fits: bool
) -> None:
    monkeypatch.setitem(golden.PLAN, "moved", [{"why": "two-sided", "where": [where]}])
    wrong, _, moved = differences(tmp_path, CHANGES["verdict"])
    if fits:
        assert not wrong
        assert moved == {"two-sided": [("gate: 1 output.json: verdict", float("inf"))]}
    else:
        assert wrong == ["gate: 1 output.json: verdict: better became undecided"]
        assert not moved


@pytest.mark.parametrize(
    ("change", "fits"),
    [(CHANGES["no such key"], True), (set_at("p_value", to=None), True), (CHANGES["a digit"], False)],
)
def test_a_reason_for_lost_values_is_none_for_a_number_that_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Document], object], fits: bool
) -> None:
    lost = {"why": "gone", "lost": True, "where": ["gate: *rule", "gate: *p_value"]}
    monkeypatch.setitem(golden.PLAN, "moved", [lost])
    wrong, _, moved = differences(tmp_path, change)
    assert bool(moved) is fits
    assert bool(wrong) is not fits


def test_rounding_is_no_reason_for_a_text(tmp_path: Path) -> None:
    wrong, _, moved = differences(tmp_path, set_at("p_value", to=0.012345678901234569))
    assert not wrong
    assert list(moved) == ["Rounding: least squares and sums in another order"]


def test_check_changes_single_values_and_finds_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(golden.PLAN, "commands", {"gate": "gate"})
    recorded(tmp_path / "gate", ANSWER)
    assert golden.check(tmp_path) == 0
    assert "1 commands, 6 values changed" in capsys.readouterr().out
    monkeypatch.setitem(golden.PLAN, "sentences", ["*"])
    monkeypatch.setattr(golden, "apart", lambda one, other: math.inf)
    assert golden.check(tmp_path) == 1
