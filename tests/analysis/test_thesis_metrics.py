"""The thesis's metrics on cases computed by hand."""

import pytest

from analysis.run import metrics


def test_mean_loss_probability_of_the_thesis_example() -> None:
    """Sec. 5.2.2: 0 and 1 %, 70 and 30 % of the traffic: 0.3 %."""
    assert metrics.mean_loss_probability([0, 0.01], [0.7, 0.3]) == pytest.approx(0.003)
    with pytest.raises(ValueError, match="add up"):
        metrics.mean_loss_probability([0, 0.01], [0.7, 0.2])
    with pytest.raises(ValueError, match="each path"):
        metrics.mean_loss_probability([0, 2], [0.5, 0.5])


def test_first_path() -> None:
    assert metrics.first_path_quality([9, 4]) == "best"
    assert metrics.first_path_quality([4, 9]) == "worst"
    assert metrics.first_path_quality([4, 9, 1]) == "between"
    with pytest.raises(ValueError, match="alike"):
        metrics.first_path_quality([4, 4])


def test_less_lossy_path_is_that_of_the_fewest_retransmissions() -> None:
    assert metrics.less_lossy_path([0.02, 0.003]) == 2
    assert metrics.less_lossy_path([0.0, 0.003, 0.1]) == 1
    with pytest.raises(ValueError, match="several"):
        metrics.less_lossy_path([0.01, 0.01])
