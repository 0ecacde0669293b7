"""Impairments of packets on links, beyond delay and independent loss.

All of it happens in the delay line (netem), before the queue. This file uses the
standard library only, because the guest imports it.
"""

from dataclasses import asdict, dataclass
from typing import Any

from topologies.parameters import Trait, trait, traits


@dataclass(frozen=True)
class BurstLoss:
    """Loss by the model of Gilbert and Elliott: two states, which packets change.

    enter_percent : probability per packet that a good state turns bad, p
    leave_percent : probability per packet that a bad state turns good, r
    bad_percent, good_percent : probability that a packet is lost in each state
    """

    enter_percent: float
    leave_percent: float
    bad_percent: float = 100.0
    good_percent: float = 0.0

    @property
    def share_percent(self) -> float:
        """The share of packets that are lost.

        The state is bad for the share p / (p + r) of all packets.
        """
        p, r = self.enter_percent, self.leave_percent
        return (p * self.bad_percent + r * self.good_percent) / (p + r)


@dataclass(frozen=True)
class Reordering:
    """Packets that overtake others.

    share_percent : share of packets that do
    correlation_percent : how much each packet's luck depends on that of the last one
    by_ms : how much earlier such a packet leaves the delay line; None for all of the
        delay
    """

    share_percent: float
    correlation_percent: float = 0.0
    by_ms: float | None = None


def _share(key: str, netem: str, doc: str) -> Any:
    """The field of a share of packets to which netem does something."""
    found = Trait(key=key, unit="%", low=0, high=100, doc=doc, netem=netem)
    return trait(0.0, found)


@dataclass(frozen=True)
class Impairments:
    """Impairments of a direction of a link; None or 0 for those that it has not."""

    burst_loss: BurstLoss | None = None
    reordering: Reordering | None = None
    duplication_percent: float = _share(
        "duplication", "duplicate", "Share of packets that arrive twice."
    )
    corruption_percent: float = _share(
        "corruption", "corrupt", "Share of packets of which one bit is changed."
    )

    def to_json(self) -> dict[str, Any]:
        """The impairments as a job has them, without what is not there."""
        return {key: value for key, value in asdict(self).items() if value}


def fault(
    impairments: Impairments, delay_ms: float, jitter_ms: float, loss_percent: float
) -> str:
    """Reason why a direction of a link cannot have the impairments; empty if it can.

    delay_ms, jitter_ms, loss_percent : of the direction
    """
    order = impairments.reordering
    if impairments.burst_loss and loss_percent:
        return "burst_loss works beside no loss; write its 'good' instead"
    if order and not delay_ms:
        return "reordering needs a delay, because some packets are not delayed"
    most_ms = delay_ms - jitter_ms
    if order and order.by_ms not in (None, delay_ms) and order.by_ms > most_ms:
        reason = f"reordering by {order.by_ms:g} ms is more than the delay less the"
        return f"{reason} jitter, {most_ms:g} ms; take 'by' away for the whole delay"
    if (
        order
        and order.by_ms not in (None, delay_ms)
        and impairments.duplication_percent
    ):
        return "reordering 'by' less than the delay and duplication exclude one another"
    return ""


def options(impairments: Impairments) -> str:
    """netem's options, each with a space before it, without those of reordering."""
    words = ""
    if burst := impairments.burst_loss:
        numbers = (
            burst.enter_percent,
            burst.leave_percent,
            burst.bad_percent,
            burst.good_percent,
        )
        words += " loss gemodel " + " ".join(f"{n:.7g}%" for n in numbers)
    for name, found in traits(Impairments).items():
        if percent := getattr(impairments, name):
            words += f" {found.netem} {percent:.7g}%"
    return words


def reorder_option(reordering: Reordering) -> str:
    """netem's option for reordering, with a space before it."""
    words = f" reorder {reordering.share_percent:.7g}%"
    if reordering.correlation_percent:
        words += f" {reordering.correlation_percent:.7g}%"
    return words
