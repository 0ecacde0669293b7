"""Builds the C library of the capture analyser; the rest is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

CORE = Path("analysis/capture/core")
CORE_FLAGS = ["-O3", "-flto", "-fvisibility=hidden"]

setup(
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
