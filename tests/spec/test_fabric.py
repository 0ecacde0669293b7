"""The key `fabric`: what it adds to a job, and where it is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from jobs import dump
from jobs import load as load_job
from jobs.changes import Series
from mpbench.backends import native
from mpbench.commands import plan, run
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.guest.fabric_changes import course
from mpbench.plan import job_format, make_plan
from tests.spec.files import text
from topologies import fabric
from topologies.shaping import Shape

TREE = {
    "topology": "fattree-k4",
    "design": None,
    "cases": {"only": {"protocol": "tcp", "congestion_control": "reno", "path": 1}},
    "traffic": [{"tool": "iperf3", "from": "h1", "to": "h9", "duration": "1 s"}],
}


def job(**sections: Any) -> dict[str, Any]:
    return dump(make_plan(loads(text(**sections)), {}).runs[0].job)


def table_of(made: dict[str, Any]) -> fabric.Table:
    return load_job(made).table


def orders(made: dict[str, Any]) -> list[str]:
    table = table_of(made)
    return [*fabric.link_orders(table.ways), *fabric.path_orders(table.paths)]


def links(made: dict[str, Any]) -> list[str]:
    return [order for order in orders(made) if order.startswith("link")]


def test_without_the_key_nothing_changes() -> None:
    assert "fabric" not in job() and job() == job(fabric=False)
    assert loads(text()).digest == loads(text(fabric=False)).digest
    assert loads(text()).digest != loads(text(fabric=True)).digest


def test_the_key_is_in_the_job() -> None:
    assert job(fabric=True)["fabric"] == {"choose": "rotate"}
    assert job(fabric={"choose": "hash"})["fabric"] == {"choose": "hash"}
    burst = {"choose": "rotate", "burst_packets": 0}
    assert job(fabric={"burst": 0})["fabric"] == burst
    others = {k: v for k, v in job(fabric=True).items() if k != "fabric"}
    assert others == job()


def test_hosts_send_segments_without_data_first_from_a_queue_of_their_own() -> None:
    made = job(**TREE, fabric={"acks": "first", "host_queue": 1000})
    assert made["fabric"] == {"choose": "rotate", "acks_first": True}
    host = next(link for link in made["links"] if link["name"] == "host")
    assert (host["queue_packets"], host["down"]["queue_packets"]) == (1000, 100)
    given = orders(made)
    first = [order for order in given if order.startswith("bare_first")]
    assert len(first) == 16  # the direction from each host, and no other
    for order in first:
        link = next(o for o in given if o.startswith(f"link {order.split()[1]} "))
        assert link == f"link {order.split()[1]} 100000000 20000 1514000 0 0 0"
    plain = {
        key: value for key, value in made.items() if key not in ("fabric", "links")
    }
    assert plain == {k: v for k, v in job(**TREE).items() if k in plain}


def test_segments_without_data_take_one_link_behind_all_others() -> None:
    made = job(**TREE, fabric={"acks": "direct", "host_queue": 1000})
    assert made["fabric"] == {"choose": "rotate", "acks_direct": True}
    table = table_of(made)
    last = len(table.ways)
    direct = list(fabric.direct_orders(table))
    assert direct == [f"link {last} 0 0 0 0 0 0", f"bare_over {last}"]
    assert not any("bare" in order for order in orders(made))
    assert not list(fabric.direct_orders(table_of(job(**TREE, fabric=True))))


def test_a_job_has_direct_segments_in_data_centres_alone() -> None:
    made = job(**TREE, fabric={"acks": "direct"})
    job_format.load(made)
    made["fabric"]["acks_first"] = True
    with pytest.raises(ValueError, match="acks_direct is for data centres, alone"):
        job_format.load(made)
    made = job(fabric=True)
    made["fabric"]["acks_direct"] = True
    with pytest.raises(ValueError, match="acks_direct is for data centres, alone"):
        job_format.load(made)


@pytest.mark.parametrize(
    ("sections", "reason"),
    [
        ({"fabric": {"acks": "first"}}, "fabric.acks: two_path has no links of hosts"),
        ({"fabric": {"acks": "direct"}}, "fabric.acks: two_path has no links of"),
        ({"fabric": {"host_queue": 9}}, "fabric.host_queue: two_path has no links"),
        ({**TREE, "fabric": {"acks": "last"}}, "fabric.acks: "),
        (
            {**TREE, "fabric": {"host_queue": 0}},
            "fabric.host_queue: 0 packets; a whole",
        ),
        ({**TREE, "fabric": {"host_queue": "1 s"}}, "fabric.host_queue: "),
        (
            {**TREE, "fabric": {"acks": "first", "burst": 2}},
            "fabric.acks: links with a token bucket send in turn",
        ),
        (
            {
                **TREE,
                "fabric": {"acks": "first"},
                "parameters": {"host.jitter": "1 ms"},
            },
            "acks: host has jitter",
        ),
    ],
)
def test_hosts_that_cannot_be(sections: dict[str, Any], reason: str) -> None:
    with pytest.raises(UserError) as refused:
        job(**sections)
    assert reason in str(refused.value) and "\n" not in str(refused.value)


def test_two_paths_as_orders() -> None:
    made = job(
        fabric=True,
        design=None,
        parameters={"path1.capacity": "20 Mbit/s", "path2.loss": "1 %"},
    )
    assert orders(made) == [
        "link 0 20000000 10000000 251324 0 0 0",
        "delay_first 0",
        "burst 0 3028",
        "link 1 20000000 10000000 251324 0 0 0",
        "delay_first 1",
        "burst 1 3028",
        "link 2 10000000 10000000 125662 0 42949673 0",
        "delay_first 2",
        "burst 2 3028",
        "link 3 10000000 10000000 125662 0 42949673 0",
        "delay_first 3",
        "burst 3 3028",
        "path 10.0.1.2 10.2.0.2 0",
        "path 10.2.0.2 10.0.1.2 1",
        "path 10.0.2.2 10.2.0.2 2",
        "path 10.2.0.2 10.0.2.2 3",
    ]


def test_a_chain_goes_back_in_reverse_and_in_its_own_direction() -> None:
    network = {
        "links": {
            "near": {"capacity": {"up": "5 Mbit/s", "down": "50 Mbit/s"}},
            "far": {"delay": "20 ms"},
        },
        "users": {"u": ["near far"]},
    }
    made = job(
        fabric=True,
        topology=None,
        design=None,
        network=network,
        cases={"only": {"protocol": "mptcp", "congestion_control": "lia"}},
        traffic=[{"tool": "iperf3", "from": "u", "to": "server_u", "duration": "9 s"}],
    )
    found = orders(made)
    assert [order.split()[2] for order in links(made)] == [
        "5000000",
        "50000000",
        "0",
        "0",
    ]
    # A link without a capacity has no bucket.
    bursts = [order for order in found if order.startswith("burst")]
    assert bursts == ["burst 0 3028", "burst 1 3028"]
    assert found[-2:] == [
        "path 10.1.1.1 10.101.1.2 0 2",
        "path 10.101.1.2 10.1.1.1 3 1",
    ]


@pytest.mark.parametrize(
    ("given", "packets"),
    [(0, 0), (1, 1), ("4 packets", 4), ("3 KiB", 2), (2.0, 2), (None, None)],
)
def test_a_bucket_in_packets_or_data(given: object, packets: int | None) -> None:
    spec = loads(text(fabric={"burst": given}))
    assert spec.fabric is not None and spec.fabric.burst == packets
    found = orders(job(fabric={"burst": given}, design=None))
    expected = 2 if packets is None else packets
    bursts = [f"burst {n} {expected * 1514}" for n in range(4) if expected]
    assert [order for order in found if order.startswith("burst")] == bursts
    assert sum(order.startswith("delay_first") for order in found) == 4


def test_data_centres_have_a_bucket_only_if_asked() -> None:
    made = job(**TREE)
    assert made["fabric"] == {"choose": "rotate"}
    assert {order.split()[0] for order in orders(made)} == {"link", "path"}
    found = orders(job(**TREE, fabric={"burst": 3}))
    assert found[:2] == ["link 0 100000000 20000 151400 0 0 0", "burst 0 4542"]
    assert not [order for order in found if order.startswith("delay_first")]


def test_captures_behind_queues_have_names() -> None:
    capture = ["client-eth1", "path1-up", "r1-hub"]
    assert job(fabric=True, capture=capture)["capture"]["interfaces"] == capture
    with pytest.raises(UserError, match="no interface 'hub-eth1'; two_path has"):
        job(fabric=True, capture=["hub-eth1"])
    with pytest.raises(UserError, match="no interface 'path1-up'"):
        job(capture=["path1-up"])


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("yes", "fabric: expected true, false or {choose: hash}"),
        ({"choose": "best"}, "fabric.choose: unknown choice 'best'"),
        ({"paths": 2}, "fabric.paths: unknown key"),
        ({"burst": 2.5}, "fabric.burst: 2.5 packets; a whole number up to 100000"),
        ({"burst": -1}, "fabric.burst: -1 packets; a whole number up to 100000"),
        ({"burst": "1 KiB"}, "fabric.burst: 1 KiB holds no full packet, which has"),
        ({"burst": "20 ms"}, "fabric.burst: '20 ms' is a time; a number of packets"),
        ({"burst": True}, "fabric.burst: true is not a quantity"),
    ],
)
def test_faults_of_the_key(key: object, words: str) -> None:
    with pytest.raises(UserError) as caught:
        loads(text(fabric=key))
    assert words in str(caught.value)


def test_links_of_mininet_are_refused() -> None:
    with pytest.raises(UserError, match="fabric: minitopo has links of Mininet's own"):
        loads(text(fabric=True, topology="minitopo"))
    made = job(fabric=True, design=None)
    made["links"][0]["tclink"] = True
    with pytest.raises(ValueError, match="fabric: path1 is a TCLink"):
        job_format.load(made)
    shapes = {"path1": Shape(1.0, 0.0, tclink=True)}
    assert "path1 is a TCLink" in fabric.fault(shapes)


def test_only_capacities_of_its_links_change() -> None:
    step = {"capacity": "14 Mbit/s"}
    made = job(fabric=True, design=None, changes={"path1": {"at": {"0 s": step}}})
    assert made["changes"][0]["quantity"] == "capacity_mbps"
    for other in ({"delay": "2 ms"}, {"loss": "1 %"}, {"queue": 5}, {"up": False}):
        changes = {"path1": {"at": {"1 s": {**step, **other}}}}
        with pytest.raises(UserError, match=r"changes.path1: a link of the fabric has"):
            loads(text(fabric=True, design=None, changes=changes))
    made["changes"][0] |= {"values": [0.0]}
    with pytest.raises(ValueError, match="needs a capacity at some time"):
        job_format.load(made)


def test_the_course_of_a_capacity() -> None:
    series = Series(
        link="path1",
        direction="both",
        quantity="capacity_mbps",
        at_s=(1.0, 2.0),
        values=(5.0, 0.0),
        period_s=3.0,
    )
    period_ns, steps = course(series, 10.0, 7 * 10**9)
    seconds = [(at / 1e9, mbps) for at, mbps in steps]
    expected = [(0, 10), (1, 5), (2, 0), (4, 5), (5, 0), (7, 5), (8, 0)]
    assert (period_ns, seconds) == (0, expected)
    period_ns, steps = course(replace(series, at_s=(0.0, 2.0)), 10.0, 7 * 10**9)
    assert (period_ns, len(steps)) == (3 * 10**9, 2)


def test_whole_segments_are_gathered_for_a_time() -> None:
    assert job(fabric={"offload": False}) == job(fabric=True)
    made = job(fabric={"offload": True}, design=None)
    assert made["fabric"] == {"choose": "rotate", "gather_ms": 0.1}
    made = job(fabric={"offload": True, "gather": "20 us"}, design=None)
    assert made["fabric"] == {"choose": "rotate", "gather_ms": 0.02}
    assert list(fabric.offload_orders(0.02)) == ["offload 20000"]
    assert not list(fabric.offload_orders(None))


GATHERED = {
    "fabric": {"offload": True},
    "design": {"method": "grid", "factors": {"fabric.gather": ["100 us", "1 ms"]}},
}


def test_the_time_of_gathering_can_be_a_factor() -> None:
    runs = make_plan(loads(text(**GATHERED)), {}).runs
    found = {run.job.fabric.gather_ms for run in runs if run.job.fabric}
    assert found == {0.1, 1.0}
    assert len({run.job.seed for run in runs}) == 2
    assert {run.factors["fabric.gather_ms"] for run in runs} == {0.1, 1.0}


CHAIN = {
    "topology": None,
    "design": None,
    "network": {"links": {"a": {}, "b": {}}, "users": {"u": ["a b"]}},
    "traffic": [{"tool": "iperf3", "from": "u", "to": "server_u", "duration": "1 s"}],
    "cases": {"only": {"protocol": "tcp", "congestion_control": "reno"}},
}


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"fabric": {"gather": "1 ms"}}, "fabric.gather: receivers gather frames with"),
        (
            {"fabric": {"offload": True, "gather": "11 ms"}},
            "fabric.gather: 11 ms; 0 to 10 ms works",
        ),
        ({"fabric": {"offload": True, "gather": 5}}, "fabric.gather: "),
        ({**GATHERED, "fabric": True}, "only 'fabric: {offload: true}' gathers"),
        (
            {**GATHERED, "fabric": {"offload": True, "gather": "1 ms"}},
            "the fabric has a value of gather too; take one away",
        ),
        (
            {**GATHERED, "design": {"factors": {"fabric.gather": ["1 s"]}}},
            "1000 ms is out of range; fabric.gather is 0 to 10 ms",
        ),
        ({"fabric": {"offload": "maybe"}}, "fabric.offload: "),
        (
            {"fabric": {"offload": True}, "capture": ["client-eth1"], "design": None},
            "capture: 'client-eth1' is no link, and only links show frames with",
        ),
    ],
)
def test_whole_segments_that_cannot_be(sections: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError) as refused:
        job(**sections)
    assert words in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("sections", [TREE, CHAIN])
def test_whole_segments_go_through_several_links(sections: dict[str, Any]) -> None:
    made = job(**{**sections, "fabric": {"offload": True, "gather": "1 ms"}})
    read = job_format.load(made).fabric
    assert read is not None and read.gather_ms == 1.0


def test_only_links_show_frames_of_whole_segments() -> None:
    made = job(fabric={"offload": True}, capture=["path1-up"], design=None)
    job_format.load(made)
    made["capture"]["interfaces"] = ["client-eth1"]
    with pytest.raises(ValueError, match="capture: no interface 'client-eth1'"):
        job_format.load(made)


def test_queues_in_packets() -> None:
    made = job(fabric={"limit": "packets"}, design=None)
    assert made["fabric"] == {"choose": "rotate", "limit": "packets"}


def test_the_native_backend_refuses_jobs_by_name() -> None:
    """Before it looks at the machine, which may lack more."""
    with pytest.raises(UserError, match="--backend native: fabric: only the guest's"):
        native.NativeBackend().check([job_format.load(job(fabric=True))])


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"fabric": True}, "fabric: runs on the fabric, which only the guest's"),
        (TREE, "topology: fattree-k4 runs on the fabric, which only the guest's"),
    ],
)
@pytest.mark.parametrize("command", [plan.command, run.command])
def test_native_is_refused_before_anything_else(
    tmp_path: Path, command: click.Command, sections: dict[str, Any], words: str
) -> None:
    file = tmp_path / "f.yaml"
    file.write_text(text(**sections))
    result = CliRunner().invoke(command, [str(file), "--backend", "native"])
    assert isinstance(result.exception, UserError)
    (line,) = str(result.exception).splitlines()
    place, _, reason = line.partition(": ")
    key = words.partition(":")[0]
    (number,) = (
        number
        for number, written in enumerate(file.read_text().splitlines(), start=1)
        if written.startswith(f"{key}:")
    )
    assert place == f"{file}:{number}"
    assert reason.startswith(words) and reason.endswith("use --backend virtual")


def test_the_experiment_is_read_back_from_yaml() -> None:
    spec = loads(yaml.safe_dump(yaml.safe_load(text(fabric={"choose": "random"}))))
    assert spec.fabric is not None and spec.fabric.choose == "random"
