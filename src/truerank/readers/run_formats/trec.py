"""TREC's columns: what trec_eval reads, and what PyTerrier, Anserini, Pyserini, BEIR and ranx write."""

from __future__ import annotations

from truerank.readers.run_formats.run_format import Kind, RunFile
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

    def fits(self, file: RunFile, kind: Kind) -> bool:
        """Whether the first line has the columns, and a number where one belongs."""
        cells = file.head.split("\n", 1)[0].split()
        if kind == "run":
            return len(cells) == 6 and is_number(cells[4])
        return len(cells) == 4 and is_number(cells[3])

    def run(self, file: RunFile) -> Run:
        """The run; its tag is that of the first line."""
        return parse_run(file.text, file.source)

    def qrels(self, file: RunFile) -> Qrels:
        """The judgments."""
        return parse_qrels(file.text, file.source)
