"""Small score tables, spoiled: the readers find the means that an independent parser finds, or refuse.

`python -m fuzz.against_oracle --inputs 200000`
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from random import Random

from fuzz.mutations import TEXT_CHANGES
from fuzz.oracle import Refused, means
from truerank.errors import InputError, UnforeseenError, UnknownNameError
from truerank.readers import read_scores

NAMES = ("bm25", "splade", "gpt-4o", "a;b", "x & y", "claude", "run 1", "é", "r2", "llama/3")
HEADS = ("topic", "qid", "query_id", "instance_id", "id", "")
CELLS = (
    *("0", "1", "0.5", "1e-3", "-0.25", "nan", "NA", "", "inf", "true", "False", "yes", "12%", "0,5", "1_0"),
    *("all", "mean", "301", "2", "7", "100", "0x1", "٣", "1e999", " 0.25 ", '"0.5"', "null", "C", "P", "x"),
)


def table(random: Random) -> tuple[str, bool]:
    """A random table of a few topics and systems, and whether it has one row per score."""
    systems = random.sample(NAMES, random.randint(2, 4))
    numbers = random.sample(range(1, 60), random.randint(2, 6))
    topics = [f"{random.choice(('', 'q', 't-'))}{number}" for number in numbers]
    digits, whole = random.randint(1, 6), random.random() < 0.2

    def score() -> str:
        return str(random.randint(0, 1)) if whole else f"{random.random():.{digits}f}"

    if random.random() < 0.4:
        names = (HEADS[:4], ("system", "model"), ("score", "value"))
        head = ",".join(map(random.choice, names))
        rows = [f"{topic},{system},{score()}" for topic in topics for system in systems]
        return "\n".join([head, *rows, ""]), True
    rows = [",".join([topic, *(score() for _ in systems)]) for topic in topics]
    return "\n".join([",".join([random.choice(HEADS), *systems]), *rows, ""]), False


def spoiled(text: str, random: Random) -> str:
    """The table after up to three changes: of bytes, of lines, or of a cell."""
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        if random.random() < 0.5:
            lines = text.split("\n")
            place = random.randrange(len(lines))
            cells = lines[place].split(",")
            cells[random.randrange(len(cells))] = random.choice(CELLS)
            lines[place] = ",".join(cells)
            text = "\n".join(lines)
        else:
            data = random.choice(TEXT_CHANGES)(text.encode(), [text.encode()], random)
            text = data.decode("utf-8", "replace")
    return text


def differs(path: Path, text: str, long: bool) -> tuple[str, str]:
    """How the readers take a table, and what is wrong about it; empty where nothing is."""
    try:
        wanted = means(text, long)
    except Refused:
        wanted = None
    try:
        scores = read_scores(path)
    except UnforeseenError as error:
        return "failed", str(error)
    except (InputError, UnknownNameError) as error:
        one_line = "\n" not in str(error) and str(error).startswith(str(path))
        return "refused", "" if one_line else f"no line that starts with the file: {error!r}"
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
    found = dict(zip(scores.systems, scores.values.mean(axis=0).tolist(), strict=True))
    alike = wanted is not None and found.keys() == wanted.keys()
    if alike and all(math.isclose(found[name], wanted[name], rel_tol=1e-12, abs_tol=1e-12) for name in found):
        return "alike", ""
    if scores.notes:
        return "otherwise, and said", ""
    return "otherwise", f"read as {found}, where the oracle has {wanted}"


def main() -> int:
    """Compare; the exit code is 1 where something was read otherwise without a word."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shown", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found, shown = run(options.inputs, options.seed)
    for text, what in shown[: options.shown]:
        print(f"{text!r}\n  {what}")
    print(f"{options.inputs} inputs: " + ", ".join(f"{number} {how}" for how, number in found.items()))
    return 1 if shown else 0


def run(inputs: int, seed: int) -> tuple[Counter[str], list[tuple[str, str]]]:
    """How many tables were read how, and those about which something is wrong."""
    random = Random(seed)
    counts: Counter[str] = Counter()
    wrong: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a;b & c.csv"
        for _ in range(inputs):
            text, long = table(random)
            text = spoiled(text, random)
            path.write_text(text, encoding="utf-8", newline="")
            how, what = differs(path, text, long)
            counts[how] += 1
            if what:
                wrong.append((text, what))
    return counts, wrong


if __name__ == "__main__":
    sys.exit(main())
