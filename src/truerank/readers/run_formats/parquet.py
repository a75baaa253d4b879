"""Parquet with columns of topics, documents and scores: ranx's `.parquet`, BEIR's and MTEB's qrels."""

from __future__ import annotations

from truerank.errors import at
from truerank.readers.columns import find
from truerank.readers.formats.source import Source
from truerank.readers.run_formats.run_format import Kind
from truerank.readers.tables import PARQUET_MAGIC, parquet_columns, parquet_frame
from truerank.readers.trecfiles import DOCUMENT, TOPIC, Qrels, Run, qrels_from, run_from, value_names


class ParquetDocuments:
    """A row a document."""

    name = "parquet"
    label = "Parquet of topics, documents and scores"
    explanation = (
        "Columns of topics (q_id, qid, query-id …), documents (doc_id, docno, corpus-id …) and a score."
    )

    def fits(self, source: Source, kind: Kind) -> bool:
        """Whether it is Parquet with such columns."""
        if not source.start.startswith(PARQUET_MAGIC):
            return False
        columns = parquet_columns(source.data, source.path)
        return all(find(columns, names) is not None for names in (TOPIC, DOCUMENT, value_names(kind)))

    def run(self, source: Source) -> Run:
        """The run; the file says no name."""
        return run_from(parquet_frame(source.data, source.path), at(source.path))

    def qrels(self, source: Source) -> Qrels:
        """The judgments."""
        return qrels_from(parquet_frame(source.data, source.path), at(source.path))
