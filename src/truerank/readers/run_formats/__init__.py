"""Formats of runs and judgments: one file a format, one line in the registry, told by what a file holds."""

from truerank.readers.run_formats.run_format_registry import RUN_FORMATS, read_qrels, read_run

__all__ = ["RUN_FORMATS", "read_qrels", "read_run"]
