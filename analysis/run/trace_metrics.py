"""Metrics of windows and round-trip times, from a run's trace."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

from analysis.run import path_names, traffic
from analysis.run.traffic import Traffic
from jobs import Job

FILE = "trace.csv"
STEADY_SHARE = 0.5
"""The windows are averaged over this last share of a phase."""
ONE_SIDED = 0.9
"""A user is one-sided while one path has at least this share of all paths' windows."""


def columns(artefacts: Path, job: Job) -> dict[str, Any]:
    """The columns of a run with a trace; none if it has no trace.

    artefacts : folder of the run's artefacts

    srtt_ms : mean smoothed round-trip time of the data of a host, then over these
        hosts: each sample of a subflow has the weight of the bytes that were
        acknowledged since the sample before. A subflow without data does not count.
    NAME.srtt_ms : the same for the host of a named entry, whose entries are not told
        apart
    PHASE.srtt_ms, PHASE.NAME.srtt_ms : the same in a phase

    In runs with phases, there are columns for each phase and each named entry that is
    the only one at its host. If a path has several subflows, their mean window counts.
    `path<i>` stands for the name of the path (`path_names`).

    PHASE.NAME.path<i>.cwnd : mean window in the second half of the phase, in segments
    PHASE.NAME.path<i>.rise_s : time from the start of the phase until the window first
        reaches that mean; 0 if it has it from the start. This is the convergence time
        of Peng et al. 2016, Table V, who do not define "the average congestion
        window"; here it is the mean after the change.
    PHASE.NAME.path<i>.cwnd_is_1 : share of the phase in which the window is a single
        segment, 0-1
    PHASE.NAME.one_sided : share of the phase in which one path has at least nine tenths
        of the windows of all paths, 0-1; for entries with several paths

    Raises ValueError if the trace cannot be read.
    """
    if not job.trace_s:
        return {}
    from analysis.run.readers import trace

    frame = _with_acked(trace.data(trace.read(artefacts / FILE)))
    entries = traffic.of_job(job)
    columns = _round_trips(frame, entries, "")
    for phase, (start_s, end_s) in job.phases.items():
        inside = (frame["time_s"] >= start_s) & (frame["time_s"] < end_s)
        columns |= _round_trips(frame[inside], entries, f"{phase}.")
    names = dict(enumerate(path_names.of_job(job), start=1))
    for entry in entries:
        alone = sum(entry.source in other.sources for other in entries) == 1
        if entry.name is None or not alone or len(entry.sources) > 1:
            continue
        for phase, (start_s, end_s) in job.phases.items():
            samples = _in_phase(frame, entry, start_s, end_s)
            for path, of_path in samples.groupby("path"):
                called = names.get(int(str(path)), f"path{path}")
                name = f"{phase}.{entry.name}.{called}"
                columns |= _of_path(name, of_path, start_s, end_s)
            if samples["path"].nunique() > 1:
                columns[f"{phase}.{entry.name}.one_sided"] = _one_sided(samples)
    return columns


def _with_acked(frame: "pd.DataFrame") -> "pd.DataFrame":
    """The samples with the bytes acknowledged since the one before, as `acked`.

    A subflow's first sample has all bytes until then.
    """
    by_subflow = frame.groupby(["host", "local", "remote"], sort=False)["bytes_acked"]
    acked = by_subflow.diff().fillna(frame["bytes_acked"]).clip(lower=0)
    return frame.assign(acked=acked)


def _round_trips(
    frame: "pd.DataFrame", entries: Sequence[Traffic[Any]], prefix: str
) -> dict[str, Any]:
    """The mean smoothed round-trip times in ms. prefix : `PHASE.` or nothing"""
    known = frame.dropna(subset=["srtt_us"])
    known = known[known["acked"] > 0]
    weighted = (known["srtt_us"] * known["acked"]).groupby(known["host"]).sum()
    means = (1e-3 * weighted / known.groupby("host")["acked"].sum()).to_dict()
    senders = dict.fromkeys(h for entry in entries for h in entry.sending_hosts)
    of_senders = [means[host] for host in senders if host in means]
    whole = fmean(of_senders) if of_senders else None
    columns: dict[str, Any] = {f"{prefix}srtt_ms": whole}
    for entry in entries:
        if entry.name is not None:
            own = [means[host] for host in entry.sending_hosts if host in means]
            columns[f"{prefix}{entry.name}.srtt_ms"] = fmean(own) if own else None
    return columns


def _one_sided(samples: "pd.DataFrame") -> float:
    """The share of the times, 0-1, at which one path has nearly all of the windows."""
    by_path = samples.pivot_table(
        index="time_s", columns="path", values="cwnd", aggfunc="sum", fill_value=0
    )
    largest_share = by_path.max(axis=1) / by_path.sum(axis=1)
    return float((largest_share >= ONE_SIDED).mean())


def _in_phase(
    frame: "pd.DataFrame", entry: Traffic[Any], start_s: float, end_s: float
) -> "pd.DataFrame":
    """The samples of an entry's sending host within a phase."""
    inside = (frame["time_s"] >= start_s) & (frame["time_s"] < end_s)
    return frame[inside & (frame["host"] == entry.sending_host)]


def _of_path(
    name: str, samples: "pd.DataFrame", start_s: float, end_s: float
) -> dict[str, float | None]:
    """The columns of one path in one phase. name : PHASE.NAME.path<i>"""
    over_time = samples.groupby("time_s")["cwnd"].mean()
    late = over_time[over_time.index >= end_s - STEADY_SHARE * (end_s - start_s)]
    single = {f"{name}.cwnd_is_1": float((over_time <= 1).mean())}
    if late.empty:
        return {f"{name}.cwnd": None, f"{name}.rise_s": None, **single}
    mean = float(late.mean())
    above = over_time[over_time >= mean]
    return {
        f"{name}.cwnd": mean,
        f"{name}.rise_s": max(0.0, float(above.index[0]) - start_s),
        **single,
    }
