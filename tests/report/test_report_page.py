"""The page as a file: names are text, only its own script runs, intervals are drawn where the numbers are."""

from __future__ import annotations

import base64
import hashlib
import html as entities
import json
import re
from dataclasses import replace

import numpy as np
from report_samples import COMMAND, quick, scores

from truerank._support.tables import Bounded, Column, Name, Ranks, Table
from truerank.report import Asked, page
from truerank.report.outputs import page as made
from truerank.report.view import MOST_ON_PAGE
from truerank.report.views import view
from truerank.scores import ScoreMatrix


def test_the_page_allows_only_its_own_script_and_fetches_nothing(plain_page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', plain_page)[1]
    script = re.search(r"<script>(.*?)</script>", plain_page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src &#39;none&#39;" in policy
    assert f"sha256-{digest}" in policy
    assert "innerHTML" not in script
    assert not re.findall(r'(?:src|srcset|poster|xlink:href)="(?!data:)([^"]*)"', plain_page)
    assert "url(http" not in plain_page
    assert "@import" not in plain_page


def test_the_same_assessment_gives_the_same_bytes(plain, plain_page):
    assert page(plain, Asked(COMMAND)) == plain_page


TABLE = Table(
    "made",
    "Made up.",
    (
        Column("System", Name(), "system"),
        Column("Mean", Bounded(low="l", high="h")),
        Column("Ranks", Ranks()),
    ),
    [("a", (0.5, 0.25, 1.0), (1, 2)), ("b", (0.0, None, None), (1, 3)), ("c", (0.25, 0.0, 0.5), (3, 3))],
)


def test_intervals_are_drawn_where_their_numbers_are():
    """The range of the column is 0 to 1, that of the ranks 0.6 to 3.4."""
    cells, widths = made.cells_of(TABLE)
    drawn = [[re.findall(r'd="M([\d.]+) 7(?:H([\d.]+)|h0)"', cell.bar) for cell in row] for row in cells]
    assert drawn[0] == [[], [("25.0", "100.0"), ("50.0", "")], [("0.0", "64.3")]]
    assert drawn[1] == [[], [], [("0.0", "100.0")]]
    assert drawn[2] == [[], [("0.0", "50.0"), ("25.0", "")], [("71.4", "100.0")]]
    assert widths == [0, len("0.500 (0.250 to 1.000)"), len("1 to 2")]


def test_a_very_long_table_is_cut_and_says_so():
    rows = [(f"s{k}", (0.0, 0.0, 1.0), (1, 2)) for k in range(MOST_ON_PAGE + 1)]
    seen = replace(view(quick(scores(3), "ml")), sections=())
    html = made.page([seen], made.Section("all", "All", tables=[replace(TABLE, rows=rows)]))
    assert f"The first {MOST_ON_PAGE:,} of {MOST_ON_PAGE + 1:,} rows" in html
    assert html.count('<th scope="row"') == MOST_ON_PAGE


def pairs_of(html: str) -> tuple[list[int], str]:
    form = re.search(r'data-wrong="([^"]*)" data-separated="([^"]*)"', html)
    return json.loads(entities.unescape(form[1])), form[2]


def test_the_page_carries_every_probability_of_few_systems(plain, plain_page, many_page):
    wrong, separated = pairs_of(plain_page)
    upper = np.triu_indices(8, 1)
    expected = plain.swap_probabilities[plain.headline_estimator][upper]
    assert np.abs(np.array(wrong) / 1000 - expected).max() <= 0.5 / 1000 + 1e-9
    assert [one == "1" for one in separated] == (plain.above | plain.above.T)[upper].tolist()
    assert "data-wrong" not in many_page


def test_the_drawing_of_pairs_has_the_doubtful_cells(plain, plain_page):
    """Cells by the path of each step, read back as a matrix, against the probabilities."""
    figure = plain_page.split('<figure class="pairs">')[1].split("</svg>")[0]
    found = np.zeros((8, 8), dtype=int)
    for step, path in re.findall(r'<path class="doubt(\d)" d="([^"]*)"', figure):
        for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", path):
            found[int(y), int(x) : int(x) + int(width)] = int(step)
    p = plain.swap_probabilities[plain.headline_estimator]
    steps = (p >= 0.05).astype(int) + (p >= 0.15) + (p >= 0.25) + (p >= 0.4)
    steps[(plain.above | plain.above.T) | np.eye(8, dtype=bool)] = 0
    np.testing.assert_array_equal(found, steps)


def test_identical_systems_are_no_sure_pair():
    values = scores(6).values.copy()
    values[:, 3] = values[:, 2]
    html = quick(ScoreMatrix.build(values), "msqd").to_html()
    assert "of the 14 pairs whose scores differ" in html  # 15 less that of the twins
