"""Bootstrap intervals against scipy's, draw for draw, up to rounding."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.campaign import bootstrap
from analysis.campaign.bootstrap import Method

RNG = np.random.default_rng(7)
SAMPLES = {
    "six values": RNG.normal(3, 1, 6),
    "skewed": RNG.exponential(2, 25),
    "ties": RNG.integers(0, 4, 30).astype(float),
    "nearly all equal": np.array([1.0] * 9 + [2.0]),
    "two values": np.array([1.0, 2.0]),
    "large and small": np.concatenate([RNG.normal(0, 1e-9, 10), [1e9]]),
}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("statistic", [np.mean, np.median])
@pytest.mark.parametrize("method", ["BCa", "percentile"])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.998])
def test_the_ends_are_those_of_scipy(
    sample: str, statistic: Any, method: Method, confidence: float
) -> None:
    values = SAMPLES[sample]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.bootstrap(
            (values,),
            statistic,
            n_resamples=500,
            confidence_level=confidence,
            method=method,
            rng=np.random.default_rng(3),
            vectorized=True,
        ).confidence_interval
        found = bootstrap.interval(
            values, statistic, np.random.default_rng(3), 500, confidence, method
        )
    spread = 1e-13 * np.ptp(values)
    np.testing.assert_allclose(
        found, [expected.low, expected.high], rtol=1e-12, atol=spread
    )
