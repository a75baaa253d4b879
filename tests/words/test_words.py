"""The language of everything that people read, as far as a machine can see it."""

from __future__ import annotations

from functools import cache

import pytest
from words import IN_MESSAGES, Text, checked, offenders, pages, program


@cache
def of_program() -> list[Text]:
    return list(program())


def test_pages() -> None:
    assert offenders(pages()) == []


def test_strings_of_the_program() -> None:
    assert offenders(of_program()) == []


@pytest.mark.parametrize(
    ("said", "check"),
    [
        ("These two can’t be told apart.", "word"),
        ("The file has a row a topic.", "word"),
        ("Its colour is grey.", "spelling"),
        ("A randomised test.", "spelling"),
        ("See the method (docs/methods/x.md).", "a path that readers do not have"),
        ("word " * (IN_MESSAGES + 1), f"over {IN_MESSAGES} words"),
    ],
)
def test_what_is_wrong_is_found(said: str, check: str) -> None:
    assert check in {one.check for one in checked(Text("src/x.py", 1, said))}


@pytest.mark.parametrize("said", ["Whether rows are systems.", "Which measure.", "Shows the truth."])
def test_help_is_a_noun_phrase_or_an_imperative(said: str) -> None:
    assert [one.check for one in checked(Text("src/x.py", 1, said, help=True))] == ["help"]
    assert not list(checked(Text("src/x.py", 1, "Confidence level of intervals.", help=True)))


def test_every_string_that_is_raised_or_printed_is_seen() -> None:
    files = {one.file for one in of_program()}
    assert {
        "src/truerank/errors.py",
        "src/truerank/cli/files.py",
        "src/truerank/report/views/assessment.py",
    } <= files
    assert any(one.file.endswith(".toml") for one in of_program())
    assert any(one.help for one in of_program())
