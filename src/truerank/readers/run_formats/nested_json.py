"""JSON of topic → document → number: ranx's `.json`, BEIR's and pytrec_eval's, MTEB 1's."""

from __future__ import annotations

import re

from truerank.errors import at
from truerank.readers.formats.source import Source
from truerank.readers.run_formats.run_format import Kind
from truerank.readers.trecfiles import Qrels, Run, qrels_from, run_from

KEY = r'\s*"(?:[^"\\]|\\.)*"\s*:\s*'
_NESTED = re.compile(r"\{" + KEY + r"\{(?:" + KEY + r"[-+.\dNI]|\s*\})")
"""An object whose first value is an object without keys, or with a number behind its first."""


class NestedJson:
    """A dictionary of dictionaries as it stands in memory, written as JSON."""

    name = "json"
    label = "JSON of topics, documents and scores"
    explanation = (
        "An object of topics, each an object from documents to scores (or relevance): ranx, BEIR, MTEB 1 "
        "with save_predictions, pytrec_eval."
    )

    def fits(self, source: Source, kind: Kind) -> bool:
        """Whether the first topic's first document has a number."""
        del kind  # one and the same for runs and judgments
        return _NESTED.match(source.opening.lstrip()) is not None

    def run(self, source: Source) -> Run:
        """The run; the file says no name."""
        return run_from(source.json, at(source.path))

    def qrels(self, source: Source) -> Qrels:
        """The judgments."""
        return qrels_from(source.json, at(source.path))
