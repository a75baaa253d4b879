"""Where the noise of a ranking comes from beside its topics: the sentence of the answer, and a section."""

from __future__ import annotations

from collections.abc import Iterator

from truerank._support.tables import Bounded, Column, Count, Name, Number, PValue, Table, Text
from truerank._support.wording import count, level_text, listed, number, percent
from truerank.reliability.noise import Noise, NoiseSource, NoisySystem
from truerank.reliability.results import Assessment
from truerank.report.view import Asked, Figure, Section


def noise_sentence(a: Assessment) -> Iterator[str]:
    """The share of run noise, and whether the same topics would bring this ranking back."""
    found = a.noise
    if found is None:
        return
    source = found.sources[0]
    if found.tau is not None:
        yield (
            f"{_share(source)} of the noise comes from runs: a rerun on the same topics is expected to agree "
            f"with this ranking at τ = {number(found.tau.rerun, 2)}."
        )
    elif found.random:
        levels = listed([source.source])
        yield f"This holds for new levels of {levels} too, which make up {_share(source)} of the noise."


def _share(source: NoiseSource) -> str:
    return f"{percent(source.share)} ({percent(source.low)} to {percent(source.high)})"


def noise_section(a: Assessment, asked: Asked) -> Section | None:
    """The sources of noise, and what pairs that are not separated need."""
    from truerank.report.charts.noise import noise_chart

    found = a.noise
    if found is None:
        return None
    by = _by(found)
    figure = Figure(
        "noise",
        f"Bar: variance of a score beside the average system’s, split into what topics and {by} leave.",
        f"Variance of each system’s score by topics and {by}. The table below has the same numbers.",
        lambda size: noise_chart(a, size, asked.systems),
    )
    return Section("noise", "Sources of noise", figures=[figure], tables=[_sources(a, found)])


def noise_details(a: Assessment) -> Section | None:
    """What other runs would show, and the noise of each system."""
    found = a.noise
    if found is None:
        return None
    return Section(
        "noise-details", "Noise by system", tables=[*_other_runs(a, found), _systems(a, found)], details=True
    )


def _sources(a: Assessment, found: Noise) -> Table:
    """Each source beside the topics, with its share."""
    whole = all(one.levels == round(one.levels) for one in found.sources)
    columns = (
        Column("Source", Name(), "source"),
        Column("Runs" if found.of_runs else "Levels", Count() if whole else Number(digits=1), "levels"),
        Column(f"Share ({level_text(found.level)} interval)", Bounded(low="low", high="high"), "share"),
        Column("p of no effect", PValue(), "p_value", "of the levels on the order of systems"),
    )
    rows = [[one.source, one.levels, (one.share, one.low, one.high), one.p_value] for one in found.sources]
    total = "variance of a difference of two scores"
    of_levels = "" if found.of_runs or found.random else " For a facet: as if its levels were a sample."
    return Table(
        "sources",
        "Sources of noise beside topics",
        columns if not found.of_runs else columns[:3],
        rows if not found.of_runs else [row[:3] for row in rows],
        f"Share: of the {total}.{of_levels}{_pairs(found)}{_most(found)}",
        _made(a),
    )


def _other_runs(a: Assessment, found: Noise) -> Iterator[Table]:
    """τ expected of other runs."""
    tau = found.tau
    if tau is None:
        return
    rows = [
        ["this ranking and a rerun of the same topics", tau.rerun],
        ["this ranking and infinitely many runs of the same topics", tau.todays_topics],
        ["the true ranking and as many new topics, without run noise", tau.without_runs],
        ["the true ranking and as many new topics, one run each", tau.one_run],
    ]
    columns = (Column("Between", Text(), "between"), Column("τ", Number(digits=2), "tau"))
    note = "A high τ of reruns is no reliable ranking: it says nothing about other topics."
    yield Table("other_runs", "τ expected of other runs", columns, rows, note, _made(a))


def _made(a: Assessment) -> str:
    return f"(truerank {a.settings.version}, seed {a.settings.seed}.)"


def _most(found: Noise) -> str:
    """The system that depends most on the levels of a facet."""
    if found.of_runs:
        return ""
    facet, most = listed([found.sources[0].source]), found.most
    return (
        f" {listed([most.system])} depends most on {facet}: beside the average system’s, its score has "
        f"standard deviation {number(most.deviation)} over the levels."
    )


def _pairs(found: Noise) -> str:
    pairs = found.pairs
    if pairs is None or not pairs.open:
        return ""
    is_not = "is" if pairs.open == 1 else "are"
    said = f" {count(pairs.open, 'pair')} {is_not} not separated"
    if not pairs.to_runs:
        return f"{said}; without run noise none of them would be, so more topics are needed."
    if not pairs.to_topics:
        return f"{said}; without run noise all would be, at the same difference."
    return f"{said}; without run noise {pairs.to_runs:,} would be, at the same difference."


def _by(found: Noise) -> str:
    return "runs" if found.of_runs else listed([found.sources[0].source])


def _systems(a: Assessment, found: Noise) -> Table:
    by, level = _by(found), level_text(found.level)
    over = f"of a run ({level} interval)" if found.of_runs else f"over {by}"
    borrowed = [one.system for one in found.systems if one.borrowed]
    note = f"Without repeats, noise borrowed from the others: {listed(borrowed, 6)}." if borrowed else ""
    return Table.of(
        "noise",
        "Noise of each system",
        NoisySystem,
        found.systems,
        {"spread": f"Standard deviation {over}", "source": by},
        note=note,
        made=_made(a),
    )
