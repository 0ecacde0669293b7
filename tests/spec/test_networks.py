"""The section `network:`: what it gives, as built-in topologies, and its faults."""

from typing import Any

import pytest
import yaml

import topologies
from jobs import dump
from jobs import load as load_job
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.job_format import completed
from mpbench.plan.job_format import load as check
from mpbench.spec import Spec, builtin, ranges
from tests.spec.files import faults
from topologies import networks as described

HEAD = """\
name: net
cases:
  lia: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: u, to: server_u, duration: 5 s}
"""
NETWORK = """\
network:
  links:
    A: {capacity: 5 Mbit/s}
    B: {like: A}
  users:
    u: [A, B]
    v: {paths: [A B], users: 2}
"""
TEXT = HEAD + NETWORK


def changed(old: str, new: str, text: str = TEXT) -> str:
    assert old in text
    return text.replace(old, new)


def network(links: dict[str, Any], users: dict[str, Any], **more: Any) -> Spec:
    first = next(iter(users))
    host = ranges.names(first)[0]
    entry = {"tool": "iperf3", "from": host, "to": f"server_{host}"}
    traffic = [{**entry, "duration": "5 s"}]
    case = {"protocol": "mptcp", "congestion_control": "lia"}
    values = {
        **{"name": "net", "cases": {"lia": case}, "traffic": traffic},
        **{"network": {"links": links, "users": users}, **more},
    }
    return loads(yaml.safe_dump(values))


def job(spec: Spec, point: int = 0) -> dict[str, Any]:
    return dump(make_plan(spec, {}).runs[point].job)


DELAYS = {"delay": "0 ms"}
SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "shared_bottleneck": (
        {"bottleneck": {"capacity": "15 Mbit/s"}, "access1..3": DELAYS},
        {
            "multi": {
                "paths": ["access1 bottleneck", "access2 bottleneck"],
                "users": 1,
            },
            "single": {"paths": "access3 bottleneck", "users": 1},
        },
    ),
    "triangle": (
        {"link1..3": {}},
        {
            "a": ["link1", "link2..3"],
            "b": ["link2", "link3 link1"],
            "c": ["link3", "link1..2"],
        },
    ),
    "level_triangle": (
        {"link1..3": {}, "short1..3": {"delay": "10 ms"}},
        {
            "a": ["short1 link1", "link2 link3"],
            "b": ["short2 link2", "link3 link1"],
            "c": ["short3 link3", "link1 link2"],
        },
    ),
    "four_links": (
        {
            "link1": {"capacity": "5 Mbit/s"},
            "link2": {"capacity": "12 Mbit/s"},
            "link3": {},
            "link4": {"capacity": "3 Mbit/s"},
        },
        {"a": ["link1", "link2"], "b": ["link2", "link3"], "c": ["link3", "link4"]},
    ),
    "two_links": (
        {"link1..2": {}},
        {
            "multi": {"paths": ["link1", "link2"], "users": 1},
            "single1": {"paths": ["link1"], "users": 1},
            "single2": {"paths": ["link2"], "users": 1},
        },
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_built_in_topologies_in_a_few_lines(name: str) -> None:
    own = network(*SAME[name]).network_description
    known = builtin.describe(name)
    assert own.users == known.users
    ours = {p.name: p for p in own.parameters}
    theirs = {p.name: p for p in known.parameters}
    assert ours == theirs
    shapes = topologies.resolve(known, known.defaults())
    assert topologies.resolve(own, own.defaults()) == shapes
    assert topologies.wire(own, shapes) == topologies.wire(known, shapes)


def test_two_path_differs_only_in_its_names() -> None:
    links = {"path1..2": {"jitter": "0 ms"}}
    own = network(
        links,
        {"client": {"paths": ["path1", "path2"], "to": "server"}},
        **{
            "traffic": [
                {"tool": "iperf3", "from": "client", "to": "server", "duration": "5 s"}
            ]
        },
    ).network_description
    known = builtin.describe("two_path")
    assert own.users == known.users
    assert own.defaults() == known.defaults()


PAPERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "torus": (
        {"A..E": {}},
        {
            "u1": ["A", "B"],
            "u2": ["B", "C"],
            "u3": ["C", "D"],
            "u4": ["D", "E"],
            "u5": ["E", "A"],
        },
    ),
    "scenario A": (
        {"server": {}, "shared": {"like": "server"}, "private": {"delay": "20 ms"}},
        {
            "type1": {"paths": ["private server", "shared server"], "users": 10},
            "type2": {"paths": "shared", "users": 10},
        },
    ),
    "scenario B": ({"X": {}, "T": {}}, {"blue": ["X", "T"], "red": ["T", "X T"]}),
    "scenario C": (
        {"ap1": {"capacity": "= 1 Mbit/s * multi.users"}, "ap2": {}},
        {
            "multi": {"paths": ["ap1", "ap2"], "users": 10},
            "single": {"paths": "ap2", "users": 10},
        },
    ),
    "MPCC 3d": (
        {"link1..2": {}},
        {"multi": ["link1", "link2"], "single": ["link2"]},
    ),
    "MPCC 4b": (
        {"link1..3": {}},
        {"a": ["link1", "link2"], "b": ["link2", "link3"], "c": ["link3", "link1"]},
    ),
    "part behind a shared link": (
        {"in": {}, "out1..2": {}},
        {"u": ["in out1", "in out2"]},
    ),
    "both orders": ({"A": {}, "B": {}}, {"u": ["A B", "B A"]}),
    "a chain of 12": ({"link1..12": {}}, {"u": ["link1..12"]}),
    "12 users": ({"link1": {}}, {"u1..12": ["link1"]}),
    "most users": ({"b": {}}, {"u1..99": ["b"]}),
    "many wires": ({"a1..150": {}}, {"u": ["a1..150"]}),
}


