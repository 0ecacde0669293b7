"""A campaign in a temporary folder, its words kept."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

from mpbench.backends.fake import FakeBackend
from mpbench.engine.campaign import run_campaign
from mpbench.engine.types import AnalysisFunctions, Experiment, Options
from mpbench.store.layout import Results

from . import plans


class Lab:
    """Runs campaigns in one results folder."""

    def __init__(self, root: Path) -> None:
        self.results = Results(root)
        self.text = ""

    def run(
        self,
        experiment: Experiment | None = None,
        scripts: Sequence[dict[str, Any]] = (),
        build: str = "1",
        measure: Any = plans.measure,
        tabulate: Any = plans.tabulate,
        **options: Any,
    ) -> int:
        """Run a campaign; its exit status. What it said is in `text`."""
        backend = FakeBackend(scripts, build)
        stream = io.StringIO()
        try:
            return run_campaign(
                experiment or plans.experiment(build=build),
                self.results.root,
                backend,
                backend.identity(),
                AnalysisFunctions(measure, tabulate),
                Options(**options),
                Console(file=stream, width=200),
            )
        finally:
            self.text = stream.getvalue()

    def table(self) -> pd.DataFrame:
        return pd.read_csv(self.results.csv, keep_default_na=False)

    def folders(self) -> list[str]:
        """Contents of runs/, hidden folders included."""
        return sorted(path.name for path in self.results.runs.iterdir())


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path / "results")
