"""What commands write: never over an input, nothing deleted, all of it or nothing, and said.

One writer, :class:`truerank._support.outputs.Outputs`, keeps the promises; they are tried on it with plain
bytes. That every command writes through it is tried on one full line of each command.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer.main

import truerank
from truerank._support import outputs
from truerank._support.output_paths import MARKER
from truerank._support.outputs import Outputs, write_file, write_folder
from truerank.cli import application, run
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
    "assess": (ASSESS, SHOWN | FOLDERS),
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
    assert all("Add -m NAME" in line for line in asked)
    assert wrote.startswith("truerank: wrote ")
    first = files(".")
    for place in outs.values():
        assert place in wrote
        assert Path(place).is_file() or any(Path(place).iterdir())
    assert given.items() <= first.items()
    drawn = ("--html", "--figures", "--paper")  # takes seconds, and goes the same way
    words = [*words, *(word for pair in outs.items() for word in pair if pair[0] not in drawn)]
    (replaced,) = done(capsys, *words).splitlines()
    assert replaced.startswith("truerank: replaced ")
    assert all(place in replaced for option, place in outs.items() if option not in drawn)
    assert files(".") == first
    assert done(capsys, *words, "--quiet") == ""


def test_the_demo_writes_again_what_it_wrote_and_nothing_else(here, capsys):
    done(capsys, "demo", "out", "--quiet", "--json", "o.json")
    first = files("out")
    done(capsys, "demo", "out", "--quiet")
    assert first.keys() == files("out").keys()
    Path("out", MARKER).unlink()
    said = refused(capsys, "demo", "out")
    assert "scores.csv: exists, and truerank demo did not write to this folder before" in said


@pytest.mark.parametrize("name", COMMANDS)
def test_no_output_of_a_command_is_left_out_here(name):
    command = typer.main.get_command(application())
    for word in name.split():
        command = command.commands[word]
    takes = {one.opts[0] for one in command.params if one.metavar in ("FILE", "FILE|-", "DIR")}
    assert (
        takes - {"--machine", "--machine-qrels", "--topics", "--anchor", "--state"}
        <= COMMANDS[name][1].keys()
    )


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
    named = {"assess": "ranking.csv", "gate": "gate.csv", "evaluate": "AP.csv"}.get(name)
    if named is not None:
        shutil.copy(given, f"out/{named}")
        inside = [word.replace(given, f"out/{named}") for word in words]
        option = "--output" if name == "evaluate" else "--csv"
        assert f"out/{named}: already an input; choose another" in refused(capsys, *inside, option, "out")
    if "runs" in words:
        assert "which this command reads" in refused(capsys, *words, "-o", "runs")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*ASSESS, "--json", "x.html", "--html", "./x.html"], "already another output"),
        ([*ASSESS, "--json", "x", "--csv", "x"], "already another output"),
        ([*ASSESS, "--csv", "out", "--latex", "out/ranking.csv"], "already another output"),
        ([*ASSESS, "--csv", ""], "--csv is ''; name a folder"),
        ([*ASSESS, "--html", ""], "--html is empty; name a file"),
        ([*ASSESS, "--html", "-"], "only --json can go to standard output"),
        ([*ASSESS, "--html", "out"], "out: this is a folder"),
        ([*ASSESS, "--html", "o.txt"], "the name of a page ends in .html"),
        ([*ASSESS, "--html", "no/o.html"], "no does not exist; create it first"),
        ([*ASSESS, "--csv", "qrels.txt"], "a file is in the place of the folder"),
        ([*ASSESS, "--json", f"out/{MARKER}"], "a name for the list of commands"),
        (["assess", "--qrels", "qrels.txt", "-m", "AP", "runs", "--csv", "runs"], "runs, which this command"),
    ],
)
def test_outputs_that_cannot_be(arguments, message, here, capsys):
    assert message in refused(capsys, *arguments)


def test_standard_input_is_an_input(here):
    before = Path("scores.csv").read_bytes()
    command = [sys.executable, "-m", "truerank", "assess", "-", *FAST, "--json", "scores.csv"]
    with open("scores.csv", encoding="utf-8") as given:
        done = subprocess.run(command, stdin=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "scores.csv: already an input" in done.stderr
    assert Path("scores.csv").read_bytes() == before


def test_devices_and_pipes_stay_possible(here, capsys):
    done(capsys, *ASSESS, "--json", os.devnull, "--latex", os.devnull)
    assert not os.path.isfile(os.devnull)
    with open("log", "ab") as log:
        command = [sys.executable, "-m", "truerank", *ASSESS, "--json", "/dev/stdout"]
        subprocess.run(command, stdout=log, stderr=subprocess.PIPE, check=True)
    text = Path("log").read_bytes()
    assert b'"measure"' in text
    assert b"95% interval" in text


# ── files of other people, and of earlier runs ────────────────────────────────────────────────────


def test_a_named_file_is_replaced_whoever_wrote_it(here):
    Path("out/o.json").write_text("old", encoding="utf-8")
    Path("out/other").hardlink_to("out/o.json")
    write_file("out/o.json", "new")
    assert Path("out/o.json").read_bytes() == b"new"
    assert Path("out/other").read_bytes() == b"old"


def test_in_a_folder_a_strangers_file_needs_overwrite_or_the_marker(here):
    target, marker = Path("out/a.csv"), Path("out", MARKER)
    target.write_text("precious", encoding="utf-8")
    for mark in (None, "truerank something else\n"):
        if mark:
            marker.write_text(mark, encoding="utf-8")
        with pytest.raises(
            InputError, match=r"a.csv: exists, and truerank assess --csv did not write"
        ) as said:
            write_folder("out", {"a.csv": "1"}, "assess", "--csv")
        assert "give overwrite=True to replace it, or choose another" in str(said.value)
        assert target.read_bytes() == b"precious"
    write_folder("out", {"a.csv": "1"}, "assess", "--csv", overwrite=True)
    listed = ["truerank something else", "truerank assess --csv"]
    target.write_text("changed", encoding="utf-8")
    write_folder("out", {"a.csv": "2"}, "assess", "--csv")
    assert target.read_bytes() == b"2"
    assert marker.read_text(encoding="utf-8").splitlines() == listed


def test_results_of_several_commands_live_in_one_folder(here, capsys):
    done(capsys, *EVALUATE, "-o", "out")
    done(capsys, *ASSESS, "--csv", "out", "--latex", "out/t.tex")
    done(capsys, *EVALUATE, "-m", "RR", "-o", "out")
    assert {"AP.csv", "RR.csv", "ranking.csv", "t.tex"} <= set(os.listdir("out"))
    listed = ["truerank evaluate -o", "truerank assess --csv"]
    assert Path("out", MARKER).read_text(encoding="utf-8").splitlines() == listed
    assert "out/AP.csv: already an input" in refused(
        capsys, "evaluate", "--qrels", "out/AP.csv", "runs", "-m", "AP", "-o", "out"
    )


def test_what_an_earlier_run_left_is_named_and_stays(here, capsys):
    done(capsys, *ASSESS, "--csv", "out")
    Path("out/swaps_mine.csv").write_text("precious", encoding="utf-8")
    before = set(os.listdir("out"))
    said = done(capsys, "assess", "scores.csv", *FAST, "--csv", "out")
    (line,) = [line for line in said.splitlines() if "left from an earlier run" in line]
    assert "left from an earlier run, not written now: out/baseline.csv" in line
    assert "mine" not in line
    assert "out/ranking.csv" not in line
    assert set(os.listdir("out")) == before


def test_measures_in_folders_of_their_own(here, capsys):
    command = ["assess", "long.csv", "-m", "AP", "-m", "RR", *FAST, "--csv", "t", "--latex", "out/t.tex"]
    done(capsys, *command)
    assert {"t/AP/ranking.csv", "t/RR/ranking.csv", "out/t.tex", f"t/{MARKER}"} <= files(".").keys()
    os.remove(f"t/{MARKER}")
    assert "t/AP/ranking.csv: exists, and truerank assess --csv did not" in refused(capsys, *command)
    shutil.move("t/RR", "precious")
    os.symlink("../precious", "t/RR")
    assert "t/RR/ranking.csv: RR is a link" in refused(capsys, *command, "--overwrite")


TWO = ["long.csv", "-m", "AP", "-m", "RR"]
"""Measures whose names are known once the file is read."""

LATE = {
    "assess": ("assess", "reliability.assessment.assess", "ranking.csv"),
    "board": ("board", "reliability.assessment.assess_alone", "ranking.csv"),
    "plan": ("plan", "planning.plan", "curve.csv"),
    "significance": ("significance", "comparison.significance.analyze", "significance.csv"),
    "topics": ("topics", "reliability.topics.topics", "topics.csv"),
}
"""Commands by several measures: what computes, and a table of each measure."""


@pytest.mark.parametrize("name", LATE)
def test_files_of_others_are_refused_before_anything_is_computed(name, here, capsys, monkeypatch):
    command, computes, table = LATE[name]
    monkeypatch.setattr(f"truerank.{computes}", lambda *given, **more: pytest.fail("computed"))
    kit = "references.bib"
    places = [("--csv", f"RR/{table}"), ("--paper", f"AP/{kit}")]
    for option, place in places:
        foreign = Path("out", place)
        foreign.parent.mkdir(exist_ok=True)
        foreign.write_text("precious", encoding="utf-8")
        said = refused(capsys, command, *TWO, option, "out")
        assert f"{foreign}: exists, and truerank {command} {option} did not write" in said
        foreign.unlink()
    Path("out", kit).write_text("precious", encoding="utf-8")
    assert f"out/{kit}: exists" in refused(capsys, command, "scores.csv", "--paper", "out")


def test_what_will_not_be_written_may_be_anyones(here, capsys):
    for name in ("ranking.csv", "AP.csv", "baseline.svg"):
        Path("out", name).write_text("precious", encoding="utf-8")
    done(capsys, "assess", *TWO, *FAST, "--csv", "out")
    done(capsys, "assess", "scores.csv", *FAST, "--figures", "out")
    assert {Path("out", name).read_text("utf-8") for name in ("ranking.csv", "AP.csv", "baseline.svg")} == {
        "precious"
    }


def test_a_table_that_was_not_asked_for_may_be_anyones(here, capsys):
    foreign = Path("out", "baseline.csv")
    foreign.write_text("precious", encoding="utf-8")
    asked = ["assess", "scores.csv", *FAST, "--csv", "out"]
    done(capsys, *asked)
    Path("out", MARKER).unlink()
    Path("out", "ranking.csv").unlink()
    for name in ("estimates", "correlation", "settings"):
        Path("out", f"{name}.csv").unlink(missing_ok=True)
    for left in Path("out").glob("swaps_*.csv"):
        left.unlink()
    said = refused(capsys, *asked, "--baseline", "b")
    assert f"{foreign}: exists, and truerank assess --csv did not write" in said
    assert foreign.read_text(encoding="utf-8") == "precious"
    assert not Path("out", "ranking.csv").exists()


@pytest.mark.parametrize("name", ["assess", "gate", "plan", "significance"])
def test_a_kit_has_the_files_that_were_checked(name, here, capsys):
    from truerank.comparison.gate import Gate
    from truerank.comparison.significance import Significance
    from truerank.planning import Plan
    from truerank.reliability.results import Assessment
    from truerank.report.outputs import kit
    from truerank.report.views import kind_of

    kinds = {"assess": Assessment, "gate": Gate, "plan": Plan, "significance": Significance}
    done(capsys, *COMMANDS[name][0], "--paper", "kit")
    checked = kit.file_names(kind_of(kinds[name]).figures)
    checked += ["baseline.csv"] if name == "assess" else []  # its second table
    assert sorted([*checked, MARKER]) == sorted(os.listdir("kit"))


def test_a_kit_asks_for_the_name_of_the_measure(here, capsys):
    asked = ["assess", "scores.csv", *FAST, "--paper", "kit"]
    assert "-m NAME" in done(capsys, *asked)
    assert "-m NAME" not in done(capsys, *asked, "-m", "AP")


@pytest.mark.parametrize("text", ["", "{}", "rm -rf\n", "truerank assess --csv\n\xff"])
def test_a_marker_that_is_none_is_refused(text, here):
    Path("out", MARKER).write_bytes(text.encode("latin-1"))
    if text == "":  # nothing is listed, and nothing is lost
        write_folder("out", {"a.csv": "1"}, "assess", "--csv")
        return
    with pytest.raises(InputError, match="not a list of truerank"):
        write_folder("out", {"a.csv": "1"}, "assess", "--csv")
    assert os.listdir("out") == [MARKER]


def test_a_marker_that_is_a_link_is_not_believed(here):
    """A list that somebody else's file holds would let files be replaced that truerank did not write."""
    Path("elsewhere").write_text("truerank assess --csv\n", encoding="utf-8")
    Path("out", "a.csv").write_text("precious", encoding="utf-8")
    os.symlink("../elsewhere", Path("out", MARKER))
    with pytest.raises(InputError, match="link"):
        write_folder("out", {"a.csv": "1"}, "assess", "--csv")
    assert Path("out", "a.csv").read_text(encoding="utf-8") == "precious"


