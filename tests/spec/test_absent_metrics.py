"""Metrics that no run of an experiment can have are refused."""

from pathlib import Path

import pytest

from analysis.run import absent, needs
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import feasible, make_plan
from mpbench.spec.vocabulary import METRICS
from tests.calls import Command
from tests.spec.files import CASE, TEXT, swapped, text

DOWNLOAD = {"tool": "curl", "from": "client", "to": "server", "size": "1 MB"}
BULK = {"tool": "iperf3", "from": "client", "to": "server"}
MESSAGES = {"tool": "cbr", "from": "client", "to": "server", "rate": "1 Mbit/s"}


def told(what: str) -> list[str]:
    try:
        feasible.check_metrics(loads(what, "f.yaml"))
    except UserError as error:
        return str(error).splitlines()
    return []


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
        ("settling_time", DOWNLOAD, "traffic of 'iperf3' of more than 5 s"),
        ("settling_time", {**BULK, "duration": "5 s"}, "of more than 5 s"),
        ("settling_time", {**BULK, "duration": "6 s"}, ""),
        ("rate_jitter", {**BULK, "duration": "5 s"}, ""),
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


@pytest.mark.parametrize("verb", ["plan", "run", "sensitivity"])
def test_commands_refuse_it_before_the_first_run(
    verb: str, tmp_path: Path, command: Command
) -> None:
    file = tmp_path / "f.yaml"
    file.write_text(TEXT + "metrics: [completion_time]\n")
    words = [verb, str(file), "--backend", "fake"]
    words += ["--out", str(tmp_path / "out")] if verb != "plan" else []
    words += ["--metric", "goodput"] if verb == "sensitivity" else []
    called = command(*words)
    assert called.status == 2
    line = file.read_text().splitlines().index("metrics: [completion_time]") + 1
    assert f"f.yaml:{line}: metrics[0]: completion_time: no run" in called.err
    assert not (tmp_path / "out").exists()


def test_results_that_lack_a_metric_are_read(tmp_path: Path) -> None:
    """make_plan is also asked about results that are there."""
    assert make_plan(loads(TEXT + "metrics: [completion_time]\n", "f.yaml"), {}).runs


def test_every_metric_of_experiment_files_is_known() -> None:
    known = {*needs.METRICS, *absent.OF_OTHER_RUNS}
    assert known == set(METRICS)
