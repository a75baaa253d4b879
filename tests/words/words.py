"""What a machine can see of the language: long sentences, wrong words, British spelling, help.

`python tests/words/words.py` lists every offender with file and line.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

IN_MESSAGES, IN_DOCS = 25, 30
"""The most words of a sentence."""

GLOSSARY = {
    r"(?:told|tell|tells|telling)(?: \w+){0,3} apart|parted": "separated",
    r"(?:all(?: \w+)?|systems|ranks|ranges) at once": "together",
    r"endless(?:ly)?": "infinitely many",
    r"(?:a|one) (?:row|column|line|file|table|system|object|score) an? (?!list|table|file)\w+": "one … per …",
    r"puts? down": "under-scored",
    r"favou?red": "over-scored",
    r"spoil(?:t|ed)": "damaged",
    r"mend(?:s|ed|ing)?": "fix, repair",
    r"faults?|faulty": "error, bug",
    r"at the door": "on construction",
    r"slip of the pen": "typo",
    r"everybody|everyone(?! who)|whom": "system, reader",
    r"leans? (?:on|towards?)|swallow(?:s|ed)?": "a plain verb",
    r"bootstrap samples?": "resamples",
    r"joint bands?|bands? of ranks|ranks? bands?": "rank range",
    r"trials? of a system|epochs? of a system": "run",
    r"not run here": "a title that says what the block is",
}
"""Words that a glossary term replaces, and that term."""

IN_COMPARE = {r"baselines?|BASE": "reference"}
COMPARE = ("cli/compare.py", "comparison/distance/", "report/views/comparison")

STEMS = (
    "capital categor character custom discret emphas equal final general initial local maxim memor minim "
    "normal optim organ parameter parametr penal random real recogn regular serial special stabil standard "
    "summar symmetr token util vector visual"
)
BRITISH = re.compile(
    rf"\b(?:(?:un|re|de|over)?(?:{'|'.join(STEMS.split())})is(?:e[ds]?|er|ers|ing|ation|ations)|analys(?:ed?|ing)"
    r"|\w*(?:colour|favour|behaviour|neighbour|honour|labour)\w*|centre[ds]?|centring|licen[c]e[ds]?|grey"
    r"|modell(?:ed|ing)|label(?:led|ling)|cancell(?:ed|ing)|judgements?|learnt|spelt|programmes?|metres?|whilst"
    r"|amongst|catalogues?|artefacts?)\b",
    re.IGNORECASE,
)
NAMED_BRITISH = re.compile(r"[\w/-]*(?:behaviour|colou?r)s?\.\w+|Licence\b(?= of)|\bfavouritism\b")
"""What is called so: files, licenses, a machine whose name seeds its random stream."""

NO_IMPERATIVE = re.compile(
    r"(?:Which|What|Whether|How|Where|Who|When|Is|Are|Does|Only|Registers|Writes|Shows|Prints|Names|Uses|Adds|Saves)\b"
)
PASSIVE = re.compile(r"(?:^|\. )[^.(;:]* (?:is|are|be) \w+ed\b")


@dataclass(frozen=True)
class Text:
    """Something that a person reads: its place, how long its sentences may be, whether it is help."""

    file: str
    line: int
    text: str
    most: int = IN_MESSAGES
    help: bool = False


@dataclass(frozen=True)
class Offender:
    """One thing that is wrong with a text."""

    file: str
    line: int
    check: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.check}: {self.what}"


END = re.compile(
    r"(?<!e\.g)(?<!i\.e)(?<!et al)(?<!cf)(?<!vs)(?<!Eq)(?<!pp)"
    r"[.!?…][”\"’')*_]*(?=\s+[“\"‘'(*_`\[]*[A-Z0-9τλκβρφ{`])"
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of one paragraph."""
    plain = re.sub(r"\s+", " ", text).strip()
    start = 0
    for found in END.finditer(plain):
        yield plain[start : found.end()].strip()
        start = found.end()
    if plain[start:].strip():
        yield plain[start:].strip()


def length(sentence: str) -> int:
    """How many words a sentence has; code, a formula and a number with its unit are one word."""
    plain = re.sub(r"`[^`]*`|\$[^$]*\$|\\\(.*?\\\)", "code", sentence)
    plain = re.sub(r"\((?:\[[^\]]*\]\([^)]*\)[,; ]*)+\)", "", plain)  # links in parentheses
    plain = re.sub(r"\]\([^)]*\)", "]", plain)
    return sum(bool(re.search(r"\w", word)) for word in plain.split())


def checked(text: Text) -> Iterator[Offender]:
    """What is wrong with one text."""
    for one in sentences(text.text):
        if length(one) > text.most:
            yield Offender(text.file, text.line, f"over {text.most} words", f"{one[:70]}…")
    bare = re.sub(r"`[^`]*`|\]\([^)]*\)", "` `", " ".join(text.text.split()))
    words = GLOSSARY | (IN_COMPARE if any(place in text.file for place in COMPARE) else {})
    for pattern, better in words.items():
        case = re.IGNORECASE if pattern.islower() else 0
        for found in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", bare, case):
            yield Offender(text.file, text.line, "word", f"{found[0]} → {better}")
    for found in BRITISH.finditer(NAMED_BRITISH.sub("", bare)):
        yield Offender(text.file, text.line, "spelling", found[0])
    if text.most == IN_MESSAGES and (path := re.search(r"docs/[\w/-]+\.md", text.text)):
        yield Offender(text.file, text.line, "a path that readers do not have", path[0])
    if text.help and (NO_IMPERATIVE.match(text.text) or PASSIVE.search(text.text)):
        yield Offender(text.file, text.line, "help", text.text[:70])


# Pages


