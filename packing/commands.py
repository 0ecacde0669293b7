"""setuptools' commands `build` and `bdist_wheel`, for wheels. Editable installs use
neither."""

import os
import re
import shutil
from pathlib import Path

from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build

from packing import imports, parts
from packing.parts import ABOUT, BUILT

CORE = "mpbench/analysis/capture"
OLDEST_GLIBC = 17
"""manylinux_2_17 is the oldest that pip's users have."""


class Build(build):
    """Places and renames packages, and adds what `mpbench.carried` describes."""

    def run(self) -> None:
        library = Path(self.build_lib)
        shutil.rmtree(library, ignore_errors=True)
        imports.place(self.distribution)
        super().run()
        imports.rename(library / imports.OWNER)
        for core in (library / CORE).glob("_core.*.so"):
            core.rename(core.with_name("_core.so"))  # any Python can load it
        target = library / "mpbench/_carried"
        parts.files(target / "files")
        if os.environ.get(BUILT):
            shutil.copytree(os.environ[BUILT], target / "built")
        if os.environ.get(ABOUT):
            (target / "about.json").write_text(os.environ[ABOUT])


class Wheel(bdist_wheel):
    """A wheel for every Python 3 on x86-64 with glibc."""

    def get_tag(self) -> tuple[str, str, str]:
        *_, platform = super().get_tag()
        minor = OLDEST_GLIBC
        for core in (Path(self.bdist_dir) / CORE).glob("_core.so"):
            found = re.findall(rb"GLIBC_2\.(\d+)", core.read_bytes())
            minor = max(minor, *map(int, found))
        machine = platform.removeprefix("linux_")
        return "py3", "none", f"manylinux_2_{minor}_{machine}"

    def egg2dist(self, egginfo_path: str, distinfo_path: str) -> None:
        super().egg2dist(egginfo_path, distinfo_path)
        (Path(distinfo_path) / "top_level.txt").write_text("mpbench\n")
