"""Measure the virtual lab's speed: virtual seconds per second of CPU time.

    python -m benchmarks.virtual_lab_speed [--repetitions 5] [--against KERNEL]

Measured are: a run without traffic (boot, network, teardown); 30 s of iperf3 over MPTCP
(lia, lowrtt) through `two_path` at three capacities, on routers and on the fabric;
120 s of scenario A of the OLIA paper with ten users of each type, on both; and a
FatTree of 128 hosts with 8 subflows per connection, of which 1 and 2 virtual seconds
are executed. What 20 s would take is extrapolated from both. Each run is executed as
the engine executes it. The seconds are those of the CPU time, user and system, of all
processes of a guest: other load changes them less than wall time.

With `--against` another kernel (the folder of one in the cache) takes turns with the
present one, run by run. Then the ratio of the lowest times stands beside the median of
the ratios run by run, with the least and the greatest. Where both agree, believe them.

`--markdown` prints a table for docs/speed.md.

`--build` measures `mpbench kernel build` in an empty cache, the download of Linux
included, and nothing else.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jobs import dump
from jobs import load as load_job
from mpbench import kernel
from mpbench.backends.virtual import VirtualBackend
from mpbench.engine.bounds import bounds
from mpbench.experiment_files import loads
from mpbench.kernel import Kernel, cache
from mpbench.plan import make_plan

DURATION_S = 30.0
TREE_S, TREE_AIM_S = 20.0, 300.0
"""The FatTree's virtual seconds, and the CPU seconds that they may take."""
SHORT_S = (1.0, 2.0)
"""The FatTree's virtual seconds that are executed."""
AIMS = {False: {10: 40.0, 50: 20.0, 100: 12.0}, True: {50: 26.0, 100: 14.0}}
"""The aims by fabric or routers and by Mbit/s of each path: virtual s per CPU s."""
EMPTY_AIM_S = 0.13
SCENARIO_S, SCENARIO_AIM_S = 120.0, 2.5
"""Scenario A's virtual seconds, and the CPU seconds that they may take."""
COALESCED = "coalesced"
TREE_WORDS = "FatTree of 128 hosts, 8 subflows per host at 100 Mbit/s"

TWO_PATH = """\
name: speed
topology: two_path
fabric: {fabric}
parameters:
  path1.capacity: {mbps} Mbit/s
  path2.capacity: {mbps} Mbit/s
  path1.queueing_delay: 50 ms
  path2.queueing_delay: 50 ms
cases: {{mptcp: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt}}}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: {seconds:g} s,
     read: {read}}}
"""
NOTHING = """\
traffic:
  - {tool: command, from: client, to: server, client: ["true"], duration: 1 s}
"""
SCENARIO_A = """\
name: scenario-a
fabric: {fabric}
network:
  links:
    server:
      capacity: 10 Mbit/s
      delay: 20 ms
      queue: 300
      discipline: {{name: red, min: 30.28 ms, max: 60.56 ms, probability: 10 %}}
    shared: {{like: server}}
    private: {{delay: 20 ms}}
    internet: {{delay: 20 ms}}
  users:
    type1: {{paths: [private server, shared server], users: 10}}
    type2: {{paths: [shared internet], users: 10}}
cases: {{lia: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt}}}}
traffic:
  - {{tool: iperf3, from: type1, to: server_type1, duration: {seconds:g} s,
     start: {{min: 0 s, max: 1 s}}, read: {read}}}
  - {{tool: iperf3, from: type2, to: server_type2, duration: {seconds:g} s,
     start: {{min: 0 s, max: 1 s}}, read: {read},
     transport: {{protocol: tcp, congestion_control: reno}}}}
"""
"""One of the two networks of `experiments/olia/olia-scenario-a.yaml`."""
TREE = """\
name: tree
topology: fattree-k8
cases:
  eight: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt,
          path_manager: {{name: ndiffports, subflows: 8}}}}
traffic:
  - {{tool: flows, from: hosts, to: permutation, duration: {seconds:g} s,
     start: {{min: 0 s, max: 0.1 s}}}}
"""


@dataclass(frozen=True)
class Case:
    """One kind of run.

    virtual_s : the length of its traffic; None without traffic
    aim : as it is printed
    """

    name: str
    job: dict[str, Any]
    virtual_s: float | None
    aim: str


