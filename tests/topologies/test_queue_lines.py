"""Queue disciplines: every option at the ends of its range, and in its line for tc."""

from typing import Any

import pytest

from topologies import queues
from topologies.queues import OPTIONS, Discipline, Option, from_json

RANGES = {
    "red": {
        "min_bytes": (3028, 1 << 30),
        "max_bytes": (3028, 1 << 30),
        "probability_percent": (0.01, 100),
        "averaging": (2, 512),
    },
    "codel": {"target_ms": (0.01, 10_000), "interval_ms": (0.01, 100_000)},
    "fq_codel": {
        "target_ms": (0.01, 10_000),
        "interval_ms": (0.01, 100_000),
        "quantum_bytes": (256, 1_048_576),
        "flows": (1, 65_536),
    },
    "pie": {
        "target_ms": (0.01, 10_000),
        "update_ms": (10, 1000),
        "alpha": (0, 32),
        "beta": (0, 32),
    },
    "cake": {"rtt_ms": (0.01, 10_000), "memory_bytes": (16_384, 1 << 30)},
}
DEFAULTS = {
    "red": [(30.28, "ms"), (60.56, "ms"), 10.0, 16, True, False],
    "codel": [5.0, 100.0, False],
    "fq_codel": [5.0, 100.0, 1514, 1024, True],
    "pie": [15.0, 20.0, 2, 20, False],
    "cake": [100.0, "triple-isolate", "diffserv3", False, None],
}
"""The kernel's own, but that red's sizes are 25 and 50 packets of 1514 bytes at
10 Mbit/s, and that pie's clock is the guest's."""


def test_the_ranges_and_defaults_of_all_options() -> None:
    for name, ranges in RANGES.items():
        found = {
            option.key: (option.minimum, option.maximum)
            for option in OPTIONS[name]
            if option.unit not in ("switch", "word")
        }
        assert found == ranges
        assert [option.default for option in OPTIONS[name]] == DEFAULTS[name]
    assert OPTIONS.keys() == {"drop_tail", *RANGES}


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        (Option("a", "ms", 1.0, "", 2.0, 4.0), (2, 3.3, 4), (1.99, 4.01, None, "3")),
        (Option("a", "", 1, "", 1.0, 9.0), (1, 2.0, 9), (1.5, True, 0)),
        (Option("a", "bytes", 1, "", 1.0, 9.0), (1, 9.0), (1.5,)),
        (Option("a", "", 4, "", 2.0, 9.0, power=True), (2, 4, 8), (3, 6, 9)),
        (Option("a", "ms", 4, "", 10.0, 90.0, step=10.0), (10, 90), (15, 11)),
        (Option("a", "switch", True, ""), (True, False), (1, 0, None)),
        (Option("a", "word", "x", "", words=("x", "y")), ("x", "y"), ("z", 1)),
        (Option("a", "bytes", None, "", 5.0, 9.0), (None, 5, 9), (4, 10)),
    ],
)
def test_a_value_is_checked_at_the_ends_of_its_range(
    option: Option, good: tuple[object, ...], bad: tuple[object, ...]
) -> None:
    assert [option.fault(value) for value in good] == [""] * len(good)
    assert all(option.fault(value) for value in bad)


RED: dict[str, Any] = {
    "name": "red",
    "min_bytes": 15_140.0,
    "max_bytes": 45_420.0,
    "probability_percent": 2.5,
    "averaging": 16,
    "gentle": True,
    "ecn": False,
}
PIE: dict[str, Any] = {"name": "pie", "target_ms": 15.0, "update_ms": 20.0, "alpha": 3}
PIE |= {"beta": 21, "ecn": True}
FQ_CODEL: dict[str, Any] = {"name": "fq_codel", "target_ms": 6.0, "interval_ms": 90.0}
FQ_CODEL |= {"quantum_bytes": 300, "flows": 17, "ecn": False}
CAKE: dict[str, Any] = {"name": "cake", "rtt_ms": 50.0, "isolation": "hosts"}
CAKE |= {"priorities": "diffserv4", "ack_filter": True, "memory_bytes": 20_000}


