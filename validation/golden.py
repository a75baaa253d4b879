"""Golden comparison: what many commands write, with two installed versions of truerank.

    python -m validation.golden record before --truerank OLD/bin/truerank
    python -m validation.golden record after --truerank NEW/bin/truerank --inputs before/inputs
    python -m validation.golden compare before after --review review
    python -m validation.golden check before

`golden.toml` holds the commands, and the reasons why values moved. All other numbers in JSON and CSV must
have the same digits, and no value may be lost. A text must stay as it is, too (a verdict, the systems of the
best set, letters, the code of a note), unless a reason names its key; only sentences may be reworded. Values
that moved are counted by reason. Sentences and pages that differ are laid side by side, to be read.
`check` changes single values of a record, and names the commands where `compare` would not report it.
"""

from __future__ import annotations

import argparse
import csv
import html
import io
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from fnmatch import translate
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from validation.golden_inputs import write_inputs

Place = tuple[str, ...]
Lines = tuple[list[str], list[str]]
Moved = dict[str, list[tuple[str, float]]]

PLAN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
EMPTY = "(empty)"
TEXTS = {".txt", ".md", ".tex", ".html", ".xml", ".bib", ".csv", ".tsv", ".json"}
STEPS = "_steps.json"
NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?|-?inf|nan|None|True|False|", re.IGNORECASE)


@cache
def pattern(glob: str) -> re.Pattern[str]:
    """A pattern of names as a regular expression: `fnmatch` forgets those beyond 256."""
    return re.compile(translate(glob))


def fnmatch(name: str, glob: str) -> bool:
    """Whether a name fits a pattern."""
    return pattern(glob).match(name) is not None


