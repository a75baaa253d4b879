"""Of every kind of result: all formats say the same, and names stay names in all of them."""

from __future__ import annotations

import csv as library
import html as entities
import io
import math
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import truerank
from truerank._support.escaping import csv_cell, printable, terminal
from truerank._support.tables import Kind, Marked, Name, Table
from truerank.comparison.sequential import sequential_gate
from truerank.readers import with_machine
from truerank.report.outputs.data import csv, frame
from truerank.report.outputs.latex import latex
from truerank.report.outputs.markdown import markdown
from truerank.report.outputs.page import fill
from truerank.report.outputs.terminal import lines, show
from truerank.report.view import Asked, View
from truerank.report.views import view
from truerank.scores import ScoreMatrix
from validation.page_samples import RESULTS

NAMES = (
    "<script>alert(1)</script>", "q|`r`<i>", "a_b%*c*", "\\input{x}", "=1+1", "--", "~^$#{}&", "@SUM(1)",
    "ret\rurn\x1b[31m", "\u202eleft τ_AP", "[x](http://y.zz)", "system", "</table>", "constructor",
)  # fmt: skip
"""Names that mean something to one format or the other."""


def scores(topics: int = 24, names: tuple[str, ...] = NAMES) -> ScoreMatrix:
    rng = np.random.default_rng(3)
    values = rng.normal(0.5, 0.1, (topics, len(names))) - np.linspace(0, 0.3, len(names))
    topics = [f"{t} {names[t % len(names)]}" for t in range(topics)]
    return ScoreMatrix.build(values, topics, names, "P@10 <b>_|")


def with_judge() -> ScoreMatrix:
    """A sample of topics judged by people, and all of them by a machine."""
    table = scores()
    human = ScoreMatrix.build(table.values[:10], table.topics[:10], table.systems, table.measure)
    return with_machine(human, table)


FAST: dict[str, Any] = {"draws": 200, "resamples": 100, "seed": 1}

KINDS = {
    "assess": lambda: truerank.assess(scores(), baseline=NAMES[2], **FAST),
    "machine judge": lambda: truerank.assess(with_judge(), ["eb"], **FAST),
    "gate": lambda: truerank.gate(scores(), NAMES[0], NAMES[7:10], seed=1),
    "gate at any time": lambda: sequential_gate(scores(), NAMES[0], NAMES[7:10], margin=0.02, range=(0, 1)),
    "plan": lambda: truerank.plan(scores(), tau=0.8, draws=64, seed=1),
    "significance": lambda: truerank.significance.analyze(scores(), baseline=NAMES[2], seed=1),
}


@pytest.fixture(scope="module", params=KINDS)
def result(request: pytest.FixtureRequest) -> Any:
    return KINDS[request.param]()


@pytest.fixture(scope="module")
def seen(result: Any) -> View:
    return view(result, Asked(f"truerank assess {' '.join(NAMES)}"))


# ── readers of each format, which know nothing of its writer ──────────────────────────────────────────────


