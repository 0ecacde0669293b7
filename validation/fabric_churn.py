"""Make, use and remove networks on the fabric, in a kernel that checks itself.

    python -m validation.fabric_churn [--config debug] [--rounds 20] [--kernel FOLDER]

Each round makes a network of four hosts with loss, jitter, RED and capacities that
change. MPTCP, TCP and UDP flow between all of them. Then hosts, devices or the whole
network go while packets are under way (`tests/virtual/fabric_churn.py`). The check
passes if data arrived in every round, if no link and no namespace is left, and if the
kernel's log has no new line.

`--config debug` uses the kernel of `mpbench kernel build --config debug`: lockdep,
KASAN, UBSAN and debug objects. `--config selftests` has the same checks. `--kernel`
takes a kernel of the cache by its folder, whatever it was built of.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from mpbench import kernel
from mpbench.backends import boot, roots
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend
from mpbench.errors import UserError
from mpbench.kernel import cache
from tests.virtual.lab import REPOSITORY, Lab, guest_call, make_job

MODULE = "tests.virtual.fabric_churn"
MEMORY_MIB = 1536
"""KASAN needs an eighth of the memory more, and more for each object."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--config", default="guest", choices=("guest", "debug", "selftests")
    )
    parser.add_argument("--kernel", type=Path, help="the folder of a kernel")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    given = options.kernel
    try:
        built = cache.read(given) if given else kernel.find(options.config)
    except UserError as error:
        parser.error(str(error))
    if built is None:
        parser.error(f"--kernel {given}: no kernel there")
    if built.info["config"] != "guest":
        # These kernels need the host's C library, which the root image does not have.
        os.environ[roots.VARIABLE] = roots.HOST
    call = guest_call(MODULE, [str(options.rounds)])
    machine = boot.Machine(memory_mib=MEMORY_MIB)
    with tempfile.TemporaryDirectory(prefix="mpbench-fabric-") as scratch:
        backend = VirtualBackend(machine, call, reads=(REPOSITORY,), built=built)
        lab = Lab(Path(scratch), backend)
        bounds = Bounds(options.rounds * 2 + 400.0, 3600.0, 1800.0)
        began = time.monotonic()
        ended, artefacts = lab.execute(make_job(Path(scratch)), bounds)
        wall_s = time.monotonic() - began
        if ended.status != "finished":
            print(f"{ended.status}: {ended.reason}")
            print((artefacts / "console.log").read_text(errors="replace")[-6000:])
            return 1
        found = json.loads((artefacts / "fabric_churn.json").read_text())
    least, left = min(found["bytes"]), found["links"] + found["namespaces"]
    print(
        f"kernel {built.key} ({built.info['config']}): {options.rounds} rounds,"
        f" {sum(found['bytes'])} bytes, at least {least} per round; {left} links and"
        f" namespaces left, {len(found['log'])} lines in the log, {wall_s:.0f} s"
    )
    print("\n".join(found["log"][:60]))
    return int(not least or bool(left or found["log"]))


if __name__ == "__main__":
    raise SystemExit(main())