@pytest.mark.parametrize("name", PAPERS)
def test_networks_of_papers(name: str) -> None:
    spec = network(*PAPERS[name])
    made = job(spec)
    check(made)
    wiring = load_job(made).wiring
    ends = [end for wire in wiring.wires for end in (wire.one, wire.two)]
    addresses = [end.address for end in ends]
    assert len(set(addresses)) == len(addresses)
    subnets = [str(address).rsplit(".", 1)[0] for address in addresses]
    assert len(set(subnets)) == len(wiring.wires)
    assert {place.link for place in wiring.links} == {
        link["name"] for link in made["links"]
    }


def test_the_job_describes_its_network() -> None:
    spec = loads(TEXT)
    made = job(spec)
    assert made["topology"] is None
    again, own = load_job(made).description, spec.network_description
    assert again.users == own.users
    assert {p.key for p in again.parameters} == {p.key for p in own.parameters}
    shapes = {link.name: link for link in load_job(made).links}
    assert load_job(made).wiring == topologies.wire(own, shapes)


def test_a_link_that_is_like_another_follows_it() -> None:
    more = "parameters: {A.delay: 7 ms, B.loss: 1 %}\n"
    values = job(loads(TEXT + more))["parameters"]
    assert (values["B.capacity_mbps"], values["B.delay_ms"]) == (5.0, 7.0)
    assert (values["A.loss_percent"], values["B.loss_percent"]) == (0.0, 1.0)
    assert values["B.queue_packets"] is None


def test_a_link_with_its_own_queueing_delay_does_not_take_a_queue() -> None:
    links = "    A: {queue: 30}\n    B: {like: A}\n"
    text = changed("    A: {capacity: 5 Mbit/s}\n    B: {like: A}\n", links)
    assert job(loads(text))["parameters"]["B.queue_packets"] == 30
    values = job(loads(text + "parameters: {B.queueing_delay: 80 ms}"))["parameters"]
    assert (values["A.queue_packets"], values["B.queue_packets"]) == (30, None)
    own = changed("{like: A}", "{like: A, queueing_delay: 80 ms}", text)
    assert job(loads(own))["parameters"]["B.queue_packets"] is None


def test_expressions_follow_factors() -> None:
    design = "design: {method: grid, factors: {v.users: [1, 3]}}\n"
    text = changed("5 Mbit/s", "= 2 Mbit/s * v.users") + design
    plan = make_plan(loads(text), {})
    links = [dump(run.job)["links"] for run in plan.runs]
    assert [[link["capacity_mbps"] for link in at] for at in links] == [[2, 2], [6, 6]]
    parameters = "parameters: {B.capacity: = A.capacity / 2}\n"
    plan = make_plan(loads(text + parameters), {})
    links = [dump(run.job)["links"] for run in plan.runs]
    assert [[link["capacity_mbps"] for link in at] for at in links] == [[2, 1], [6, 3]]


def test_a_factor_replaces_an_expression() -> None:
    design = "design: {method: grid, factors: {B.capacity: [1 Mbit/s, 2 Mbit/s]}}\n"
    plan = make_plan(loads(TEXT + design), {})
    links = [dump(run.job)["links"] for run in plan.runs]
    assert [[link["capacity_mbps"] for link in at] for at in links] == [[5, 1], [5, 2]]


