"""What commands write: never over an input, nothing deleted, all of it or nothing, and said.

Each way to write is a row of `WAYS`; every promise is tried on each.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from truerank.report.figures import figure_files, figure_names
from truerank.report.tables.assessment import csv_files, csv_names, write_csv, write_latex

import truerank
from truerank._support import open_folder
from truerank._support.output_paths import MARKER
from truerank._support.outputs import Outputs, write_file, write_folder
from truerank.cli import run
from truerank.errors import InputError
from truerank.report import write_figures, write_page

FAST = ["--draws", "100", "--resamples", "100", "--quiet"]

ASSESS = ["assess", "scores.csv", "--baseline", "b", *FAST]
COMPARE = ["compare", "scores.csv", "other.csv", "--samples", "20"]
DOCUMENTS = ["documents", "--qrels", "qrels.txt", "runs", "--samples", "20", "--decomposition", "0"]
EVALUATE = ["evaluate", "--qrels", "qrels.txt", "runs", "-m", "AP"]
PLAN = ["plan", "scores.csv", "--draws", "64"]
FIT = ["simulate", "fit", "scores.csv", "--simulator", "effects"]
SHOW = ["simulate", "show", "model.json", "--against", "scores.csv", "--topics", "50"]
EXPERIMENT = ["experiment", "run", "estimators", "model.json", "--trials", "2", "--topics", "5"]
EXPERIMENT += ["--estimators", "ml", "--workers", "1", "--quiet"]

GATE = ["gate", "scores.csv", "--baseline", "b", "--margin", "0.5", "--undecided", "pass"]

FILES = {
    "assess --json": [*ASSESS, "--json", "out/o.json"],
    "assess --json of several": ["assess", "long.csv", "-m", "AP", "-m", "RR", *FAST, "--json", "out/o.json"],
    "assess --html": [*ASSESS, "--html", "out/o.html"],
    "assess --latex": [*ASSESS, "--latex", "out/o.tex"],
    "compare --json": [*COMPARE, "--json", "out/o.json"],
    "compare --html": [*COMPARE, "--html", "out/o.html"],
    "compare --save-bootstrap": [*COMPARE, "--save-bootstrap", "out/o.json"],
    "gate --json": [*GATE, "--json", "out/o.json"],
    "gate --html": [*GATE, "--html", "out/o.html"],
    "gate --markdown": [*GATE, "--markdown", "out/o.md"],
    "gate --junit": [*GATE, "--junit", "out/o.xml"],
    "documents --json": [*DOCUMENTS, "--json", "out/o.json"],
    "documents --html": [*DOCUMENTS, "--html", "out/o.html"],
    "plan --json": [*PLAN, "--json", "out/o.json"],
    "plan --html": [*PLAN, "--html", "out/o.html"],
    "simulate fit -o": [*FIT, "-o", "out/o.json"],
    "simulate fit --json": [*FIT, "-o", "fitted.json", "--json", "out/o.json"],
    "simulate show --json": [*SHOW, "--json", "out/o.json"],
    "simulate show --figures svg": [*SHOW, "--figures", "out/o.svg"],
    "simulate show --figures pdf": [*SHOW, "--figures", "out/o.pdf"],
    "simulate show --figures png": [*SHOW, "--figures", "out/o.png"],
    "evaluate --json": [*EVALUATE, "-o", "tables", "--json", "out/o.json"],
    "experiment list --json": ["experiment", "list", "--json", "out/o.json"],
    "experiment run --json": [*EXPERIMENT, "-o", "run", "--json", "out/o.json"],
}
"""Ways to write one file, ``out/o.…``."""

FOLDERS = {
    "assess --csv": ([*ASSESS, "--csv", "out"], "ranking.csv"),
    "assess --figures": ([*ASSESS, "--figures", "out"], "ranking.svg"),
    "documents --figures": ([*DOCUMENTS, "--figures", "out"], "topics.pdf"),
    "plan --figures": ([*PLAN, "--figures", "out"], "plan.svg"),
    "evaluate -o": ([*EVALUATE, "-o", "out"], "AP.csv"),
    "simulate sample -o": (
        ["simulate", "sample", "model.json", "-n", "5", "-k", "2", "-o", "out"],
        "0002.csv",
    ),
    "demo": (["demo", "out"], "qrels.txt"),
}
"""Ways to write into a folder, and one of the files."""

WAYS = {name: (command, Path(command[-1]).name) for name, command in FILES.items()} | FOLDERS


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of inputs for all ways."""
    folder = tmp_path_factory.mktemp("inputs")
    rng = np.random.default_rng(1)
    for name in ("scores", "other"):
        scores = truerank.ScoreMatrix.build(rng.random((12, 4)).round(3), systems="abcd", measure="AP")
        truerank.write_scores(scores, folder / f"{name}.csv")
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


