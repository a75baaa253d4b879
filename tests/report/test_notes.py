"""Every note is a code and facts; its sentence stands in report/words/notes.j2."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest
from jinja2 import Environment
from jinja2.exceptions import UndefinedError

import truerank
from truerank._support import words
from truerank._support.notes import FILE, Note

SOURCE = Path(truerank.__file__).parent
STILL_OLD = ("readers",)


def calls():
    """Every call of Note in the package."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            made = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Note"
            if made and path.relative_to(SOURCE).parts[0] not in STILL_OLD:
                yield path, node


def strings(node):
    return [
        one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]


def test_no_sentence_stands_where_a_note_is_made():
    for path, call in calls():
        assert not [text for text in strings(call) if " " in text], (path, call.lineno)


def test_each_code_has_a_sentence_and_a_meaning():
    blocks, meanings = words.blocks(FILE), words.meanings(FILE)
    codes = {strings(call.args[0])[0] for _, call in calls() if strings(call.args[0])}
    own = {name for name in blocks if not name.endswith(("_follows", "_reason"))}
    assert {code.replace("-", "_") for code in codes} <= own
    assert own == set(meanings)
    for name in blocks:
        assert name.removesuffix("_follows").removesuffix("_reason") in own


def test_templates_are_valid_jinja():
    Environment().parse((words.FOLDER / FILE).read_text(encoding="utf-8"))


def test_a_missing_fact_is_an_error():
    with pytest.raises(UndefinedError):
        _ = Note("few-systems", {}).text


def test_facts_can_be_written_as_json():
    found = truerank.assess(np.random.default_rng(1).random((20, 4)) ** 20, draws=200, seed=1)
    assert found.notes
    for note in found.notes:
        assert Note(note.code, json.loads(json.dumps(note.facts)), note.level, note.systems).text == note.text
        assert str(note) == note.text
        assert not re.search("[{}]|  ", note.text)


def test_a_note_of_a_plug_in_brings_its_own_text():
    assert str(Note("of-a-plug-in", {"text": "it may rain"})) == "it may rain"
