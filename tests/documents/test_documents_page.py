"""The page of `truerank documents`: its numbers, its order, and names out of a nightmare."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from documents_data import small_collection

from truerank import cli
from truerank._support.references import REFERENCES
from truerank.documents import (
    DocumentAnalysis,
    DocumentCollection,
    analyze_collection,
    decompose,
    place_measure,
)
from truerank.errors import InputError, UnknownNameError
from truerank.report.charts.documents import error_chart, topic_chart
from truerank.report.charts.style import COLUMN, PAGE
from truerank.report.pages.documents import documents_page, page_html, write_page
from truerank.report.words import number, percent, printable

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "' onmouseover='alert(3)' x='",
    "{{ 7*7 }} control \x00\x1b[31m \u202e",
)


class Reader(HTMLParser):
    """What a browser's parser makes of a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def analysed(collection: DocumentCollection, *models: str) -> list[DocumentAnalysis]:
    ap = place_measure("AP")
    parts = decompose(collection, ap, samples=20)
    return [
        replace(analyze_collection(collection, ap, model, samples=80, seed=4), decomposition=parts)
        for model in models
    ]


@pytest.fixture(scope="module")
def both() -> list[DocumentAnalysis]:
    return analysed(small_collection(), "bst", "kde")


def rows_of(html: str, table: str) -> list[list[str]]:
    """The texts of a table's cells."""
    part = html[html.index(f'id="{table}"') :]
    body = part[part.index("<tbody>") : part.index("</tbody>")]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in body.split("<tr")[1:]]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)) for cell in row] for row in cells]


def test_the_answer_comes_first_and_is_the_numbers(both: list[DocumentAnalysis]) -> None:
    html = page_html(both, command="truerank documents --qrels q runs")
    text = " ".join("".join(Reader(html).texts).split())
    bst = both[0]
    for said in (
        f"puts {percent(bst.error_share, 1)} of the pairs of systems in another order: "
        f"τ = {number(bst.krcc.mean, 2)} with the ranking here",
        f"Here {percent(bst.asl.raw_significant)} of the pairs differ significantly; in such a collection "
        f"{percent(bst.asl.mean)} do on average, and {percent(bst.asl.above)} in nearly every one.",
        bst.decomposition.advice[1:],
        "By the model kde of the documents (kernel density), another document collection of the same kind "
        f"puts {percent(both[1].error_share, 1)}",
    ):
        assert said in text
        assert text.index(said) < text.index("How much ranking and significance move")
    squares = html[: html.index('id="summary"')]
    kept = [round(100 * (1 - share)) for share in (bst.error_spread.high, bst.error_spread.low)]
    assert squares.count('rx="1.5" class="right"') == kept[0]
    assert squares.count('rx="1.5" class="maybe"') == kept[1] - kept[0]


def test_tables_hold_the_numbers(both: list[DocumentAnalysis]) -> None:
    html = page_html(both)
    summary = {(row[0], row[1]): row[2] for row in rows_of(html, "summary-table")}
    assert len(summary) == 16
    for a in both:
        assert summary["KRCC: mean τ", a.model] == number(a.krcc.mean, 4)
        assert summary["PCT: pairs with ASL < 0.05", a.model] == number(a.asl.below, 4)
        assert summary["ED: estimated difference", a.model] == number(a.ed.difference, 4)
    bins = rows_of(html, "error-table")
    assert len(bins) == 21
    assert bins[-1][0] == "0.20 and more"
    for row, b in zip(bins, both[1].error_rate, strict=True):
        assert row[3] == f"{b.count:,}"
        assert row[4].split(" ")[0] == (percent(b.error_rate, 1) if b.count else "–")
    topics = rows_of(html, "topics-table")
    assert [row[1] for row in topics] == [number(v, 4) for v in both[0].scores.values[:, 0]]
    assert [row[4] for row in topics] == [number(v, 4) for v in both[1].topic_means[:, 0]]
    assert [row[1] for row in rows_of(html, "systems-table")] == list(both[0].scores.systems)
    components = rows_of(html, "components-table")
    assert [row[2] for row in components] == [number(c.variance, 5) for c in both[0].decomposition.components]
    now, *others = both[0].decomposition.designs
    changes = [row[2] for row in rows_of(html, "designs-table")]
    assert changes[1:] == [
        number(100 * (d.standard_error / now.standard_error - 1), 0, sign=True) + "%" for d in others
    ]


