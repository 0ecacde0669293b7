"""Search the values of unknown settings that give a number somebody observed.

Each round is a campaign of its own: points of a WSP design over the ranges, for each
combination of the listed settings. The next round spreads its points over the ranges of
the runs that came closest, and over each region by itself if several separate ones give
the number. A folder of a round is finished or goes on, as any campaign.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from analysis.campaign import diagnosis, regions
from analysis.campaign.diagnosis import Difference, Unknown
from analysis.campaign.regions import Region
from analysis.words import many
from mpbench.engine.unknowns import Asked, cases
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import absent_metrics, make_plan
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from mpbench.store import atomic
from mpbench.store.folder import refuse_link
from wsp import CountNotFound

LOG = "diagnosis.json"
REGION = "the region"
MOST_FEWER = 6
LEAST_POINTS = 5
MOST_TIMES = 10
"""A search that needs so many times the runs that were asked for is refused."""
MOST_CASES = 24
CANDIDATES = 2000
HARDLY = 0.8
"""A round whose ranges are all longer than this part of those before adds nothing, if
enough runs fit already."""

Execute = Callable[[Spec, Plan, Path, Sequence[Path]], pd.DataFrame]


@dataclass(frozen=True)
class Diagnosis:
    """The end of a search.

    rows : all runs that are ok, with the columns of the unknowns
    off : the deviation of each run in tolerances; it fits up to 1
    influence : share of the metric's variance in the first round, by unknown
    differences : columns that tell apart what the fitting runs leave open
    failed : the number of runs that are not ok
    regions : the separate regions of the runs that fit, the closest first
    """

    rows: pd.DataFrame
    off: "pd.Series[float]"
    influence: dict[str, float]
    differences: list[Difference]
    failed: int
    regions: list[Region] = field(default_factory=list)

    @property
    def fits(self) -> pd.DataFrame:
        """The runs that fit, the closest first."""
        order = self.off[self.off <= 1].sort_values(kind="stable").index
        return self.rows.loc[order]

    @property
    def apart(self) -> list[pd.DataFrame]:
        """The runs that fit by their separate regions; empty for too few runs."""
        fits = self.fits
        if len(fits) < diagnosis.BOUNDING:
            return []
        return [fits[fits.index.isin(one.fits)] for one in self.regions]

    @property
    def closest(self) -> pd.DataFrame:
        """All runs, the closest first."""
        return self.rows.loc[self.off.sort_values(kind="stable").index]


@dataclass
class Search:
    """A search in a folder. say : shows a line to the user

    runs : the most runs of all rounds together
    rounds : the most rounds
    """

    asked: Asked
    root: Path
    build: dict[str, str]
    execute: Execute
    say: Callable[[str], None]
    runs: int = 60
    rounds: int = 3
    _tables: list[pd.DataFrame] = field(default_factory=list)
    _folders: list[Path] = field(default_factory=list)
    _failed: int = 0

    def check(self) -> None:
        """Raises UserError if a metric is one that no run can have, if there are too
        many combinations, or if an unknown has a value that no experiment can
        have."""
        combinations = len(cases(self.asked, self.asked.unknown))
        if combinations > MOST_CASES:
            raise UserError(
                f"the lists of `unknown` make {combinations} combinations; at most"
                f" {MOST_CASES} are searched: leave some values out"
            )
        self._bound(combinations)
        try:
            first = self._spec(self.asked.unknown, 1)
        except UserError as error:
            # The line is one of the round's file, which the user does not have.
            reason = re.sub(r"^.*?, round 1:\d+: ", "", str(error).splitlines()[0])
            at = f"{self.asked.spec.where('unknown')}: unknown"
            raise UserError(f"{at}: a round is refused: {reason}") from None
        faults = list(absent_metrics.faults(first))
        if faults:
            lines = [fault.partition(": metrics[")[2] for fault in faults]
            raise UserError(
                "\n".join(
                    f"{self.asked.spec.where('observed')}: observed."
                    f"{line.partition(': ')[2]}"
                    for line in lines
                )
            )

    def _bound(self, combinations: int) -> None:
        """Say that the search needs more runs than were asked for.

        Raises UserError if it needs more than MOST_TIMES as many.
        """
        each = combinations * self.asked.spec.repetitions.count
        least = each
        if any(one.is_range for one in self.asked.unknown):
            least = each * LEAST_POINTS * self.rounds
        if least <= self.runs:
            return
        parts = [
            many(combinations, "combination"),
            many(self.asked.spec.repetitions.count, "repetition"),
        ]
        if least > each:
            parts = [
                many(self.rounds, "round"),
                many(LEAST_POINTS, "point"),
                *parts,
            ]
        words = f"{' x '.join(parts)} are {least} runs"
        if least > MOST_TIMES * self.runs:
            raise UserError(
                f"{self.asked.spec.where('repetitions')}: {words}, and --runs asks for"
                f" {self.runs}; repeat less, or give --runs {least}"
            )
        self.say(f"{words}, more than the {self.runs} of --runs.")

    def run(self) -> Diagnosis:
        """Search. Raises UserError if no run is ok."""
        self.check()
        parts = [list(self.asked.unknown)]
        ranges = any(one.is_range for one in self.asked.unknown)
        for number in range(1, (self.rounds if ranges else 1) + 1):
            for part, unknown in enumerate(parts, start=1):
                self._round(number, unknown, part, len(parts))
            rows, off = self._judged()
            before = parts
            parts, settled = self._next(rows, off, before)
            if settled and not _all_shrank(before, parts):
                break
        return self._diagnosis()

    def _next(
        self, rows: pd.DataFrame, off: "pd.Series[float]", before: list[list[Unknown]]
    ) -> tuple[list[list[Unknown]], bool]:
        """The unknowns of each part of the next round, and whether enough runs fit in
        each of them already."""
        whole = self.asked.unknown
        found = regions.regions(rows, whole, self.asked.observed, off)
        found = found[: regions.MOST_REGIONS]
        if len(found) > 1:
            parts = [regions.box(rows, whole, one, off) for one in found]
            return parts, all(len(one.fits) >= diagnosis.BOUNDING for one in found)
        last = before[0]
        if len(before) > 1:
            last = regions.box(rows, whole, found[0], off) if found else list(whole)
        settled = bool((off <= 1).sum() >= diagnosis.BOUNDING)
        return [diagnosis.narrowed(rows, last, off)], settled

    def _round(
        self, number: int, unknown: Sequence[Unknown], part: int = 1, parts: int = 1
    ) -> None:
        """Execute a round, or a part of it: one of its separate regions."""
        spec, plan = self._planned(unknown, number, parts)
        where = f", region {part} of {parts}" if parts > 1 else ""
        runs = many(len(plan.runs), "run")
        self.say(f"Round {number}{where}: {runs}; {described(unknown)}")
        folder = self.root / f"round-{number}{f'-{part}' if parts > 1 else ''}"
        refuse_link(folder)
        before = list(self._folders)
        self._folders.append(folder)
        table = self.execute(spec, plan, folder, before)
        good = table[table["verdict"] == "ok"].copy()
        self._failed += len(table) - len(good)
        chosen = cases(self.asked, unknown)
        for one in unknown:
            if not one.is_range:
                good[one.column] = [chosen[case][one.name] for case in good["case"]]
            elif one.column not in good:
                raise UserError(f"{one.name}: the table of runs has no {one.column}")
        self._tables.append(good.assign(round=number))

    def _planned(
        self, unknown: Sequence[Unknown], number: int, parts: int
    ) -> tuple[Spec, Plan]:
        """The experiment of a round, and its runs: a few fewer points where no design
        has their number. Raises UserError for a plan that cannot be."""
        for fewer in range(MOST_FEWER):
            spec = self._spec(unknown, number, parts, fewer)
            try:
                return spec, make_plan(spec, self.build)
            except UserError as error:
                if not isinstance(error.__cause__, CountNotFound):
                    raise
        spec = self._spec(unknown, number, parts)
        return spec, make_plan(spec, self.build)

    def _judged(self) -> tuple[pd.DataFrame, "pd.Series[float]"]:
        every = pd.concat(self._tables, ignore_index=True)
        rows = every.drop_duplicates("id", ignore_index=True)
        off = diagnosis.distances(rows, self.asked.observed)
        known = off < float("inf")
        if not known.any():
            names = ", ".join(one.metric for one in self.asked.observed)
            tried = many(self._failed + len(rows), "run")
            raise UserError(
                f"no run has {names}: {self._failed} of {tried} not ok;"
                f" look at {self.root / 'round-1'}"
            )
        return rows[known], off[known]

    def _diagnosis(self) -> Diagnosis:
        rows, off = self._judged()
        unknown, seen = self.asked.unknown, self.asked.observed
        first = rows[rows["round"] == 1]
        best = rows.iloc[int(off.to_numpy().argmin())]
        shares = [diagnosis.influence(first, unknown, one.column, best) for one in seen]
        fits = rows[off <= 1]
        found = [r for r in regions.regions(rows, unknown, seen, off) if len(r.fits)]
        told = diagnosis.differences(fits, unknown, seen)
        if len(found) > 1:
            groups = {f"region {n}": r.fits for n, r in enumerate(found, start=1)}
            told = [*diagnosis.telling(groups, fits, seen, REGION), *told]
        return Diagnosis(
            rows,
            off,
            {one.name: max(each[one.name] for each in shares) for one in unknown},
            told,
            self._failed,
            found,
        )

    def _spec(
        self,
        unknown: Sequence[Unknown],
        number: int,
        parts: int = 1,
        fewer: int = 0,
    ) -> Spec:
        """The experiment of a round: a case per combination, and a design of ranges.

        parts : of the round, which share its runs
        fewer : points less than the runs allow
        """
        spec = self.asked.spec
        assert spec._document is not None
        left_out = ("include", "figures", "expect", "cases", "metrics")
        values: dict[str, Any] = {
            key: value
            for key, value in spec._document.values.items()
            if key not in left_out
        }
        own = spec._document.values["cases"][self.asked.case]
        chosen = cases(self.asked, unknown)
        values["cases"] = {
            name: _case(own, settings) for name, settings in chosen.items()
        }
        values["metrics"] = [one.metric for one in self.asked.observed]
        ranges = [one for one in unknown if one.is_range]
        repetitions = spec.repetitions.count
        if ranges:
            each = self._share(number) // parts // len(chosen) // repetitions
            factors = dict((values.get("design") or {}).get("factors", {}))
            factors |= {
                one.name: {"min": one.low, "max": one.high, "unit": one.unit}
                for one in ranges
            }
            values["design"] = {
                "points": max(LEAST_POINTS, each - fewer),
                "candidates": CANDIDATES,
                "factors": factors,
                "seed": number,
            }
        text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
        head = f"# {spec.name}: round {number} of a diagnosis.\n"
        return loads(head + text, f"{spec._document.name}, round {number}")

    def _share(self, number: int) -> int:
        """The runs of a round: half of all in the first, if there are more rounds."""
        if self.rounds == 1:
            return self.runs
        return self.runs // 2 if number == 1 else self.runs // 2 // (self.rounds - 1)

    def keep(self, answer: dict[str, Any]) -> Path:
        """Write the answer as JSON; the path of the file.

        Raises UserError, one line, if it cannot be written. The rounds stay.
        """
        path = self.root / LOG
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            atomic.write_bytes(path, (json.dumps(answer, indent=2) + "\n").encode())
        except OSError as error:
            reason = f"cannot be written: {error.strerror}"
            raise UserError(f"{path}: {reason}; move it away, or use --out") from error
        return path


def _case(own: dict[str, Any], settings: dict[str, str]) -> dict[str, Any]:
    """A case with other settings."""
    sysctls = {name: value for name, value in settings.items() if "." in name}
    plain = {name: value for name, value in settings.items() if "." not in name}
    made = {**own, **plain}
    if sysctls:
        made["sysctls"] = {**(own.get("sysctls") or {}), **sysctls}
    return made


def described(unknown: Sequence[Unknown]) -> str:
    """The unknowns with their values in running text."""
    return ", ".join(
        f"{one.name} {one.low:g} to {one.high:g} {one.unit}".rstrip()
        if one.is_range
        else f"{one.name} {' or '.join(one.values)}"
        for one in unknown
    )


def _all_shrank(before: list[list[Unknown]], after: list[list[Unknown]]) -> bool:
    """Whether another round looks closer: also if its regions are others."""
    if len(before) != len(after):
        return True
    return any(_shrank(old, new) for old, new in zip(before, after, strict=True))


def _shrank(before: Sequence[Unknown], after: Sequence[Unknown]) -> bool:
    """Whether another round looks closer than the one before."""
    return any(
        new.high - new.low < HARDLY * (old.high - old.low)
        for old, new in zip(before, after, strict=True)
        if old.is_range
    )