def test_writers_of_one_folder_do_not_lose_each_others_marks(here):
    script = (
        "import sys; from truerank._support.outputs import write_folder\n"
        "for i in range(10):\n"
        "    write_folder('out', {f'{sys.argv[1]}{i}.csv': 'x'}, 'of', f'{sys.argv[1]}{i}')\n"
    )
    jobs = [subprocess.Popen([sys.executable, "-c", script, str(i)]) for i in range(1, 5)]
    assert [job.wait() for job in jobs] == [0] * 4
    listed = Path("out", MARKER).read_text(encoding="utf-8").splitlines()
    assert sorted(listed) == [f"truerank of {i}" for i in range(10, 50)]


# ── a full disk, a kill ───────────────────────────────────────────────────────────────────────────


class FullAt:
    """Counts calls that write, and fails at one of them."""

    def __init__(self, monkeypatch, at):
        self.calls, self.at = 0, at
        monkeypatch.setattr(outputs, "write", self.counted(outputs.write))

    def counted(self, real):
        def write(*arguments, **options):
            self.calls += 1
            if self.calls == self.at:
                real(arguments[0], [b"".join(arguments[1])[:10]])  # half of it gets there
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*arguments, **options)

        return write


@pytest.mark.parametrize("before", ["nothing", "older results"])
def test_a_disk_that_fills_up_at_any_write(before, here, monkeypatch):
    """For every write: one error that names a file, and everything as it was."""

    def write():
        with Outputs("assess", ["scores.csv"]) as found:
            found.file("out/a.json", "--json")
            found.folder("out/t", ["a.csv", "b.csv"], "--csv")
            found.file("out/a.html", "--html")
            for name in ["a.csv", "b.csv"]:
                found.put("out/t", {name: f"{name} {len(os.listdir('out'))}\n"}, "--csv")
            found.add("out/a.json", '{"a": 2}')
            found.add("out/a.html", "<p>")

    if before == "older results":
        write_folder("out/t", dict.fromkeys(("a.csv", "b.csv", "c.csv"), "old\n"), "assess", "--csv")
        write_file("out/a.json", '{"a": 1}')
    old = files("out")
    with monkeypatch.context() as patched:
        counter = FullAt(patched, 0)
        write()
    new = files("out")
    for position in range(1, counter.calls + 1):
        shutil.rmtree("out")
        Path("out").mkdir()
        for name, data in old.items():
            Path(name).mkdir() if data is None else Path(name).write_bytes(data)
        with monkeypatch.context() as patched:
            FullAt(patched, position)
            with pytest.raises(InputError, match=r"^out/.*No space left on device\); make room"):
                write()
            assert files("out") == old
        write()
        assert files("out").keys() == new.keys()


