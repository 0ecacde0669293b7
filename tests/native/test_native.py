"""The native backend on a real kernel with netem: a guest without time travel."""

import json
from typing import Any

import pytest

from analysis.run.readers import trace
from tests.native.conftest import assert_sound

Said = dict[str, Any]

pytestmark = pytest.mark.timeout(400)

pytestmark = pytest.mark.guest


def test_the_machine_has_all(said: Said) -> None:
    assert [need["name"] for need in said["needs"] if not need["found"]] == []


def test_identity_is_the_same_every_time(said: Said) -> None:
    first, second = said["identity"]
    assert first == second
    assert set(first) == {"kernel", "guest", "read", "tools"}
    assert "cubic" in said["provenance"]["offered"]["congestion_controls"]


def test_a_run_is_measured(said: Said) -> None:
    good = said["good"]
    assert good["exit"]["status"] == "finished", good["artefacts"]["console.log"]
    outcome = json.loads(good["artefacts"]["outcome.json"])
    assert outcome["status"] == "ok"
    used = {
        name: has["congestion_control"] for name, has in outcome["transports"].items()
    }
    assert used == {"client": "cubic", "server": "cubic"}
    assert [each["exit_code"] for each in outcome["processes"]] == [0, 0]


def test_a_capture_and_a_trace(said: Said) -> None:
    artefacts = said["good"]["artefacts"]
    counts = json.loads(artefacts["capture.json"])
    assert set(counts["packets"]) == set(counts["dropped"]) == {"client-eth1", "r2-hub"}
    assert min(counts["packets"].values()) > 200
    for interface, packets in counts["packets"].items():
        headers = len(artefacts[f"capture-{interface}.pcap"])
        assert 66 * packets < headers < 160 * packets
    table = trace.data(trace.parse(artefacts["trace.csv"], "trace.csv"))
    assert set(table["path"]) == {1, 2} and set(table["host"]) == {"client"}
    assert table["bytes_acked"].max() > 100_000


def test_goodput_is_that_of_two_paths(said: Said) -> None:
    """2 x 10 Mbit/s carry 19.1 of payload; slow start takes a part of 3 s."""
    server = json.loads(said["good"]["artefacts"]["traffic-0-server.json"])
    goodput_mbps = server["end"]["sum_received"]["bits_per_second"] / 1e6
    # Real time: a busy machine gives less, none gives more than the links.
    assert 4.0 < goodput_mbps < 19.1


def test_the_command_leaves_valid_rows(said: Said) -> None:
    found = said["command"]["tcp1"]
    assert {row["case"] for row in found["rows"]} == {"mptcp", "tcp1"}, found["said"]
    assert_sound(found["rows"], found["status"])
    goodput_mbps = {row["case"]: row["goodput_mbps"] for row in found["rows"]}
    assert 2.0 < goodput_mbps["tcp1"] < 9.6
    assert 2.0 < goodput_mbps["mptcp"] < 14.4


def test_time_is_reported(said: Said) -> None:
    reports = said["good"]["reports"]
    assert reports == sorted(reports)
    assert 2.0 < reports[-1] < 5.0


@pytest.mark.parametrize("scenario", ["guest killed", "launcher killed"])
def test_a_killed_run_leaves_nothing(said: Said, scenario: str) -> None:
    found = said[scenario]
    assert found["exit"]["status"] == "killed"
    assert found["exit"]["reason"] == "killed by signal 9"
    assert any("iperf3 --client" in name for name in found["processes"])
    assert found["left"] == {}


@pytest.mark.parametrize("scenario", ["guest killed", "launcher killed"])
def test_the_links_of_a_killed_run_are_gone(said: Said, scenario: str) -> None:
    """A veth from the machine into each node ends with the node's links.

    The kernel alone clears up; MPTCP holds on to a cut connection's ends for a while.
    """
    found = said[scenario]
    assert found["planted"] == [""] * 5
    assert len(found["canaries"]) == 5
    assert found["alive"][0]
    assert set(found["alive"][1]) <= {"client", "server"}
    assert found["namespaces gone"]


def test_an_engine_killed_outright_leaves_nothing(said: Said) -> None:
    found = said["engine killed"]
    assert any("iperf3 --client" in name for name in found["processes"])
    assert found["gone"]


@pytest.mark.parametrize(
    "scenario",
    ["good", "guest killed", "launcher killed", "cancelled", "engine killed"],
)
def test_what_was_there_before_stays(said: Said, scenario: str) -> None:
    """Interfaces and namespaces, those named like the run's own among them."""
    before = said["before"]
    assert {"client", "r1", "mine"} == set(before["namespaces"])
    assert "client-eth1@r1-client" in before["links"]
    assert "dummy7" in before["links"]
    if not said["bridge"].startswith("error"):
        assert "bridge7" in before["links"]
    assert said[scenario]["state"] == before
    assert said["after"] == before


def test_cancel_is_heard_soon(said: Said) -> None:
    found = said["cancelled"]
    assert found["exit"]["status"] == "cancelled"
    # The traffic would go on for 20 s; a busy machine takes its time.
    assert found["exit"]["joined_s"] < 6.0
    assert found["left"] == {}


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        ("limit", "not done after 2 s of traffic"),
        ("wall", "not done after 3 s of wall time"),
        ("silent", "no sign of life for 2 s"),
    ],
)
def test_bounds(said: Said, scenario: str, reason: str) -> None:
    found = said[scenario]
    assert found["exit"]["status"] == "timeout"
    assert found["exit"]["reason"] == reason
    assert found["left"] == {}


def test_traffic_without_output_is_no_silence(said: Said) -> None:
    """iperf3 prints at its end only: 8 s here, of at most 2 s of silence."""
    assert said["quiet"]["exit"]["status"] == "finished"


def test_a_controller_that_the_kernel_lacks(said: Said) -> None:
    error = said["unknown"]["error"]
    assert "congestion control lia2: not in this kernel" in error
    assert "reno" in error
    assert "modprobe tcp_lia2" in error
