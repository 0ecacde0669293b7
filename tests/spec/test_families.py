"""Data centres: names with sizes, addresses, paths, jobs and what is refused."""

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs import dump
from jobs import load as load_job
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan
from mpbench.plan.advice import warnings
from mpbench.spec import builtin
from mpbench.theory.experiment import network_of
from topologies import fabric, families
from topologies.families import centre
from topologies.shaping import Shape

NAMES = (*families.EXAMPLES, "fattree", "fattree-k2", "fattree-k6-h1", "clos-l3-s3-h4")
MPTCP = {"protocol": "mptcp", "congestion_control": "lia"}
NDIFFPORTS = {**MPTCP, "path_manager": {"name": "ndiffports", "subflows": 8}}


def spec_of(**sections: Any) -> str:
    flow = {"tool": "iperf3", "from": "h1", "to": "h16", "duration": "5 s"}
    values = {
        "name": "centre",
        "topology": "fattree-k4",
        "cases": {"only": NDIFFPORTS},
        "traffic": [flow],
    }
    return yaml.safe_dump({**values, **sections})


def job(**sections: Any) -> dict[str, Any]:
    return dump(make_plan(loads(spec_of(**sections)), {}).runs[0].job)


def switched(name: str) -> set[tuple[str, str]]:
    """The pairs of nodes that a wire joins, both ways."""
    wires = centre(name).wires
    return {pair for _, a, b in wires for pair in ((a, b), (b, a))}


@pytest.mark.parametrize(
    ("name", "hosts", "links"),
    [
        ("fattree-k4", 16, 48),
        ("fattree-k8", 128, 384),
        ("fattree-k4-h8", 64, 96),
        ("bcube-n5-k2", 125, 375),
        ("clos-l4-s2-h1", 4, 12),
    ],
)
def test_sizes(name: str, hosts: int, links: int) -> None:
    made = centre(name)
    assert (len(made.ports), len(made.wires)) == (hosts, links)
    assert builtin.describe(name).hosts == tuple(made.ports)


@pytest.mark.parametrize("name", NAMES)
def test_addresses_and_names_are_unique_and_fit(name: str) -> None:
    ports = [port for ports in centre(name).ports.values() for port in ports]
    assert len({port.address for port in ports}) == len(ports)
    assert len({port.interface for port in ports}) == len(ports)
    assert all(len(port.interface) < 16 for port in ports)
    for port in ports:
        assert all(0 <= int(part) < 255 for part in port.address.split("."))
    assert len(switched(name)) == 2 * len(centre(name).wires)


@pytest.mark.parametrize("name", ["fattree-k4", "fattree-k6-h1", "bcube-n3-k2", "clos"])
def test_paths_follow_wires_and_differ(name: str) -> None:
    made, wired = centre(name), switched(name)
    for here, there in list(combinations(made.ports, 2))[:400]:
        for port in range(len(made.ports[here])):
            chains = made.chains(here, port, there)
            assert len(set(chains)) == len(chains) > 0
            for chain in chains:
                assert (chain[0], chain[-1]) == (here, there)
                assert set(pairwise(chain)) <= wired
                assert len(set(chain)) == len(chain)


def test_a_fattree_has_a_path_over_each_core_switch() -> None:
    made = centre("fattree-k8")
    chains = made.chains("h1", 0, "h128")
    assert len(chains) == 16 and len({chain[3] for chain in chains}) == 16
    assert {len(chain) for chain in chains} == {7}
    assert len(made.chains("h1", 0, "h5")) == 4  # the next edge switch of the pod
    assert made.chains("h1", 0, "h2") == [("h1", "e1", "h2")]


def test_paths_of_a_bcube_share_no_link_and_no_host() -> None:
    made = centre("bcube-n4-k2")
    for here, there in list(combinations(made.ports, 2))[::7]:
        chains = [made.chains(here, port, there)[0] for port in range(3)]
        for one, two in combinations(chains, 2):
            assert not set(one[1:-1]) & set(two[1:-1])
        assert [chain[1].partition(".")[0] for chain in chains] == ["s0", "s1", "s2"]


def test_a_job_of_a_fattree() -> None:
    made = job(parameters={"core.capacity": "25 Mbit/s"})
    assert made["topology"] == "fattree-k4" and "network" not in made
    assert made["fabric"] == {"choose": "rotate"}
    capacities = {link["name"]: link["capacity_mbps"] for link in made["links"]}
    assert capacities == {"core": 25.0, "edge": 100.0, "host": 100.0}
    assert made["transport"]["sysctls"]["net.ipv4.tcp_rmem"] == "4096 131072 1048576"
    own = {**NDIFFPORTS, "sysctls": {"net.ipv4.tcp_rmem": "4096 87380 2097152"}}
    sysctls = job(cases={"only": own})["transport"]["sysctls"]
    assert sysctls["net.ipv4.tcp_rmem"] == "4096 87380 2097152"
    assert sysctls["net.ipv4.tcp_wmem"] == "4096 16384 1048576"


def test_the_table_of_a_fattree() -> None:
    made = job()
    table = load_job(made).table
    assert len(table.ways) == 96 and len(table.paths) == 2
    (ahead, back) = table.paths.values()
    assert len(ahead) == len(back) == 4
    names = [table.ways[number].name for number in ahead[0]]
    assert names[0] == "h1-e1-up" and names[-1] == "h16-e8-down"
    again = [table.ways[number].name for number in back[0]]
    other = {"up": "down", "down": "up"}
    flipped = [name.rpartition("-") for name in names[::-1]]
    assert again == [f"{wire}-{other[way]}" for wire, _, way in flipped]
    assert all(order.startswith("link ") for order in fabric.link_orders(table.ways))


