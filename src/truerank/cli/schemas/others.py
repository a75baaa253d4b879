"""The documents of `documents`, `evaluate`, `import`, `simulate` and `experiment`."""

from __future__ import annotations

from truerank.cli.schemas.building import (
    Schema,
    array,
    by_name,
    flag,
    given,
    number,
    of,
    one_or_several,
    record,
    text,
    whole,
)
from truerank.cli.schemas.common import EXPLAINED, EXPLANATION, SEED, WARNINGS, ends

SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}


def documents() -> Schema:
    """Of one measure and model an object, of several a list. Summaries are described by the registry."""
    from truerank.documents import SUMMARIES
    from truerank.documents.decomposition import Component, Design
    from truerank.documents.document_analysis import SampledSystem
    from truerank.documents.settings import DocumentSettings

    own = {name: value for name, value in _summaries().items() if name not in SUMMARIES}
    known = {name: value for name, value in _summaries().items() if name in SUMMARIES}
    plugged: dict[str, Schema] = {
        name: {"description": f"{one.label}, a summary of a plug-in."}
        for name, one in SUMMARIES.items()
        if name not in known
    }
    level = number("of them, in (0, 1)")
    error_rate = array(ends("of one bin"), "of the error rate, a bin each")
    asl = by_name(ends("of a share"), "of ASL, by its keys")
    decomposition = record(
        "Decomposition",
        "where the variance of scores comes from",
        samples=whole("shared document samples of either size"),
        components=array(of(Component), "five, system first"),
        designs=array(of(Design), "four, the present collection first"),
        movements=array(
            record(
                "Movement",
                "how far the ranking moves when some of the collection is sampled again",
                sampled=text("what is", "documents", "topics", "both"),
                tau=_around("τ with the raw ranking, and where it falls"),
                difference_sd=number(
                    "root mean square, over pairs, of the sd of the difference of two means"
                ),
            ),
            "by what is sampled",
        ),
        advice=text("what helps a comparison more, in one sentence"),
    )
    explained: dict[str, Schema] = {
        "model": given(EXPLANATION, "the document model; ``None`` if it is not known")
    }
    explained |= {name: given(EXPLANATION, one.label) for name, one in SUMMARIES.items()}
    one = record(
        "Analysis",
        "what another collection of documents would do, by one measure and one document model",
        measure=text("its name"),
        model=text("name of the document model, e.g. bst"),
        topics=whole("how many"),
        systems=whole("how many"),
        **known,
        **plugged,
        intervals=record(
            "MonteCarlo",
            "Monte Carlo error: what a summary’s digits are worth at this number of samples",
            optional=plugged,
            level=level,
            krcc=ends("of KRCC"),
            error_rate=error_rate,
            asl=asl,
            ed=ends("of ED"),
        ),
        spread=record(
            "Spreads",
            "where a single sample’s values fall, with their means",
            optional={"level": level} if plugged else None,
            **({} if plugged else {"level": level}),
            tau=_around("τ with the raw ranking"),
            wrong_order=_around("share of pairs in another order"),
            significant=_around("share of significant pairs"),
        )
        | ({"additionalProperties": True} if plugged else {}),
        **own,
        ranking=array(of(SampledSystem), "one a system, best first"),
        decomposition=given(decomposition, "of the measure’s variance; ``None`` with --decomposition 0"),
        explained=record("Explained", "what model and summaries say of themselves", None, **explained),
        warnings=WARNINGS,
        settings=of(DocumentSettings),
    )
    return one_or_several(
        one, "What truerank documents finds: an object, or a list of one a measure and document model."
    )


def _around(about: str) -> Schema:
    """A mean over samples, and where a sample falls."""
    return given(
        record(
            "Spread",
            "a mean over samples, and where a single one falls",
            mean=number("over the samples; NaN where it has none"),
            low=number("lower quantile of the samples; NaN where there is none"),
            high=number("upper quantile; NaN where there is none"),
        ),
        about,
    )


def _summaries() -> dict[str, Schema]:
    """The keys of the summaries that come along."""
    return {
        "krcc": number("mean Kendall’s τ between the raw ranking and that of a sample, in [−1, 1]"),
        "error_rate": {
            "minItems": 21,
            "maxItems": 21,
            **array(
                record(
                    "ErrorRateBin",
                    "pairs that a sample puts so far apart",
                    low=number("lower end of the difference, in units of the measure"),
                    high=number("upper end; infinite for the last"),
                    count=whole("pairs and samples in the bin"),
                    error_rate=number(
                        "share of them in the wrong order, in [0, 1]; NaN where the bin is empty"
                    ),
                ),
                "21 bins of the sampled difference",
            ),
        },
        "asl": record(
            "SignificanceLevels",
            "how much significance moves: ASL is the share of samples in which a pair is significant",
            None,
            **{
                "pct_below_0.05": number("share of pairs with ASL below 0.05, in [0, 1]"),
                "pct_above_0.95": number("share of pairs with ASL of 0.95 or more, in [0, 1]"),
            },
            mean=number("mean ASL, in [0, 1]"),
            raw_significant=number("share of pairs that are significant in the raw scores, in [0, 1]"),
        ),
        "ed": number("estimated difference, in units of the measure"),
        "topic_error": number("mean absolute difference of a topic’s sampled score from the raw one"),
        "ed_pair": array(text("a name"), "the two systems that ED comes from, the better one first"),
    }


