"""Does a wheel work where nothing else of mpbench is?

    python -m validation.installed [--wheel FILE] [--out DIR] [USERLAND...]

In roots of Debian 11, of Debian 13, and with nothing but busybox, an ordinary user
installs the wheel and its Python dependencies in a new environment, from a folder and
without a network. The user runs the quickstart and draws its figures. All 18 runs must
be ok, and their artefacts must be the same, byte for byte, in all userlands. There is
no compiler in any of them. The host's kernel and CPU are those of this machine.

Without --wheel, the wheel is built first. The exit status is 1 if a userland fails.
"""

import argparse
import hashlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from packing import __main__ as packing
from packing import pins
from validation.other_hosts import ENTER, give_away, ordinary_user
from validation.userlands import USERLANDS, Userland

PLATFORMS = (
    "manylinux2014",
    *(f"manylinux_2_{minor}" for minor in (17, 24, 26, 27, 28, 31)),
)
"""Tags that pip takes for a machine with glibc 2.31, Debian 11's."""
DEADLINE_S = 900
RUNS = 18
SCRIPT = """\
set -e
export HOME=/home/user TMPDIR=/tmp LC_ALL=C.UTF-8 PATH=/usr/bin:/bin
cd /home/user
if command -v gcc; then exit 1; fi
cut -d' ' -f1 /proc/uptime > began
{python} -m venv --without-pip env
pip=$(echo /wheels/pip-*.whl)
env/bin/python $pip/pip install -q --no-index --find-links /wheels \\
    -c /wheels/constraints.txt mpbench
cut -d' ' -f1 /proc/uptime > installed
env/bin/mpbench doctor > doctor.txt 2>&1 || true
env/bin/mpbench run quickstart
cut -d' ' -f1 /proc/uptime > ran
env/bin/mpbench report results/quickstart
cut -d' ' -f1 /proc/uptime > drawn
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("userlands", nargs="*", default=list(USERLANDS))
    parser.add_argument("--wheel", type=Path, help="default: a new one")
    parser.add_argument("--out", type=Path, help="where to put the roots")
    arguments = parser.parse_args()
    if not set(arguments.userlands) <= USERLANDS.keys():
        parser.error(f"userlands are {', '.join(USERLANDS)}")
    with tempfile.TemporaryDirectory(prefix="mpbench-installed-") as scratch:
        base = arguments.out or Path(scratch)
        base.mkdir(exist_ok=True)
        base.chmod(0o755)
        wheel = arguments.wheel or packing.wheel(base)
        found: dict[str, str] = {}
        status = 0
        for name in arguments.userlands:
            made = USERLANDS[name](base / name, base)
            fill(made, wheel, base)
            output = use(made)
            verdict = judge(made, found)
            status |= bool(verdict)
            right = f"{RUNS} runs ok; SHA-256 of all artefacts {summary(found)}"
            print(f"{name:<9} {times(made)}; {verdict or right}")
            if verdict:
                print(output)
            sys.stdout.flush()
    return status


def fill(made: Userland, wheel: Path, base: Path) -> None:
    """Add what a user brings: the wheels, and an empty home."""
    folder = base / f"wheels-{made.version}"
    if not folder.exists():
        gather(folder, wheel, made.version)
    shutil.copytree(folder, made.root / "wheels")
    for name in ("proc", "dev", "tmp", "home/user", "m"):
        (made.root / name).mkdir(parents=True, exist_ok=True)
    script = SCRIPT.format(python=made.python)
    (made.root / "m/start.sh").write_text(script)
    give_away(made.root)


def gather(folder: Path, wheel: Path, version: str) -> None:
    """Fill a new folder with wheels for a Python of that version."""
    folder.mkdir(parents=True)
    pip = [sys.executable, "-m", "pip"]
    common = ["-q", "-c", str(pins.FILE)]
    shutil.copy(wheel, folder)
    shutil.copy(pins.FILE, folder)
    platforms = [f"--platform={name}_x86_64" for name in PLATFORMS]
    words = ["download", *common, "--only-binary=:all:", "-d", str(folder)]
    words += [*platforms, f"--python-version={version}", f"--find-links={folder}"]
    subprocess.run([*pip, *words, str(wheel), "pip"], check=True)


def use(made: Userland) -> str:
    """Install, run and draw, as an ordinary user. Returns what was said."""
    began_s, used_s = time.monotonic(), _cpu_s()
    done = subprocess.run(
        ["unshare", "-Urmpf", "sh", "-c", ENTER, "sh", str(made.root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DEADLINE_S,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        **ordinary_user(),
    )
    took_s = time.monotonic() - began_s
    (made.root / "home/user/cpu").write_text(f"{_cpu_s() - used_s:.0f}")
    return f"{done.stdout}exit status {done.returncode} after {took_s:.0f} s"


def judge(made: Userland, others: dict[str, str]) -> str:
    """Faults of the results; empty if there are none.

    others : the hash of each artefact in the userlands so far; this one's are added
    """
    results = made.root / "home/user/results/quickstart"
    rows = [json.loads(file.read_text()) for file in results.glob("runs/*/row.json")]
    ok = sum(1 for each in rows if each["verdict"] == "ok")
    if ok != RUNS:
        return f"{ok} of {RUNS} runs ok"
    if not (results / "report/goodput.png").read_bytes().startswith(b"\x89PNG"):
        return "no figure"
    here = {
        path.relative_to(results).as_posix(): _digest(path)
        for path in results.glob("runs/*/artefacts/*")
    }
    other = [name for name in {*here, *others} if here.get(name) != others.get(name)]
    if others and other:
        return f"other bytes than before: {', '.join(sorted(other)[:5])}"
    others.update(here)
    return ""


def times(made: Userland) -> str:
    """Wall seconds of each step, and the CPU seconds of all."""
    home = made.root / "home/user"
    marks = []
    for name in ("began", "installed", "ran", "drawn"):
        if (home / name).exists():
            marks.append(float((home / name).read_text()))
    steps = zip(("install", "runs", "figures"), marks, marks[1:], strict=False)
    said = [f"{name} {after - before:.0f} s" for name, before, after in steps]
    return ", ".join((*said, f"CPU {(home / 'cpu').read_text()} s"))


def _cpu_s() -> float:
    """The CPU seconds of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def summary(found: Mapping[str, str]) -> str:
    """One hash of all artefacts."""
    text = json.dumps(found, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
