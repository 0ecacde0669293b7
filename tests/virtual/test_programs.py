"""Compiled programs of users in guests: where they lie, and what they may do there."""

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.calls import Command
from tests.plugins.documented import write

from .lab import Lab  # noqa: F401  (marks these tests as booting guests)

PROBE = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
int main(int words, char **argv)
{
	struct stat about;
	stat(argv[1], &about);
	printf("date=%lld\n", (long long)about.st_mtime);
	printf("writable=%d\n", open(argv[1], O_WRONLY) >= 0);
	FILE *kept = fopen("/run/mpbench/artefacts/left.txt", "w");
	fputs("kept\n", kept);
	return fclose(kept);
}
"""
FILE = r"""
name: probe
plugins: {programs: {probe: probe}, tools: asks.py}
topology: two_path
cases: {reno: {protocol: tcp, congestion_control: reno, path: 1}}
traffic:
  - tool: command
    name: probe
    from: client
    to: server
    duration: 1 s
    client: [probe, /run/programs/probe]
    numbers:
      - {pattern: "date=(?P<date>[0-9]+)", units: {date: s}}
      - {pattern: "writable=(?P<writable>[0-9])", units: {writable: "1"}}
  - {tool: asks, name: asks, from: client, to: server, duration: 1 s, page: page.txt}
"""
TOOL = r"""
KEYS = {"page": "file"}
NUMBERS = {"read": "bytes", "printed": "bytes"}
def processes(entry, address):
    return [{"role": "client", "argv": ["wc", "-c", entry["page"]]}]
def read(folder, entry):
    output = folder / f"traffic-{entry['index']}-client.txt"
    printed = int(output.read_text().split()[0])
    return {"read": len(open(entry["page"]).read()), "printed": printed}
"""
BOOTED_S = 1_767_225_600


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_a_program_in_a_guest(tmp_path: Path, command: Command) -> None:
    (tmp_path / "probe.c").write_text(PROBE)
    argv = ["gcc", "-static", "-o", "probe", "probe.c"]
    subprocess.run(argv, cwd=tmp_path, check=True)
    (tmp_path / "asks.py").write_text(TOOL)
    (tmp_path / "page.txt").write_text("12345")
    file, out = tmp_path / "probe.yaml", tmp_path / "out"
    file.write_text(FILE)
    done = command("run", file, "--out", out)
    assert done.status == 0, done.out + done.err
    with (out / "runs.csv").open() as table:
        (row,) = csv.DictReader(table)
    assert 0 <= float(row["probe.command.date_s"]) - BOOTED_S < 60
    assert float(row["probe.command.writable"]) == 0
    sizes = [float(row[f"asks.asks.{name}_bytes"]) for name in ("read", "printed")]
    assert sizes == [5, 5]
    (left,) = (out / "runs").glob("*/artefacts/left.txt")
    assert left.read_text() == "kept\n"
    done = command("verify", out)
    assert done.status == 0, done.out + done.err


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_documented_program(tmp_path: Path, command: Command) -> None:
    """The goodput that it reports is that of iperf3 on the same paths."""
    file = write(tmp_path).with_name("own-program.yaml")
    argv = ["gcc", "-O2", "-static", "-o", "sender", "sender.c"]
    subprocess.run(argv, cwd=tmp_path, check=True)
    out = tmp_path / "out"
    done = command("run", file, "--out", out)
    assert done.status == 0, done.out + done.err
    with (out / "runs.csv").open() as table:
        (row,) = csv.DictReader(table)
    own, other = (float(row[f"{name}.goodput_mbps"]) for name in ("own", "iperf3"))
    assert own == pytest.approx(other, rel=0.01)
    assert 18 < own < 20 * 1428 / 1514
    done = command("verify", out)
    assert done.status == 0, done.out + done.err


QUIC = """\
name: quic
plugins: {programs: {endpoint: endpoint}}
topology: two_path
cases:
  mpquic: {protocol: mpquic, program: endpoint, congestion_control: cubic}
  quic: {protocol: quic, program: endpoint, congestion_control: cubic, path: 2}
  lazy: {protocol: mpquic, program: endpoint, congestion_control: first}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s}
metrics: [goodput]
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_a_case_with_an_endpoint(tmp_path: Path, command: Command) -> None:
    """Two TCP connections in place of QUIC: twice the goodput of one path of 10 Mbit/s.

    An endpoint that leaves a path unused makes its run invalid.
    """
    source = Path(__file__).parents[1] / "plugins/endpoint.c"
    argv = ["gcc", "-O2", "-static", "-o", "endpoint", str(source)]
    subprocess.run(argv, cwd=tmp_path, check=True)
    file, out = tmp_path / "quic.yaml", tmp_path / "out"
    file.write_text(QUIC)
    done = command("run", file, "--out", out)
    assert done.status == 1, done.out + done.err
    with (out / "runs.csv").open() as table:
        rows = {row["case"]: row for row in csv.DictReader(table)}
    both, one, lazy = (rows[case] for case in ("mpquic", "quic", "lazy"))
    assert (both["verdict"], one["verdict"]) == ("ok", "ok")
    assert 9 < float(one["goodput_mbps"]) < 10 * 1448 / 1514
    single = float(one["goodput_mbps"])
    assert float(both["goodput_mbps"]) == pytest.approx(2 * single, rel=0.02)
    assert float(both["path1.share"]) == pytest.approx(0.5, abs=0.02)
    assert float(one["path1.bytes"]) < 1000 < float(one["path2.bytes"])
    assert lazy["verdict"] == "invalid" and "carried 0 bytes only" in lazy["reason"]
