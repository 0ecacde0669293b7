"""The row of the table of runs, computed from a run's folder."""

from pathlib import Path
from typing import Any

from analysis.run import (
    absent,
    artefacts,
    capture_metrics,
    event_columns,
    labels,
    max_min_metrics,
    path_names,
    perturbed,
    run_metrics,
    steadiness,
    trace_metrics,
    traffic,
    validity,
    waiting,
)
from analysis.run.outcomes import columns
from analysis.run.outcomes.endings import Read
from analysis.run.readers import job as job_file
from analysis.run.readers import plugin_numbers, stored_row
from jobs import Job


def row(run_directory: Path) -> dict[str, Any]:
    """The verdict, the settings and all metrics of one run, by column name.

    run_directory : the run's folder with `job.json` and `artefacts/`; it is only read.
        If its captures were removed, their metrics come from its `row.json`.

    verdict
        `ok`, `invalid` if the network or the traffic was not what the job asked for
        (the metrics are there, but they must not enter statistics), `timeout` if
        traffic did not end although nothing in the job keeps it from ending, or
        `failed` if the run cannot be measured
    reason
        why the verdict is not `ok`, in one line; "" for ok

    Raises ValueError if `job.json` cannot be read. Whatever else is missing or damaged
    makes the verdict `failed`.
    """
    job = job_file.read(run_directory / "job.json")
    with labels.no_paths(path_names.misread(job)):
        return _row(run_directory, job)


def _row(run_directory: Path, job: Job) -> dict[str, Any]:
    settings = _settings(job)
    try:
        run = artefacts.load(run_directory, job)
        measured = run_metrics.row(run)
        measured |= steadiness.columns(run)
        measured |= max_min_metrics.columns(run)
        measured |= path_names.measured(run, {**settings, **measured})
        measured |= trace_metrics.columns(run_directory / "artefacts", job)
        gone = capture_metrics.removed(run_directory / "artefacts", run)
        stored = stored_row.read(run_directory) if gone else {}
        measured |= capture_metrics.of_row(stored, run)
        measured |= capture_metrics.columns(run_directory / "artefacts", run)
        measured |= event_columns.columns(run_directory / "artefacts")
        measured |= waiting.columns(run, run_directory / "artefacts")
        read = [Read(report) for report in run.reports]
        noted = columns.noted(run_directory / "artefacts")
        measured |= columns.of_entries(
            run.traffic, run.counters, read, run.endings, noted
        )
        measured |= plugin_numbers.metrics(run_directory / "artefacts", job)
        captured = ""
        if measured.get("capture_retransmission_ratio") is None:
            captured = capture_metrics.why_none(run_directory / "artefacts", run)
            captured = capture_metrics.why_none_by_row(stored) if gone else captured
        measured |= absent.column(run, {**settings, **measured}, captured)
    except (ValueError, ArithmeticError) as error:
        ended = "timeout" if isinstance(error, artefacts.TimedOut) else "failed"
        known = columns.columns(run_directory / "artefacts", traffic.of_job(job))
        return {"verdict": ended, "reason": _one_line(error), **settings, **known}
    reasons = validity.reasons(run)
    verdict = "invalid" if reasons else "ok"
    return {
        "verdict": verdict,
        "reason": "; ".join(reasons),
        **{key: value for key, value in settings.items() if key not in measured},
        **measured,
    }


def _settings(job: Job) -> dict[str, Any]:
    """The columns that repeat what the job asked for."""
    transport = job.transport
    return {
        "protocol": transport.protocol,
        "congestion_control": transport.congestion_control,
        "scheduler": transport.scheduler if not transport.one_path else None,
        "path": transport.path,
        **job.parameters,
        **path_names.settings(job),
        **perturbed.columns(job),
    }


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
