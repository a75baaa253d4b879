"""The command line: JSON, exit codes, one clear line for every bad input, 80 columns."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from truerank.cli import run
from truerank.cli.example import write_collection
from truerank.coefficients import tau
from truerank.simulation import load_embedded

TABLE = (
    "topic,a,b,c\n" + "\n".join(f"q{t},{0.1 + t % 3 / 10},{t % 5 / 10},{t % 2 / 4}" for t in range(12)) + "\n"
)
FAST = ["--draws", "200", "--resamples", "200"]


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


def test_json_alone_on_standard_output(table, capsys):
    assert run(["assess", str(table), "--json", "-", "--seed", "1", *FAST]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["topics"] == 12
    assert [s["rank"] for s in document["ranking"]] == [1, 2, 3]
    assert err == ""


def test_figures_of_adhoc6_by_command(data, capsys):
    assert run(["assess", str(data / "trec" / "adhoc6_ap.csv"), "--seed", "1", "--json", "-"]) == 0
    found = {
        (e["estimator"], e["coefficient"]): e["estimate"]
        for e in json.loads(capsys.readouterr().out)["estimates"]
    }
    assert (round(found["ml", "tau"], 6), round(found["ml", "tau_ap"], 6)) == (0.856061, 0.812693)
    assert found["msqd", "tau"] == pytest.approx(0.860027, abs=1e-5)
    assert found["msqd", "tau_ap"] == pytest.approx(0.816099, abs=1e-5)
    # Published from 1,000 resamples (Monte Carlo error 0.0012) and printed with three decimals.
    for name, expected in (("res", (0.862, 0.819)), ("kd", (0.858, 0.814))):
        assert (found[name, "tau"], found[name, "tau_ap"]) == pytest.approx(expected, abs=0.0041)
    for name, expected, per_run in (("sh-w", (0.8945, 0.8606), 0.003), ("sh-wo", (0.8810, 0.8491), 0.002)):
        assert (found[name, "tau"], found[name, "tau_ap"]) == pytest.approx(expected, abs=3 * per_run)


def test_files_are_written(table, tmp_path, capsys):
    options = [
        "--json",
        str(tmp_path / "a.json"),
        "--csv",
        str(tmp_path / "csv"),
        "--latex",
        str(tmp_path / "a.tex"),
    ]
    assert run(["assess", str(table), "--baseline", "b", *options, *FAST]) == 0
    assert "Against the baseline b" in capsys.readouterr().out
    assert json.loads((tmp_path / "a.json").read_text())["baseline"]["system"] == "b"
    assert (tmp_path / "csv" / "baseline.csv").exists()
    assert (tmp_path / "a.tex").read_text().count("\\bottomrule") == 3


def test_several_measures_make_a_list_and_a_file_each(tmp_path, capsys):
    rows = ["name,qid,measure,value"]
    rng = np.random.default_rng(1)
    rows += [f"{s},{q},{m},{rng.random():.3f}" for s in "abc" for q in range(8) for m in ("AP", "P@10")]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(rows))
    command = [
        "assess",
        str(path),
        "-m",
        "AP",
        "-m",
        "P@10",
        "--json",
        "-",
        "--csv",
        str(tmp_path / "out"),
        *FAST,
    ]
    assert run(command) == 0
    documents = json.loads(capsys.readouterr().out)
    assert [d["measure"] for d in documents] == ["AP", "P@10"]
    assert len(list((tmp_path / "out").glob("*/ranking.csv"))) == 2


def test_the_terminal_stays_within_80_columns_without_colour(table, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    long = table.with_name("long.csv")
    long.write_text(TABLE.replace("topic,a,b,c", "topic," + ",".join(c * 60 for c in "abc")))
    for path in (table, long):
        assert run(["assess", str(path), *FAST]) == 0
        out, err = capsys.readouterr()
        assert 60 < max(map(len, out.splitlines())) <= 80
        assert "\x1b" not in out
        assert err == ""


def test_names_cannot_steer_the_terminal(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text(TABLE.replace("topic,a,", "topic,\x1b[31mred[bold],"))
    assert run(["assess", str(path), *FAST]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[31mred[bold]" in out


def test_help_starts_fast_because_nothing_heavy_is_imported():
    script = (
        "import sys; from truerank.cli import run; run(['--help']); "
        "heavy = {'numpy', 'scipy', 'pandas', 'rich.console', 'ir_measures', 'altair'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty"),
        ("binary.csv", b"a,b\n\x00\x01\x02\n", "text"),
        ("broken.csv.gz", gzip.compress(TABLE.encode(), mtime=0)[:-20], "gzip"),
        ("ragged.csv", b"a,b,c\n1,2,3\n1,2\n1,2,3\n", "ragged.csv:3: "),
        ("text.csv", b"a,b\n1,2\n1,x\n1,2\n", "text.csv:3: "),
        ("nan.csv", b"a,b\n1,2\n1,nan\n1,2\n", "nan.csv:3: "),
        ("inf.csv", b"a,b\n1,2\n1,inf\n1,2\n", "inf.csv:3: "),
        ("topics.csv", b"topic,a,b\nq,1,2\nq,1,3\nr,2,1\n", "'q'"),
        ("systems.csv", b"topic,a,a\nq,1,2\np,1,3\nr,2,1\n", "'a'"),
        ("one-system.csv", b"topic,a\nq,1\np,1\nr,2\n", "one system"),
        ("one-topic.csv", b"topic,a,b\nq,1,2\n", "only 1 topic"),
        ("two-topics.csv", b"topic,a,b\nq,1,2\nr,2,2\n", "only 2 topic"),
        ("huge.csv", b"topic,a,b\nq,1,1e308\nr,1,1\ns,1,2\n", "1e+308"),
        ("same.csv", b"topic,a,b\nq,1,1\nr,2,2\ns,3,3\n", "has the same scores as"),
        ("leaderboard.csv", b"model,MAP,P\na,1,1\nb,2,2\nc,3,3\n", "transpose it"),
        ("qrels.txt", b"301 0 doc1 1\n301 0 doc2 0\n", "--qrels"),
        ("book.xlsx", b"PK\x03\x04", "Excel"),
        ("scores.json", b"{}", "JSON"),
        ("equal.csv", b"topic,a,b\nq,1,1\nr,1,1\ns,1,1\n", "equal"),
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


def test_missing_files_and_directories(tmp_path, capsys):
    assert "no such file" in refused(capsys, "assess", tmp_path / "nothing.csv").lower()
    assert "folder" in refused(capsys, "assess", tmp_path).lower()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--estimator", "mqsd"], "did you mean 'msqd'"),
        (["--coefficient", "tua"], "did you mean 'tau'"),
        (["--baseline", "z"], "unknown system 'z'"),
        (["--level", "95"], "0.95"),
        (["--level", "x"], "--level"),
        (["--dependence", "shrnk"], "did you mean 'shrunk'"),
        (["--drop-bottom", "25"], "write 0.25"),
        (["--estimator", "ml,msqd"], "one by one"),
        (["-m", "AP", "-m", "P@10"], "one measure only"),
        (["--drop-bottom", "0.9"], "only one system"),
        (["--seed", "-3"], "--seed"),
        (["--missing", "ignore"], "--missing"),
        (["--nonsense"], "--nonsense"),
        (["--estimator", "nosuch"], "choose from eb"),
        (["--top", "3.5"], "--top must be a whole number, not 3.5 ("),
        (["--best", "0"], "--best must be at least 1, not 0 ("),
        (["--figure-width", "100"], "--figure-width must be 85 or 178, not 100 ("),
        (["--json", "first.json", "--json", "second.json"], "--json is given 2 times"),
        (["--relevance-level", "2"], "--qrels"),
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


def test_an_unknown_command_gets_one_line(capsys):
    assert "No such command 'asess'" in refused(capsys, "asess")


@pytest.fixture
def collection(tmp_path):
    folder = tmp_path / "demo"
    folder.mkdir()
    write_collection(folder, 2)
    return folder


def test_demo_shows_the_truth_and_leaves_files_that_work(tmp_path, capsys):
    assert run(["demo", str(tmp_path / "d"), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document["truth"]) == {"tau", "tau_ap"}
    assert run(["assess", str(tmp_path / "d" / "scores.csv"), "--seed", "1", "--json", "-"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["estimates"] == document["estimates"]


def test_a_model_shows_the_truth_beside(tmp_path, table, capsys):
    sample = [
        "simulate",
        "sample",
        "web2010-ap",
        "--topics",
        "30",
        "--collections",
        "1",
        "-o",
        str(tmp_path / "sim"),
    ]
    assert run(sample) == 0
    drawn = str(tmp_path / "sim" / "0001.csv")
    capsys.readouterr()
    command = [
        "assess",
        drawn,
        "--model",
        "web2010-ap",
        "--json",
        "-",
        "--html",
        str(tmp_path / "p.html"),
        *FAST,
    ]
    assert run(command) == 0
    document = json.loads(capsys.readouterr().out)
    model = load_embedded("web2010-ap")
    truth = dict(zip(model.systems, model.true_means, strict=True))
    means = [s["mean"] for s in document["ranking"]]
    assert document["truth"]["tau"] == tau([truth[s["system"]] for s in document["ranking"]], means)
    assert "Here the truth is known" in (tmp_path / "p.html").read_text()
    assert "no system 'a'" in refused(capsys, "assess", table, "--model", "web2010-ap", *FAST)
    assert "web2010-ap" in refused(capsys, "assess", table, "--model", "web2010", *FAST)


def test_demo_leaves_other_files_alone(tmp_path, capsys):
    (tmp_path / "scores.csv").write_text("precious")
    assert "holds other files" in refused(capsys, "demo", tmp_path)
    assert (tmp_path / "scores.csv").read_text() == "precious"
    for _ in range(2):  # its own files it may write again
        assert run(["demo", str(tmp_path / "mine")]) == 0
    assert (tmp_path / "mine" / "report.html").read_text().startswith("<!doctype html>")


def test_a_page_and_figures(table, tmp_path, capsys):
    page, figures = tmp_path / "page.html", tmp_path / "figures"
    assert run(["assess", str(table), "--html", str(page), "--figures", str(figures), *FAST]) == 0
    assert "12 topics" in page.read_text()
    kinds = {p.suffix for p in figures.glob("[!.]*")}
    assert kinds == {".svg", ".pdf", ".png"}


def test_outputs_never_overwrite_inputs_or_each_other(table, tmp_path, capsys):
    out = str(tmp_path / "o")
    assert "already an input" in refused(capsys, "assess", table, "--json", table)
    assert "another output" in refused(capsys, "assess", table, "--json", out, "--latex", out)
    assert "already an input" in refused(capsys, "simulate", "fit", table, "-o", table)
    assert "another output" in refused(capsys, "simulate", "fit", table, "-o", out, "--json", out)
    assert "only --json" in refused(capsys, "assess", table, "--html", "-")
    assert table.read_text() == TABLE


def test_collections_are_not_mixed_in_one_folder(tmp_path, capsys):
    sample = ["simulate", "sample", "web2010-p10", "-o", str(tmp_path / "c"), "--topics", "5"]
    assert run([*sample, "--collections", "3"]) == 0
    assert run([*sample, "--collections", "2", "--first", "4"]) == 0  # goes on
    assert run([*sample, "--collections", "2"]) == 0  # the same again
    capsys.readouterr()
    before = {p.name: p.read_bytes() for p in (tmp_path / "c").iterdir()}
    assert "holds other scores" in refused(capsys, *sample, "--seed", "9")
    assert {p.name: p.read_bytes() for p in (tmp_path / "c").iterdir()} == before
    assert sorted(before)[1:] == [f"000{number}.csv" for number in range(1, 6)]  # and their record


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("extra", [[], ["--json", "-"]])
def test_any_output_encoding_will_do(table, encoding, extra, monkeypatch):
    out, err = io.BytesIO(), io.BytesIO()
    # As Python opens them: a letter that the encoding lacks is an error until truerank says otherwise.
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding, errors="strict"))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(err, encoding, errors="backslashreplace"))
    assert run(["assess", str(table), *FAST, *extra]) == 0
    sys.stdout.flush()
    sys.stderr.flush()
    assert err.getvalue() == b""
    if extra:
        assert json.loads(out.getvalue())["topics"] == 12
    else:
        assert b"?" in out.getvalue()


def test_a_process_writes_in_the_encoding_it_is_given(table):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "truerank", "assess", str(table), *FAST],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"? = " in done.stdout


def test_a_narrow_terminal_cuts_no_digits(table, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    assert run(["assess", str(table), *FAST, "--json", f"{table}.json"]) == 0
    out = capsys.readouterr().out
    found = json.loads(table.with_name("scores.csv.json").read_text())
    for system in found["ranking"]:
        assert f"{system['mean']:.4f}" in out
        assert f" {system['system']} " in out


def test_a_closed_reader_is_no_error(table):
    command = f"{sys.executable} -m truerank assess {table} --json - | head -c 10"
    done = subprocess.run(
        ["bash", "-c", command + "; exit ${PIPESTATUS[0]}"], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_scores_from_standard_input(table):
    command = [sys.executable, "-m", "truerank", "assess", "-", *FAST, "--json", "-"]
    done = subprocess.run(command, input=TABLE.encode(), capture_output=True, check=True)
    assert json.loads(done.stdout)["topics"] == 12


def test_split_half_alone_is_not_sold_as_reliability(table, capsys):
    assert run(["assess", str(table), "--estimator", "sh"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Only split-half was asked for" in out
    assert "expected to agree" not in out


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


def test_the_twelve_robust_runs(data, capsys):
    runs = sorted(str(p) for p in (data / "robust03" / "runs").glob("*.gz"))
    qrels = str(data / "robust03" / "robust03_qrels.txt.gz")
    assert run(["assess", "--qrels", qrels, "-m", "AP", *runs, "--json", "-", *FAST]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["topics"], document["systems"]) == (100, 12)
    assert document["ranking"][0]["system"] == "pircRBa1"
    assert any("unjudged" in w for w in document["warnings"])


def test_identical_systems_left_out_are_named(tmp_path, capsys):
    rows = "".join(
        f"q{t},{0.1 + t % 3 / 10},{t % 5 / 10},{0.1 + t % 3 / 10},{t % 2 / 4}\n" for t in range(12)
    )
    path = tmp_path / "copies.csv"
    path.write_text("topic,a,b,copy,c\n" + rows)
    page = tmp_path / "page.html"
    assert run(["assess", str(path), "--drop-identical", "--html", str(page), *FAST]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "left out: copy (as a)" in out
    assert "1 identical to another left out" in out
    assert "1 with the same scores as another system left out: copy" in page.read_text()
    assert run(["assess", str(path), "--drop-identical", "--json", "-", *FAST]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["systems"] == 3
    assert document["settings"]["identical"] == [["a", "copy"]]
