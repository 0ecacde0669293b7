"""The page about what campaigns cost."""

from collections.abc import Iterator, Sequence
from statistics import mean

from analysis.campaign.cost import Cost
from analysis.report.markdown import markdown

CORES = 2
"""The wall times are for a machine with this many cores and no other work."""
HEAD = (
    "campaign",
    "runs",
    "planned runs",
    "virtual hours",
    "CPU time per run [s]",
    "CPU hours",
    f"wall time on {CORES} cores",
    "virtual / wall",
    "wall time as run",
)


def page(costs: Sequence[Cost], machine: str) -> Iterator[str]:
    """The lines of a Markdown page with one table row per campaign, and a total.

    machine : the machine on which the CPU times were measured, in running text
    """
    yield "# What the campaigns cost"
    yield ""
    yield f"Measured on {machine}."
    yield ""
    rows = [_row(cost) for cost in costs]
    yield from markdown(HEAD, [*rows, _total(costs)], numbers_from=1)
    yield (
        "CPU time is the time of all processes of a run, as the host's kernel counts"
        f" it. *Wall time on {CORES} cores* is the CPU time divided by {CORES}: what a"
        f" machine with {CORES} cores and no other work needs. A ± precedes the"
        " standard error of the mean of a sample. *Wall time as run* is the sum of the"
        f" runs' wall times divided by {CORES}. It includes the time that the runs"
        " waited for a CPU that was busy with other work."
    )
    if any(cost.runs < cost.planned for cost in costs):
        yield ""
        yield (
            "A campaign with fewer runs than planned ran a stated subset of its plan."
            " `mpbench run` with its experiment file executes the rest."
        )
    yield ""


def _row(cost: Cost) -> list[str]:
    virtual_h = cost.virtual_s / 3600
    cells = [cost.name, str(cost.runs), str(cost.planned), f"{virtual_h:.2f}"]
    cpu_h = cost.cpu_hours
    if cpu_h is None:
        cells += ["-", "-", "-", "-"]
    else:
        mean_s = mean(cost.cpu_s)
        note = f" ± {cost.error * mean_s:.2f}" if cost.error else ""
        note += f" (sample of {len(cost.cpu_s)})" if cost.sampled else ""
        wall_h = cpu_h / CORES
        ratio = f"{virtual_h / wall_h:.0f}" if wall_h else "-"
        cells += [f"{mean_s:.2f}{note}", f"{cpu_h:.3f}", _time(wall_h), ratio]
    return [*cells, _time(cost.wall_s / 3600 / CORES)]


def _total(costs: Sequence[Cost]) -> list[str]:
    """The row of all campaigns, without CPU times if one campaign has none."""
    runs, planned = sum(c.runs for c in costs), sum(c.planned for c in costs)
    virtual_h = sum(c.virtual_s for c in costs) / 3600
    cells = ["**all**", str(runs), str(planned), f"{virtual_h:.1f}", ""]
    known = [c.cpu_hours for c in costs if c.cpu_hours is not None]
    if known and len(known) == len(costs):
        wall_h = sum(known) / CORES
        ratio = f"{virtual_h / wall_h:.0f}" if wall_h else "-"
        cells += [f"{sum(known):.2f}", _time(wall_h), ratio]
    else:
        cells += ["-", "-", "-"]
    return [*cells, _time(sum(c.wall_s for c in costs) / 3600 / CORES)]


def _time(hours: float) -> str:
    """A time with its unit: `20 s`, `3.0 min` or `1.25 h`."""
    minutes = 60 * hours
    if minutes < 1:
        return f"{60 * minutes:.0f} s"
    if minutes < 60:
        return f"{minutes:.1f} min"
    return f"{hours:.2f} h"
