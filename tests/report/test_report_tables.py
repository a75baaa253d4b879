"""Tables by the writers: any text stays text, a long table goes on, long names are shortened."""

from __future__ import annotations

import csv as library
import io
import re

from hypothesis import given
from hypothesis import strategies as st
from report_samples import quick, scores

from truerank._support.escaping import csv_cell
from truerank._support.tables import Column, Name, Number, Table
from truerank.report.outputs.data import csv
from truerank.report.outputs.latex import ROWS
from truerank.scores import ScoreMatrix

COLUMNS = (Column("Name", Name(), "name"), Column("x", Number(), "x"))


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1, max_size=5
    )
)
def test_any_text_comes_back_from_csv(texts: list[str]) -> None:
    text = csv(Table("t", "", COLUMNS, [(name, place - 1.5) for place, name in enumerate(texts)]))
    _, *rows = library.reader(io.StringIO(text, newline=""))
    assert [row[0] for row in rows] == [csv_cell(text) for text in texts]
    assert [float(row[1]) for row in rows] == [place - 1.5 for place in range(len(texts))]


def test_a_table_longer_than_a_page_goes_on_in_another() -> None:
    text = str(quick(scores(ROWS + 1), "ml").to_latex())
    sizes = [part.split(r"\bottomrule")[0].count(r" \\" + "\n") for part in text.split(r"\midrule")[1:3]]
    assert sizes == [ROWS, 1]
    assert "longtable" not in text  # which is refused where there are two columns


def test_very_long_names_are_shortened_and_never_merged() -> None:
    names = [f"{'same beginning ' * 2000}{place}{' same end' * 2000}" for place in range(4)]
    values = scores(4).values
    found = quick(ScoreMatrix.build(values, systems=names), "ml", baseline=names[0])
    for text in (str(found.to_markdown()), str(found.to_latex())):
        assert max(map(len, text.splitlines())) < 1500
    rows = [line.split("|")[2] for line in str(found.to_markdown()).splitlines() if re.match(r"\| \d", line)]
    assert len({*rows}) == 4
