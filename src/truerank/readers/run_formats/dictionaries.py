"""Dictionaries of topic → document → number, as JSON."""

from __future__ import annotations

import re

from truerank.readers.run_formats.run_format_registry import RunFormat

_KEY = r'\s*"(?:[^"\\]|\\.)*"\s*:\s*'
_NESTED = re.compile(r"\{" + _KEY + r"\{(?:" + _KEY + r"[-+.\dNI]|\s*\})")
"""An object whose first value is an object without keys, or with a number behind its first."""

JSON = RunFormat.of_objects(
    "json",
    "JSON of topics, documents and scores",
    "An object of topics, each an object from documents to scores (or relevance): ranx, BEIR, MTEB 1 "
    "with save_predictions, pytrec_eval.",
    lambda source, _: _NESTED.match(source.opening.lstrip()) is not None,
    lambda source: source.json,
)
