"""What nobody foresaw: while a file is read it names the file; elsewhere it is called an internal error."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from truerank.cli import run


@pytest.mark.parametrize("error", [lzma.LZMAError("x"), KeyError("column"), OverflowError("too large")])
def test_whatever_fails_in_a_library_names_the_file(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from truerank.readers.formats import format as formats

    def fail(*_: object) -> None:
        raise error

    path = tmp_path / "scores.csv"
    path.write_text("topic,a,b\n1,0.5,0.25\n2,0.1,0.3\n", encoding="utf-8")
    monkeypatch.setattr(formats, "checked", fail)
    assert run(["assess", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"{path}: cannot be read ({type(error).__name__}: " in err


@pytest.mark.parametrize("broken", [None, lambda *_: {}])
def test_a_bug_of_a_reader_is_no_bad_input(
    broken: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from truerank.readers.formats import format as formats

    path = tmp_path / "scores.csv"
    path.write_text("topic,a,b,c\n1,0.5,0.25,1\n2,0.1,0.3,1\n", encoding="utf-8")
    monkeypatch.setattr(formats, "checked", broken)
    monkeypatch.delenv("TRUERANK_TRACEBACK", raising=False)
    assert run(["assess", str(path)]) == 3
    err = capsys.readouterr().err
    assert err.startswith(f"truerank: Internal error: {'TypeError' if broken is None else 'AttributeError'}")
    assert err.count("\n") == 1


def test_an_internal_error_is_called_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import truerank.reliability.assessment as assessment

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    path = tmp_path / "scores.csv"
    path.write_text("topic,a,b,c\n1,0.5,0.25,1\n2,0.1,0.3,1\n", encoding="utf-8")
    monkeypatch.setattr(assessment, "assess", fail)
    monkeypatch.delenv("TRUERANK_TRACEBACK", raising=False)
    assert run(["assess", str(path)]) == 3
    err = capsys.readouterr().err
    assert err.startswith("truerank: Internal error: ZeroDivisionError: by zero. Please report it")
    assert err.count("\n") == 1
