"""Every note is a code and facts; its sentence stands in report/words/notes.j2."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from facts_of_notes import CASES
from jinja2 import Environment
from jinja2.exceptions import UndefinedError

import truerank
from truerank._support import words
from truerank._support.notes import FILE, Note

SOURCE = Path(truerank.__file__).parent


@cache
def calls():
    """Every call of Note in the package, with the functions of its file, inner ones first."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        if "Note(" not in path.read_text(encoding="utf-8"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)][::-1]
        for node in ast.walk(tree):
            made = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Note"
            if made:
                found.append((path, node, functions))
    return found


def strings(node):
    return [
        one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]


def test_no_sentence_stands_where_a_note_is_made():
    for path, call, _ in calls():
        assert not [text for text in strings(call) if " " in text], (path, call.lineno)


def test_each_code_has_a_sentence_and_a_meaning():
    blocks, meanings = words.blocks(FILE), words.meanings(FILE)
    codes = {strings(call.args[0])[0] for _, call, _ in calls() if strings(call.args[0])}
    own = {name for name in blocks if not name.endswith(("_follows", "_reason"))}
    assert {code.replace("-", "_") for code in codes} <= {name.partition("__")[0] for name in own}
    assert sorted({name.partition("__")[0] for name in own}) == sorted(
        name.partition("__")[0] for name in meanings
    )
    for name in blocks:
        assert name.removesuffix("_follows").removesuffix("_reason") in own
    assert {name.replace("_", "-").replace("--", "__") for name in own} == set(CASES)


@pytest.mark.parametrize("block", CASES)
def test_sentences_are_filled_with_the_facts_that_the_code_passes(block):
    code, _, case = block.partition("__")
    for facts in CASES[block]:
        for systems in ((), ("a",), tuple("abcdefgh")):
            if not systems and "systems[0]" in words.blocks(FILE)[block.replace("-", "_")]:
                continue
            note = Note(code, json.loads(json.dumps({"case": case, **facts})), systems=systems)
            assert not re.search(r"[{}]|  |None| [,;:]", note.text), note.text
            assert " " not in note.reason[:1]


def passed(call, parents):
    """The case of a call of Note, and the names of its facts in its function; whether these are all."""
    facts = call.args[1] if len(call.args) > 1 else ast.Dict([], [])
    if isinstance(facts, ast.Name):
        around = next(one for one in parents if call in ast.walk(one))
        made = [
            one.value
            for one in ast.walk(around)
            if isinstance(one, (ast.Assign, ast.AnnAssign, ast.AugAssign))
            and facts.id == getattr(getattr(one, "target", None) or one.targets[0], "id", "")
        ]
    else:
        made = [facts]
    pairs = [
        pair for one in made if isinstance(one, ast.Dict) for pair in zip(one.keys, one.values, strict=True)
    ]
    names = {key.value for key, _ in pairs if key is not None}
    case = next((value for key, value in pairs if key is not None and key.value == "case"), None)
    whole = len(made) == 1 and isinstance(made[0], ast.Dict) and None not in [key for key, _ in pairs]
    return getattr(case, "value", ""), names - {"case"}, whole


def test_the_cases_have_the_facts_of_each_call():
    for path, call, functions in calls():
        if len(codes := strings(call.args[0])) != 1:
            continue
        case, names, all_ = passed(call, functions)
        block = f"{codes[0]}__{case}" if case else codes[0]
        if block not in CASES:
            assert any(name.startswith(f"{codes[0]}__") for name in CASES), (path.name, call.lineno)
            continue
        cases = [set(facts) - {"unit", "follows"} for facts in CASES[block]]
        fits = [names - {"unit"} == case if all_ else names - {"unit"} <= case for case in cases]
        assert any(fits), (path.name, call.lineno, names, cases)


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