class Program:
    """One installed version of truerank."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        fixed = {"COLUMNS": "100", "NO_COLOR": "1", "OMP_NUM_THREADS": "1", "TERM": "dumb"}
        self.environment = os.environ | fixed

    def call(self, line: str, folder: Path) -> dict[str, Any]:
        """Run one command line in a folder."""
        words = [str(self.path), *shlex.split(line)]
        done = subprocess.run(words, cwd=folder, env=self.environment, capture_output=True, check=False)
        said = {"stdout": done.stdout.decode(), "stderr": done.stderr.decode()}
        return {"command": line, "exit": done.returncode, **said}

    def run(self, lines: str | list[str], folder: Path) -> list[dict[str, Any]]:
        """Run one or several command lines in a folder, abbreviations written out."""
        lines = [lines] if isinstance(lines, str) else lines
        return [self.call(re.sub(r"\$(\w+)", lambda x: PLAN["short"][x[1]], one), folder) for one in lines]


def record(out: Path, program: Program, inputs: Path | None, only: str) -> int:
    """Run every command in a fresh copy of the inputs, and keep what it writes and prints.

    A record that exists is continued with the commands that it lacks, on its own inputs.
    """
    made = out / "inputs"
    if inputs and not made.exists():
        shutil.copytree(inputs, made)
    elif not made.exists():
        made.mkdir(parents=True)
        if failed := [step for step in program.run(PLAN["inputs"], made) if step["exit"]]:
            sys.exit(f"golden: {failed[0]['command']}: {failed[0]['stderr']}")
        write_inputs(made)
    given = {path.relative_to(made): path.read_bytes() for path in made.rglob("*") if path.is_file()}
    chosen = {name: x for name, x in (PLAN["commands"] | PLAN["refused"]).items() if fnmatch(name, only)}
    chosen = {name: lines for name, lines in chosen.items() if not (out / name / STEPS).exists()}
    started, wrong = time.perf_counter(), 0
    for name, lines in chosen.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "here"
            shutil.copytree(made, folder)
            steps = program.run(lines, folder)
            for path in filter(Path.is_file, sorted(folder.rglob("*"))):
                kept = path.relative_to(folder)
                if given.get(kept) != path.read_bytes():
                    (out / name / kept).parent.mkdir(parents=True, exist_ok=True)
                    shutil.move(path, out / name / kept)
        (out / name).mkdir(exist_ok=True)
        (out / name / STEPS).write_text(json.dumps(steps, indent=1, ensure_ascii=False), encoding="utf-8")
        for step in steps:
            if (step["exit"] == 2) != (name in PLAN["refused"]):
                wrong += 1
                print(f"{name}: exit code {step['exit']}: {step['command']}\n  {step['stderr'].strip()}")
    seconds = time.perf_counter() - started
    print(f"{len(chosen)} commands in {seconds:.0f} s, {wrong} unexpected exit codes: {out}")
    return int(wrong > 0)


def shown(page: str) -> str:
    """The text that a page shows, a block of it per line."""
    page = re.sub(r"(?s)<(script|style|svg)\b.*?</\1>", "", page)
    page = re.sub(r"<t[dh]\b[^>]*>", " | ", re.sub(r"\s+", " ", page))
    page = re.sub(r"</?(b|i|a|em|strong|code|span|sub|sup|small|abbr|math|m\w+|td|th)\b[^>]*>", "", page)
    lines = html.unescape(re.sub(r"<[^>]*>", "\n", page)).splitlines()
    return "\n".join(line.strip() for line in lines if line.strip())


def keys(parts: list[Any]) -> list[str]:
    """The name of each row of a list: by the columns that identify it, otherwise by number."""
    for fields in (("name",), ("setting",), ("system",), ("above", "below")):
        names = [
            " > ".join(str(part.get(field) or "") for field in fields) if isinstance(part, dict) else ""
            for part in parts
        ]
        if all(name.strip(" >") for name in names) and len(set(names)) == len(names):
            return names
    codes = [str(part.get("code", "")) if isinstance(part, dict) else "" for part in parts]
    if all(codes):  # of notes, several may have one code
        seen = [codes[:k].count(code) for k, code in enumerate(codes)]
        return [f"{code} {times + 1}" if times else code for code, times in zip(codes, seen, strict=True)]
    kinds = [part.get("estimator", "") if isinstance(part, dict) else "" for part in parts]
    return [f"{number} {kind}".strip() for number, kind in enumerate(kinds)]


def values(text: str, table: bool) -> dict[Place, str]:
    """Every value of a CSV table or a JSON document by its place, spelled as it stands there."""

    def walk(place: Place, value: Any) -> Iterator[tuple[Place, str]]:
        if not isinstance(value, list | dict):
            yield place, str(value)
            return
        if not value:
            yield place, EMPTY
        named = zip(keys(value), value, strict=True) if isinstance(value, list) else value.items()
        for key, part in named:
            yield from walk((*place, key), part)

    found = (
        list(csv.DictReader(io.StringIO(text))) if table else json.loads(text, parse_float=str, parse_int=str)
    )
    return dict(walk((), found))


def apart(one: str, other: str) -> float:
    """By what part of the larger of them (at least 0.001) two numbers differ; infinite where one is none."""
    try:
        left, right = float(one), float(other)
    except ValueError:
        return math.inf
    size = max(abs(left), abs(right), 1e-3)
    return abs(left - right) / size if math.isfinite(size) else math.inf


def numbered(key: str) -> bool:
    """Whether a key is a number in a list."""
    return key.split(" ")[0].isdigit()


def is_sentence(place: Place) -> bool:
    """Whether a text may be reworded."""
    return any(fnmatch("." + ".".join(place), pattern) for pattern in PLAN["sentences"])


def reason_for(name: str, place: Place, distance: float, text: bool) -> str | None:
    """Why a value may differ: a text where its key is named, a number not by reasons for lost values."""
    key = next((part for part in reversed(place) if not numbered(part)), place[-1])
    for reason in PLAN["moved"]:
        if distance > reason.get("at_most", math.inf) or ("lost" in reason and distance < math.inf):
            continue
        if any(fnmatch(name, pattern) and (not text or key in pattern) for pattern in reason["where"]):
            return str(reason["why"])
    return None


def compare_values(where: str, before: dict[Place, str], after: dict[Place, str], moved: Moved) -> Lines:
    """What is wrong (a value changed or lost), and what to read (new values, reworded sentences).

    Values with a reason to differ are only counted, in `moved`.
    """
    wrong, read, ignored = list[str](), list[str](), set(PLAN["ignored_keys"])
    lists = {place[:-1] for place in before if numbered(place[-1])}
    lists |= {place for place, value in before.items() if value == EMPTY}
    for place in {**before, **after}:
        one, other, name = before.get(place), after.get(place), f"{where}: {'.'.join(place)}"
        if one == other or not ignored.isdisjoint(place):
            continue
        distance = apart(one or "", other or "")
        sentence = distance == math.inf and is_sentence(place)
        longer = not sentence and numbered(place[-1]) and place[:-1] in lists
        if one is None and not longer:
            read += [] if other == EMPTY else [f"{name} = {other} is new"]
            continue
        if one == EMPTY and (sentence or any(x[: len(place)] == place for x in after)):
            continue  # what the list has now is reported by itself
        if one is not None and other is not None and sentence:
            read.append(f"{name}: {one} became {other}")
            continue
        text = other is not None and not (NUMBER.fullmatch(one or "") and NUMBER.fullmatch(other))
        if why := reason_for(name, place, distance, text):
            moved[why].append((name, distance))
        elif other is None:
            wrong.append(f"{name} = {one} is gone")
        else:
            wrong.append(f"{name} = {other} is new" if one is None else f"{name}: {one} became {other}")
    return wrong, read


def beside(before: str, after: str) -> str:
    """Two texts in two columns, equal lines at the same height."""
    left, right, lines = before.splitlines(), after.splitlines(), []
    width = max(map(len, left), default=0)
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for one, other in zip_longest(left[a:b], right[c:d], fillvalue=""):
            lines.append(f"{one:{width}} {' ' if kind == 'equal' else '|'} {other}".rstrip())
    return "\n".join(lines)


def outputs(folder: Path) -> dict[str, str]:
    """What a command said and wrote, by name; of a file that is no text only that it is there."""
    found: dict[str, str] = {}
    for number, step in enumerate(json.loads((folder / STEPS).read_text(encoding="utf-8")), 1):
        kind = ".json" if step["stdout"].startswith(("{", "[")) else ""
        found[f"{number} exit code"] = str(step["exit"])
        found |= {f"{number} output{kind}": step["stdout"], f"{number} errors": step["stderr"]}
    for path in filter(Path.is_file, folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not any(fnmatch(name, pattern) for pattern in [STEPS, *PLAN["ignored_files"]]):
            text = path.read_text(encoding="utf-8") if path.suffix in TEXTS else ""
            found[name] = shown(text) if path.suffix == ".html" else text
    return found


def compare_outputs(
    command: str, old: dict[str, str], new: dict[str, str], moved: Moved
) -> tuple[list[str], list[str], list[str]]:
    """What is wrong and what is to be read of one command, and its texts side by side."""
    wrong, read, texts = list[str](), list[str](), list[str]()
    for name in sorted(old.keys() | new.keys()):
        one, other = old.get(name), new.get(name)
        if one == other:
            continue
        if one is None:
            read.append(f"{name} is new")
            continue
        if other is None:
            pair: tuple[dict[Place, str], dict[Place, str]] = ({("file",): "there"}, {})
        elif name.endswith((".json", ".csv")):
            pair = (values(one, name.endswith(".csv")), values(other, name.endswith(".csv")))
        elif name.endswith("exit code"):
            pair = ({("exit",): one}, {("exit",): other})
        else:
            texts.append(f"\n==== {name}\n{beside(one, other)}")
            continue
        worse, other_texts = compare_values(f"{command}: {name}", *pair, moved)
        wrong, read = wrong + worse, read + other_texts
    return wrong, read, texts


def compare(before: Path, after: Path, review: Path | None, most: int) -> int:
    """Print what differs per command; the exit code is 1 where a value changed or is lost."""
    names = PLAN["commands"].keys() | PLAN["refused"].keys()
    old, new = ({name for name in names if (folder / name / STEPS).exists()} for folder in (before, after))
    failed = sorted(old ^ new)
    moved: Moved = defaultdict(list)
    print("".join(f"{name}: recorded once only\n" for name in failed), end="")
    for name in sorted(old & new):
        wrong, read, texts = compare_outputs(name, outputs(before / name), outputs(after / name), moved)
        if wrong or read or texts:
            print(
                f"{name}: {len(wrong)} values wrong, {len(read)} new or reworded, {len(texts)} texts differ"
            )
        print("".join(f"  {line}\n" for line in wrong[:most]), end="")
        failed += [name] if wrong else []
        if review and (texts or read):
            review.mkdir(parents=True, exist_ok=True)
            (review / f"{name}.txt").write_text("\n".join([*wrong, *read, *texts]), encoding="utf-8")
    print("\nvalues, commands, largest relative difference: reason")
    for why, places in moved.items():
        numbers = [distance for _, distance in places if distance < math.inf]
        commands = {name.partition(":")[0] for name, _ in places}
        largest = f"{max(numbers):.1e}" if numbers else "lost"
        print(f"{len(places):8} {len(commands):4} {largest:>8}: {why}")
    touched = {name.partition(":")[0] for places in moved.values() for name, _ in places}
    equal = len((old & new) - touched - set(failed))
    print(f"{len(old & new)} commands compared, {equal} with equal values, {len(failed)} with wrong ones")
    return int(bool(failed))


def changed(value: Any) -> Any:
    """A number that differs by one part in a million, or another text."""
    if isinstance(value, str):
        return f"{value}, changed"
    return value + 1 if isinstance(value, int) else value + 1e-6 * (abs(value) or 1)


def read_cell(text: str) -> Any:
    """A number, if a cell holds one."""
    try:
        return float(text)
    except ValueError:
        return text


def single_changes(text: str, table: bool) -> Iterator[tuple[str, str, str]]:
    """A document with one value changed: its place, and both texts; up to five numbers and one text."""
    skipped = set(PLAN["ignored_keys"])
    rows: Any = list(csv.DictReader(io.StringIO(text))) if table else json.loads(text)
    if table:
        rows = [{key: read_cell(cell) for key, cell in row.items()} for row in rows]

    def walk(place: Place, part: Any) -> Iterator[tuple[Place, Any, Any]]:
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):
            if isinstance(value, list | dict):
                yield from walk((*place, str(key)), value)
            elif skipped.isdisjoint(where := (*place, str(key))):
                yield where, part, key

    found = [] if isinstance(rows, str | int | float | None) else list(walk((), rows))
    numbers = [x for x in found if isinstance(x[1][x[2]], int | float) and not isinstance(x[1][x[2]], bool)]
    texts = [x for x in found if isinstance(x[1][x[2]], str) and x[1][x[2]] and not is_sentence(x[0])]
    chosen = (
        [numbers[k] for k in sorted({round(k * (len(numbers) - 1) / 4) for k in range(5)})] if numbers else []
    )
    for place, part, key in chosen + texts[-1:]:
        kept = part[key]
        before = as_text(rows, table)
        part[key] = changed(kept)
        yield ".".join(place), before, as_text(rows, table)
        part[key] = kept


def as_text(rows: Any, table: bool) -> str:
    """A CSV table, or a JSON document."""
    if not table:
        return json.dumps(rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def check(record: Path) -> int:
    """Change single values of each recorded command; the exit code is 1 where one is not reported."""
    names = sorted(name for name in PLAN["commands"] if (record / name / STEPS).exists())
    failed, tried = 0, 0
    for name in names:
        old = outputs(record / name)
        changes = [
            (file, *change)
            for file, text in old.items()
            if file.endswith((".json", ".csv"))
            for change in single_changes(text, file.endswith(".csv"))
        ]
        missed = []
        for file, place, before, after in changes:
            moved: Moved = defaultdict(list)
            wrong, _, _ = compare_outputs(name, old | {file: before}, old | {file: after}, moved)
            missed += [] if wrong or moved else [f"{file}: {place}"]
        tried += len(changes)
        if missed or not changes:
            failed += 1
            print(f"{name}: {'not reported: ' + ', '.join(missed) if changes else 'no values'}")
    print(
        f"{len(names)} commands, {tried} values changed, {failed} commands with changes that are not reported"
    )
    return int(failed > 0)


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(prog="python -m validation.golden", description="Golden comparison.")
    jobs = parser.add_subparsers(dest="job", required=True)
    one = jobs.add_parser("record", help="run the commands of golden.toml")
    one.add_argument("out", type=Path)
    one.add_argument("--truerank", type=Path, required=True, help="the program")
    one.add_argument("--inputs", type=Path, help="inputs recorded before")
    one.add_argument("--only", default="*", help="pattern of commands")
    two = jobs.add_parser("compare", help="compare two records")
    two.add_argument("before", type=Path)
    two.add_argument("after", type=Path)
    two.add_argument("--review", type=Path, help="folder for texts side by side")
    two.add_argument("--most", type=int, default=20, help="differences printed per command")
    three = jobs.add_parser("check", help="change single values of a record")
    three.add_argument("record", type=Path)
    given = parser.parse_args()
    if given.job == "check":
        return check(given.record)
    if given.job == "compare":
        return compare(given.before, given.after, given.review, given.most)
    return record(given.out, Program(given.truerank), given.inputs, given.only)


if __name__ == "__main__":
    sys.exit(main())
