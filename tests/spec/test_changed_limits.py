"""Limits of path managers that change while traffic runs."""

from typing import Any

import pytest

from jobs import dump, load
from jobs.ends import Change, Host, Limits
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.guest import transport
from mpbench.plan import make_plan

FILE = """\
name: limits
topology: two_path
hosts: {client: {limits: {subflows: 0}, at: STEPS}}
cases: {only: {protocol: mptcp, congestion_control: cubic}}
traffic: [{tool: iperf3, from: client, to: server, duration: 9 s}]
"""


def changes(steps: str) -> Any:
    (run,) = make_plan(loads(FILE.replace("STEPS", steps)), {}).runs
    job = load(dump(run.job))
    return (job.host_settings or {})["client"].changes


def test_limits_change_at_their_times_and_what_is_not_said_stays() -> None:
    given = changes(
        "{2 s: {limits: {subflows: 3}}, 4 s: {limits: {add_addr_accepted: 1}}}"
    )
    assert given == (
        Change(at_s=2.0, link=None, limits=Limits(subflows=3)),
        Change(at_s=4.0, link=None, limits=Limits(add_addr_accepted=1)),
    )
    both = changes("{2 s: {limits: {subflows: 3}, endpoints: {path2: none}}}")
    assert [(one.link, bool(one.limits)) for one in both] == [
        (None, True),
        ("path2", False),
    ]
    assert "limits" not in dump(changes("{2 s: {endpoints: {path2: none}}}")[0])


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("{2 s: {limits: {}}}", "changes nothing; name 'endpoints', 'addresses' or"),
        ("{2 s: {limits: {subflows: 9}}}", "9 is above 8"),
        ("{2 s: {limits: {subflow: 1}}}", "did you mean 'subflows'?"),
        ("{9 s: {limits: {subflows: 1}}}", "end of the traffic"),
    ],
)
def test_limits_that_cannot_be_are_refused(steps: str, reason: str) -> None:
    with pytest.raises(UserError) as error:
        changes(steps)
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"link": "path2", "limits": Limits(subflows=1)}, "all but a change of limits"),
        ({"link": None, "present": True}, "all but a change of limits"),
        (
            {"link": None, "limits": Limits(subflows=1), "flags": ("subflow",)},
            "a change of its own",
        ),
    ],
)
def test_changes_that_no_job_has(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Change(at_s=1.0, **change).check()


def test_the_usual_limits_are_those_before_a_change() -> None:
    usual = transport.SUBFLOW_LIMIT
    assert transport.limits(None) == transport.limits(Host()) == (usual, 0)
    assert transport.limits(Host(limits=Limits(subflows=0))) == (0, 0)
    assert transport.limits(Host(limits=Limits(add_addr_accepted=2))) == (usual, 2)
