"""A gate as JUnit: one test case per decision, as pipelines list them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from truerank._support.escaping import printable
from truerank._support.wording import sentence
from truerank.comparison.gate.decision import Decisions
from truerank.report.views.gate import about, headline, sentences


def junit(result: Decisions[Any], undecided_passes: bool = False) -> str:
    """The decisions as test cases: *fail* and *undecided* are failures."""
    failures = ["fail"] if undecided_passes else ["fail", "undecided"]
    # For a single data set only a *fail* counts.
    failed = [one for one in result if one.verdict in (failures if one.data_set is None else ["fail"])]
    skipped = [item for item in result if item.verdict == "undecided" and item not in failed]
    counts = {"tests": len(result), "failures": len(failed), "skipped": len(skipped), "errors": 0}
    attributes = {key: str(count) for key, count in counts.items()}
    suites = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "truerank gate"} | attributes)
    for item in result:
        measure = ", ".join(part for part in (item.measure, item.data_set) if part) or "score"
        name = printable(f"{item.candidate} against {item.baseline}")
        whose = {"classname": f"truerank.gate.{printable(measure)}", "name": name, "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", whose)
        texts = [*sentences(result, item), *map(sentence, item.warnings)]
        whole = "\n".join(map(printable, [f"{headline(result, item)}: {about(item)}", *texts]))
        if item in failed:
            kind = {"type": item.verdict, "message": printable(texts[0])}
            ElementTree.SubElement(case, "failure", kind).text = whole
            continue
        if item in skipped:
            ElementTree.SubElement(case, "skipped", {"message": printable(texts[0])})
        ElementTree.SubElement(case, "system-out").text = whole
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
    )
