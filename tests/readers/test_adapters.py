"""Adapters: rows become scores, and files of another shape are refused with their place."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

from truerank.adapters import Adapter, Row, Source, register
from truerank.cli import run
from truerank.errors import InputError
from truerank.readers import read_scores
from truerank.readers.formats.format import FORMATS


def _rows(source: Source) -> Iterator[Row]:
    for record in source.records():
        for measure, value in record["metrics"].items():
            yield Row(record["model_name"], record["case_id"], value, measure)


@pytest.fixture
def cases() -> Iterator[None]:
    """An adapter of records with inner metrics."""
    list(FORMATS)
    keys = ("case_id", "model_name", "metrics.f1")
    register(Adapter(name="cases", label="the cases of our tool", rows=_rows, keys=keys))
    yield
    FORMATS._things.pop("cases")


RECORDS = [
    {"case_id": k, "model_name": name, "metrics": {"exact": k % step == 0, "f1": k * step % 7 / 7}}
    for name, step in (("a", 2), ("b", 3))
    for k in range(20)
]


def test_records_of_an_adapter_are_scores(write, cases):
    expected = np.array([[k * step % 7 / 7 for step in (2, 3)] for k in range(20)])
    for text in (json.dumps(RECORDS), "\n".join(map(json.dumps, RECORDS)) + "\n"):
        found = read_scores(write("x.json", text), "f1")
        assert (found.systems, found.measure, found.noun) == (("a", "b"), "f1", "question")
        np.testing.assert_array_equal(found.values, expected)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metrics": {}}, ""),
        ({"metrics": None}, "x.json:41: this is read as the cases of our tool, but its shape is another"),
        ({"case_id": None}, "x.json:41: this is read as the cases of our tool, but its shape is another"),
        ({"case_id": "0"}, "x.json:41: system 'a' already has a score on topic '0', at x.json:1"),
        ({"metrics": {"f1": "good"}}, "x.json:41: f1 of system 'a' on topic '99' is 'good'"),
    ],
)
def test_a_record_of_another_shape_is_refused_with_its_line(write, cases, change, said):
    record = {"case_id": 99, "model_name": "a", "metrics": {"f1": 0.5}} | change
    path = write("x.json", "\n".join(map(json.dumps, [*RECORDS, record])) + "\n")
    if not said:
        assert read_scores(path, "f1").n == 20
        return
    with pytest.raises(InputError) as caught:
        read_scores(path, "f1")
    assert said in str(caught.value).replace(path, "x.json")


def test_a_file_with_an_adapter_is_a_plug_in(write, tmp_path, capsys):
    """Nothing else has to be called in it; what it is for is read before any other format claims the file."""
    plugin = tmp_path / "own_format.py"
    plugin.write_text(
        "from truerank.adapters import Adapter, Row\n"
        "def rows(source):\n"
        "    for record in source.records():\n"
        "        yield Row(record['model_name'], record['case_id'], record['metrics']['f1'], 'f1')\n"
        "ADAPTER = Adapter(name='own', label='ours', rows=rows, keys=('case_id', 'metrics.f1'))\n",
        encoding="utf-8",
    )
    path = write("cases.jsonl", "\n".join(map(json.dumps, [*RECORDS, *_third()])))
    try:
        assert run(["assess", str(path), "--plugin", str(plugin), "--format", "own", "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["measure"] == "f1"
    finally:
        FORMATS._things.pop("own", None)


def _third() -> list[dict[str, object]]:
    """Records of one more system: two would be a pair."""
    return [
        {**record, "model_name": "c"} | {"metrics": {"exact": True, "f1": 0.5}} for record in RECORDS[:20]
    ]


def test_test_runs_of_deepeval_are_systems(write):
    for name, step in (("a", 2), ("b", 3)):
        cases = [
            {
                "name": f"test_case_{k}",
                "input": f"question {k}",
                "metricsData": [
                    {"name": "Answer Relevancy", "score": k * step % 7 / 7, "success": True},
                    {"name": "Faithfulness", "score": k * step % 5 / 5, "success": True},
                ],
            }
            for k in range(12)
        ]
        run = {"testCases": cases, "metricsScores": []}
        write(f"r/{name}.json", json.dumps(run if name == "a" else {"testRunData": run}))
    folder = write("r/b.json", json.dumps({"testRunData": run})).rpartition("/")[0]
    found = read_scores(folder, "Faithfulness")
    assert (found.systems, found.topics[1]) == (("a", "b"), "question 1")
    np.testing.assert_array_equal(found.values, [[k * step % 5 / 5 for step in (2, 3)] for k in range(12)])
