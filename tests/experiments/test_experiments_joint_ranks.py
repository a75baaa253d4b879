"""The joint-ranks experiment: its yardsticks against published implementations, its truth, its rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.experiments import run
from truerank.report.writers.frame import frame
from truerank.simulation import load_embedded
from validation.studies.joint_ranks import Truth, equalized
from validation.studies.rank_yardsticks import (
    bootstrap_order,
    holm_order,
    model_confidence_set,
    ranks_allowed,
    simultaneous_order,
)

# What multiple-inference 1.2.0 gives for these means and covariances (SimultaneousRanking, 200,000 draws).
MEANS = np.array([0.9, 0.75, 0.72, 0.5, 0.45, 0.2, 0.18, 0.0])
COVARIANCE = np.array(
    [
        [0.00642971, -0.00150883, 0.00065327, -0.00078211, -5.749e-05, -0.00049426, 0.00067542, -0.00040299],
        [-0.00150883, 0.00967421, 0.00052153, 0.00094857, 0.00026073, 0.00286443, 2.478e-05, 0.00120943],
        [0.00065327, 0.00052153, 0.00558035, 0.00041627, 0.0009391, 0.00108318, -0.00016502, -0.00134186],
        [-0.00078211, 0.00094857, 0.00041627, 0.00713839, 0.00127379, 0.00263202, -0.00085446, -0.00164438],
        [-5.749e-05, 0.00026073, 0.0009391, 0.00127379, 0.00682897, 0.00254827, 0.00054423, -0.00257528],
        [-0.00049426, 0.00286443, 0.00108318, 0.00263202, 0.00254827, 0.00955952, -0.00094628, -0.00168561],
        [0.00067542, 2.478e-05, -0.00016502, -0.00085446, 0.00054423, -0.00094628, 0.00650489, 0.0005285],
        [-0.00040299, 0.00120943, -0.00134186, -0.00164438, -0.00257528, -0.00168561, 0.0005285, 0.00927036],
    ]
)
LOW, HIGH = [1, 1, 1, 2, 2, 4, 4, 6], [3, 5, 5, 7, 7, 8, 8, 8]

# What arch 8.0.0 gives for these systems (MCS of minus the scores, block_size 1, method R, 20,000
# resamples): at size 0.07 it keeps the first five, with p-values of 0.11 and more (0.048 the next), at 0.17
# the first four.
SCORES = np.array(
    [
        [0.617, 0.3335, 0.3999, 0.3469, 0.4201, 0.2525, 0.263, 0.3008],
        [0.4777, 0.3111, 0.5538, 0.2032, 0.1964, 0.1628, 0.4788, 0.2582],
        [0.5209, 0.4748, 0.6869, 0.4441, 0.3901, 0.6516, 0.3585, 0.4682],
        [0.4627, 0.3754, 0.4127, 0.6002, 0.3004, 0.1676, 0.0596, 0.283],
        [0.5657, 0.6369, 0.5061, 0.4825, 0.4246, 0.4335, 0.514, 0.4115],
        [0.5977, 0.8464, 0.6116, 0.2819, 0.7569, 0.5276, 0.3128, 0.5687],
        [0.5756, 0.4592, 0.435, 0.3596, 0.4944, 0.6261, 0.3956, 0.4861],
        [0.8616, 0.3767, 0.5761, 0.4701, 0.3357, 0.3193, 0.4494, 0.4954],
        [0.3188, 0.3853, 0.464, 0.3788, 0.4432, 0.3606, 0.3432, 0.5226],
        [0.6308, 0.5353, 0.601, 0.3352, 0.401, 0.5492, 0.5034, 0.6196],
        [0.6604, 0.4181, 0.9081, 0.7585, 0.4143, 0.7581, 0.5351, 0.2368],
        [0.3674, 0.3327, 0.6262, 0.2473, 0.3067, 0.2818, 0.245, 0.1433],
        [0.5282, 0.6354, 0.546, 0.2919, 0.2371, 0.406, 0.2607, 0.2508],
        [0.1791, 0.7022, 0.5257, 0.2207, 0.4816, 0.5253, -0.0559, 0.1987],
        [0.4735, 0.6075, 0.4706, 0.4329, 0.4372, 0.7026, 0.7271, 0.303],
        [0.2532, 0.7746, 0.2023, 0.2419, 0.3119, 0.3575, 0.4179, 0.3008],
        [0.5301, 0.7155, 0.6556, 0.8782, 0.573, 0.3533, 0.3756, 0.7285],
        [0.3813, 0.1252, 0.3324, 0.398, 0.5549, 0.203, 0.4337, 0.4316],
        [0.2408, 0.2962, 0.5683, 0.5395, 0.3883, 0.2884, 0.3879, 0.1746],
        [0.6648, 0.5286, 0.6371, 0.6025, 1.0094, 0.543, 0.7411, 0.7272],
        [0.5691, 0.751, 0.2277, 0.547, 0.6399, 0.1302, 0.2946, 0.6055],
        [0.5133, 0.3657, 0.453, 0.4062, 0.5748, 0.5128, 0.3812, 0.302],
        [0.5452, 0.7306, 0.5628, 0.5848, 0.4449, 0.2523, 0.3181, 0.5009],
        [0.4797, 0.3072, 0.1787, 0.4165, 0.3276, 0.3045, 0.2862, 0.3568],
        [0.5218, 0.6006, 0.5741, 0.6132, 0.5129, 0.3202, 0.341, 0.4018],
        [0.5259, 0.6334, 0.7026, 0.3879, 0.2211, 0.6443, 0.4465, 0.5287],
        [0.3919, 0.8303, 0.6597, 0.5086, 0.4533, 0.5017, 0.4382, 0.4],
        [0.4253, 0.7613, 0.5445, 0.5402, 0.5215, 0.1324, 0.5438, 0.3939],
        [0.4779, 0.5103, 0.3325, 0.5835, 0.3312, 0.2786, 0.2634, 0.3951],
        [0.5652, 0.3427, 0.184, 0.5484, 0.2079, 0.5254, 0.3166, 0.1986],
        [0.3848, 0.5286, 0.5713, 0.3868, 0.5371, 0.6867, 0.321, 0.1584],
        [0.4528, 0.381, 0.4722, 0.4381, 0.3265, 0.5833, 0.0907, 0.2628],
        [0.9463, 0.7782, 0.6796, 0.6483, 0.8239, 0.6172, 0.5271, 0.3095],
        [0.4548, 0.3344, 0.3171, 0.2944, 0.3735, 0.3093, 0.468, 0.1169],
        [0.4268, 0.7098, 0.4152, 0.5678, 0.5371, 0.5426, 0.4344, 0.0952],
        [0.5846, 0.5463, 0.3496, 0.4909, 0.3515, 0.2678, 0.5278, 0.4682],
        [0.4692, 0.4083, 0.4483, 0.449, 0.4254, 0.4573, 0.3785, 0.4804],
        [0.6482, 0.602, 0.4274, 0.413, 0.5492, 0.433, 0.4347, 0.0459],
        [-0.0362, 0.3979, 0.3753, 0.5135, 0.3912, 0.2949, 0.2426, 0.0048],
        [0.5951, 0.3507, 0.4951, 0.4283, 0.4177, 0.4894, 0.2606, 0.2545],
    ]
)
KEPT = {0.93: [0, 1, 2, 3, 4], 0.83: [0, 1, 2, 3]}


def test_simultaneous_ranks_are_those_of_multiple_inference():
    rng = np.random.default_rng(1)
    drawn = rng.multivariate_normal(np.zeros(8), COVARIANCE, 100_000)
    first, second = np.triu_indices(8, 1)
    errors = np.sqrt(COVARIANCE[first, first] + COVARIANCE[second, second] - 2 * COVARIANCE[first, second])
    statistics = (MEANS[first] - MEANS[second]) / errors
    above = simultaneous_order(statistics, [(drawn[:, first] - drawn[:, second]) / errors], 0.95)
    low, high = ranks_allowed(above)
    assert (low.tolist(), high.tolist()) == (LOW, HIGH)


def test_the_model_confidence_set_is_that_of_arch():
    for level, expected in KEPT.items():
        kept = model_confidence_set(SCORES, level, 20_000, np.random.default_rng(2))
        assert sorted(kept.tolist()) == expected


def test_holm_tells_apart_what_its_definition_does():
    from scipy.stats import ttest_rel

    values = SCORES[:12]
    pairs = list(combinations(range(8), 2))
    p = {(i, j): ttest_rel(values[:, i], values[:, j]).pvalue for i, j in pairs}
    expected = set()
    for step, (i, j) in enumerate(sorted(p, key=p.get)):
        if p[i, j] * (len(pairs) - step) > 0.05:
            break
        expected.add((i, j) if values[:, i].mean() > values[:, j].mean() else (j, i))
    assert expected
    assert {(int(i), int(j)) for i, j in np.argwhere(holm_order(values, 0.95))} == expected


def test_the_bootstrap_puts_no_equal_pair_in_order_and_far_ones():
    rng = np.random.default_rng(3)
    values = rng.normal(0, 0.1, (40, 4)) + np.array([0.0, 0.0, 1.0, 1.0])
    above = bootstrap_order(values, 0.95, 400, rng)
    assert above.astype(int).tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]


def test_equal_systems_share_their_places():
    truth = Truth.of(np.array([0.3, 0.5, 0.3, 0.1, 0.5 + 1e-12]))
    assert (truth.low.tolist(), truth.high.tolist()) == ([3, 1, 3, 5, 1], [4, 2, 4, 5, 2])
    assert truth.inside(np.array([1, 2, 4, 5, 3]), np.array([2, 2, 9, 5, 9])).tolist() == [
        False, True, True, True, False,
    ]  # fmt: skip
    assert truth.among(np.array([4]), 1)
    assert truth.among(np.array([1]), 1)
    assert not truth.among(np.array([1]), 2)
    assert truth.among(np.array([1, 4]), 2)
    assert truth.among(np.array([1, 4, 2]), 3)
    assert not truth.among(np.array([1, 0, 2]), 3)
    above = np.zeros((5, 5), dtype=bool)
    above[1, 4] = above[1, 0] = above[3, 0] = True  # equal; right; wrong
    assert truth.wrong(above) == 2


@pytest.mark.parametrize(("percent", "equal"), [(0, 1), (50, 44)])
def test_so_many_systems_are_made_equal(percent, equal):
    model = load_embedded("web2010-ap")
    means = equalized(model, percent).true_means
    counts = np.unique(np.round(means / 1e-9), return_counts=True)[1]
    original = np.unique(np.round(model.true_means / 1e-9), return_counts=True)[1]
    assert counts.max() == max(equal, original.max())


def test_what_a_run_finds(table, tmp_path):
    results = run(
        "joint-ranks", table, tmp_path / "r", workers=1, seed=1, trials=3, topics=(10,), equal=(0, 100),
        simulator="effects", draws=200, samples=60, best=(1, 2), guaranteed=2, beside=1,
    )  # fmt: skip
    bands = results.frame("bands")
    counts = bands.groupby(["equal", "method"]).size()
    assert counts[0].to_dict() == {"eb": 3, "guarantee": 2, "holm": 1, "mogstad": 1}
    assert (bands.query("equal == 100").covered == 1).all()  # equal systems share all places
    best = results.frame("best")
    assert (best.query("equal == 100 and k == 1").covered == 1).all()
    assert set(best.method) == {"eb", "guarantee", "holm", "mogstad", "mcs"}
    pairs = results.frame("pairs")
    nothing = pairs.query("equal == 100 and separated > 0")
    assert (nothing.wrong == 1).all()
    assert (nothing.any_wrong == 1).all()
    found = {one.name: frame(one) for one in results.findings.tables}
    average = found["average-bands"].query("equal == 0 and method == 'eb'").iloc[0]
    assert average.covered == pytest.approx(bands.query("equal == 0 and method == 'eb'").covered.mean())
    beside = found["beside-bands"].query("equal == 0 and method == 'eb'").iloc[0]
    assert beside.collections == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"equal": (120,)}, "percentages"),
        ({"estimators": ("sh",)}, "no swap probabilities"),
        ({"best": (0,)}, "best must be at least 1"),
        ({"draws": 1}, "draws must be at least 2"),
    ],
)
def test_what_makes_no_sense_is_refused(table, tmp_path, wrong, message):
    with pytest.raises(InputError, match=message):
        run("joint-ranks", table, tmp_path / "r", workers=1, trials=1, **wrong)