@pytest.fixture
def small_disk(tmp_path):
    """A function that mounts a disk of so many bytes; skipped where nothing can be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = []

    def mount(size):
        if mounted:
            subprocess.run(["umount", str(place)], check=True)
            mounted.clear()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)]
        if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("no small disk can be mounted here")
        mounted.append(place)
        return place

    yield mount
    if mounted:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mounts a disk")
def test_a_disk_that_is_really_full(here, small_disk, capsys):
    page = os.sysconf("SC_PAGE_SIZE")
    outcomes = []
    words = [*ASSESS, "--csv", "DISK/t", "--json", "DISK/a.json", "--latex", "DISK/a.tex", "--quiet"]
    for pages in (1, 4, 16, 256):
        disk = small_disk(pages * page)
        code = run([word.replace("DISK", str(disk)) for word in words])
        out, err = capsys.readouterr()
        outcomes.append(code)
        if code:
            assert (out, err.count("\n")) == ("", 1)
            assert f"{disk}/" in err
            assert "No space left on device); make room" in err
            assert files(disk) == {}
    assert outcomes[0] == 2
    assert outcomes[-1] == 0
    assert outcomes == sorted(outcomes, reverse=True)


def test_a_full_device_is_named(here, capsys):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    assert "/dev/full: cannot be written (No space left" in refused(capsys, *ASSESS, "--json", "/dev/full")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_an_interrupted_command_leaves_nothing(error, here):
    def interrupted():
        with Outputs("evaluate") as found:
            found.folder("new/tables", ["a.csv"], "-o")
            found.put("new/tables", {"a.csv": "1"}, "-o")
            assert Path("new/tables").is_dir()
            raise error

    with pytest.raises(error):
        interrupted()
    assert not Path("new").exists()


def test_ctrl_c_in_the_last_step_is_too_late(here, monkeypatch):
    """Either nothing is written and the interruption is reported, or everything is and it is not."""
    real = os.replace

    def replace(*arguments, **options):
        os.kill(os.getpid(), signal.SIGINT)
        real(*arguments, **options)

    write_file("out/a.json", "old")
    monkeypatch.setattr(os, "replace", replace)
    with Outputs("") as found:
        found.file("out/a.json")
        found.add("out/a.json", "new")
    assert files("out") == {"out/a.json": b"new"}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_killed_at_any_line_of_the_last_step_every_target_is_there(here):
    def write(kill_at):
        lines = 0

        def trace(frame, event, _):
            nonlocal lines
            if Path(frame.f_code.co_filename).name != "outputs.py":
                return None
            lines += event == "line"
            if lines == kill_at:
                os._exit(9)
            return trace

        with Outputs("assess") as found:
            for name in ("a.json", "b.html"):
                found.file(f"out/{name}")
                found.add(f"out/{name}", "new")
            sys.settrace(trace)
        sys.settrace(None)
        return lines

    for position in range(1, write(-1) + 1):
        for name in ("a.json", "b.html"):
            Path("out", name).write_text("old", encoding="utf-8")
        if (child := os.fork()) == 0:
            write(position)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (0, 9)
        assert {Path("out", name).read_text(encoding="utf-8") for name in ("a.json", "b.html")} <= {
            "old",
            "new",
        }
    assert position > 20


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_replaced_file_keeps_its_mode(here):
    for place, mode in (("out/a.json", 0o600), ("out/t/a.csv", 0o640), ("out/b.json", 0o666)):
        write_folder("out/t", {"a.csv": "old"}, "assess", "--csv")
        path = Path(place)
        path.write_text("old", encoding="utf-8")
        path.chmod(mode)
        if path.suffix == ".csv":
            write_folder("out/t", {"a.csv": "new"}, "assess", "--csv")
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


def test_a_machine_that_stops_between_two_renames(here, monkeypatch):
    """Killed at any rename, the marker is there, so that the next run replaces old and new files."""
    script = (
        "import os, sys; from truerank._support.outputs import write_folder; n = [0]; real = os.replace\n"
        "def replace(*a, **k):\n"
        "    n[0] += 1\n"
        "    os._exit(9) if n[0] == int(sys.argv[1]) else real(*a, **k)\n"
        "os.replace = replace\n"
        "write_folder('out', {'a.csv': 'new a', 'b.csv': 'new b'}, 'assess', '--csv')\n"
    )
    for position in range(1, 4):
        shutil.rmtree("out")
        write_folder("out", {"a.csv": "old", "b.csv": "old"}, "assess", "--csv")
        killed = subprocess.run([sys.executable, "-c", script, str(position)], check=False)
        assert killed.returncode == (9 if position < 3 else 0)
        assert all(
            Path("out", name).read_text(encoding="utf-8") in ("old", f"new {name[0]}")
            for name in ("a.csv", "b.csv")
        )
        write_folder("out", {"a.csv": "newest", "b.csv": "newest"}, "assess", "--csv")
        assert Path("out/b.csv").read_text(encoding="utf-8") == "newest"


# ── from Python ───────────────────────────────────────────────────────────────────────────────────


def test_python_replaces_a_named_file_and_asks_in_a_folder(here):
    result = truerank.assess(truerank.read_scores("scores.csv"), "ml", draws=100)
    for write, name in ((result.to_latex, "scores.csv"), (result.to_html, "other.html")):
        Path(name).write_text("old", encoding="utf-8")
        write(name)
        assert Path(name).read_text(encoding="utf-8") != "old"
    for name in ("ranking.csv", "ranking.png"):
        Path("out", name).write_text("mine", encoding="utf-8")
    for write in (result.to_csv, result.to_figures):
        with pytest.raises(InputError, match="did not write to this folder before; give overwrite=True"):
            write("out")
    assert set(os.listdir("out")) == {"ranking.csv", "ranking.png"}
    result.to_csv("out", overwrite=True)
    for _ in range(2):
        assert {path.name for path in result.to_csv("new")} == set(os.listdir("new")) - {MARKER}
