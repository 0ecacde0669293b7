"""Time until a rate settles, and its variation afterwards.

Sources: [pcc] Dong, Li, Zarchy, Godfrey, Schapira, "PCC: Re-architecting Congestion
Control for Consistent High Performance", NSDI 2015, sec. 4.2.2, which defines the
convergence time of competing flows; [mpcc] Gilad et al., CoNEXT 2020, sec. 7.2.5, who
speak of convergence and rate-jitter without a definition.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from statistics import fmean, pstdev
from typing import Any

from analysis.run import tools
from analysis.run.artefacts import Artefacts
from analysis.run.clock import began_s
from analysis.run.flow_phase_metrics import LEAST_SHARE_OF_PHASE
from analysis.run.needs import HELD_S
from analysis.run.traffic import Traffic

WITHIN = 0.25
"""A rate has settled while it is within this share of its mean ([pcc])."""
WINDOW_S = 1.0
"""Rates are means over windows of this length ([pcc])."""
STEADY_SHARE = 0.5
"""The mean and the variation are those of this last share of the windows."""
LEAST_WINDOWS = 2
"""A single window differs from nothing, so its variation is unknown and not 0."""


@dataclass(frozen=True)
class Rate:
    """The mean rate in one window.

    start_s, end_s : seconds after the beginning of the traffic
    mbps : 10^6 bit/s
    """

    start_s: float
    end_s: float
    mbps: float


def settling_time_s(rates: Sequence[Rate]) -> float:
    """The time from the first window until the rate has settled, seconds.

    rates : windows one after the other, at least one

    It is the smallest t such that every window that begins in [t, t + 5 s) is within
    25 % of the mean; [pcc] has the ideal equal rate in place of the mean, which is here
    that of the last half. A rate that never settles counts with the time of all
    windows, so that medians and ranks over runs remain right.

    Raises ValueError if there is no window, or if the mean is 0.
    """
    mean = fmean(rate.mbps for rate in _late(rates))
    if not mean > 0:
        raise ValueError("settling time: the mean rate is 0; needs one above 0")
    begin_s, end_s = rates[0].start_s, rates[-1].end_s
    since_s = begin_s
    for rate in rates:
        if abs(rate.mbps - mean) > WITHIN * mean:
            since_s = rate.end_s
        elif rate.end_s - since_s >= HELD_S:
            return since_s - begin_s
    return end_s - begin_s


def rate_jitter(rates: Sequence[Rate]) -> float:
    """The standard deviation of the rate over its mean, in the last half of the time.

    rates : windows one after the other, at least LEAST_WINDOWS of them in the last half

    Raises ValueError if there is no window, or if the mean is 0.
    """
    late = [rate.mbps for rate in _late(rates)]
    mean = fmean(late)
    if not mean > 0:
        raise ValueError("rate jitter: the mean rate is 0; needs one above 0")
    return pstdev(late) / mean


def columns(run: Artefacts) -> dict[str, Any]:
    """The columns of a run, from the reports of receivers of bulk transfers.

    NAME.settling_time_s : from the first byte of a named entry; see `settling_time_s`
    NAME.rate_jitter : see `rate_jitter`
    settling_time_s, rate_jitter : the longest, and the mean, over all entries
    PHASE.settling_time_s and so on : the same from the phase's beginning, for entries
        that are active in at least half of it

    A column is missing if there is no bulk transfer with a duration, and None if
    nothing arrived. A part of less than HELD_S has no settling time: nothing can stay
    near its mean for HELD_S there. Nor has a part a jitter with fewer than
    LEAST_WINDOWS windows in its last half.
    """
    found: dict[int, list[Rate]] = {
        index: _windows(run, index)
        for index, entry in enumerate(run.traffic)
        if tools.has(entry, "BULK") and entry.duration_s
    }
    if not found:
        return {}
    entries = run.traffic
    result = _named("", entries, found)
    for phase, (start_s, end_s) in run.job.phases.items():
        parts = {}
        for index, rates in found.items():
            inside = [r for r in rates if r.start_s >= start_s and r.end_s <= end_s]
            seconds = sum(rate.end_s - rate.start_s for rate in inside)
            if seconds >= LEAST_SHARE_OF_PHASE * (end_s - start_s) - 2 * WINDOW_S:
                parts[index] = inside
        result |= _named(f"{phase}.", entries, parts)
    return result


def _named(
    prefix: str, entries: Sequence[Traffic[Any]], parts: dict[int, list[Rate]]
) -> dict[str, Any]:
    """The columns of all entries in one part of a run.

    prefix : `PHASE.` or nothing
    parts : the rates of entries, by their numbers
    """
    known = {index: rates for index, rates in parts.items() if _moved(rates)}
    times = {
        index: settling_time_s(rates)
        for index, rates in known.items()
        if rates[-1].end_s - rates[0].start_s >= HELD_S
    }
    jitters = {
        index: rate_jitter(rates)
        for index, rates in known.items()
        if len(_late(rates)) >= LEAST_WINDOWS
    }
    shown = [index for index in parts if not entries[index].background]
    settles = shown and all(index in times for index in shown)
    whole = shown and all(index in jitters for index in shown)
    result: dict[str, Any] = {
        f"{prefix}settling_time_s": max(times[i] for i in shown) if settles else None,
        f"{prefix}rate_jitter": fmean(jitters[i] for i in shown) if whole else None,
    }
    for index in parts:
        if (name := entries[index].name) is not None:
            result[f"{prefix}{name}.settling_time_s"] = times.get(index)
            result[f"{prefix}{name}.rate_jitter"] = jitters.get(index)
    return result


def _moved(rates: Sequence[Rate]) -> bool:
    return bool(rates) and any(rate.mbps > 0 for rate in _late(rates))


def _late(rates: Sequence[Rate]) -> Sequence[Rate]:
    return rates[int(len(rates) * (1 - STEADY_SHARE)) :]


def _windows(run: Artefacts, index: int) -> list[Rate]:
    """The receiver's rate in windows of WINDOW_S, or of its own longer intervals.

    A last window that is shorter is left out, because its rate varies more.
    """
    entry, zero_s = run.traffic[index], began_s(run, index)
    if run.reports[index] is None:
        return []
    found = tools.has(entry, "intervals")(entry, run.reports[index], WINDOW_S / 2)
    grouped: dict[int, list[Any]] = {}
    for interval in found:
        middle_s = (interval.start_s + interval.end_s) / 2
        grouped.setdefault(floor(middle_s / WINDOW_S), []).append(interval)
    rates = []
    for intervals in grouped.values():
        start_s, end_s = intervals[0].start_s, intervals[-1].end_s
        if end_s - start_s >= 0.9 * WINDOW_S:
            received = sum(interval.bytes for interval in intervals)
            mbps = 8e-6 * received / (end_s - start_s)
            rates.append(Rate(zero_s + start_s, zero_s + end_s, mbps))
    return rates
