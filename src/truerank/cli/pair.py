"""Two systems given to `assess` or `compare`: no ranking to speak of, but a verdict, as `gate` gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerank.cli.options import add_json, command_line

if TYPE_CHECKING:
    from truerank._support.outputs import Outputs
    from truerank.comparison.gate import Decision, Gate
    from truerank.reliability.means import Question
    from truerank.scores import ScoreMatrix

PAIR = "two systems are no ranking, so this is their comparison, as truerank gate makes it"
"""What a user who asked for a ranking is told."""


def two_systems(
    tables: Sequence[ScoreMatrix], drop_bottom: float = 0.0, drop_identical: bool = False
) -> list[ScoreMatrix]:
    """The tables, without the systems that are dropped, where each holds two systems; else none."""
    kept = []
    for table in tables:
        if drop_identical:
            table = table.drop_identical()
        if drop_bottom and table.k == 1 and table.complete:
            table = table.drop_bottom(drop_bottom)
        kept.append(table)
    return kept if all(table.m == 2 for table in kept) else []


@dataclass(frozen=True)
class PairOutcome:
    """What `assess` finds of two systems.

    Attributes:
        found: the decisions, one a measure (and data set).
        tables: the scores, one a measure.
        true_means: of each system, where they are known; empty otherwise.
        named: whether it was said which of the two is the baseline.
    """

    found: Gate
    tables: Sequence[ScoreMatrix]
    true_means: Mapping[str, float]
    named: bool

    @classmethod
    def of(
        cls,
        tables: Sequence[ScoreMatrix],
        baseline: str | None,
        levels: Sequence[float],
        data_sets: Question | None,
        seed: int,
        model: str | None,
    ) -> PairOutcome:
        """Decide, without a margin.

        Raises:
            InputError: scores that carry no verdict, a level that has none, or a model of other systems.
            UnknownNameError: no such baseline.
        """
        from truerank.cli.model_truth import true_means
        from truerank.comparison.gate import gate

        found = gate(tables, baseline, level=levels[0], data_sets=data_sets, seed=seed)
        truth = true_means(model, [table.systems for table in tables])
        return cls(found, tables, truth or {}, baseline is not None)

    def add_files(
        self,
        outputs: Outputs,
        csv: str | None,
        latex: str | None,
        markdown: str | None,
        html: str | None,
        figures: str | None,
        json: str | None,
        figure_width: int = 85,
    ) -> None:
        """The files that were asked for; the page and the tables have all measures."""
        if latex is not None or markdown is not None:
            from truerank.report.tables.gate import latex_text, markdown_text

            if latex is not None:
                outputs.add(latex, latex_text(self.found))
            if markdown is not None:
                outputs.add(markdown, markdown_text(self.found))
        if html is not None:
            from truerank.report.pages.gate import PAIR, TITLE, gate_html

            title = TITLE if self.named else PAIR
            outputs.add(html, gate_html(self.found, command=command_line(), title=title))
        for table in self.tables:
            measure = table.measure if len(self.tables) > 1 else None
            own = self.found if measure is None else self.found.by_measure(measure)
            if csv is not None:
                from truerank.report.tables.gate import csv_files

                outputs.put(csv, csv_files(own), "--csv", measure)
            if figures is not None:
                from truerank.report.figures import pair_figure_files, size_of

                outputs.put(figures, pair_figure_files(own, size_of(figure_width)), "--figures", measure)
        if json:
            documents = [self._document(table) for table in self.tables]
            add_json(outputs, documents[0] if len(documents) == 1 else documents, json)

    def _document(self, table: ScoreMatrix) -> dict[str, Any]:
        """The keys of an assessment, without what two systems don't have, and the decisions."""
        from truerank._support.plain import plain

        own = self.found.by_measure(table.measure)
        (first, *_) = own.overall
        document = {
            "measure": table.measure,
            "topics": table.n,
            "systems": 2,
            "headline": None,
            "estimates": [],
            "ranking": _ranking(first, table),
            "swap_probabilities": {},
            "warnings": [f"{PAIR}", *first.warnings],
            "gate": own.to_dict(),
        }
        if table.machine is not None:
            from truerank.reliability.machine_judge import machine_judge

            document["machine"] = machine_judge(table, first.level, own.seed).to_dict()
        if self.true_means:
            gap = self.true_means[first.candidate] - self.true_means[first.baseline]
            document["truth"] = {"difference": gap}
        found: dict[str, Any] = plain(document)
        return found

    def show(self, unused: Sequence[str]) -> None:
        """Print the decisions; options that say nothing about two systems are named."""
        from rich.text import Text

        from truerank.cli.gate import show_gate
        from truerank.cli.terminal import console, number, printable
        from truerank.report.words import sentence

        out = console()
        out.print(Text(sentence(PAIR)))
        if unused:
            out.print(Text(f"Without effect on two systems: {', '.join(unused)}."))
        out.print()
        show_gate(self.found, out)
        if self.true_means:
            first = self.found.decisions[0]
            gap = self.true_means[first.candidate] - self.true_means[first.baseline]
            out.print()
            out.print(Text(printable(f"The true difference, known here: {number(gap, 4, sign=True)}.")))


