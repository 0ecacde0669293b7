"""Middleboxes in guests, by the rules of nftables and tc that the kernel takes.

They need the kernel with netfilter, whose build takes minutes: `make middleboxes` makes
it and runs these tests. Elsewhere they run where the cache has it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from jobs.linux import Linux
from jobs.middleboxes import KERNEL_OPTIONS
from mpbench import kernel
from mpbench.backends.base import Bounds
from mpbench.errors import UserError
from mpbench.kernel import variants

from .lab import Lab, job_of

FAST = {"path1.capacity": "20 Mbit/s", "path2.capacity": "20 Mbit/s"}
CASE = {"protocol": "mptcp", "congestion_control": "cubic"}
TRAFFIC = {"tool": "iperf3", "from": "client", "to": "server", "duration": "2 s"}
CHECKSUMS = {"net.mptcp.checksum_enabled": 1}


@pytest.fixture(scope="module", autouse=True)
def ready() -> None:
    try:
        found = variants.lookup(kernel.find(), Linux(options=KERNEL_OPTIONS))
    except UserError as error:
        pytest.skip(str(error))
    if found is None:
        pytest.skip("no kernel with netfilter in the cache; make middleboxes builds it")


def measured(
    folder: Path,
    boxes: dict[str, Any],
    sysctls: dict[str, Any] | None = None,
    traffic: dict[str, Any] = TRAFFIC,
    **more: Any,
) -> tuple[dict[str, Any], Path]:
    """The row of a run with boxes, and its artefacts."""
    known: dict[str, Any] = {"topology": "two_path", "parameters": FAST, **more}
    known |= {"cases": {"only": {**CASE, "sysctls": sysctls or {}}}}
    job = job_of(folder, middlebox=boxes, traffic=[traffic], **known)
    bounds = Bounds(job["time_limit_s"], wall_s=120.0, silence_s=60.0)
    ended, artefacts = Lab(folder).execute(job, bounds)
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found, artefacts


def counters(artefacts: Path, host: str) -> dict[str, int]:
    document = json.loads((artefacts / f"nstat-{host}.json").read_text())
    return {name.removeprefix("MPTcpExt"): n for name, n in document["kernel"].items()}


def test_syns_without_the_option_are_plain_tcp(tmp_path: Path) -> None:
    found, artefacts = measured(tmp_path, {"path1": [{"strip": "syn"}]})
    assert found["protocol_at_end"] == "tcp"
    assert counters(artefacts, "client")["MPCapableFallbackSYNACK"] == 2


def test_all_kinds_of_boxes_on_two_paths(tmp_path: Path) -> None:
    """NAT, a clamp and the shift on path 1 leave it usable; path 2 loses its subflow
    when the payload changes, and the checksum of TCP was mended."""
    boxes = {
        "path1": [{"nat": True}, {"mss": 1000}, {"sequence": "shift"}, {"ecn": "ce"}],
        "path2": [
            {"firewall": {"timeout": "10 s", "forgets": "reset"}},
            {"rewrite": 400, "direction": "up", "from": "1 s"},
        ],
    }
    found, artefacts = measured(tmp_path, boxes, CHECKSUMS)
    assert (found["subflows_joined"], found["subflows_lost"]) == (2, 1)
    server = counters(artefacts, "server")
    assert server["DataCsumErr"] >= 1
    assert server["MPFailTx"] >= 1
    assert server["TcpInCsumErrors"] == 0
    events = (artefacts / "events.csv").read_text()
    assert "10.2.0.2:5201,10.1.1.1:" in events  # the server sees the router


def test_a_garbled_code_and_a_stripped_ack_refuse_subflows(tmp_path: Path) -> None:
    """The SYN keeps its token, so the server gets to the ACK of the join."""
    for number, box in enumerate(({"garble": "ack"}, {"strip": "ack"})):
        (folder := tmp_path / str(number)).mkdir()
        found, artefacts = measured(folder, {"path2": [{**box, "of": "mp_join"}]})
        assert (found["subflows_joined"], found["subflows_refused"]) == (0, 2)
        server = counters(artefacts, "server")
        refused = server["MPJoinAckHMacFailure"], server["MPJoinAckNoMPJoin"]
        assert refused == ((2, 0), (0, 2))[number]


SEND = """\
import socket, time
end = socket.create_connection(("{address}", {port}))
for size in (1000, 600):
    end.sendall(bytes([7]) * size)
    time.sleep(0.2)