@pytest.mark.parametrize(
    ("document", "line"),
    [
        (
            RED,
            "red limit 45420 min 15140 max 45420 avpkt 1514 burst 17"
            " bandwidth 8000000bit probability 0.025 harddrop",
        ),
        (
            {**RED, "gentle": False, "ecn": True},
            "red limit 45420 min 15140 max 45420 avpkt 1514 burst 17"
            " bandwidth 8000000bit probability 0.025 ecn",
        ),
        (
            PIE,
            "pie limit 30 target 15000.000us tupdate 20000.000us alpha 3 beta 21 ecn",
        ),
        (
            FQ_CODEL,
            "fq_codel limit 30 target 6000.000us interval 90000.000us noecn"
            " quantum 300 flows 17",
        ),
        (
            CAKE,
            "cake bandwidth 8000000bit rtt 50000.000us hosts diffserv4 ack-filter"
            " memlimit 20000b",
        ),
    ],
)
def test_the_line_of_a_discipline(document: dict[str, Any], line: str) -> None:
    made = from_json(document)
    assert made.to_json() == document
    assert queues.tc_command(made, "at", 30, 8_000_000) == f"qdisc add at {line}"


def test_a_stranger_s_words_are_cut_in_messages() -> None:
    """To 40 characters, whatever is read."""
    with pytest.raises(ValueError, match=f"^no discipline '{'n' * 40}'$"):
        from_json({"name": "n" * 100})
    with pytest.raises(ValueError, match=f"^pie: '{'k' * 40}' is unknown$"):
        from_json({**PIE, "k" * 100: 1})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_bytes": 45_420.0}, "min, 45420 bytes, is not below max"),
        ({"min_bytes": 45_419.0, "averaging": 2}, ""),
        ({"ecn": True}, "ecn works with 'gentle: false' only"),
        ({"ecn": True, "gentle": False}, ""),
        ({"max_bytes": float(1 << 27)}, "is too much for averaging 16"),
        ({"max_bytes": float((1 << 27) - 1)}, ""),
        ({"min_bytes": 3029.0, "averaging": 2}, "tc has no averaging 2 with"),
    ],
)
def test_options_of_red_that_exclude_one_another(
    change: dict[str, Any], message: str
) -> None:
    document = {**RED, **change}
    values = tuple((key, document[key]) for key in list(document)[1:])
    found = queues.fault(Discipline("red", values))
    assert message in found and bool(message) == bool(found)
    assert queues.fault(Discipline("pie", ())) == ""


def test_a_strange_discipline_is_refused() -> None:
    for name in (None, "drop_tail", "x", 3):
        with pytest.raises(ValueError, match="no discipline"):
            from_json({"name": name})
    with pytest.raises(ValueError, match="'beta' is missing"):
        from_json({key: value for key, value in PIE.items() if key != "beta"})
    with pytest.raises(ValueError, match="'gamma' is unknown"):
        from_json({**PIE, "gamma": 1})
    with pytest.raises(ValueError, match="pie: alpha: 33 is out of range"):
        from_json({**PIE, "alpha": 33})
    with pytest.raises(ValueError, match="red: min, 45420 bytes"):
        from_json({**RED, "min_bytes": 45_420})


def test_the_least_burst_that_tc_gives_the_weight() -> None:
    """By tc's loop (tc_red_eval_ewma), for one packet less and for the burst."""

    def averaging(low: float, burst: int) -> float:
        weight = 0.5
        while burst + 1 - low / 1514 > (1 - (1 - weight) ** burst) / weight:
            weight /= 2
        return 1 / weight

    for wanted in (2, 4, 8, 16, 64, 512):
        for packets in (3, 10, 10.5, 40, 500):
            low = packets * 1514
            burst = queues.red_burst(low, wanted)
            assert averaging(low, burst) >= wanted
            assert burst == -(-low // 1514) or averaging(low, burst - 1) < wanted
