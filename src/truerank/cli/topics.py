"""`truerank topics`: which topics decide a ranking, and which labels to read first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from truerank.cli.files import Files
from truerank.cli.options import Group, grouped, option
from truerank.cli.score_input import HumanScores


@dataclass(kw_only=True)
class Listed(Group, heading="Topics"):
    """What is named."""

    list: Annotated[int, option("N", "Number of topics to read first.")] = 5


@grouped
def topics(scores: HumanScores, listed: Listed, files: Files) -> None:
    """Which topics decide the ranking, and which labels to read first?"""
    from truerank.reliability.topics import topics as look

    with files.reading(scores) as (outputs, tables, _):
        seen = files.write(outputs, [look(table, list=listed.list) for table in tables])
    files.show(seen)
