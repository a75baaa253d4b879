"""Random tables as programs write them: encodings, quoting, separators, number forms, names, summary rows.

`python -m validation.tables_written 5000` counts tables that are read otherwise without a question. Each
shape varies one layer of a table: its encoding, its quotes and lines, its numbers, its gaps, what sums it up.
`validation.tables_read` is about what columns mean; this is about how they are written.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.tables_read import Meant, Rng, _words
from validation.tables_read import main as checked

RIGHT = (
    "read",
    "asked",
    "refused",
    "no option that works",
    "an option leads nowhere",
    "the same question again",
)
"""What may become of a table: a message may also say what to change in the file."""

SYSTEMS: dict[str, tuple[str, ...]] = {
    "plain": _words("bm25, E5-large, gpt-4o, Llama 3, t5/base, SPLADE++, dpr, ColBERT v2"),
    "numbers": _words("1, 2, 3, 4, 5, 6"),
    "years": _words("2021, 2022, 2023, 2024"),
    "versions": _words("0.1, 0.2, 1.0, 1.1, 2.0"),
    "sizes": _words("7b, 13b, 70B, 1e3, 350M"),
    "letters": _words("A, B, C, D, E"),
    "accents": _words("naïve, Müller, Große, façade, Ångström"),
    "scripts": _words("模型甲, モデル, модель, نموذج, μ-net"),
    "quoted": ('say "hi"', "A, tuned", "B; raw", "it's", "tab\there", "two\nlines"),
    "like words": _words("None, True, NaN-net, Mean Teacher, Total Recall, nulls, no, pass"),
    "blanks": ("base line", "base  line", "our model", "(ours)", "[1] ours"),
}
TOPICS = _words(
    """topic, qid, Query ID, question_id, TopicID, query, prompt, Frage, Thema, requête, pregunta, вопрос,
    问题, 質問, , id, #, Item, case, domanda, vraag"""
)
SUMMARIES = _words(
    """mean, Average, AVG, avg., Overall, Total, SUM, Median, macro avg, All, Mean ± std, Mittelwert, Gesamt,
    Durchschnitt, Summe, Standardabweichung, moyenne, Moyenne générale, médiane, écart-type, somme, media,
    Media aritmética, promedio, mediana, desviación estándar, totale, média, gemiddelde, totaal, średnia,
    średnio, среднее, итого, ср., genomsnitt, medel, gjennomsnitt, keskiarvo, ortalama, průměr, 平均, 平均値,
    平均分, 总计, 合計, 중앙값, 평균, المتوسط, std, Std. Dev., StdDev, SE, s.e., std err,
    95% CI, CI low, µ, σ, geo mean, geometric mean, harmonic mean, max, Min, best, p-value, subtotal,
    grand total, variance, x̄,
    average (all), MEAN:, ** mean **, —mean—"""
)
MISSING = (*_words("NA, N/A, n/a, NaN, null, None, -, –, —, #N/A, ?, ., missing, #DIV/0!"), "", " ")
ENCODINGS = _words(
    """utf-8, utf-8, utf-8, utf-8-sig, utf-16, utf-16-le, utf-16-be, utf-32, cp1252, latin-1, cp1251,
    shift_jis, gb18030, mac-roman, cp437"""
)


@dataclass(frozen=True)
class Table:
    """Scores, their names, and the texts that stand for the scores."""

    values: NDArray[np.float64]
    topics: list[str]
    systems: list[str]

    @classmethod
    def of(cls, rng: Rng, kind: str | None = None) -> Table:
        """Random scores of one scale, with names of one kind."""
        names = SYSTEMS[kind or str(rng.choice(list(SYSTEMS)))]
        m, n = int(rng.integers(2, min(6, len(names)) + 1)), int(rng.integers(5, 14))
        scale, digits = [(1, 3), (1, 2), (100, 1), (100, 3), (5000, 1), (10, 2)][int(rng.integers(6))]
        values = (rng.uniform(0.06, 0.97, (n, m)) * scale).round(digits)
        forms: list[Callable[[int], str]] = [
            lambda t: f"q{t + 1}",
            lambda t: f"{t * 13 + 101}",
            lambda t: f"{t + 1:03d}",
            lambda t: f"2024-01-{t + 1:02d}",
            lambda t: f"how much, in {'abcdefghijklmnopq'[t]}?",
            lambda t: f"Größe {'abcdefghijklmnopq'[t]}",
            lambda t: f"問{t + 1}",
            lambda t: f"{t // 3 + 1}.{t % 3 + 1}",
            lambda t: f"doc{t}\npart",
        ]
        form = forms[int(rng.integers(len(forms)))]
        return cls(values, [form(t) for t in range(n)], rng.permutation(names)[:m].tolist())

    def meant(self, shape: str, source: bytes, values: NDArray[np.float64] | None = None) -> Meant:
        """What it says, in the texts of its numbers."""
        values = self.values if values is None else values
        means = dict(zip(self.systems, np.nanmean(values, axis=0).tolist(), strict=True))
        return Meant(shape, source, means, len(self.topics))

    def head(self, rng: Rng) -> str:
        """What the column of topics is called; names tell sections such as 1.1 from scores."""
        return "topic" if "." in self.topics[0] else str(rng.choice(TOPICS))

    def wide(self, rng: Rng, number: Callable[[float], str] = str) -> list[list[str]]:
        """One row per topic, header first."""
        rows = [
            [name, *map(number, row)] for name, row in zip(self.topics, self.values.tolist(), strict=True)
        ]
        return [[self.head(rng), *self.systems], *rows]

    def long(self, rng: Rng, number: Callable[[float], str] = str) -> list[list[str]]:
        """One row per score, header first."""
        heads = (
            str(rng.choice(("system", "model", "Model", "method"))),
            str(rng.choice(("score", "value", "Score"))),
        )
        rows = [
            [topic, system, number(float(self.values[t, s]))]
            for t, topic in enumerate(self.topics)
            for s, system in enumerate(self.systems)
        ]
        return [["topic", *heads], *rows]


