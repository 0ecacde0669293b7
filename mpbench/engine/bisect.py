"""Finds the change of a series that makes a metric worse.

The series are the patches that one kernel of an experiment has beyond another, or the
commits of a range (`bisect_ranges`). A step is the kernel after the first changes. Its
runs are compared with those of the good kernel, network by network in the design's
order, until the interval of the median difference lies on one side of the limit. Every
step is a results folder of its own, so that the same command goes on where it was left.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from analysis.campaign import comparison, limits
from analysis.campaign.limits import Judgement
from analysis.campaign.question import columns
from analysis.words import many
from jobs import writing
from jobs.linux import OWN, Linux
from mpbench.backends.features import CONSOLE
from mpbench.engine.bisect_log import FORMAT, LOG, Outcome, Step
from mpbench.engine.bisect_question import Question
from mpbench.errors import UserError, printable
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from mpbench.store import alike, atomic, campaign, layout
from mpbench.store.folder import refuse_link, refuse_links

GOOD, STEP = "good", "step"
"""The names of the two cases in the folder of a step."""
FIRST = 3
"""Networks after which a step is good if all of its runs left the same bytes."""
MOST_BROKEN = 8
"""Steps at the end of a series that are tried where they do not build or boot."""


@dataclass(frozen=True)
class Found:
    """The end of a search.

    first_bad : the number of the first bad step, from 1; None if steps that were
        skipped or undecided stand before it
    suspects : numbers of all steps that may be the first bad one
    """

    first_bad: int | None
    suspects: tuple[int, ...]


Execute = Callable[[Spec, Plan, Path, Sequence[Path]], pd.DataFrame]
"""Executes the unfinished runs of a plan in a folder, taking over runs from others;
returns the table of its runs. Raises UserError, also for a kernel that is not built."""


class Search:
    """One search in a folder.

    say : shows a line to the user
    campaigns : further folders whose runs are taken over, such as the experiment's own
    """

    def __init__(
        self,
        question: Question,
        root: Path,
        build: dict[str, str],
        execute: Execute,
        say: Callable[[str], None],
        campaigns: Sequence[Path] = (),
    ) -> None:
        self._campaigns = campaigns
        self.question = question
        self._root = root
        self._build = build
        self._execute = execute
        self._say = say
        self._direction = question.direction
        self._range = question.range
        self._good = self._range.good
        self.series = self._range.changes
        unknown = question.replayed.keys() - {change.name for change in self.series}
        if unknown:
            name = printable(min(unknown))[:200]
            raise UserError(f"--replay: this search has no step '{name}'")
        self.steps: dict[int, Step] = {}

    def run(self) -> Found:
        """Search. Raises UserError if the last step that can be judged is not bad."""
        last = self._last()
        if last.outcome == "undecided":
            raise UserError(
                f"{self._named(last)}: it is undecided whether it is worse than the"
                f" limit, so give the design more points (--points +12): {last.reason}"
            )
        if last.outcome != "bad":
            raise UserError(
                f"{self._named(last)} is not worse than the limit, so there is nothing"
                f" to search for; a lower --limit finds less: {last.reason}"
            )
        low, high = 0, last.number
        while True:
            between = [n for n in range(low + 1, high) if n not in self.steps]
            if not between:
                break
            middle = min(between, key=lambda n: (abs(2 * n - low - high), n))
            outcome = self._judged(middle).outcome
            if outcome == "good":
                low = middle
            elif outcome == "bad":
                high = middle
        suspects = tuple(range(low + 1, high + 1))
        return Found(high if len(suspects) == 1 else None, suspects)

    def _named(self, last: Step) -> str:
        """The end of the search in words. last : the last step that was judged"""
        if last.number == len(self.series):
            return self._range.bad
        broken = self.steps[last.number + 1]
        reason = broken.reason.partition(CONSOLE)[0]
        return (
            f"{self._range.bad} cannot be judged from change {broken.number},"
            f" '{broken.patch}', on ({reason}). Step {last.number} of"
            f" {len(self.series)}"
        )

    def _last(self) -> Step:
        """The last step that can be judged: the whole series, or less of it where its
        last changes do not build or boot."""
        whole = len(self.series)
        for number in range(whole, max(0, whole - MOST_BROKEN), -1):
            step = self._judged(number)
            if step.outcome != "skipped":
                return step
        less = ", nor without its last changes" if whole > 1 else ""
        reason = self.steps[whole].reason
        raise UserError(f"{self._range.bad} cannot be judged{less}: {reason}")

    def _judged(self, number: int) -> Step:
        step = self._judge(number)
        self.steps[number] = step
        self._say(f"{number} of {len(self.series)}  {step.patch}: {step.outcome}")
        self._say(f"    {step.reason}")
        self._keep()
        return step

    def _judge(self, number: int) -> Step:
        name = self.series[number - 1].name
        if name in self.question.replayed:
            return Step(number, name, *self.question.replayed[name])
        done: list[str] = []
        try:
            linux = self.series[number - 1].linux()
            spec = self._spec(number, linux)
        except UserError as error:
            return Step(number, name, "skipped", str(error))
        step = self._executed(number, spec, done)
        return replace(step, kernel=linux.words, runs=tuple(dict.fromkeys(done)))

    def _executed(self, number: int, spec: Spec, done: list[str]) -> Step:
        """Execute runs of a step until its outcome is known. done : gets their ids"""
        folder = self._root / f"step-{number}"
        refuse_link(folder)
        whole = make_plan(spec, self._build)
        order = list(dict.fromkeys(run.point for run in whole.runs))
        looks = batches(len(order))
        level = 1 - (1 - self.question.confidence) / len(looks)
        name = self.series[number - 1].name
        judgement: Judgement | None = None
        for count in looks:
            chosen = set(order[:count])
            runs = tuple(run for run in whole.runs if run.point in chosen)
            steps = [p for p in sorted(self._root.glob("step-*")) if p != folder]
            others = [*steps, *self._campaigns]
            try:
                rows = self._execute(spec, replace(whole, runs=runs), folder, others)
            except UserError as error:
                return Step(number, name, "skipped", str(error))
            done += [run.id for run in runs]
            if count == looks[0] and self._same(folder, runs):
                those = many(count, "network")
                words = f"the runs of {those} have the bytes of the good kernel"
                return Step(number, name, "good", words, True)
            if (failure := _common_failure(rows)) is not None:
                return Step(number, name, "skipped", failure)
            judgement = self._look(rows, level)
            if judgement is not None and judgement.outcome != "undecided":
                outcome: Outcome = "good" if judgement.outcome == "ok" else "bad"
                return Step(number, name, outcome, limits.sentence(judgement))
        if judgement is None:
            return Step(number, name, "undecided", "no pair of ok runs")
        words = limits.sentence(judgement) + limits.hint(judgement)
        return Step(number, name, "undecided", words)

    def _look(self, rows: pd.DataFrame, level: float) -> Judgement | None:
        question = self.question
        factors = [str(n) for n in rows.attrs.get("factors", ())]
        metric, cases = question.metric, (GOOD, STEP)
        column = next(iter(columns(metric, rows, ())), metric)
        pairs = comparison.pairs(rows, rows, factors, dict([cases]), column)
        rng = np.random.default_rng(question.seed)
        try:
            return limits.judge(
                *(pairs, cases, metric, question.worse_percent),
                *(self._direction, rng, level),
            )
        except ValueError as error:
            raise UserError(f"--limit {error}") from None

    def _same(self, folder: Path, runs: Sequence[Any]) -> bool:
        """Whether both cases of every point left the same artefacts."""
        results = layout.Results(folder)
        left: dict[tuple[int, int], list[Any]] = {}
        for run in runs:
            hashes = alike.hashes(results.run(run.id))
            if hashes is None:
                return False
            left.setdefault((run.point, run.repetition), []).append(hashes)
        return all(len(pair) == 2 and pair[0] == pair[1] for pair in left.values())

    def _spec(self, number: int, step: Linux) -> Spec:
        """The experiment with two cases: the good kernel, and a step."""
        spec = self.question.spec
        assert spec._document is not None
        left_out = ("include", "figures", "expect", "compare")
        values = {k: v for k, v in spec._document.values.items() if k not in left_out}
        own = values["cases"][self.question.case]
        case = {key: value for key, value in own.items() if key != "kernel"}
        labels = {STEP: _section(step, self._range.git)}
        cases = {GOOD: case, STEP: {**case, "kernel": STEP}}
        if self._good != OWN:
            labels[GOOD] = _section(self._good, self._range.git)
            cases[GOOD] = {**case, "kernel": GOOD}
        values |= {"kernels": labels, "cases": cases}
        text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
        head = f"# {spec.name}: a step of a search.\n"
        return loads(head + text, f"{spec._document.name}, step {number}")

    def _keep(self) -> None:
        """Write the log: every step with its outcome, in the order of the series."""
        self._root.mkdir(parents=True, exist_ok=True)
        listed = [asdict(self.steps[number]) for number in sorted(self.steps)]
        content = {"format": FORMAT, "steps": listed}
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        atomic.write_bytes(self._root / LOG, text.encode())


def _common_failure(rows: pd.DataFrame) -> str | None:
    """The reason why all runs of a step failed, as under a kernel that panics once it
    is used; None if one did not, or if one of the good kernel failed too."""
    of_step = rows["case"] == STEP
    if set(rows.loc[of_step, "verdict"]) != {"failed"}:
        return None
    if set(rows.loc[~of_step, "verdict"]) != {"ok"}:
        return None
    reasons = list(dict.fromkeys(map(str, rows.loc[of_step, "reason"])))
    return f"all of its runs fail: {'; '.join(reasons[:3])}"


def readable(folder: Path) -> tuple[Path, ...]:
    """The results folder from which steps can take runs over; none if it is damaged or
    another version wrote it."""
    try:
        campaign.read(layout.Results(folder).campaign)
        refuse_links(layout.Results(folder))
    except UserError:
        return ()
    return (folder,)


def _section(linux: Linux, git: str) -> dict[str, Any]:
    """A kernel, in the form of an experiment file."""
    return {
        "lab": "all" if linux.lab else "none",
        "patches": [{"name": p.name, "text": p.text} for p in linux.patches],
        "options": dict(linux.options or {}),
        **_released(linux),
        **({"git": git, "tree": writing.plain(linux.tree)} if linux.tree else {}),
    }


def _released(linux: Linux) -> dict[str, Any]:
    """The keys of a kernel of another release."""
    if linux.release is None:
        return {}
    return {"linux": linux.release.package, "release": writing.plain(linux.release)}


def batches(count: int) -> list[int]:
    """Numbers of networks after which a step is looked at: a few, and then twice as
    many each time, up to all `count` of them."""
    looks, here = [min(FIRST, count)], 8
    while here < count:
        looks.append(here)
        here *= 2
    return [*looks, count] if looks[-1] != count else looks
