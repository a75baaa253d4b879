"""The site is built without a warning, fetches nothing from elsewhere, and can be read and searched offline.

All pages are looked at by `python -m validation site`; here, one of each kind.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock
from written import PAGES

from scripts.site.changes import shown
from scripts.site.colours import rules
from scripts.site.formulas import on_page_content as formula_on_page
from scripts.site.formulas import subscripts
from truerank.report.palette import ROLES
from validation.browser import axe_script
from validation.site import Reader, build, faults, fetched_elsewhere, search, served


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site, built once for all workers of a run."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "truerank-site"
    with FileLock(f"{folder}.lock"):
        if not (folder / "built").exists():
            done = build(folder)
            assert done.returncode == 0, done.stderr
            assert "WARNING" not in done.stderr + done.stdout  # which --quiet would hide, and not count
            (folder / "built").touch()
    return folder


def test_the_site_has_every_page_and_fetches_nothing(site: Path) -> None:
    for page in PAGES:
        assert (site / page).with_suffix(".html").exists()
    assert fetched_elsewhere(site) == []
    # Formulas are drawn without a script, and none is left as it was written.
    for page in site.rglob("*.html"):
        assert "arithmatex" not in page.read_text(encoding="utf-8"), page


def test_letters_have_subscripts_and_names_keep_their_underscores() -> None:
    assert subscripts("<p>σ²_system×topic, c_st</p>") == ("<p>σ²<sub>system×topic</sub>, c<sub>st</sub></p>")
    kept = '<pre>K_st\n</pre><a href="a_b">prompt_id</a> <math><mi>x_i</mi></math> inspect_ai'
    assert subscripts(kept) == kept


def test_a_formula_over_lines_with_its_number_and_one_that_was_not_found(
    caplog: pytest.LogCaptureFixture,
) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md"))
    made = formula_on_page('<div class="arithmatex">\\[x,\\quad\ny \\tag{3}\\]</div>', page=page)
    assert "</math><span" in made
    assert ">(3)</span>" in made
    assert not caplog.records
    formula_on_page("<p>$$a\\frac{1}{2}$$ and <code>\\frac</code></p>", page=page)
    assert [record.args[1] for record in caplog.records] == ["$$", "\\frac", "$$"]


def test_a_page_as_it_is_shown(site: Path, browser) -> None:
    with served(site) as address:
        assert faults(browser, address, "methods/estimators.html", axe_script()) == []


def test_search_in_a_folder(site: Path, browser) -> None:
    reader = Reader(browser, site.as_uri(), viewport={"width": 1280, "height": 900})
    assert "Coefficients" in " ".join(search(reader.open("index.html"), "kendall"))
    for words, page in (
        ("confidence interval", "Confidence intervals of τ"),
        ("p-value", "Significance tests and p-values"),
    ):
        # Before it may stand the page for those who search for a method by its name.
        assert page in [title for title in search(reader.open("index.html"), words) if title][:3]
    assert reader.close() == []


def test_the_search_joins_no_two_words(site: Path, browser) -> None:
    """Edges to nodes 123, and to nodes 1 and 3: lunr has one key for both."""
    page = browser.new_page()
    page.add_script_tag(path=next((site / "assets/javascripts/workers").glob("search.*.min.js")))
    made = page.evaluate("""() => [{1: 123}, {1: 1, 2: 3}].map((edges) => {
      const set = new lunr.TokenSet();
      for (const label in edges) set.edges[label] = {id: edges[label]};
      return set.toString();
    })""")
    page.close()
    assert len(set(made)) == 2


def test_the_overview_of_boards_fits_a_phone_and_a_wider_table_says_so(site: Path, browser) -> None:
    reader = Reader(browser, site.as_uri(), viewport={"width": 390, "height": 900})
    wide = """() => [...document.querySelectorAll(".md-typeset__scrollwrap")]
      .filter((e) => e.scrollWidth > e.clientWidth).map((e) => getComputedStyle(e).backgroundImage)"""
    assert reader.open("gallery/index.html").evaluate(wide) == []
    for shadows in (found := reader.open("compared.html").evaluate(wide)):
        assert shadows.count("linear-gradient") == 4
    assert found
    reader.close()


def test_search_on_a_server_has_the_same_index(site: Path) -> None:
    script = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    whole = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert json.loads(script.removeprefix("var __index = ")) == json.loads(whole)


def test_links_of_the_changes_lead_from_the_documentation() -> None:
    assert shown("# Changes\n\nSee [gate](docs/methods/gate.md).") == "\nSee [gate](methods/gate.md)."


def test_the_colours_are_the_reports() -> None:
    light, dark = rules().strip().split("\n")
    for role, pair in ROLES.items():
        assert f"--{role}:{pair[0]};" in light
        assert f"--{role}:{pair[1]};" in dark
    bound = set(re.findall(r"var\(--(\w+)\)", light))
    assert bound <= set(ROLES)
