"""Records of queues and round-trip times, from the metrics of a file."""

from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan
from tests.spec.files import text

PHASES = {"late": "20 s..30 s", "early": "5 s..20 s"}


def job(**sections: Any) -> dict[str, Any]:
    return dump(make_plan(loads(text(**sections)), {}).runs[0].job)


def test_queues_are_looked_at_only_if_they_are_asked_for() -> None:
    assert "queues" not in job(phases=PHASES)
    asked: dict[str, Any] = {"metrics": ["mean_queue"], "phases": PHASES}
    assert job(**asked)["queues"] == {"every_s": 0.05}
    assert job(**asked, fabric=True)["queues"] == {"at_s": [5.0, 20.0, 30.0]}
    assert "queues" not in job(metrics=["mean_queue"], fabric=True)


def test_round_trips_bring_a_trace() -> None:
    assert job()["trace_s"] is None
    assert job(metrics=["smoothed_rtt"])["trace_s"] == 0.1
    assert job(metrics=["smoothed_rtt"], trace="20 ms")["trace_s"] == 0.02


def test_a_queue_that_also_holds_packets_on_the_way() -> None:
    given = {"metrics": ["mean_queue"], "topology": "minitopo"}
    with pytest.raises(UserError, match="not known in minitopo, whose queues also"):
        loads(text(**given))


@pytest.mark.parametrize(
    "queues",
    [{}, {"every_s": 0.0}, {"every_s": 1.0, "at_s": [1.0]}, {"at_s": [2.0, 1.0]}],
)
def test_a_job_says_one_way(queues: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="queues"):
        job_format.load({**job(), "queues": queues})


def test_a_figure_of_a_link_in_a_phase() -> None:
    figure = {"kind": "cases", "metric": "mean_queue", "parts": ["late.path1.up"]}
    given: dict[str, Any] = {"metrics": ["mean_queue"], "phases": PHASES}
    assert loads(text(**given, figures=[figure])).figures
    with pytest.raises(UserError, match="has 'up' and 'down', not 'left'"):
        loads(text(**given, figures=[{**figure, "parts": ["late.path1.left"]}]))
    with pytest.raises(UserError, match="'never' is no phase"):
        loads(text(**given, figures=[{**figure, "parts": ["never.path1.up"]}]))


def test_background_is_how_a_run_is_measured_and_no_part_of_its_id() -> None:
    entry = {"tool": "iperf3", "from": "client", "to": "server", "duration": "3 s"}
    plain = make_plan(loads(text(traffic=[entry, entry])), {}).runs[0]
    noise = {**entry, "role": "background"}
    marked = make_plan(loads(text(traffic=[entry, noise])), {}).runs[0]
    assert "background" not in dump(plain.job)["report"]
    assert dump(marked.job)["report"]["background"] == [1]
    assert marked.id == plain.id
    with pytest.raises(UserError, match="role"):
        loads(text(traffic=[{**entry, "role": "noise"}]))
