"""What a study is written with, under one name: see docs/extending/experiment.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank.experiments.engine.experiment import Clock, Grid, Key, Row, Summary, Task, option
from truerank.experiments.engine.run_results import Results
from truerank.experiments.shared.declarations import declared, every, tables

if TYPE_CHECKING:
    from altair import TopLevelMixin as Chart
    from pandas import DataFrame

    from truerank.experiments.engine.experiment import Draw
    from truerank.report.charts.style import Size

__all__ = ["Chart", "Clock", "DataFrame", "Draw", "Grid", "Key", "Results", "Row", "Size", "Summary", "Task"]
__all__ += ["declared", "every", "option", "tables"]
