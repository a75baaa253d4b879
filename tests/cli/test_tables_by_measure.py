"""Several tables that are each of another measure, as `evaluate -o` writes them, are one page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from truerank.cli import run

AP = "topic,a,b,c\n1,.1,.2,.4\n2,.3,.3,.5\n3,.2,.4,.3\n4,.1,.2,.4\n"
WER = "topic,a,b,c\n1,.9,.2,.4\n2,.8,.3,.5\n3,.7,.4,.3\n4,.9,.1,.4\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("tables").mkdir()
    for name, text in (("AP", AP), ("WER", WER)):
        Path("tables", f"{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path


def documents(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert run([*arguments, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize("given", [["tables"], ["tables/AP.csv", "tables/WER.csv"]])
def test_each_measure_is_read_as_from_its_file_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], given: list[str]
) -> None:
    both = documents(capsys, "assess", *given)
    alone = [documents(capsys, "assess", f"tables/{name}.csv", "-m", name)[0] for name in ("AP", "WER")]
    assert [one["measure"] for one in both] == ["AP", "−WER"]
    assert both == alone
    (chosen,) = documents(capsys, "assess", *given, "-m", "WER")
    assert chosen == alone[1]


@pytest.mark.parametrize("name", ["ap", "AP", "map"])
def test_a_measure_has_the_name_of_its_file_in_any_spelling(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    Path("web").mkdir()
    Path("web/web_ap.csv").write_text(AP, encoding="utf-8")
    Path("web/web_p10.csv").write_text(WER, encoding="utf-8")
    (one,) = documents(capsys, "assess", "web", "-m", name)
    (alone,) = documents(capsys, "assess", "web/web_ap.csv", "-m", name)
    assert one["ranking"] == alone["ranking"]


def test_files_of_one_system_each_stay_two_systems(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """F1 and F2 are measures, and names that people give to systems."""
    for name, shift in (("f1", 0), ("f2", 1)):
        text = "topic,score\n" + "".join(f"{t},.{t + shift}\n" for t in range(1, 9))
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
    (one,) = documents(capsys, "gate", "f1.csv", "f2.csv")
    assert (one["baseline"], one["candidate"], one["verdict"]) == ("f1", "f2", "better")
