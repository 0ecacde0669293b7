"""Limits on how much worse one case may be than another, judged pair by pair.

A difference is relative, in percent of the first case, and turned so that more is
better. A limit holds if the whole interval of the median lies above it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from analysis.campaign.comparison import Interval, interval, observations
from analysis.campaign.directions import LESS, NONE, Direction
from analysis.campaign.sample_sizes import least_values

Outcome = Literal["ok", "not ok", "undecided"]
SHOWN = 3
"""The pairs that moved most, of which a judgement tells."""
MOST = 1_000_000


@dataclass(frozen=True)
class Moved:
    """A pair, by the values of its factors, with its difference in percent."""

    factors: Mapping[str, Any]
    percent: float


@dataclass(frozen=True)
class Judgement:
    """A limit on one metric of two cases.

    cases : the first case, and the one that is compared with it
    limit_percent : the difference that must be exceeded, 0 or below
    pairs : number of networks, or of repetitions of one network
    equal : number of pairs without any difference
    median, mean : of the differences in percent; above 0 is better
    outcome : `ok` if the whole interval of the median is above the limit, `not ok` if
        the whole interval is at it or below, else `undecided`
    needed : the number of pairs that would probably decide; None if it is decided, or
        if no number below a million would
    moved : the pairs with the largest differences, the worst first
    same : number of pairs of runs that left the same bytes; None if nobody looked
    """

    metric: str
    cases: tuple[str, str]
    limit_percent: float
    pairs: int
    equal: int
    median: Interval
    mean: Interval
    outcome: Outcome
    needed: int | None
    moved: tuple[Moved, ...]
    same: int | None = None


def judge(
    pairs: pd.DataFrame,
    cases: tuple[str, str],
    metric: str,
    worse_percent: float,
    direction: Direction,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Judgement | None:
    """The judgement of a limit; None if the cases have no pair of runs.

    pairs : as `comparison.pairs` returns them, of the first case
    worse_percent : the difference that is tolerated, in percent, 0 or more
    rng : draws the bootstrap resamples
    confidence : level of the intervals, above 0 and below 1

    Raises ValueError, in one line, for a metric of which neither more nor less is
    better, and where the first case has a value that no difference is relative to.
    """
    if direction == NONE:
        raise ValueError(f"{metric}: neither more nor less of it is better")
    of_case = observations(pairs[pairs["case"] == cases[0]])
    if of_case.empty:
        return None
    percent = _percent(of_case, metric, direction)
    median = interval(percent, np.median, rng, confidence)
    limit = -worse_percent
    outcome = _outcome(median, limit)
    return Judgement(
        metric=metric,
        cases=cases,
        limit_percent=limit,
        pairs=len(percent),
        equal=int((percent == 0).sum()),
        median=median,
        mean=interval(percent, np.mean, rng, confidence),
        outcome=outcome,
        needed=_needed(median, limit, len(percent), confidence)
        if outcome == "undecided"
        else None,
        moved=_moved(of_case, percent),
    )


def _percent(of_case: pd.DataFrame, metric: str, direction: Direction) -> np.ndarray:
    """The differences in percent of the first case; above 0 is better."""
    first = of_case["first"].to_numpy(float)
    second = of_case["second"].to_numpy(float)
    if ((first == 0) & (second != 0)).any() or (first < 0).any():
        reason = "is 0 or below in the first case, so no difference is relative to it"
        raise ValueError(f"{metric}: {reason}")
    same = first == second
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = np.where(same, 0.0, (second / first - 1) * 100)
    return -percent + 0.0 if direction == LESS else percent


def _outcome(median: Interval, limit: float) -> Outcome:
    if median.low is None or median.high is None:
        return "undecided"
    if median.low > limit:
        return "ok"
    return "not ok" if median.high <= limit else "undecided"


def _needed(
    median: Interval, limit: float, count: int, confidence: float
) -> int | None:
    """The number of pairs whose interval would leave the limit outside, if the estimate
    stays and the interval shrinks with the square root of their number."""
    if median.low is None or median.high is None:
        return least_values(confidence)
    distance = abs(median.estimate - limit)
    reach = median.estimate - median.low
    if median.estimate <= limit:
        reach = median.high - median.estimate
    if distance == 0 or reach / distance > math.sqrt(MOST / count):
        return None
    return max(count + 1, math.ceil(count * (reach / distance) ** 2))


def _moved(of_case: pd.DataFrame, percent: np.ndarray) -> tuple[Moved, ...]:
    """The pairs that differ most."""
    hidden = ("case", "first", "second", "difference")
    names = [str(name) for name in of_case.columns if name not in hidden]
    order = np.argsort(-np.abs(percent), kind="stable")[:SHOWN]
    chosen = [i for i in order if percent[i] != 0]
    return tuple(
        Moved(
            {name: of_case.iloc[int(i)][name] for name in names},
            float(percent[i]),
        )
        for i in sorted(chosen, key=lambda i: float(percent[i]))
    )


def tap(
    judgements: Sequence[Judgement],
    look: Callable[[Judgement], str],
    again: Callable[[Judgement, Moved], str] | None = None,
    broken: Sequence[str] = (),
) -> str:
    """The judgements as TAP 14 (testanything.org).

    look : a line that says how to look at all pairs of a judgement
    again : the command that executes the runs of a pair again
    broken : what else is not ok, a line each
    """
    lines = ["TAP version 14", f"1..{len(judgements) + len(broken)}"]
    for number, judgement in enumerate(judgements, start=1):
        good = judgement.outcome == "ok"
        line = f"{'ok' if good else 'not ok'} {number} - {sentence(judgement)}"
        if judgement.outcome == "undecided":
            line += f" # TODO undecided, {_decides(judgement)}"
        lines.append(line)
        if good:
            continue
        lines.append("  ---")
        for moved in judgement.moved[:1]:
            lines.append(f"  worst: {values(moved)}")
            if again is not None:
                lines.append(f"  again: {again(judgement, moved)!r}")
        lines += [f"  look: {look(judgement)!r}", "  ..."]
    numbered = enumerate(broken, start=len(judgements) + 1)
    lines += [f"not ok {number} - {_escaped(what)}" for number, what in numbered]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """A description of TAP's: one line, whose '#' begins no directive."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("#", "\\#")


