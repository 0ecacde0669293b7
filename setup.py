"""Builds the C library of the capture analyser, and the contents of wheels.

The rest is in pyproject.toml.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup

# pip builds with the checkout as working folder, but does not look for modules there.
sys.path.insert(0, str(Path(__file__).parent.resolve()))

from packing.commands import Build, Wheel

CORE = Path("analysis/capture/core")
# Debug information would name the folder of the build, and wheels would differ by it.
CORE_FLAGS = ["-O3", "-flto", "-fvisibility=hidden", "-g0"]

setup(
    cmdclass={"build": Build, "bdist_wheel": Wheel},
    ext_modules=[
        # A plain C library, loaded with ctypes; it needs no headers of Python.
        Extension(
            "analysis.capture._core",
            sources=sorted(map(str, CORE.glob("*.c"))),
            depends=sorted(map(str, CORE.glob("*.h"))),
            extra_compile_args=[*CORE_FLAGS, "-std=gnu11", "-Wall", "-Wextra"],
            extra_link_args=CORE_FLAGS,
        )
    ],
)
