"""What campaigns cost: runs, virtual hours, wall time, and their ratio."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Any

from analysis.report.markdown import markdown

CORES = 2
HEAD = (
    *("campaign", "runs", "of the plan", "virtual hours", "CPU time a run, s"),
    *("CPU hours", f"wall time on {CORES} cores", "virtual / wall", "as it was run"),
)


@dataclass(frozen=True)
class Cost:
    """A campaign's executions.

    runs : finished ones; planned : of the plan
    virtual_s : of all runs
    waited_s : wall time of all runs, one after the other, waiting for a CPU included
    cpu_s : CPU time of those runs of which it is known, or of a sample
    sampled : whether these were executed again for it
    """

    name: str
    runs: int
    planned: int
    virtual_s: float
    waited_s: float
    cpu_s: tuple[float, ...]
    sampled: bool = False

    @property
    def cpu_hours(self) -> float | None:
        """Of all runs; from the mean where it is not known of all."""
        return self.runs * mean(self.cpu_s) / 3600 if self.cpu_s else None

    @property
    def error(self) -> float:
        """Standard error of the mean CPU time, relative; 0 if it is known of all."""
        known = len(self.cpu_s)
        if known < 2 or known >= self.runs:
            return 0.0
        return stdev(self.cpu_s) / sqrt(known) / mean(self.cpu_s)


def cost(
    name: str, planned: int, hosts: Sequence[Mapping[str, Any]], sample: Sequence[float]
) -> Cost:
    """hosts : `exit` of the host.json of every finished run
    sample : CPU seconds of some runs executed again; empty if there is none
    """
    known = [h["cpu_s"] for h in hosts if h.get("cpu_s") is not None]
    use_sample = len(known) < len(hosts) and bool(sample)
    return Cost(
        name,
        len(hosts),
        planned,
        sum(h["virtual_s"] for h in hosts),
        sum(h["wall_s"] for h in hosts),
        tuple(sample if use_sample else known),
        use_sample,
    )


def page(costs: Sequence[Cost], machine: str) -> Iterator[str]:
    """The lines of the page."""
    yield "# What the campaigns cost"
    yield ""
    yield f"On {machine}."
    yield ""
    rows = [_row(each) for each in costs]
    runs, planned = sum(c.runs for c in costs), sum(c.planned for c in costs)
    virtual_h = sum(c.virtual_s for c in costs) / 3600
    hours = [c.cpu_hours for c in costs]
    known = [h for h in hours if h is not None]
    waited_h = sum(c.waited_s for c in costs) / 3600 / CORES
    last = ["**all**", str(runs), str(planned), f"{virtual_h:.1f}", ""]
    if known and len(known) == len(hours):
        wall_h = sum(known) / CORES
        last += [f"{sum(known):.2f}", _time(wall_h), f"{virtual_h / wall_h:.0f}"]
    else:
        last += ["-", "-", "-"]
    yield from markdown(HEAD, [*rows, [*last, _time(waited_h)]], numbers_from=1)
    yield (
        "CPU time is that of all processes of a run, as the host's kernel counts it,"
        f" and wall time half of it: {CORES} cores that have nothing else to do. ±"
        " is the standard error where a sample was taken. *As it was run* is the sum"
        f" of the runs' wall times over {CORES}, which counts the time that they waited"
        " for a CPU that other work had."
    )
    if any(c.runs < c.planned for c in costs):
        yield ""
        yield (
            "Where there are fewer runs than the plan has, a stated subset was run; the"
            " file runs whole with `mpbench run`."
        )
    yield ""


def _row(each: Cost) -> list[str]:
    virtual_h = each.virtual_s / 3600
    cells = [each.name, str(each.runs), str(each.planned), f"{virtual_h:.2f}"]
    hours = each.cpu_hours
    if hours is None:
        cells += ["-", "-", "-", "-"]
    else:
        of = mean(each.cpu_s)
        some = f" ± {each.error * of:.2f}" if each.error else ""
        some += f" (sample of {len(each.cpu_s)})" if each.sampled else ""
        wall_h = hours / CORES
        ratio = f"{virtual_h / wall_h:.0f}" if wall_h else "-"
        cells += [f"{of:.2f}{some}", f"{hours:.3f}", _time(wall_h), ratio]
    return [*cells, _time(each.waited_s / 3600 / CORES)]


def _time(hours: float) -> str:
    minutes = 60 * hours
    if minutes < 1:
        return f"{60 * minutes:.0f} s"
    if minutes < 60:
        return f"{minutes:.1f} min"
    return f"{hours:.2f} h"
