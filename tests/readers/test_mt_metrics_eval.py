"""Score files of mt-metrics-eval: blocks of lines, empty segments, documents as clusters, language pairs."""

from __future__ import annotations

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores

SCORES = {"A": ["-1", "None", "-2.5", "0"], "B": ["-3", "None", "-4", "-1"], "refA": ["0", "None", "-1", "0"]}


def write(path, scores=SCORES, between="\t"):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{name}{between}{value}\n" for name, values in scores.items() for value in values]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("between", ["\t", "  "])
def test_a_block_of_lines_is_a_column(tmp_path, between):
    scores = read_scores(write(tmp_path / "human-scores" / "en-de.mqm.seg.score", between=between))
    assert (scores.measure, scores.systems, scores.topics) == ("mqm", ("A", "B", "refA"), ("1", "3", "4"))
    expected = [[float(SCORES[name][row]) for name in SCORES] for row in (0, 2, 3)]
    np.testing.assert_array_equal(scores.values, expected)
    assert scores.clusters is None
    assert any("1 segment without any score left out" in note.text for note in scores.notes)


def test_segments_of_a_document_are_a_cluster(tmp_path):
    path = write(tmp_path / "human-scores" / "en-de.mqm.seg.score")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "en-de.docs").write_text(
        "news\td1\nnews\td1\nnews\td2\nnews\td2\n", encoding="utf-8"
    )
    assert read_scores(path).clusters.tolist() == [0, 1, 1]
    metric = write(tmp_path / "metric-scores" / "en-de" / "BLEU-refA.seg.score")
    scores = read_scores(metric)
    assert (scores.measure, scores.clusters.tolist()) == ("BLEU-refA", [0, 1, 1])


def test_language_pairs_are_data_sets(tmp_path):
    write(tmp_path / "en-de.mqm.seg.score")
    write(tmp_path / "zh-en.mqm.seg.score", {"A": ["1", "2"], "B": ["3", "5"]})
    write(tmp_path / "zh-en.wmt-z.seg.score", {"A": ["1", "2"], "B": ["3", "5"]})
    scores = read_scores(tmp_path, measure="mqm", missing="model")
    assert scores.data_sets == ("en-de", "zh-en")
    assert scores.n == 5
    assert np.isnan(scores.values[3:, 2]).all()


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({"A": ["1", "2"], "B": ["1"]}, "'B' has 1 line and 'A' has 2"),
        ({"A": ["1", "2"], "B": ["1", "x"]}, r":4: 'B\tx' is not a system and its score; write both, and"),
    ],
)
def test_damage_is_refused(tmp_path, scores, words):
    with pytest.raises(InputError) as caught:
        read_scores(write(tmp_path / "en-de.mqm.seg.score", scores))
    assert words in str(caught.value).replace("\t", "\\t")


def test_a_second_block_is_refused(tmp_path):
    path = tmp_path / "en-de.mqm.seg.score"
    path.write_text("A 1\nA 2\nB 1\nB 2\nA 1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r":5: system 'A' has a second block"):
        read_scores(path)
