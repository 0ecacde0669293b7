"""Captures of version 0 and 1 that others made, beside what tcpdump prints of them."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from analysis.capture.analyse import analyse
from analysis.capture.frames import Frames, frames
from mpbench.errors import UserError
from tests.capture import public
from tests.capture.kinds import Way

pytestmark = pytest.mark.slow

PACKET = re.compile(r"IP (\S+)\.(\d+) > (\S+)\.(\d+): .*, length (\d+)")
DSS = re.compile(r"dss( fin)?(?: ack (\d+))?(?: seq (\d+) subseq \d+ len (\d+))?")
OPTION = re.compile(r"mptcp \d+ ([a-z-]+)")
COUNTED = {
    "dss": "dss",
    "capables": "capable",
    "joins": "join",
    "add_addrs": "add-addr",
    "remove_addrs": "rem-addr",
    "fastcloses": "fast-close",
}


@dataclass
class Printed:
    """tcpdump's report on one way of a subflow."""

    packets: int = 0
    payload: int = 0
    options: Counter[str] = field(default_factory=Counter)
    mappings: list[tuple[int, int]] = field(default_factory=list)
    acks: set[int] = field(default_factory=set)


def printed(text: str) -> dict[Way, Printed]:
    found: dict[Way, Printed] = defaultdict(Printed)
    for line in text.splitlines():
        if not (told := PACKET.search(line)):
            continue
        source, source_port, target, target_port, length = told.groups()
        way = found[source, int(source_port), target, int(target_port)]
        way.packets += 1
        way.payload += int(length)
        way.options.update(OPTION.findall(line))
        for fin, ack, seq, size in DSS.findall(line):
            if ack:
                way.acks.add(int(ack))
            if seq:
                way.mappings.append((int(seq), int(size) - bool(fin)))
    return found


@pytest.fixture(scope="module")
def folder() -> Path:
    try:
        return public.files()
    except UserError as error:
        pytest.skip(f"Debian's source of tcpdump cannot be had: {error}")


def seen(folder: Path, name: str) -> tuple[Frames, dict[Way, Printed]]:
    text = (folder / f"{name}.out").read_text()
    return frames(analyse([folder / f"{name}.pcap"])), printed(text)


@pytest.mark.parametrize("name", public.NAMES)
def test_counts_are_tcpdumps(folder: Path, name: str) -> None:
    found, told = seen(folder, name)
    keys = ["source", "source_port", "target", "target_port"]
    subflows = found.subflows.set_index(keys).to_dict("index")
    assert len(told) >= 2
    for way, counts in told.items():
        row = subflows[way]
        assert row["packets"] == counts.packets, way
        assert row["payload_bytes"] == counts.payload, way
        for column, option in COUNTED.items():
            assert row[column] == counts.options[option], (way, option)


def test_data_are_the_stretches_that_tcpdump_prints(folder: Path) -> None:
    """Each number of the data is sent once, in DSS of 4 bytes: their sizes are the
    data, and the first follows from the key."""
    found, told = seen(folder, "mptcp-v0")
    for direction in (0, 1):
        mine = found.subflows[found.subflows["direction"] == direction]
        mappings: list[tuple[int, int]] = []
        for row in mine.to_dict("records"):
            sender = row["source"], row["source_port"]
            way = (*sender, row["target"], row["target_port"])
            mappings += told[way].mappings
        sizes = {first: size for first, size in mappings if size}
        (data,) = found.data.query(f"direction == {direction}").to_dict("records")
        assert data["bytes"] == sum(sizes.values()) > 1000
        assert data["missing_bytes"] == data["unmapped_bytes"] == 0
        assert data["first_dsn"] & 0xFFFFFFFF == min(sizes)


def test_version_0(folder: Path) -> None:
    """Keys and token as tcpdump prints them: the token of the join is the one that
    follows from the key by SHA-1."""
    found, _ = seen(folder, "mptcp-v0")
    text = (folder / "mptcp-v0.out").read_text()
    (row,) = found.connections.to_dict("records")
    assert (row["version"], row["subflows"], row["checksum"]) == (0, 2, 1)
    keys = re.search(r"capable v0 csum \{0x(\w+),0x(\w+)\}", text)
    token = re.search(r"join id 0 token 0x(\w+)", text)
    assert keys and token
    assert (row["key_a"], row["key_b"]) == keys.groups()
    assert row["token_b"] == token.group(1)
    assert not row["unknown"]
    ends = found.data.set_index("direction")["data_fin_acked_at_s"]
    assert ends.notna().all()
    assert (found.data["completion_s"] < ends).all()


def test_version_0_closed_fast(folder: Path) -> None:
    found, _ = seen(folder, "mptcp-fclose")
    (row,) = found.connections.to_dict("records")
    assert (row["kind"], row["version"]) == ("mptcp", 0)
    (event,) = found.events.query("kind == 'signal'").to_dict("records")
    assert (event["what"], event["direction"]) == ("MP_FASTCLOSE", 0)
