"""TREC's columns: what trec_eval reads, and what PyTerrier, Anserini, Pyserini, BEIR and ranx write."""

from __future__ import annotations

from truerank.readers.formats.source import Source
from truerank.readers.run_formats.run_format import Kind
from truerank.readers.sheets import is_number
from truerank.readers.trecfiles import Qrels, Run, parse_qrels, parse_run


class Trec:
    """Columns between blanks or tabs, without a line of headings."""

    name = "trec"
    label = "TREC columns"
    explanation = (
        "A run has six columns (topic, Q0, document, rank, score, tag), judgments four (topic, iteration, "
        "document, relevance), between blanks or tabs."
    )

    def fits(self, source: Source, kind: Kind) -> bool:
        """Whether the first line has the columns, and a number where one belongs."""
        cells = source.first_line.split()
        if kind == "run":
            return len(cells) == 6 and is_number(cells[4])
        return len(cells) == 4 and is_number(cells[3])

    def run(self, source: Source) -> Run:
        """The run; its tag is that of the first line."""
        return parse_run(source.text, source.path)

    def qrels(self, source: Source) -> Qrels:
        """The judgments."""
        return parse_qrels(source.text, source.path)
