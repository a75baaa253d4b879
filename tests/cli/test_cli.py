"""The command line: JSON, exit codes, one clear line for every bad input, 80 columns."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys

import pytest

import truerank
from truerank.cli import COMMANDS, PROGRAM, run
from truerank.cli.demo import write_collection
from truerank.coefficients import tau
from truerank.simulation import load_embedded

TABLE = (
    "topic,a,b,c\n" + "\n".join(f"q{t},{0.1 + t % 3 / 10},{t % 5 / 10},{t % 2 / 4}" for t in range(12)) + "\n"
)
FAST = ["--draws", "200", "--resamples", "50"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    return path


def refused(capsys, *arguments):
    """Run a command that must fail: exit code 2, one line on standard error, nothing on output."""
    code = run([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.startswith("truerank: ")
    assert err.count("\n") == 1
    return err


def test_help_starts_fast_because_nothing_heavy_is_imported():
    script = (
        "import sys; from truerank.cli import run; run(['--help']); "
        "heavy = {'numpy', 'scipy', 'pandas', 'rich.console', 'ir_measures', 'altair'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


UNUSED = {
    *("pandas", "scipy.stats", "asyncio", "pydantic", "altair", "ir_measures", "rich.console"),
    *("numpy.f2py.crackfortran", "numpy.testing._private.utils", "numpy.polynomial.chebyshev"),
    *("truerank.planning.planner", "truerank.planning.plan_results", "truerank.report.charts.forest"),
    "truerank.readers.run_formats",
    *(f"truerank.readers.formats.{name}" for name in ("agents", "inspect_log", "lm_eval")),
    *(f"truerank.readers.formats.{name}" for name in ("objects", "promptfoo", "tools")),
}
"""What an assessment and a gate need none of: to import it would take longer than they do."""


def test_an_assessment_imports_what_it_needs_alone(table):
    done = "from truerank.cli import run; run(['assess', sys.argv[1], '--draws', '100'])"
    unused = UNUSED | {"truerank.cli.gate", "truerank.cli.plan"}
    script = f"import sys; {done}; found = {unused} & set(sys.modules); assert not found, found"
    found = subprocess.run(
        [sys.executable, "-c", script, str(table)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr


def test_an_assessment_keeps_blas_on_one_thread():
    """Of many small matrices, threads take several times the time that they save, and their sums differ."""
    from threadpoolctl import threadpool_info

    seen = []
    truerank.assess(
        [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]],
        ["ml"],
        draws=100,
        progress=lambda *_: seen.extend(
            one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"
        ),
    )
    assert set(seen) == {1}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty"),
        ("binary.csv", b"a,b\n\x00\x01\x02\n", "text"),
        ("broken.csv.gz", gzip.compress(TABLE.encode(), mtime=0)[:-20], "gzip"),
        ("ragged.csv", b"a,b,c\n1,2,3\n1,2\n1,2,3\n", "ragged.csv:3: "),
        ("nan.csv", b"a,b\n1,2\n1,nan\n1,2\n", "nan.csv:3: "),
        ("one-topic.csv", b"topic,a,b\nq,1,2\n", "only 1 topic"),
        ("same.csv", b"topic,a,b\nq,1,1\nr,2,2\ns,3,3\n", "there is nothing to rank"),
        ("qrels.txt", b"301 0 doc1 1\n301 0 doc2 0\n", "--qrels"),
        ("book.xlsx", b"PK\x03\x04", "Excel"),
    ],
)
def test_unusable_files_get_one_line(name, content, message, tmp_path, capsys):
    path = tmp_path / name
    path.write_bytes(content)
    outputs = [tmp_path / "o.json", tmp_path / "csv", tmp_path / "o.tex"]
    err = refused(capsys, "assess", path, "--json", outputs[0], "--csv", outputs[1], "--latex", outputs[2])
    assert message in err
    assert name in err
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--estimator", "mqsd"], "did you mean 'msqd'"),
        (["--baseline", "z"], "unknown system 'z'"),
        (["--level", "95"], "0.95"),
        (["--drop-bottom", "25"], "write 0.25"),
        (["--estimator", "ml,msqd"], "one by one"),
        (["-m", "AP", "-m", "P@10"], "one measure only"),
        (["--nonsense"], "--nonsense"),
        (["--json", "first.json", "--json", "second.json"], "--json is given twice"),
        (["--json", "/nonexistent/dir/file.json"], "/nonexistent"),
    ],
)
def test_wrong_use_gets_one_line(arguments, message, table, capsys):
    code = run(["assess", str(table), *FAST, *arguments])
    out, err = capsys.readouterr()
    assert code == 2
    assert err.count("\n") == 1
    assert message in err
    assert "Traceback" not in out + err


def test_a_comparison_of_measures_is_told_how_to_be_made(tmp_path, capsys, monkeypatch):
    """By two commands, which work as they are told."""
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, "compare", "--qrels", "qrels.txt", "-m", "AP", "runs")
    evaluate, compare = re.findall(r"truerank ((?:evaluate|compare) [^(]*?)(?:,| \()", said)
    evaluate = evaluate.replace("QRELS", "qrels.txt").replace("RUNS", "runs")
    assert run([*evaluate.split(), "--overwrite"]) == 0
    assert run([*compare.split(), "--resamples", "50"]) == 0


def test_an_unknown_command_gets_one_line(capsys):
    assert "No such command 'asess'" in refused(capsys, "asess")


@pytest.fixture
def collection(tmp_path):
    folder = tmp_path / "demo"
    folder.mkdir()
    write_collection(folder)
    return folder


def test_demo_shows_the_truth_and_leaves_files_that_work(tmp_path, capsys):
    assert run(["demo", str(tmp_path / "d"), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document["truth"]) == {"tau", "tau_ap"}
    assert (tmp_path / "d" / "report.html").read_text().startswith("<!doctype html>")
    assert run(["assess", str(tmp_path / "d" / "scores.csv"), "--seed", "1", "--json", "-"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["estimates"] == document["estimates"]


def test_a_model_shows_the_truth_beside(tmp_path, table, capsys):
    words = ["simulate", "sample", "web2010-ap", "--topics", "30", "--collections", "1"]
    assert run([*words, "-o", str(tmp_path / "sim")]) == 0
    capsys.readouterr()
    words = ["assess", str(tmp_path / "sim" / "0001.csv"), "--model", "web2010-ap", "--estimator", "eb"]
    assert run([*words, "--json", str(tmp_path / "o.json"), *FAST]) == 0
    out, document = capsys.readouterr().out, json.loads((tmp_path / "o.json").read_text())
    model = load_embedded("web2010-ap")
    truth = dict(zip(model.systems, model.true_means, strict=True))
    means = [s["mean"] for s in document["ranking"]]
    true_tau = tau([truth[s["system"]] for s in document["ranking"]], means)
    assert document["truth"]["tau"] == pytest.approx(true_tau, abs=1e-12)
    assert f"the ranking agrees with it at τ = {true_tau:.2f}" in " ".join(out.split())
    assert "True rank" in out
    assert "no system 'a'" in refused(capsys, "assess", table, "--model", "web2010-ap", *FAST)
    assert "web2010-ap" in refused(capsys, "assess", table, "--model", "web2010", *FAST)


@pytest.mark.parametrize("extra", [[], ["--json", "-"]])
def test_any_output_encoding_will_do(table, extra, monkeypatch):
    out, err = io.BytesIO(), io.BytesIO()
    # As Python opens them: a letter that the encoding lacks is an error until truerank says otherwise.
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "ascii", errors="strict"))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(err, "ascii", errors="backslashreplace"))
    assert run(["assess", str(table), *FAST, *extra]) == 0
    sys.stdout.flush()
    sys.stderr.flush()
    assert err.getvalue() == b""
    if extra:
        assert json.loads(out.getvalue())["topics"] == 12
    else:
        assert b"?" in out.getvalue()


def test_scores_from_standard_input_in_a_narrow_encoding(table):
    """A process as the shell starts it: scores from a pipe, and an output that knows no τ."""
    command = [sys.executable, "-W", "error", "-m", "truerank", "assess", "-", *FAST]
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(command, input=TABLE.encode(), capture_output=True, env=env, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"of 3 systems on 12 topics" in done.stdout
    assert b"? = " in done.stdout


def test_runs_and_qrels(collection, tmp_path, capsys):
    qrels, runs = str(collection / "qrels.txt"), str(collection / "runs")
    measures = ["-m", "AP", "-m", "P@10", "-m", "ndcg_cut_10"]
    assert (
        run(["evaluate", "--qrels", qrels, *measures, "-o", str(tmp_path / "out"), runs, "--json", "-"]) == 0
    )
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [t["measure"] for t in tables] == ["AP", "P@10", "nDCG@10"]
    assert run(["assess", "--qrels", qrels, "-m", "AP", runs, "--json", "-", *FAST]) == 0
    from_runs = json.loads(capsys.readouterr().out)
    assert run(["assess", tables[0]["file"], "--json", "-", *FAST]) == 0
    from_table = json.loads(capsys.readouterr().out)
    assert from_runs["estimates"] == from_table["estimates"]
    assert from_runs["systems"] == 6


def test_bad_runs_and_qrels(collection, tmp_path, capsys):
    qrels, runs = collection / "qrels.txt", collection / "runs"
    assert "-m AP" in refused(capsys, "assess", "--qrels", qrels, runs)
    assert "did you mean 'nDCG'" in refused(capsys, "assess", "--qrels", qrels, "-m", "nCDG", runs)
    other = tmp_path / "other.txt"
    other.write_text("900 0 d1 1\n")
    assert "bm25.txt: run and qrels have no topic in common" in refused(
        capsys, "assess", "--qrels", other, "-m", "AP", runs
    )
    out = tmp_path / "out"
    refused(capsys, "evaluate", "--qrels", other, "-m", "AP", "-o", out, runs)
    assert not out.exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_is_short_and_the_whole_one_has_every_option(name, capsys, monkeypatch):
    """At 80 columns, what most people need takes 45 lines; `--help-all` leaves nothing out."""
    monkeypatch.setenv("COLUMNS", "80")
    assert run([name, "--help"]) == 0
    short = capsys.readouterr().out
    assert len(short.splitlines()) <= 45
    assert run([name, "--help-all"]) == 0
    out = capsys.readouterr().out
    assert len(out) >= len(short)
    assert max(map(len, out.splitlines())) <= 80
    for one in getattr(PROGRAM.find(name), "parameters", ()):
        assert one.shown in out


def _leaves(command):
    for name in getattr(command, "names", ()):
        yield from _leaves(command.find(name))
    if not hasattr(command, "names"):
        yield command


def test_the_example_of_every_help_is_parsed(capsys):
    """Each is a command line that the command itself accepts."""
    for command in _leaves(PROGRAM):
        path = command.name.split()
        command.values(*command.split(command.example.partition(". ")[0].split()))
        assert run([*path, "--help"]) == 0
        said = capsys.readouterr().out
        example = said.partition("Example: ")[2].partition(":\n")[0]
        assert (f"truerank {command.name}" in example) == bool(command.example)
        assert run([*path, "-h"]) == 0
        assert capsys.readouterr().out == said
