"""Installs the `mpbench` command with the rooms that it uses."""

from pathlib import Path

from setuptools import Extension, find_packages, setup

CORE = Path("analysis/capture/core")
CORE_FLAGS = ["-O3", "-flto", "-fvisibility=hidden"]

setup(
    name="mpbench",
    version="0.1.0",
    description="Multipath TCP experiments on the real Linux stack, in virtual time",
    license="MIT",
    python_requires=">=3.11",
    packages=find_packages(include=["mpbench*", "topologies*", "wsp*", "analysis*"]),
    package_data={"analysis.dashboard": ["assets/*"]},
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
    install_requires=[
        "click>=8.1",
        "matplotlib>=3.8",
        "mininet>=2.3.0.dev6",
        "numpy>=1.26",
        "pandas>=2.1",
        "pint>=0.23",
        "pyarrow>=14",
        "pydantic>=2.5",
        "PyYAML>=6",
        "rich>=13",
        "scipy>=1.15",
    ],
    extras_require={
        "docs": ["mkdocs-material>=9.5"],
        "test": [
            "jsonschema>=4",
            "mypy>=1.8",
            "pandas-stubs",
            "pytest>=8",
            "pytest-timeout>=2",
            "ruff>=0.4",
            "selenium>=4.20",
            "types-PyYAML",
        ],
    },
    entry_points={"console_scripts": ["mpbench = mpbench.cli:main"]},
)