FENCE = re.compile(r" *(?P<marks>`{3,}|~{3,})")
ITEM = re.compile(r"^(?:[-*+]|\d+\.) +")


def markdown(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs, entries of lists and cells of tables of a page, each with its line."""
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    fence, math, start, part = "", False, 0, ""
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        mark = FENCE.match(line)
        if mark and fence in ("", mark["marks"]):
            if not fence and "title=" in line:
                yield number, line.split("title=")[1].strip('"')
            fence = "" if fence else mark["marks"]
            line = ""
        elif fence:
            continue
        bare = line.strip().removeprefix("> ")
        if bare in ("$$", r"\[", r"\]"):
            math, bare = not math, ""
        elif math:
            continue
        new = not bare or bare.startswith(("|", "#", "!!!", "???", ":::", "$$", ">", "<")) or ITEM.match(bare)
        if new and part:
            yield start, part
            part = ""
        if bare.startswith("|"):
            yield from (
                (number, cell.strip()) for cell in re.split(r"(?<!\\)\|", bare) if re.search(r"\w", cell)
            )
        elif bare and not bare.startswith((":::", "$$")):
            if not part:
                start, bare = number, ITEM.sub("", bare.lstrip("#> "), count=1)
            part = f"{part} {bare}".strip()
            if line.startswith("#"):
                yield start, part
                part = ""


NAMED = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")


def pages() -> Iterator[Text]:
    """Everything that people read outside the program. The pages of JSON are made from docstrings."""
    made = {path.name for path in (ROOT / "docs" / "json").glob("*.md")} - {"index.md"}
    for path in [ROOT / name for name in NAMED] + sorted((ROOT / "docs").rglob("*.md")):
        if path.parent.name == "json" and path.name in made:
            continue
        file = path.relative_to(ROOT).as_posix()
        for line, text in markdown(path.read_text(encoding="utf-8")):
            yield Text(file, line, text, IN_DOCS)


# The program


def joined(node: ast.AST) -> str | None:
    """The text of a string, with X for what is filled in; None for what is none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(joined(one) or "X" for one in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = joined(node.left), joined(node.right)
        if any(side is not None for side in sides):
            return "".join("X" if side is None else side for side in sides)
    return None


def prose(text: str) -> bool:
    """Whether a string is for people: three words in a row, and no markup, pattern or style sheet."""
    return bool(re.search(r"[A-Za-z’,'-]{2,} [a-zA-Z’,']+ [a-z’']+", text)) and not re.search(
        r"</|\(\?|\\[bdws]|[{;]\s*\w+-?\w*:|^\s*(?:SELECT|import |from \w+ import)", text
    )


def docstring_parts(text: str) -> Iterator[str]:
    """The paragraphs of a docstring, and each entry of its sections."""
    part = ""
    code = False
    for line in [*text.split("\n"), ""]:
        bare = line.strip()
        code = bare.startswith((">>>", "...")) or (code and bool(bare))
        if code:
            bare = ""
        if not bare or re.match(r"[\w*]+(?: \([^)]*\))?: |[-*] |\w+:$", bare):
            if part:
                yield part
            part = ""
        part = f"{part} {bare}".strip()
    if part:
        yield part


def strings(tree: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """Each string of a module with its kind: message, help or docstring."""

    def walk(node: ast.AST, kind: str, public: bool) -> Iterator[tuple[ast.AST, str, str]]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str) and public:
                yield node, node.value.value, "docstring"
            return
        if (text := joined(node)) is not None:
            yield node, text, kind
            return
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            kind = "help" if node.func.id in ("option", "switch", "argument", "Option") else kind
        inside = public
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = public and not node.name.startswith("_")
        for child in ast.iter_child_nodes(node):
            yield from walk(child, kind, inside)

    yield from walk(tree, "message", True)


def program() -> Iterator[Text]:
    """Every string of the program that may reach a person."""
    source = ROOT / "src" / "truerank"
    for path in sorted(source.rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        for node, text, kind in strings(ast.parse(path.read_text(encoding="utf-8"))):
            if kind == "docstring":
                for part in docstring_parts(text):
                    yield Text(file, node.lineno, part, IN_DOCS)
            elif prose(text):
                for part in re.split(r"\n\s*\n|\n(?=\s*[-*] )", text):
                    yield Text(file, node.lineno, part, IN_MESSAGES, kind == "help")
    for path in sorted(source.rglob("*.toml")):
        text = path.read_text(encoding="utf-8")
        for one in leaves(tomllib.loads(text)):
            if prose(one):
                line = text[: max(text.find(one[:30]), 0)].count("\n") + 1
                yield Text(path.relative_to(ROOT).as_posix(), line, one, IN_DOCS)
    for path in sorted(source.rglob("*.j2")):
        text = re.sub(r"{#.*?#}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for part in re.split(r"{%.*?%}|\n\s*\n", text, flags=re.DOTALL):
            yield Text(path.relative_to(ROOT).as_posix(), 1, re.sub(r"{{.*?}}", "X", part, flags=re.DOTALL))
    for path in sorted(source.rglob("*.html")):
        for line, text in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            bare = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", text)
            if prose(bare):
                yield Text(path.relative_to(ROOT).as_posix(), line, bare)


CITED = {"formula", "bibtex", "authors", "title", "venue", "publisher", "booktitle", "journal"}
"""Keys of TOML files whose values are not ours."""


def leaves(value: Any) -> Iterator[str]:
    """The strings of nested tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in CITED:
                yield from leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)


def offenders(texts: Iterable[Text]) -> list[Offender]:
    """All that is wrong, in the order of the files."""
    return [one for text in texts for one in checked(text)]


if __name__ == "__main__":
    print(*offenders([*pages(), *program()]), sep="\n")
