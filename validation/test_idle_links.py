"""The use of links from two readings of their counters, and LIA's growth."""

import pytest

from validation.idle_links import lia_growth_per_s, table, used

READ = """\
link bps packets bytes full waited_2^10ns
0 100000000 0 0 0 0
1 100000000 10 1000 2 5
"""
LATER = """\
link bps packets bytes full waited_2^10ns
0 100000000 4129 6250000 3 1478515625
1 100000000 10 1000 2 5
"""


def test_use_between_two_readings() -> None:
    first, second = (
        used(a, b, 1.0) for a, b in zip(table(READ), table(LATER), strict=True)
    )
    assert (first.share, first.drops) == (0.5, 3)
    assert first.queue == pytest.approx(1, rel=1e-6)
    assert (second.share, second.drops, second.queue) == (0, 0, 0)


def test_equal_subflows_grow_by_their_share_of_a_packet() -> None:
    """n equal subflows together by 1/n packets per round trip; a single one by one."""
    assert lia_growth_per_s([(20.0, 0.02)]) == pytest.approx(50)
    assert lia_growth_per_s([(20.0, 0.02)] * 8) == pytest.approx(50 / 8)
