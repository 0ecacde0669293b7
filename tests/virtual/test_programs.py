"""Compiled programs of users in guests: where they lie, and what they may do there."""

import csv
import shutil
import subprocess
from collections.abc import Sequence
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


DATAGRAMS = """\
name: datagrams
plugins: {programs: {own: own}}
topology: two_path
cases:
CASES
traffic:
  - {tool: iperf3, from: client, to: server, duration: 3 s}
metrics: [goodput]
"""


def datagrams(
    folder: Path, command: Command, controls: Sequence[str], *options: str
) -> dict[str, dict[str, str]]:
    """The rows of runs by the endpoint of datagrams, by its --control."""
    source = Path(__file__).parents[1] / "plugins/datagrams.c"
    argv = ["gcc", "-O2", "-static", "-o", "own", str(source)]
    subprocess.run(argv, cwd=folder, check=True)
    cases = [
        f"  c{name}: {{protocol: mpquic, program: own, congestion_control: '{name}'}}\n"
        for name in controls
    ]
    file, out = folder / "datagrams.yaml", folder / "out"
    file.write_text(DATAGRAMS.replace("CASES\n", "".join(cases)))
    command("run", file, "--out", out, *options)
    with (out / "runs.csv").open() as table:
        return {row["case"][1:]: row for row in csv.DictReader(table)}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_an_endpoint_of_datagrams(tmp_path: Path, command: Command) -> None:
    """Both paths of 10 Mbit/s are full, and the same run gives the same bytes."""
    (row,) = datagrams(tmp_path, command, ["40"]).values()
    assert row["verdict"] == "ok", row["reason"]
    assert 18 < float(row["goodput_mbps"]) < 20 * 1400 / 1442
    done = command("verify", tmp_path / "out")
    assert done.status == 0, done.out + done.err


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_endpoints_with_faults(tmp_path: Path, command: Command) -> None:
    """Each fault ends its run, with one line that says which."""
    reasons = {
        "nothing": "ended at once",
        "silent": "no line of its output has 'ready'",
        "flood": "16 MiB",
        "liar": "conservation: ",
    }
    rows = datagrams(tmp_path, command, list(reasons))
    for name, reason in reasons.items():
        assert rows[name]["verdict"] in ("failed", "invalid")
        assert reason in rows[name]["reason"], (name, rows[name]["reason"])
        assert "\n" not in rows[name]["reason"]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_an_endpoint_that_spins_is_ended(tmp_path: Path, command: Command) -> None:
    """One reads the clock all the time, which advances it a little, and is named. The
    other keeps virtual time where it is."""
    limits = ("--silence-limit", "4")
    rows = datagrams(tmp_path, command, ["spin", "busy"], *limits)
    assert "traffic-0-client did not end" in rows["spin"]["reason"]
    named = "; traffic-0-client on client (`/run/programs/own client --connect 10."
    assert named in rows["busy"]["reason"]
    assert ") computes all the time" in rows["busy"]["reason"]
