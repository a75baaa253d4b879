"""An assessment in sentences: the answer, and what its sections say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from truerank._support.arguments import doing
from truerank._support.wording import level_text, listed, number, percent, rough, score_digits
from truerank.battles import Scale
from truerank.planning.beliefs import tau_of_twice
from truerank.reliability.fragility import Fragility
from truerank.reliability.leader import Leader
from truerank.reliability.results import Assessment, Estimate, RankedSystem
from truerank.report.sampled import basis, clusters_of, levels_counted, levels_like, one_score_each
from truerank.report.views import by, subject
from truerank.report.views.arena import style_answer, style_of
from truerank.report.views.noise import noise_sentence
from truerank.report.views.over_time import records_answer
from truerank.report.views.trade_off import trade_off_answer
from truerank.report.words import bias_sentence, gain_sentence, symbol

FEW = 3
"""Systems that a sentence of the answer names; the rest are counted."""

SENTENCES = 5
"""Of the answer; what was asked for goes before what is always said."""

FEW_DATA_SETS = 30
"""Data sets, in effect, up to which ranges may hold less often (docs/methods/evidence/ranks.md)."""

NO_EVIDENCE = "This restates the size of the lead; it is not new evidence."


def subject_of(a: Assessment) -> str:
    """What was assessed: ``AP · 74 systems · 50 topics``."""
    scores, topics = a.scores, a.sampled.many
    on = []
    if scores.machine is not None:
        on = [f"{scores.kind.units} human {topics}", f"{len(scores.machine.topics):,} machine {topics}"]
    elif not scores.kind.by_cells:
        on = [basis(a)]
    elif not one_score_each(a):
        on = [f"{scores.n:,} {topics}{clusters_of(a)}"]
    sets = f"{scores.k} data sets" if scores.k > 1 else ""
    return subject(scores.measure, f"{scores.m} systems", *on, sets)


def subject_words(a: Assessment) -> str:
    """What is ranked: ``of 22 systems by AP on 50 topics``, or ``in 900 battles at equal length``."""
    equal = f" at equal {style_of(a)}" if a.covariates else ""
    return f"of {systems_words(a)} {'on' if a.scores.kind.by_cells else 'in'} {basis(a)}{equal}"


def systems_words(a: Assessment) -> str:
    """How many systems are ranked, by what: ``22 systems by AP``."""
    return f"{a.scores.m:,} systems{by(a.measure)}"


def true_ranking(a: Assessment) -> str:
    """What the true ranking is."""
    how = "" if a.arena is None else ", under the same matchmaking: which pairs meet, and how often"
    if a.noise is not None and a.noise.random:
        how += f" and {levels_like(a.noise.random)} like these"
    return f"The true ranking is the one over infinitely many {a.counted.many} of this kind{how}."


def answer(a: Assessment, truth: Mapping[str, float] | None = None) -> list[str]:
    """The answer, at most five sentences and one more where the truth is known."""
    leader, asked, picked = list(leads(a.ranking)), _asked(a), picked_in_answer(a)
    room = max(SENTENCES - 1 - len(leader) - len(picked) - len(asked), 0)
    gain = [] if a.machine is None else [gain_sentence(a.machine, a.sampled)][:room]
    before = list(_pairs_in_order(a))[: room - len(gain)]
    after = list(_twice(a))[: room - len(gain) - len(before)]
    found = [_agreement(a), *before, *leader, *picked, *gain, *asked, *after]
    if truth is not None:
        known = " and ".join(f"{symbol(name)} = {number(value, 2)}" for name, value in truth.items())
        found.append(f"The truth is known here: the ranking agrees with it at {known}.")
    return found


def _asked(a: Assessment) -> list[str]:
    """What the settings ask for: the best, the machine's biases, runs and levels, style, the baseline."""
    found = list(_best(a))
    found += [] if a.machine is None else bias_sentence(a.machine, score_digits(means_shown(a)))
    found += [*trade_off_answer(a), *records_answer(a), *noise_sentence(a), *style_answer(a)]
    return found + ([_against_baseline(a)] if a.settings.baseline is not None and a.baseline else [])


