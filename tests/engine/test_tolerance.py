"""The numbers that two executions in QEMU need not share, at their limits."""

import json
from pathlib import Path
from typing import Any

import pytest

from mpbench.engine import tolerance
from mpbench.store import manifest

OUTCOME = {
    "virtual_s": 10.66033484,
    "processes": [{"end_s": 10.332899234, "exit_code": 0, "argv": ["a", "5201"]}],
    "paths": {"client": [{"links": [1]}]},
}
QDISC = {"r1": [{"kind": "tbf", "bytes": 12636129, "packets": 8, "overlimits": 49973}]}
LINK = {"r1": [{"rx_bytes": 1000, "tx_bytes": 2000, "rx_packets": 3}]}
COUNTERS = {"kernel": {"IpExtInOctets": 5000, "IpExtOutOctets": 700, "TcpInSegs": 9}}
TRAFFIC = {"end": {"cpu": {"host_total": 12.5, "remote_system": 3.5}, "bytes": 7}}
CONSOLE = "mpbench: exit 0\n[   12.963335] reboot: Power down\n"


def written(folder: Path, files: dict[str, Any]) -> Path:
    folder.mkdir()
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / name).write_text(text)
    return folder


def compared(
    tmp_path: Path, before: dict[str, Any], now: dict[str, Any]
) -> tuple[list[str], tolerance.Numbers]:
    """Names of files that differ beyond the list, and the numbers that may."""
    folders = written(tmp_path / "a", before), written(tmp_path / "b", now)
    entries = [manifest.take(folder) for folder in folders]
    files, numbers = tolerance.without(entries[0], entries[1], folders)
    return [one.artefact for one in manifest.compare(entries[0], files)], numbers


def changed(old: str, new: str, document: object = OUTCOME) -> Any:
    text = json.dumps(document)
    assert old in text
    return json.loads(text.replace(old, new))


def test_listed_numbers_may_differ(tmp_path: Path) -> None:
    """The differences are those of a run on a busy machine."""
    before = {"outcome.json": OUTCOME, "qdisc-end.json": QDISC, "console.log": CONSOLE}
    now = {
        "outcome.json": changed("10.66033484", "10.660335347"),
        "qdisc-end.json": changed("49973", "49977", QDISC),
        "console.log": CONSOLE.replace("963335", "963336"),
    }
    differing, numbers = compared(tmp_path, before, now)
    assert differing == []
    assert (numbers.count, numbers.files) == (3, 3)
    assert numbers.most_ns == pytest.approx(507, abs=1)
    assert numbers.words == (
        "but for 3 numbers of those that may differ in QEMU; the clock's by 507 ns at"
        " most"
    )


@pytest.mark.parametrize(
    ("name", "before", "now", "same"),
    [
        ("outcome.json", OUTCOME, changed("10.66033484", "10.66033584"), True),
        ("outcome.json", OUTCOME, changed("10.66033484", "10.66033585"), False),
        ("outcome.json", OUTCOME, changed("10.66033484", "1e999"), False),
        ("outcome.json", OUTCOME, changed("10.66033484", "true"), False),
        ("outcome.json", OUTCOME, changed("10.332899234", "10.332898234"), True),
        ("outcome.json", OUTCOME, changed('"exit_code": 0', '"exit_code": 1'), False),
        ("outcome.json", OUTCOME, changed("5201", "5202"), False),
        ("outcome.json", OUTCOME, changed('"links": [1]', '"links": [1, 2]'), False),
        ("outcome.json", OUTCOME, changed('"paths"', '"path"'), False),
        ("outcome.json", OUTCOME, "{", False),
        ("outcome.json", OUTCOME, "[" * 100_000, False),
        ("qdisc-end.json", QDISC, changed("12636129", "12636193", QDISC), True),
        ("qdisc-end.json", QDISC, changed("12636129", "12636194", QDISC), False),
        ("qdisc-end.json", QDISC, changed("49973", "49909", QDISC), True),
        ("qdisc-end.json", QDISC, changed("49973", "49908", QDISC), False),
        (
            "qdisc-end.json",
            QDISC,
            changed('"packets": 8', '"packets": 9', QDISC),
            False,
        ),
        ("console.log", CONSOLE, CONSOLE.replace("963335", "963337"), True),
        ("console.log", CONSOLE, CONSOLE.replace("963335", "963338"), False),
        ("console.log", CONSOLE, CONSOLE.replace("exit 0", "exit 1"), False),
        ("console.log", CONSOLE, CONSOLE + "[    1.000000] more\n", False),
        ("link-end.json", LINK, changed("1000", "1064", LINK), True),
        ("link-end.json", LINK, changed("1000", "1065", LINK), False),
        ("link-end.json", LINK, changed("2000", "1936", LINK), True),
        ("link-end.json", LINK, changed("2000", "1935", LINK), False),
        (
            "link-end.json",
            LINK,
            changed('"rx_packets": 3', '"rx_packets": 4', LINK),
            False,
        ),
        ("nstat-a.json", COUNTERS, changed("5000", "5064", COUNTERS), True),
        ("nstat-a.json", COUNTERS, changed("5000", "5065", COUNTERS), False),
        ("nstat-a.json", COUNTERS, changed("700", "636", COUNTERS), True),
        ("nstat-a.json", COUNTERS, changed("700", "635", COUNTERS), False),
        ("nstat-a.json", COUNTERS, changed('Segs": 9', 'Segs": 8', COUNTERS), False),
        ("traffic-0-a.json", TRAFFIC, changed("12.5", "12.501", TRAFFIC), True),
        ("traffic-0-a.json", TRAFFIC, changed("12.5", "12.5011", TRAFFIC), False),
        ("traffic-0-a.json", TRAFFIC, changed("3.5", "3.499", TRAFFIC), True),
        ("traffic-0-a.json", TRAFFIC, changed("3.5", "3.4989", TRAFFIC), False),
        ("traffic-0-a.json", TRAFFIC, changed('ytes": 7', 'ytes": 8', TRAFFIC), False),
        ("qdisc-end.json", {"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        ("other.json", {"end_s": 1.0}, {"end_s": 1.0000001}, False),
        ("a.pcap", "x", "y", False),
    ],
)
def test_nothing_else_may_differ(
    name: str, before: object, now: object, same: bool, tmp_path: Path
) -> None:
    differing, numbers = compared(tmp_path, {name: before}, {name: now})
    assert differing == ([] if same else [name])
    assert bool(numbers.words) is same


def test_a_file_that_is_missing_or_new_differs(tmp_path: Path) -> None:
    before, now = {"outcome.json": OUTCOME}, {"qdisc-end.json": QDISC}
    differing, numbers = compared(tmp_path, before, now)
    assert differing == ["outcome.json", "qdisc-end.json"]
    assert numbers == tolerance.NONE
