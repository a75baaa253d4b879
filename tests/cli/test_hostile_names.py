"""One list of hostile names over the outputs of all commands: nothing in a name is markup or a formula."""

from __future__ import annotations

import csv
import json
import random
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from truerank._support import escaping
from truerank.cli import run

NAMES = (
    "<img src=x onerror=alert(1)>",
    "</summary><script>alert(2)</script>",
    "[link](javascript:alert(3))",
    "=1+1",
    "＝HYPERLINK(1)",
    "a|b",
    "turned \u202e around \u2028 next",
    "\x1b[31mred",
    r"\input{x} $x$ 50% a_b ^^41",
    "__proto__",
    "https://example.org/ www.example.org &lt;b&gt;",
    "::error title=Security::a name",
    "##[error]a name",
)

FAST = ["--draws", "50", "--resamples", "50", "--quiet"]
HOST_COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
"""What the hosts of pipelines run as a command when a log has it."""
UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    random.seed(1)
    with (folder / "wide.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["topic", *NAMES])
        for topic in range(10):
            values = [f"{random.random() * (9 + s) / 30:.3f}" for s in range(len(NAMES))]
            rows.writerow([NAMES[topic], *values])
    with (folder / "long.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["topic", "system", "measure", "data_set", "value"])
        for data_set in NAMES[:1] + NAMES[10:12]:
            for topic in NAMES[:6]:
                for s, system in enumerate(NAMES):
                    rows.writerow(
                        [topic, system, NAMES[0], data_set, f"{random.random() * (9 + s) / 30:.3f}"]
                    )
    return folder


class Page(HTMLParser):
    """The tags of a page, of which a name may add none."""

    def __init__(self) -> None:
        super().__init__()
        self.live: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        keys = dict(attributes)
        if tag == "img" and keys.get("src") == "x":
            self.live.append(tag)
        if any(key.startswith("on") for key in keys):
            self.live.append(f"{tag} {keys}")
        if (keys.get("href") or "").startswith("javascript"):
            self.live.append(f"{tag} href")

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and data.startswith("alert("):
            self.live.append(data)


GATE = ["--undecided", "pass", "--margin", "0.3"]
COMMANDS = {
    "assess": ["assess", "wide.csv", "--estimator", "eb", "--baseline", NAMES[0], "--best", "2", *FAST],
    "assess data sets": ["assess", "long.csv", "--estimator", "eb", *FAST],
    "gate": ["gate", "wide.csv", "--baseline", NAMES[0], *GATE],
    "compare": ["compare", "wide.csv", "wide.csv", "--resamples", "10"],
    "plan": ["plan", "wide.csv", "--draws", "64"],
    "significance": ["significance", "wide.csv"],
    "board": ["board", "wide.csv", "--draws", "50"],
}
SHOWN = {"--latex": "o.tex", "--markdown": "o.md", "--csv": "csv"}
DRAWN = {"--html": "o.html", "--figures": "svg"}
OPTIONS = {
    "assess": SHOWN | {"--html": "o.html"},
    "assess data sets": SHOWN | DRAWN,
    "gate": SHOWN | {"--html": "o.html", "--junit": "o.xml", "--paper": "paper"},
    "compare": SHOWN | {"--html": "o.html"},
    "plan": SHOWN | {"--html": "o.html"},
    "significance": SHOWN | {"--html": "o.html"},
    "board": {"--html": "o.html", "--latex": "o.tex", "--csv": "csv", "-o": "o.md"},
}
"""Each kind of output of every kind of result, and pictures where names stand in them in different ways."""


@pytest.mark.parametrize("way", COMMANDS)
def test_a_name_is_text_in_every_output(
    way: str, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(here)
    words = list(COMMANDS[way])
    for option, name in OPTIONS[way].items():
        words += [option, str(tmp_path / name)]
    code = run([*words, "--json", str(tmp_path / "o.json")])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert not UNFIT.search(out)
    assert not UNFIT.search(err)
    assert not HOST_COMMAND.search(out + "\n" + err)
    json.loads((tmp_path / "o.json").read_text(encoding="utf-8"))
    for path in tmp_path.rglob("*"):
        if path.suffix == ".html":
            page = Page()
            page.feed(path.read_text(encoding="utf-8"))
            assert page.live == []
        if path.suffix in (".svg", ".xml"):
            assert not [
                one for one in ElementTree.parse(path).iter() if str(one.tag).endswith(("script", "img"))
            ]
        if path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            assert not UNFIT.search(text)
            assert not re.search(r"(?<!\\)<(img|script|/summary><)", text)
            assert not re.search(r"(?<!\\)\]\(javascript", text)
            assert not re.search(r"(?<!\\)https?://example", text.replace("https\\:", ""))
        if path.suffix == ".tex":
            text = path.read_text(encoding="utf-8")
            assert "\\input{x}" not in text
            assert "^^41" not in text
        if path.suffix == ".csv":
            with path.open(newline="", encoding="utf-8") as file:
                for row in csv.reader(file):
                    for cell in row:
                        assert not cell.startswith(("=", "＝", "@", "\t"))


@pytest.mark.parametrize("name", NAMES)
def test_markdown_and_html_come_back_as_they_were(name: str) -> None:
    shown = escaping.printable(name)
    assert (
        re.sub(r"\\(?=[\\`*_{}\[\]<>#~$|&:.])", "", escaping.markdown(shown).replace("\\\\", "\0")).replace(
            "\0", "\\"
        )
        == shown
    )
    assert escaping.terminal(name).isprintable()