def picked_in_answer(a: Assessment) -> list[str]:
    """What the answer says of the leader's score, where what is asked for leaves room."""
    if a.leader is None:
        return []
    asked, scale, worst = a.settings, None if a.arena is None else a.arena.scale, a.ranking[0].rank_high
    room = SENTENCES - 1 - len(list(leads(a.ranking))) - len(_asked(a))
    given = asked.tried is not None
    own = a.ranking[0].mean_high
    said = picked_sentence(a.leader, scale, means_shown(a), worst, given, asked.guarantee, own)
    return list(said)[: max(room, 0)]


def macro_of(coefficient: str) -> str:
    """What macros of a coefficient are called: ``Tau``, ``TauAP``."""
    return coefficient.capitalize().replace("_ap", "AP")


def headline(a: Assessment) -> Estimate:
    """The estimate that leads: τ where it was computed, by the headline estimator."""
    own = [e for e in a.estimates if e.estimator == a.headline_estimator]
    return next((e for e in own if e.coefficient == "tau"), own[0])


def _agreement(a: Assessment) -> str:
    estimate, level = headline(a), a.settings.levels[0]
    if estimate.dependence is None:
        return (
            f"Only split-half was computed: it compares two samples of {a.sampled.many}, and does not "
            "estimate how close the ranking is to the true one."
        )
    coefficient = symbol(estimate.coefficient)
    if math.isnan(estimate.estimate):
        return f"{estimate.estimator} has no estimate of {coefficient} for the ranking {subject_words(a)}."
    interval = estimate.interval(level)
    inside = ""
    if interval:
        low, high = number(interval.low, 2), number(interval.high, 2)
        ends = [low, *([high] if high != low else [])]
        inside = f" ({level_text(level)} interval {' to '.join(ends)})"
    return (
        f"The ranking {subject_words(a)} is expected to agree with the true one{_scope(a)} at "
        f"{coefficient} = {number(estimate.estimate, 2)}{inside}."
    )


def _scope(a: Assessment) -> str:
    """The population that the ranking is to hold on, where there are several data sets or levels."""
    if a.scores.k == 1:
        return _these_levels(a)
    levels = "" if a.noise is None or not a.noise.random else _these_levels(a)
    if a.settings.generalize_to.startswith("data_sets"):
        return f" on new data sets like these{levels}"
    return f" on new {a.sampled.many} of these {a.scores.k:,} data sets{levels}"


def _these_levels(a: Assessment) -> str:
    """The levels of facets that the ranking is about, where it is to hold on no others."""
    if a.noise is not None and a.noise.random:
        return f" for other {levels_like(a.noise.random)} like these"
    facets = a.scores.facets
    if facets is None or not facets.several or a.settings.generalize_to != "topics":
        return ""
    counts = [levels_counted(facets, name) for name in facets.several]
    return f" over these {' and '.join(counts)}"


def pairs_in_order(a: Assessment) -> list[int]:
    """τ as pairs in the right order, of a hundred, with its interval: 100 (1 + τ)/2; none without τ."""
    estimate = headline(a)
    if estimate.coefficient != "tau" or estimate.dependence is None or math.isnan(estimate.estimate):
        return []
    interval = estimate.interval(a.settings.levels[0])
    ends = (interval.low, interval.high) if interval else (estimate.estimate,) * 2
    return [round(50 * (1 + max(-1.0, min(1.0, value)))) for value in (estimate.estimate, *ends)]


def _pairs_in_order(a: Assessment) -> Iterator[str]:
    shares = pairs_in_order(a)
    if not shares:
        return
    about, low, high = shares
    between = f" ({low} to {high})" if shares[1] < shares[2] else ""
    yield f"Of every 100 pairs of systems, about {about}{between} are in the right order."


