"""Which format a file is of: by content, by name, and when two fit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores
from truerank.readers.formats.adapter import Adapter, Collected, Row
from truerank.readers.formats.format import FORMATS, register
from truerank.readers.formats.lines import IR_MEASURES
from truerank.readers.options import Options

LINES = "".join(
    json.dumps({"query_id": topic, "measure": "AP", "value": value}) + "\n"
    for topic, value in (("q1", 0.25), ("q2", 0.75))
)


def refusal(source, *args, error=InputError, **kwargs) -> str:
    with pytest.raises(error) as caught:
        read_scores(source, *args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def twin() -> Iterator[Adapter]:
    """A plug-in that takes the same files as another format."""
    yield register(replace(IR_MEASURES, name="twin", label="a file of twin"))
    FORMATS._things.pop("twin")


def test_two_formats_that_fit_are_an_error_that_format_decides(write, twin):
    path = write("a.json", LINES)
    assert refusal(path) == (
        f"{path}: this may be {FORMATS['ir_measures'].label} or a file of twin; say which with "
        "format='ir_measures' or format='twin'"
    )
    for name in ("ir_measures", "twin"):
        assert read_scores(path, format=name).topics == ("q1", "q2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": [1, 2', "a.json:1: the JSON breaks off here"),
        ('{"a": 1,, "b": 2}', "a.json:1: broken JSON at column 9"),
        ('{"a": 1} x', "a.json:1: more text after the end"),
        ('{"a": {"q": 1, "q": 2}}', "a.json: the name 'q' is there twice"),
        ("[" * 100_000, "a.json: JSON nested too deeply"),
    ],
)
def test_json_that_is_broken(write, text, message):
    path = write("a.json", text)
    assert refusal(path).startswith(path.removesuffix("a.json") + message)


def test_nan_is_a_missing_score_and_infinity_none(write):
    lines = (
        {"query_id": f"q{t}", "measure": "AP", "value": value} for t, value in ((1, float("nan")), (2, 1))
    )
    text = "".join(json.dumps(line) + "\n" for line in lines)
    assert "has no score on topic 'q1'" in refusal(write("a.json", text))
    assert "must be a finite number" in refusal(write("b.json", text.replace("NaN", "Infinity")))
    assert "must be a finite number" in refusal(write("c.json", text.replace("NaN", '"0.5"')))
    assert "must be a finite number" in refusal(write("d.json", text.replace("NaN", "1" + "0" * 400)))


def test_collected_is_a_pivot_table():
    """Against pandas, with measures, data sets, and scores in any order."""
    source = np.random.default_rng(5)
    rows = pd.DataFrame(
        [(s, d, t, m) for s in "abc" for d in ("x", "y") for t in range(5) for m in ("AP", "P@5")],
        columns=["system", "data", "topic", "measure"],
    ).sample(frac=0.8, random_state=2)
    rows["value"] = source.random(len(rows))
    scores = Collected("here")
    for row in rows.itertuples():
        scores.add(Row(row.system, str(row.topic), row.value, row.measure, row.data))
    raw = scores.table(Options(measure="P@5"))
    expected = rows[rows.measure == "P@5"].pivot_table(
        index=["data", "topic"], columns="system", values="value"
    )
    rows_of = {key: row for row, key in enumerate(zip(raw.data_set_of_each, raw.topics, strict=True))}
    assert len(rows_of) == len(expected)
    for (data, topic), wanted in expected.iterrows():
        got = dict(zip(raw.systems, raw.values[rows_of[data, str(topic)]], strict=True))
        np.testing.assert_equal(got, dict(wanted))


@pytest.mark.parametrize("kind", ["trec_eval", "ir_measures"])
def test_a_folder_a_system_with_one_file_of_one_name_in_each(tmp_path, kind):
    """As a folder and as files, JSON and CSV alike: what was assumed is said."""
    scores = {"BM25": [0.1, 0.5, 0.4], "DPH": [0.3, 0.2, 0.6]}
    for system, values in scores.items():
        queries = {f"q{t}": value for t, value in enumerate(values)}
        if kind == "dictionary":
            text = json.dumps({q: {"map": v} for q, v in queries.items()})
        elif kind == "ir_measures":
            text = "".join(
                json.dumps({"query_id": q, "measure": "map", "value": v}) + "\n" for q, v in queries.items()
            )
        else:
            text = "".join(f"map\t{q}\t{v}\n" for q, v in queries.items())
        (tmp_path / "all" / system).mkdir(parents=True)
        (tmp_path / "all" / system / "eval.txt").write_text(text)
    folder = read_scores(tmp_path / "all")
    given = read_scores([tmp_path / "all" / system / "eval.txt" for system in scores])
    for read in (folder, given):
        assert read.systems == ("BM25", "DPH")
        assert read.values.T.tolist() == list(scores.values())
        assert any("files are called alike (eval)" in note for note in read.warnings)
    assert "files are systems and not data sets" in folder.warnings[0]
