"""What spreadsheets and scripts write around tables and in cells: read as what it is, or refused by name."""

from __future__ import annotations

import numpy as np
import pytest

from truerank import read_scores
from truerank.cli import run
from truerank.errors import InputError

PLAIN = "topic,A,B\nq1,0.1,0.2\nq2,0.3,0.45\nq3,0.6,0.5\n"
AGAIN = PLAIN + "topic,A,B\nq4,0.7,0.1\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("sep=;\n" + PLAIN.replace(",", ";"), None),
        (PLAIN.replace("\n", ",\n"), None),
        ("Results of May,,\n" + PLAIN, "parts-left-out"),
        ('"Results, May",,\nExported today,,\n,,\n' + PLAIN, "parts-left-out"),
        ("sep=;\nResults of May\n" + PLAIN.replace(",", ";"), "parts-left-out"),
        (PLAIN.replace("q2", ",,\nq2").replace(",", ";"), None),
        (PLAIN.replace(",", ";").replace(".", ","), "cells-read"),
    ],
)
def test_the_same_table_as_people_save_it(write, text, code):
    scores, meant = read_scores(write("a.csv", text)), read_scores(write("b.csv", PLAIN))
    assert (scores.systems, scores.topics) == (meant.systems, meant.topics)
    np.testing.assert_array_equal(scores.values, meant.values)
    assert code is None or code in {note.code for note in scores.notes}


def test_an_empty_row_counts_where_topics_have_no_name_but_their_number(write):
    """Leaving it out would shift the rows below against those of another file."""
    bare = [line.split(",", 1)[1] for line in PLAIN.splitlines()]
    scores = read_scores(write("a.csv", "\n".join([*bare[:2], ",", *bare[2:]])), missing="common")
    assert scores.topics == ("1", "3", "4")


def test_a_header_that_stands_there_again_is_left_out_and_lines_are_counted_with_it(write):
    scores = read_scores(write("a.csv", AGAIN))
    assert scores.topics == ("q1", "q2", "q3", "q4")
    assert "stand there again (1 line)" in scores.warnings[0]
    with pytest.raises(InputError, match=r"a\.csv:6: .*'x'"):
        read_scores(write("a.csv", AGAIN.replace("0.7", "x")))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("q1,1,0\nq2,1,0\nq3,0,1\n", "the first line holds scores"),
        ("| topic | A | B |\n|---|---|---|\n| q1 | 0.1 | 0.2 |\n", "a table in Markdown"),
        ("@relation r\n@attribute A real\n\n@data\n0.5\n", "a table in ARFF"),
        ('"topic" "A" "B"\n"1" "q1" 0.1 0.2\n"2" "q2" 0.3 0.4\n', "check the quotes"),
        ("topic A B\nq1 0.1 0.2\nq2 0.3 0.4\n", "separate columns by commas, semicolons or tabs"),
        ("topic     A    B\nq1  0.1  0.2\nq2  0.3  0.4\n", "separate columns by commas, semicolons or tabs"),
        (",f1,f1,acc,acc\nsystem,A,B,A,B\nq1,.1,.2,.3,.4\nq2,.1,.2,.3,.4\n", "are both named 'f1'"),
        (PLAIN.replace("0.1", "0.1 ± 0.02"), "write a plain number"),
        ("topic;A;B\nq1;1,234;5,678\nq2;2,345;6,789\n", "write a plain number"),
        ('topic,A,B\nq1,"1,234.5",5\nq2,"2,345.5",6\n', "write a plain number"),
    ],
)
def test_shapes_that_are_not_read_are_refused_by_name(write, text, says):
    with pytest.raises(InputError) as caught:
        read_scores(write("a.csv", text))
    assert says in str(caught.value)