def _text(rows: list[list[str]], mark: str = ",", quoting: Any = csv.QUOTE_MINIMAL, end: str = "\n") -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=mark, quoting=quoting, lineterminator=end).writerows(rows)
    return out.getvalue()


def _rows(rng: Rng, table: Table, number: Callable[[float], str] = str) -> list[list[str]]:
    return table.wide(rng, number) if rng.random() < 0.6 else table.long(rng, number)


def _encoded(rng: Rng) -> Meant:
    """Any encoding, with and without a byte order mark."""
    kind = str(rng.choice(("plain", "accents", "scripts")))
    table, encoding = Table.of(rng, kind), str(rng.choice(ENCODINGS))
    text = _text(_rows(rng, table))
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError:
        data = text.encode("utf-8")
    data = gzip.compress(data) if rng.random() < 0.2 else data
    return table.meant("encodings", data)


def _quoted(rng: Rng) -> Meant:
    """Quotes, ends of lines, separators, blank lines and separators at the ends."""
    table = Table.of(rng)
    mark, end = str(rng.choice(list(",;\t|"))), str(rng.choice(("\n", "\r\n", "\r")))
    quoting = (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC)[int(rng.integers(3))]
    rows = _rows(rng, table)
    how = int(rng.integers(7))
    if how == 0:
        rows = [[*row, ""] for row in rows]
    elif how == 1:
        quoting = csv.QUOTE_MINIMAL  # a blank within quotes is part of a name
        rows = [[f" {cell}" if cell.isalnum() else cell for cell in row] for row in rows]
    text = _text(rows, mark, quoting, end)
    if how == 2:
        text = text.rstrip(end)
    elif how == 3:
        text = end + text + end + end
    elif how == 4:
        text = f"sep={mark}{end}{text}"
    elif how == 5:
        text += (mark * (len(rows[0]) - 1) + end) * 2
    elif how == 6:
        text = f"# written by a script{end}{text}"
    return table.meant("quoting", text.encode())


def _numbers(rng: Rng) -> Meant:
    """The ways to write a number."""
    table, mark = Table.of(rng), str(rng.choice(list(",;\t")))
    comma: Callable[[float], str] = lambda x: str(x).replace(".", ",")  # noqa: E731
    ways: list[Callable[[float], str]] = [
        comma,
        comma,
        lambda x: f"{x:.3f}".removeprefix("0"),
        lambda x: f"+{x}",
        lambda x: f"{x:.6e}",
        lambda x: f"{x:,}",
        lambda x: f"{x:,}".replace(",", " "),
        lambda x: f"{x:,}".replace(",", "'"),
        lambda x: f"{x:,}".replace(",", "\u202f").replace(".", ","),
        lambda x: f"{x:,}".translate(str.maketrans(",.", ".,")),
        lambda x: f" {x}\u00a0",
        lambda x: f"{x:08.3f}",
        lambda x: f"'{x}",
        lambda x: f"={x}",
        lambda x: f"{x}".translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
        lambda x: f"{x}".translate(str.maketrans("0123456789.", "０１２３４５６７８９．")),
        lambda x: f"{x:.3f}f",
        lambda x: f"{x} %",
        lambda x: f"${x}",
    ]
    k = int(rng.integers(len(ways)))
    values = table.values / 100 if k == 17 else table.values
    return table.meant(f"numbers {k}", _text(_rows(rng, table, ways[k]), mark).encode(), values)


def _missing(rng: Rng) -> Meant:
    """Marks of missing scores."""
    table, mark = Table.of(rng), str(rng.choice(MISSING))
    hole = rng.random(table.values.shape) < 0.15
    hole[:, 0] = False
    hole[0] = False
    table.values[hole] = np.nan
    rows = _rows(rng, table, lambda x: mark if np.isnan(x) else str(x))
    return table.meant("missing", _text(rows).encode())


def _summarized(rng: Rng) -> Meant:
    """A row or a column that sums up the others, in many languages; systems and topics have plain names."""
    table, name = Table.of(rng, str(rng.choice(("plain", "accents", "blanks")))), str(rng.choice(SUMMARIES))
    sums: list[Any] = [np.mean, np.sum, np.std, np.median, np.max, np.size]
    how, blank = sums[int(rng.integers(len(sums)))], rng.random() < 0.1
    rows = table.wide(rng)
    if rng.random() < 0.6:
        row = [name, *("" if blank else f"{how(column):.3f}" for column in table.values.T)]
        rows.insert(int(rng.choice((1, len(rows)))), row)
    else:
        column = ["" if blank else f"{how(row):.3f}" for row in table.values]
        rows = [[*row, cell] for row, cell in zip(rows, [name, *column], strict=True)]
    return table.meant(f"summary {name}", _text(rows).encode())


SHAPES = (_encoded, _quoted, _numbers, _missing, _summarized)

if __name__ == "__main__":
    tables, *seed = map(int, sys.argv[1:])
    sys.exit(bool(checked(tables, *(seed or [1]), SHAPES, RIGHT)))
