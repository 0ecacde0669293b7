"""Traces of radio links from a model with stated statistics.

The capacity C is log-normal, and its logarithm is a Gauss-Markov process (AR(1)):

    ln C_k = m + s x_k,    x_k = a x_(k-1) + sqrt(1 - a^2) e_k,    a = exp(-d / T)

with e_k drawn from the standard normal distribution, a step of d = 1 ms, and

    s^2 = ln(1 + v^2)      v: coefficient of variation of C
    T                      coherence time: x has the correlation exp(-t / T) over t

Outages are a Markov process of two states. Times between them and their lengths are
exponential. The capacity is 0 in an outage, and the process x goes on.

At last the trace is scaled, so that its mean is the one that was asked for, outages
included. The model has no memory of a base station, no handover and no retransmissions.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from topologies.shaping import FRAME_BYTES

STEP_S = 0.001
MOST_S = 3600.0
LEAST_SHARE = 0.05
"""Of the time, without outages. The capacity is scaled up by what outages take."""
MOST_PACKETS = 4_000_000
FRAME_BITS = FRAME_BYTES * 8


@dataclass(frozen=True)
class Model:
    """The statistics of a trace.

    variation : coefficient of variation of the capacity outside outages, 0 to 3
    coherence_s : time over which the correlation of the logarithm falls to 1/e, above 0
    outage_every_s : mean time between outages; None for no outages
    outage_s : mean length of an outage
    """

    variation: float
    coherence_s: float
    outage_every_s: float | None = None
    outage_s: float = 1.0


KINDS = {
    "lte": Model(variation=0.5, coherence_s=1.0),
    "wifi": Model(variation=0.3, coherence_s=0.1),
}
"""Choices of ours for a slow and a fast process. They are no measurements."""


def rates_mbps(
    model: Model, mean_mbps: float, duration_s: float, seed: int
) -> list[float]:
    """The capacity of each millisecond, whose mean is `mean_mbps`.

    Traces of two models share no random numbers, even with the same seed, so that the
    fades of two links are independent.

    Raises ValueError if nearly all of it is outages.
    """
    count = round(duration_s / STEP_S)
    gauss = random.Random(f"{seed}/{model}/rates")
    deviation = math.sqrt(math.log(1 + model.variation**2))
    kept = math.exp(-STEP_S / model.coherence_s)
    fresh = math.sqrt(1 - kept**2)
    x = gauss.gauss(0, 1)
    raw = []
    for out in _outages(model, count, seed):
        raw.append(0.0 if out else math.exp(deviation * x))
        x = kept * x + fresh * gauss.gauss(0, 1)
    total = math.fsum(raw)
    if sum(value > 0 for value in raw) < LEAST_SHARE * count:
        reason = f"outages fill more than {1 - LEAST_SHARE:.0%} of the trace"
        raise ValueError(f"{reason}; make them shorter or rarer")
    scale = mean_mbps * count / total
    return [scale * value for value in raw]


def _outages(model: Model, count: int, seed: int) -> Iterator[bool]:
    """Whether the link is out, for each millisecond."""
    if model.outage_every_s is None:
        yield from (False for _ in range(count))
        return
    draw = random.Random(f"{seed}/{model}/outages")
    out, left = False, draw.expovariate(1 / model.outage_every_s)
    for _ in range(count):
        while left <= 0:
            out = not out
            left += draw.expovariate(
                1 / (model.outage_s if out else model.outage_every_s)
            )
        yield out
        left -= STEP_S


def opportunities_ms(rates: list[float]) -> list[int]:
    """The times at which the link can deliver a full packet, in whole milliseconds.

    rates : capacity of each millisecond in Mbit/s, counted over whole frames

    A packet is delivered in the millisecond in which its last bit fits. The last time
    is the length of the trace, so the last packet is delivered then.
    """
    credit_bits = 0.0
    times: list[int] = []
    for number, rate in enumerate(rates, start=1):
        credit_bits += rate * 1e3
        packets = int(credit_bits / FRAME_BITS)
        credit_bits -= packets * FRAME_BITS
        times += [number] * packets
    if not times or times[-1] < len(rates):
        times.append(len(rates))
    return times
