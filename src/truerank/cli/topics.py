"""`truerank topics`: which topics decide a ranking, and which labels to read first."""

from __future__ import annotations

from truerank.cli.files import Files
from truerank.cli.options import grouped
from truerank.cli.score_input import HumanScores


@grouped
def topics(scores: HumanScores, files: Files) -> None:
    """Which topics decide the ranking, and which labels to read first?"""
    from truerank.reliability.topics import Topics
    from truerank.reliability.topics import topics as look

    with files.reading("topics", Topics, scores) as (outputs, tables, _):
        seen = files.write(outputs, [look(table) for table in tables])
    files.show(seen)
