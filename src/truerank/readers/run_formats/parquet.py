"""Parquet with columns of topics, documents and scores: ranx's `.parquet`, BEIR's and MTEB's qrels."""

from __future__ import annotations

from truerank.errors import at
from truerank.readers.run_formats.run_format import Kind, RunFile
from truerank.readers.tables import parquet_frame
from truerank.readers.trecfiles import Qrels, Run, qrels_from, run_from


class ParquetDocuments:
    """A row a document."""

    name = "parquet"
    label = "Parquet of topics, documents and scores"
    explanation = (
        "Columns of topics (q_id, qid, query-id …), documents (doc_id, docno, corpus-id …) and a score."
    )

    def fits(self, file: RunFile, kind: Kind) -> bool:
        """Whether it is Parquet at all: no other format of runs is."""
        del kind
        return file.is_parquet

    def run(self, file: RunFile) -> Run:
        """The run; the file says no name."""
        return run_from(parquet_frame(file.data, file.source), at(file.source))

    def qrels(self, file: RunFile) -> Qrels:
        """The judgments."""
        return qrels_from(parquet_frame(file.data, file.source), at(file.source))
