"""Entries of the tool flows: what a file may say, and what is refused."""

import os
from pathlib import Path
from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.plan import make_plan

HEAD = """\
name: flows
topology: two_path
cases:
  lia: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
traffic:
"""
ENDS = "tool: flows, from: client, to: server"
TCP = "transport: {protocol: tcp, congestion_control: reno, path: 1"


def entry(keys: str) -> str:
    return f"  - {{{ENDS}, {keys}}}\n"


def job_entry(keys: str) -> dict[str, Any]:
    return dict(
        dump(make_plan(loads(HEAD + entry(keys)), {}).runs[0].job)["traffic"][0]
    )


def fault(*entries: str) -> str:
    with pytest.raises(UserError) as caught:
        loads(HEAD + "".join(entries), "f.yaml")
    return str(caught.value)


def test_what_an_entry_leaves_unsaid() -> None:
    made = job_entry("size: 70 kB")
    assert made["size"] == {"kind": "fixed", "bytes": 70_000}
    assert made["arrivals"] == {"kind": "at_once"}
    assert (made["connections"], made["timeout_s"], made["users"]) == (1, 30, 1)
    assert (made["interval_s"], made["read_bytes"], made["reverse"]) == (
        1,
        16384,
        False,
    )
    assert made["port"] == 8001
    made = job_entry("duration: 5 s, connections: 8")
    assert (made["size"], made["timeout_s"], made["drawn"]["flows"]) == (None, None, 8)


def test_ways_to_write_arrivals() -> None:
    several = {"kind": "poisson", "rates_per_s": [10.0, 60.0], "every_s": 10.0}
    for text, expected in {
        "10 /s": {"kind": "poisson", "rates_per_s": [10.0], "every_s": None},
        "{poisson: 600 /min}": {
            "kind": "poisson",
            "rates_per_s": [10.0],
            "every_s": None,
        },
        "{poisson: [10 /s, 60 /s], every: 10 s}": several,
        "{every: 1 s}": {"kind": "even", "every_s": 1.0},
    }.items():
        made = job_entry(f"size: 1 kB, duration: 20 s, arrivals: {text}")
        assert made["arrivals"] == expected


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("arrivals: 10 /s", "says neither how long nor how much; write 'size: 70 kB'"),
        (
            "size: 1 kB, arrivals: 10 /s",
            "does not say when arrivals end; write",
        ),
        ("size: 1 kB, duration: 9 s", "duration: without effect: all connections open"),
        ("duration: 9 s, timeout: 3 s", "timeout: without effect"),
        ("size: 1 kB, arrivals: sometimes", "expected 'at once', {poisson: 10 /s}"),
        ("size: 1 kB, arrivals: 10 Mbit/s", "a data rate; a number per time is needed"),
        ("size: 1 kB, arrivals: {poisson: [1 /s, 2 /s]}", "every: missing; how long"),
        (
            "size: 1 kB, arrivals: {poisson: 1 /s, every: 2 s}",
            "every: there is a single rate",
        ),
        ("size: 1 kB, arrivals: {poisson: 1e9 /s}", "not within 1e-06 to 100000"),
        (
            "size: {pareto: {mean: 9 kB, shape: 1}}",
            "1 is not above 1.0; give a greater",
        ),
        ("size: {pareto: {mean: 9 kB, shape: 2}, fixed: 1 kB}", "take one away"),
        ("size: {}", "says no size; write e.g. 'size: 70 kB'"),
        ("size: {cdf: [[1 kB, 0.5]]}", "ends at probability 0.5; the last must be 1"),
        ("size: {cdf: [[1 kB, 0.5], [1 kB, 1]]}", "sort the sizes from small to"),
        ("size: {cdf: [[1 kB, 0.5], [2 kB, 0.4]]}", "probability 0.4 follows 0.5"),
        ("size: {cdf: [[0, 1]]}", "the largest size is below 1 byte"),
        ("size: {cdf: [1 kB]}", "expected a size and a probability"),
        ("size: 1 kB, connections: 20001", "connections: "),
        ("duration: {min: 9 s, max: 3 s}", "min 9 s is above max 3 s; exchange them"),
        ("size: 1 kB, arival: 1 /s", "unknown key; did you mean 'arrivals'?"),
    ],
)
def test_faults(keys: str, words: str) -> None:
    found = fault(entry(keys))
    assert words in found
    assert found.startswith("f.yaml:6: traffic[0]")