def test_the_order_of_paths_follows_the_seed() -> None:
    def order(seed: int) -> Any:
        made = {**job(), "seed": seed}
        return load_job(made).table.paths

    assert order(1) == order(1)
    assert len({str(order(seed)) for seed in range(10)}) > 5


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fattree-k5", "even number of ports; write k4 or k6"),
        ("fattree-k40", "k is 40; 2 to 16 work, such as fattree-k8"),
        ("fattree-k16-h200", "25600 hosts"),
        ("fattree-x3", "'x3' is no size; give k, h with a number each"),
        ("fattree-k4-k4", "'k4' is no size"),
        ("fattree-", "'' is no size"),
        ("bcube-n1", "n is 1; switches with 2 to 200 ports work"),
        ("bcube-n9-k5", "531441 hosts"),
        ("bcube-n2-k9", "k is 9; 1 to 5 work"),
        ("clos-l1", "2 to 200 leaves"),
        ("fattre-k4", "unknown topology 'fattre-k4'"),
    ],
)
def test_names_that_are_refused(name: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        loads(spec_of(topology=name))
    assert words in str(caught.value)
    made = {**job(), "topology": name}
    with pytest.raises(ValueError, match="no topology"):
        job_format.load(made)


def test_traffic_between_hosts_that_are_not_there() -> None:
    flow = {"tool": "iperf3", "from": "h1", "duration": "5 s"}
    faults = {"h17": "has no host 'h17'", "h1": "is where it comes from"}
    for target, words in faults.items():
        with pytest.raises(UserError, match=words):
            loads(spec_of(traffic=[{**flow, "to": target}]))
    made = job()
    made["traffic"][0]["to"] = "h1"
    with pytest.raises(ValueError, match="no user 'h1' of a server 'h1'"):
        job_format.load(made)
    del made["fabric"]
    made["traffic"][0]["to"] = "h2"
    with pytest.raises(ValueError, match="fabric: fattree-k4 needs it"):
        job_format.load(made)


def test_models_do_not_know_classes_of_links(tmp_path: Path) -> None:
    file = tmp_path / "centre.yaml"
    file.write_text(spec_of())
    with pytest.raises(UserError, match="the models do not know the paths of fattree"):
        network_of(file, 0)


def test_memory_is_told_before_a_run() -> None:
    def told(parallel: int, most_bytes: int) -> list[str]:
        sysctls = {"net.ipv4.tcp_rmem": f"4096 131072 {most_bytes}"}
        flow = {"tool": "iperf3", "from": "h1", "to": "h16", "duration": "5 s"}
        spec = loads(
            spec_of(
                cases={"only": {**NDIFFPORTS, "sysctls": sysctls}},
                traffic=[
                    {**flow, "parallel": parallel, "to": f"h{number}"}
                    for number in range(2, 14)
                ],
            )
        )
        return warnings(spec, make_plan(spec, {}))

    assert told(64, 1 << 20) == []  # 768 connections
    with pytest.raises(UserError) as caught:
        told(128, 1 << 26)
    assert "only: 1536 long connections take about 1541 MB" in str(caught.value)
    assert str(caught.value).endswith("or give fewer connections: 802 work")


def test_links_and_hosts_can_be_captured() -> None:
    names = ["h1-eth0", "e1-a1-up", "a1-c1-down"]
    made = job(capture=names)
    assert made["capture"]["interfaces"] == names
    with pytest.raises(UserError, match=r"no interface 'e1-a1'; fattree-k4 has 112"):
        job(capture=["e1-a1"])
    made["capture"]["interfaces"] = ["core"]
    with pytest.raises(ValueError, match="no interface 'core'"):
        job_format.load(made)


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"fabric": False}, "fattree-k4 runs on the fabric only"),
        ({"topology": "fatree-k4"}, "did you mean 'fattree-k4'"),
        (
            {"links": {"core": {"reordering": {"share": "1 %", "by": "5 ms"}}}},
            "a link of the fabric has no reordering; take reordering away$",
        ),
        (
            {"changes": {"core": {"at": {"1 s": {"delay": "1 ms"}}}}},
            "only capacity can change$",
        ),
        (
            {"traffic": [{"tool": "iperf3", "from": "h1", "to": "permutation"}]},
            "patterns need 'tool: flows' and 'from: hosts'",
        ),
    ],
)
def test_advice_that_a_data_centre_can_follow(
    sections: dict[str, Any], words: str
) -> None:
    with pytest.raises(UserError, match=f"(?m){words}"):
        job(**sections)


def test_both_ends_of_a_bcube_can_open_subflows() -> None:
    """A receiver that opens one itself, from its second port, sent into nothing."""
    bcube = families.centre("bcube-n4-k1")
    shape = Shape(capacity_mbps=100.0, delay_ms=0.02, queue_packets=100)
    shapes = dict.fromkeys(bcube.classes, shape)
    table = bcube.table(shapes, [("h1", "h2")], seed=1)
    first, second = (bcube.ports[host] for host in ("h1", "h2"))
    for here, there in ((first, second), (second, first)):
        for port in here:
            assert table.paths[port.address, there[0].address]
            assert table.paths[there[0].address, port.address]


def test_a_thousand_and_twenty_four_hosts_work() -> None:
    """A FatTree of k = 16 has k^3 / 4 hosts, and with 9 per edge it has more."""
    assert families.fault("fattree-k16") == ""
    assert families.fault("fattree-k16-h9").startswith("fattree-k16-h9 has 1152 hosts")
