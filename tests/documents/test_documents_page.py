"""What is shown of document samples: sentences, tables, figures, and names out of a nightmare."""

from __future__ import annotations

import numpy as np
import pytest
from documents_data import small_collection

from truerank.documents import DocumentAnalyses, DocumentAnalysis
from truerank.documents.analysis import analyze_collection
from truerank.documents.collection import DocumentCollection
from truerank.documents.measures import place_measure


def analysed(collection: DocumentCollection, *models: str) -> DocumentAnalyses:
    ap = place_measure("AP")
    found = [analyze_collection(collection, ap, model, samples=80, seed=4) for model in models]
    return DocumentAnalyses(tuple(found))


@pytest.fixture(scope="module")
def both() -> DocumentAnalyses:
    return analysed(small_collection(), "shared", "kde")


@pytest.fixture(scope="module")
def one(both: DocumentAnalyses) -> DocumentAnalysis:
    return both.analyses[0]


def test_every_table_holds_the_numbers_of_the_json(one: DocumentAnalysis) -> None:
    found = one.to_dict()
    summaries = one.to_frame().set_index("summary")
    assert summaries.loc["KRCC: mean τ", "value"] == found["krcc"]
    assert summaries.loc["KRCC: mean τ", ["sample_low", "sample_high"]].tolist() == [
        found["spread"]["tau"][end] for end in ("low", "high")
    ]
    bins = one.to_frame("error_rates")
    assert len(bins) == len(found["error_rate"]) == 21
    assert np.isinf(bins["to"].iloc[-1])
    assert found["error_rate"][-1]["high"] is None
    pairs = one.scores.m * (one.scores.m - 1) // 2
    assert bins["pairs"].sum() == one.settings.samples * pairs  # no sampled difference is 0 here
    systems = one.to_frame("systems")
    assert systems["sampled_mean"].tolist() == [s["sampled_mean"] for s in found["ranking"]]
    topics = one.to_frame("topics")
    assert topics["score"].tolist() == one.scores.values.ravel().tolist()


def test_several_models_are_one_table_which_says_from_where_on_pairs_keep_their_order(
    both: DocumentAnalyses, one: DocumentAnalysis
) -> None:
    bins = both.to_frame("error_rates")
    assert list(bins["model"].unique()) == ["shared", "kde"]
    assert bins[bins["model"] == "shared"]["pairs"].tolist() == [one_bin.count for one_bin in one.error_rate]
    text = " ".join(str(both.to_markdown()).split())
    for model, rows in bins.groupby("model"):
        kept = rows[rows["from"] > rows[rows["error_rate"] > 0]["from"].max()]
        if len(kept):
            assert f"By {model}, pairs that differ by {kept['from'].min():.2f} or more keep" in text


def test_in_a_browser_the_page_never_scrolls_sideways(opened, both) -> None:
    assert opened(both.to_html(), width=320).evaluate("document.documentElement.scrollWidth") <= 320
