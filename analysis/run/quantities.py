"""The quantities of a run that are known over time, with their names and units."""

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.run.number_columns import words


@dataclass(frozen=True)
class Quantity:
    """A quantity over time.

    words : its name in running text
    label : its name with the unit, for an axis
    column : the column of the trace that has it; "" if it comes from what receivers
        report
    scale : factor from the column's unit to the label's
    """

    words: str
    label: str
    column: str = ""
    scale: float = 1.0


QUANTITIES: Mapping[str, Quantity] = {
    "goodput": Quantity("goodput", "goodput [Mbit/s]"),
    "jain": Quantity("fairness", "Jain's fairness index"),
    "throughput": Quantity("throughput", "throughput [Mbit/s]", "throughput_mbps"),
    "cwnd": Quantity("congestion windows", "window [segments]", "cwnd"),
    "ssthresh": Quantity("ssthresh", "ssthresh [segments]", "ssthresh"),
    "srtt": Quantity("round-trip times", "smoothed RTT [ms]", "srtt_us", 1e-3),
    "alpha": Quantity("alpha", "alpha", "alpha"),
    "beta": Quantity("beta", "beta", "beta"),
    "rate": Quantity("rates", "rate [Mbit/s]", "rate_mbps"),
    "phase": Quantity("phases of MPCC", "phase (1, 2, 3)", "phase"),
    "utility": Quantity("utilities", "utility", "utility"),
    "interval_loss": Quantity(
        "loss per monitor interval", "loss [%]", "interval_loss_percent"
    ),
    "rtt_slope": Quantity("slopes of the RTT", "d RTT / d t", "rtt_slope"),
    "scheduler_number": Quantity(
        "the scheduler's number", "scheduler's number", "scheduler_number"
    ),
}
"""Quantities by their names in experiment files. The meaning of alpha and beta depends
on the controller (docs/controllers.md): alpha is alpha_r for OLIA and Balia, alpha of
RFC 6356 for LIA, and the weight a for EWTCP. The five from `rate` on are of mpcc
(docs/mpcc.md). The scheduler's number is what it publishes (docs/extending.md)."""

FAIRNESS = "jain"
"""The quantity that is computed from the goodputs of all entries."""

DOT = "."
"""In the names of series of users' own tools, and in no other quantity's."""


def is_own(name: str) -> bool:
    """Whether a quantity is a series of a user's own tool."""
    return DOT in name


def of(name: str) -> Quantity:
    """The quantity of a name: one of QUANTITIES, or the column `TOOL.NAME_UNIT` of a
    series. Raises KeyError for any other name."""
    if not is_own(name):
        return QUANTITIES[name]
    what, unit = words(name)
    return Quantity(what, f"{what} [{unit}]" if unit else what)
