"""Metrics from captures of a run, each number by hand."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.run import absent, capture_metrics, path_names
from analysis.run.artefacts import Artefacts
from analysis.run.capture_metrics import columns
from analysis.run.readers.outcome import UserPath
from jobs.capture import Capture
from tests.analysis.test_conservation import ENTRY, iperf3, made
from tests.capture.packets import Wire, dss, joined, opened_mptcp

CLIENT, SECOND, SERVER = (0x0A000101, 4001), (0x0A000201, 4002), (0x0A090001, 5300)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
FORTH_2 = (SECOND, SERVER)
TEN = {**ENTRY, "duration_s": 10.0}


def run_of(*paths: UserPath, reverse: bool = False) -> Artefacts:
    run = made(
        {**TEN, "reverse": reverse},
        reports=(iperf3(10.0, 1e6),),
        paths=tuple(path.links for path in paths),
        protocol="mptcp",
        client_s=((0.0, 10.0),),
    )
    return replace(run, users={"client": paths})


TWO = (UserPath(("a",), None, "10.0.1.1"), UserPath(("b",), None, "10.0.2.1"))


def transfer() -> tuple[Wire, dict[str, list[int]]]:
    """Six segments of 1000 bytes on path a and two on path b; the fourth is sent again
    on path a, and the first on path b. Numbers of the records by path."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    records: dict[str, list[int]] = {"a": [], "b": []}

    def send(at_s: float, path: str, number: int, place: int, again: int = 0) -> None:
        records[path].append(len(wire.records))
        mapping = dss(first + 1000 * number, 1000 * place + 1, 1000)
        ends = FORTH if path == "a" else FORTH_2
        wire.add(at_s, ends, payload=1000, options=mapping, again=again)

    for number in range(6):
        send(1 + number, "a", number, number)
    send(7, "b", 6, 0)
    send(8, "b", 7, 1)
    send(9, "a", 3, 3, again=3000)
    send(10, "b", 0, 2)
    return wire, records


def write(folder: Path, wire: Wire, name: str, without: Any = ()) -> None:
    kept = copy.copy(wire)
    kept.records = [r for n, r in enumerate(wire.records) if n not in without]
    kept.write(folder / f"capture-{name}.pcap")


def test_no_captures_have_no_columns(tmp_path: Path) -> None:
    assert columns(tmp_path, run_of(*TWO)) == {}


def test_ratios_and_shares_at_the_sender_alone(tmp_path: Path) -> None:
    wire, _ = transfer()
    write(tmp_path, wire, "client-eth1")
    found = columns(tmp_path, run_of(*TWO))
    assert found == {
        "capture_retransmission_ratio": pytest.approx(1 / 9),
        "capture_reinjection_ratio": pytest.approx(1 / 9),
        "capture_ooo_ratio": 0,
        "path1.capture_share": pytest.approx(6 / 8),
        "path2.capture_share": pytest.approx(2 / 8),
    }


def test_losses_between_both_ends(tmp_path: Path) -> None:
    """Of nine packets of path 1 one, and of five of path 2 one: each has two packets of
    the handshake, its segments, and one that is sent again."""
    wire, records = transfer()
    write(tmp_path, wire, "client-eth1")
    write(tmp_path, wire, "server-eth1", {records["a"][1], records["b"][0]})
    found = columns(tmp_path, run_of(*TWO))
    assert found["path1.loss_probability"] == pytest.approx(1 / 9)
    assert found["path2.loss_probability"] == pytest.approx(1 / 5)
    mean = (3 / 4) * (1 / 9) + (1 / 4) * (1 / 5)
    assert found["mean_loss_probability"] == pytest.approx(mean)
    assert found["capture_retransmission_ratio"] == pytest.approx(1 / 9)
    assert found["path1.capture_share"] == pytest.approx(3 / 4)


@pytest.mark.parametrize("name", ["server-eth1", "r1-hub"])
def test_a_single_point_knows_no_losses(tmp_path: Path, name: str) -> None:
    """A receiver's captures alone, or those of routers, are the first point."""
    wire, records = transfer()
    write(tmp_path, wire, name, {records["b"][3 - 1]})
    found = columns(tmp_path, run_of(*TWO))
    assert found["capture_reinjection_ratio"] == 0
    assert found["path1.capture_share"] == pytest.approx(3 / 4)
    assert not [column for column in found if "loss" in column]


def test_segments_that_come_late_are_out_of_order(tmp_path: Path) -> None:
    """The second segment comes after the third, as one of eight with new data."""
    wire, records = transfer()
    second, third = records["a"][1:3]
    (at, one), (later, other) = wire.records[second], wire.records[third]
    wire.records[second], wire.records[third] = (at, other), (later, one)
    write(tmp_path, wire, "client-eth1")
    found = columns(tmp_path, run_of(*TWO))
    assert found["capture_ooo_ratio"] == pytest.approx(1 / 8)


def test_data_in_the_direction_of_the_traffic_count(tmp_path: Path) -> None:
    wire, _ = transfer()
    write(tmp_path, wire, "client-eth1")
    assert columns(tmp_path, run_of(*TWO, reverse=True)) == {
        "capture_retransmission_ratio": None,
        "capture_reinjection_ratio": None,
        "capture_ooo_ratio": None,
    }


