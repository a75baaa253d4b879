"""A gate for pipelines: Markdown for a pull request or a job summary, JUnit for pipelines, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

from truerank._support.escaping import html_in_markdown
from truerank._support.escaping import markdown as in_markdown
from truerank.comparison.gate import Decision, Gate
from truerank.comparison.gate.verdict import VERDICTS
from truerank.report.lettering import in_passing, left_out, tabled
from truerank.report.parts import gate_words as words
from truerank.report.tables.paper import PaperColumn, PaperTable, bracketed, latex_file
from truerank.report.tables.spreadsheets import csv_text
from truerank.report.words import NONE, level_text, number, p_text, printable, sentence

SIGNS = {"better": "✅", "pass": "✅", "undecided": "❔", "fail": "❌"}


def markdown_text(found: Gate) -> str:
    """A table of all decisions, what each says, the topics lost, and warnings."""
    several = len(found) > 1
    short = tabled(name for one in found for name in (one.candidate, one.baseline))
    sets = any(one.data_set is not None for one in found)
    lines = [
        "<!-- truerank gate -->",
        f"### {SIGNS[found.verdict]} truerank gate: {in_markdown(_headline(found))}",
        "",
        _line(
            *("candidate", "baseline", "measure", *["data set"] * sets, "topics"),
            *("difference", "bounds", "margin", "verdict", "p, adjusted"),
        ),
        _line("---", "---", "---", *["---"] * sets, *["---:"] * 4, "---", "---:"),
    ]
    lines += [_row(one, sets, short) for one in found]
    if remark := left_out(short):
        lines += ["", in_markdown(remark)]
    lines += ["", in_markdown(words.ADJUSTED), ""]
    for one in found.overall:
        said = " ".join(text for text in (words.said(one), words.fails_on(found, one)) if text)
        lines.append(f"- {in_markdown(said)}")
    if several:
        lines += ["", in_markdown(words.together(found))]
    for one in found:
        if one.data_set is None and one.losses:
            lines += ["", *_losses(one)]
    warnings = words.warnings(found)
    lines += ["", *(f"> ⚠ {in_markdown(warning)}" for warning in warnings)] if warnings else []
    return "\n".join([*lines, "", in_markdown(words.how(found)), ""])


def _headline(found: Gate) -> str:
    """The verdict that the exit code follows; of a single candidate with the data sets that fail."""
    worst = max(found.overall, key=lambda one: VERDICTS.index(one.verdict))
    if len(found.overall) == 1:
        return words.headline(found, worst)
    fails = [one for one in found.overall if words.failing(found, one)]
    if worst.verdict == "fail" or not fails:
        return words.verdict(worst).upper()
    return "; ".join(f"{words.name(one.candidate)} {words.headline(found, one)}" for one in fails)


def _row(one: Decision, sets: bool, short: Mapping[str, str]) -> str:
    data_set = ["all" if one.data_set is None else _cell(one.data_set)]
    return _line(
        _cell(short[one.candidate]),
        _cell(short[one.baseline]),
        _cell(one.measure) or "–",
        *data_set * sets,
        f"{one.topics:,}",
        number(one.difference, words.DIGITS, sign=True),
        words.bounds(one),
        words.score(one.margin),
        f"{SIGNS[one.verdict]} **{words.verdict(one)}**",
        p_text(one.p_adjusted),
    )


def _losses(one: Decision) -> list[str]:
    title = f"Topics on which {html_in_markdown(in_passing(one.candidate))} loses most"
    by = f" by {html_in_markdown(one.measure)}" if one.measure else ""
    sets = any(loss.data_set is not None for loss in one.losses)
    rows = [
        _line(
            _cell(loss.topic),
            *[_cell(loss.data_set or "–")] * sets,
            number(loss.baseline, words.DIGITS),
            number(loss.candidate, words.DIGITS),
            number(loss.difference, words.DIGITS, sign=True),
        )
        for loss in one.losses
    ]
    header = [
        _line("topic", *["data set"] * sets, "baseline", "candidate", "difference"),
        _line("---", *["---"] * sets, "---:", "---:", "---:"),
    ]
    return [f"<details><summary>{title}{by}</summary>", "", *header, *rows, "", "</details>"]


def _cell(text: str) -> str:
    """A name as a cell of a table."""
    return in_markdown(text)


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def latex_text(found: Gate) -> str:
    """The decisions as a table for a paper, for the booktabs package; names are escaped."""
    return latex_file(paper_tables(found), found.decisions[0].measure if _one_measure(found) else "")


def _one_measure(found: Gate) -> bool:
    return len({one.measure for one in found}) == 1


def paper_tables(found: Gate) -> list[PaperTable]:
    """The decisions as a table for a paper, one a row."""
    first = found.decisions[0]
    measures = not _one_measure(found)
    sets = any(one.data_set is not None for one in found)
    columns = [
        PaperColumn(("System",), "l"),
        *[PaperColumn(("Measure",), "l")] * measures,
        *[PaperColumn(("Data set",), "l")] * sets,
        PaperColumn(("Topics",)),
        PaperColumn(("Mean",)),
        PaperColumn((f"Difference [bounds, {level_text(first.level)}]",)),
        PaperColumn(("p, adjusted",)),
        PaperColumn(("Verdict",), "l"),
    ]
    rows = [
        [
            one.candidate,
            *[one.measure or NONE] * measures,
            *["all" if one.data_set is None else one.data_set] * sets,
            f"{one.topics:,}",
            number(one.candidate_mean, words.DIGITS),
            bracketed(one.difference, one.low, one.high, words.DIGITS, sign=True),
            p_text(one.p_adjusted),
            words.verdict(one),
        ]
        for one in found
    ]
    by = f" by {first.measure}" if first.measure and not measures else ""
    mean = f" (mean {number(first.baseline_mean, words.DIGITS)})" if not measures and not sets else ""
    together = f", all {found.comparisons} judged together" if found.comparisons > 1 else ""
    # The t-test of one comparison is the p that papers report; of several it stands in JSON and CSV alone, as
    # nothing adjusts it for them.
    tested = f" {words.t_test(first)}" if len(found) == 1 else ""
    caption = (
        f"Differences to {in_passing(first.baseline)}{mean}{printable(by)}, with one-sided bounds, each at "
        f"{level_text(first.level)} confidence{together}, and the verdict with margin "
        f"{words.score(first.margin)}. {words.ADJUSTED}{tested} "
        f"(truerank {found.version}, seed {found.seed}.)"
    )
    return [PaperTable("gate", (caption,), columns, rows)]


def csv_files(found: Gate) -> dict[str, str]:
    """``gate.csv``, a row a decision, and ``differences.csv``, a row a topic, by file name."""
    import pandas as pd

    decisions = [{k: v for k, v in one.to_dict().items() if k not in ("losses", "warnings")} for one in found]
    topics = [
        {"topic": topic, "candidate": one.candidate, "measure": one.measure, "difference": d}
        for one in found.overall
        for topic, d in zip(one.topic_names, one.differences.tolist(), strict=True)
    ]
    frames = {"gate": pd.DataFrame(decisions), "differences": pd.DataFrame(topics)}
    return {f"{name}.csv": csv_text(frame) for name, frame in frames.items()}


def junit_text(found: Gate, undecided_passes: bool = False) -> str:
    """One test case a decision, as pipelines list them: *fail* and *undecided* are failures.

    Args:
        found: what :func:`truerank.gate` returned.
        undecided_passes: whether *undecided* counts as skipped; on single data sets it always does.
    """
    failed = [one for one in found if _fails(one, undecided_passes)]
    skipped = [one for one in found if one.verdict == "undecided" and one not in failed]
    counts = {
        "tests": str(len(found)),
        "failures": str(len(failed)),
        "skipped": str(len(skipped)),
        "errors": "0",
    }
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "truerank gate"} | counts)
    for one in found:
        measure = ", ".join(part for part in (one.measure, one.data_set) if part) or "score"
        about = {
            "classname": f"truerank.gate.{printable(measure)}",
            "name": printable(f"{one.candidate} against {one.baseline}"),
        }
        case = ElementTree.SubElement(suite, "testcase", about | {"time": "0"})
        if one in failed:
            outcome = ElementTree.SubElement(
                case, "failure", {"type": one.verdict, "message": words.said(one)}
            )
            outcome.text = _whole(found, one)
        elif one in skipped:
            ElementTree.SubElement(case, "skipped", {"message": words.said(one)})
        ElementTree.SubElement(case, "system-out").text = _whole(found, one)
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
    )


def _fails(one: Decision, undecided_passes: bool) -> bool:
    if one.verdict == "undecided":
        return not undecided_passes and one.data_set is None
    return one.verdict == "fail"


def _whole(found: Gate, one: Decision) -> str:
    parts = [
        words.heading(found, one),
        words.said(one),
        words.measured(one),
        words.tested(one),
        words.lost(one, 10),
    ]
    return "\n".join(printable(part) for part in [*parts, *map(sentence, one.warnings)] if part)
