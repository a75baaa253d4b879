"""Measures by name: ir_measures' own (``AP``, ``P@10``) and trec_eval's (``map``, ``P_10``)."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError, UnknownNameError, unknown_name
from truerank.readers.options import UnsureError

LONGEST = 200
"""Characters of the longest name or number that is looked at."""


class Short:
    """A pattern that no text of more characters fits.

    >>> pattern = Short(r"(.*\\ )?q\\d+")
    >>> bool(pattern.fullmatch("a q1")), bool(pattern.fullmatch(" " * 1000 + "q1"))
    (True, False)
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        """Compile the pattern, as `re.compile` does."""
        self._pattern = re.compile(pattern, flags)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """As of a compiled pattern; None for a long text."""
        return self._pattern.fullmatch(text) if len(text) <= LONGEST else None

    def match(self, text: str) -> re.Match[str] | None:
        """As of a compiled pattern; None for a long text."""
        return self._pattern.match(text) if len(text) <= LONGEST else None

    def sub(self, new: str, text: str) -> str:
        """As of a compiled pattern; a long text is returned as it is."""
        return self._pattern.sub(new, text) if len(text) <= LONGEST else text


_PARTS = Short(r"(?P<base>[^@(]+?)(?P<tail>[@(].*|[_.][0-9][0-9.,]*)?")


def parse_measure(name: str | Any) -> Any:
    """The ir_measures measure called `name`, in ir_measures' or trec_eval's spelling, in any case."""
    import ir_measures

    measure: Any = name if isinstance(name, ir_measures.Measure) else _lookup(str(name).strip())
    if measure is None:
        raise _unknown(str(name))
    for parameter, info in measure.SUPPORTED_PARAMS.items():
        if info.required and parameter not in measure.params:
            example = f"{measure}@10" if parameter == measure.AT_PARAM else f"{measure}({parameter}=…)"
            raise InputError(f"measure {str(name)!r} needs a {parameter}; write for instance {example}")
    try:
        measure.validate_params()
    except AssertionError as error:
        raise InputError(f"measure {str(name)!r}: {error}; see the measure's page of ir_measures") from None
    for parameter in ("cutoff", "rel"):
        if not 1 <= measure.params.get(parameter, 1) <= 10**9:
            # trec_eval's code would end the whole process at a cutoff of 0.
            raise InputError(f"measure {str(name)!r}: {parameter} must be between 1 and a thousand million")
    return measure


def measure_name(measure: Any) -> str | None:
    """The name of a measure that is asked for by name or as a measure of ir_measures.

    >>> import ir_measures
    >>> measure_name("map"), measure_name(ir_measures.nDCG @ 10), measure_name(None)
    ('map', 'nDCG@10', None)
    """
    if measure is None or isinstance(measure, str):
        return measure
    import ir_measures

    if isinstance(measure, ir_measures.Measure):
        return str(measure)
    kind = "several; ask for them one by one" if isinstance(measure, (list, tuple, set)) else "no measure"
    raise InputError(f"measure={measure!r:.60} is {kind}: give a name, such as measure='AP'")


def at_level(measure: Any, level: int | None) -> Any:
    """The measure with the relevance level from which documents count as relevant.

    >>> str(at_level(parse_measure("P@10"), 2))
    'P(rel=2)@10'
    """
    if level is None:
        return measure
    if isinstance(level, bool) or int(level) != level or level < 1:
        raise InputError(f"the relevance level must be a whole number from 1 on, not {level}")
    if "rel" not in measure.SUPPORTED_PARAMS:
        raise InputError(f"measure {measure} has no relevance level; leave the level out for it")
    if measure.params.get("rel", level) != level:
        raise InputError(f"measure {measure} names its own relevance level; leave out the level {level}")
    return measure(rel=int(level))


_OF_TREC_EVAL = Short(
    r"ndcg|set_map|set_P|infAP|bpref|num_rel_ret|recip_rank|set_recall|set_relative_P|num_ret|num_rel|Rprec|num_q"
    r"|map|set_F(?:[_.]\d+(?:\.\d+)?)?|iprec_at_recall[_.]\d+(?:\.\d+)?"
    r"|(?:P|recall|success)_\d+|(?:map|ndcg)_cut[_.]\d+"
)
"""What trec_eval calls the measures that ir_measures has, each alone or with its one parameter."""

_NUMBER = r"(0|[1-9]\d*)(\.\d+)?"
_PARAMETER = rf"\w+ *= *({_NUMBER}|True|False|'[\w-]*'|{{[^{{}}]*}})"
_OF_IR_MEASURES = Short(
    r"(accuracy|m?ap(_ia)?|bpm|bpref|compat|n?err_ia|err|(alpha|α)_n?dcg|n?nrbp|p_ia|strecall|ins[tq]|infap|iprec"
    r"|judged|ndcg|sdcg|nerr(8|9|10|11)|num(q|rel|ret|relret)|p|precision|r|recall|rbp|rprec|m?rr"
    r"|set(relp|ap|[prf])|success)"
    rf"( *\( *({_PARAMETER}( *, *{_PARAMETER})*)? *\))?( *@ *{_NUMBER} *)?",
    re.IGNORECASE,
)
"""What ir_measures calls its measures, in any case, with parameters."""


