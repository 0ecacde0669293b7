"""Start and end many connections and subflows under each controller.

    python -m validation.controller_churn [--config debug] [--seconds 120]
        [--connections 50] [--only NAME] [--mixed] [--scheduler NAME] [--separate]
        [--seed 1] [--seeds 1]

Fifty connections at a time use two lossy paths. Every 0.7 s the script removes or adds
the second address. Each connection gets another scheduler and another number of
subflows over the first address. Some connections are reset. Some choose their
controller again, which is another coupled one with `--mixed`. The check passes if no
slot and no connection is left afterwards and the kernel's log is empty. `--separate`
gives every scheduler a run of its own. `--config debug` uses the kernel of
`mpbench kernel build --config debug`: lockdep, KASAN, UBSAN, RCU's checks and debug
objects. `--config selftests` has the same checks, IPv6 and netfilter.
"""

import argparse
import itertools
import json
import tempfile
import time
from pathlib import Path

from mpbench import kernel
from mpbench.backends import boot
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend
from tests.virtual.churn import SCHEDULERS
from tests.virtual.lab import REPOSITORY, Lab, make_job
from tests.virtual.test_churn import CHURN, COUPLED, PARAMETERS


class Chosen(VirtualBackend):
    """Boots the kernel of a given configuration."""

    def __init__(self, config: str) -> None:
        memory = 512 if config == "guest" else 1536
        machine = boot.Machine(memory_mib=memory)
        super().__init__(machine, CHURN, reads=(REPOSITORY,))
        self._kernel = kernel.find(config)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--config", default="guest", choices=("guest", "debug", "selftests")
    )
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--only", action="append", help="this controller; repeatable")
    parser.add_argument("--mixed", action="store_true", help="all of them in one run")
    parser.add_argument(
        "--scheduler", action="append", help="this scheduler; repeatable"
    )
    parser.add_argument(
        "--separate", action="store_true", help="a run for each scheduler"
    )
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--seeds", type=int, default=1, help="how many, in a row")
    options = parser.parse_args()
    names = options.only or list(COUPLED)
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        lab = Lab(Path(scratch), Chosen(options.config))
        groups = [names] if options.mixed else [[name] for name in names]
        schedulers = options.scheduler or list(SCHEDULERS)
        parts = [[name] for name in schedulers] if options.separate else [schedulers]
        seeds = range(options.seed, options.seed + options.seeds)
        for chosen, part, seed in itertools.product(groups, parts, seeds):
            job = make_job(Path(scratch), parameters=PARAMETERS, seed=seed)
            job["churn"] = {
                "controllers": chosen,
                "connections": options.connections,
                "schedulers": part,
                "seconds": options.seconds,
            }
            began = time.monotonic()
            bounds = Bounds(options.seconds + 400, 3600.0, 600.0)
            ended, artefacts = lab.execute(job, bounds)
            label = f"{'+'.join(chosen)} under {'+'.join(part)}, seed {seed}"
            if ended.status != "finished":
                print(f"{label}: {ended.status}: {ended.reason}", flush=True)
                console = (artefacts / "console.log").read_text(errors="replace")
                print(console[-4000:])
                bad += 1
                continue
            seen = json.loads((artefacts / "churn.json").read_text())
            log, sockets = seen.pop("log"), seen.pop("left")
            left = seen["connections"] + seen["subflows"] + seen["refused"]
            bad += bool(log or left)
            wall_s = time.monotonic() - began
            print(f"{label}: {seen}, {len(log)} lines in the log, {wall_s:.0f} s")
            print("\n".join([*log[:60], sockets]).strip(), flush=True)
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
