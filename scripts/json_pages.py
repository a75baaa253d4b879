"""Write the JSON schemas of the package and docs/json, and a page of keys for each, from its dataclasses.

Run it after a change of what is written: `.venv/bin/python scripts/json_pages.py`. A test compares.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

from scripts.json_schemas import SCHEMAS, WRITTEN, schema_of
from truerank._support import words

FOLDER = Path(__file__).parents[1] / "docs" / "json"

WIDTH = 118

ELSEWHERE = {
    "Assessment": "assess",
    "MachineJudge": "assess",
    "MachineBias": "assess",
    "Best": "assess",
    "Fragility": "assess",
}
"""Records that several documents have, and the page that describes them."""


def files() -> dict[str, str]:
    """The text of every file, by name."""
    found = {}
    for name in WRITTEN:
        made = schema_of(name)
        found[f"{name}.schema.json"] = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
        found[f"{name}.md"] = page(name, made)
    found["notes.md"] = notes_page()
    return found


def notes_page() -> str:
    """The codes of all notes, and what each means."""
    meanings = words.meanings("notes.j2")
    codes = {name.partition("__")[0].replace("_", "-"): text for name, text in meanings.items()}
    about = (
        "*For programs that look for a warning.*\n\nEach entry of `notes` has a `code`, which stays the same "
        "when its text is worded anew."
    )
    rows = [f"| `{code}` | {meaning} |" for code, meaning in sorted(codes.items())]
    table = "\n".join(["| code | meaning |", "| --- | --- |", *rows])
    return "\n\n".join(["# Codes of notes", _wrapped(about), table]) + "\n"


def page(name: str, made: dict[str, Any]) -> str:
    """The keys of one document, a list each record, those nearest to the document first."""
    command = {"experiment": "experiment run … --json` and `truerank experiment show … --json"}
    shown = command.get(name, f"{name.replace('-', ' ')} … --json")
    parts = [
        f"# JSON of {name.replace('-', ' ')}",
        f"*For programs that read what `truerank {shown}` writes.*",
        f"{_about(made)} The same as a file for validators: [{name}.schema.json]({name}.schema.json). "
        "How to read it: [JSON](index.md).",
    ]
    records = {title: made["$defs"][title] for title in _order(made)}
    for title, record in records.items():
        home = ELSEWHERE.get(title, name)
        if home != name:
            parts.append(
                f"## {title}\n\n{record['description']} Its keys: [{title}]({home}.md#{title.lower()})."
            )
        elif not _only_below_elsewhere(title, name, made):
            parts.append(f"## {title}\n\n{record['description']}\n\n" + "\n".join(_keys(record)))
    return "\n\n".join(_wrapped(part) for part in parts) + "\n"


def _about(made: dict[str, Any]) -> str:
    """What the document is; of one that is always one record, what that is."""
    if "description" in made:
        return str(made["description"])
    return str(made["$defs"][made["$ref"].rpartition("/")[2]]["description"])


def _keys(record: dict[str, Any]) -> list[str]:
    lines = []
    for key, value in record["properties"].items():
        kind = _kind(value)
        absent = "" if key in record["required"] else "; not always there"
        about = value.get("description", "")
        lines.append(f"- `{key}` ({kind}{absent}){': ' + about if about else ''}")
    extra = record["additionalProperties"]
    if isinstance(extra, dict):
        lines.append(f"- any other key ({_kind(extra)}): {extra['description']}")
    return lines


def _kind(value: dict[str, Any]) -> str:
    """What a value is, in the words of JSON."""
    if "$ref" in value:
        title = value["$ref"].rpartition("/")[2]
        return f"[{title}](#{title.lower()})"
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_kind(one) for one in value["anyOf"]))
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return " or ".join(f"`{json.dumps(one, ensure_ascii=False)}`" for one in value["enum"])
    kinds = value["type"] if isinstance(value["type"], list) else [value["type"]]
    if kinds == ["array"]:
        items = value.get("items")
        return f"array of {_kind(items)}" if items else "array"
    if kinds == ["object"]:
        extra = value.get("additionalProperties")
        return f"object of {_kind(extra)}" if isinstance(extra, dict) else "object"
    return " or ".join(kinds)


def _order(made: dict[str, Any]) -> list[str]:
    """Titles of the records, breadth first from the document."""
    found: list[str] = []
    level = _references({key: value for key, value in made.items() if key != "$defs"})
    while level:
        found += [title for title in dict.fromkeys(level) if title not in found]
        level = [
            title for above in level for title in _references(made["$defs"][above]) if title not in found
        ]
    return found


def _references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [title for one in value for title in _references(one)]
    if isinstance(value, dict):
        own = [value["$ref"].rpartition("/")[2]] if isinstance(value.get("$ref"), str) else []
        return own + [title for one in value.values() for title in _references(one)]
    return []


def _only_below_elsewhere(title: str, name: str, made: dict[str, Any]) -> bool:
    """Whether a record is met only inside records that another page describes."""
    away = {one for one in made["$defs"] if ELSEWHERE.get(one, name) != name}
    reached = set(_references({key: value for key, value in made.items() if key != "$defs"}))
    waiting = list(reached)
    while waiting:
        here = waiting.pop()
        if here not in away:
            new = set(_references(made["$defs"][here])) - reached
            reached |= new
            waiting += new
    return title not in reached


def _wrapped(part: str) -> str:
    return "\n".join(
        line
        if line.startswith("#")
        else textwrap.fill(
            line,
            WIDTH,
            subsequent_indent="  " if line.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in part.split("\n")
    )


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        if name.endswith(".schema.json"):
            SCHEMAS.joinpath(name.replace(".schema", "")).write_text(text, encoding="utf-8")
