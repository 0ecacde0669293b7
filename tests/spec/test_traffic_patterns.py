"""Traffic between many hosts: patterns in the experiment file, and in the job."""

import json
from collections import Counter
from typing import Any

import pytest

from analysis.run import traffic
from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan
from tests.parts import part

HEAD = """\
name: centre
topology: {topology}
seed: {seed}
cases:
  lia: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt}}
traffic:
  - {{tool: flows, from: hosts, to: {keys}}}
"""


def job(keys: str, topology: str = "fattree-k4", seed: int = 1) -> dict[str, Any]:
    text = HEAD.format(topology=topology, keys=keys, seed=seed)
    text += "guest: {memory: 4 GiB}\n"
    return dump(make_plan(loads(text), {}).runs[0].job)


def pairs(keys: str, **more: Any) -> list[tuple[str, str]]:
    entry = job(f"{keys}, duration: 2 s", **more)["traffic"][0]
    assert (entry["from"], entry["to"]) == tuple(entry["pairs"][0])
    return [(here, there) for here, there in entry["pairs"]]


def fault(keys: str, topology: str = "fattree-k4") -> str:
    with pytest.raises(UserError) as caught:
        text = HEAD.format(topology=topology, keys=keys, seed=1)
        make_plan(loads(text, "f.yaml"), {})
    return str(caught.value)


@pytest.mark.parametrize("keys", ["permutation", "TP1"])
def test_a_permutation_of_128_hosts(keys: str) -> None:
    found = pairs(keys, topology="fattree-k8")
    hosts = {f"h{number}" for number in range(1, 129)}
    assert {one for one, _ in found} == {two for _, two in found} == hosts
    assert len(found) == 128 and all(one != two for one, two in found)
    assert found == pairs(keys, topology="fattree-k8")
    assert found != pairs(keys, topology="fattree-k8", seed=2)


def test_twelve_destinations_in_a_fattree() -> None:
    found = pairs("TP2", topology="fattree-k8")
    assert set(Counter(one for one, _ in found).values()) == {12}
    assert len(found) == len(set(found)) == 1536


def test_twelve_neighbours_in_a_bcube() -> None:
    # Switches of 5 ports on 3 levels: 4 others on each. h1 is 000, so its neighbours
    # are 00x, 0x0 and x00 in base 5.
    found = pairs("TP2", topology="bcube-n5-k2")
    near = [int(two[1:]) - 1 for one, two in found if one == "h1"]
    assert near == [1, 2, 3, 4, 5, 10, 15, 20, 25, 50, 75, 100]
    assert len(found) == 1500


def test_a_sparse_pattern() -> None:
    found = pairs("TP3", topology="fattree-k8")
    assert len(found) == len({one for one, _ in found}) == 38
    half = pairs("random, senders: 50 %, destinations: 3")
    assert len(half) == 24 and len({one for one, _ in half}) == 8


def test_two_entries_share_the_hosts_of_one_permutation() -> None:
    rest = "{tool: flows, from: hosts, to: permutation, senders: rest, size: 70 kB,"
    rest += " arrivals: 5 /s, duration: 2 s, transport: {protocol: tcp,"
    rest += " congestion_control: reno, path: 1}}"
    keys = f"permutation, senders: 33 %, duration: 2 s}}\n  - {rest[:-1]}"
    long, short = (entry["pairs"] for entry in job(keys)["traffic"])
    assert len(long) == 5 and len(short) == 11
    hosts = {f"h{number}" for number in range(1, 17)}
    for end in (0, 1):
        ends = [pair[end] for pair in (*long, *short)]
        assert len(ends) == 16 and set(ends) == hosts
    assert all(here != there for here, there in (*long, *short))


def test_all_to_all() -> None:
    assert len(set(pairs("all"))) == 16 * 15


def test_every_pair_draws_its_own_start_and_every_case_has_the_same() -> None:
    keys = "permutation, duration: 2 s, start: {min: 0 s, max: 1 s}"
    made = job(keys)
    lines = [
        line.split()
        for line in part("flows", "prepare").text(job_format.load(made)).splitlines()
    ]
    flows = [line for line in lines if line[0] == "flow"]
    assert [line[3] for line in flows] != [f"h{n}" for n in range(1, 17)]
    assert len({line[-2] for line in flows}) == 16
    ends = {(line[3], line[5]) for line in flows}
    assert ends == {(a, b) for a, b in made["traffic"][0]["pairs"]}
    listens = {line[2] for line in lines if line[0] == "listen"}
    assert listens == {two for _, two in ends}
    assert {line[2] for line in flows} == {"1"}


def test_the_analysis_sees_all_hosts() -> None:
    made = json.loads(json.dumps(job("random, destinations: 2, duration: 2 s")))
    entries = traffic.of_job(job_format.load(made))
    assert len(entries[0].all_pairs) == 32
    assert set(traffic.initiators(entries)) == {f"h{number}" for number in range(1, 17)}


def test_a_job_of_other_pairs_is_refused() -> None:
    made = job("permutation, duration: 2 s")
    entry = made["traffic"][0]
    entry["pairs"] = [*entry["pairs"][:-1], [entry["pairs"][-1][0], "h99"]]
    with pytest.raises(ValueError, match="no user 'h16' of a server 'h99'"):
        job_format.load(made)
    entry["pairs"] = entry["pairs"][:-1]
    with pytest.raises(ValueError, match="one pair per user"):
        job_format.load(made)


@pytest.mark.parametrize(
    ("keys", "topology", "words"),
    [
        ("permutations, duration: 2 s", "fattree-k4", "did you mean 'permutation'?"),
        ("h3, duration: 2 s", "fattree-k4", "known: permutation, random"),
        ("TP1, destinations: 2, duration: 2 s", "fattree-k4", "without effect with"),
        ("all, senders: 50 %, duration: 2 s", "fattree-k4", "take it away, or write"),
        ("random, senders: 0 %, duration: 2 s", "fattree-k4", "senders"),
        ("random, senders: some, duration: 2 s", "fattree-k4", "senders"),
        (
            "permutation, senders: rest, duration: 2 s",
            "fattree-k4",
            "'rest' of what? no other entry has a share of senders",
        ),
        (
            "random, destinations: 16, duration: 2 s",
            "fattree-k4",
            "16 destinations; fattree-k4 has 16 hosts, so 1 to 15 work",
        ),
        ("TP2, duration: 2 s", "clos-l4-s2-h1", "so 1 to 3 work"),
        ("neighbours, duration: 2 s", "clos-l4-s2-h1", "share a switch"),
        ("TP1, duration: 2 s", "two_path", "take a data centre, such as fattree-k4"),
        ("all, duration: 2 s", "fattree-k8", "work"),
    ],
)
def test_what_is_refused(keys: str, topology: str, words: str) -> None:
    told = fault(keys, topology)
    assert words in told and told.startswith("f.yaml:7: traffic[0]")
    assert "\n" not in told


def test_destinations_need_many_hosts() -> None:
    text = HEAD.format(topology="fattree-k4", keys="h2, duration: 1 s", seed=1)
    text = text.replace("from: hosts", "from: h1, destinations: 3")
    with pytest.raises(UserError, match="without effect between two hosts"):
        loads(text, "f.yaml")
