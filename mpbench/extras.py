"""The packages that not every installation has."""

import importlib.util


def knows_parquet() -> bool:
    """Whether pyarrow is installed, which is an extra because of its size."""
    return importlib.util.find_spec("pyarrow") is not None
