"""Loss and queues of links, from counters whose answer is known."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.run.link_traffic import by_link
from analysis.run.observed_links import read_back
from analysis.run.readers.outcome import LinkEnds
from analysis.run.readers.qdiscs import parse
from jobs import SENDER_HANDLE, Link, Shape
from jobs.changes import Series
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from tests.analysis.explain.made import JOB
from tests.spec.files import text


def way(name: str, **counts: Any) -> dict[str, Any]:
    options = {"rate": 1.25e6, "limit": 15140, "delay": {"delay": 0.01}}
    known = {"bytes": 0, "packets": 0, "drops": 0, "lost": 0, "byte_seconds": 0.0}
    head = {"kind": "fabric", "dev": name, "handle": "1:", "root": True}
    return {**head, "options": options, **known, **counts}


def test_a_class_of_links_adds_up() -> None:
    ends = [LinkEnds("core", ("f", f"u{n}"), ("f", f"d{n}")) for n in (1, 2)]
    ways = [
        way("u1", packets=90, drops=10, lost=4, byte_seconds=1514.0),
        way("u2", packets=100, byte_seconds=3028.0),
        way("d1"),
        way("d2"),
    ]
    (link,) = read_back(ends, parse({"f": ways}, "qdisc-end.json"))
    assert (link.forward.packets, link.forward.queue_drops) == (190, 6)
    assert link.forward.other_drops == 4
    assert link.forward.byte_seconds == pytest.approx(4542)
    assert link.backward.byte_seconds == 0
    other = replace(parse({"f": ways[:1]}, "x")[0], document={})
    assert "byte_seconds" not in other.document


def netem(**options: Any) -> dict[str, Any]:
    """One netem of a sender: 13 packets were not taken, or lost on their way."""
    known = {"limit": 60, "rate": {"rate": 1.25e6}, "delay": {"delay": 0.01}}
    head = {"kind": "netem", "dev": "u1", "handle": SENDER_HANDLE, "root": True}
    return {**head, "options": {**known, **options}, "bytes": 1, "drops": 13}


@pytest.mark.parametrize(
    ("loss_percent", "changes", "drops"),
    [
        (0.0, (), 13),
        (1.0, (), None),
        (0.0, (("path1", 5.0),), None),
        (0.0, (("path2", 5.0),), 13),
    ],
    ids=["no loss", "loss", "loss for a time", "loss of another link"],
)
def test_a_netem_that_loses_packets_does_not_tell_what_its_queue_dropped(
    loss_percent: float, changes: tuple[tuple[str, float], ...], drops: int | None
) -> None:
    """tc counts both together. The same numbers without losses are the queue's."""
    line = Link.of("path1", Shape(10.0, 10.0, 60, loss_percent, at_sender=True))
    job = replace(
        JOB,
        links=(line, replace(line, name="path2")),
        changes=tuple(
            Series(
                link=link,
                direction="up",
                quantity="loss_percent",
                at_s=(1.0, 2.0),
                values=(share, 0.0),
                period_s=None,
            )
            for link, share in changes
        ),
    )
    ends = [LinkEnds("path1", ("f", "u1"), ("f", "d1"))]
    read = read_back(ends, parse({"f": [netem(), way("d1")]}, "qdisc-end.json"))
    run: Any = SimpleNamespace(
        job=job, links=read, traffic=[SimpleNamespace(forward=True)]
    )
    assert by_link(run, {"path1": 1})["path1.queue_drops"] == drops


def test_what_a_file_may_ask_for() -> None:
    figure = {"kind": "line", "metric": "mean_queue", "by": "path1.capacity"}
    factors = {"path1.capacity": ["1 Mbit/s", "5 Mbit/s"]}
    given: dict[str, Any] = {
        "design": {"method": "grid", "factors": factors},
        "metrics": ["mean_queue"],
        "fabric": True,
    }
    assert loads(text(**given, figures=[{**figure, "part": "path1.up"}])).metrics
    with pytest.raises(UserError, match="a link has 'up' and 'down', not 'left'"):
        loads(text(**given, figures=[{**figure, "part": "path1.left"}]))
    assert loads(text(**{**given, "fabric": False})).metrics
