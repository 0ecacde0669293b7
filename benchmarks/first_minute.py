"""CPU time of the commands that a user gives in the first minute.

    python -m benchmarks.first_minute [--repeat 5]

plans the quickstart, executes it on the fake backend, runs it again with nothing to do,
and makes its report. Prints the least user and system time of each command in seconds,
and the number of modules that it loads. Byte code is written by a first call that does
not count.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUICKSTART = ROOT / "experiments/quickstart.yaml"
COUNTED = """\
import sys
from mpbench.cli import main
sys.argv[0] = "mpbench"
try:
    main()
except SystemExit as ended:
    status = ended.code
print(len(sys.modules), file=sys.stderr)
sys.exit(status)
"""
UNLIKE_USERS = ("PYTHONDONTWRITEBYTECODE", "PYTHONPROFILEIMPORTTIME")
"""Variables with which Python compiles or prints at each start."""


def cpu_s(words: Sequence[str]) -> tuple[float, int]:
    """CPU time of a command in a process of its own, and the modules that it loads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {k: v for k, v in os.environ.items() if k not in UNLIKE_USERS}
    done = subprocess.run(
        [sys.executable, "-c", COUNTED, *words],
        capture_output=True,
        text=True,
        env=environment,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stderr.strip()}")
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used, int(done.stderr.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "out")
        run = ["run", str(QUICKSTART), "--backend", "fake", "--out", out]
        commands = {
            "plan": ["plan", str(QUICKSTART)],
            "run, nothing to do": run,
            "report": ["report", out],
            "report, no figures": ["report", out, "--format", "html"],
        }
        cpu_s(run)
        print("| command | CPU time [s] | modules |")
        print("|---|---:|---:|")
        for name, words in commands.items():
            cpu_s(words)
            measured = [cpu_s(words) for _ in range(repeat)]
            least = min(used for used, _ in measured)
            print(f"| {name} | {least:.2f} | {measured[0][1]} |")


if __name__ == "__main__":
    main()
