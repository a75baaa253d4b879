from __future__ import annotations

import gzip
from pathlib import PurePath

import numpy as np
import pandas as pd
import pytest

from truerank.errors import InputError, UnknownNameError
from truerank.readers import evaluate
from truerank.readers.run_formats import read_qrels, read_run

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}, "3": {"e": 1}}
RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "d": 1.0}, "3": {"e": 1.0}}
OTHER = {"1": {"c": 3.0, "a": 2.0, "b": 1.0}, "2": {"d": 2.0, "a": 1.0}, "3": {"e": 1.0}}


def run_lines(run, tag="A"):
    return "".join(
        f"{topic} Q0 {doc} {rank} {score} {tag}\n"
        for topic, docs in run.items()
        for rank, (doc, score) in enumerate(sorted(docs.items(), key=lambda d: -d[1]), start=1)
    )


def qrels_lines(qrels):
    return "".join(f"{t}\t0\t{d}\t{r}\n" for t, docs in qrels.items() for d, r in docs.items())


def average_precision(scored, judged, level=1):
    """By the definition, ranked as trec_eval ranks: by 32-bit score, then document id, both descending."""
    ranking = sorted(scored, key=lambda d: (np.float32(scored[d]), d), reverse=True)
    relevant = [judged.get(d, 0) >= level for d in ranking]
    total = sum(r >= level for r in judged.values())
    return sum(sum(relevant[: k + 1]) / (k + 1) for k in range(len(relevant)) if relevant[k]) / max(total, 1)


def refuse(message, qrels, runs, measure="AP", error=InputError, **kwargs):
    with pytest.raises(error, match=message) as caught:
        evaluate(qrels, runs, measure, **kwargs)
    assert "\n" not in str(caught.value)


# ── values ────────────────────────────────────────────────────────────────────────────────────────


def test_by_hand():
    scores = evaluate(QRELS, {"A": RUN, "B": OTHER}, "AP")
    assert scores.topics == ("1", "2", "3")
    assert scores.systems == ("A", "B")
    assert scores.measure == "AP"
    np.testing.assert_allclose(scores.values, [[(1 + 2 / 3) / 2, 1], [0.5, 1], [1, 1]], rtol=0, atol=1e-15)
    assert evaluate(QRELS, {"A": RUN}, "P_10").values[:, 0].tolist() == pytest.approx([0.2, 0.1, 0.1])


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_files_frames_and_dictionaries_agree(write, compress, end):
    expected = evaluate(QRELS, {"A": RUN, "B": OTHER}, "AP")
    qrels = write("qrels", qrels_lines(QRELS).replace("\n", end), compress)
    a = write("runs/a.txt", run_lines(RUN, "A").replace("\n", end), compress)
    b = write("runs/b.txt", run_lines(OTHER, "B").replace(" ", "\t").replace("\n", end), compress)
    frame = pd.DataFrame(
        [(t, d, s) for t, docs in RUN.items() for d, s in docs.items()], columns=["qid", "docno", "score"]
    )
    judged = pd.DataFrame(
        [(int(t), d, r) for t, docs in QRELS.items() for d, r in docs.items()],
        columns=["query_id", "doc_id", "relevance"],
    )
    folder = a.rsplit("/", 1)[0]
    write("runs/.hidden", "no run at all")
    for given in ([a, b], folder, [folder], {"A": a, "B": b}, {"A": frame, "B": OTHER}):
        for judgments in (qrels, QRELS, judged):
            assert evaluate(judgments, given, "AP").fingerprint() == expected.fingerprint()


@pytest.mark.parametrize("level", [None, 2])
def test_real_runs_against_the_definition(data, level):
    folder = data / "robust03"
    path = folder / "runs" / "input.uic0301.gz"  # with ties
    qrels: dict[str, dict[str, int]] = {}
    for line in gzip.decompress((folder / "robust03_qrels.txt.gz").read_bytes()).decode().splitlines():
        topic, _, doc, relevance = line.split()
        qrels.setdefault(topic, {})[doc] = int(relevance)
    run: dict[str, dict[str, float]] = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        topic, _, doc, _, score, _ = line.split()
        run.setdefault(topic, {})[doc] = float(score)
    scores = evaluate(folder / "robust03_qrels.txt.gz", [path], "map", relevance_level=level)
    expected = [average_precision(run[topic], qrels[topic], level or 1) for topic in scores.topics]
    np.testing.assert_allclose(scores.values[:, 0], expected, rtol=0, atol=1e-12)
    assert scores.measure == ("AP" if level in (None, 1) else "AP(rel=2)")
    import ir_measures

    measure = ir_measures.AP(rel=level or 1)
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    assert [theirs[topic] for topic in scores.topics] == scores.values[:, 0].tolist()


