"""What tools for language models write, in files that they wrote: systems, topics and means are theirs."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores
from truerank.readers.formats.inspect_log import _unpack
from truerank.readers.formats.source import Source

FIXTURES = Path(__file__).parent / "fixtures"
LM_EVAL, HELM, INSPECT = FIXTURES / "lm_eval", FIXTURES / "helm" / "runs", FIXTURES / "inspect_ai"


def expected(folder: Path) -> dict:
    return json.loads((folder / "expected.json").read_text())


def files(folder: Path, pattern: str) -> list[str]:
    return [str(path) for path in sorted(folder.glob(pattern))]


def means(scores) -> dict[str, float]:
    return dict(zip(scores.systems, scores.means.tolist(), strict=True))


def refusal(source, *args, error=InputError, **kwargs) -> str:
    with pytest.raises(error) as caught:
        read_scores(source, *args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def copy(tmp_path):
    """A copy of a folder of fixtures, to be damaged."""

    def copy(folder: Path) -> Path:
        return Path(shutil.copytree(folder, tmp_path / folder.name))

    return copy


# lm-evaluation-harness


@pytest.mark.parametrize(
    ("metric", "task", "printed"),
    [
        ("acc", "tiny_choice", "acc,none"),
        ("acc_norm", "tiny_choice", "acc_norm,none"),
        ("acc_norm,none", "tiny_choice", "acc_norm,none"),
        ("exact_match,strict-match", "tiny_sums", "exact_match,strict-match"),
        ("exact_match,flexible-extract", "tiny_sums", "exact_match,flexible-extract"),
    ],
)
def test_samples_of_lm_eval_have_the_means_of_its_results(metric, task, printed):
    results = [
        json.loads(Path(path).read_text(encoding="utf-8")) for path in files(LM_EVAL, "*/results_*.json")
    ]
    theirs = {one["model_name"]: one["results"][task][printed] for one in results}
    scores = read_scores(files(LM_EVAL, f"*/samples_{task}_*.jsonl"), metric)
    assert means(scores) == pytest.approx(theirs, abs=1e-12)
    assert scores.topics == tuple(str(i) for i in range(results[0]["n-samples"][task]["effective"]))
    assert scores.measure == metric.removesuffix(",none")
    assert f"all questions are of one data set, {task!r}" in scores.warnings
    folder = read_scores(LM_EVAL, metric)
    np.testing.assert_array_equal(folder.values, scores.values)
    assert any(note.startswith("1 data set without a score by") for note in folder.warnings)


def test_the_newest_samples_of_lm_eval_count(copy):
    folder = copy(LM_EVAL)
    (newest,) = folder.glob("org__alpha/samples_tiny_choice_*")
    older = newest.with_name("samples_tiny_choice_2025-01-02T03-04-05.678901.jsonl")
    older.write_text(newest.read_text().replace('"acc": 1.0', '"acc": 0.0'))
    scores = read_scores(folder, "acc")
    np.testing.assert_array_equal(scores.values, read_scores(LM_EVAL, "acc").values)
    assert any("the newest samples" in note and older.name in note for note in scores.warnings)
    older.rename(older.with_name("samples_tiny_choice.jsonl"))
    assert "samples of model 'org/alpha' on task 'tiny_choice', as in" in refusal(folder, "acc")


def test_faults_of_lm_eval(copy):
    folder = copy(LM_EVAL)
    (path,) = folder.glob("org__beta/samples_tiny_choice_*")
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines)[:-40])
    assert f"{path}:{len(lines)}: the JSON breaks off here" in refusal(folder, "acc")
    record = json.loads(lines[0])
    path.write_text("\n".join([json.dumps({**record, "doc_hash": "other"}), *lines[1:]]))
    assert ":1: document 0 of task 'tiny_choice' is another one in " in refusal(folder, "acc")
    path.write_text("\n".join([lines[0], json.dumps({k: v for k, v in record.items() if k != "doc_id"})]))
    lacks = f"{path}:2: this is read as a file of lm-evaluation-harness, but it lacks 'doc_id'"
    assert lacks in refusal(folder, "acc")
    path.write_text("\n".join([*lines, lines[0]]))
    assert "already has a score on topic '0'" in refusal(folder, "acc")
    path.write_text("\n".join(lines[1:]))
    assert "system 'org/beta' has no score on question '0'" in refusal(folder, "acc")
    path.write_text("")
    assert f"{path}: the file is empty" in refusal(folder, "acc")
    mixed = [*files(LM_EVAL, "org__alpha/samples_tiny_sums*"), *files(LM_EVAL, "org__beta/results*")]
    assert "give files of one kind" in refusal(mixed)


def test_samples_of_lm_eval_by_which_lower_is_better(copy):
    folder = copy(LM_EVAL)
    for path in folder.glob("*/results_*"):
        path.write_text(path.read_text().replace('"acc": true', '"acc": false'))
    scores = read_scores(folder, "acc")
    assert scores.measure == "−acc"
    assert (scores.values <= 0).all()
    assert any(note.startswith("lower is better by acc") for note in scores.warnings)
    assert read_scores(folder, "acc_norm").measure == "acc_norm"


# HELM


def test_runs_of_helm_have_the_means_of_its_statistics():
    scores = read_scores(HELM, "exact_match")
    assert scores.data_sets == ("toy:subject=anatomy", "toy:subject=law")
    assert scores.systems == ("meta/llama-small", "openai/gpt-small")
    assert (scores.strata == 0).sum() == 7
    assert (scores.strata == 1).sum() == 5
    for path in HELM.rglob("stats.json"):
        spec = json.loads((path.parent / "run_spec.json").read_text())
        theirs = next(
            stat["mean"]
            for stat in json.loads(path.read_text())
            if stat["name"] == {"name": "exact_match", "split": "test"}
        )
        k = scores.data_sets.index(spec["name"].split(",model=")[0])
        column = scores.systems.index(spec["adapter_spec"]["model"])
        assert scores.values[scores.strata == k, column].mean() == pytest.approx(theirs, abs=1e-12)
    assert "scores of other splits than test left out: valid" in scores.warnings
    assert "2 runs of each system on each question are averaged" in scores.warnings


def test_perturbed_instances_of_helm_do_not_count(copy):
    folder = copy(HELM)
    for path in folder.rglob("per_instance_stats.json"):
        entries = json.loads(path.read_text())
        worse = json.loads(json.dumps(entries[0])) | {"perturbation": {"name": "typos", "robustness": True}}
        worse["stats"][0]["mean"] = 77.0
        path.write_text(json.dumps([*entries, worse]))
    scores = read_scores(folder, "exact_match")
    np.testing.assert_array_equal(scores.values, read_scores(HELM, "exact_match").values)
    assert any("perturbed instances" in note for note in scores.warnings)


def test_faults_of_helm(copy):
    folder = copy(HELM)
    path = next(folder.rglob("per_instance_stats.json"))
    whole = path.read_text()
    path.write_text(whole[:-100])
    assert "the JSON breaks off here" in refusal(folder, "exact_match")
    path.write_text(whole.replace('"test"', '"valid"'))
    assert "no scores; scores of other splits than test left out: valid" in refusal(path, "exact_match")
    path.write_text("[]")
    assert "has no score on question" in refusal(folder, "exact_match")
    path.write_text(whole.replace('"mean": 1.0', '"mean": "high"'))
    assert "exact_match of system" in refusal(folder, "exact_match")
    assert "choose one" in refusal(HELM)
    path.write_text(whole)
    shutil.copytree(path.parent, folder / "again")
    assert "keep one of the two" in refusal(folder, "exact_match")


# inspect_ai


@pytest.mark.parametrize("suffix", ["eval", "json"])
@pytest.mark.parametrize("scorer", ["graded", "match"])
def test_logs_of_inspect_have_its_accuracies(suffix, scorer):
    theirs = expected(INSPECT)
    scores = read_scores(files(INSPECT, f"[ab]*.{suffix}"), scorer)
    assert means(scores) == pytest.approx({name: one[scorer] for name, one in theirs.items()}, abs=1e-12)
    assert set(scores.topics) == set(theirs["mockllm/alpha"]["samples"])
    for path in files(INSPECT, "[ab]*.json"):
        log = json.loads(Path(path).read_text(encoding="utf-8"))
        column = scores.systems.index(log["eval"]["model"])
        (reduced,) = (one["samples"] for one in log["reductions"] if one["scorer"] == scorer)
        for one in reduced:
            assert scores.values[scores.topics.index(one["sample_id"]), column] == one["value"]
    assert "all questions are of one data set, 'capitals'" in scores.warnings


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_logs_of_older_inspect_are_packed_otherwise_and_have_no_summaries(tmp_path, method):
    again = []
    for path in files(INSPECT, "*.eval"):
        source = Source(path)
        again.append(str(tmp_path / Path(path).name))
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(again[-1], "w", method) as new:
            for entry in old.infolist():
                if entry.filename != "summaries.json":
                    new.writestr(entry.filename, _unpack(source, old, entry))
    ours = read_scores(again, "graded")
    theirs = read_scores(files(INSPECT, "*.eval"), "graded")
    order = [ours.topics.index(topic) for topic in theirs.topics]
    np.testing.assert_array_equal(ours.values[order], theirs.values)


def test_what_a_log_of_inspect_lacks_is_counted_by_scorer(copy):
    folder = copy(INSPECT)
    path = next(folder.glob("a*.json"))
    log = json.loads(path.read_text())
    log["samples"][0]["scores"]["graded"]["value"] = None
    log["samples"][1]["scores"]["graded"]["value"] = float("nan")
    del log["samples"][2]["scores"]["graded"]
    path.write_text(json.dumps(log))
    sources = files(folder, "[ab]*.json")
    said = f"{path}: 3 of 10 samples (over 2 epochs) without a score by graded"
    assert any(note.startswith(said) for note in read_scores(sources, "graded", missing="zero").warnings)
    assert not any("without a score" in note for note in read_scores(sources, "match").warnings)
    log["samples"] = log["samples"][:7]
    log |= {"status": "error", "results": None}
    path.write_text(json.dumps(log))
    notes = read_scores(sources, "match", missing="zero").warnings
    said = f"{path}: 3 of 10 samples (over 2 epochs) without a score by match; the log's status is error"
    assert any(note.startswith(said) for note in notes)


@pytest.mark.parametrize(
    ("value", "number"),
    [("C", 1), ("P", 0.5), ("I", 0), ("N", 0), ("yes", 1), ("No", 0), (True, 1), ("0.25", 0.25), (3, 3)],
)
def test_grades_of_inspect_are_its_numbers(copy, value, number):
    folder = copy(INSPECT)
    path = folder / "alpha.json"
    log = json.loads(path.read_text())
    for sample in log["samples"]:
        sample["scores"] = {"parts": {"value": {"whole": value, "other": 0}}}
    path.write_text(json.dumps(log))
    assert set(read_scores(path, "parts/whole").values.ravel()) == {number}


def test_faults_of_inspect(copy):
    folder = copy(INSPECT)
    both = [str(folder / name) for name in ("alpha.json", "beta.json")]
    log = json.loads(Path(both[0]).read_text(encoding="utf-8"))

    def written(**changes) -> list[str]:
        Path(both[0]).write_text(json.dumps(log | changes), encoding="utf-8")
        return both

    assert "a log without its samples" in refusal(written(samples=None), "match")
    assert "no scores" in refusal([written(samples=[])[0]], "match")
    odd = [{**log["samples"][0], "scores": {"match": {"value": "good"}}}, *log["samples"][1:]]
    assert "sample 'France': match is 'good', not a grade" in refusal(written(samples=odd), "match")
    bare = [{**log["samples"][0], "scores": None}, *log["samples"][1:]]
    notes = read_scores(written(samples=bare, status="error"), "match").warnings
    said = "1 of 10 samples (over 2 epochs) without a score by match; the log's status is error"
    assert any(note.startswith(f"{both[0]}: {said}") for note in notes)
    config = {**log["eval"], "config": {**log["eval"]["config"], "epochs_reducer": ["mode"]}}
    notes = read_scores(written(eval=config), "match").warnings
    assert f"{both[0]}: the log reduces epochs by mode; here they are averaged" in notes
    twice = str(folder / "twice.json")
    shutil.copy(both[1], twice)
    assert "results of 'mockllm/beta' on 'capitals', as in" in refusal([*both, twice], "match")
    assert "2 measures (graded, match); choose one" in refusal(both)


def test_broken_archives_of_inspect(copy):
    path = copy(INSPECT) / "alpha.eval"
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert f"{path}: broken zip archive" in refusal(path, "match")
    with zipfile.ZipFile(INSPECT / "alpha.eval") as archive:
        at = archive.getinfo("summaries.json").header_offset + 200
    path.write_bytes(data[:at] + bytes(8) + data[at + 8 :])
    assert f"{path} (summaries.json): broken zip entry" in refusal(path, "match")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("sheet.xml", "x")
    assert "a zip archive" in refusal(path)


# all of them
