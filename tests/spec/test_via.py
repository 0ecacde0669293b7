"""The key `via` of traffic entries: proxies that end connections on the way."""

from typing import Any

import pytest

from jobs import Job, dump, load
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tests.spec.files import faults, text
from tools.proxy.record import Proxy

NETWORK = {
    "links": {
        "lan": {"capacity": "100 Mbit/s", "delay": "1 ms"},
        "dsl": {"capacity": "16 Mbit/s"},
        "lte": {"capacity": "20 Mbit/s"},
        "wan": {"capacity": "100 Mbit/s"},
    },
    "users": {
        "laptop": {"paths": ["lan"], "to": "router"},
        "router": {"paths": ["dsl", "lte"], "to": "vps"},
        "vps": {"paths": ["wan"], "to": "server"},
    },
}
MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}
ENTRY = {"tool": "iperf3", "from": "laptop", "to": "server", "duration": "5 s"}


LOOP = "a proxy in a loop: laptop to router to "
SHORT = {"size": "1 kB", "arrivals": {"every": "1 s"}}


def file(case: Any = MPTCP, network: Any = NETWORK, **entry: Any) -> str:
    given = {**ENTRY, **entry}
    traffic = [{key: value for key, value in given.items() if value is not None}]
    sections = {"topology": None, "network": network, "design": None}
    return text(**sections, cases={"only": case}, traffic=traffic)


def job(case: dict[str, Any] = MPTCP, **entry: Any) -> Job:
    (run,) = make_plan(loads(file(case, **entry)), {}).runs
    return run.job


def proxies(made: Job) -> list[Proxy]:
    return [entry for entry in made.traffic if isinstance(entry, Proxy)]


def test_each_proxy_is_an_entry_behind_the_others() -> None:
    made = job(via=["router", "vps"])
    first, router, vps = made.traffic
    assert isinstance(router, Proxy) and isinstance(vps, Proxy)
    assert (first.source, first.destination) == ("laptop", "router")
    assert (router.source, router.destination) == ("router", "vps")
    assert (vps.source, vps.destination) == ("vps", "server")
    assert (first.port, router.port, vps.port) == (router.listens, vps.listens, 5201)
    assert {router.serves, vps.serves} == {0}
    assert router.fills and not router.reverse
    assert made.report is not None
    assert made.report.names == (None, "router", "vps")
    assert made.report.background == (1, 2)
    assert load(dump(made)) == made


def test_a_proxy_speaks_what_is_said_or_what_the_case_says() -> None:
    router, vps = proxies(
        job(via=[{"host": "router", "accepts": "tcp"}, {"host": "vps", "opens": "tcp"}])
    )
    assert (router.accepts, router.opens, router.transport) == ("tcp", "mptcp", None)
    assert (vps.accepts, vps.opens) == ("mptcp", "tcp")
    assert vps.transport is not None and vps.transport.protocol == "tcp"


def test_settings_of_a_host_count_for_its_proxy() -> None:
    case = {**MPTCP, "hosts": {"vps": {"mptcp": False}}}
    router, vps = proxies(job(case, via=["router", "vps"]))
    assert (router.opens, vps.accepts, vps.opens) == ("mptcp", "tcp", "tcp")


def test_a_tcp_takes_the_path_where_a_host_has_it() -> None:
    tcp = {"protocol": "tcp", "congestion_control": "cubic", "path": 2}
    made = job(tcp, via=["router", "vps"])
    paths = [made.transport_of(entry).path for entry in made.traffic]
    assert paths == [1, 2, 1]


def test_ports_of_proxies_are_free() -> None:
    (router, vps) = proxies(job(via=["router", "vps"], port=18001))
    assert (router.listens, vps.listens, vps.port) == (18002, 18003, 18001)


def test_a_file_without_proxies_is_as_before() -> None:
    network = {"links": {"one": {}}, "users": {"laptop": {"paths": ["one"]}}}
    entry = {"to": "server_laptop"}
    plain = loads(file(network=network, **entry))
    assert "via" not in dump(make_plan(plain, {}).runs[0].job)["traffic"][0]
    assert plain.digest == loads(file(network=network, **entry, via=None)).digest


@pytest.mark.parametrize(
    "entry, reason",
    [
        (
            {"via": ["router", "router"]},
            f"{LOOP}router",
        ),
        (
            {"via": ["router", "laptop"]},
            f"{LOOP}laptop",
        ),
        ({"via": "router", "to": "router"}, "a proxy in a loop"),
        ({"via": "rooter"}, "has no host 'rooter'; did you mean 'router'?"),
        ({"via": "server"}, "'server' has no paths to go on from there"),
        ({"via": "vps"}, "laptop reaches router only"),
        ({"via": "router"}, "router reaches vps only; write 'via: vps'"),
        ({}, "laptop reaches router only; write 'via: [router, vps]'"),
        ({"via": []}, "0 proxies; expected 1 to 8"),
        ({"via": [{"host": "router", "opens": "udp"}]}, "unknown protocol 'udp'"),
        (
            {"via": ["router", "vps"], "tool": "cbr", "rate": "1 Mbit/s"},
            "proxies do not pass on datagrams",
        ),
        (
            {"via": ["router", "vps"], "tool": "flows", **SHORT},
            "proxies do not pass on connections of drawn flows",
        ),
    ],
)
def test_proxies_that_cannot_be(entry: dict[str, Any], reason: str) -> None:
    (line,) = faults(file(**entry))
    assert reason in line


def test_users_in_a_loop_are_refused() -> None:
    users = {"a": {"paths": ["lan"], "to": "b"}, "b": {"paths": ["dsl"], "to": "a"}}
    network = {"links": {"lan": {}, "dsl": {}}, "users": users}
    lines = faults(file(network=network, **{"from": "a", "to": "b"}))
    assert "a loop: a to b to a; end at a host that has no paths" in lines[0]


def test_the_fabric_has_no_proxies() -> None:
    whole = file(via=["router", "vps"])
    assert "take 'fabric' away" in faults(f"{whole}fabric: true\n")[0]


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"serves": 1}, "serves no entry before it"),
        ({"listens": 9}, "its entry does not come to this proxy"),
    ],
)
def test_a_job_whose_proxies_do_not_fit_is_refused(
    change: dict[str, Any], reason: str
) -> None:
    document = dump(job(via=["router", "vps"]))
    document["traffic"][1] |= change
    with pytest.raises(ValueError, match=reason):
        load(document)
