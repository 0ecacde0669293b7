"""The columns of what a repetition changes in its network."""

from jobs import Job


def columns(job: Job) -> dict[str, float]:
    """`LINK.delay_change_percent` of each link whose delay the repetition changes.

    The columns of parameters, such as `path1.delay_ms`, hold what the experiment asks
    for. The delay of the run differs from it by so much.
    """
    if job.report is None:
        return {}
    changes = job.report.delay_changes_percent
    return {f"{link}.delay_change_percent": value for link, value in changes.items()}