def test_subflows_of_unknown_addresses_are_of_no_path(tmp_path: Path) -> None:
    wire, _ = transfer()
    write(tmp_path, wire, "client-eth1")
    found = columns(tmp_path, run_of(TWO[0], UserPath(("b",), None, "10.0.9.9")))
    assert found["path1.capture_share"] == 1 and "path2.capture_share" not in found
    second = columns(tmp_path, run_of(UserPath(("a",), None, None), TWO[1]))
    assert second["path2.capture_share"] == 1 and "path1.capture_share" not in second


def test_losses_of_no_path_are_in_none(tmp_path: Path) -> None:
    wire, records = transfer()
    write(tmp_path, wire, "client-eth1")
    write(tmp_path, wire, "server-eth1", {records["b"][0]})
    found = columns(tmp_path, run_of(TWO[0], UserPath(("b",), None, None)))
    assert found["path1.loss_probability"] == found["mean_loss_probability"] == 0


def test_a_path_without_data_has_no_share(tmp_path: Path) -> None:
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    wire.add(1, FORTH, payload=1000, options=dss(first, 1, 1000))
    write(tmp_path, wire, "client-eth1")
    found = columns(tmp_path, run_of(*TWO))
    assert (found["path1.capture_share"], found["path2.capture_share"]) == (1, 0)


@pytest.mark.parametrize(
    ("names", "shown"), [(("wifi", "lte"), "wifi lte"), (("wifi",), "wifi path2")]
)
def test_columns_have_the_names_of_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], shown: str
) -> None:
    monkeypatch.setattr(path_names, "of_job", lambda _: names)
    wire, _ = transfer()
    write(tmp_path, wire, "client-eth1")
    found = columns(tmp_path, run_of(*TWO))
    shares = [found[f"{name}.capture_share"] for name in shown.split()]
    assert shares == pytest.approx([3 / 4, 1 / 4])


CAPTURED = Capture(interfaces=("client-eth1",), full=False)


def test_captures_are_removed_if_the_job_has_some_and_none_is_left(
    tmp_path: Path,
) -> None:
    run = run_of(*TWO)
    job = replace(run.job, capture=CAPTURED)
    captured = replace(run, job=job)
    assert not capture_metrics.removed(tmp_path, run)
    assert capture_metrics.removed(tmp_path, captured)
    (tmp_path / "capture-client-eth1.pcap").touch()
    assert not capture_metrics.removed(tmp_path, captured)


def test_a_row_keeps_the_columns_of_removed_captures_and_no_others() -> None:
    kept = {
        "capture_retransmission_ratio": 0.25,
        "capture_reinjection_ratio": 0,
        "capture_ooo_ratio": None,
        "mean_loss_probability": 0.5,
        "path1.capture_share": 0.75,
        "path2.loss_probability": 1,
    }
    others = {"goodput_mbps": 8.0, "path0.capture_share": 0.5, "verdict": "ok"}
    others |= {"path3.capture_share": 0.5}
    assert capture_metrics.of_row({**kept, **others}, run_of(*TWO)) == kept


@pytest.mark.parametrize(
    "value, kept",
    [
        *((0, True), (0.0, True), (-1e-9, False), (float("inf"), False)),
        *((float("nan"), False), (True, False), ("0.5", False), (None, True)),
    ],
)
def test_a_value_of_a_row_is_a_number_from_0_on(value: Any, kept: bool) -> None:
    row = {"capture_ooo_ratio": value}
    assert capture_metrics.of_row(row, run_of(*TWO)) == (row if kept else {})


def test_users_paths_are_numbered_where_the_job_has_no_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(path_names, "of_job", lambda job: ())
    row = {f"path{number}.capture_share": 0.5 for number in range(4)}
    found = capture_metrics.of_row(row, run_of(*TWO))
    assert list(found) == ["path1.capture_share", "path2.capture_share"]
    uneven = replace(run_of(*TWO), users={"client": TWO, "phone": TWO[:1]})
    assert capture_metrics.of_row(row, uneven) == found
    assert capture_metrics.of_row(row, replace(uneven, users={})) == {}
    monkeypatch.setattr(path_names, "of_job", lambda job: ("wifi", "lte"))
    named = {"wifi.capture_share": 0.5, "path1.capture_share": 0.5}
    assert list(capture_metrics.of_row(named, run_of(*TWO))) == ["wifi.capture_share"]


def test_a_row_says_why_removed_captures_gave_no_ratio() -> None:
    said = {"capture_retransmission_ratio": "no data", "goodput_mbps": "no receiver"}
    row = {absent.COLUMN: absent.written(said)}
    assert capture_metrics.why_none_by_row(row) == "no data"
    assert capture_metrics.why_none_by_row({}) == "its captures are not there"


def test_a_job_without_captures_lacks_nothing(tmp_path: Path) -> None:
    assert capture_metrics.why_none(tmp_path, run_of(*TWO)) == ""
    job = replace(run_of(*TWO).job, capture=CAPTURED)
    captured = replace(run_of(*TWO), job=job)
    said = capture_metrics.why_none(tmp_path, captured)
    assert said == "its captures are not there"
