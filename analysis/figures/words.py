"""Words from which the kinds of figures put their titles together."""

from collections.abc import Sequence

from analysis.campaign.columns import path_words, plain
from analysis.campaign.figure_request import Criterion

MEASURED_CRITERIA = {
    "first_path_quality": "the quality of the first path",
    "first_path_use": "what the first path carried",
    "mean_loss": "the mean loss probability",
}
"""Criteria that are measured, in words."""


def metric(name: str) -> str:
    """`share of path 1` for `traffic_split`."""
    named = {"traffic_split": "share of path 1", "smoothed_rtt": "smoothed RTT"}
    return named.get(name, plain(name))


def of_part(part: str | None) -> str:
    """`, steady single2`; empty for whole runs."""
    return f", {spaced(part)}" if part else ""


def of_users(users: Sequence[str] | None) -> str:
    """` of few and many`; empty for all users."""
    return f" of {listed(users)}" if users else ""


def sorted_by(criterion: Criterion | None, how: str = "against") -> str:
    """` against the absolute capacity difference`; empty without a criterion."""
    return f" {how} {_criterion(criterion)}" if criterion else ""


def by(factor: str | None) -> str:
    """` by path 1 loss`; empty without a factor."""
    return f" by {spaced(factor)}" if factor else ""


def of_case(case: str | None) -> str:
    """`, lia`; empty for all cases."""
    return f", {case}" if case else ""


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    *most, last = names or ("",)
    return f"{', '.join(most)} and {last}" if most else last


def spaced(name: str) -> str:
    """`path 1 queueing delay` for `path1.queueing_delay`."""
    return " ".join(path_words(part).replace("_", " ") for part in name.split("."))


def _criterion(criterion: Criterion) -> str:
    if criterion.factor in MEASURED_CRITERIA:
        return MEASURED_CRITERIA[criterion.factor]
    factor = criterion.factor.replace("_", " ").replace(".", " ")
    return {
        "absolute": f"the absolute {factor} difference",
        "signed": f"the {factor} difference (path 1 less path 2)",
        "none": spaced(criterion.factor),
    }[criterion.difference]


def criterion_parts(
    criterion: Criterion | None, by: str | None, log: str | None = None
) -> tuple[str | None, ...]:
    """The parts of a file's name for what sorts the runs."""
    factor = criterion.factor if criterion else None
    signed = "signed" if criterion and criterion.signed else None
    return (factor, by, *(("log", log) if log else ()), signed)


def point_parts(
    point: int, log: str | None = None, repetition: int = 0
) -> tuple[str, ...]:
    """The parts of a file's name for the runs that a figure shows."""
    parts = [f"point-{point}"] if point else []
    parts += [f"repetition-{repetition}"] if repetition else []
    return (*parts, *(("log", log) if log else ()))
