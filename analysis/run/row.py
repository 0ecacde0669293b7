"""One run's directory to one row of the table."""

from pathlib import Path
from typing import Any

from analysis.run import (
    artefacts,
    capture_metrics,
    run_metrics,
    trace_metrics,
    validity,
)
from analysis.run.job import Job, read_job


def row(run_directory: Path) -> dict[str, Any]:
    """Verdict, reason, what was asked, and every metric of one run.

    run_directory : holds `job.json` and `artefacts/`; only read

    verdict
        `ok`; `invalid` if the network or the traffic was not what was asked (the
        metrics stand there, and enter no statistic); `failed` if there is nothing
        to measure.
    reason : one line, "" for ok

    Never raises for what a run left or failed to leave; raises ValueError if
    `job.json` itself cannot be read.
    """
    job = read_job(run_directory / "job.json")
    described = _described(job)
    try:
        run = artefacts.load(run_directory)
        measured = run_metrics.row(run)
        measured |= trace_metrics.columns(run_directory / "artefacts", job)
        measured |= capture_metrics.columns(run_directory / "artefacts", run)
    except ValueError as error:
        return {"verdict": "failed", "reason": _line(error), **described}
    why = validity.reasons(run)
    verdict = "invalid" if why else "ok"
    return {
        "verdict": verdict,
        "reason": "; ".join(why),
        **{key: value for key, value in described.items() if key not in measured},
        **measured,
    }


def _described(job: Job) -> dict[str, Any]:
    transport = job.transport
    return {
        "protocol": transport.protocol,
        "congestion_control": transport.congestion_control,
        "scheduler": transport.scheduler if transport.protocol == "mptcp" else None,
        "path": transport.path,
        **job.parameters,
    }


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