@pytest.fixture(scope="module")
def firsts():
    """What each way left where it has run once: every way is tried several times and costs a run."""
    return {}


@pytest.fixture
def first(firsts, here, capsys):
    """A function that has a way run for the first time, or puts back what that left."""

    def run_or_restore(way):
        if way in firsts:
            shutil.copytree(firsts[way], here, dirs_exist_ok=True)
            return
        assert "replaced" not in done(capsys, *WAYS[way][0])
        firsts[way] = here.with_name(f"{here.name}-first")
        shutil.copytree(here, firsts[way])

    return run_or_restore


# ── the three examples that started it ────────────────────────────────────────────────────────────


def test_an_input_called_like_a_table_stays(here, capsys):
    shutil.copy("scores.csv", "baseline.csv")
    Path("swaps_of_mine.csv").write_text("precious", encoding="utf-8")
    before = files(".")
    done(capsys, "assess", "baseline.csv", "--csv", ".", *FAST)
    assert before.items() <= files(".").items()
    assert Path("ranking.csv").exists()
    assert "baseline.csv: already an input; choose another --csv folder" in refused(
        capsys, "assess", "baseline.csv", "--baseline", "a", "--csv", ".", *FAST
    )


def test_an_input_called_ranking_stays(here, capsys):
    shutil.copy("scores.csv", "ranking.csv")
    assert "ranking.csv: already an input; choose another --csv folder" in refused(
        capsys, "assess", "ranking.csv", "--csv", ".", *FAST
    )


def test_qrels_called_like_a_table_stay(here, capsys):
    shutil.copy("qrels.txt", "out/AP.csv")
    assert "out/AP.csv: already an input; choose another -o folder" in refused(
        capsys, "evaluate", "--qrels", "out/AP.csv", "runs", "-m", "map", "-o", "out"
    )


# ── every way to write ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("way", WAYS)
def test_the_same_command_replaces_its_results_and_says_so(way, first, capsys):
    command, name = WAYS[way]
    first(way)
    before = files("out")
    assert os.path.join("out", name) in before
    if "-o" in command and "out" not in command:
        command = [word for word in command if word != "--quiet"]
    said = done(capsys, *[word for word in command if word != "--quiet"])
    lines = [line for line in said.splitlines() if "replaced" in line]
    assert len(lines) == 1
    assert "truerank: replaced " in lines[0]
    assert ("out" if way in FOLDERS else f"out/{name}") in lines[0]
    if way != "experiment run --json" and not name.endswith((".html", ".pdf")):  # have times, the command
        again = files("out")
        assert {k: v for k, v in again.items() if k.endswith(name)} == {
            k: v for k, v in before.items() if k.endswith(name)
        }
    assert before.keys() == files("out").keys()


@pytest.mark.parametrize("way", ["assess --json", "gate --markdown", "evaluate -o", "simulate fit --json"])
def test_a_quiet_command_says_nothing_of_what_it_replaces(way, first, capsys):
    first(way)
    command = WAYS[way][0]
    assert "replaced" not in done(capsys, *command, *([] if "--quiet" in command else ["--quiet"]))


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("demo", "experiment list --json")])
def test_an_input_survives(way, here, capsys):
    """Each input in turn is given the name of the output: as it is, and through a link."""
    command, name = WAYS[way]
    inputs = [word for word in command if Path(word).is_file()]
    assert inputs or "runs" in command
    for given in inputs:
        for make in (shutil.copy, lambda a, b: os.symlink(os.path.abspath(a), b)):
            make(given, f"out/{name}")
            words = [f"out/{name}" if word == given else word for word in command]
            if way in FOLDERS or words.count(f"out/{name}") > 1:
                assert f"out/{name}: already an input; choose another" in refused(capsys, *words)
            os.remove(f"out/{name}")
    if "runs" in command:
        words = [word.replace("out", "runs") for word in command]
        assert "which this command reads" in refused(capsys, *words)


