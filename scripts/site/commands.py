"""A page for each command, made from the program itself: what `--help` says, option by option."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

FOLDER = "command-line"
HERE = "<!-- commands -->"
"""Where the folder's first page lists the commands."""

_DEFAULT = re.compile(r"\s*\[((?:default|required|x[<>]|\d+<=x|[≥≤]).*)\]$", re.DOTALL)
"""What the program says of a parameter in brackets, behind its help."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the commands' pages."""
    for path, command in commands():
        if len(path) == 2:
            name = f"{FOLDER}/{path[1]}.md"
            files.append(File.generated(config, name, content=page_of(path, command)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """List the commands on the folder's first page."""
    return markdown.replace(HERE, listed()) if page.file.src_uri == f"{FOLDER}/index.md" else markdown


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """The program, its commands and their commands, each with the words that call it."""
    from truerank.cli import PROGRAM

    def below(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
        yield path, command
        for name in getattr(command, "names", ()):
            yield from below((*path, name), command.find(name))

    return below(("truerank",), PROGRAM)


def listed() -> str:
    """The options of the program itself, and its commands, each with a line and a link."""
    found = dict(commands())
    lines = []
    for path, command in found.items():
        if len(path) > 1:
            anchor = "#" + "-".join(path) if len(path) > 2 else ""
            lines.append(f"- [`{' '.join(path)}`]({path[1]}.md{anchor}): {_help(command)[0]}")
    root = ("truerank",)
    return "\n".join([*lines, "", "## Options of every command", "", *_parameters(root, found[root].options)])


def page_of(path: tuple[str, ...], command: Any) -> str:
    """A command's page, with the commands below it."""
    name = " ".join(path)
    lines = [f"# {name}", "", f"*For users of the command line: what `{name} --help-all` says.*", ""]
    lines += _described(path, command)
    for name in getattr(command, "names", ()):
        deeper = (*path, name)
        lines += ["", f"## {' '.join(deeper)} {{ #{'-'.join(deeper)} }}", ""]
        lines += _described(deeper, command.find(name))
    return "\n".join(lines) + "\n"


def _described(path: tuple[str, ...], command: Any) -> list[str]:
    lines = [_text(paragraph) + "\n" for paragraph in _help(command)]
    lines += ["```text", command.usage, "```", ""]
    if not hasattr(command, "names"):
        lines += [*_parameters(path, command), "", _text(command.shown_example)]
    return lines


def _help(command: Any) -> list[str]:
    about: str | list[str] = command.about
    return [about] if isinstance(about, str) else about


def _parameters(path: tuple[str, ...], command: Any) -> list[str]:
    kinds: dict[str, list[str]] = {"Arguments": [], "Options": []}
    for parameters, names, said in command.entries():
        kind = "Arguments" if parameters[0].option.argument else "Options"
        kinds[kind].append(_entry(path, parameters, names, said))
    lines = []
    for kind, entries in kinds.items():
        if entries:
            lines += [f"**{kind}**", "", '<dl class="options">', *entries, "</dl>", ""]
    return lines


def _entry(path: tuple[str, ...], parameters: list[Any], names: str, said: str) -> str:
    anchors = ["-".join((*path[2:], one.name.replace("_", "-").strip("-"))) for one in parameters]
    brackets = _DEFAULT.search(said)
    note = f' <span class="default">{escape(brackets[1])}</span>' if brackets else ""
    text = said[: brackets.start()] if brackets else said
    parts = names.split(", ") if len(anchors) > 1 else [" ".join(names.split())]
    terms = (
        f'<dt id="{escape(a)}"><code>{escape(part)}</code>' for a, part in zip(anchors, parts, strict=True)
    )
    return f"{',</dt>'.join(terms)}</dt><dd>{_text(text)}{note}</dd>"


def _text(said: str) -> str:
    """A text of the program as HTML, with its `code`."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(" ".join(said.split()), quote=False))
