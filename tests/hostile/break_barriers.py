"""Breaks each protection of `breakings` by itself, and tells which breakings no test
notices.

    python -m tests.hostile.break_barriers [--only WORD] [--jobs 2]

The checkout stays as it is: each breaking works in a copy. The launcher is built again
for it. A change that does not apply or does not compile ends the command. Exit status:
0 if the tests notice every breaking, 1 if not.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mpbench.kernel import launcher
from tests.hostile.breakings import BREAKINGS, Breaking

ROOT = Path(__file__).parents[2]
COPIED = (
    "analysis",
    "jobs",
    "kernel",
    "mpbench",
    "tests",
    "tools",
    "topologies",
    "wsp",
)
TESTS_FAILED = 1
TEST_S = 300.0


def copy(folder: Path) -> None:
    """Copy the parts of the checkout that the tests need."""
    for name in COPIED:
        skipped = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    for name in ("pyproject.toml", "experiments"):
        (folder / name).symlink_to(ROOT / name)


def apply(breaking: Breaking, folder: Path) -> None:
    """Change the source in `folder`. Raises ValueError."""
    path = folder / breaking.file
    text = path.read_text()
    if text.count(breaking.old) != 1:
        raise ValueError(
            f"{breaking.name}: its text stands {text.count(breaking.old)} times in "
            f"{breaking.file}"
        )
    path.write_text(text.replace(breaking.old, breaking.new))
    if path.suffix == ".c":
        argv = ["gcc", *launcher.FLAGS, "-o", str(folder / "launcher")]
        sources = sorted(map(str, path.parent.glob("*.c")))
        done = subprocess.run([*argv, *sources], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"{breaking.name}: {done.stderr.splitlines()[1]}")
    else:
        compile(path.read_text(), str(path), "exec")


def tested(words: tuple[str, ...], folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run tests of the copy in `folder`."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    argv = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*argv, *words], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=TEST_S,
    )  # fmt: skip


def outcome(breaking: Breaking | None, words: tuple[str, ...]) -> tuple[bool, str]:
    """Whether the tests fail with this breaking, or with none, and what they said.

    Raises ValueError if they could not be run.
    """
    with tempfile.TemporaryDirectory(prefix="mpbench-breaking-") as name:
        folder = Path(name)
        copy(folder)
        if breaking:
            apply(breaking, folder)
        done = tested(words, folder)
        if done.returncode not in (0, TESTS_FAILED):
            raise ValueError(f"pytest {' '.join(words)}: {done.stdout[-500:]}")
        return done.returncode == TESTS_FAILED, done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="part of a protection's name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at a time")
    options = parser.parse_args()
    chosen = [each for each in BREAKINGS if options.only in each.name]
    with ThreadPoolExecutor(options.jobs) as pool:
        files = tuple(sorted({each.tests for each in chosen}))
        for words, (failed, said) in zip(
            files, pool.map(lambda words: outcome(None, words), files), strict=True
        ):
            if failed or " passed" not in said:
                print(f"without any breaking: pytest {' '.join(words)}: {said[-800:]}")
                return 2
        unnoticed = 0
        ended = pool.map(lambda each: outcome(each, each.tests), chosen)
        for each, (noticed, _) in zip(chosen, ended, strict=True):
            unnoticed += not noticed and not each.unseen
            word = "noticed" if noticed else "NOT NOTICED"
            reason = f" ({each.unseen})" if each.unseen and not noticed else ""
            print(f"{word:12} {each.name}{reason}", flush=True)
    print(f"{len(chosen)} protections broken, {unnoticed} not noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
