"""A gate as JUnit: one test case per decision, as pipelines list them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from truerank._support.escaping import printable
from truerank._support.wording import sentence
from truerank.comparison.gate.decision import Decisions, Judged
from truerank.comparison.gate.unpaired import UnpairedGate
from truerank.comparison.sequential import SequentialGate
from truerank.report.views import gate_words, sequential, unpaired


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
        about = {
            "classname": f"truerank.gate.{printable(measure)}",
            "name": printable(f"{one.candidate} against {one.baseline}"),
        }
        case = ElementTree.SubElement(suite, "testcase", about | {"time": "0"})
        said = printable(_words(found).said(one))
        if one in failed:
            failure = ElementTree.SubElement(case, "failure", {"type": one.verdict, "message": said})
            failure.text = _whole(found, one)
            continue
        if one in skipped:
            ElementTree.SubElement(case, "skipped", {"message": said})
        ElementTree.SubElement(case, "system-out").text = _whole(found, one)
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
    )


def _words(found: Decisions[Any]) -> Any:
    """The sentences on decisions of its kind."""
    if isinstance(found, UnpairedGate):
        return unpaired
    return sequential if isinstance(found, SequentialGate) else gate_words


def _fails(one: Judged, undecided_passes: bool) -> bool:
    if one.verdict == "undecided":
        return not undecided_passes and one.data_set is None
    return one.verdict == "fail"


def _whole(found: Decisions[Any], one: Judged) -> str:
    words = _words(found)
    parts = [
        f"{gate_words.headline(found, one)}: {words.about(one)}",
        *words.sentences(found, one),
    ]
    return "\n".join(map(printable, [*parts, *map(sentence, one.warnings)]))