@dataclass(frozen=True)
class Measured:
    """The CPU times of a kind of run, s: one list per kernel."""

    name: str
    aim: str
    virtual_s: float | None
    cpu_s: list[list[float]]

    @property
    def ratio(self) -> float | None:
        """Virtual seconds per CPU second, of the lowest time of the present kernel."""
        return self.virtual_s / min(self.cpu_s[0]) if self.virtual_s else None


def main() -> None:
    options = arguments()
    if options.build:
        return print(build_time())
    kernels = [kernel.find()]
    if options.against:
        other = cache.read(options.against)
        if other is None:
            sys.exit(f"--against {options.against}: no kernel there")
        kernels.append(other)
    backends = [VirtualBackend(built=each) for each in kernels]
    if not (options.json or options.markdown):
        print(f"load {os.getloadavg()[0]:.1f}; kernel {described(kernels[0])}")
        for other in kernels[1:]:
            print(f"against {described(other)}; ratios: present over other")
    tree, others = [], []
    for case in cases(options.read, options.read_bytes):
        if options.only and not any(word in case.name for word in options.only):
            continue
        measured = measure(case, backends, options)
        tree += [measured] if "FatTree" in case.name else []
        others += [] if measured in tree else [measured]
        if not options.markdown:
            words = json.dumps(asdict(measured)) if options.json else line(measured)
            print(words, flush=True)
    if options.markdown:
        print(markdown(others, tree))
    elif len(tree) == len(SHORT_S):
        print(extrapolated(tree))
    return None


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    last = max(os.sched_getaffinity(0))
    parser.add_argument("--cpu", type=int, default=last, help="the CPU to pin to")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--read", choices=("packet", "coalesced"), default="coalesced")
    parser.add_argument("--read-bytes", type=int, default=16384)
    parser.add_argument("--against", type=Path, help="the folder of another kernel")
    parser.add_argument("--only", nargs="*", help="parts of the names of runs")
    parser.add_argument("--build", action="store_true", help="time a kernel's build")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--markdown", action="store_true", help="a table of ratios")
    return parser.parse_args()


def described(built: Kernel) -> str:
    return built.key + (", guided by a profile" if built.guided else "")


def cases(read: str, read_bytes: int) -> list[Case]:
    """All kinds of runs, in the order in which they are measured."""
    how = read if read == "packet" else f"{{mode: {read}, size: {read_bytes} B}}"
    found = [Case("empty", empty(), None, f"{EMPTY_AIM_S:g} s")]
    for fabric in (False, True):
        for mbps in AIMS[False]:
            name = f"2 x {mbps} Mbit/s" + (", fabric" if fabric else "")
            aim = AIMS[fabric].get(mbps)
            words = f"{aim:g} x" if aim else ""
            found.append(Case(name, two_path(mbps, how, fabric), DURATION_S, words))
    for fabric in (False, True):
        name = "scenario A" + (", fabric" if fabric else "")
        words = f"{SCENARIO_AIM_S:g} s"
        found.append(Case(name, scenario_a(how, fabric), SCENARIO_S, words))
    for seconds in SHORT_S:
        name = f"FatTree k = 8, {seconds:g} s"
        found.append(Case(name, job(TREE.format(seconds=seconds)), seconds, ""))
    return found


def job(text: str) -> dict[str, Any]:
    (run,) = make_plan(loads(text), {}).runs
    return dump(run.job)


def two_path(mbps: int, read: str, fabric: bool = False) -> dict[str, Any]:
    """The job of 30 s over two equal paths of 10 ms with queues of 50 ms.

    read : how the receiver reads, as in an experiment file
    """
    words = {"fabric": str(fabric).lower(), "mbps": mbps, "read": read}
    return job(TWO_PATH.format(seconds=DURATION_S, **words))


def scenario_a(read: str, fabric: bool = False) -> dict[str, Any]:
    """The job of 120 s of scenario A with ten users of each type.

    read : how the receivers read, as in an experiment file
    """
    words = {"fabric": str(fabric).lower(), "read": read}
    return job(SCENARIO_A.format(seconds=SCENARIO_S, **words))


def empty() -> dict[str, Any]:
    """The job of a run whose network is built and taken down. A run has an entry of
    traffic at least, so this one starts a program that ends at once."""
    head = TWO_PATH.format(seconds=DURATION_S, fabric="false", mbps=10, read=COALESCED)
    return job(head.partition("traffic:")[0] + NOTHING)