def _ranking(one: Decision, table: ScoreMatrix) -> list[dict[str, Any]]:
    """Rows as an assessment has them; ranks and tiers that can't be said are none."""
    from truerank.reliability.means import means_of

    means = means_of(table)
    widths = dict(zip(table.systems, means.half_widths(one.level).tolist(), strict=True))
    theta = dict(zip(table.systems, means.theta.tolist(), strict=True))
    order = sorted(table.systems, key=lambda name: -theta[name])
    absent = dict.fromkeys(("rank_low", "rank_high", "tier"))
    return [
        {
            "system": name,
            "mean": theta[name],
            "mean_low": theta[name] - widths[name],
            "mean_high": theta[name] + widths[name],
            "rank": rank,
        }
        | absent
        for rank, name in enumerate(order, 1)
    ]


def compare_pair(
    base: ScoreMatrix, others: Sequence[tuple[str, Any]], seed: int
) -> tuple[Gate, list[dict[str, Any]]]:
    """The verdict on the two systems of trusted scores, and how each other ranking orders them.

    Args:
        base: the trusted scores, n × 2.
        others: what each other ranking is called, and what it is: scores or values by system.
        seed: of everything random.

    Raises:
        InputError: scores that carry no verdict, or a ranking that lacks one of the systems.
    """
    from truerank.comparison.distance import aligned
    from truerank.comparison.gate import gate
    from truerank.scores import TIE, ScoreMatrix

    found = gate(base, seed=seed)
    rows = []
    for name, other in others:
        first, second = aligned(base, other, name).tolist()
        gap = second - first
        ahead = None if abs(gap) <= TIE else base.systems[1] if gap > 0 else base.systems[0]
        means = base.means
        ours = None if abs(means[1] - means[0]) <= TIE else base.systems[int(means.argmax())]
        row: dict[str, Any] = {"other": name, "ahead": ahead, "same_order": ahead == ours}
        if isinstance(other, ScoreMatrix) and other.n > 1:
            pair = other.select([other.systems.index(system) for system in base.systems])
            row["gate"] = gate(pair, seed=seed)
        rows.append(row)
    return found, rows


def pair_documents(found: Gate, rows: Sequence[dict[str, Any]]) -> Any:
    """One document for each other ranking, with the keys of a comparison that two systems have no use for."""
    absent = dict.fromkeys(("tau", "tau_b", "tau_ap", "rbo", "rank_distance", "p_value", "kendall_interval"))
    first = found.decisions[0]
    about = {"measure": first.measure, "topics": first.topics, "systems": 2}
    documents = []
    for row in rows:
        own = {"gate_other": row["gate"].to_dict() if "gate" in row else None}
        shown = {key: value for key, value in row.items() if key != "gate"}
        documents.append(shown | about | absent | {"gate": found.to_dict()} | own)
    return documents[0] if len(documents) == 1 else documents


def show_compared(found: Gate, rows: Sequence[dict[str, Any]]) -> None:
    """Print the verdict on the trusted scores, whom each other ranking has ahead, and its own verdict."""
    from rich.text import Text

    from truerank.cli.gate import show_gate
    from truerank.cli.terminal import console, printable
    from truerank.report.words import sentence

    out = console()
    out.print(Text(sentence(PAIR)))
    out.print()
    show_gate(found, out)
    for row in rows:
        out.print()
        same = "as the trusted scores do" if row["same_order"] else "which the trusted scores do not"
        whom = f"has {row['ahead']} ahead" if row["ahead"] else "has both level"
        out.print(Text(printable(f"{row['other']} {whom}, {same}.")))
        if "gate" in row:
            show_gate(row["gate"], out)