def known(name: str) -> bool:
    """Whether `name` is a measure's name; no library of measures is imported to ask."""
    return any(names.fullmatch(name) for names in (_OF_IR_MEASURES, _OF_TREC_EVAL))


def canonical(name: str) -> str | None:
    """ir_measures' spelling of a measure's name, or None: ``map`` and ``AP`` both give ``AP``."""
    try:
        measure = _lookup(name)
        return None if measure is None else str(measure)
    except (InputError, KeyError):
        return None  # ir_measures parses parameters that a measure does not have, and cannot write them


def same_measure(one: str, other: str) -> bool:
    """Whether two names are of one measure, as ``map`` and ``ap``, or ``P@10`` and ``p10`` of a file.

    >>> same_measure("p10", "P@10"), same_measure("ap", "MAP"), same_measure("a", "b")
    (True, True, False)
    """
    if one == other:
        return True
    spelled = [re.sub(r"(?<=[a-z])(\d+)$", r"@\1", name, flags=re.IGNORECASE) for name in (one, other)]
    meant = [canonical(name) or canonical(at) for name, at in zip((one, other), spelled, strict=True)]
    return meant[0] is not None and meant[0] == meant[1]


def pick_measure(names: Sequence[str], wanted: str | None, where: str) -> str:
    """Which of the measures `names` of a file is meant by `wanted`."""
    if wanted is None:
        if len(names) == 1:
            return names[0]
        what = f"{where}{len(names)} measures ({few(names, 8)}); choose one"
        raise UnsureError(what, ({"measure": names[0]}, "or another one"))
    if wanted in names:
        return wanted
    spelled = wanted.removesuffix(",none").casefold()  # lm-evaluation-harness calls acc of no filter acc,none
    same = [name for name in names if name.casefold() == spelled]
    if len(same) != 1:
        meant = canonical(wanted)
        same = [name for name in names if meant is not None and canonical(name) == meant]
    if len(same) != 1:
        error = unknown_name("measure", wanted, names)
        raise UnknownNameError(f"{where}{error}")
    return same[0]


def _lookup(name: str) -> Any | None:
    """The measure that ir_measures calls so, in any case, or trec_eval; None where there is none."""
    import ir_measures
    import pytrec_eval

    base, tail = _split(name)
    in_any_case = {key.casefold(): key for key in ir_measures.measures.registry}
    for spelling in (name, in_any_case.get(base.casefold(), base) + tail):
        try:
            return ir_measures.parse_measure(spelling)
        except NameError:
            continue
        except (ValueError, TypeError):
            if base.casefold() in in_any_case:
                raise InputError(
                    f"measure {name!r}: its parameters cannot be read; write them as in AP(rel=2)@10"
                ) from None
    # Checked because ir_measures overlooks what follows the number: P_10x would be P_10.
    base = re.sub(r"[_.][0-9]+(\.[0-9]+)?$", "", name)
    if base not in pytrec_eval.supported_measures and base not in pytrec_eval.supported_nicknames:
        return None
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it prints what it skips
            found = ir_measures.parse_trec_measure(name)
    except ValueError:
        return None
    if len(found) > 1:
        raise InputError(f"measure {name!r} stands for {len(found)} measures; write one, such as {found[0]}")
    return found[0]


def _split(name: str) -> tuple[str, str]:
    parts = _PARTS.fullmatch(name)
    return (parts["base"], parts["tail"] or "") if parts else (name, "")


def _unknown(name: str) -> UnknownNameError:
    import ir_measures
    import pytrec_eval

    _, tail = _split(name)
    # Where only the case differs the last wins: nDCG, which ir_measures has before its alias NDCG.
    names = [*sorted(pytrec_eval.supported_measures), *reversed(ir_measures.measures.registry)]
    # The nearest name is wanted with the parameters that were typed: nDGC@10 means nDCG@10.
    return unknown_name("measure", name, [base + tail for base in names if canonical(base + tail)] or names)


def without_scores(kind: str, all_: Iterable[str], left: Iterable[str], measure: str) -> list[Note]:
    """A note on the systems or data sets that have no score by a measure, where there are some."""
    there = set(left)
    gone = [name for name in dict.fromkeys(all_) if name not in there]
    if kind == "system":
        note = Note("systems-left-out", {"case": "no-score", "measure": measure}, systems=tuple(gone))
    else:
        note = Note("topics-left-out", {"case": "no-score", "measure": measure, "data_sets": gone})
    return [note] if gone else []