def test_ties_are_broken_by_document_id_descending():
    qrels = {"1": {"x": 1, "y": 0}}
    scores = evaluate(
        qrels, {"tied": {"1": {"x": 1.0, "y": 1.0}}, "close": {"1": {"x": 1 + 1e-12, "y": 1.0}}}, "AP"
    )
    assert scores.values.tolist() == [[0.5, 0.5]]  # trec_eval keeps 32 bits: the close ones tie too
    assert "2 of 2 runs with tied scores" in "\n".join(scores.warnings)


# ── measures ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("measure", ["AP@2", "nDCG", "Bpref", "SetP", "infAP"])
def test_measures_equal_those_of_ir_measures(measure):
    import ir_measures

    scores = evaluate(QRELS, {"A": RUN, "B": OTHER}, measure)
    parsed = ir_measures.parse_measure(measure)
    for s, run in enumerate((RUN, OTHER)):
        for metric in ir_measures.iter_calc([parsed], QRELS, run):
            assert scores.values[scores.topics.index(metric.query_id), s] == metric.value


def test_unusable_measures():
    refuse("did you mean 'P@10'", QRELS, {"A": RUN}, "PP@10", error=UnknownNameError)
    refuse("needs a package that is not installed; .*pyndeval", QRELS, {"A": RUN}, "alpha_nDCG@10")
    refuse("needs a cutoff", QRELS, {"A": RUN}, "P")
    refuse("run 'A' cannot be evaluated by Accuracy@10 .*choose another", QRELS, {"A": RUN}, "Accuracy@10")
    with pytest.raises(InputError, match="no measure"):
        evaluate(QRELS, {"A": RUN}, [])


# ── topics ────────────────────────────────────────────────────────────────────────────────────────


def notes_of(qrels, runs, measure="AP"):
    return "\n".join(evaluate(qrels, runs, measure).warnings)


def test_topics_that_a_run_lacks_get_the_default():
    short = {"1": RUN["1"], "3": {}}
    scores = evaluate(QRELS, {"A": RUN, "S": short}, "AP")
    assert scores.values[1:, 1].tolist() == [0, 0]
    assert (
        "1 of 2 runs lacking topics, which get the measure's default score (S: 2 topics)" in scores.warnings
    )


def test_topics_of_no_run_are_left_out():
    scores = evaluate({**QRELS, "4": {"z": 1}}, {"A": RUN}, "AP")
    assert scores.topics == ("1", "2", "3")
    assert "no run covers 1 of the 4 topics in the qrels; left out" in scores.warnings


def test_unjudged_documents():
    assert "unjudged" not in notes_of(QRELS, {"A": RUN})  # no news is good news
    half = {"1": {"a": 2.0, "x": 1.0}}
    notes = notes_of(QRELS, {"A": RUN, "H": half})
    assert "unjudged documents in the top ten: 25.0% on average, most in H (50.0%)" in notes
    assert "1 of 2 runs with more than 10% unjudged documents" in notes
    assert "no document of any run is judged" in notes_of(QRELS, {"A": {"1": {"x": 1.0}}})


def test_no_common_topics():
    refuse(
        r"A: run and qrels have no topic in common \(the run has 'q1', the qrels have '1'\)",
        QRELS,
        {"A": {"q1": RUN["1"]}},
    )
    refuse("B: run and qrels have no topic", QRELS, {"A": RUN, "B": {"q1": RUN["1"]}})
    refuse("no two runs have a topic in common", QRELS, {"A": {"1": RUN["1"]}, "B": {"2": RUN["2"]}})


# ── run files ─────────────────────────────────────────────────────────────────────────────────────


def test_ranks_that_contradict_the_scores(write):
    path = write("a", "1 Q0 a 1 0.5 A\n1 Q0 b 2 0.9 A\n2 Q0 a 1 1 A\n2 Q0 d 1 2 A\n3 Q0 e 1 1 A\n")
    scores = evaluate(QRELS, [path], "AP")
    assert (
        "1 of 1 run with ranks that contradict the scores; the scores count (A: 1 topic)" in scores.warnings
    )
    assert scores.values[0, 0] == pytest.approx(0.25)
    for ranks_say_nothing in ("1 Q0 a 0 0.5 A\n1 Q0 b 0 0.9 A\n", "1 Q0 a - 0.5 A\n1 Q0 b - 0.9 A\n"):
        assert "ranks" not in notes_of(QRELS, [write("b", ranks_say_nothing)])


