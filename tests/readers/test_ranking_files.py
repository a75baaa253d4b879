"""Ranking files: what they may look like, and the line that an error names."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.errors import InputError
from truerank.readers import parse_ranking, read_scores_or_ranking
from truerank.scores import ScoreMatrix


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b\na\nc\n", {"b": 3, "a": 2, "c": 1}),
        ("b\r\n\r\n a \r\n# the end\nc", {"b": 3, "a": 2, "c": 1}),
        ("a 0.1\nb\t0.3\nc, 0.2", {"a": 0.1, "b": 0.3, "c": 0.2}),
        ("system,score\na,1e-1\nb,.3", {"a": 0.1, "b": 0.3}),
        ("System Score\na 0.1\nb 0.3", {"a": 0.1, "b": 0.3}),
        ("run\na\nb", {"a": 2, "b": 1}),
        ('"my, run";0.5\nother;0.5', {"my, run": 0.5, "other": 0.5}),
        ("my run 0.5\nother run 0.4", {"my run": 0.5, "other run": 0.4}),
        ("a 3\nb 2\nc 1", {"a": 3, "b": 2, "c": 1}),
    ],
)
def test_what_a_ranking_file_may_look_like(text, expected):
    assert parse_ranking(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nb\n\na\n", r"^r.txt:4: system 'a' is on line 1 already"),
        ("a 0.1\nb 0.2\nc\n", r"^r.txt:3: line 1 has a score and line 3 has none"),
        ("a,0.1\nb,high\n", r"^r.txt:2: the score of system 'b' is 'high'"),
        ("a 1\nb 2\nc 3\n", r"^r.txt: the scores count up from 1 like ranks"),
        ("a\n", r"^r.txt: a ranking needs at least two systems"),
    ],
)
def test_an_error_names_the_line(text, message):
    with pytest.raises(InputError, match=message):
        parse_ranking(text, source="r.txt")


names = st.lists(
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6).map(lambda name: f"s{name}"),
    min_size=2,
    max_size=8,
    unique=True,
)


@given(names, st.sampled_from(["\t", ",", ";", " "]), st.data())
def test_what_is_written_is_read(systems, mark, data):
    scores = data.draw(st.lists(st.floats(-5, 0.5), min_size=len(systems), max_size=len(systems)))
    text = "".join(f"{name}{mark}{score!r}\n" for name, score in zip(systems, scores, strict=True))
    assert parse_ranking(text, systems) == dict(zip(systems, scores, strict=True))
    plain = parse_ranking("\n".join(systems), systems)
    assert sorted(plain, key=lambda name: -plain[name]) == systems


def test_tables_and_rankings_are_told_apart(tmp_path):
    path = tmp_path / "other"
    path.write_bytes(gzip.compress(b"B\nC\nA\n"))
    assert read_scores_or_ranking(path, "ABC") == {"B": 3, "C": 2, "A": 1}
    path.write_text("A,B,C\n0.1,0.2,0.3\n0.2,0.3,0.3\n")
    table = read_scores_or_ranking(path, "ABC")
    assert isinstance(table, ScoreMatrix)
    assert table.systems == ("A", "B", "C")
    path.write_text("topic,A\n1,0.1\n2,0.3\n")  # a table of one system, two fields a line
    assert isinstance(read_scores_or_ranking(path, "ABC"), ScoreMatrix)
    path.write_text("topic,system,score\n1,A,0.1\n1,B,0.3\n")
    assert isinstance(read_scores_or_ranking(path, "ABC"), ScoreMatrix)
    path.write_text("x\ny\n")  # a ranking of unknown systems is still a ranking
    assert read_scores_or_ranking(path, "ABC") == {"x": 2, "y": 1}