class Cells(HTMLParser):
    """The texts of a table's cells, row by row, and all tags and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self._in_cell = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data


def markdown_rows(text: str) -> list[list[str]]:
    found = [line for line in text.splitlines() if line.startswith("| ")]
    rows = [re.findall(r"(?:\\.|[^|\\])+", line) for line in found]
    return [[_without_markdown(cell.strip()) for cell in row] for row in rows[2:]]


def _without_markdown(cell: str) -> str:
    cell = re.sub(r"(?<!\\)(</?su[bp]>|\*\*)", "", cell)
    return re.sub(r"\\([^\w\s]|_)", r"\1", cell)


COMMANDS = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^", r"\textasciigrave{}": "`",
    r"\dots{}": "…", r"\tau": "τ", "--": "–", "-{}": "-",
    **{f"\\{c}": c for c in "&%$#_{}"},
}  # fmt: skip


def tex(cell: str) -> str:
    """What LaTeX would print: one escape after the other from the left, as TeX reads them."""
    cell = re.sub(r"\\text(?:bf|superscript)\{([^{}]*)\}", r"\1", cell.strip().removeprefix("{}"))
    cell = re.sub(r"\\parbox\[t\]\{\d+em\}\{\\raggedright (.*)\\strut\}", r"\1", cell).replace(
        r"\allowbreak{}", ""
    )
    found = ""
    while cell:
        formula = re.match(r"\$([^$]*)\$", cell)
        command = next((c for c in sorted(COMMANDS, key=len, reverse=True) if cell.startswith(c)), None)
        if formula:
            signs = {
                "-": "−",
                r"\infty": "∞",
                r"\times": "×",
                r"\tau_{AP}": "τ_AP",
                r"\tau": "τ",
                r"E\rho^2": "Eρ²",
                r"\Phi": "Φ",
            }
            found += signs.get(formula[1], formula[1])
            cell = cell[formula.end() :]
        elif command:
            found += COMMANDS[command]
            cell = cell[len(command) :]
        else:
            assert cell[0] not in "&%$#_{}\\^~", cell
            found += cell[0]
            cell = cell[1:]
    return found


def latex_rows(text: str) -> list[list[str]]:
    """Cells of each tabular, row by row, between its rules; a row alone may stand upright."""
    if r"\midrule" not in text:
        upright = text.partition("\\toprule\n")[2].partition(r"\bottomrule")[0]
        return [[tex(line.removesuffix(r" \\").partition(" & ")[2]) for line in upright.splitlines()]]
    bodies = re.findall(r"\\midrule\n(.*?)\\bottomrule", text, re.DOTALL)
    rows = [
        line.removesuffix(r" \\") for body in bodies for line in body.splitlines() if line.endswith(r" \\")
    ]
    return [[tex(cell) for cell in re.findall(r"(?:\\.|[^&\\])+", row)] for row in rows]


def as_latex_has_it(text: str, kind: Kind) -> str:
    """Intervals stand in brackets and ranges with a dash in papers."""
    return re.sub(r"[\[\]()]", "", text).replace(" to ", ", ").replace("–", ", ").replace("’", "'")


def is_name(shown: str, name: str) -> bool:
    """Whether a name is shown, whole or shortened."""
    return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), printable(name), re.DOTALL) is not None


def told(value: Any, kind: Kind) -> str:
    return value.text + value.marks if isinstance(value, Marked) else kind.text(value)


def html(table: Table) -> str:
    """The table alone, as pages and notebooks have it."""
    seen = View("", "", "", [], [])
    return fill("notebook.html", view=seen, id="", style="", tables=[table], warnings=[], notes=[])


# ── the promises ────────────────────────────────────────────────────────────────────────────────────────


def test_all_formats_have_the_same_cells(seen: View) -> None:
    tables = [table.shown() for table in seen.tables if not table.files_only and table.rows]
    assert tables
    for table in tables:
        whole = Cells(html(table))
        assert not whole.tags & {"script", "i", "img", "a"}
        written = {
            # Spaces there say where a line may break.
            "HTML": [[cell.replace("\xa0", " ") for cell in row] for row in whole.rows[1:]],
            "Markdown": markdown_rows(markdown(table)),
            "LaTeX": latex_rows(latex(table)),
        }
        in_terminal = lines(table, 100_000)
        for output, rows in written.items():
            assert len(rows) == len(table.rows), (output, table.name)
        for number, row in enumerate(table.rows):
            shown = next(line for line in in_terminal[2:] if all(
                (terminal(told(v, c.kind)) if isinstance(c.kind, Name) else str(c.kind.text(v))) in line
                for v, c in zip(row, table.columns, strict=True)))  # fmt: skip
            assert "\x1b" not in shown
            for output, rows in written.items():
                for cell, value, column in zip(rows[number], row, table.columns, strict=True):
                    where = (output, table.name, column.key, cell)
                    if isinstance(column.kind, Name):
                        assert is_name(cell, str(value)), where
                    elif output == "LaTeX":
                        wanted = as_latex_has_it(told(value, column.kind), column.kind)
                        assert as_latex_has_it(cell, column.kind) == wanted, where
                    else:
                        assert cell.replace("**", "") == told(value, column.kind), where
            assert len({tuple(rows[number]) for rows in (written["HTML"], written["Markdown"])}) == 1


def test_files_and_frames_have_every_digit(seen: View) -> None:
    for table in seen.tables:
        records = [
            [one for c, v in zip(table.columns, row, strict=True) for one in (v if len(c.keys) > 1 else (v,))]
            for row in table.rows
        ]
        keys, *rows = library.reader(io.StringIO(csv(table), newline=""))
        assert keys == [csv_cell(key) for column in table.columns for key in column.keys], table.name
        for cells, record in zip(rows, records, strict=True):
            for cell, value in zip(cells, record, strict=True):
                assert _reads_as(cell, value), (table.name, cell, value)
        made = frame(table)
        for cells, record in zip(made.itertuples(index=False, name=None), records, strict=True):
            for cell, value in zip(cells, record, strict=True):
                assert cell == value or (_missing(cell) and _missing(value)), (table.name, cell, value)


def _missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value))


def _reads_as(cell: str, value: Any) -> bool:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return cell == ""
    if isinstance(value, str):
        return cell == csv_cell(value) and not cell.startswith(("=", "+", "@", "-", "\t", "\r"))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(cell) == value
    return cell == csv_cell(str(value))


def test_the_answer_is_the_same_everywhere(result: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Word by word, whatever stands for a space, a letter or an index in a format."""

    def words(text: str, tags: str = "-") -> str:
        return re.sub(r"[\W_]+", "", entities.unescape(re.sub(rf"</?({tags})>", "", text)))

    seen = view(result)
    show([seen])
    outputs = {
        "terminal": capsys.readouterr().out,
        "summary": result.summary(),
        "page": result.to_html(),
        "notebook": result._repr_html_(),
        "Markdown": result.to_markdown(),
    }
    said = [words(line) for line in seen.answer]
    assert 1 <= len(said) <= 6
    for output, text in outputs.items():
        whole = words(text, "sub|bdi|code" if output in ("page", "notebook") else "sub")
        for line in said:
            assert line in whole, output


def spoken(seen: View) -> int:
    """The sentences of an answer: what a full stop ends before a capital, τ or a number."""
    text = " ".join(seen.answer).replace("x.", "x")
    return len(re.findall(r"[.!?](?=\s+[A-Zτ0-9“]|$)", text))


@pytest.mark.parametrize(
    "kind", ["12 systems", "data sets", "gate at any time", "compare", "machine", "plan"]
)
def test_an_answer_has_five_sentences_at_most(kind: str) -> None:
    results = RESULTS[kind]()
    for result in results if isinstance(results, list) else [results]:
        assert 1 <= spoken(view(result)) <= 5, view(result).answer