def ranges_hold(a: Assessment) -> str:
    """How surely all rank ranges hold together, as it was measured; empty where there are none."""
    if a.ranking[0].rank_low is None:
        return ""
    sure = "confidence" if a.settings.guarantee else "probability"
    level = f"{level_text(a.settings.levels[0])} {sure}"
    aim = f"All ranges aim at {level} together"
    if any(note.code == "skewed" for note in a.notes):
        return f"{aim}, and hold less often where differences are skewed."
    if a.means.of_data_sets and a.means.effective <= FEW_DATA_SETS:
        return (
            f"{aim}, and may hold less often with so few data sets (see “Rank ranges” in the documentation)."
        )
    return f"All ranges hold together with {level}."


def leads(ranking: Sequence[RankedSystem]) -> Iterator[str]:
    """The leader, and who may equal it: by the rank ranges and nothing else."""
    leader, *rest = ranking
    if leader.rank_low is None:
        return
    equal = [s.system for s in rest if s.rank_low == 1]
    who = listed([leader.system])
    if not equal:
        yield f"{who} leads, and no other system may be first."
    elif len(equal) == len(rest):
        yield f"{who} leads, but any of the {len(ranking):,} systems may be first."
    else:
        others = f"{len(equal):,} other system{'s' if len(equal) > 1 else ''}"
        yield f"{who} leads, but {others} may be first: {listed(equal, FEW)}."


def _best(a: Assessment) -> Iterator[str]:
    """The systems that may be in the true top K, where it was asked for."""
    best, k = a.best, a.settings.best
    if k is None:
        return
    what = "system" if k == 1 else f"{k}"
    if best is None:
        yield f"Which systems may be the true top {what} is not known: there are no rank ranges."
    elif len(best.systems) == len(a.ranking) > 1:
        yield f"Any of the {len(a.ranking)} systems may be in the true top {what}."
    else:
        sure = "confidence" if a.settings.guarantee else "probability"
        among = f"these {len(best.systems)}: {listed(best.systems, 6)}"
        yield f"With {level_text(best.level)} {sure} the true top {what} is among {among}."


def means_shown(a: Assessment) -> list[float]:
    """The scores that are ranked, whose size sets their digits."""
    return [one.mean for one in a.ranking]


def picked_sentence(
    found: Leader,
    scale: Scale | None,
    scores: Sequence[float],
    worst: int | None,
    tried: bool,
    guarantee: bool = False,
    own_high: float = math.inf,
) -> Iterator[str]:
    """How good the leader of these scores is, once its having been picked is allowed for.

    Of a leader that is first for sure (`worst` is 1) a limited correction takes too much off. Of variants
    tried that are not here nothing is known, so the expected value allows for those that are. Nothing is said
    where the expected score is as printed, and no other interval was asked for. An interval that ends above
    `own_high`, the end of the leader's own, would seem to contradict the sentence: it stands elsewhere.
    """
    what = {None: "score", "elo": "Elo"}.get(scale, "strength")
    digits, here = score_digits(scores), len(scores)
    if number(found.observed, digits) == number(found.shrunken, digits) and not (tried or guarantee):
        return
    observed, mean, low, high = (
        number(one, digits) for one in (found.observed, found.shrunken, found.low, found.high)
    )
    unseen = found.tried > here
    variants = f" tried variants, {f'{here} of them' if unseen else 'all'} here" * tried
    sure = ", whatever the truth" * (tried or guarantee)
    interval = f" ({level_text(found.level)} interval {low} to {high}{sure})"
    if found.high > own_high and number(found.high, digits) != number(own_high, digits) and not sure:
        interval = ""
    best = f"As the best of {found.tried:,}{variants}, its {what} of {observed}"
    expected = f"{mean}{' or more' * (found.limited and worst == 1)} is expected"
    if unseen:
        yield f"{best} is probably too high{interval}. As the best of these {here} alone, {expected}."
    else:
        yield f"{best} is probably too high: {expected}{interval}."


