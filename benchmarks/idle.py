"""Measure what idle connections and small messages cost a guest in CPU time.

    python -m benchmarks.idle [--repetitions 3] [--cpu N]

Measured are: the same network without traffic; an hour in which a connection of MPTCP
over two paths is silent, without and with keepalive probes, and behind a proxy; and a
thousand requests and answers in turn, over MPTCP and TCP. Printed are the least CPU
times, user and system, of all processes of a guest, and what is left of them without
the network. An idle hour is to cost less than a second.
"""

import argparse
import os
from typing import Any

from benchmarks.virtual_lab_speed import execute, job
from mpbench.backends.virtual import VirtualBackend

AIM_S = 1.0
"""The CPU time that an idle hour may take, network included."""
LINKS = "{capacity: 20 Mbit/s, delay: 10 ms}"
NETWORK = f"""\
name: idle
network:
  links: {{lan: {{delay: 1 ms}}, one: {LINKS}, two: {LINKS}}}
  users:
    client: {{paths: [one, two], to: server}}
    laptop: {{paths: [lan], to: client}}
time_limit: 5000 s
"""
MPTCP = "{protocol: mptcp, congestion_control: cubic}"
TCP = "{protocol: tcp, congestion_control: cubic, path: 1}"
NOTHING = 'tool: command, client: ["true"], duration: 1 s, from: client'
HOUR = "tool: pingpong, size: 100 B, number: 2, think: 3600 s"
MANY = "tool: pingpong, size: 50 B, number: 1000, from: client"
KINDS = {
    "the network alone": (MPTCP, NOTHING, False),
    "idle hour": (MPTCP, f"{HOUR}, from: client", True),
    "idle hour, keepalive of 30 s": (
        MPTCP,
        f"{HOUR}, from: client, keepalive: 30 s",
        True,
    ),
    "idle hour behind a proxy": (MPTCP, f"{HOUR}, from: laptop, via: client", True),
    "1000 exchanges, MPTCP": (MPTCP, MANY, False),
    "1000 exchanges, TCP": (TCP, MANY, False),
}
"""By name: the case, the traffic entry, and whether the aim is about it."""


def jobs_by_name() -> dict[str, dict[str, Any]]:
    """The job of each kind of run."""
    return {
        name: job(
            f"{NETWORK}cases: {{only: {case}}}\ntraffic: [{{{entry}, to: server}}]\n"
        )
        for name, (case, entry, _) in KINDS.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    last = max(os.sched_getaffinity(0))
    parser.add_argument("--cpu", type=int, default=last, help="the CPU to pin to")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--markdown", action="store_true", help="a table of ratios")
    options = parser.parse_args()
    backend, alone_s = VirtualBackend(), 0.0
    if options.markdown:
        print("| run | CPU time, over that of the network alone |\n|---|---:|")
    for name, asked in jobs_by_name().items():
        times = range(options.repetitions)
        least_s = min(execute(asked, backend, options.cpu) for _ in times)
        alone_s = alone_s or least_s
        if options.markdown:
            print(f"| {name} | {least_s / alone_s:.1f} |")
            continue
        aim = ""
        if KINDS[name][2]:
            aim = f" (aim {AIM_S:g} s: {'met' if least_s < AIM_S else 'missed'})"
        print(f"{name:<30} {least_s:6.3f} s, {least_s - alone_s:6.3f} s more{aim}")


if __name__ == "__main__":
    main()
