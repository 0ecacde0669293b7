"""Traffic of several users of a network: `from: users`, in the file and in the job."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from analysis.run import traffic
from analysis.run.row import row
from jobs import dump
from mpbench.backends import fake_artefacts
from mpbench.commands import plan
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan
from tests.parts import part

HEAD = """\
name: phones
network:
  links:
    lte1..2: {capacity: 10 Mbit/s}
    wifi: {capacity: 20 Mbit/s}
  users:
    phone1: [lte1, wifi]
    phone2: [lte2, wifi]
    home: {paths: [wifi], users: 3}
seed: 1
cases:
  lia: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
  olia: {protocol: mptcp, congestion_control: olia, scheduler: lowrtt}
traffic:
  - {tool: flows, from: FROM}
"""
WEB = "size: 70 kB, arrivals: 10 /s, duration: 60 s"
FIRST = HEAD.count("\n")


def text(keys: str, *more: str) -> str:
    lines = [HEAD.replace("FROM", keys)]
    return "".join([*lines, *(f"  - {{tool: flows, from: {each}}}\n" for each in more)])


def jobs(keys: str, *more: str) -> list[dict[str, Any]]:
    return [dump(run.job) for run in make_plan(loads(text(keys, *more)), {}).runs]


def entry(keys: str) -> dict[str, Any]:
    found, other = (job["traffic"] for job in jobs(keys))
    assert found == other, "all cases have the same connections"
    return dict(found[0])


def listed(job: dict[str, Any]) -> list[list[str]]:
    """The connections of a job: words of its list."""
    lines = [
        line.split()
        for line in part("flows", "prepare").text(job_format.load(job)).splitlines()
    ]
    return [line for line in lines if line[0] == "flow"]


def fault(keys: str, *more: str) -> str:
    with pytest.raises(UserError) as caught:
        make_plan(loads(text(keys, *more), "f.yaml"), {})
    return str(caught.value)


def test_one_load_is_shared_at_random() -> None:
    made = entry(f"users, to: servers, assign: random, {WEB}")
    assert (made["from"], made["to"]) == ("phone1", "server_phone1")
    hosts = ["phone1", "phone2", "home"]
    assert made["pairs"] == [[host, f"server_{host}"] for host in hosts]
    assert (made["counts"], made["users"]) == ([1, 1, 3], 5)
    # 600 arrivals are expected; five users have a fifth each.
    assert made["drawn"]["flows"] == pytest.approx(600, abs=75)
    parts = [count / made["drawn"]["flows"] for count in made["drawn"]["pairs"]]
    assert parts == pytest.approx([0.2, 0.2, 0.6], abs=0.06)


def test_who_opens_a_connection_is_all_that_assign_changes() -> None:
    (random, _), (turns, _) = (
        jobs(f"[phone1, phone2], to: servers, assign: {assign}, {WEB}")
        for assign in ("random", "in turn")
    )
    flows, others = listed(random), listed(turns)
    assert [line[-3:] for line in flows] == [line[-3:] for line in others]
    assert [line[3] for line in others[:4]] == ["phone1", "phone2"] * 2
    assert all(line[5] == f"server_{line[3]}" for line in (*flows, *others))
    assert {line[3] for line in flows[:20]} == {"phone1", "phone2"}


def test_connections_at_once_are_shared_too() -> None:
    keys = "phone1..2, to: servers, assign: in turn, connections: 5, duration: 9 s"
    assert entry(keys)["drawn"]["pairs"] == [3, 2]


def test_each_user_has_connections_of_its_own() -> None:
    both, alone = (
        jobs(f"{hosts}, to: servers, {WEB}")[0]
        for hosts in ("[phone1, phone2]", "[phone1]")
    )
    made = both["traffic"][0]
    assert "assign" not in made and made["drawn"]["flows"] > 1000
    own = [line for line in listed(both) if line[3] == "phone1"]
    assert own == listed(alone), "a user more does not change what the others draw"
    home = jobs(f"home, to: servers, assign: each, {WEB}")[0]
    assert set(Counter(line[2] for line in listed(home))) == {"1", "2", "3"}


def test_a_host_without_users_is_left_out() -> None:
    keys = f"[home, phone1], to: servers, {WEB}"
    head = HEAD.replace("users: 3", "users: 0").replace("FROM", keys)
    made = dict(dump(make_plan(loads(head), {}).runs[0].job)["traffic"][0])
    assert made["pairs"] == [["phone1", "server_phone1"]] and made["counts"] == [1]
    nobody = f"[home], to: servers, {WEB}}}\n  - {{tool: flows, from: phone1,"
    nobody += " to: server_phone1, size: 1 kB"
    head = HEAD.replace("users: 3", "users: 0").replace("FROM", nobody)
    assert len(dump(make_plan(loads(head), {}).runs[0].job)["traffic"]) == 1


def test_users_of_one_server_may_name_it() -> None:
    one = HEAD.replace("[lte1, wifi]", "{paths: [lte1, wifi], to: web}")
    one = one.replace("[lte2, wifi]", "{paths: [lte2, wifi], to: web}")
    keys = f"[phone1, phone2], to: web, {WEB}"
    made = dump(make_plan(loads(one.replace("FROM", keys)), {}).runs[0].job)["traffic"][
        0
    ]
    assert made["pairs"] == [["phone1", "web"], ["phone2", "web"]]


def test_names_that_hosts_have_are_hosts() -> None:
    named = HEAD.replace("phone1:", "users:").replace("[lte2, wifi]", "[lte2]")
    made = make_plan(
        loads(named.replace("FROM", f"users, to: server_users, {WEB}")), {}
    ).runs[0]
    assert "counts" not in dump(made.job)["traffic"][0]


def test_the_analysis_sees_the_users_that_have_connections() -> None:
    keys = "users, to: servers, assign: in turn, connections: 2, size: 1 kB"
    made = json.loads(json.dumps(jobs(keys)[0]))
    (entry,) = traffic.of_job(job_format.load(made))
    assert entry.sources == ("phone1", "phone2")
    made["traffic"][0]["drawn"]["pairs"] = [2, 1, 0]
    with pytest.raises(ValueError, match=r"drawn\.pairs: not the connections"):
        job_format.load(made)
    del made["traffic"][0]["counts"]
    with pytest.raises(ValueError, match="needs one pair per user"):
        job_format.load(made)


@pytest.mark.parametrize(
    "keys",
    [
        f"users, to: servers, assign: random, name: web, {WEB}",
        "phone1..2, to: servers, duration: 5 s, connections: 2",
        "phone1..2, to: servers, duration: 5 s, reverse: true",
    ],
)
def test_a_run_is_measured_over_all_users(keys: str, tmp_path: Path) -> None:
    job = jobs(keys)[0]
    (tmp_path / "artefacts").mkdir()
    (tmp_path / "job.json").write_text(json.dumps(job))
    for name, content in fake_artefacts.artefacts(job_format.load(job)).items():
        (tmp_path / "artefacts" / name).write_bytes(content)
    found = row(tmp_path)
    assert found["verdict"] == "ok", found["reason"]
    for link in ("lte1", "lte2", "wifi"):
        assert found[f"{link}.bytes"] > 0
    flows = found["web.flows" if "web" in keys else "flows"]
    assert flows == job["traffic"][0]["drawn"]["flows"]


def test_the_plan_shows_who_sends_what(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    keys = "[phone1, phone2], to: servers, assign: in turn, connections: 3, size: 1 MB"
    file.write_text(text(keys) + "repetitions: 2\n")
    result = CliRunner().invoke(plan.command, [str(file), "--backend", "fake"])
    assert result.exit_code == 0, result.output
    told = "3 connections (3 MB): phone1 2 (2 MB), phone2 1 (1 MB)"
    assert result.stdout.splitlines()[-2:] == [
        f"traffic[0] users, repetition {number}: {told}" for number in (0, 1)
    ]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (f"[phone1, fone2], to: servers, {WEB}", "no user 'fone2'"),
        (f"[phone1, phone1], to: servers, {WEB}", "'phone1' stands there twice"),
        (f"[], to: servers, {WEB}", "empty; name hosts, such as [phone1, phone2]"),
        (f"[1], to: servers, {WEB}", "'1' is not the name of a host"),
        (f"phone1..x, to: servers, {WEB}", "is not a range such as access1..3"),
        (f"[server_home], to: servers, {WEB}", "'server_home' opens no connections"),
        (f"users, to: server_home, {WEB}", "write 'to: servers'"),
        (f"users, to: servrs, {WEB}", "did you mean 'servers'?"),
        (f"users, to: permutation, {WEB}", "write 'from: users, to: servers', or take"),
        (f"phone1, to: all, {WEB}", "reaches its own server only"),
        (f"hosts, to: random, {WEB}", "write 'from: users, to: servers'"),
        (f"users, to: servers, assign: turns, {WEB}", "unknown assignment 'turns'"),
        (f"users, to: [servers], {WEB}", "expected one host"),
        (f"users, to: servers, senders: 30 %, {WEB}", "without effect"),
        ("users, to: servers, arrivals: 1 /s", "says neither how long nor how much"),
        (f"[a0..999, b0..999], to: servers, {WEB}", "more than 1000 names"),
    ],
)
def test_what_is_refused(keys: str, words: str) -> None:
    told = fault(keys)
    assert words in told and "\n" not in told
    assert told.startswith(f"f.yaml:{FIRST}: ")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("[phone1, phone2]", "'from' of 'tool: flows' can be several"),
        ("users", "several users need 'tool: flows'"),
    ],
)
def test_other_tools_have_one_host(source: str, words: str) -> None:
    keys = f"{source}, to: servers, duration: 5 s"
    with pytest.raises(UserError, match=words):
        loads(HEAD.replace("flows, from: FROM", f"iperf3, from: {keys}"), "f.yaml")


def test_in_a_data_centre_hosts_have_patterns() -> None:
    lines = HEAD.splitlines(keepends=True)
    head = "".join([lines[0], "topology: fattree-k4\n", *lines[9:]])
    for keys, words in (
        ("users, to: servers", "write 'from: hosts' and a pattern"),
        ("[h1, h2], to: permutation", "write 'from: hosts' and a pattern"),
        ("hosts, to: permutation, assign: random", "without 'assign'"),
    ):
        with pytest.raises(UserError, match=words):
            loads(head.replace("FROM", f"{keys}, duration: 5 s"), "f.yaml")


def test_entries_of_several_users_share_hosts_and_ports() -> None:
    own = "transport: {protocol: mptcp, congestion_control: lia, scheduler: roundrobin}"
    keys = f"users, to: servers, {WEB}"
    told = fault(keys, f"phone2, to: server_phone2, duration: 9 s, {own}")
    assert "phone2 has another scheduler in traffic[0]" in told
    told = fault(keys, "phone2, to: server_phone2, duration: 9 s, port: 8001")
    assert "8001 is the port of traffic[0] on the same host" in told
    tcp = "transport: {protocol: tcp, congestion_control: reno, path: 2}"
    told = fault(f"{keys}, {tcp}")
    assert "there is no path 2 of home, which has 1" in told
    first, second = jobs(keys, f"phone1..2, to: servers, {WEB}")[0]["report"]["names"]
    assert (first, second) == ("users-1", "users-2")
