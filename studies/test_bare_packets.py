"""studies/bare_packets.c against what is known on paper."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from studies import bare_packets
from studies.bare_packets import SIMULATOR, flow, link


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bare_packets.build(tmp_path_factory.mktemp("bare"))


def lone_reno(queue: int, end_s: int) -> list[str]:
    """One Reno flow over 12.112 Mbit/s (1,000 packets per second) and 20 ms RTT."""
    reno = flow("T", "reno", [0], SIMULATOR)
    return [link(12.112, 10, queue, 0), reno, "phase 0 20", f"phase 20 {end_s}"]


def test_a_queue_of_a_bandwidth_delay_product_keeps_the_link_busy(
    program: Path,
) -> None:
    found = bare_packets.run(program, 1, lone_reno(20, 60))
    assert found["T, phase 1"] == pytest.approx(12.112, rel=0.005)


def test_no_queue_costs_a_quarter_of_the_link(program: Path) -> None:
    """The window then moves between half and all of what the link holds."""
    found = bare_packets.run(program, 1, lone_reno(2, 60))
    assert found["T, phase 1"] == pytest.approx(0.75 * 12.112, rel=0.06)


def test_each_sawtooth_loses_a_packet_or_two(program: Path) -> None:
    """A sawtooth has 3/8 W^2 packets; W is what link and queue hold (Mathis et al.
    1997). It ends a round trip after the loss, in which a second packet can be lost.

    Slow start loses more packets. The difference of two runs removes them.
    """
    sent = {end_s: 1000 * end_s for end_s in (30, 90)}
    early, late = (
        count * bare_packets.run(program, 1, lone_reno(20, end_s))["lost 0"] / 100
        for end_s, count in sent.items()
    )
    sawteeth = (sent[90] - sent[30]) * 8 / (3 * 41**2)
    assert 0.95 * sawteeth < late - early < 2.1 * sawteeth


def test_bursts_have_the_load_that_was_asked_for(program: Path) -> None:
    lines = ["link 100 5 0 1000", "cbr 100 0.01 0.1 0", "phase 0 60"]
    found = bare_packets.run(program, 1, lines)
    assert found["bursts"] == pytest.approx(100 / 11, rel=0.15)


@pytest.mark.parametrize("law", ["lia", "olia", "balia"])
def test_two_subflows_take_as_much_as_one_tcp(program: Path, law: str) -> None:
    lines = [
        link(12.112, 10, 20, 5),
        flow("M", law, [0, 0], SIMULATOR),
        flow("T", "reno", [0], SIMULATOR),
        "phase 20 220",
    ]
    found = bare_packets.run(program, 1, lines)
    assert found["M"] / found["T"] == pytest.approx(1, abs=0.25)


def test_a_seed_says_all_that_is_random(program: Path) -> None:
    lines = bare_packets.rtt_mismatch(SIMULATOR)[:-1]
    once, again, other = (
        bare_packets.run(program, seed, [*lines, "phase 0 10"]) for seed in (1, 1, 2)
    )
    assert once == again
    assert once != other


@pytest.mark.parametrize(
    "lines", [["links 1 2 3 4"], ["link 1 2 3"], ["flow a cubic 0 9 0 0 0 0 2 1 0"]]
)
def test_what_is_not_understood_is_refused(program: Path, lines: Sequence[str]) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        bare_packets.run(program, 1, lines)
    assert caught.value.returncode == 2
    assert "not understood" in caught.value.stderr