def test_a_table_that_is_now_an_input_stays(here, capsys):
    done(capsys, *EVALUATE, "-o", "out")
    done(capsys, "assess", "out/AP.csv", "--csv", "out", *FAST)
    assert "out/AP.csv: already an input" in refused(
        capsys, "evaluate", "--qrels", "out/AP.csv", "runs", "-m", "AP", "-o", "out"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*ASSESS, "--json", "x.html", "--html", "./x.html"], "already another output"),
        ([*ASSESS, "--json", "x", "--csv", "x"], "already another output"),
        ([*ASSESS, "--csv", "out", "--latex", "out/ranking.csv"], "already another output"),
        ([*ASSESS, "--csv", ""], "--csv is ''; name a folder"),
        ([*EVALUATE, "-o", ""], "-o is ''; name a folder"),
        ([*ASSESS, "--html", ""], "--html is empty; name a file"),
        ([*ASSESS, "--html", "-"], "only --json can go to standard output"),
        ([*ASSESS, "--html", "out"], "out: this is a folder"),
        ([*ASSESS, "--html", "no/o.html"], "no does not exist; create it first"),
        ([*ASSESS, "--csv", "qrels.txt"], "a file is in the place of the folder"),
        ([*ASSESS, "--json", f"out/{MARKER}"], "a name for the list of commands"),
        (
            ["assess", "--qrels", "qrels.txt", "-m", "AP", "runs", "--csv", "runs"],
            "runs, which this command reads",
        ),
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
    done(capsys, *ASSESS, "--json", os.devnull, "--html", os.devnull, "--latex", os.devnull)
    assert not os.path.isfile(os.devnull)
    command = [sys.executable, "-m", "truerank", *ASSESS, "--json", "/dev/stdout"]
    with open("log", "ab") as log:
        for output in (subprocess.PIPE, log):
            finished = subprocess.run(command, stdout=output, check=True)
            text = finished.stdout or Path("log").read_bytes()
            assert b'"measure"' in text
            assert b"95% interval" in text


# ── files of other people ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("way", FILES)
def test_a_named_file_is_replaced_whoever_wrote_it(way, here, capsys):
    command, name = WAYS[way]
    Path("out", name).write_text("old", encoding="utf-8")
    other = Path("out", f"2{name}")
    other.hardlink_to(Path("out", name))
    done(capsys, *command)
    assert Path("out", name).read_bytes() != b"old"
    assert other.read_bytes() == b"old"


@pytest.mark.parametrize("way", FOLDERS)
def test_in_a_folder_a_strangers_file_needs_overwrite_or_the_marker(way, here, capsys):
    command, name = WAYS[way]
    Path("out", name).write_text("precious", encoding="utf-8")
    err = refused(capsys, *command)
    assert f"out/{name}: exists, and truerank {command[0]}" in err
    assert "give --overwrite to replace it, or choose another" in err
    Path("out", MARKER).write_text("truerank something else\n", encoding="utf-8")
    assert "exists, and" in refused(capsys, *command)
    done(capsys, *command, "--overwrite")
    assert Path("out", name).read_bytes() != b"precious"
    listed = Path("out", MARKER).read_text(encoding="utf-8").splitlines()
    assert listed[0] == "truerank something else"
    assert len(listed) == 2
    Path("out", name).write_text("changed", encoding="utf-8")
    done(capsys, *command)
    assert Path("out", name).read_bytes() != b"changed"
    assert Path("out", MARKER).read_text(encoding="utf-8").splitlines() == listed


def test_results_of_several_commands_live_in_one_folder(here, capsys):
    done(capsys, *EVALUATE, "-o", "out")
    done(capsys, *ASSESS, "--csv", "out", "--figures", "out", "--html", "out/page.html")
    done(capsys, *EVALUATE, "-m", "RR", "-o", "out")
    assert {"AP.csv", "RR.csv", "ranking.csv", "ranking.svg"} <= set(os.listdir("out"))
    listed = ["truerank evaluate -o", "truerank assess --csv", "truerank assess --figures"]
    assert Path("out", MARKER).read_text(encoding="utf-8").splitlines() == listed


def test_what_an_earlier_run_left_is_named_and_stays(here, capsys):
    done(capsys, *ASSESS, "--csv", "out")
    Path("out/swaps_mine.csv").write_text("precious", encoding="utf-8")
    before = set(os.listdir("out"))
    said = done(capsys, "assess", "scores.csv", "--estimator", "eb", "--csv", "out", "--draws", "100")
    (line,) = [line for line in said.splitlines() if "left from an earlier run" in line]
    assert "replaced 4 files in out" in line
    assert "out/baseline.csv" in line
    assert "out/swaps_kd.csv" in line
    assert "mine" not in line
    assert "out/ranking.csv" not in line
    assert set(os.listdir("out")) == before