def test_delta_is_a_difference_of_two_systems_and_a_name_beside_more(write):
    names = ["atlas", "beacon", "cobalt", "delta", "ember"]
    wide = [",".join(["topic", *names]), *(f"q{t},{t},{t + 1},{t + 2},{t + 3},{t + 4}" for t in range(1, 4))]
    long = ["topic,system,score", *(f"q{t},{name},{t}.{k}" for t in (1, 2) for k, name in enumerate(names))]
    rows = ["model,q1,q2,q3", *(f"{name},{k},{k + 1},{k + 3}" for k, name in enumerate(names))]
    for lines in (wide, long, rows):
        assert read_scores(write("a.csv", "\n".join(lines) + "\n")).systems == tuple(names)
    two = read_scores(write("b.csv", "topic,A,B,delta\nq1,.1,.2,-.1\nq2,.3,.2,.1\n"))
    assert two.systems == ("A", "B")
    assert "delta" in " ".join(note.text for note in two.notes)


@pytest.mark.parametrize("measures", [("Faithfulness", "Relevancy"), ("5", "10")])
def test_a_column_of_any_name_tells_measures_apart(write, tmp_path, capsys, measures):
    """Tools of evaluation call measures `name`, which elsewhere names a system."""
    scores = {
        m: [[(t + 2 * s + 3 * k) % 7 / 8 for s in range(2)] for t in range(4)] for k, m in enumerate(measures)
    }
    lines = ["case,model,name,score"]
    for measure, rows in scores.items():
        for topic, row in enumerate(rows):
            cells = zip(("gpt", "claude"), row, strict=True)
            lines += [f"c{topic},{system},{measure},{score}" for system, score in cells]
    command = ["import", "auto", write("a.csv", "\n".join(lines)), "-o", str(tmp_path / "out.csv")]
    command += ["--topic-column", "case", "--measure-column", "name"]
    assert run(command) == 2  # which of the two?
    message = capsys.readouterr().err
    assert all(measure in message for measure in measures)
    for measure, rows in scores.items():
        assert run([*command, "-m", measure]) == 0, capsys.readouterr().err
        read = read_scores(tmp_path / "out.csv")
        assert (read.topics, read.systems) == (("c0", "c1", "c2", "c3"), ("gpt", "claude"))
        np.testing.assert_allclose(read.values, rows, rtol=1e-12)


def test_columns_without_name_and_cell_are_nothing(write):
    rows = [f"q{t};0,{t + 1};0,{9 - t};;" for t in range(8)]
    assert read_scores(write("a.csv", "\n".join(["Frage;a;b;;", *rows, ";;;;"]))).systems == ("a", "b")
    with pytest.raises(InputError, match="column 4 has no name"):
        read_scores(write("b.csv", "\n".join(["Frage;a;b;;", *rows[:-1], "q7;0,8;0,2;;0,5"])))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,a,b\nq1,**71.2**,60\nq2,70,61\n", r":2: column 'a' holds '\*\*71\.2\*\*' .*; write 71\.2$"),
        ("topic,a,b\nq1,Y,N\nq2,N,N\n", "holds 'Y' where a number belongs; write yes or no"),
        ("topic,a,b\nq1,✓,✗\nq2,✗,✗\n", "holds '✓' where a number belongs; write yes or no"),
        ("topic,system,correct\nq1,a,Y\nq1,b,N\n", "holds 'Y' where a number belongs; write yes or no"),
        ("topic,system,correct\nq1,a,ja\nq1,b,nein\n", "holds 'ja' where a number belongs; write yes or no"),
        (
            "topic;a;b\nq1;0,5688;0,3\nq2;0,513;0,6\nq3;0.513;0,6\n",
            "'0,5688' where a number belongs, and '0.513' has a point; write all numbers with a point$",
        ),
    ],
)
def test_what_to_write_in_place_of_a_cell(write, text, message):
    with pytest.raises(InputError, match=message):
        read_scores(write("m.csv", text))


def test_a_blank_that_does_not_break_is_no_part_of_a_number(write):
    scores = read_scores(write("m.csv", "topic,a,b\nq1,\u00a00.5,0.3\nq2,0.4\u00a0,0.6\n"))
    assert scores.values.tolist() == [[0.5, 0.3], [0.4, 0.6]]
