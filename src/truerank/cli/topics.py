"""`truerank topics`: which topics decide a ranking, and which labels to read first."""

from __future__ import annotations

from truerank.cli.files import Files
from truerank.cli.options import grouped, progress_bar
from truerank.cli.score_input import ScoreInput


@grouped
def topics(scores: ScoreInput, files: Files) -> None:
    """Which topics decide the ranking, and which labels to read first?"""
    from truerank.reliability.topics import Topics
    from truerank.reliability.topics import topics as look

    with files.opened("topics", scores.files, Topics, scores.known_measures()) as outputs:
        with progress_bar(files.quiet) as progress:
            tables = scores.read(progress)
            files.declare(outputs, Topics, [table.measure for table in tables])
            results = [look(table) for table in tables]
        seen = files.seen(results)
        files.write(outputs, seen)
    files.show(seen)
