"""What of a run is known over time, and how it is called."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """words : in running text; label : of its axis

    column : of the trace; empty for what receivers report
    scale : from the column to the label's unit
    """

    words: str
    label: str
    column: str = ""
    scale: float = 1.0


QUANTITIES: Mapping[str, Quantity] = {
    "goodput": Quantity("goodput", "goodput [Mbit/s]"),
    "throughput": Quantity("throughput", "throughput [Mbit/s]", "throughput_mbps"),
    "cwnd": Quantity("congestion windows", "window [segments]", "cwnd"),
    "ssthresh": Quantity("ssthresh", "ssthresh [segments]", "ssthresh"),
    "srtt": Quantity("round-trip times", "smoothed RTT [ms]", "srtt_us", 1e-3),
    "alpha": Quantity("alpha", "alpha", "alpha"),
    "beta": Quantity("beta", "beta", "beta"),
}
"""By the name in experiment files. alpha and beta are what docs/controllers.md says:
of OLIA alpha_r, of Balia its alpha_r, of LIA RFC 6356's, of EWTCP its weight a."""
