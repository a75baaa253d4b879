"""Every kind of output against every hostile place: links, markers, pipes, descriptors, nested inputs.

After each run: no input and nothing outside has changed, nothing was deleted, nothing is half-written; what
is refused is refused in one line with exit code 2 and leaves every file as it was.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import truerank
from truerank.cli import run as command
from validation.checks import Checks

FAST = ["--draws", "50", "--resamples", "50", "--quiet"]
ASSESS = ["assess", "scores.csv", "--estimator", "eb", *FAST]
SEVERAL = ["assess", "long.csv", "-m", "AP", "-m", "RR", "--estimator", "eb", *FAST]
COMPARE = ["compare", "scores.csv", "other.csv", "--resamples", "20", "--quiet"]
GATE = ["gate", "scores.csv", "--baseline", "b", "--undecided", "pass", "--margin", "0.5", "--quiet"]
EVALUATE = ["evaluate", "--qrels", "qrels.txt", "runs", "-m", "AP", "--quiet"]
FIT = ["simulate", "fit", "scores.csv", "--simulator", "effects", "--quiet"]
SAMPLE = ["simulate", "sample", "model.json", "-n", "5", "-k", "2", "--quiet"]
IMPORT = ["import", "table", "scores.csv", "--quiet"]
RUN = ["experiment", "run", "estimators", "model.json", "--trials", "2", "--topics", "5"]
RUN += ["--estimators", "ml", "--workers", "1", "--quiet"]

FILES: dict[str, tuple[list[str], str]] = {
    f"{' '.join(words[:2]) if words[0] in ('simulate', 'experiment') else words[0]} {option}": (
        [*words, option],
        name,
    )
    for words, options in (
        (ASSESS, {"--json": "o.json", "--html": "o.html", "--latex": "o.tex", "--markdown": "o.md"}),
        (COMPARE, {"--save-resamples": "o.json"}),
        (GATE, {"--json": "o.json", "--junit": "o.xml"}),
        (FIT, {"-o": "o.json"}),
        (IMPORT, {"-o": "o.csv"}),
        ([*EVALUATE, "-o", "tables"], {"--json": "o.json"}),
        ([*SAMPLE, "-o", "samples"], {"--json": "o.json"}),
        ([*RUN, "-o", "run"], {"--json": "o.json", "--html": "o.html"}),
    )
    for option, name in options.items()
}
"""Ways to write a file that the user names: the command up to the file, and a name."""

FOLDERS: dict[str, tuple[list[str], str]] = {
    "assess --csv": ([*ASSESS, "--csv"], "ranking.csv"),
    "assess --csv of several": ([*SEVERAL, "--csv"], "AP/ranking.csv"),
    "assess --figures": ([*ASSESS, "--figures"], "ranking.svg"),
    "evaluate -o": ([*EVALUATE, "-o"], "AP.csv"),
    "simulate sample -o": ([*SAMPLE, "-o"], "0002.csv"),
    "demo": (["demo", "--quiet"], "qrels.txt"),
}
"""Ways to write into a folder, and one of the files."""

REFUSED, DONE, EITHER = {2}, {0}, {0, 2}


@dataclass(frozen=True)
class Attack:
    """One run: the words of the command, what it may end with, and what it may change."""

    words: list[str]
    codes: set[int]
    changes: frozenset[str] = frozenset()


Scene = Callable[[list[str], str], Attack]


def made(folder: Path) -> None:
    """The inputs of all ways, and things of other people."""
    rng = np.random.default_rng(1)
    for name in ("scores", "other"):
        scores = truerank.ScoreMatrix.build(rng.random((12, 4)).round(3), systems="abcd", measure="AP")
        truerank.write_scores(scores, folder / f"{name}.csv")
    rows = ["name,qid,measure,value"]
    rows += [f"{s},{q},{m},{rng.random():.3f}" for s in "abc" for q in range(8) for m in ("AP", "RR")]
    (folder / "long.csv").write_text("\n".join(rows))
    for name in ("runs", "out", "outside"):
        (folder / name).mkdir()
    (folder / "outside" / "precious").write_text("precious")
    judged = "".join(f"{t} 0 d{i} {int(i < 3)}\n" for t in range(4) for i in range(9))
    (folder / "qrels.txt").write_text(judged)
    for s in range(3):
        lines = [f"{t} Q0 d{i} 0 {rng.random():.4f} s{s}\n" for t in range(4) for i in range(9)]
        (folder / "runs" / f"s{s}.txt").write_text("".join(lines))
    truerank.simulation.fit(scores, "effects", seed=1).save(folder / "model.json")


# ── files that the user names ─────────────────────────────────────────────────────────────────────


def _at(words: list[str], target: str, codes: set[int] = REFUSED, *changes: str) -> Attack:
    return Attack([*words, target], codes, frozenset(changes))


def _linked(target: str) -> Scene:
    def scene(words: list[str], name: str) -> Attack:
        os.symlink(target, f"out/{name}")
        return _at(words, f"out/{name}")

    return scene


def _input(words: list[str]) -> str:
    return next(word for word in words if Path(word).is_file())


def _pipe(words: list[str], name: str) -> Attack:
    os.mkfifo(f"out/{name}")
    return _at(words, f"out/{name}")


def _socket(words: list[str], name: str) -> Attack:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(f"out/{name}")
    return _at(words, f"out/{name}")


def _folder(words: list[str], name: str) -> Attack:
    Path("out", name).mkdir()
    return _at(words, f"out/{name}")


def _stranger(words: list[str], name: str) -> Attack:
    Path("out", name).write_text("old", encoding="utf-8")
    return _at(words, f"out/{name}", DONE, f"out/{name}")


def _hard_linked(words: list[str], name: str) -> Attack:
    os.link(_input(words), f"out/{name}")
    return _at(words, f"out/{name}")


def _followed(words: list[str], name: str) -> Attack:
    os.symlink("../outside/precious", f"out/{name}")
    return _at(words, f"out/{name}", DONE, "outside/precious")


def _other_case(words: list[str], name: str) -> Attack:
    return _at([*words, f"out/{name}", "--json"], f"out/{name.swapcase()}")


FILE_SCENES: dict[str, Scene] = {
    "an input": lambda words, name: _at(words, _input(words)),
    "a link to an input": lambda words, name: _linked(os.path.abspath(_input(words)))(words, name),
    "a hard link to an input": _hard_linked,
    "a link to nothing": _linked("nothing"),
    "a link to itself": lambda words, name: _linked(name)(words, name),
    "a pipe without a reader": _pipe,
    "a socket": _socket,
    "a folder": _folder,
    "a descriptor that is closed": lambda words, name: _at(words, "/dev/fd/987"),
    "a folder that is missing": lambda words, name: _at(words, f"missing/{name}"),
    "below a file": lambda words, name: _at(words, f"qrels.txt/{name}"),
    "bytes that are no UTF-8": lambda words, name: _at(words, os.fsdecode(b"out/\xff" + name.encode())),
    "a name that is too long": lambda words, name: _at(words, "out/" + "x" * 300 + name),
    "the marker": lambda words, name: _at(words, "out/.truerank"),
    "an empty name": lambda words, name: _at(words, ""),
    "a file of a stranger": _stranger,
    "a link to a file elsewhere": _followed,
}


# ── folders ───────────────────────────────────────────────────────────────────────────────────────


def _inside(name: str) -> Path:
    path = Path("out", name)
    path.parent.mkdir(exist_ok=True)
    return path


def _mark(words: list[str]) -> None:
    option = f" {words[-1]}" if words[-1].startswith("-") and words[0] != "demo" else ""
    named = " ".join(words[:2]) if words[0] == "simulate" else words[0]
    Path("out/.truerank").write_text(f"truerank {named}{option}\n", encoding="utf-8")


def _in_folder(put: Callable[[Path], None], *more: str, marked: bool = False) -> Scene:
    def scene(words: list[str], name: str) -> Attack:
        put(_inside(name))
        if marked:
            _mark(words)
        return Attack([*words, "out", *more], REFUSED)

    return scene


def _deep_link(path: Path) -> None:
    path.symlink_to(os.path.abspath("outside/precious"))


def _marker(put: Callable[[Path], None]) -> Scene:
    def scene(words: list[str], name: str) -> Attack:
        put(Path("out/.truerank"))
        return Attack([*words, "out", "--overwrite"], REFUSED)

    return scene


def _forged_record(words: list[str], name: str) -> Attack:
    Path("out/.truerank-files.json").write_text(
        '{"format": "truerank files", "version": 1, "files": {"../outside/precious": '
        '{"command": "assess --csv", "sha256": "x"}}}',
        encoding="utf-8",
    )
    Path("out/.truerank").write_text("truerank ../outside/precious\ntruerank /etc/passwd\n", encoding="utf-8")
    return Attack([*words, "out"], DONE, frozenset({"out/.truerank"}))


def _folder_link(words: list[str], name: str) -> Attack:
    os.symlink("outside", "there")
    return Attack([*words, "there"], DONE)


def _link_in_place(target: str) -> Scene:
    def scene(words: list[str], name: str) -> Attack:
        os.symlink(target, "there")
        return Attack([*words, "there"], REFUSED)

    return scene


def _first_part_linked(words: list[str], name: str) -> Attack:
    if "/" not in name:
        return Attack([*words, "out"], DONE)
    os.symlink("../outside", f"out/{name.split('/')[0]}")
    return Attack([*words, "out", "--overwrite"], REFUSED)


FOLDER_SCENES: dict[str, Scene] = {
    "a file of a stranger": _in_folder(lambda path: path.write_text("mine") and None),
    "a link": _in_folder(_deep_link),
    "a link, --overwrite": _in_folder(_deep_link, "--overwrite"),
    "a link in a marked folder": _in_folder(_deep_link, marked=True),
    "a link to nothing, --overwrite": _in_folder(lambda path: path.symlink_to("nothing"), "--overwrite"),
    "a pipe, --overwrite": _in_folder(os.mkfifo, "--overwrite"),
    "a folder, --overwrite": _in_folder(Path.mkdir, "--overwrite"),
    "a folder that is a link": _first_part_linked,
    "the marker a link": _marker(_deep_link),
    "the marker a pipe": _marker(os.mkfifo),
    "the marker a folder": _marker(Path.mkdir),
    "the marker of somebody else": _marker(lambda path: path.write_bytes(b"\xff\x00") and None),
    "a forged record": _forged_record,
    "a link to a file": _link_in_place("scores.csv"),
    "a link to nothing": _link_in_place("nothing"),
    "a link to a folder": _folder_link,
    "a file": lambda words, name: Attack([*words, "qrels.txt"], REFUSED),
    "below a file": lambda words, name: Attack([*words, "qrels.txt/out"], REFUSED),
    "bytes that are no UTF-8": lambda words, name: Attack([*words, os.fsdecode(b"o\xff")], REFUSED),
}


# ── experiments ───────────────────────────────────────────────────────────────────────────────────


def _received(put: Callable[[], None], *more: str, codes: set[int] = REFUSED) -> Scene:
    """A folder of a run from elsewhere, in which something is a link."""

    def scene(words: list[str], name: str) -> Attack:
        put()
        reported = ("run/tables/", "run/figures/")
        changes = {str(path) for path in Path("run").rglob("*") if str(path).startswith(reported)}
        return Attack([*words, *more], codes, frozenset(changes) if codes != REFUSED else frozenset())

    return scene


def _replaced(name: str, target: str = "outside") -> Callable[[], None]:
    def put() -> None:
        path = Path("run", name)
        if path.is_dir():
            shutil.move(path, f"moved-{path.name}")
        else:
            path.unlink(missing_ok=True)
        path.symlink_to(os.path.abspath(target))

    return put


def _nothing() -> None:
    """Nothing is put anywhere."""


EXPERIMENTS: dict[str, list[str]] = {
    "experiment show --write": ["experiment", "show", "run", "--write"],
    "experiment run again": [*RUN, "-o", "run"],
}

EXPERIMENT_SCENES: dict[str, Scene] = {
    "tables a link": _received(_replaced("tables")),
    "figures a link": _received(_replaced("figures")),
    "a table a link": _received(_replaced("tables/tables.md", "outside/precious")),
    "a figure a link": _received(_replaced("figures/error.svg", "outside/precious")),
    "the lock a link": _received(_replaced(".lock", "outside/precious"), codes=EITHER),
    "rows a link": _received(_replaced("rows"), codes=EITHER),
    "damaged a link": _received(_replaced("damaged"), codes=EITHER),
    "--json manifest.json": _received(_nothing, "--json", "run/manifest.json"),
    "--json in its folder": _received(_nothing, "--json", "run/tables/o.json"),
    "--html in its folder": _received(_nothing, "--html", "run/o.html"),
}


# ── judging ───────────────────────────────────────────────────────────────────────────────────────


def seen(folder: str = ".") -> dict[str, object]:
    """Everything below a folder: bytes, targets of links, kinds."""
    found: dict[str, object] = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if path.is_symlink():
                found[str(path)] = ("link", os.readlink(path))
            else:
                found[str(path)] = path.read_bytes() if path.is_file() else path.lstat().st_mode
    return found


def wrongs(attack: Attack) -> list[str]:
    """What is wrong after an attack in the current folder; nothing where every promise was kept."""
    before = seen()
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command(attack.words)
    after, told = seen(), err.getvalue()
    found = []
    if code not in attack.codes:
        found.append(f"exit code {code}: {told.strip()}")
    if code == 2 and (told.count("\n") != 1 or not told.startswith("truerank: ")):
        found.append(f"not one line: {told!r}")
    if code == 2 and after != before:
        found.append(
            f"refused, and changed {sorted(k for k in {*after, *before} if after.get(k) != before.get(k))}"
        )
    if gone := sorted(before.keys() - after.keys()):
        found.append(f"deleted {gone}")
    if changed := sorted(k for k in before.keys() & after.keys() - attack.changes if after[k] != before[k]):
        found.append(f"changed {changed}")
    hidden = [k for k in after.keys() - before.keys() if Path(k).name.startswith(".")]
    if litter := [k for k in hidden if Path(k).name not in (".truerank", ".lock")]:
        found.append(f"left {litter}")
    return found


def grid() -> Iterator[tuple[str, list[str], str, Scene]]:
    """All ways × their scenes: a title, the words, the name of a file, the scene."""
    for ways, scenes in ((FILES, FILE_SCENES), (FOLDERS, FOLDER_SCENES)):
        for way, (words, name) in ways.items():
            for title, scene in scenes.items():
                yield f"{way}: {title}", words, name, scene
    for way, words in EXPERIMENTS.items():
        for title, scene in EXPERIMENT_SCENES.items():
            yield f"{way}: {title}", words, "", scene


@contextmanager
def stage(inputs: Path, ran: Path | None) -> Iterator[None]:
    """A fresh current folder with the inputs, and a finished run of an experiment where one is given."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(inputs, place, dirs_exist_ok=True)
        if ran is not None:
            shutil.copytree(ran, Path(place, "run"))
        os.chdir(place)
        try:
            yield
        finally:
            os.chdir(before)


def ran_once(inputs: Path, place: Path) -> Path:
    """The folder of a finished run."""
    with stage(inputs, None), contextlib.redirect_stdout(io.StringIO()):
        assert command([*RUN, "-o", "run"]) == 0
        return Path(shutil.copytree("run", place / "run"))


def run(checks: Checks) -> None:
    """The whole grid, in random order."""
    with tempfile.TemporaryDirectory() as there:
        inputs = Path(there, "inputs")
        inputs.mkdir()
        made(inputs)
        ran = ran_once(inputs, Path(there))
        every = list(grid())
        random.Random(5).shuffle(every)
        wrong = []
        for title, words, name, scene in every:
            with stage(inputs, ran if words[0] == "experiment" and not name else None):
                found = wrongs(scene(words, name))
            wrong += [f"{title}: {one}" for one in found]
    for one in wrong:
        checks.note(f"  {one}")
    checks.that(
        f"{len(every)} attacks on outputs: nothing lost, nothing half-written",
        not wrong,
        f"{len(wrong)} went wrong",
    )
