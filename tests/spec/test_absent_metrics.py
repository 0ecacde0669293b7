"""The plan tells of metrics that no run of an experiment can have."""

import pytest

from mpbench.experiment_files import loads
from mpbench.plan import feasible, make_plan
from tests.spec.files import CASE, TEXT, swapped, text

DOWNLOAD = {"tool": "curl", "from": "client", "to": "server", "size": "1 MB"}
MESSAGES = {"tool": "cbr", "from": "client", "to": "server", "rate": "1 Mbit/s"}


def told(what: str) -> list[str]:
    spec = loads(what, "f.yaml")
    return [
        line
        for line in feasible.warnings(spec, make_plan(spec, {}))
        if "no run of this experiment has it" in line
    ]


@pytest.mark.parametrize(
    ("metric", "traffic", "needed"),
    [
        ("completion_time", None, "traffic of 'curl', or traffic of 'flows'"),
        ("completion_time", DOWNLOAD, ""),
        ("completion_time_p95", DOWNLOAD, "traffic of 'flows' with a size"),
        ("requests_per_second", DOWNLOAD, "traffic of 'ab'"),
        ("message_delay", {**MESSAGES, "duration": "3 s"}, "'over: connection'"),
        (
            "message_delay",
            {**MESSAGES, "duration": "3 s", "over": "connection"},
            "",
        ),
        ("settling_time", DOWNLOAD, "traffic of 'iperf3' with a duration"),
        ("settling_time", None, ""),
        ("capture_reinjection_ratio", None, "a 'capture'"),
        ("experimental_aggregation_benefit", None, ""),
        ("goodput", None, ""),
    ],
)
def test_a_metric_that_the_traffic_cannot_have(
    metric: str, traffic: dict[str, object] | None, needed: str
) -> None:
    changed: dict[str, object] = {"metrics": [metric]}
    if traffic:
        changed["traffic"] = [traffic]
    lines = told(text(**changed))
    assert len(lines) == bool(needed)
    if needed:
        assert f"metrics[0]: {metric}: no run" in lines[0] and needed in lines[0]


def test_a_benefit_without_mptcp() -> None:
    metrics = "metrics: [aggregation_benefit]\n"
    assert not told(TEXT + metrics)
    assert "it needs a case of mptcp" in told(swapped(CASE, "") + metrics)[0]