def test_sections_and_methods_only_where_they_apply(both: list[DocumentAnalysis]) -> None:
    def anchors(analyses: list[DocumentAnalysis]) -> list[str]:
        return [section.anchor for section in documents_page(analyses).sections]

    every = ["summary", "errors", "topics", "systems", "more", "warnings", "methods", "citing", "again"]
    assert anchors(both) == every
    alone = [replace(both[0], decomposition=None)]
    assert anchors(alone) == [name for name in every if name != "more"]
    html = page_html(alone)
    for absent in (
        "Kernel density",
        "The decomposition",
        "searle-1992",
        "arampatzis-2001",
        "twice the topics",
    ):
        assert absent not in html
    assert "Bootstrap: relevant" in html
    whole = page_html(both)
    assert "Kernel density" in whole
    assert "The decomposition" in whole
    linked = set(re.findall(r'href="#ref-([^"]+)"', whole))
    assert linked == set(re.findall(r'id="ref-([^"]+)"', whole)) <= set(REFERENCES)


def test_names_from_files_are_text_everywhere() -> None:
    plain = small_collection()
    topics = (*HOSTILE, *plain.topics[len(HOSTILE) :])
    collection = replace(plain, systems=HOSTILE, topics=topics, notes=(f"a note on {HOSTILE[0]}",))
    analyses = analysed(collection, "bst")
    html = page_html(analyses, command=f"truerank documents {' '.join(HOSTILE)}", system=HOSTILE[1])
    page = Reader(html)
    assert "img" not in page.tags
    assert page.tags.count("script") == 2
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    text = "\n".join(page.texts)
    for name in HOSTILE:
        assert printable(name) in text
    labels = [value or "" for name, value in page.attributes if name == "data-about"]
    assert any(printable(HOSTILE[0]) in label for label in labels)
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_charts_are_valid_and_say_what_they_show(both: list[DocumentAnalysis]) -> None:
    for size in (COLUMN, PAGE):
        error_chart(both, size).to_dict(validate=True)
        topic_chart(both, size=size).to_dict(validate=True)
    page = Reader(page_html(both))
    labels = [value or "" for name, value in page.attributes if name == "data-about"]
    filled = sum(b.count > 0 for a in both for b in a.error_rate)
    assert len(labels) == filled + 2 * both[0].scores.n


def test_the_same_analyses_give_the_same_bytes(both: list[DocumentAnalysis], tmp_path: Path) -> None:
    write_page(both, tmp_path / "page.html", command="truerank documents")
    written = (tmp_path / "page.html").read_bytes()
    assert written == page_html(both, command="truerank documents").encode()


def test_wrong_use(both: list[DocumentAnalysis]) -> None:
    with pytest.raises(InputError, match="no analysis"):
        page_html([])
    with pytest.raises(UnknownNameError, match="did you mean"):
        page_html(both, system="s9")
    other = analyze_collection(small_collection(), place_measure("RR"), samples=20)
    with pytest.raises(InputError, match="one measure"):
        page_html([both[0], other])


def test_the_command_writes_one_page_of_all_measures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qrels").write_text(
        "".join(f"{t} 0 d{i} {int(i < 3)}\n" for t in (1, 2, 3) for i in range(8))
    )
    for s in range(2):
        lines = [f"{t} Q0 d{i} 0 {(i * (5 - 2 * s) + t) % 8} s{s}\n" for t in (1, 2, 3) for i in range(8)]
        (tmp_path / f"run{s}").write_text("".join(lines))
    arguments = [
        "documents",
        "--qrels",
        str(tmp_path / "qrels"),
        str(tmp_path / "run0"),
        str(tmp_path / "run1"),
    ]
    arguments += ["--samples", "20", "--decomposition", "5", "-m", "AP", "-m", "RR", "--quiet"]
    page = tmp_path / "page.html"
    monkeypatch.setattr("sys.argv", ["truerank", *arguments, "--html", str(page)])
    assert cli.run([*arguments, "--html", str(page)]) == 0
    assert "τ = " in capsys.readouterr().out
    written = sorted(path.name for path in tmp_path.glob("*.html"))
    assert written == ["page.html"]
    text = unescape(page.read_text(encoding="utf-8"))
    assert "--html page.html" in text
    assert text.count("<h1") == 2
    (tmp_path / "run0").rename(tmp_path / "run0.html")
    arguments[3] += ".html"
    assert cli.run([*arguments, "--html", str(tmp_path / "run0.html")]) == 2
    assert "already an input" in capsys.readouterr().err


@pytest.mark.parametrize("width", [320, 390, 1200])
def test_in_a_browser_the_page_never_scrolls_sideways(opened, both, width) -> None:
    page = opened(page_html(both, command="truerank documents --qrels q runs"), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
