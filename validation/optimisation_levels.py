"""Do a guest's results depend on how the compiler optimised its kernel?

    python -m validation.optimisation_levels [--folder DIR] [LEVEL...]

The guest's kernel is built at -O2, as it always is, and again at each LEVEL (O3 if
none is given). Each build takes minutes. The kernel that is guided by a profile is
compared too, if the cache has it. The same runs are executed in all of them: MPTCP over
paths with random loss and jitter, over paths without, on the fabric, and web requests.
Every artefact must be the same, byte for byte.

The kernels that are compared lie in a folder of their own below the user's cache, which
is removed in the end, or in DIR, where another comparison finds them again. DIR must be
on the disk of the cache.

The exit status is 1 if a kernel leaves other bytes.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from jobs import dump
from jobs import load as load_job
from mpbench import kernel
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import loads
from mpbench.kernel import Kernel, cache, recipe
from mpbench.plan import make_plan

LEVELS = ("O3",)
BOUNDS = Bounds(virtual_s=120.0, wall_s=600.0, silence_s=300.0)
HEAD = """\
name: optimisation-levels
topology: two_path
cases:
  mptcp: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
"""
NOISY = """\
parameters:
  {path1.loss: 1 %, path2.loss: 0.2 %, path1.jitter: 1 ms, path2.jitter: 3 ms}
"""
BULK = "traffic: [{tool: iperf3, from: client, to: server, duration: 10 s}]\n"
WEB = """\
parameters: {path1.loss: 0.5 %, path2.jitter: 1 ms}
traffic:
  - {tool: ab, from: client, to: server, size: 300 kB, requests: 20, concurrency: 3}
"""
EXPERIMENTS = {
    "loss and jitter": HEAD + NOISY + BULK,
    "no loss": HEAD + BULK,
    "fabric with loss and jitter": HEAD + "fabric: true\n" + NOISY + BULK,
    "web": HEAD + WEB,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("levels", nargs="*", default=LEVELS, metavar="LEVEL")
    parser.add_argument("--folder", type=Path, help="where to keep the kernels")
    given = parser.parse_args()
    plain, guided = both(kernel.build())
    wanted = left(plain)
    print(f"{'O2':<7} {summary(wanted)}", flush=True)
    status = compare("guided", guided, wanted) if guided else 0
    home = cache.root()
    with tempfile.TemporaryDirectory(prefix="levels-", dir=home) as scratch:
        for level in given.levels:
            with other_cache(home, given.folder or Path(scratch)):
                built = build(level)
            status |= compare(level, built, wanted)
    return status


def both(usual: Kernel) -> tuple[Kernel, Kernel | None]:
    """The plain kernel, and the one that is guided by a profile, if there is one."""
    plain = cache.get(usual.key)
    if plain is None:
        raise SystemExit("the plain kernel is not in the cache: mpbench kernel build")
    return plain, cache.get(usual.key + cache.GUIDED)


def compare(name: str, built: Kernel, wanted: dict[str, str]) -> int:
    """Print how the runs in that kernel compare; 1 if they left other bytes."""
    found = left(built)
    unlike = differing(wanted, found)
    verdict = f"OTHER: {', '.join(unlike)}" if unlike else "same bytes"
    print(f"{name:<7} {summary(found)} {verdict}", flush=True)
    return int(bool(unlike))


@contextmanager
def other_cache(home: Path, folder: Path) -> Iterator[None]:
    """Builds use a cache in that folder, with the Linux of the cache `home`."""
    place = folder.resolve() / "mpbench"
    place.mkdir(parents=True, exist_ok=True)
    if not (place / "sources").exists():
        (place / "sources").symlink_to(home / "sources")
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(place.parent)
    try:
        yield
    finally:
        os.environ.pop("XDG_CACHE_HOME")
        if before is not None:
            os.environ["XDG_CACHE_HOME"] = before


def build(level: str) -> Kernel:
    """The kernel of experiments, compiled with that option of gcc's."""
    name = f"guest-{level}"
    recipe.CONFIGS[name] = replace(recipe.CONFIGS["guest"], flags=(f"-{level}",))
    return kernel.build(name)


def left(built: Kernel) -> dict[str, str]:
    """The hash of each artefact of each experiment in that kernel."""
    backend = VirtualBackend(built=built)
    found = {}
    for name, text in EXPERIMENTS.items():
        (run,) = make_plan(loads(text), {}).runs
        for file, digest in execute(backend, dump(run.job)).items():
            found[f"{name}/{file}"] = digest
    return found


def execute(backend: VirtualBackend, job: dict[str, Any]) -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="mpbench-levels-") as scratch:
        folder = Path(scratch)
        artefacts = folder / "artefacts"
        artefacts.mkdir()
        (folder / "job.json").write_text(json.dumps(job))
        ended = backend.execute(
            load_job(job), folder, None, BOUNDS, lambda _: None, threading.Event()
        )
        if ended.status != "finished":
            raise SystemExit(f"a run: {ended.status}: {ended.reason}")
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(artefacts.iterdir())
        }


def summary(found: dict[str, str]) -> str:
    total = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    return f"{len(found)} artefacts, SHA-256 of all {total[:16]}"


def differing(one: dict[str, str], other: dict[str, str]) -> list[str]:
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


if __name__ == "__main__":
    sys.exit(main())
