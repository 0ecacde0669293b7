"""studies/cube_packets.c against what is known on paper."""

import subprocess
from functools import partial
from pathlib import Path

import pytest

from studies import cube_packets
from studies.cube_packets import Ways, expected_mbps, run

pytestmark = pytest.mark.slow

small = partial(run, hosts=25, begin_s=2, end_s=4)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cube_packets.build(tmp_path_factory.mktemp("cube"))


def test_single_paths_fill_all_links(program: Path) -> None:
    found = small(program, 1, "single")
    assert found.goodput_mbps == pytest.approx(200, rel=0.02)
    assert found.long_over_short == 0 and found.loss_percent[1] == 0


@pytest.mark.parametrize("law", ["ewtcp", "lia"])
def test_long_paths_take_three_times_the_capacity(program: Path, law: str) -> None:
    """All links are full, so the shares of the paths decide the goodput."""
    found = small(program, 1, law)
    expected = expected_mbps(found.long_over_short, ports=2)
    assert found.goodput_mbps == pytest.approx(expected, rel=0.02)
    assert found.loss_percent[1] > 2 * found.loss_percent[0]


def test_what_the_paper_s_goodput_says_of_its_paths() -> None:
    assert expected_mbps(0) == 300
    assert expected_mbps(0.092) == pytest.approx(229, abs=0.5)
    assert expected_mbps(0.027) == pytest.approx(272, abs=0.5)


def test_lia_leaves_long_paths_more_than_ewtcp(program: Path) -> None:
    lia, ewtcp = (small(program, 1, law) for law in ("lia", "ewtcp"))
    assert lia.long_over_short < ewtcp.long_over_short / 1.5


def test_early_timeouts_come_mostly_on_long_paths(program: Path) -> None:
    early = small(program, 1, "lia").timeouts_per_s
    late = small(program, 1, "lia", Ways(least_ms=200)).timeouts_per_s
    assert early[1] > 2 * early[0] and sum(late) < sum(early)


def test_a_seed_says_all_that_is_random(program: Path) -> None:
    once, again, other = (
        small(program, seed, "lia", begin_s=0, end_s=1) for seed in (1, 1, 2)
    )
    assert once == again
    assert once != other


def test_unknown_words_are_refused(program: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        small(program, 1, "cubic")
    with pytest.raises(subprocess.CalledProcessError):
        small(program, 1, "lia", hosts=24)


@pytest.mark.parametrize("law", ["ewtcp", "lia"])
def test_full_queues_favour_what_a_host_sends_itself(program: Path, law: str) -> None:
    """A long path has three times the queues of a short one.

    So it has three times the loss if all packets that wait are alike. With drop tail
    and no other noise it has more.
    """
    ratios = []
    for victim in (False, True):
        ways = Ways(tail=0, victim=victim, feeder=False, least_ms=200)
        short, long = small(program, 1, law, ways).loss_percent
        ratios.append(long / short)
    assert ratios[0] > 5 and 2.5 < ratios[1] < 4