def test_constraints_know_what_is_computed() -> None:
    """B has twice A's capacity, so A may have up to 20 Mbit/s, and A more than 10."""
    design = """\
design:
  points: 12
  factors: {A.capacity: {min: 1 Mbit/s, max: 30 Mbit/s}, v.users: [1, 4]}
  constraints: [B.capacity <= 40, A.capacity > 2.5 * v.users]
"""
    text = changed("{like: A}", "{capacity: = 2 * A.capacity}") + design
    plan = make_plan(loads(text), {})
    rows = [dump(run.job)["parameters"] for run in plan.runs]
    assert 10 <= len({row["A.capacity_mbps"] for row in rows}) <= 12
    assert all(row["B.capacity_mbps"] <= 40 for row in rows)
    assert all(row["A.capacity_mbps"] > 2.5 * row["v.users"] for row in rows)
    assert len(rows) < 24


def test_a_built_in_topology_takes_expressions_too() -> None:
    text = HEAD.replace("from: u, to: server_u", "from: client, to: server")
    more = "topology: two_path\nparameters: {path2.delay: = 3 * path1.delay}\n"
    assert job(loads(text + more))["parameters"]["path2.delay_ms"] == 30.0


HOME = {
    "dsl": {
        "capacity": {"up": "1 Mbit/s", "down": "16 Mbit/s"},
        "delay": {"up": "12 ms", "down": "15 ms"},
        "jitter": "0 ms",
    },
    "lte": {
        "capacity": {"up": "10 Mbit/s", "down": "= 4 * lte.capacity"},
        "queue": {"up": 50, "down": 200},
        "loss": {"up": "0 %", "down": "0.1 %"},
    },
    "near": {"delay": {"up": "1 ms", "down": "9 ms"}},
    "like": {"like": "lte", "capacity": "20 Mbit/s"},
}


def home(**more: Any) -> Spec:
    return network(HOME, {"u": ["near dsl", "lte", "like"]}, **more)


def test_directions_have_their_own_values() -> None:
    made = job(home())
    check(made)
    links = {link["name"]: link for link in made["links"]}
    dsl, lte, near = links["dsl"], links["lte"], links["near"]
    assert (dsl["capacity_mbps"], dsl["down"]["capacity_mbps"]) == (1, 16)
    assert (dsl["delay_ms"], dsl["down"]["delay_ms"]) == (12, 15)
    # 100 ms in either direction: eq. 3.2 of the thesis, at least 10 packets.
    assert (dsl["queue_packets"], dsl["down"]["queue_packets"]) == (10, 133)
    assert (lte["capacity_mbps"], lte["down"]["capacity_mbps"]) == (10, 40)
    assert (lte["queue_packets"], lte["down"]["queue_packets"]) == (50, 200)
    assert (lte["loss_percent"], lte["down"]["loss_percent"]) == (0, 0.1)
    assert near["capacity_mbps"] is near["down"]["capacity_mbps"] is None
    assert (near["delay_ms"], near["down"]["delay_ms"]) == (1, 9)
    again = load_job(made).description
    assert {p.key for p in again.parameters} == set(made["parameters"])


def test_a_value_for_both_directions_is_not_that_of_the_link_followed() -> None:
    """`like` has 20 Mbit/s in both directions, and the other values of lte."""
    (link,) = (link for link in job(home())["links"] if link["name"] == "like")
    assert (link["capacity_mbps"], link["down"]["capacity_mbps"]) == (20, 20)
    assert (link["queue_packets"], link["down"]["queue_packets"]) == (50, 200)


def test_each_direction_is_shaped_where_its_packets_leave() -> None:
    wiring = load_job(job(home())).wiring
    shapes = {
        (end.node, end.interface): end.shape
        for wire in wiring.wires
        for end in (wire.one, wire.two)
    }
    for place in wiring.links:
        forward, backward = shapes[place.forward], shapes[place.backward]
        assert forward is not None and backward is not None
        assert forward.down is backward.down is None
        if place.link == "dsl":
            assert (forward.capacity_mbps, backward.capacity_mbps) == (1, 16)
        if place.link == "near":
            assert (forward.delay_ms, backward.delay_ms) == (1, 9)


