"""Formats of runs and judgments: one declaration and one line in the registry per format."""

from truerank.readers.run_formats.run_format_registry import RUN_FORMATS, read_qrels, read_run

__all__ = ["RUN_FORMATS", "read_qrels", "read_run"]