def evaluate() -> Schema:
    """The tables that were written."""
    return record(
        "Evaluation",
        "the tables that truerank evaluate wrote",
        tables=array(
            record(
                "EvaluatedTable",
                "one measure’s table",
                measure=text("its name"),
                file=text("where it is"),
                topics=whole("how many"),
                systems=whole("how many"),
                notes=array(text("a sentence"), "what was met on the way"),
            ),
            "one a measure",
        ),
    )


def import_() -> Schema:
    """The table that was written."""
    return record(
        "Imported",
        "the table that truerank import wrote",
        file=text("where it is"),
        long=flag("whether it has a row a score"),
        tables=array(
            record(
                "ImportedTable",
                "the scores of one measure",
                measure=text("its name; empty when unknown"),
                topics=whole("how many"),
                systems=whole("how many"),
                data_sets=whole("how many; 0 where there are none"),
                missing=whole("empty cells"),
                notes=array(text("a sentence"), "what was met on the way"),
            ),
            "one a measure",
        ),
    )


def _model(**more: Schema) -> Schema:
    """A simulation model."""
    return record(
        "Model",
        "a model with a known truth",
        None,
        simulator=text("copula, effects, or one of a plug-in"),
        measure=text("its name; empty when unknown"),
        copula=text("family of the copula; ``None`` of a simulator without"),
        shapes=text("what shapes margins may have, bounded or free; ``None`` where nothing was said"),
        fitted_to_topics=whole("topics of the real scores"),
        changes=array(text("a sentence"), "what was changed in the model since"),
        systems=array(
            record(
                "ModelSystem",
                "one system",
                system=text("its name"),
                true_mean=number("its mean under the model"),
                margin=text("family of its margin; ``None`` of a simulator without"),
            ),
            "in the order of the scores",
        ),
        **more,
    )


def _extended(schema: Schema, optional: dict[str, Schema]) -> Schema:
    return schema | {"properties": schema["properties"] | optional}


def simulate_fit() -> Schema:
    """The fitted model, and its file."""
    return _model(file=text("where the model was written"))


def simulate_sample() -> Schema:
    """The collections that were drawn."""
    return record(
        "Sample",
        "the collections that truerank simulate sample drew",
        model=text("as it was given"),
        seed=SEED,
        topics=whole("of each collection"),
        files=array(text("a path"), "one a collection"),
        true_means=by_name(number("under the model"), "by system, its true mean"),
    )


def simulate_show() -> Schema:
    """The model, and how like real scores it is."""
    from truerank.simulation.likeness import SystemFit

    pair = record(
        "RealAndSimulated",
        "quantiles at the levels",
        real=array(number("a quantile"), "of the real topics"),
        simulated=array(number("a quantile"), "of simulated ones"),
    )
    diagnostics = record(
        "Diagnostics",
        "simulated scores beside the real ones",
        topics=whole("real ones"),
        simulated_topics=whole("simulated ones"),
        tau_b=record(
            "Correlations",
            "τ_b between systems, simulated against real",
            error=number("mean absolute difference over pairs; NaN where no pair varies"),
            bias=number("mean difference, simulated minus real; NaN likewise"),
            noise=number("about the sampling error of the real τ_b itself; NaN below 6 topics"),
        ),
        levels=array(number("in (0, 1)"), "of all quantiles here"),
        difficulty=given(pair, "of a topic’s mean score over systems"),
        systems=array(
            of(
                SystemFit,
                family=text("of its margin; ``None`` of a simulator without"),
                misfit=flag("whether the distance is more than chance"),
            ),
            "one a system",
        ),
    )
    against = {"diagnostics": given(diagnostics, "how like real scores it is; with --against")}
    return _extended(_model(), against)


def experiment() -> Schema:
    """The results of a run so far, and what it compares."""
    about = "what the things of one kind (estimators, coefficients, simulators …) say of themselves, by name"
    found = record(
        "Run",
        "the results of an experiment so far; besides these, a key for each kind of thing it compares",
        experiment=text("its name"),
        parameters=by_name(
            {"anyOf": [SCALAR, array(SCALAR, "several values")]},
            "by name, as truerank experiment list shows them",
        ),
        seed=SEED,
        data=array(
            record(
                "ExperimentData",
                "one source",
                name=text("its name"),
                source=text("the file or the embedded model"),
                fingerprint=text("checksum of its content"),
            ),
            "what it was run on",
        ),
        notes=array(text("a sentence"), "what to know of the results"),
        versions=by_name(text("a version"), "of Python and of the packages that compute"),
        done=whole("tasks that are finished"),
        total=whole("tasks in all"),
        seconds=by_name(number("seconds"), "by part, what the tasks took"),
        tables=by_name(
            array(by_name(SCALAR, "a row, by column"), "a table"),
            "by name, the tables; null where a cell is empty",
        ),
    )
    return found | {"additionalProperties": by_name(EXPLANATION, about)}


def experiment_list() -> Schema:
    """The experiments there are."""
    return array(
        record(
            "Experiment",
            "an experiment",
            None,
            name=text("its name"),
            source=text("the publication’s part that it repeats or extends"),
            **EXPLAINED,
            parameters=array(
                record(
                    "Parameter",
                    "one of its parameters",
                    name=text("as an option of the command line, without the dashes"),
                    default=text("as it would be typed"),
                    help=text("what it does"),
                ),
                "all of them",
            ),
        ),
        "The experiments there are, or the one that was named.",
    )
