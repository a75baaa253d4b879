"""What retrieval tools write: files of the tools themselves, and their own means."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores

FIXTURES = Path(__file__).parent / "fixtures"
MEANS = json.loads((FIXTURES / "retrieval_means.json").read_text())
SYSTEMS = ("BM25", "DPH", "TF_IDF")
TOPICS = ("301", "302", "303", "304", "305", "306")

SOURCES = {
    "trec_eval": [*(f"trec_eval/{system}.txt" for system in SYSTEMS)],
    "ir_measures, tsv": [*(f"ir_measures/{system}.tsv" for system in SYSTEMS)],
    "ir_measures, jsonl": [*(f"ir_measures/{system}.jsonl" for system in SYSTEMS)],
    "pytrec_eval": [*(f"pytrec_eval/{system}.json" for system in SYSTEMS)],
    "pytrec_eval, all": ["pytrec_eval/systems.json"],
    "pyterrier": ["pyterrier/save_dir/perquery.csv"],
    "pyterrier, frame": ["pyterrier/perquery_with_index.csv"],
}


def paths(source: str) -> list[str]:
    return [str(FIXTURES / name) for name in SOURCES[source]]


def read(source: str, measure: str | None, **kwargs):
    found = paths(source)
    return read_scores(found if len(found) > 1 else found[0], measure, **kwargs)


def refusal(source, *args, **kwargs) -> str:
    with pytest.raises(InputError) as caught:
        read_scores(source, *args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("measure", ["map", "AP", "P_10", "bpref", "recip_rank"])
def test_trec_eval_says_the_same_means(measure):
    scores = read("trec_eval", measure)
    assert (scores.systems, scores.topics) == (SYSTEMS, TOPICS)
    for system, mean in zip(SYSTEMS, scores.means, strict=True):
        lines = [line.split() for line in (FIXTURES / f"trec_eval/{system}.txt").read_text().splitlines()]
        printed = {name: value for name, topic, value in lines if topic == "all"}
        # Each topic's score is rounded to four digits, and the mean once more.
        assert mean == pytest.approx(float(printed[scores.measure]), abs=1e-4)


@pytest.mark.parametrize(
    ("source", "tool", "measures"),
    [
        ("ir_measures, tsv", "ir_measures", ["AP", "nDCG@10", "P(rel=2)@5"]),
        ("ir_measures, jsonl", "ir_measures", ["AP", "nDCG@10", "P(rel=2)@5"]),
        ("pytrec_eval", "pytrec_eval", ["map", "ndcg_cut_10", "recip_rank"]),
        ("pytrec_eval, all", "pytrec_eval", ["map", "ndcg_cut_10", "recip_rank"]),
        ("pyterrier", "pyterrier", ["map", "ndcg_cut_10", "P_5"]),
        ("pyterrier, frame", "pyterrier", ["map", "ndcg_cut_10", "P_5"]),
    ],
)
def test_libraries_say_the_same_means(source, tool, measures):
    for measure in measures:
        scores = read(source, measure)
        assert (scores.systems, scores.topics, scores.measure) == (SYSTEMS, TOPICS, measure)
        expected = [MEANS[tool][system][measure] for system in SYSTEMS]
        np.testing.assert_allclose(scores.means, expected, rtol=0, atol=1e-12)


def test_all_tools_agree_on_average_precision():
    tables = [read(source, "AP") for source in list(SOURCES)[:7]]
    for table in tables:
        np.testing.assert_allclose(table.values, tables[3].values, rtol=0, atol=5.1e-5)


def test_dictionaries_of_pytrec_eval():
    found = json.loads((FIXTURES / "pytrec_eval/systems.json").read_text())
    expected = read("pytrec_eval", "map").values
    scores = read_scores(found, "map")
    assert (scores.systems, scores.topics) == (SYSTEMS, TOPICS)
    np.testing.assert_array_equal(scores.values, expected)
    one = read_scores(found["DPH"], "map")
    np.testing.assert_array_equal(one.values[:, 0], expected[:, 1])
    plain = {system: {topic: row["map"] for topic, row in rows.items()} for system, rows in found.items()}
    np.testing.assert_array_equal(read_scores(plain).values, expected)
    with pytest.raises(InputError, match="this dictionary"):
        read_scores({"a": object()})


def test_tuples_of_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures.util import Metric

    found = {
        system: [
            Metric(topic, ir_measures.parse_measure(name), value)
            for topic, row in json.loads((FIXTURES / f"pytrec_eval/{system}.json").read_text()).items()
            for name, value in (("AP", row["map"]), ("RR", row["recip_rank"]))
        ]
        for system in SYSTEMS
    }
    scores = read_scores(found, "AP")
    np.testing.assert_array_equal(scores.values, read("pytrec_eval", "map").values)
    assert scores.measure == "AP"
    np.testing.assert_array_equal(read_scores(iter(found["DPH"]), "AP").values[:, 0], scores.values[:, 1])


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        ({"a": {"q": {"map": 0.5}}, "b": 3}, "'b': 3 where a dictionary belongs"),
        ({"a": {"p": 0.5, "r": "x"}}, "cannot be read from"),
        ({"a": {"p": 0.5}, "b": {"p": "x"}}, "the score of system 'b' on topic 'p' is 'x'"),
        ({"a": {"all": {"map": 1}}}, "only averages over all topics"),
    ],
)
def test_objects_that_are_no_scores(thing, message):
    assert message in refusal(thing)


NAMED = {
    "{}.txt": "trec_eval/{}.txt",
    "{}.jsonl": "ir_measures/{}.jsonl",
    "experiment": "pyterrier/save_dir",
    "systems.json": "pytrec_eval/systems.json",
}
"""The files that the page on these tools names, and the fixtures that stand for them."""


def test_the_commands_of_the_page(tmp_path, monkeypatch, answer):
    page = (FIXTURES.parents[2] / "docs" / "from" / "retrieval-tools.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", page, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("truerank ")]
    assert len(commands) == 4
    for name, fixture in NAMED.items():
        for system in SYSTEMS:
            (tmp_path / name.format(system.lower())).unlink(missing_ok=True)
            (tmp_path / name.format(system.lower())).symlink_to(FIXTURES / fixture.format(system))
    monkeypatch.chdir(tmp_path)
    for command in commands:
        assert answer(*shlex.split(command)[1:])


def test_a_dictionary_of_systems_saved_as_json_is_a_table_and_a_run_is_none(write):
    systems = {"BM25": {"q 1": 0.1, "ü": 0.5, "3": 0.2}, "DPH": {"q 1": 0.3, "ü": 0.2, "3": 0.6}}
    scores = read_scores(write("a.json", json.dumps(systems)))
    assert scores.values.tolist() == read_scores(systems).values.tolist()
    assert scores.systems == ("BM25", "DPH")
    assert "read as system → topic → score" in scores.warnings[0]
    run = {f"q{t}": {"d1": 0.5, "d2": 0.25} for t in range(3)}
    for other in (run, {"a": {"d1": 0.5}, "b": {"d2": 0.5}, "c": {"d3": 0.5}}):
        assert "this reads as a run or judgments" in refusal(write("b.json", json.dumps(other)))


def test_means_by_measures_are_not_scores_of_topics(tmp_path):
    """BEIR writes such a file per model and data set; its measures were read as topics."""
    for model in ("bm25", "splade"):
        for data_set in ("fiqa", "nq", "scifact"):
            file = tmp_path / model / f"{data_set}.json"
            file.parent.mkdir(exist_ok=True)
            kinds = {"ndcg": "NDCG", "map": "MAP", "recall": "Recall", "precision": "P"}
            means = {kind: {f"{name}@1": 0.5, f"{name}@10": 0.25} for kind, name in kinds.items()}
            file.write_text(json.dumps(means))
    for source in (tmp_path, tmp_path / "bm25", file):
        with pytest.raises(InputError):
            read_scores(source, "NDCG@10")
