"""Disciplines and impairments read back from what tc printed in a guest."""

import json
from typing import Any

import pytest

from analysis.run import disciplines
from analysis.run.readers import qdiscs
from topologies import queues
from topologies.impairments import BurstLoss, Impairments, Reordering
from topologies.queues import Discipline

PRINTED = """[
{"kind": "netem", "handle": "1:", "dev": "eth2", "root": true, "bytes": 2088068,
 "packets": 1398, "drops": 22, "options": {"limit": 1000000,
 "delay": {"delay": 0.005, "jitter": 0, "correlation": 0}, "gap": 1, "ecn": false,
 "loss-gemodel": {"p": 0.002, "r": 0.2, "1-h": 0.9, "1-k": 0.001},
 "reorder": {"reorder": 0.01, "correlation": 0.1},
 "corrupt": {"corrupt": 0.001, "correlation": 0}}},
{"kind": "netem", "handle": "2:", "dev": "eth2", "parent": "1:1", "bytes": 2088068,
 "packets": 1398, "drops": 15, "options": {"limit": 1000000,
 "delay": {"delay": 0.015, "jitter": 0.00121, "correlation": 0}, "ecn": false}},
{"kind": "tbf", "handle": "10:", "dev": "eth2", "parent": "2:1", "bytes": 2088068,
 "packets": 1398, "drops": 15,
 "options": {"rate": 1250000, "burst": "3027b/1", "lat": 98107}},
{"kind": "codel", "handle": "20:", "dev": "eth2", "parent": "10:1", "bytes": 2088068,
 "packets": 1398, "drops": 15, "drop_overlimit": 4, "ecn_mark": 9,
 "options": {"limit": 83, "target": 6999, "interval": 99999, "ecn": true}}
]"""
CODEL = {"name": "codel", "target_ms": 7.0, "interval_ms": 100.0, "ecn": True}
IMPAIRMENTS = Impairments(
    burst_loss=BurstLoss(
        enter_percent=0.2, leave_percent=20.0, bad_percent=90.0, good_percent=0.1
    ),
    reordering=Reordering(share_percent=1.0, correlation_percent=10.0, by_ms=5.0),
    corruption_percent=0.1,
)


def discipline(options: dict[str, Any]) -> Discipline:
    return queues.from_json(options)


def shown(text: str = PRINTED) -> disciplines.Traits:
    document = {"r": json.loads(text)}
    return disciplines.observed(qdiscs.parse(document, "qdisc-end.json"))


def found(asked: disciplines.Facts, text: str = PRINTED) -> list[str]:
    return sorted(disciplines.differences(asked, shown(text).facts))


def test_a_link_as_asked_differs_in_nothing() -> None:
    assert found(disciplines.asked(discipline(CODEL), IMPAIRMENTS, 20.0)) == []


def test_the_counters_of_a_discipline() -> None:
    traits = shown()
    assert (traits.discipline, traits.full_drops, traits.marks) == ("codel", 4, 9)
    assert traits.loses and traits.corrupts
    assert shown(PRINTED.replace('"ecn": true', '"ecn": false')).marks is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"target_ms": 5.0}, "codel target_ms is 6.999, asked for 5"),
        ({"ecn": False}, "codel ecn is True, asked for False"),
    ],
)
def test_another_option_is_told(change: dict[str, Any], told: str) -> None:
    asked = disciplines.asked(discipline({**CODEL, **change}), IMPAIRMENTS, 20.0)
    assert found(asked) == [told]


def test_what_nobody_asked_for_is_told() -> None:
    told = found(disciplines.asked(None, None, 20.0))
    assert "discipline is codel, asked for none" in told
    assert "reordering share_percent is 1, asked for none" in told


def test_what_is_missing_is_told() -> None:
    text = PRINTED.replace('"codel"', '"bfifo"')
    told = found(disciplines.asked(discipline(CODEL), IMPAIRMENTS, 20.0), text)
    assert "discipline cannot be read back" in told


def test_an_earlier_exit_of_the_whole_delay_is_none_by_itself() -> None:
    order = Reordering(share_percent=1.0, by_ms=20.0)
    asked = disciplines.asked(None, Impairments(reordering=order), 20.0)
    assert asked["reordering by_ms"] is None