def measure(
    case: Case, backends: list[VirtualBackend], options: argparse.Namespace
) -> Measured:
    """Repetitions of a run, the kernels in turn; the turn changes every time."""
    cpu_s: list[list[float]] = [[] for _ in backends]
    order = list(range(len(backends)))
    for _ in range(options.repetitions):
        for number in order:
            cpu_s[number].append(execute(case.job, backends[number], options.cpu))
        order.reverse()
    return Measured(case.name, case.aim, case.virtual_s, cpu_s)


def execute(asked: dict[str, Any], backend: VirtualBackend, cpu: int) -> float:
    """CPU seconds of one execution."""
    backend.identity()
    with tempfile.TemporaryDirectory(prefix="mpbench-speed-") as folder:
        directory = Path(folder)
        (directory / "artefacts").mkdir()
        (directory / "job.json").write_text(json.dumps(asked))
        before = children_s()
        ended = backend.execute(
            load_job(asked),
            directory,
            cpu,
            bounds(load_job(asked)),
            lambda _: None,
            threading.Event(),
        )
        took_s = children_s() - before
        if ended.status != "finished":
            console = (directory / "artefacts" / "console.log").read_text()
            raise SystemExit(f"{ended.status}: {ended.reason}\n{console[-2000:]}")
        return took_s


def children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def line(measured: Measured) -> str:
    mine = measured.cpu_s[0]
    ratio = f"{measured.ratio:5.1f} x" if measured.ratio else " " * 7
    words = (
        f"{measured.name:<24} CPU {min(mine):6.3f} s least, "
        f"{statistics.median(mine):6.3f} s median {ratio}"
    )
    if measured.aim:
        words += f" (aim {measured.aim})"
    for other in measured.cpu_s[1:]:
        pairs = [one / two for one, two in zip(mine, other, strict=True)]
        words += (
            f"; other {min(other):.3f} s; ratio of lowest {min(mine) / min(other):.2f},"
            f" of pairs {statistics.median(pairs):.2f}"
            f" [{min(pairs):.2f}..{max(pairs):.2f}]"
        )
    return words


def markdown(runs: list[Measured], tree: list[Measured]) -> str:
    """A table for docs/speed.md: what a virtual second of each kind of run costs, over
    that of the first kind with traffic."""
    per_s = {r.name: 1 / r.ratio for r in runs if r.ratio is not None}
    if len(tree) == len(SHORT_S):
        per_s[TREE_WORDS] = tree_slope(tree)
    first = next(iter(per_s))
    ratios = {name: cost / per_s[first] for name, cost in per_s.items()}
    rows = [
        f"| {name} | {ratio:.{0 if ratio >= 10 else 1}f} |"
        for name, ratio in ratios.items()
    ]
    head = f"| run | CPU time per virtual second, over that of {first} |"
    return "\n".join([head, "|---|---:|", *rows])


def tree_slope(tree: list[Measured]) -> float:
    """CPU seconds per virtual second of the FatTree, without its set-up."""
    short, longer = (min(each.cpu_s[0]) for each in tree)
    return (longer - short) / (SHORT_S[1] - SHORT_S[0])


def extrapolated(tree: list[Measured]) -> str:
    """Estimated time of the FatTree's whole run: a line through its two short ones."""
    short = min(tree[0].cpu_s[0])
    slope = tree_slope(tree)
    whole_s = short + slope * (TREE_S - SHORT_S[0])
    return (
        f"FatTree k = 8, {TREE_S:g} s: {whole_s:.0f} s of CPU time, extrapolated: "
        f"{slope:.1f} s per virtual second (aim {TREE_AIM_S:g} s)"
    )


def build_time() -> str:
    """Wall and CPU time of a build from nothing."""
    with tempfile.TemporaryDirectory(prefix="mpbench-build-") as folder:
        before, began_s = children_s(), time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "mpbench.cli", "kernel", "build"],
            env={**os.environ, "XDG_CACHE_HOME": folder},
            check=True,
        )
        cpu_s, wall_s = children_s() - before, time.monotonic() - began_s
    cpus = len(os.sched_getaffinity(0))
    return f"kernel build: {wall_s:.0f} s on {cpus} CPUs, {cpu_s:.0f} s of CPU time"


if __name__ == "__main__":
    main()
