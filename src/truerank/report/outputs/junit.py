"""A gate as JUnit: one test case per decision, as pipelines list them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from truerank._support.escaping import printable
from truerank._support.wording import sentence
from truerank.comparison.gate.decision import Decisions, Judged
from truerank.report.views.gate import about, headline, sentences


def junit(found: Decisions[Any], undecided_passes: bool = False) -> str:
    """The decisions as test cases: *fail* and *undecided* are failures."""
    failed = [one for one in found if _fails(one, undecided_passes)]
    skipped = [one for one in found if one.verdict == "undecided" and one not in failed]
    counts = {"tests": len(found), "failures": len(failed), "skipped": len(skipped), "errors": 0}
    attributes = {key: str(count) for key, count in counts.items()}
    suites = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "truerank gate"} | attributes)
    for one in found:
        measure = ", ".join(part for part in (one.measure, one.data_set) if part) or "score"
        name = printable(f"{one.candidate} against {one.baseline}")
        whose = {"classname": f"truerank.gate.{printable(measure)}", "name": name, "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", whose)
        told = [*sentences(found, one), *map(sentence, one.warnings)]
        whole = "\n".join(map(printable, [f"{headline(found, one)}: {about(one)}", *told]))
        if one in failed:
            kind = {"type": one.verdict, "message": printable(told[0])}
            ElementTree.SubElement(case, "failure", kind).text = whole
            continue
        if one in skipped:
            ElementTree.SubElement(case, "skipped", {"message": printable(told[0])})
        ElementTree.SubElement(case, "system-out").text = whole
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
    )


def _fails(one: Judged, undecided_passes: bool) -> bool:
    if one.verdict == "undecided":
        return not undecided_passes and one.data_set is None
    return one.verdict == "fail"
