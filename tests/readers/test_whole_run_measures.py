"""Measures of a whole run, such as BLEU, are no means over topics: who compares their means is told."""

from __future__ import annotations

import json

import pytest

from truerank.cli import run

ROWS = "1,.1,.2,.4\n2,.3,.3,.5\n3,.2,.4,.3\n4,.1,.2,.4\n"


@pytest.mark.parametrize(
    ("measure", "head", "said"),
    [
        ("BLEU", "topic", True),
        ("f1_macro", "question", True),
        ("sentence_bleu", "topic", False),
        ("BLEU", "data_set", False),
    ],
)
def test_who_averages_them_over_topics_is_told(write, capsys, measure, head, said):
    path = write("scores.csv", f"{head},a,b,c\n{ROWS}")
    assert run(["assess", str(path), "-m", measure, "--json", "-"]) == 0
    notes = {note["code"]: note for note in json.loads(capsys.readouterr().out)["notes"]}
    assert ("of-whole-run" in notes) == said
