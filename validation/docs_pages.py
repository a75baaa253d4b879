"""The pages of the documentation do what they say: every command and every block of Python on them is run.

``console`` holds commands behind ``$`` and what they print, ``bash`` commands alone. ``python`` is run with
one namespace a page, and a block of ``text`` right behind it is what it prints. A line of ``...`` stands for
anything. Blocks of other languages, and those for a shell that have a title, are left alone. Quick pages are
also run by `make test`.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from validation.checks import Checks

DOCS = Path(__file__).resolve().parents[1] / "docs"

QUICK = (
    "start.md",
    "which-estimator.md",
    "questions.md",
    "recipes/trec-campaign.md",
    "recipes/a-against-b.md",
    "recipes/hosts.md",
    "recipes/looking.md",
    "recipes/leaderboard.md",
    "recipes/arena.md",
    "recipes/app.md",
    "recipes/board.md",
    "recipes/runs-and-prompts.md",
    "recipes/templates-runs-judges.md",
    "recipes/planning.md",
    "recipes/fewer-topics.md",
    "recipes/which-model-for-the-money.md",
    "recipes/paper-section.md",
    "methods/intervals.md",
)
SLOW = (
    "read-your-page.md",
    "figures-and-tables.md",
    "recipes/llm-judges.md",
    *(f"methods/{page.name}" for page in sorted((DOCS / "methods").glob("*.md")) if page.stem != "intervals"),
)

FENCE = re.compile(r"^([ ]*)```([^\n`]*)\n(.*?)^\1```[ ]*$", re.DOTALL | re.MULTILINE)


@dataclass
class Block:
    """One block: its language, its text, and what is shown right behind it."""

    language: str
    text: str
    shown: str = ""


def blocks(page: Path) -> list[Block]:
    """The blocks that can be run."""
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    end, last = -1, ""
    for match in FENCE.finditer(text):
        indent, info, body = match.groups()
        body = "".join(line.removeprefix(indent) for line in body.splitlines(keepends=True))
        language = info.split()[0] if info.split() else ""
        if language == "text" and last == "python" and not text[end : match.start()].strip():
            found[-1].shown = body
        if language in ("console", "bash", "python") and not (language != "python" and "title=" in info):
            found.append(Block(language, body))
            last = language
        else:
            last = ""
        end = match.end()
    return found


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a block with what is shown of its output."""
    text = re.sub(r"\\\n\s*", "", block.text)
    if block.language == "bash":
        for line in text.splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                yield line, ""
        return
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def agree(shown: str, printed: str) -> bool:
    """Whether what is shown was printed, but for blanks, ends of lines, and what ``...`` leaves out."""
    rest = " ".join(printed.split())
    for chunk in re.split(r"^\s*\.\.\.\s*$", shown, flags=re.MULTILINE):
        words = " ".join(chunk.split())
        place = rest.find(words)
        if place < 0:
            return False
        rest = rest[place + len(words) :]
    return True


@dataclass
class Reader:
    """Does what a page says, in a folder, and lists where the page is wrong."""

    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    code: int = 0

    def follow(self, page: Path) -> list[str]:
        """Run all blocks of a page, in their order.

        Returns:
            What is not as the page says; nothing when all is.
        """
        self.names = {"__name__": page.stem}
        for block in blocks(page):
            if block.language == "python":
                printed = self._python(block.text)
                if not agree(block.shown, printed):
                    self.wrong.append(f"{block.text}\nprints\n{printed}\nnot\n{block.shown}")
                continue
            told = list(commands(block))
            for place, (command, shown) in enumerate(told):
                asked = place + 1 < len(told) and told[place + 1][0] == "echo $?"
                printed = self._command(command)
                if self.code != 0 and not asked:
                    self.wrong.append(f"{command}: exit code {self.code}\n{printed}")
                elif not agree(shown, printed):
                    self.wrong.append(f"{command}\nprints\n{printed}\nnot\n{shown}")
        return self.wrong

    def _python(self, text: str) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "page", "exec"), self.names)
        return printed.getvalue()

    def _command(self, line: str) -> str:
        if line == "echo $?":
            said, self.code = str(self.code), 0
            return said
        words = shlex.split(line, comments=True)
        if words[0] != "truerank" or {"|", ">", "&&", "||"} & set(words):
            done = subprocess.run(
                ["bash", "-c", line], cwd=self.folder, capture_output=True, text=True, check=False
            )
            self.code = done.returncode
            return done.stdout + done.stderr
        expanded = [
            str(path) for word in words[1:] for path in (sorted(Path().glob(word)) if "*" in word else [word])
        ]
        from truerank.cli import run as truerank

        printed, complaints = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaints):
            self.code = truerank(expanded)
        return printed.getvalue() + complaints.getvalue()


def demo_files(folder: Path) -> None:
    """What `truerank demo` leaves, but for the page of its assessment."""
    from truerank.cli.demo import demo_scores, write_collection
    from truerank.readers import write_scores

    scores = demo_scores(1)[0]
    write_scores(scores, folder / "scores.csv")
    prices = (f"{system},{1 + k * k % 7}" for k, system in enumerate(scores.systems))
    (folder / "prices.csv").write_text("\n".join(["system,price", *prices]), encoding="utf-8")
    write_collection(folder)


def run(checks: Checks) -> None:
    """Follow all of them, each in a folder of its own."""
    for name in QUICK + SLOW:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            demo_files(Path(folder))
            wrong = Reader(Path(folder)).follow(DOCS / name)
        checks.that(f"{name} does what it says", not wrong, "; ".join(wrong)[:500])