def _twice(a: Assessment) -> Iterator[str]:
    """What twice the topics would bring; nothing where that is no more, and where `eb` cannot tell."""
    estimate, means = headline(a), a.means
    if (estimate.estimator, estimate.coefficient) != ("eb", "tau") or not means.linear:
        return
    noise = a.noise
    if noise is not None and noise.of_runs and noise.said_of_more:
        return
    each = " of each data set" if a.scores.k > 1 and not means.of_data_sets else ""
    tau = round(tau_of_twice(means), 2)
    if tau > round(estimate.estimate, 2):
        more = f"; {doing('plan')} finds the number for a target"
        twice = f"Twice as many {a.scores.unit_of(means.unit).many}{each}"
        reached = f"{number(tau, 2)}{_these_levels(a)}"
        yield f"{twice} are expected to raise it to τ = {reached}{more}."


def _against_baseline(a: Assessment) -> str:
    verdicts = [d.verdict for d in a.baseline]
    better, worse = verdicts.count("better"), verdicts.count("fail")
    return (
        f"Against the baseline {listed([a.settings.baseline or ''])}, {better} of "
        f"{len(verdicts)} other system{'s' if len(verdicts) > 1 else ''} {'is' if better == 1 else 'are'} "
        f"better, {worse} worse and {len(verdicts) - better - worse} inconclusive."
    )


def fragile(a: Assessment) -> Iterator[str]:
    """How few topics carry the lead, and the first places that were asked for, beside what is normal."""
    found = a.leader.fragility if a.leader is not None else None
    if found is not None and found.topics is None:
        yield f"No removal of {a.scores.unit_of(found.unit).many} puts another system first."
    elif found is not None:
        if not found.remarkable:  # of one that is, a warning says so
            lost = f"{listed([found.over or ''])} would lose the lead to {listed([found.by or ''])}"
            yield f"{_without(a, found)} {lost}{_usual(a, found)}. {NO_EVIDENCE}"
        unit = a.scores.unit_of(found.unit).many
        yield f"These {unit} carry it most: {listed(found.names, 10)}."
        yield f"They are not the {unit} to keep of a larger set: draw those at random."
    best = a.best
    if best is not None and best.k > 1 and best.fragility is not None and best.fragility.topics is not None:
        by, over = (listed([name or ""]) for name in (best.fragility.by, best.fragility.over))
        places = f"{by} would be among the first {best.k} in place of {over}"
        yield f"{_without(a, best.fragility)} {places}{_usual(a, best.fragility)}."


def _without(a: Assessment, found: Fragility) -> str:
    share, unit = percent(found.share or 0.0, 1), a.scores.unit_of(found.unit).many
    return f"Without {found.topics or 0:,} of {found.total:,} {unit} ({share})"


def _usual(a: Assessment, found: Fragility) -> str:
    if found.usual is None:
        return ""
    unit = a.scores.unit_of(found.unit)
    usual = f"less than one {unit.one} is" if found.usual < 1 else f"{rough(found.usual)} {unit.many} are"
    return f"; {usual} usual for a lead of this size"


def board_sentences(a: Assessment) -> list[str]:
    """Which data set, or system, changes the leader or the ranking most, when it is left out."""
    board = a.board
    if board is None:
        return []
    leader = listed([a.ranking[0].system])
    found = []
    if other := board.leaders_without(a.ranking[0].system):
        first, more = other[0], len(other) - 1
        others = f", and leaving out any of {more} more changes the leader too" if more else ""
        instead = listed([first.leader_without])
        found.append(f"Without {listed([first.name])}, {instead} leads instead of {leader}{others}.")
    elif all(one.leader_without for one in board.data_sets):
        found.append(f"{leader} still leads if any one data set is left out.")
    most, dropped = board.most_moving, board.dropped
    if most is not None:
        tau = number(most.tau_without, 2)
        found.append(
            f"{listed([most.name])} changes the ranking most: without it, τ with the ranking above is {tau}."
        )
    if dropped is not None and dropped.tau < 1:
        same = a.ranking[0].system in (dropped.leader, dropped.system)
        found.append(
            f"The points depend on which systems take part: without {listed([dropped.system])} the others’ "
            f"ranking agrees with this one at τ = {number(dropped.tau, 2)}"
            f"{'' if same else f', and {listed([dropped.leader])} leads'}."
        )
    return found
