"""What a package needs that adds a format of scores; see docs/extending/format.md."""

from truerank.readers.formats.adapter import Adapter, Remark, Row
from truerank.readers.formats.format import register
from truerank.readers.formats.source import Source

__all__ = ["Adapter", "Remark", "Row", "Source", "register"]