def test_rates_and_sizes_can_be_factors() -> None:
    design = "design: {method: grid, factors: {traffic.arrivals: [5 /s, 10 /s],"
    design += " traffic.size: [10 kB, 20 kB], traffic.duration: [4 s]}}\n"
    text = HEAD.replace("cases:", f"{design}cases:")
    plan = make_plan(loads(text + f"  - {{{ENDS}}}\n"), {})
    assert plan.factor_keys[0] == "traffic.arrivals_per_s"
    seen = [
        (e["arrivals"]["rates_per_s"][0], e["size"]["bytes"], e["lasts_s"])
        for e in (dump(run.job)["traffic"][0] for run in plan.runs)
    ]
    assert seen == [(r, s, [4, 4]) for r in (5, 10) for s in (10_000, 20_000)]


def test_tcp_beside_mptcp_from_one_host() -> None:
    tcp = f"{TCP}}}"
    plain = entry("duration: 9 s")
    assert loads(HEAD + plain + entry(f"size: 9 kB, {tcp}"))
    bulk = f"  - {{{ENDS.replace('flows', 'iperf3')}, duration: 9 s}}\n"
    assert loads(HEAD + bulk + entry(f"size: 9 kB, {tcp}"))
    assert "client has another transport in traffic[0]" in fault(
        bulk, bulk.replace("9 s}", f"9 s, {tcp}}}")
    )


@pytest.mark.parametrize(
    ("transport", "words"),
    [
        (
            "{protocol: mptcp, congestion_control: olia, scheduler: default}",
            "client has another scheduler in traffic[0]",
        ),
        (
            "{protocol: mptcp, congestion_control: {name: lia, min_ssthresh: 2},"
            " scheduler: lowrtt}",
            "client has other parameters of the congestion control in traffic[0]",
        ),
        (
            "{protocol: tcp, congestion_control: reno, path: 1,"
            " sysctls: {net.ipv4.tcp_sack: 0}}",
            "client has other sysctls in traffic[0]",
        ),
    ],
)
def test_what_entries_of_a_host_share(transport: str, words: str) -> None:
    other = entry(f"size: 9 kB, transport: {transport}")
    assert words in fault(entry("duration: 9 s"), other)


def distribution(folder: Path, content: str | bytes) -> Path:
    raw = content if isinstance(content, bytes) else content.encode()
    (folder / "sizes.txt").write_bytes(raw)
    file = folder / "f.yaml"
    file.write_text(HEAD + entry("size: {cdf: sizes.txt}, connections: 5"))
    return file


def test_a_distribution_in_a_file_comes_to_stand_in_the_experiment(
    tmp_path: Path,
) -> None:
    spec = load(distribution(tmp_path, "# web\n1000 0.5\n\n20000.5 1.0 # largest\n"))
    size = dump(make_plan(spec, {}).runs[0].job)["traffic"][0]["size"]
    assert size == {"kind": "cdf", "points": [[1000.0, 0.5], [20000.5, 1.0]]}
    again = loads(spec.text)
    assert again.digest == spec.digest
    assert "sizes.txt" not in spec.text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no point"),
        ("1000\n", "sizes.txt:1: expected a size in bytes and a probability"),
        ("1000 x\n", "sizes.txt:1: expected a size in bytes"),
        ("1000 0.5\n2000 1.5\n", "sizes.txt:2: sizes are 0 to 1e+12 bytes"),
        ("nan 1\n", "sizes.txt:1: sizes are 0 to"),
        ("1000 nan\n", "sizes.txt:1: sizes are 0 to"),
        ("2000 0.5\n1000 1\n", "size 1000 follows 2000"),
        ("1000 0.5\n", "ends at probability 0.5"),
        ("".join(f"{n} 0\n" for n in range(1001)), "more than 1000 points"),
        ("#" * 70_000, "larger than 64 KiB"),
        (b"\xff 1\n", "not text in UTF-8"),
    ],
)
def test_files_that_are_no_distribution(
    tmp_path: Path, content: str | bytes, words: str
) -> None:
    file = distribution(tmp_path, content)
    with pytest.raises(UserError) as caught:
        load(file)
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    file = distribution(tmp_path, "")
    (tmp_path / "sizes.txt").unlink()
    with pytest.raises(UserError, match=r":6: .*sizes.txt: No such file"):
        load(file)
    os.mkfifo(tmp_path / "sizes.txt")
    with pytest.raises(UserError, match="not a regular file"):
        load(file)
    (tmp_path / "sizes.txt").unlink()
    (tmp_path / "sizes.txt").mkdir()
    with pytest.raises(UserError, match="not a regular file"):
        load(file)
