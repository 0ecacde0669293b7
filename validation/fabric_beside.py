"""Set the fabric beside the network of namespaces, on the same networks and seeds.

    python -m validation.fabric_beside [--seeds 5] [--first 1] [--only NAME...]
        [--kept FILE] [--causes]

`two_path` runs at three capacities with one MPTCP; `two_links` with an MPTCP user over
both links and a TCP user on each; `triangle` with three MPTCP users. Every run is
executed on both engines, with the same seeds. For each network the table has the mean
goodput of all users over the seeds, the share of it that each user or path has, and
the round-trip times of idle paths.

Registered on 2026-11-23, before the first run of this script: the engines agree on a
network if

- the mean goodput differs by at most 0.3 %;
- no path's round trip differs by more than 0.1 ms, for a datagram of 46 bytes;
- the mean of each share on the fabric lies between the least and the greatest value
  that the seeds give in namespaces.

Changed on the same day, after the first two rows: every link jitters by the time of
one packet. Without jitter, all seeds of `two_path` give the same run, and there is no
spread to compare with.

Added on 2026-11-24, when the results of the seeds 1 to 36 were known: the standard
error of the difference of the goodput stands beside it, because the seeds of `triangle`
differ by more than 0.3 %. `--first` takes other seeds.

Added on 2026-11-25, before these runs: `two_path` at 50 Mbit/s is judged over the seeds
6 to 50, because one of the first five decided its row, and at 100 Mbit/s over the seeds
1 to 30, which were not executed before. Their standard error was 0.75 %, so it is
judged again over the seeds 31 to 430 alone, registered on the same day before these
runs. If they cannot all be executed, the seeds from 31 on without a gap count.

`--causes` shows what the token bucket does, at `two_path` with 10 Mbit/s and without
jitter, where one seed is enough: with buckets of one, two and four packets on both
engines, and with none on the fabric. It prints goodput over all 20 s, and from 5 s on.

`--kept` names a file that gets a line for each run, so that no run is executed twice.

The exit status is 1 if the engines do not agree somewhere.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from math import hypot, nan
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from analysis.run.row import row
from jobs import dump
from mpbench.backends.base import Bounds
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.spec import builtin
from tests.virtual.lab import Lab, lab_with, script
from topologies.shaping import packet_time_ms

GOODPUT_SHARE, ROUND_TRIP_MS = 0.003, 0.1
SECONDS, STEADY_S = 20.0, 5.0
BOUNDS = Bounds(virtual_s=300.0, wall_s=3600.0, silence_s=1800.0)
"""Ample, because runs beside other work are slow."""
PROBE = script("import sys; from tests.virtual.probe import main; sys.exit(main())")
MPTCP = "{protocol: mptcp, congestion_control: lia, scheduler: lowrtt}"
TCP = "{protocol: tcp, congestion_control: reno}"
SPEC = """\
name: beside
topology: {topology}
fabric: {fabric}
seed: {seed}
parameters: {{{parameters}}}
cases: {{only: {transport}}}
phases: {{steady: {steady:g} s..{seconds:g} s}}
traffic:
{traffic}
"""


@dataclass(frozen=True)
class Network:
    """A network with its traffic.

    own : the transport of users that are not MPTCP
    shares : columns of a row that add up to a whole
    """

    name: str
    topology: str
    parameters: Mapping[str, str]
    seconds: float = SECONDS
    own: Mapping[str, str] = field(default_factory=dict)

    def text(self, fabric: bool, seed: int, **more: str) -> str:
        """The experiment file. more : further parameters of the topology"""
        listed = {**self.parameters, **more}
        users = builtin.describe(self.topology).users
        lines = [
            f"  - {{tool: iperf3, name: {u.host}, from: {u.host}, to: {u.server},"
            f" duration: {self.seconds:g} s{self._transport(u.host)}}}"
            for u in users
        ]
        return SPEC.format(
            topology=self.topology,
            fabric=str(fabric).lower(),
            seed=seed,
            parameters=", ".join(f"{key}: {value}" for key, value in listed.items()),
            transport=MPTCP,
            steady=STEADY_S,
            seconds=self.seconds,
            traffic="\n".join(lines),
        )

    def _transport(self, host: str) -> str:
        return f", transport: {self.own[host]}" if host in self.own else ""


def two_path(mbps: int) -> Network:
    """Two equal paths of 10 ms, whose queues hold 20 ms."""
    paths = {
        f"path{path}.{key}": value
        for path in (1, 2)
        for key, value in (
            ("capacity", f"{mbps} Mbit/s"),
            ("queueing_delay", "20 ms"),
            ("jitter", f"{packet_time_ms(mbps):g} ms"),
        )
    }
    return Network(f"two_path, {mbps} Mbit/s", "two_path", paths)


NETWORKS = (
    two_path(10),
    two_path(50),
    two_path(100),
    Network("two_links", "two_links", {}, 60.0, {"single1": TCP, "single2": TCP}),
    Network("triangle", "triangle", {}, 60.0),
)


@dataclass(frozen=True)
class Measured:
    """One engine's runs of a network.

    goodput_mbps : of all users, by seed
    shares : by user or path, by seed
    trips_ms : round-trip times of idle paths
    """

    goodput_mbps: list[float]
    shares: dict[str, list[float]]
    trips_ms: dict[str, float]


def job(text: str) -> dict[str, Any]:
    (run,) = make_plan(loads(text), {}).runs
    return dump(run.job)


def executed(lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
    """The row of a run."""
    ended, artefacts = lab.execute(asked, BOUNDS, None)
    if ended.status != "finished":
        raise SystemExit(f"{ended.status}: {ended.reason}")
    return row(artefacts.parent)


@dataclass(frozen=True)
class One:
    """One run: the goodput of all users, and the share of each user or path."""

    goodput_mbps: float
    shares: dict[str, float]


class Kept:
    """Runs that are done, as lines of a file. file : None keeps nothing"""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        lines = file.read_text().splitlines() if file and file.exists() else []
        read = map(json.loads, lines)
        self.runs = {tuple(each["run"]): One(**each["found"]) for each in read}

    def add(self, run: tuple[str, bool, int], found: One) -> None:
        if self.file:
            with self.file.open("a") as lines:
                lines.write(json.dumps({"run": run, "found": asdict(found)}) + "\n")


def measure(
    folder: Path, network: Network, fabric: bool, seeds: Sequence[int], kept: Kept
) -> Measured:
    runs = []
    for seed in seeds:
        run = (network.name, fabric, seed)
        if run in kept.runs:
            runs.append(kept.runs[run])
            continue
        runs.append(one(folder / str(seed), network, fabric, seed))
        kept.add(run, runs[-1])
    shares = {name: [run.shares[name] for run in runs] for name in runs[0].shares}
    totals = [run.goodput_mbps for run in runs]
    return Measured(totals, shares, round_trips(folder / "probe", network, fabric))


def one(folder: Path, network: Network, fabric: bool, seed: int) -> One:
    """Execute a run."""
    found = executed(Lab(folder), job(network.text(fabric, seed)))
    if found["verdict"] != "ok":
        raise SystemExit(f"{network.name}: {found['reason']}")
    users = [user.host for user in builtin.describe(network.topology).users]
    return One(_total(found, users), dict(_shares(found, users)))


def _total(found: Mapping[str, Any], users: Sequence[str]) -> float:
    if len(users) == 1:
        return float(found["goodput_mbps"])
    return float(sum(found[f"{user}.goodput_mbps"] for user in users))


def _shares(
    found: Mapping[str, Any], users: Sequence[str]
) -> Iterator[tuple[str, float]]:
    if len(users) == 1:
        yield "path1", float(found["path1.share"])
        return
    total = _total(found, users)
    for user in users:
        yield user, found[f"{user}.goodput_mbps"] / total


def round_trips(folder: Path, network: Network, fabric: bool) -> dict[str, float]:
    still = {
        f"{link}.jitter": "0 ms" for link in builtin.describe(network.topology).links
    }
    asked = job(network.text(fabric, 1, **still))
    ended, artefacts = lab_with(folder, PROBE).execute({**asked, "burst": 2}, BOUNDS)
    if ended.status != "finished":
        raise SystemExit(f"{ended.status}: {ended.reason}")
    found = json.loads((artefacts / "probe.json").read_text())
    return {path: each["rtt_ms"] for path, each in found.items()}


def beside(network: Network, there: Measured, here: Measured) -> tuple[str, bool]:
    """A row of the table, and whether the engines agree.

    there, here : in namespaces and on the fabric
    """
    one, two = mean(there.goodput_mbps), mean(here.goodput_mbps)
    trip_ms = max(
        (here.trips_ms[path] - there.trips_ms[path] for path in there.trips_ms), key=abs
    )
    words, within = [], True
    for name, values in there.shares.items():
        got = mean(here.shares[name])
        fits = min(values) <= got <= max(values)
        within = within and fits
        words.append(
            f"{name} {mean(values):.4f} [{min(values):.4f}, {max(values):.4f}],"
            f" {got:.4f}{'' if fits else ' (outside)'}"
        )
    error = hypot(*(_standard_error(each.goodput_mbps) for each in (there, here)))
    agree = abs(two / one - 1) <= GOODPUT_SHARE
    agree = agree and abs(trip_ms) <= ROUND_TRIP_MS and within
    cells = (
        network.name,
        f"{one:.3f}",
        f"{two:.3f}",
        f"{100 * (two / one - 1):+.2f} % (standard error {100 * error / one:.2f} %)",
        f"{trip_ms:+.3f} ms",
        "; ".join(words),
        "yes" if agree else "no",
    )
    return f"| {' | '.join(cells)} |", agree


def _standard_error(values: Sequence[float]) -> float:
    """That of the mean of independent values; nan for a single one."""
    return stdev(values) / len(values) ** 0.5 if len(values) > 1 else nan


def cause(folder: Path, fabric: bool, packets: int) -> str:
    """A row of goodput, at `two_path` with 10 Mbit/s without jitter.

    packets : full packets that a token bucket holds; 0 for none, on the fabric only
    """
    still = {f"path{path}.jitter": "0 ms" for path in (1, 2)}
    parameters = {**two_path(10).parameters, **still}
    text = Network("", "two_path", parameters).text(fabric, 1)
    if fabric:
        text = text.replace("fabric: true", f"fabric: {{burst: {packets}}}")
    else:
        own = f"{{bucket: {packets}}}"
        text += f"links: {{path1: {own}, path2: {own}}}\n"
    found = executed(Lab(folder), job(text))
    whole, steady = found["goodput_mbps"], found["steady.goodput_mbps"]
    name = "fabric" if fabric else "namespaces"
    return f"| {name}, buckets of {packets} | {whole:.3f} | {steady:.3f} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--only", nargs="*", help="parts of the names of networks")
    parser.add_argument("--kept", type=Path, help="the file of runs that are done")
    parser.add_argument("--causes", action="store_true")
    options = parser.parse_args()
    status, seeds = 0, range(options.first, options.first + options.seeds)
    kept = Kept(options.kept)
    with tempfile.TemporaryDirectory(prefix="mpbench-beside-") as scratch:
        folder = Path(scratch)
        if options.causes:
            print(
                "| two_path, 10 Mbit/s | goodput, Mbit/s | from 5 s on |\n|---|---|---|"
            )
            for fabric, packets in product((False, True), (0, 1, 2, 4)):
                if fabric or packets:
                    print(cause(folder / f"{fabric}-{packets}", fabric, packets))
            return 0
        print(
            "| network | namespaces | fabric | goodput | round trip |"
            " shares: namespaces [least, greatest], fabric | agree |\n"
            "|---|---|---|---|---|---|---|"
        )
        for number, network in enumerate(NETWORKS):
            if options.only and not any(word in network.name for word in options.only):
                continue
            there, here = (
                measure(folder / f"{number}-{fabric}", network, fabric, seeds, kept)
                for fabric in (False, True)
            )
            written, agree = beside(network, there, here)
            print(written, flush=True)
            status |= not agree
    return status


if __name__ == "__main__":
    raise SystemExit(main())