end.close()
time.sleep(0.5)
"""
CHANGED = """\
import socket
end = socket.create_server(("", {port})).accept()[0]
got = b"".join(iter(lambda: end.recv(9999), b""))
print(len(got), [(at, byte) for at, byte in enumerate(got) if byte != 7], flush=True)
"""


def test_the_byte_that_changes_is_counted_from_the_start_of_the_payload(
    tmp_path: Path,
) -> None:
    """Two payloads of 1000 and 600 bytes. The first data of a connection and later
    ones have TCP headers of different lengths."""
    traffic: dict[str, Any] = {"tool": "command", "duration": "2 s"}
    traffic |= {"from": "client", "to": "server"}
    traffic |= {"server": ["python3", "-c", CHANGED], "client": ["python3", "-c", SEND]}
    box = {"rewrite": 401, "direction": "up"}
    _, artefacts = measured(tmp_path, {"path1": [box]}, traffic=traffic)
    said = (artefacts / "traffic-0-server.txt").read_text()
    assert said == "1600 [(401, 248), (1401, 248)]\n"


def test_a_box_acts_from_its_time_until_its_end(tmp_path: Path) -> None:
    box = {"drop": "data", "from": "0.5 s", "until": "0.7 s"}
    found, artefacts = measured(tmp_path, {"path1": [box]})
    assert found["protocol_at_end"] == "mptcp"
    lines = (artefacts / "middleboxes.csv").read_text().splitlines()
    times = [float(line.split(",")[0]) for line in lines[1:]]
    assert times == pytest.approx([0.5, 0.7], abs=1e-3)
    assert [line.split(",")[-1] for line in lines[1:]] == ["on", "off"]
    listed = json.loads((artefacts / "middlebox-end.json").read_text())
    parts = [item.get("rule", {}).get("expr", []) for item in listed["r1"]["nftables"]]
    met = [e["counter"]["packets"] for part in parts for e in part if "counter" in e]
    assert met[0] > 1


def test_the_second_option_of_a_packet_is_stripped(tmp_path: Path) -> None:
    """MP_PRIO stands behind the acknowledgement of a DSS, which passes."""
    change = {"at": {"1 s": {"endpoints": {"path2": ["subflow", "backup"]}}}}
    box = {"strip": "all", "of": "mp_prio"}
    found, artefacts = measured(
        tmp_path, {"path1": [box], "path2": [box]}, hosts={"client": change}
    )
    assert counters(artefacts, "client")["MPPrioTx"] == 2
    assert counters(artefacts, "server").get("MPPrioRx", 0) == 0
    assert (found["protocol_at_end"], found["subflows_joined"]) == ("mptcp", 2)


@pytest.mark.parametrize("reverse", [False, True])
def test_the_one_router_of_a_link_tells_its_mtu(tmp_path: Path, reverse: bool) -> None:
    shares = []
    for action in ("pass", "drop"):
        (folder := tmp_path / action).mkdir()
        found, _ = measured(
            folder,
            {"path2": [{"icmp": action}]},
            traffic={**TRAFFIC, "reverse": reverse},
            links={"path2": {"mtu": 1200}},
        )
        shares.append(found["path2.share"])
    assert shares[0] > 0.4
    assert shares[1] < 0.05


@pytest.mark.parametrize(
    ("link", "proxy", "protocol", "refused"),
    [
        ("path1", True, "tcp", 0),
        ("path1", {"accepts": "mptcp", "opens": "mptcp"}, "mptcp", 2),
        ("path2", True, "mptcp", 2),
    ],
)
def test_a_proxy_in_the_way_answers_in_the_name_of_the_server(
    tmp_path: Path, link: str, proxy: Any, protocol: str, refused: int
) -> None:
    """With the first path it has the connection, and with the second it cannot join."""
    found, artefacts = measured(tmp_path, {link: [{"proxy": proxy}]})
    ended = (found["protocol_at_end"], found["subflows_joined"])
    assert (*ended, found["subflows_refused"]) == (protocol, 0, refused)
    report = json.loads((artefacts / "box0-5201.json").read_text())
    met = 2 * (link == "path1")
    assert (report["accepted"], report["opened"]) == (met, met)
    assert counters(artefacts, "server").get("MPCapableSYNRX", 0) == (
        0 if proxy is True and link == "path1" else 2
    )