def sentence(judgement: Judgement) -> str:
    """A judgement in one line, without its outcome."""
    first, second = judgement.cases
    median = judgement.median
    if median.low is None or median.high is None:
        interval_ = "no interval"
    else:
        interval_ = f"[{median.low:+.2f}, {median.high:+.2f}]"
    equal = f", {judgement.equal} of them equal" if judgement.equal else ""
    if judgement.same:
        equal += f" ({judgement.same} byte for byte)"
    return (
        f"{judgement.metric}, {second} against {first}: median "
        f"{median.estimate:+.2f} % {interval_}, mean {judgement.mean.estimate:+.2f} %, "
        f"n = {judgement.pairs}{equal}, limit {judgement.limit_percent:+g} %"
    )


def hint(judgement: Judgement) -> str:
    """A clause on what would decide an undecided judgement; else empty."""
    if judgement.outcome != "undecided":
        return ""
    return f"; {_decides(judgement)}"


def _decides(judgement: Judgement) -> str:
    if judgement.needed is None:
        return "the estimate is at the limit"
    return f"n = {judgement.needed} would probably decide"


def values(moved: Moved) -> str:
    """A pair by its factors, with its difference, as a mapping of YAML."""
    pairs = [f"{name}: {_value(value)}" for name, value in moved.factors.items()]
    return f"{{{', '.join([*pairs, f'difference_percent: {moved.percent:+.2f}'])}}}"


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | int) else str(value)
