"""The core of the capture analyser: built with a mutant in a folder of its own, and
tested by a process that has everything else loaded already."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.capture import library
from tests.mutants.mutant import Mutant, became, bounded
from tests.mutants.targets import ROOT, Target

FLAGS = ("-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-std=gnu11", "-w")
FAILED = 1
"""The exit status of pytest if a test fails."""


class Core:
    """A copy of the sources, and the objects of those that no mutant changes.

    It compiles, and runs tests in a child of this process. A mutant whose object is the
    original's, byte for byte, is equal.
    """

    def __init__(self, target: Target, folder: Path) -> None:
        self.target, self.folder = target, folder
        self.objects = {}
        core = target.files()[0].parent
        sources = sorted(core.glob("*.c"))
        for path in (*sources, *core.glob("*.h")):
            shutil.copy(path, folder / path.name)
        for path in sources:
            self.objects[path.name] = folder / f"{path.stem}.o"
            if not self._compile(folder / path.name, self.objects[path.name]):
                raise RuntimeError(f"{path} does not compile")

    def elsewhere(self, folder: Path) -> "Core":
        return Core(self.target, folder)

    def _compile(self, source: Path, target: Path) -> bool:
        argv = ["gcc", *FLAGS, "-c", source.name, "-o", target.name]
        return not subprocess.run(argv, cwd=self.folder, capture_output=True).returncode

    def attempt(self, mutant: Mutant | None) -> str:
        """found, survived, equal, or invalid if it does not compile."""
        objects = dict(self.objects)
        if mutant:
            name = Path(mutant.file).name
            original = (self.folder / name).read_text(encoding="utf-8")
            changed = self.folder / "mutant.c"
            changed.write_text(mutant.of(original), encoding="utf-8")
            objects[name] = self.folder / "mutant.o"
            if not self._compile(changed, objects[name]):
                return "invalid"
            if objects[name].read_bytes() == self.objects[name].read_bytes():
                return "equal"
        names = [path.name for path in objects.values()]
        built = self.folder / "mutant.so"
        built.unlink(missing_ok=True)
        argv = ["gcc", "-shared", *names, "-o", built.name]
        subprocess.run(argv, cwd=self.folder, check=True)
        return self._test(built)

    def _test(self, built: Path) -> str:
        child = os.fork()
        if not child:
            os._exit(self._in_child(built))
        return became(child, self.target.cpu_s)

    def _in_child(self, built: Path) -> int:
        bounded(self.target.cpu_s)
        output = os.open(
            self.folder / "pytest.log", os.O_CREAT | os.O_TRUNC | os.O_WRONLY
        )
        os.dup2(output, sys.stdout.fileno())
        os.dup2(output, sys.stderr.fileno())
        library._file = lambda: built
        library.load.cache_clear()
        library.row_type.cache_clear()
        argv = ["-x", "-q", "-p", "no:cacheprovider", "--no-header"]
        argv += [f"--basetemp={self.folder / 'tests'}", f"--rootdir={ROOT}"]
        argv += [f"--deselect={each}" for each in self.target.without]
        try:
            return int(
                pytest.main([*argv, *(str(ROOT / t) for t in self.target.tests)])
            )
        except BaseException:  # whatever a mutant does, it does not come back
            return FAILED


def warm_up(target: Target) -> None:
    """Import what the tests import, once for all mutants."""
    argv = ["-q", "--collect-only", "-p", "no:cacheprovider"]
    with Path(os.devnull).open("w") as nowhere:
        saved = os.dup(sys.stdout.fileno())
        sys.stdout.flush()
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
        pytest.main([*argv, *(str(ROOT / t) for t in target.tests)])
        sys.stdout.flush()
        os.dup2(saved, sys.stdout.fileno())
        os.close(saved)
