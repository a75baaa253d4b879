"""The notebooks that the site shows; `make validate` runs one, and `python -m validation notebooks` all."""

from __future__ import annotations

import pytest

from scripts.site.notebooks import page_of
from validation.notebooks import FOLDER, NAMES, differences, executed, notebook

pytest.importorskip("nbclient")


def test_all_of_them_are_known():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(NAMES)


@pytest.mark.validation
@pytest.mark.filterwarnings("default")  # what Jupyter does with sockets and event loops is not ours
def test_the_quickest_shows_what_is_stored():
    stored = notebook(NAMES[0])
    assert differences(stored, executed(stored)) == []


@pytest.mark.parametrize("name", NAMES)
def test_what_is_stored_was_run_in_order_without_an_error(name):
    cells = [cell for cell in notebook(name).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "error"]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_the_code_and_what_it_showed(name):
    page = page_of((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"), name)
    assert page.startswith("# Notebook: ")
    assert f"({name}.ipynb)" in page
    for cell in notebook(name).cells:
        assert cell.source in page
        for output in cell.get("outputs", []):
            html = output.get("data", {}).get("text/html", "<table dataframe")
            text = output.get("text") or output.data["text/plain"]
            shown = text if "dataframe" in html else "<svg"
            assert all(line.rstrip() in page for line in shown.splitlines())
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert "https://" not in page
