"""Numbers about the theorems of the MPCC paper, against networks solved on paper."""

import numpy as np
import pytest

from studies import mpcc_theorems
from studies.mpcc_theorems import Parallel

ONE_LINK = Parallel(np.array([100.0]), np.array([0, 1]), np.array([0, 0]))
"""Two connections over one link of 100 Mbit/s."""
TWO_LINKS = Parallel(np.array([100.0, 100.0]), np.array([0, 0, 1]), np.array([0, 1, 1]))
"""One connection over both of two links, and one over the second."""


def test_the_page_is_what_the_command_writes() -> None:
    assert mpcc_theorems.main(["--check"]) == 0


def test_a_full_link_rests_whatever_its_split_is() -> None:
    """30 of 100: one unit more gains 0.64 and costs 11.35 * 30 / 100."""
    for share in (10.0, 30.0, 50.0):
        rates = np.array([share, 100 - share])
        assert mpcc_theorems.subflows_rest(ONE_LINK, rates)
        assert mpcc_theorems.connections_rest(ONE_LINK, rates)
    # 3 of 100: 0.81 against 11.35 * 3 / 100
    assert not mpcc_theorems.subflows_rest(ONE_LINK, np.array([3.0, 97.0]))
    assert not mpcc_theorems.connections_rest(ONE_LINK, np.array([3.0, 97.0]))


def test_a_link_with_room_or_with_much_loss_does_not_rest() -> None:
    for rates in ([40.0, 40.0], [80.0, 80.0]):
        assert not mpcc_theorems.subflows_rest(ONE_LINK, np.array(rates))
        assert not mpcc_theorems.connections_rest(ONE_LINK, np.array(rates))


def test_the_fair_rates_leave_the_second_link_to_who_has_no_other() -> None:
    assert TWO_LINKS.fair == pytest.approx([100.0, 100.0], rel=1e-6)
    assert mpcc_theorems.fair_split(TWO_LINKS) == pytest.approx([100, 0, 100], abs=1e-3)
    assert TWO_LINKS.shortfall(np.array([100.0, 20.0, 80.0])) == pytest.approx(0.2)
    # 200 over 100: half is lost
    lossy = np.array([100.0, 100.0, 100.0])
    assert TWO_LINKS.shortfall(lossy) == pytest.approx(0.5)


def test_ascent_ends_where_the_figure_of_the_paper_does() -> None:
    start = np.array([[50.0, 80.0, 10.0]])
    end = mpcc_theorems.ascended(TWO_LINKS, start)[0]
    assert TWO_LINKS.shortfall(end) < 0.02
    assert end[1] < 2


def test_derivatives_of_the_utility_of_a_subflow() -> None:
    """Differences of the utility, at a link of 100 Mbit/s that is full, or not."""
    for other, own, elsewhere in ((30.0, 20.0, 100.0), (80.0, 90.0, 0.0)):
        rates = np.array([own, own + 1e-6])
        lost = mpcc_theorems.loss(other + rates, 100.0)
        value = mpcc_theorems.utility(elsewhere + rates, lost)
        found = mpcc_theorems.derivative(
            np.array([elsewhere + own]), np.array([other + own])
        )
        assert found[0] == pytest.approx((value[1] - value[0]) / 1e-6, rel=1e-4)


def test_a_criterion_of_the_figure_fails_at_one_point() -> None:
    where = np.array([True, True, False])
    met = np.array([True, False, False])
    assert mpcc_theorems.share("7", "x", where, met)[2:] == [
        "2",
        "1 of 2 points",
        "**fails**",
    ]
    assert mpcc_theorems.share("7", "x", where, where)[-1] == "holds"
