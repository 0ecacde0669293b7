"""mpbench: Multipath TCP experiments on the real Linux stack, in virtual time.

In a notebook or a script, `mpbench.load("results/quickstart")` gives the runs of a
results folder as pandas frames.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mpbench.version import __version__

if TYPE_CHECKING:
    from mpbench.report.notebook import Results

__all__ = ["__version__", "load"]


def load(results: str | os.PathLike[str]) -> "Results":
    """Load a results folder that `mpbench run` made.

    results : path of the folder

    Every run is compared with its manifest; the returned object's `state` says what is
    missing or damaged. Raises mpbench.errors.UserError, with one line, if the folder
    holds no finished run.
    """
    from mpbench.report import notebook

    return notebook.load(Path(results))