def test_names(write):
    a = write("input.one.txt.gz", run_lines(RUN, "T"), compress=True)
    b = write("two.run", run_lines(OTHER, "U"))
    assert evaluate(QRELS, [a, b], "AP").systems == ("T", "U")
    assert evaluate(QRELS, [a, b], "AP", names="file").systems == ("one", "two")
    c = write("c.res", run_lines(OTHER, "T"))
    scores = evaluate(QRELS, [a, b, c], "AP")
    assert scores.systems == ("one", "U", "c")
    assert "several files have the tag T; these systems are called by their file" in scores.warnings
    d = write("x/one.txt", run_lines(OTHER, "T"))
    alike = evaluate(QRELS, [a, d], "AP")  # of one name, but in folders of their own
    assert alike.systems == (PurePath(a).parent.name, "x")
    e = write("one.run", run_lines(OTHER, "T"))
    refuse("called 'one', as that of .*; rename", QRELS, [a, e])
    refuse("given twice", QRELS, [a, a])
    refuse("did you mean 'file'", QRELS, [a], error=UnknownNameError, names="files")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 Q0 a 1 2 A\n\n1 Q0 b 2 A\n", r"a:3: 5 columns, but a run has 6"),
        ("# by A\n1 Q0 a 1 2 A\n1 Q0 b 2 x A\n", r"a:3: .* has the score 'x'"),
        ("1 0 a 1\n", r"a:1: 4 columns, but a run has 6"),
        ("\n1 Q0 a 1 2 A\n1 Q0 b 2 x A\n", r"a:3: document 'b' of topic '1' has the score 'x'"),
        ("1 Q0 a 1 2 A\n1 Q0 b 2 nan A\n", r"a:2: document 'b' of topic '1' has the score 'nan'"),
        ("1 Q0 a 1 2 A\n\r\n1 Q0 b 2 1 A\n1 Q0 a 3 0 A\n", "a:4: document 'a' already has a score for"),
        ("", "a: the file is empty"),
    ],
)
def test_unusable_run_files(write, lines, message):
    refuse(message, QRELS, [write("a", lines)])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 0 a 1\n1 0 b\n", r"q:2: 3 columns, but qrels have 4"),
        ("\n1 0 a x\n", r"q:2: document 'a' of topic '1' has the relevance 'x'; a relevance is"),
        ("1 0 a 1\n\n1 0 a 0\n", r"q:3: document 'a' already has a relevance for topic '1', at .*q:1;"),
    ],
)
def test_unusable_qrels_files(write, lines, message):
    refuse(message, write("q", lines), {"A": RUN})


def test_judgments_given_twice_alike_are_fine(write):
    assert evaluate(write("q", qrels_lines(QRELS) * 2), {"A": RUN}, "AP").n == 3


@pytest.mark.parametrize(
    ("qrels", "runs", "message"),
    [
        (QRELS, [], "no runs"),
        (QRELS, ["/no/such/run"], "no such file"),
        ({}, {"A": RUN}, "qrels: no judgments"),
        ({"1": ["a"]}, {"A": RUN}, "qrels: give a path, a data frame or a dictionary"),
        (QRELS, {"A": {}}, "run 'A': no documents"),
        ({"\ud800": {"a": 1}}, {"A": RUN}, r"qrels: the name of topic '\\ud800' is not text"),
        (
            QRELS,
            {"A": pd.DataFrame({"qid": [1], "docno": ["\udfff"], "score": [1]}, dtype=object)},
            r"run 'A', row 1: the name of document '\\udfff' is not text",
        ),
        (
            QRELS,
            {"A": pd.DataFrame({"qid": [1, 1], "docno": ["a", "a"], "score": [1, 2]})},
            "run 'A', row 2: document 'a' already has a score for topic '1'",
        ),
        (QRELS, {"A": {"1": {"a": 1.0}, 1: {"a": 2.0}}}, "document 'a' already has a score for topic '1'"),
    ],
)
def test_unusable_input(qrels, runs, message):
    refuse(message, qrels, runs)


def test_comments_and_words_after_the_tag_are_left_out(write):
    """A topic may be called #1; a comment is a line of another shape."""
    plain = "1 Q0 a 1 2.5 A\n1 Q0 b 2 1 A\n#1 Q0 a 1 3 A\n"
    noted = "# a run\n" + plain.replace("2.5 A", "2.5 A with words") + "#\n# the end of this long run\n"
    assert read_run(write("b", noted)).documents == read_run(write("a", plain)).documents
    assert set(read_run(write("a", plain)).documents) == {"1", "#1"}
    judged = "# topic 0 document relevance\n1 0 a 1\n#1 0 a 2\n"
    assert read_qrels(write("q", judged)) == {"1": {"a": 1}, "#1": {"a": 2}}
