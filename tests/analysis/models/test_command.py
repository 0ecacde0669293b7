"""`mpbench model throughput`."""

import json

import pytest

from tests.calls import Command

ASKED = ("model", "throughput", "-p", "0.01,0.02", "-r", "20,40", "-b", "1")


def test_table(command: Command) -> None:
    done = command(*ASKED, "-m", "1448")
    assert done.status == 0
    assert "565.7 (6.55 Mbit/s)" in done.out
    assert "1 (best)" in done.out


def test_json(command: Command) -> None:
    done = command(*ASKED, "--json")
    predictions = json.loads(done.out)
    assert predictions["lia"]["packets_per_s"] == pytest.approx(707.1, abs=0.05)
    assert len(predictions["tcp_packets_per_s"]) == 2


def test_three_paths(command: Command) -> None:
    done = command("model", "throughput", "-p", "0.1,0.2,.05", "-r", "9,9,200")
    assert done.status == 0
    assert "3: 0.05, 200 ms" in done.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-p", "0,0.1", "-r", "1,2"), "loss 0 is not between 0 and 1"),
        (("-p", "0.1", "-r", "1,2"), "1 losses and 2 round-trip times"),
        (("-p", "0.1", "-r", "0"), "round-trip time 0 is not a finite number above 0"),
        (
            ("-p", "0.1", "-r", "9", "-m", "0"),
            "segment 0 is not a finite number above 0",
        ),
        (
            ("-p", "0.1", "-r", "9", "--timeout", "0"),
            "timeout 0 is not a finite number above 0",
        ),
        (("-p", "a", "-r", "9"), "'a' is not a list of numbers"),
    ],
)
def test_bad_input(command: Command, options: tuple[str, ...], words: str) -> None:
    done = command("model", "throughput", *options)
    assert done.status == 2
    assert words in done.err
    assert "Traceback" not in done.err
