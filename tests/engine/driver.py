"""A campaign as a process: ``python -m tests.engine.driver OUT POINTS [MEASURE]``.

The fake backend takes its script from the environment, as `mpbench run` does.
"""

import signal
import sys
import threading
from pathlib import Path
from typing import Any

from rich.console import Console

from mpbench.backends import fake
from mpbench.engine.campaign import run_campaign
from mpbench.engine.types import AnalysisFunctions, Options
from mpbench.errors import UserError

from . import plans


def stuck(folder: Path) -> dict[str, Any]:
    threading.Event().wait()
    return {}


MEASURES = {"goodput": plans.measure, "stuck": stuck}


if __name__ == "__main__":
    # A shell that starts the tests in the background has the one ignored, nohup the
    # other.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def main(out: str, points: str, measure: str = "goodput") -> int:
    backend = fake.create()
    try:
        return run_campaign(
            plans.experiment(int(points)),
            Path(out),
            backend,
            backend.identity(),
            AnalysisFunctions(MEASURES[measure], plans.tabulate),
            Options(),
            Console(highlight=False),
        )
    except UserError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
