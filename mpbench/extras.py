"""The packages that not every installation has."""

import importlib.util
from collections.abc import Mapping

NEEDED: Mapping[str, str] = {
    "scipy": "tests of published statements, fluid models, `diagnose` over several"
    " ranges, and designs that keep more than half of their candidates",
}
"""Use of each extra, by its package; pyarrow is asked for by `knows_parquet`."""


def knows_parquet() -> bool:
    """Whether pyarrow is installed, which is an extra because of its size."""
    return importlib.util.find_spec("pyarrow") is not None


def knows_scipy() -> bool:
    """Whether scipy is installed, which is an extra because of its size."""
    return importlib.util.find_spec("scipy") is not None


def missing(error: ModuleNotFoundError) -> str | None:
    """A sentence about a package that is not there; None if it is no extra."""
    package = (error.name or "").partition(".")[0]
    if package not in NEEDED:
        return None
    return (
        f"{package} is not installed; `pip install {package}` brings it. It is needed"
        f" for {NEEDED[package]}"
    )
