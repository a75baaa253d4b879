"""The summaries of document samples by name, in the order in which they are shown."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.documents.summaries.asl import ASL
from truerank.documents.summaries.ed import ED
from truerank.documents.summaries.error_rate import ERROR_RATE
from truerank.documents.summaries.krcc import KRCC
from truerank.documents.summaries.summary import DocumentSummary
from truerank.documents.summaries.topic_error import TOPIC_ERROR

SUMMARIES: Registry[DocumentSummary] = Registry("document summary", KRCC, ERROR_RATE, ASL, ED, TOPIC_ERROR)
"""The summaries of document samples by name.

Example:
    >>> from truerank.documents import SUMMARIES
    >>> list(SUMMARIES)
    ['krcc', 'error_rate', 'asl', 'ed', 'topic_error']
"""
register_summary = SUMMARIES.register
"""Make a summary known by its name, to :func:`truerank.documents.analyze` and the command line.

Example:
    >>> from truerank.documents import SUMMARIES, register_summary
    >>> register_summary(SUMMARIES["krcc"])
    Traceback (most recent call last):
    truerank.errors.InputError: document summary 'krcc' exists already; choose another name
"""
