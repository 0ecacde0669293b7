"""The schema of jobs: what the planner makes fits it, and little else does."""

import copy
from pathlib import Path
from typing import Any

import pytest

from jobs import dump
from mpbench.experiment_files import load
from mpbench.plan import job_format, make_plan

QUICKSTART = Path(__file__).resolve().parents[2] / "experiments" / "quickstart.yaml"


@pytest.fixture(scope="module")
def job() -> dict[str, Any]:
    return dump(make_plan(load(QUICKSTART), {}).runs[0].job)


def changed(job: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    """A copy of `job` with `value` at `place`, a path such as `traffic.0.port`."""
    copied = copy.deepcopy(job)
    *parents, last = place.split(".")
    part: Any = copied
    for key in parents:
        part = part[int(key)] if isinstance(part, list) else part[key]
    part[last] = value
    return copied


def test_a_planned_job_fits(job: dict[str, Any]) -> None:
    job_format.load(job)


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("transport.sysctls", {"/usr/bin/iperf3": "x"}, "not a network sysctl"),
        ("transport.sysctls", {"net/../kernel": "x"}, "not a network sysctl"),
        ("transport.sysctls", {"net..core": "x"}, "not a network sysctl"),
        ("transport.sysctls", {"kernel.core_pattern": "|x"}, "not a network sysctl"),
        ("transport.sysctls", {"net.ipv4.tcp_sack": "1\n2"}, "not a line of text"),
        ("transport.sysctls", {"net.ipv4.tcp_sack": 1}, "valid string"),
        ("transport.scheduler", "../x", "not a name that a kernel knows"),
        ("transport.scheduler", None, "mptcp needs a scheduler"),
        ("transport.path", 3, "client has no path 3"),
        ("transport.extra", 1, "Extra inputs"),
        ("topology", "../../x", "not a name"),
        ("topology", "chains", "no topology 'chains'"),
        ("parameters", [], "valid dictionary"),
        ("parameters", {}, "is missing"),
        ("links", [], "two_path has the links path1, path2"),
        ("links.0.name", "path2", "two_path has the links"),
        ("links.0.capacity_mbps", 0, "greater than 0"),
        ("links.1.queue_packets", "8; x", "valid integer"),
        ("links.1.more", 1, "Extra inputs"),
        ("traffic", [], "at least 1"),
        ("traffic.0.tool", "../../os", "does not match any of the expected tags"),
        ("traffic.0.from", "r1", "has no user 'r1'"),
        ("traffic.0.to", "client", "has no user 'client'"),
        ("traffic.0.port", 2**40, "less than or equal to 65535"),
        ("traffic.0.bytes", 5, "needs either duration_s or bytes"),
        ("traffic.0.parallel", True, "valid integer"),
        ("capture", {"interfaces": ["lo"], "full": True}, "no interface 'lo'"),
        ("capture", {"interfaces": ["../x"], "full": True}, "not a name"),
        ("seed", 2**64, "less than or equal"),
        ("seed", "1", "valid integer"),
        ("time_limit_s", float("nan"), "finite number"),
        ("time_limit_s", {}, "valid number"),
        ("report", {"names": [], "phases": {}}, "one name per traffic entry"),
        ("format", 1, "Input should be 2"),
        ("surprise", 1, "Extra inputs"),
    ],
)
def test_what_no_experiment_can_ask_for_is_refused(
    job: dict[str, Any], place: str, value: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        job_format.load(changed(job, place, value))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "words"),
    [(1e9, "outside"), ("1", "valid number"), (None, "needs a number")],
)
def test_a_parameter_is_within_its_range(
    job: dict[str, Any], value: Any, words: str
) -> None:
    parameters = {**job["parameters"], "path1.capacity_mbps": value}
    with pytest.raises(ValueError, match=words):
        job_format.load({**job, "parameters": parameters})
