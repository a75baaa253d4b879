"""What commands write: never over an input, nothing deleted, whole files, and said.

One writer, in `truerank._support.outputs`, keeps the promises; they are tried on it with plain
bytes. That every command writes through it is tried on one full line of each command.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank._support import outputs
from truerank._support.outputs import write_file, write_folder
from truerank.cli import run
from truerank.errors import InputError

FAST = ["--draws", "100", "--resamples", "20"]
ASSESS = ["assess", "scores.csv", "--baseline", "b", *FAST]
GATE = ["gate", "scores.csv", "--baseline", "b", "--margin", "0.5", "--undecided", "pass"]
EVALUATE = ["evaluate", "--qrels", "qrels.txt", "runs", "-m", "AP"]

FIT = ["simulate", "fit", "scores.csv", "--simulator", "effects"]
SAMPLE = ["simulate", "sample", "model.json", "-n", "5", "-k", "2"]

SHOWN = {"--json": "o.json", "--html": "o.html", "--latex": "o.tex", "--markdown": "o.md"}
FOLDERS = {"--csv": "tables", "--figures": "figures", "--paper": "paper"}

COMMANDS = {
    "assess": (ASSESS, SHOWN | FOLDERS | {"--board": "board.csv"}),
    "gate": (GATE, SHOWN | FOLDERS | {"--junit": "o.xml"}),
    "plan": (["plan", "scores.csv", "--tau", "0.8", "--draws", "64"], SHOWN | FOLDERS),
    "significance": (["significance", "scores.csv"], SHOWN | FOLDERS),
    "evaluate": (EVALUATE, {"--output": "evaluated", "--json": "o.json"}),
    "import": (["import", "auto", "scores.csv"], {"--output": "again.csv", "--json": "o.json"}),
    "simulate fit": (FIT, {"--output": "m.json", "--json": "o.json"}),
    "simulate sample": (SAMPLE, {"--output": "drawn", "--json": "o.json"}),
}
"""A line of every command that writes, and all its outputs."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of inputs for all commands."""
    folder = tmp_path_factory.mktemp("inputs")
    rng = np.random.default_rng(1)
    scores = truerank.ScoreMatrix.build(rng.random((12, 4)).round(3), systems="abcd", measure="AP")
    truerank.write_scores(scores, folder / "scores.csv")
    rows = ["name,qid,measure,value"]
    rows += [f"{s},{q},{m},{rng.random():.3f}" for s in "abc" for q in range(8) for m in ("AP", "RR")]
    (folder / "long.csv").write_text("\n".join(rows))
    (folder / "runs").mkdir()
    (folder / "qrels.txt").write_text(
        "".join(f"{t} 0 d{i} {int(i < 3)}\n" for t in range(4) for i in range(9))
    )
    for s in range(3):
        lines = [f"{t} Q0 d{i} 0 {rng.random():.4f} s{s}\n" for t in range(4) for i in range(9)]
        (folder / "runs" / f"s{s}.txt").write_text("".join(lines))
    truerank.simulation.fit(scores, "effects", seed=1).save(folder / "model.json")
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    """The current folder, with the inputs in it."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder):
    """Every file below a folder, hidden ones too, with its bytes; and every folder."""
    return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(Path(folder).rglob("*"))}


def refused(capsys, *arguments):
    """Exit code 2, one line, nothing on standard output, and every file as it was."""
    before = files(".")
    code = run([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert files(".") == before
    return err


def done(capsys, *arguments):
    """Exit code 0; returns standard error."""
    code = run([str(a) for a in arguments])
    err = capsys.readouterr().err
    assert code == 0, err
    return err


# ── every command, with all that it writes ────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_writes_says_and_replaces_all_its_outputs(name, here, capsys):
    words, outs = COMMANDS[name]
    given = files(".")
    *asked, wrote = done(capsys, *words, *(word for pair in outs.items() for word in pair)).splitlines()
    assert all("-m NAME" in line for line in asked)
    assert wrote.startswith("truerank: wrote ")
    first = files(".")
    for place in outs.values():
        assert place in wrote
        assert Path(place).is_file() or any(Path(place).iterdir())
    assert given.items() <= first.items()
    drawn = ("--html", "--figures", "--paper")  # takes seconds, and goes the same way
    words = [*words, *(word for pair in outs.items() for word in pair if pair[0] not in drawn)]
    if any(Path(place).is_dir() for option, place in outs.items() if option not in drawn):
        assert "the folder is not empty; give --overwrite" in refused(capsys, *words)
        words.append("--overwrite")
    (replaced,) = done(capsys, *words).splitlines()
    assert replaced.startswith("truerank: replaced ")
    assert all(place in replaced for option, place in outs.items() if option not in drawn)
    assert files(".") == first
    assert done(capsys, *words, "--quiet") == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_an_input_survives_being_named_as_an_output(name, here, capsys):
    """Through a link too; in a folder, where it has the name of a result; and a folder that is read."""
    words, outs = COMMANDS[name]
    given = next(word for word in words if Path(word).is_file())
    other = {option: place for option, place in outs.items() if option == "--output"}
    for option, place in outs.items():
        if Path(place).suffix:
            link = f"out/{place}"
            os.symlink(os.path.abspath(given), link)
            said = "-o file" if option == "--output" else f"{option} file"
            more = [word for pair in (other | {option: link}).items() for word in pair]
            assert f"{link}: already an input; choose another {said}" in refused(capsys, *words, *more)
            os.unlink(link)
    named = {"assess": "ranking.csv", "gate": "gate.csv", "evaluate": "AP.csv"}.get(name)
    if named is not None:
        shutil.copy(given, f"out/{named}")
        inside = [word.replace(given, f"out/{named}") for word in words]
        option = "--output" if name == "evaluate" else "--csv"
        said = refused(capsys, *inside, option, "out", "--overwrite")
        assert f"out/{named}: already an input; choose another" in said
    if "runs" in words:
        assert "which this command reads" in refused(capsys, *words, "-o", "runs", "--overwrite")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*ASSESS, "--json", "x.html", "--html", "./x.html"], "already another output"),
        ([*ASSESS, "--csv", "out", "--latex", "out/ranking.csv"], "already another output"),
        ([*ASSESS, "--csv", "runs"], "runs: the folder is not empty; give --overwrite"),
        ([*ASSESS, "--html", "-"], "only --json can go to standard output"),
        ([*ASSESS, "--html", "out"], "out: this is a folder"),
        ([*ASSESS, "--html", "no/o.html"], "no does not exist; create it first"),
        (["assess", "--qrels", "qrels.txt", "-m", "AP", "runs", "--csv", "runs"], "runs, which this command"),
    ],
)
def test_outputs_that_cannot_be(arguments, message, here, capsys):
    assert message in refused(capsys, *arguments)


# ── files of other people, and of earlier runs ────────────────────────────────────────────────────


def test_a_named_file_is_replaced_whoever_wrote_it(here):
    Path("out/o.json").write_text("old", encoding="utf-8")
    Path("out/other").hardlink_to("out/o.json")
    write_file("out/o.json", "new")
    assert Path("out/o.json").read_bytes() == b"new"
    assert Path("out/other").read_bytes() == b"old"


def test_a_folder_that_is_not_empty_needs_overwrite(here):
    mine, foreign = Path("out/a.csv"), Path("out/b.csv")
    for one in (mine, foreign):
        one.write_text("precious", encoding="utf-8")
    with pytest.raises(InputError, match="out: the folder is not empty; give overwrite=True to write"):
        write_folder("out", {"a.csv": "1"})
    assert mine.read_bytes() == b"precious"
    write_folder("out", {"a.csv": "1"}, overwrite=True)
    assert files("out") == {"out/a.csv": b"1", "out/b.csv": b"precious"}


def test_a_link_among_the_files_of_a_folder_is_replaced(here):
    """What it leads to stays."""
    Path("precious").write_text("precious", encoding="utf-8")
    os.symlink("../precious", "out/a.csv")
    write_folder("out", {"a.csv": "1"}, overwrite=True)
    assert not os.path.islink("out/a.csv")
    assert Path("precious").read_text(encoding="utf-8") == "precious"


LATE = {"assess": "reliability.assessment.assess", "plan": "planning.plan"}
"""Commands by several measures, and what computes."""


@pytest.mark.parametrize("name", LATE)
def test_a_folder_of_others_is_refused_before_anything_is_computed(name, here, capsys, monkeypatch):
    monkeypatch.setattr(f"truerank.{LATE[name]}", lambda *given, **more: pytest.fail("computed"))
    Path("out/mine").write_text("precious", encoding="utf-8")
    for option in ("--csv", "--paper"):
        said = refused(capsys, name, "long.csv", "-m", "AP", "-m", "RR", option, "out")
        assert (
            f"out: the folder is not empty; give --overwrite to write into it, or choose another {option}"
            in said
        )


# ── a full disk, a kill ───────────────────────────────────────────────────────────────────────────


def test_a_disk_that_fills_up_leaves_each_file_whole(here, monkeypatch):
    """The file that fits no more is named; the one that was there stays, and no half of a new one."""
    write_folder("out/t", dict.fromkeys(("a.csv", "b.csv"), "old"))

    def full(name, mode):
        stream = open(name, mode)  # noqa: SIM115
        if "b-" not in str(name) and ".b" not in str(name):
            return stream
        stream.write(b"ha")
        stream.close()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(outputs, "open", full, raising=False)
        with pytest.raises(InputError, match=r"^out/t/b\.csv.*No space left on device\); make room"):
            write_folder("out/t", {"a.csv": "new", "b.csv": "new"}, overwrite=True)
    assert files("out") == {"out/t": None, "out/t/a.csv": b"new", "out/t/b.csv": b"old"}


def test_a_full_device_is_named(here, capsys):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    assert "/dev/full: cannot be written (No space left" in refused(capsys, *ASSESS, "--json", "/dev/full")


@pytest.mark.parametrize("name", ["assess", "plan"])
def test_a_run_that_fails_late_can_be_repeated(name, here, capsys, monkeypatch):
    """What it put into folders goes again, but no file that was there."""

    def late(*given):
        raise InputError("late: cannot be written")

    arguments = [name, "long.csv", "-m", "AP", "-m", "RR", "--csv", "new/a", "--json"]
    with monkeypatch.context() as patched:
        patched.setattr(outputs.Outputs, "add", late)
        assert run([*arguments, "late.json"]) == 2
    assert "late: cannot" in capsys.readouterr().err
    assert not Path("new").exists()
    Path("new/a").mkdir(parents=True)
    assert run([*arguments, "late.json"]) == 0
    written = files("new")
    Path("new/a/mine").write_text("precious", encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(outputs.Outputs, "add", late)
        assert run([*arguments, "late.json", "--overwrite"]) == 2
    assert {*files("new")} == {*written, "new/a/mine"}


def test_no_file_of_a_folder_is_written_where_one_cannot_be(here):
    write_folder("out/t", {"b.csv": "old"})
    Path("out/t/b.csv").chmod(0o444)
    with pytest.raises(InputError, match=r"out/t/b\.csv: read-only"):
        write_folder("out/t", {"a.csv": "new", "b.csv": "new"}, overwrite=True)
    assert files("out") == {"out/t": None, "out/t/b.csv": b"old"}
    Path("out/t/b.csv").chmod(0o644)  # so that it can be deleted everywhere


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_replaced_file_keeps_its_mode(here):
    for place, mode in (("out/a.json", 0o600), ("out/t/a.csv", 0o640), ("out/b.json", 0o666)):
        write_folder("out/t", {"a.csv": "old"}, overwrite=True)
        path = Path(place)
        path.write_text("old", encoding="utf-8")
        path.chmod(mode)
        if path.suffix == ".csv":
            write_folder("out/t", {"a.csv": "new"}, overwrite=True)
        else:
            write_file(path, "new")
        assert path.read_text(encoding="utf-8") == "new"
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_read_only_file_is_refused_before_any_work(here, capsys):
    Path("o.json").write_text("mine", encoding="utf-8")
    Path("o.json").chmod(0o444)
    message = refused(capsys, *ASSESS, "--json", "o.json")
    assert "o.json: read-only; make it writable, or choose another --json file" in message
    Path("o.json").chmod(0o644)  # so that it can be deleted everywhere
