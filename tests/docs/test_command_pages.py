"""The pages of the command line say all that `--help` says."""

from __future__ import annotations

import re
from html import unescape

import pytest
from written import DOCS, text_of

from scripts.site.commands import HERE, commands, listed, page_of
from truerank.cli import run

COMMANDS = dict(commands())
TOP = [path for path in COMMANDS if len(path) == 2]


def plain(markup: str) -> str:
    """The words of a page, without tags and without line ends."""
    return " ".join(unescape(re.sub(r"</?(?:dt|dd|dl|code|span)[^>]*>", " ", markup)).split())


def squeezed(text: str) -> str:
    """Letters and signs alone, for lines break elsewhere, brackets are left out, and code has no accents."""
    return re.sub(r"[\s`\[\]]", "", text)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_and_word_of_the_help_is_on_the_page(path, capsys) -> None:
    run([*path[1:], "--help"])
    said = capsys.readouterr().out.partition("\nCommands:")[0]
    page = squeezed(plain(page_of(path[:2], COMMANDS[path[:2]]) if len(path) > 1 else listed()))
    usage, *rest = re.split(r"^(?:\w[\w ]*:|)\n", said, flags=re.MULTILINE)
    assert usage.startswith("Usage:")
    # Entries begin two columns in; what they say stands further right, on that line and the next ones.
    entries = [entry for part in rest for entry in re.split(r"^  (?=\S)", part, flags=re.MULTILINE)]
    found = [entry for entry in entries if entry.strip() and "--help" not in entry]
    assert found
    for entry in found[len(path) == 1 :]:  # the program's own line is the title of the site
        assert squeezed(entry) in page, entry


@pytest.mark.parametrize("path", TOP, ids=" ".join)
def test_options_can_be_linked_to(path) -> None:
    page = page_of(path, COMMANDS[path])
    anchors = re.findall(r'<dt id="([^"]+)"', page)
    assert len(set(anchors)) == len(anchors) > 0


def test_all_commands_are_listed() -> None:
    assert HERE in text_of("command-line/index.md")
    shown = listed()
    for path in COMMANDS:
        if len(path) > 1:
            assert f"[`{' '.join(path)}`]({path[1]}.md" in shown


def test_nothing_that_the_program_knows_is_written_by_hand() -> None:
    assert [page.name for page in (DOCS / "command-line").iterdir()] == ["index.md"]
