"""No refusal takes more than a little longer per row in a large file than in a small one."""

import csv
import json

import pytest

from truerank.errors import InputError
from truerank.readers import read_scores
from truerank.readers.cell_values import NumberColumn
from truerank.readers.separated import text_sheet

LONG = "query,system,score"


def lines(header, rows, last=()):
    return "\n".join([header, *rows, *last]) + "\n"


def long_rows(n, systems=4):
    return [f"q{i // systems},s{i % systems},{(i * 37 % 101) / 100}" for i in range(n)]


REFUSED = {
    "copies": lambda n: lines(LONG, long_rows(n // 2) * 2),
    "rows alike": lambda n: lines(LONG, [f"q{i // 8},s{i % 4},0.{i % 97}" for i in range(n)]),
    "a column that distinguishes": lambda n: lines(
        f"{LONG},note", [f"q{i // 8},s{i % 4},0.{i % 97},n{i}" for i in range(n)]
    ),
    "a word at the end": lambda n: lines(LONG, long_rows(n), ["q0,s9,broken"]),
    "systems in rows, one twice": lambda n: lines(
        "model,NFCorpus,FiQA2018", [f"s{i % (n - 1)},0.{i % 97},0.5" for i in range(n)]
    ),
    "an outcome of no battle": lambda n: lines(
        "model_a,model_b,winner", [f"s{i % 4},t{i % 3},model_a" for i in range(n)], ["s1,t1,perhaps"]
    ),
    "names that differ by blanks": lambda n: lines(LONG, long_rows(n), ["q1 ,s9,0.5", "q1,s9,0.5"]),
    "a name twice in JSON": lambda n: '{"A": {' + ", ".join(f'"q{i % (n - 1)}": 1' for i in range(n)) + "}}",
    "JSON that breaks off": lambda n: (
        f"[{json.dumps([{'qid': f'q{i}', 'score': 0.5} for i in range(n)])[1:-2]}"
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_takes_time_in_proportion_to_the_rows(case, tmp_path, limited):
    """A tenth of the limit is enough for 30,000 rows; what is quadratic takes minutes."""
    file = tmp_path / "scores.txt"
    file.write_text(REFUSED[case](30_000))

    def refuse():
        with pytest.raises(InputError) as refused:
            read_scores(file)
        return str(refused.value)

    assert limited(8, refuse)


def test_texts_of_numbers_are_kept_as_they_are_written(tmp_path, monkeypatch):
    """A column of many different numbers is read as numbers, and its texts where they are names."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("truerank.readers.separated.LARGE", 0)
    ids = [f"{i:07d}" for i in range(5_000)]
    sheet = text_sheet(lines("qid,A,B", [f"{i},{int(i) / 7},0.5" for i in ids]), "scores.csv")
    assert isinstance(sheet.columns[0], NumberColumn)
    assert sheet.names(0) == ids
    assert sheet.numbers([1])[:, 0].tolist() == [int(i) / 7 for i in ids]
    scores = tmp_path / "scores.csv"
    scores.write_text(lines("qid,A,B", [f"{i},{int(i) / 7},0.5" for i in ids]))
    assert list(read_scores(scores).topics) == ids


@pytest.mark.parametrize("cell", ["", "nan", "1_000", "pass", "inf", "x"])
def test_a_number_column_with_another_cell_far_down_is_read_as_any_other(cell, monkeypatch):
    monkeypatch.setattr("truerank.readers.separated.LARGE", 0)
    rows = [f"q{i},{i / 7}" for i in range(5_000)]
    sheet = text_sheet(lines("qid,A", rows, [f"last,{cell}"]), "scores.csv")
    assert sheet.names(1) == [*(str(i / 7) for i in range(5_000)), cell]
    few = text_sheet(lines("qid,A", rows[:5], [f"last,{cell}"]), "scores.csv")
    kinds = sheet.columns[1].kinds[sheet.columns[1].codes[-1]], few.columns[1].kinds[few.columns[1].codes[-1]]
    assert kinds[0] == kinds[1]


def test_lines_of_rows_are_counted_as_they_stand():
    """Blank lines, line ends within quotes and several kinds of them."""
    text = 'a,b\r\n\r\n"x\ny",1\n\nz,2\r"p\r\n\r\nq",3\nlast,4'
    sheet = text_sheet(text, "t.csv")
    assert [sheet.place(row) for row in (None, 0, 1, 2, 3)] == [
        f"t.csv:{line}: " for line in (1, 3, 6, 7, 10)
    ]
    assert sheet.names(0) == ["x\ny", "z", "p\r\n\r\nq", "last"]


PLAIN = "qid,system,score\n" + "".join(f"q{i // 7},s{i % 7},{i / 7}\n" for i in range(3_000))

TEXTS = {
    "without a last line end": PLAIN.rstrip("\n"),
    "empty lines": PLAIN.replace("q9,", "\nq9,"),
    "blank lines": PLAIN.replace("q9,", "  \nq9,", 1),
    "quotes": PLAIN.replace("q9,", '"q9,x",'),
    "windows": PLAIN.replace("\n", "\r\n"),
    "blanks": PLAIN.replace("q9,s", "q9, s"),
    "a blank before a name far down": PLAIN + " q1,s9,0.5\n",
    "no text": PLAIN + "q1,s9,\n",
    "a word far down": PLAIN + "q1,s9,pass\n",
    "an underscore": PLAIN + "q1,s9,1_000\n",
    "many digits": PLAIN + "q1,s9,0.1000000000000000055511151231257827021181583404541015625\n",
    "words of missing": PLAIN + "NA,null,0.5\n",
    "accents": PLAIN.replace("q9", "qé九"),
    "tabs": PLAIN.replace(",", "\t"),
    "one more and one less": PLAIN + "q1,s9,0.5,1\nq1,s8\n",
    "an open quote": PLAIN + '"q1,s9,0.5\n',
}


@pytest.mark.parametrize("case", TEXTS)
def test_pyarrow_and_the_standard_library_read_the_same(case, monkeypatch):
    """The same cells, the same numbers to the last bit, the same refusals with their lines."""
    pytest.importorskip("pyarrow")

    def read():
        try:
            sheet = text_sheet(TEXTS[case], "scores.csv")
        except InputError as error:
            return str(error)
        columns = range(len(sheet.header))
        try:
            numbers = sheet.numbers([2]).tobytes()
        except InputError as error:
            numbers = str(error)
        levels = [list(sheet.columns[c].levels) for c in columns]
        return sheet.header, sheet.rows, [sheet.names(c) for c in columns], levels, numbers, sheet.place(9)

    wanted = read()
    monkeypatch.setattr("truerank.readers.separated.LARGE", 0)
    assert read() == wanted


def test_the_bytes_of_a_file_are_what_its_text_is(monkeypatch, tmp_path):
    """With a byte order mark, and with names that are not ASCII."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("truerank.readers.separated.LARGE", 0)
    for text in (PLAIN, PLAIN.replace("q9", "qé")):
        (tmp_path / "plain.csv").write_text(text, encoding="utf-8")
        (tmp_path / "marked.csv").write_text(text, encoding="utf-8-sig")
        plain, marked = (
            read_scores(tmp_path / name, missing="model") for name in ("plain.csv", "marked.csv")
        )
        assert marked.topics == plain.topics
        assert marked.values.tobytes() == plain.values.tobytes()


def test_a_wide_table_is_gone_through_a_few_times_however_many_systems_it_has(monkeypatch, tmp_path):
    """Numbers of many digits have no texts but where they are names."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("truerank.readers.separated.LARGE", 0)
    passes, reader = [], csv.reader
    monkeypatch.setattr("csv.reader", lambda *given, **options: passes.append(1) or reader(*given, **options))
    path, times = tmp_path / "wide.csv", []
    for systems in (5, 40):
        rows = [f"q{t}," + ",".join(str((t * systems + s) / 7) for s in range(systems)) for t in range(60)]
        path.write_text(lines("topic," + ",".join(f"s{s}" for s in range(systems)), rows))
        passes.clear()
        assert read_scores(path).values[7, 3] == (7 * systems + 3) / 7
        times.append(len(passes))
    assert times[0] == times[1]
