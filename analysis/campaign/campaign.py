"""A campaign as it was loaded: the one record that figures and pages are made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from analysis.campaign import table
from analysis.campaign.columns import metric_columns
from analysis.campaign.directions import Direction
from analysis.campaign.figure_request import FigureRequest
from analysis.campaign.question import Question

if TYPE_CHECKING:
    from analysis.models.setting import Settings


@dataclass(frozen=True)
class Campaign:
    """The runs of one results folder, and what a reader must know about them.

    name : the experiment's name
    runs : the tidy table, one row per run (analysis.campaign.table)
    factors : columns that the design varies
    metrics : the experiment's metrics, by the names of its file
    made : what produced the results, such as the kernel's build, by name
    shared_seed : whether all networks of a repetition drew from one seed, so that
        their noise is not independent
    state : sentences about runs that are missing, damaged or of several builds
    folder : holds one folder per run, named by the run's id; None where only the
        table is there
    shown : the results folder as commands should name it
    network : a drawing of the experiment's network, SVG; empty if there is none
    description : what the experiment is for, as its file says; empty if it does not
    figures : the figures that the experiment file asks for
    settings : the networks of the runs as models take them, for lines of theory; None
        without an experiment
    listed : factors that the experiment lists, and crosses with the networks; None
        without an experiment
    entries : the names of the traffic entries, if there are several
    background : the names of those that stay in the background
    directions : the directions in which metrics of the user's own are good
    question : what the experiment asks; None without an experiment, or without a
        question
    changing : the links that change during a run
    phases : name to start and end in seconds after the beginning of the traffic, in
        order; None where runs differ. Empty where no link changes
    """

    name: str
    runs: pd.DataFrame
    factors: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ("goodput",)
    made: Mapping[str, str] = field(default_factory=dict)
    shared_seed: bool = False
    state: tuple[str, ...] = ()
    folder: Path | None = None
    shown: str = ""
    network: str = ""
    description: str = ""
    figures: Sequence[FigureRequest] = ()
    settings: "Settings | None" = None
    listed: tuple[str, ...] | None = None
    entries: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    directions: Mapping[str, Direction] = field(default_factory=dict)
    question: Question | None = None
    changing: tuple[str, ...] = ()
    phases: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)

    @cached_property
    def ok_runs(self) -> pd.DataFrame:
        """The rows that enter statistics."""
        return table.ok(self.runs)

    def columns(self, metric: str) -> list[str]:
        """The columns of a metric: of the runs, and of their traffic entries; of the
        entries in the background if no other has it."""
        runs = self.ok_runs
        found = metric_columns(metric, runs, self.entries)
        if any(name in runs.columns and runs[name].notna().any() for name in found):
            return found
        return metric_columns(metric, runs, self.background)

    @cached_property
    def mptcp_runs(self) -> pd.DataFrame:
        """The rows of MPTCP that enter statistics; published statements are about
        these."""
        runs = self.ok_runs
        return runs[runs["protocol"] == "mptcp"] if len(runs) else runs

    @cached_property
    def mptcp_cases(self) -> dict[str, pd.DataFrame]:
        """The rows of each case of MPTCP that enter statistics."""
        if "protocol" not in self.ok_runs.columns:
            return {}
        runs = self.mptcp_runs
        return {str(case): runs[runs["case"] == case] for case in runs["case"].unique()}
