"""Seeds of links in experiment files, and where runs under kernels are not paired."""

import struct

import pytest

from jobs import dump
from mpbench.experiment_files import loads
from mpbench.guest import link_seeds
from mpbench.plan import kernel_pairs, make_plan
from mpbench.plan.points import points
from tests.spec.files import faults

TEXT = """\
name: pairs
topology: two_path
kernels:
  stock: {lab: none}
  slow: {lab: none, options: {CONFIG_HZ: 100}}
cases:
  a: {protocol: tcp, path: 1, congestion_control: cubic, kernel: stock}
  b: {protocol: tcp, path: 1, congestion_control: cubic, kernel: slow}
parameters: {path1.loss: 1 %}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""


def test_a_job_has_the_key_only_where_the_file_asks_for_it() -> None:
    plain = make_plan(loads(TEXT), {}).runs
    seeded = make_plan(loads(TEXT + "link_seeds: true\n"), {}).runs
    assert all("link_seeds" not in dump(run.job) for run in plain)
    assert all(dump(run.job)["link_seeds"] is True for run in seeded)
    assert {run.id for run in plain}.isdisjoint(run.id for run in seeded)
    assert loads(TEXT).digest == loads(TEXT + "link_seeds: false\n").digest


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", kernel_pairs.HINT),
        ("path1.loss: 1 %", "path1.capacity: 9 Mbit/s", None),
        ("kernel: slow", "kernel: stock, sysctls: {net.ipv4.tcp_sack: 0}", None),
        ("name:", "link_seeds: true\nname:", None),
    ],
)
def test_where_kernels_are_not_paired(old: str, new: str, said: str | None) -> None:
    spec = loads(TEXT.replace(old, new, 1) if old else TEXT)
    assert kernel_pairs.lines(spec) == ([said] if said else [])
    assert kernel_pairs.unpaired(spec, points(spec)) == bool(said)


def test_an_old_kernel_takes_no_seeds() -> None:
    old = "  slow: {linux: '6.1', machine: qemu}\n"
    kernels = TEXT.partition("  slow:")[2].partition("\n")[0]
    text = TEXT.replace(f"  slow:{kernels}\n", old) + "link_seeds: true\n"
    (line,) = kernel_pairs.lines(loads(text))
    assert "before 6.7 takes no seeds" in line and "under slow are not paired" in line


def test_the_fabric_has_no_seeds_of_links() -> None:
    text = TEXT.replace(", kernel: stock", "").replace(", kernel: slow", "")
    (line,) = faults(text.replace("a:", "a:", 1) + "fabric: true\nlink_seeds: true\n")
    assert "link_seeds: links of the fabric draw from the run's seed" in line


def netem(seed: int | None) -> bytes:
    """The message of the kernel about a delay line, with its seed if it has one."""
    options = bytes(range(24)) + struct.pack("=HHII", 12, 1, 3, 4)
    if seed is not None:
        options += struct.pack("=HHQ", 12, 14, seed)
    kind = struct.pack("=HH6sxx", 10, 1, b"netem\0")
    head = struct.pack("=BxxxiIII", 0, 7, 0x10000, 0xFFFFFFFF, 0)
    return head + kind + struct.pack("=HH", 4 + len(options), 2) + options


def test_the_seed_alone_is_changed() -> None:
    (found,) = link_seeds.read(netem(5))
    assert (found.interface, found.handle, found.parent) == (7, 0x10000, 0xFFFFFFFF)
    (wanted,) = link_seeds.read(netem(2**64 - 1))
    assert found.seeded(2**64 - 1) == wanted.options
    (without,) = link_seeds.read(netem(None))
    assert without.seeded(1) is None


def test_other_disciplines_are_left_alone() -> None:
    assert not list(link_seeds.read(netem(5).replace(b"netem", b"fifos")))


def test_every_delay_line_has_its_own_seed() -> None:
    ways = [(s, link, way, h) for s in (1, 2) for link in "ab" for way in (0, 1)
            for h in (0x10000, 0x20000)]  # fmt: skip
    assert len({link_seeds.of_link(*way) for way in ways}) == len(ways)
