"""Sentences stand in templates, `report/words/*.j2`, and are filled with facts where they are shown."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from truerank._support import arguments, wording

FOLDER = Path(__file__).parents[1] / "report" / "words"

_BLOCK = re.compile(r"{% block (\w+) %}(.*?){% endblock %}", re.DOTALL)
_MACRO = re.compile(r"({%-? macro (\w+).*?endmacro -?%})", re.DOTALL)
_ABOUT = re.compile(r"\s*{#-?(.*?)-?#}", re.DOTALL)


@cache
def blocks(file: str) -> dict[str, str]:
    """The blocks of a template by name, each paragraph on one line."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    return {name: _in_lines(_ABOUT.sub("", body)).strip() for name, body in _BLOCK.findall(text)}


def _in_lines(text: str) -> str:
    return "\n".join(re.sub(r"\s*\n\s*", " ", part) for part in re.split(r"\n\s*\n", text))


def meanings(file: str) -> dict[str, str]:
    """What each block that begins with a comment is about: that comment."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    about = ((name, _ABOUT.match(body)) for name, body in _BLOCK.findall(text))
    return {name: " ".join(found[1].split()) for name, found in about if found}


@cache
def _macros(file: str) -> dict[str, str]:
    text = (FOLDER / file).read_text(encoding="utf-8")
    return {name: _in_lines(macro) for macro, name in _MACRO.findall(text)}


def source(file: str, block: str) -> str:
    """A block with the macros that it uses; each is written behind those that it uses itself."""
    text = blocks(file)[block]
    for name, macro in reversed(_macros(file).items()):
        if re.search(rf"\b{name}\(", text):
            text = macro + text
    return text


def filled(file: str, block: str, facts: Mapping[str, Any]) -> str:
    """The text of a block with these facts; a fact that it lacks is an error."""
    return " ".join(sentences(file, block, facts))


def sentences(file: str, block: str, facts: Mapping[str, Any]) -> list[str]:
    """The paragraphs of a block with these facts, those that say nothing left out."""
    lines = _template(file, block).render(facts).split("\n")
    return [line for one in lines if (line := re.sub(" {2,}", " ", one).strip())]


@cache
def _template(file: str, block: str) -> Any:
    return environment().from_string(source(file, block))


@cache
def environment() -> Any:
    """What templates are filled by; the report adds its own filters."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, autoescape=False)  # escaped where it is shown
    functions: dict[str, Any] = {name: one for name, one in vars(wording).items() if callable(one)}
    functions |= {name: getattr(arguments, name) for name in ("either", "setting", "doing")}
    functions |= {"counted": wording.count, "many": wording.plural}
    functions |= {"named": named, "quoted": repr, "score": score}
    functions |= {"thousands": "{:,}".format, "isnan": math.isnan}
    environment.filters.update(functions)
    environment.globals.update(functions)
    return environment


def named(text: str) -> str:
    return wording.listed([text])


def score(value: float) -> str:
    """A margin as it was written, with a true minus."""
    return f"{value:g}".replace("-", "−")
