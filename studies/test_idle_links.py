"""The use of links from two readings of their counters, and LIA's growth."""

from pathlib import Path

import pytest

from studies.idle_links import lia_growth_per_s, outputs, table, used

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


def test_entries_are_read_behind_any_number_of_others(tmp_path: Path) -> None:
    names = [*(f"data{number}" for number in range(128)), "links1", "links2"]
    (tmp_path / "artefacts").mkdir()
    for number in (128, 129):
        file = tmp_path / "artefacts" / f"traffic-{number}-client.txt"
        file.write_text(names[number])
    traffic = [{"start_s": float(number)} for number in range(130)]
    job = {"report": {"names": names}, "traffic": traffic}
    assert outputs(tmp_path, job, "links") == [(128.0, "links1"), (129.0, "links2")]
