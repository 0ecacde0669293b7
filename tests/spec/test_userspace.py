"""The key `pm` of hosts: a path manager in user space, which follows a script."""

from typing import Any

import pytest

from jobs import dump, load
from mpbench.backends import requirements
from mpbench.backends.requirements import Machine
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tests.spec.files import faults
from tests.spec.test_ends import job, spec

SERVER = {"addresses": {"path2": "10.250.0.2"}, "pm": "userspace"}


def client(**steps: Any) -> dict[str, Any]:
    return {"client": {"pm": "userspace", "at": {"1 s": steps}}}


def test_steps_are_commands_of_the_job() -> None:
    made = job(
        {
            **client(
                create={"path1": None, "path2": "10.250.0.2"},
                set_flags={"path2": "backup"},
                destroy=["path1", "path2"],
            ),
            "server": {
                **SERVER,
                "at": {"2 s": {"announce": "path2"}, "3 s": {"remove": ["path2"]}},
            },
        }
    )
    one, two = {"at_s": 1.0, "link": "path1"}, {"at_s": 1.0, "link": "path2"}
    assert made["hosts"]["client"] == {
        "changes": [
            {**one, "command": "create"},
            {**two, "command": "create", "to": "10.250.0.2"},
            {**one, "command": "destroy"},
            {**two, "command": "destroy"},
            {**two, "flags": ["backup"], "command": "set_flags"},
        ],
        "pm": "userspace",
    }
    assert made["hosts"]["server"]["changes"] == [
        {"at_s": 2.0, "link": "path2", "command": "announce"},
        {"at_s": 3.0, "link": "path2", "command": "remove"},
    ]
    known = load(made)
    assert dump(known) == made
    assert (known.host_settings or {})["client"].manages


def test_the_kernels_path_manager_is_the_usual_one() -> None:
    assert job({"client": {"pm": "kernel"}})["hosts"] == {"client": {}}
    step = {"at": {"1 s": {"endpoints": {"path2": "none"}}}}
    assert "create" not in loads(spec({"client": step})).model_dump_json()


@pytest.mark.parametrize(
    "hosts, reason",
    [
        (client(create="path3"), "client has no address on 'path3'"),
        (client(create={"path2": "10.250"}), "'10.250' is no IPv4 address"),
        (client(set_flags={"path2": "signal"}), "write backup or none"),
        (client(announce=[3]), "'3' is no link; write e.g. [path2]"),
        (client(), "changes nothing"),
        (
            client(endpoints={"path2": "none"}),
            "endpoints are the kernel's, and 'pm: userspace' does not use them",
        ),
        (
            {"client": {"at": {"1 s": {"create": "path2"}}}},
            "only a path manager in user space does; add 'pm: userspace'",
        ),
        (
            {"server": {**SERVER, "at": {"1 s": {"create": "path2"}}}},
            "nothing listens at the other end; write 'announce'",
        ),
        (
            {"client": {"pm": "userspace", "limits": {"subflows": 1}}},
            "client.limits: 'pm: userspace' does not use it; take it away",
        ),
        (
            {"client": {"pm": "userspace", "endpoints": []}},
            "client.endpoints: 'pm: userspace' does not use it; take it away",
        ),
        ({"client": {"pm": "user"}}, "unknown path manager 'user'"),
    ],
)
def test_scripts_that_cannot_be(hosts: dict[str, Any], reason: str) -> None:
    assert reason in faults(spec(hosts))[0]


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"command": "set_flags"}, "a command has flags if it is set_flags"),
        ({"command": "create", "present": True}, "a command has flags if"),
        ({"command": "remove", "to": "10.250.0.2"}, "only a subflow to create has it"),
    ],
)
def test_commands_that_no_job_has(change: dict[str, Any], reason: str) -> None:
    document = job(client(create="path2"))
    document["hosts"]["client"]["changes"] = [{"at_s": 1.0, "link": "path2", **change}]
    with pytest.raises(ValueError, match=reason):
        load(document)


def test_a_script_without_the_path_manager_is_refused() -> None:
    document = job(client(create="path2"))
    del document["hosts"]["client"]["pm"]
    with pytest.raises(ValueError, match="commands need pm: userspace"):
        load(document)


@pytest.mark.parametrize("value, refused", [(None, True), ("0", False)])
def test_a_kernel_that_has_none_is_refused(value: str | None, refused: bool) -> None:
    kernel = {"congestion_controls": "cubic", "userspace_pm": value}
    machine = Machine(root=True, tried={"kernel": kernel})
    (run,) = make_plan(loads(spec(client(create="path2"))), {}).runs
    if not refused:
        requirements.check_jobs([run.job], machine)
        return
    with pytest.raises(UserError, match=r"pm: userspace: not in this kernel \(Linux 5"):
        requirements.check_jobs([run.job], machine)
