"""MPTCP version 0, of a synthetic capture: what tshark's dissector says of it."""

import pyarrow as pa
import pytest

from analysis.capture.analyse import EVENTS, Settings, analyse
from analysis.capture.frames import Frames, frames
from tests.capture.make import FIELDS
from tests.capture.version0 import COUNT, KEYS, SIZE, TOLD, capture, digest


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    path = tmp_path_factory.mktemp("version0") / "a.pcap"
    path.write_bytes(capture())
    return frames(analyse([path], settings=Settings(events=tuple(EVENTS))))


@pytest.fixture(scope="module")
def told() -> list[dict[str, str]]:
    stream = pa.CompressedInputStream(pa.OSFile(str(TOLD)), "zstd")
    lines = stream.read().decode().splitlines()
    return [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in lines]


def test_connection(found: Frames, told: list[dict[str, str]]) -> None:
    (row,) = [row for _, row in found.connections.iterrows()]
    assert (row["kind"], row["version"], row["subflows"]) == ("mptcp", 0, 2)
    assert (row["key_a"], row["key_b"]) == tuple(f"{key:016x}" for key in KEYS)
    assert not row["unknown"]
    # tshark groups the subflows by the same token.
    assert {line["mptcp.stream"] for line in told} - {""} == {"0"}
    tokens = {line["mptcp.expected_token"] for line in told} - {""}
    ours = {str(int(row[name], 16)) for name in ("token_a", "token_b")}
    assert tokens <= ours
    assert {line["tcp.options.mptcp.recvtok"] for line in told} - {""} <= ours


def test_counts(found: Frames, told: list[dict[str, str]]) -> None:
    for _, row in found.subflows.iterrows():
        mine = [
            line
            for line in told
            if int(line["tcp.srcport"]) == row["source_port"]
            and int(line["tcp.dstport"]) == row["target_port"]
        ]
        assert row["packets"] == len(mine)
        assert row["payload_bytes"] == sum(int(line["tcp.len"]) for line in mine)
        subtypes = [
            subtype
            for line in mine
            for subtype in line["tcp.options.mptcp.subtype"].split(",")
        ]
        for name, subtype in (
            *(("capables", "0"), ("joins", "1"), ("dss", "2"), ("add_addrs", "3")),
            *(("remove_addrs", "4"), ("mp_prios", "5")),
        ):
            assert row[name] == subtypes.count(subtype), name
        assert row["mappings"] == sum(
            bool(line["tcp.options.mptcp.rawdataseqno"]) for line in mine
        )


def test_data(found: Frames, told: list[dict[str, str]]) -> None:
    first, second = found.data.sort_values("direction").to_dict("records")
    assert first["bytes"] == SIZE * COUNT
    assert first["acked_bytes"] == SIZE * COUNT
    assert (first["missing_bytes"], second["bytes"]) == (0, 0)
    assert first["reinjected_packets"] == first["reinjections"] == 1
    assert first["first_dsn"] == digest(KEYS[0])[1] + 1
    raw = [
        line["tcp.options.mptcp.rawdataseqno"]
        for line in told
        if line["tcp.len"] != "0"
    ]
    new = found.events[found.events["kind"].isin(["data", "reinjection"])]
    ours = [digest(KEYS[0])[1] + int(position) for position in new["position"]]
    # Of 4 bytes, tshark has the lower half; ours are whole.
    low = 0xFFFFFFFF
    assert sorted(n & low for n in ours) == sorted(int(n) & low for n in raw)
    assert sorted(set(ours)) == [ours[0] + SIZE * n for n in range(COUNT)]
