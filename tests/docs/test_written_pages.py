"""Pages are short and begin with whom they are for; their code can be read, and every page is on the way."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import shlex
from collections.abc import Iterator

import yaml
from written import DOCS, PAGES, ROOT, Block, blocks, text_of, words

from scripts.site.commands import commands
from scripts.site.navigation import entries, filled, title_of
from truerank.experiments import EXPERIMENTS

WORDS, WIDTH = 2_000, 120

WHOM = re.compile(r"\*For .+\*", re.DOTALL)

SHELLS = {"bash", "sh", "console", ""}


def nav() -> list:
    # The configuration holds no tags of its own, so that anything may read it.
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]


def test_a_page_is_short_and_says_whom_it_is_for() -> None:
    for page in PAGES:
        # Before the title may stand what the site's search is told.
        text = re.sub(r"\A---\n.*?\n---\n\n", "", text_of(page), flags=re.DOTALL)
        title, empty, *rest = text.split("\n")
        assert title.startswith("# "), page
        assert not empty, page
        assert WHOM.fullmatch("\n".join(rest).split("\n\n")[0].strip()), f"{page}: the first line is *For …*"
        # Lists of keys and of statements are as long as there are such.
        if not re.fullmatch(r"json/(?!index).+|how-right\.md", page):
            assert words(text) <= WORDS, page
        # An address cannot be broken.
        long = [n for n, line in enumerate(text.split("\n"), 1) if len(line) > WIDTH and "://" not in line]
        assert not long, f"{page}: lines of more than {WIDTH} characters: {long}"


def test_tables_are_whole() -> None:
    """A row without a head, or with another number of cells, is shown as text."""
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]*`", "x", text_of(page), flags=re.DOTALL)
        for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
            cells = {row.replace(r"\|", "x").count("|") for row in table.splitlines()}
            assert len(cells) == 1, f"{page}: {table[:80]}"
            assert re.match(r".*\n\|( *:?-+:? *\|)+\n\|", table), f"{page}: {table[:80]}"


LANGUAGES = {*SHELLS, "text", "pycon", "toml", "csv", "markdown", "latex", "xml", "r"}


def code_of(pages: list[str]) -> Iterator[tuple[str, Block]]:
    for page in pages:
        for block in blocks(text_of(page)):
            yield page, block


def test_code_can_be_read() -> None:
    for page, block in code_of(PAGES):
        if block.language == "python":
            ast.parse(block.text)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "yaml":
            yaml.safe_load(block.text)
        else:
            assert block.language in LANGUAGES, (page, block.line)


def called(text: str) -> list[list[str]]:
    """The words of each call of truerank in a block for a shell."""
    lines = re.sub(r"\\\n\s*", " ", text).split("\n")
    calls = [line.removeprefix("$ ").strip() for line in lines]
    found = []
    for call in calls:
        if call.startswith("truerank "):
            lexer = shlex.shlex(call, posix=True, punctuation_chars=True)
            lexer.whitespace_split = True
            said = list(lexer)
            ends = [n for n, word in enumerate(said) if set(word) <= set("|&;<>")]
            found.append(said[: ends[0]] if ends else said)
    return found


def test_commands_have_the_options_that_are_shown() -> None:
    known = dict(commands())
    fields = [field.name for one in EXPERIMENTS.values() for field in dataclasses.fields(one.parameters)]
    parameters = {f"--{name.replace('_', '-')}" for name in fields}
    for page, block in code_of(["../README.md", *PAGES]):
        for said in called(block.text) if block.language in SHELLS else ():
            path = tuple(said[:3]) if tuple(said[:3]) in known else tuple(said[:2])
            if path not in known:
                assert said[1].startswith("-"), f"{page}:{block.line}: no command {said[1]}"
                path = ("truerank",)
            command = getattr(known[path], "options", known[path])
            options = {name for one in command.parameters for name in one.flags}
            if path == ("truerank", "experiment", "run"):
                options |= parameters
            shown = {word.partition("=")[0] for word in said if re.match(r"--?[a-zA-Z]", word)}
            unknown = shown - options - {"--help", "-h"}
            assert not unknown, f"{page}:{block.line}: {' '.join(path)} has no {unknown}"


def test_every_page_is_in_the_navigation_once() -> None:
    titles = {page: title_of(text_of(page), page) for page in PAGES}
    shown = entries(filled(nav(), titles))
    assert sorted(shown) == PAGES


def test_a_page_named_in_the_navigation_is_there() -> None:
    missing = [page for page in entries(nav()) if "*" not in page and not (DOCS / page).exists()]
    assert not missing