def test_a_direction_can_be_a_factor() -> None:
    factors = {"dsl.down_capacity": ["8 Mbit/s", "32 Mbit/s"]}
    plan = make_plan(home(design={"method": "grid", "factors": factors}), {})
    links = [dump(run.job)["links"] for run in plan.runs]
    dsl = [link for at in links for link in at if link["name"] == "dsl"]
    assert [link["down"]["capacity_mbps"] for link in dsl] == [8, 32]
    assert [link["capacity_mbps"] for link in dsl] == [1, 1]


def test_jobs_with_half_a_capacity_are_refused() -> None:
    made = job(home())
    made["links"][0]["down"]["capacity_mbps"] = None
    with pytest.raises(ValueError, match="one direction has a capacity, and the other"):
        check(made)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("5 Mbit/s", "{up: 5 Mbit/s}", "A.capacity.down: missing; give both direct"),
        ("5 Mbit/s", "{up: 5 Mbit/s, dwn: 1}", "dwn: unknown key; did you mean 'down'"),
        ("5 Mbit/s", "{up: 5 Mbit/s, down: 1 ms}", "A.capacity.down: '1 ms' is a time"),
        (
            "5 Mbit/s",
            "{up: 5 Mbit/s, down: = 1 ms}",
            "'= 1 ms' gives a time; a data ra",
        ),
        (
            "    B: {like: A}",
            "    B: {like: A}\n    C: {}",
            "links.C: no path takes",
        ),
        ("[A, B]", "[A, '']", "11: network.users.u[1]: a path of nothing; name"),
        ("[A, B]", "[]", "11: network.users.u: empty; give at least one path"),
        ("[A, B]", "[A, A]", "u[1]: takes the same links as path 1 of u; remove it"),
        ("[A, B]", "['A, B']", "'A, B': write spaces between links, no commas"),
        ("[A, B]", "[B, A B A]", "u[1]: a loop: this path takes A 2 times; name each"),
        ("[A, B]", "[A, Bb]", "u[1]: no link 'Bb'; did you mean 'B'?"),
        ("[A, B]", "{path: [A, B]}", "u.path: unknown key; did you mean 'paths'?"),
        ("    u:", "    A:", "users.A: 'A' is the name of a link too; give another"),
        ("    v: {", "    v: {to: A, ", "its server 'A' is the name of a link too"),
        ("    v: {", "    v: {to: v, ", "users.v: a loop: v to v; end at a host that"),
        ("    B:", "    A..B:", "links.A..B: 'A' stands in A already; give another"),
        ("    B:", "    B1..x:", "'B1..x' is not a range such as access1..3 or A..E"),
        ("    B:", "    B1..5000:", "'B1..5000' is more than 1000 names; give fewer"),
        ("    B:", "    B-1:", "'B-1' cannot be a name; use up to 30 letters, digits"),
        ("    B:", "    traffic1:", "'traffic1' is the name of the traffic in facto"),
        ("capacity:", "capcity:", "A.capcity: unknown key; did you mean 'capacity'?"),
        ("{like: A}", "{like: C}", "9: network.links.B.like: no link 'C'; known: A"),
        ("{like: A}", "{like: B}", "a loop: B is like B; give one of them its para"),
        ("{capacity: 5 Mbit/s}", "{like: B}", "a loop: A is like B is like A; give"),
        ("5 Mbit/s", "= B.capacity", "a loop: A.capacity needs B.capacity needs A."),
        ("5 Mbit/s", "= 5 ms", "'= 5 ms' gives a time; a data rate is needed"),
        ("5 Mbit/s", "= 1 Mbit/s * w.users", "no parameter 'w.users'; did you mean"),
        ("5 Mbit/s", "-5 Mbit/s", "-5 Mbit/s is out of range"),
        ("capacity: 5 Mbit/s", "queue: 9, queueing_delay: 5 ms", "without effect bes"),
        ("users: 2", "users: 500", "500 users is out of range; NAME.users is 0 to 128"),
        ("    u: [A, B]", "    u: [A, B]\n    w1..98: [A]", "100 hosts that open conn"),
        ("from: u", "from: z", "traffic[0].from: the network has no host 'z'; known"),
        ("name: net", "name: net\ntopology: two_path", "a topology too, two_path; ta"),
        ("  users:", "  usrs:", "network.usrs: unknown key; did you mean 'users'?"),
        (
            "name: net",
            "name: net\nparameters: {u.users: 2}",
            "does not say how many users u stands for; write 'u: {paths: [...], users",
        ),
        (
            "name: net",
            "name: net\nparameters: {v.users: = 3 * v.users}",
            "2: parameters.v.users: a loop: v.users needs v.users; give one",
        ),
    ],
)
def test_faults(old: str, new: str, message: str) -> None:
    found = faults(changed(old, new))
    assert any(message in line for line in found), found
    assert all(line.startswith("f.yaml:") for line in found)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "5 Mbit/s",
            "= 5 Mbit/s - v.users * 3 Mbit/s",
            "f.yaml:8: network.links.A.capacity: '= 5 Mbit/s - v.users * 3 Mbit/s'"
            " gives -1 Mbit/s where v.users = 2 users; A.capacity is 0.01 to",
        ),
        ("5 Mbit/s", "= 5 Mbit/s / (v.users - 2)", "gives inf; it must give a finite"),
        ("5 Mbit/s", "= 1 Mbit/s * A.queue", "A.queue is not set; set it under 'para"),
        ("5 Mbit/s", "5 Mbit/s, loss: 100 %", "A.loss: 100 % loses every packet"),
    ],
)
def test_faults_of_values(old: str, new: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        make_plan(loads(changed(old, new), "f.yaml"), {})
    assert message in str(caught.value)


def test_a_point_that_an_expression_spoils_is_named() -> None:
    design = "design: {method: grid, factors: {v.users: [1, 3]}}\n"
    text = changed("5 Mbit/s", "= 5 Mbit/s - v.users * 2 Mbit/s") + design
    with pytest.raises(UserError, match="capacity, point 1: '= 5 Mbit/s"):
        make_plan(loads(text, "f.yaml"), {})


@pytest.mark.parametrize("name", SAME)
def test_jobs_of_earlier_versions_get_the_network_of_their_topology(name: str) -> None:
    text = changed("name: net", f"name: net\ntopology: {name}", HEAD)
    host = builtin.describe(name).users[0].host
    made = job(
        loads(text.replace("server_u", f"server_{host}").replace(": u,", f": {host},"))
    )
    assert made["topology"] == name
    wiring = load_job(made).wiring
    network = made.pop("network")
    check(made)
    assert completed(made) == {**made, "network": network}
    assert load_job(completed(made)).wiring == wiring


def test_a_topology_in_python_has_no_network_in_its_job() -> None:
    text = HEAD.replace("from: u, to: server_u", "from: client, to: server")
    made = job(loads(text + "topology: two_path\n"))
    assert "network" not in made and completed(made) == made
    with pytest.raises(ValueError, match="two_path has no network of its own"):
        check({**made, "network": job(loads(TEXT))["network"]})


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ({"users": []}, "network.users: "),
        ({"path": ["A", "../../evil"]}, "network.users.0.paths.0.1: '../../evil' is"),
        ({"path": ["A", "A"]}, "a loop: this path takes A 2 times"),
        ({"path": ["A", "C"]}, "no link 'C'"),
        ({"path": []}, "a path of nothing"),
        ({"host": "A"}, "'A' is the name of a link too"),
        ({"host": "x-y"}, "'x-y' cannot be a name"),
        ({"count": "A.capacity"}, "count is neither null nor the host's"),
    ],
)
def test_jobs_of_strangers_are_checked(network: dict[str, Any], message: str) -> None:
    made = job(loads(TEXT))
    users = made["network"]["users"]
    if "users" in network:
        made["network"] = network
    elif "path" in network:
        made["network"] = {"users": [{**users[0], "paths": [network["path"]]}]}
    else:
        made["network"] = {"users": [{**users[0], **network}, users[1]]}
    with pytest.raises(ValueError) as caught:
        check(made)
    assert message in str(caught.value)


def test_servers_with_two_transports_are_refused() -> None:
    text = changed("users: 2}", "users: 2, to: server_u}")
    entry = "  - {tool: iperf3, from: v, to: server_u, duration: 5 s,\n"
    own = "     transport: {protocol: tcp, congestion_control: reno}}\n"
    plain = changed("duration: 5 s}\n", "duration: 5 s}\n" + entry, text)
    assert make_plan(loads(plain.replace("5 s,\n", "5 s}\n")), {}).runs
    (fault,) = faults(plain.replace("5 s,\n", "5 s,\n" + own))
    assert "server_u has another transport in traffic[0]; give v a server of" in fault


@pytest.mark.parametrize(
    "backups, told", [((0,), 1), ((1,), 0), ((2,), 0), ((3,), 1), ((1, 2), 1), ((), 0)]
)
def test_backups_are_numbers_of_paths_and_not_all_of_them(
    backups: tuple[int, ...], told: int
) -> None:
    assert bool(described.backup_fault(backups, 2)) is bool(told)
