from __future__ import annotations

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores


def trec_eval(runid: str | None, scores: dict[str, dict[str, object]], average: bool = True) -> str:
    """What `trec_eval -q` prints: `scores` is topic → measure → value."""
    lines = [f"{m:<22}\t{topic}\t{v}" for topic, row in scores.items() for m, v in row.items()]
    if runid is not None:
        lines.append(f"{'runid':<22}\tall\t{runid}")
    if average:
        measures = list(dict.fromkeys(m for row in scores.values() for m in row))
        lines += [f"{'num_q':<22}\tall\t{len(scores)}"] + [f"{m:<22}\tall\t0.5000" for m in measures]
        lines.append(f"{'gm_map':<22}\tall\t0.1000")
    return "\n".join(lines) + "\n"


A = {"302": {"map": 0.5, "P_10": 0.25}, "301": {"map": 0.125, "P_10": 1}}
B = {"301": {"map": 0.75, "P_10": 0.5}, "302": {"map": 1, "P_10": 0}}


def refuse(paths, message, *args, error=InputError, **kwargs):
    with pytest.raises(error, match=message) as caught:
        read_scores(paths, *args, **kwargs)
    assert "\n" not in str(caught.value)


def test_output_of_ir_measures(write):
    gain = "nDCG(dcg='exp-log2')@10"
    text = f"301\tAP\t0.5\n301\t{gain}\t0.25\n302\tAP\t1\n302\t{gain}\t0\nall\tAP\t0.75\n"
    scores = read_scores(write("sys.txt", text), "map")
    assert scores.topics == ("301", "302")
    assert scores.systems == ("sys",)
    np.testing.assert_array_equal(scores.values, [[0.5], [1]])
    without_average = "\n".join(text.splitlines()[:-1])
    assert read_scores(write("b", without_average), "AP").topics == ("301", "302")
    named_topics = "q1 AP 0.5\nq2 AP 1\n"
    assert read_scores(write("c", named_topics)).topics == ("q1", "q2")


def test_equal_runids(write):
    a, b = write("x/one.txt", trec_eval("STANDARD", A)), write("x/two.txt", trec_eval("STANDARD", B))
    scores = read_scores([a, b], "map")
    assert scores.systems == ("one", "two")
    assert scores.warnings == (
        "several files have the runid STANDARD; these systems are called by their file",
    )
    c = write("y/one.txt", trec_eval("STANDARD", B))
    apart = read_scores([a, c], "map")
    assert apart.systems == ("x", "y")
    assert apart.warnings == ("files are called alike (one); these systems are called by their folder",)
    assert read_scores([a, b, c], "map").systems == ("x", "two", "y")
    d = write("x/sub/one.txt", trec_eval("sub", B))
    refuse([write("one.eval", trec_eval("t", A)), write("one.txt", trec_eval("t", A)), d], "rename", "map")
    refuse([a, a], "given twice")


@pytest.mark.parametrize("topics", ["1212", "1234"])
def test_outputs_of_two_systems_are_not_read_as_one(write, topics):
    """On topics of their own, too, a second average over all topics or a second runid tells."""
    one = "map {} 0.5\nmap {} 0.25\nmap all 0.375\n" * 2
    refuse(write("a", one.format(*topics)), "already given on line [13]; give each system a file", "map")
    both = trec_eval("A", A, average=False) + trec_eval("B", {"401": {"map": 0.5}}, average=False)
    refuse(write("b", both), "runid of 'all' was already given on line 5", "map")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("map 301 0.5\nmap 302\nmap all 0.5\n", r"a:2: 2 columns where trec_eval prints three"),
        ("map 301 0.5\n\nmap 301 0.5\nmap all 0.5\n", r"a:3: map of '301' was already given on line 1"),
        ("map 301 0.5\nmap 302 x\nmap all 0.5\n", r"a:2: column 'map' holds 'x'"),
        ("map 301 0.5\nmap 302 inf\nmap all 0.5\n", r"a:2: column 'map' holds 'inf' .*finite"),
        ("map 301 nan\nmap all 0.5\n", r"no scores; give the scores of each topic"),
    ],
)
def test_unusable_output(write, text, message):
    refuse(write("a", text), message)


def test_lines_of_grep_over_several_files_are_no_measures(write):
    lines = "".join(f"runs/{run}.eval:map\t{q}\t0.{q}\n" for run in ("a", "b") for q in range(1, 6))
    refuse(write("all.eval", lines), r"a file's name \('runs/a\.eval:map'\).*grep \^map FILE")