def test_measures_in_folders_of_their_own(here, capsys):
    command = ["assess", "long.csv", "-m", "AP", "-m", "RR", *FAST, "--csv", "t", "--latex", "out/t.tex"]
    done(capsys, *command)
    assert {"t/AP/ranking.csv", "t/RR/ranking.csv", "out/t.tex", f"t/{MARKER}"} <= files(".").keys()
    done(capsys, *command)
    os.remove(f"t/{MARKER}")
    assert "t/AP/ranking.csv: exists, and truerank assess --csv did not" in refused(capsys, *command)
    shutil.move("t/RR", "precious")
    os.symlink("../precious", "t/RR")
    assert "t/RR/ranking.csv: RR is a link" in refused(capsys, *command, "--overwrite")


@pytest.mark.parametrize("text", ["", "{}", "rm -rf\n", "truerank assess --csv\n\xff"])
def test_a_marker_that_is_none_is_refused(text, here, capsys):
    Path("out", MARKER).write_bytes(text.encode("latin-1"))
    if text == "":  # nothing is listed, and nothing is lost
        done(capsys, *ASSESS, "--csv", "out")
    elif text.startswith("truerank"):
        assert "not a list of truerank commands" in refused(capsys, *ASSESS, "--csv", "out")
    else:
        assert f"out/{MARKER}: not a list of truerank" in refused(capsys, *ASSESS, "--csv", "out")


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


# ── a full disk ───────────────────────────────────────────────────────────────────────────────────


EVERYTHING = [*ASSESS, "--csv", "out/t", "--figures", "out/f", "--html", "out/a.html"]
EVERYTHING += ["--latex", "out/a.tex", "--json", "out/a.json"]


class FullAt:
    """Counts calls that write, and fails at one of them."""

    def __init__(self, monkeypatch, at):
        self.calls, self.at = 0, at
        self.names = []
        for owner, name in ((open_folder, "write"), (os, "replace"), (os, "link")):
            monkeypatch.setattr(owner, name, self.counted(getattr(owner, name)))

    def counted(self, real):
        def write(*arguments, **options):
            self.calls += 1
            self.names.append(real.__name__)
            if self.calls == self.at:
                if real.__name__ == "_write":
                    real(arguments[0], arguments[1][:10])  # half of it gets there
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*arguments, **options)

        return write


@pytest.mark.parametrize("before", ["nothing", "older results"])
def test_a_disk_that_fills_up_at_any_write(before, here, monkeypatch):
    """For every write, link and rename: one error that names a file, and everything as it was."""

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
            if counter.names[position - 1] == "link":  # then the file itself is set aside
                write()
                assert files("out").keys() == new.keys()
                continue
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
    for pages in (1, 4, 16, 64, 256, 1024):
        disk = small_disk(pages * page)
        command = [word.replace("out/", f"{disk}/") for word in EVERYTHING]
        code = run(command)
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


@pytest.fixture(scope="module")
def result(made):
    return truerank.assess(truerank.read_scores(made / "scores.csv"), baseline="b", draws=100, resamples=100)


def test_the_names_known_before_the_work_are_those_written(result):
    # Whether there are several data sets is only known from the scores.
    assert set(csv_names(baseline=True)) - {"data_sets.csv"} == set(csv_files(result))
    several = {f"data-sets.{suffix}" for suffix in ("pdf", "png", "svg")}
    assert set(figure_names(True)) - several == set(figure_files(result))


def test_python_replaces_a_named_file_and_asks_in_a_folder(result, here):
    for write, name in ((write_latex, "scores.csv"), (write_page, "other.html")):
        Path(name).write_text("old", encoding="utf-8")
        write(result, name)
        assert Path(name).read_text(encoding="utf-8") != "old"
    Path("out/ranking.csv").write_text("mine", encoding="utf-8")
    Path("out/ranking.png").write_text("mine", encoding="utf-8")
    for write in (write_csv, write_figures):
        with pytest.raises(InputError, match="did not write to this folder before; give overwrite=True"):
            write(result, "out")
    assert set(os.listdir("out")) == {"ranking.csv", "ranking.png"}
    write_csv(result, "out", overwrite=True)
    for _ in range(2):
        assert {path.name for path in write_csv(result, "new")} == set(os.listdir("new")) - {MARKER}
