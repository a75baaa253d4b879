"""What is said of a machine judge on pages, in figures, tables and notebooks."""

from __future__ import annotations

import numpy as np
import pytest

import truerank
from truerank.comparison import machine_alone
from truerank.reliability.machine_judge import MachineBias, MachineJudge
from truerank.report.charts.machine import machine_chart
from truerank.report.figures import figures
from truerank.report.notebook import notebook_html
from truerank.report.page import html
from truerank.report.pages.assessment import page_html
from truerank.report.pages.machine_alone import machine_alone_page
from truerank.report.parts.machine import favour_sentence, gain_sentence
from truerank.report.parts.machine_alone import sentences
from truerank.report.tables.assessment import latex_text, markdown_text
from truerank.report.words import number
from truerank.scores import ScoreMatrix

NAMES = ["a<b>", "plain", "third", "last"]


def judges(bias: float = 0.25, machine_noise: float = 0.03) -> tuple[ScoreMatrix, ScoreMatrix]:
    rng = np.random.default_rng(1)
    people = rng.uniform(0.2, 0.5, (60, 1)) + np.array([0.1, 0.2, 0.05, 0.0]) + rng.normal(0, 0.05, (60, 4))
    machine = people + np.array([bias, 0.0, 0.0, 0.0]) + rng.normal(0, machine_noise, (60, 4))
    topics = [f"t{t}" for t in range(60)]
    return (
        ScoreMatrix.build(people[:12], topics[:12], NAMES, "AP"),
        ScoreMatrix.build(machine, topics, NAMES, "AP"),
    )


@pytest.fixture(scope="module")
def assessed():
    human, machine = judges()
    return truerank.assess(human, "eb", machine=machine, draws=200, seed=1)


def judge(*favours: tuple[str, float, str], effective: float = 31.0) -> MachineJudge:
    systems = tuple(
        MachineBias(name, favour, favour - 0.1, favour + 0.1, favour, favour - 0.1, favour + 0.1, verdict)  # type: ignore[arg-type]
        for name, favour, verdict in favours
    )
    return MachineJudge(0.62, 20, 200, effective, 0.8, 0.95, systems)


def test_sentences():
    many = judge(("x", 0.2, "favoured"), ("y", 0.3, "favoured"), ("z", -0.4, "put down"))
    assert (
        gain_sentence(many)
        == "With the machine’s scores 20 human topics count as 31 (λ = 0.62, of at most 1)."
    )
    assert favour_sentence(many) == (
        "Beyond its average the machine favours y (+0.300) and x (+0.200) and puts down z (−0.400), with 95% "
        "confidence for all systems at once."
    )
    none = judge(("x", 0.0, "can't tell"), effective=20.5)
    assert "add next to nothing to the 20 human topics" in gain_sentence(none)
    assert favour_sentence(none).startswith("No system is surely favoured")


def test_the_page_says_what_the_machine_adds_and_how(assessed):
    page = page_html(assessed)
    assert "12 topics judged by people and 48 more judged by a machine" in page
    assert "12 human topics · 60 machine topics" in page
    assert 'id="machine"' in page
    assert "Angelopoulos, Duchi and Zrnic 2023" in page
    assert 'id="ref-angelopoulos-2023"' in page
    assert "a&lt;b&gt;" in page
    assert "a<b>" not in page
    alone = page_html(truerank.assess(judges()[0], "eb", draws=200))
    assert 'id="machine"' not in alone
    assert "machine judge" not in alone.lower()


def test_the_figure_has_a_row_a_system_and_the_verdict(assessed):
    sets = machine_chart(assessed).to_dict()["datasets"].values()
    verdicts = [row for records in sets for row in records if "verdict" in row]
    rows = dict(zip((one.system for one in assessed.machine.systems), verdicts, strict=True))
    assert set(rows) == set(NAMES)
    assert rows["a<b>"]["verdict"] == "favoured"
    for one in assessed.machine.systems:
        assert rows[one.system]["favour"] == pytest.approx(one.favour)
    assert "machine-judge" in figures(assessed)
    with pytest.raises(ValueError, match="without a machine judge"):
        machine_chart(truerank.assess(judges()[0], "eb", draws=200))


def test_tables_for_papers_have_the_bias_of_every_system(assessed):
    shown = assessed.machine.systems
    assert shown[0].low < shown[0].bias < shown[0].high

    def cells(value, low, high):
        return f"{number(value, 3, True)} [{number(low, 3, True)}, {number(high, 3, True)}]"

    wanted = [
        (
            cells(one.bias, one.low, one.high),
            cells(one.favour, one.favour_low, one.favour_high),
            one.verdict,
        )
        for one in shown
    ]
    markdown = markdown_text(assessed)
    table = next(part for part in markdown.split("\n\n") if part.startswith("| System | Bias"))
    rows = [tuple(cell.strip() for cell in row.split("|")[2:-1]) for row in table.strip().splitlines()[2:]]
    assert rows == wanted
    assert "12 topics judged by people and 60 by a machine" in markdown
    assert "a<b>" not in markdown
    latex = latex_text(assessed)
    assert "12 topics judged by people and 60 by a machine" in latex
    assert r"\label{tab:machine-AP}" in latex
    body = latex.split(r"\label{tab:machine-AP}")[1].split(r"\midrule")[1].split(r"\bottomrule")[0]
    lines = [line.removesuffix(r" \\").split(" & ") for line in body.strip().splitlines()]
    assert [line[0] for line in lines] == [
        one.system.replace("<", "$<$").replace(">", "$>$") for one in shown
    ]
    assert [
        tuple(cell.replace("$-$", "−").replace("'", "’") for cell in line[1:]) for line in lines
    ] == wanted
    alone = latex_text(truerank.assess(judges()[0], "eb", draws=200))
    assert "machine" not in alone
    assert "by people" not in alone


def test_a_notebook_says_it_too(assessed):
    shown = notebook_html(assessed)
    assert "human topics count as" in shown
    assert "a&lt;b&gt;" in shown


def test_a_machine_that_misses_the_best_system_is_told_so():
    human, machine = judges()
    found = machine_alone(human, machine, draws=300, seed=1)
    said = " ".join(sentences(found))
    assert "It puts a<b> first, which is truly best with probability" in said
    assert "and misses the best system: with at least 95% probability that is plain." in said
    page = html(machine_alone_page(found))
    assert "a<b>" not in page
    assert "Pairs that the machine alone surely has in the wrong order" in page


def test_a_machine_that_is_right_is_told_so():
    found = machine_alone(*judges(bias=0.0, machine_noise=0.01), draws=300, seed=1)
    said = " ".join(sentences(found))
    assert "It puts plain first, as people and machine together do" in said
    assert found.surely_wrong == 0
    assert "none of them surely" in said


def test_the_figure_has_the_systems_that_were_chosen(assessed):
    chosen = ["plain", "last"]
    records = str(machine_chart(assessed, shown=chosen).to_dict())
    assert "2 of 4 systems are shown." in records
    for name in NAMES:
        assert (f" {name}" in records) == (name in chosen)
    baseline = str(figures(assessed, shown=chosen)["machine-judge"].to_dict())
    assert "2 of 4 systems are shown." in baseline
