from __future__ import annotations

import pytest

from truerank.errors import InputError, UnknownNameError
from truerank.readers.measures import parse_measure


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nDGC@10", "did you mean 'nDCG@10'"),
        ("ndcg_10", "did you mean 'ndcg_cut_10'"),
        ("", "unknown measure ''"),
    ],
)
def test_unknown_names(name, message):
    with pytest.raises(UnknownNameError, match=message):
        parse_measure(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("P", "needs a cutoff; write for instance P@10"),
        ("P@x", "parameters cannot be read"),
        ("AP(rel=0)", "rel must be between 1 and"),
        ("official", "stands for 28 measures"),
    ],
)
def test_unusable_parameters(name, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        parse_measure(name)


def test_trec_evals_names_are_known_without_its_code():
    """The names that are listed are those that ir_measures makes one measure of."""
    import pytrec_eval

    from truerank.readers import measures

    for name in pytrec_eval.supported_measures:
        for tail in ("", "_10", ".5", "_0.5", "_10x", "_", "_1,2"):
            try:
                wanted = measures._lookup(name + tail) is not None
            except InputError:
                wanted = False
            assert measures.known(name + tail) == wanted, name + tail


def test_ir_measures_names_are_known_without_its_code():
    """The names that are listed are those that it has, and with parameters what it can parse."""
    import ir_measures

    from truerank.readers import measures

    tails = (
        "",
        "@10",
        "(rel=2)",
        "(rel=2, judged_only=True)@5",
        "(dcg='log2')@10",
        "(gains={1:2})",
        "@1.5",
        "()",
    )
    wrong = ("@", "@x", "(2)", "(rel)", "(rel=2", "(rel=x)", "x", "@-1", "@1.2.3", "@10@5", "@010", "_IA_")
    for base in (*ir_measures.measures.registry, "BM25", "DCG", "dense", "F1", "MAPS"):
        for name in (
            spelled + tail for spelled in (base, base.upper(), base.lower()) for tail in tails + wrong
        ):
            try:
                parsed = measures._lookup(name) is not None
            except InputError:
                parsed = False
            assert measures.known(name) == (parsed or measures._OF_TREC_EVAL.fullmatch(name) is not None), (
                name
            )
