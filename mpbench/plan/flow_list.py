"""The connections of a traffic entry of the tool `flows`, drawn by the run's seed.

The same entry and seed give the same connections, in all cases of an experiment and in
every execution of a run. A job keeps how they are drawn, their number, their bytes and
a hash, with which `drawn` proves that it draws what the plan drew.

Only `random.random()` is used, whose sequence Python keeps from version to version.
Every user has a generator of its own for its times, and one for its sizes.
"""

import bisect
import hashlib
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from jobs.entries import DrawnFlows
from jobs.entries.arrivals import Arrivals, AtOnce, Even
from jobs.entries.drawn import MOST_CONNECTIONS, Drawn, Pair
from jobs.entries.flow_sizes import (
    MOST_BYTES,
    Cdf,
    Exponential,
    Fixed,
    Listed,
    Pareto,
    Sizes,
)

NS = 1_000_000_000
LINES = "{0.user} {0.start_ns} {0.end_ns} {0.size}\n"


@dataclass(frozen=True)
class Flow:
    """One connection.

    user : number of its user, from 1
    start_ns : when it opens, after the beginning of the traffic
    end_ns : when it is given up, or, without a size, when it stops sending
    size : bytes to send; 0 for one that sends until `end_ns`
    """

    user: int
    start_ns: int
    end_ns: int
    size: int


@dataclass(frozen=True)
class Draws:
    """All that the connections of an entry follow from, beside the run's seed; each
    field is as in `jobs.entries.DrawnFlows`, without
    the hosts if users have no names."""

    users: int
    stream: int
    starts_s: tuple[float, float]
    lasts_s: tuple[float, float] | None
    connections: int | None
    size: Sizes | None
    arrivals: Arrivals
    timeout_s: float | None
    pairs: tuple[Pair, ...] | None
    counts: tuple[int, ...] | None
    assign: str | None


def draws(entry: DrawnFlows) -> Draws:
    """All that the connections of an entry follow from."""
    return Draws(
        users=entry.users,
        stream=entry.stream,
        starts_s=entry.starts_s,
        lasts_s=entry.lasts_s,
        connections=entry.connections,
        size=entry.size,
        arrivals=entry.arrivals,
        timeout_s=entry.timeout_s,
        pairs=None if entry.counts is None else entry.pairs,
        counts=entry.counts,
        assign=entry.assign,
    )


def complete(entry: DrawnFlows, seed: int) -> DrawnFlows:
    """The entry with what follows from drawing its connections.

    entry : `start_s`, `duration_s` and `drawn` do not count yet
    seed : of the run

    start_s : when the first user starts
    duration_s : from there until the last user opens no more connections, or until the
        last connection of a given duration ends
    drawn : number, bytes and hash of all connections, and of an entry of several users
        the number of those of each host

    Raises ValueError, in one line, for no connection, or more than there can be.
    """
    drawing = draws(entry)
    flows = _drawn(drawing, seed)
    users = [_user(drawing, seed, user) for user in _drawing(drawing)]
    if not flows:
        raise ValueError(
            "no connection is drawn; give a longer duration or higher rate"
        )
    start_s = min(user.start_s for user in users)
    ends = [user.end_s for user in users if user.end_s is not None]
    if not ends or (entry.connections is not None and entry.size is not None):
        ends = [flow.start_ns / NS for flow in flows]
    return replace(
        entry,
        start_s=round(start_s, 9),
        duration_s=round(max(0.0, max(ends) - start_s), 9),
        drawn=Drawn(
            flows=len(flows),
            bytes=sum(flow.size for flow in flows),
            sha256=_hash(flows),
            pairs=None if entry.counts is None else _by_host(entry, flows),
        ),
    )


def _by_host(entry: DrawnFlows, flows: tuple[Flow, ...]) -> tuple[int, ...]:
    """Number of connections that each host of several users opens."""
    found = Counter(ends_of(entry, flow.user)[0] for flow in flows)
    return tuple(found[here] for here, _ in entry.between)


def drawn(entry: DrawnFlows, seed: int) -> tuple[Flow, ...]:
    """The connections of a job's entry, by their starts.

    Raises ValueError if they are not those that the job's hash was made of.
    """
    flows = _drawn(draws(entry), seed)
    if _hash(flows) != entry.drawn.sha256:
        raise ValueError(
            "the connections that this version draws are not those of the job; "
            "`mpbench run` with the experiment's file makes new runs"
        )
    return flows


def ends_of(entry: DrawnFlows, user: int) -> tuple[str, str, int]:
    """The hosts of a user's connections, and its number at the host that opens them.

    user : as in `Flow`

    Between many hosts every pair draws as a user of its own. The pairs of a host are
    one user. Of several users of a network, those of the first host come first.
    """
    if entry.counts is not None:
        last = list(accumulate(entry.counts))
        place = bisect.bisect_left(last, user)
        here, there = entry.between[place]
        return here, there, user - (last[place - 1] if place else 0)
    if entry.pairs is None:
        return entry.source, entry.destination, user
    here, there = entry.pairs[user - 1]
    return here, there, 1


@dataclass(frozen=True)
class _User:
    """A user's start and the end of its duration, seconds; None for no duration."""

    start_s: float
    end_s: float | None


def _drawing(entry: Draws) -> list[int | str]:
    """Who draws times and sizes: the keys of the random numbers, in order.

    Mostly these are the users by their numbers. Several users of a network have the
    names of their hosts in their keys, so that one of them more does not change what
    the others draw. Where connections are assigned to users, all draw together.
    """
    if entry.assign:
        return [TOGETHER]
    if entry.counts is None:
        return list(range(1, entry.users + 1))
    return [
        f"{here}/{number}"
        for (here, _), count in zip(entry.pairs or (), entry.counts, strict=True)
        for number in range(1, count + 1)
    ]


def _assigned(entry: Draws, seed: int, flows: list[Flow]) -> Iterator[Flow]:
    """The connections of all users, each with the user who opens it.

    flows : by their starts
    """
    draw = _generator(entry, seed, TOGETHER, "assign")
    for number, flow in enumerate(flows):
        if entry.assign == "in_turn":
            user = number % entry.users
        else:
            user = int(draw.random() * entry.users)
        yield replace(flow, user=user + 1)


def _user(entry: Draws, seed: int, user: int | str) -> _User:
    draw = _generator(entry, seed, user, "user")
    low, high = entry.starts_s
    start_s = low + draw.random() * (high - low)
    lasts = entry.lasts_s
    if lasts is None:
        return _User(start_s, None)
    return _User(start_s, start_s + lasts[0] + draw.random() * (lasts[1] - lasts[0]))


TOGETHER = "all"
"""Key of the random numbers of users whose connections are drawn together."""


@lru_cache(maxsize=64)
def _drawn(entry: Draws, seed: int) -> tuple[Flow, ...]:
    """Cases of a point have the same connections, so they are drawn once."""
    found: list[Flow] = []
    for number, key in enumerate(_drawing(entry), start=1):
        user = _user(entry, seed, key)
        sizes = _sizes(entry.size, _generator(entry, seed, key, "sizes"))
        for start_s in _starts(entry, user, _generator(entry, seed, key, "times")):
            start_ns, size = round(start_s * NS), next(sizes)
            end_s = user.end_s if not size else start_s + (entry.timeout_s or 0.0)
            end_ns = max(round((end_s or 0.0) * NS), start_ns + 1)
            found.append(Flow(number, start_ns, end_ns, size))
            if len(found) > MOST_CONNECTIONS:
                raise ValueError(
                    f"more than {MOST_CONNECTIONS} connections, for which a host has no"
                    " ports; give fewer users, fewer connections, or a shorter duration"
                )
    found.sort(key=lambda flow: (flow.start_ns, flow.user))
    return tuple(_assigned(entry, seed, found) if entry.assign else found)


def _starts(entry: Draws, user: _User, draw: random.Random) -> Iterator[float]:
    """The times at which a user opens connections, seconds, rising."""
    arrivals, most = entry.arrivals, entry.connections
    if isinstance(arrivals, AtOnce):
        times: Iterator[float] = iter([user.start_s] * (most or 0))
    elif isinstance(arrivals, Even):
        times = _even(user.start_s, arrivals.every_s)
    else:
        rates, every_s = arrivals.rates_per_s, arrivals.every_s
        times = _poisson(user.start_s, rates, every_s, draw)
    for number, time_s in enumerate(times):
        late = user.end_s is not None and time_s >= user.end_s
        if late or (most is not None and number >= most):
            return
        yield time_s


def _even(start_s: float, every_s: float) -> Iterator[float]:
    number = 0
    while True:
        yield start_s + number * every_s
        number += 1


def _poisson(
    start_s: float, rates: Sequence[float], every_s: float | None, draw: random.Random
) -> Iterator[float]:
    """A Poisson process whose rate changes every `every_s`, from one of `rates` to the
    next and from the last to the first. None: it has one rate.

    Exponential steps of mean 1 are turned into times by the integral of the rate. Whole
    turns of all rates within a step are left out of the search.
    """
    time_s, part, ends_s = start_s, 0, start_s + (every_s or math.inf)
    turn = sum(rates) * (every_s or math.inf)
    while True:
        left = -math.log(1.0 - draw.random())
        if left > turn:
            turns, left = divmod(left, turn)
            time_s += turns * len(rates) * (every_s or 0.0)
            ends_s += turns * len(rates) * (every_s or 0.0)
        while time_s + left / rates[part] >= ends_s:
            left -= (ends_s - time_s) * rates[part]
            time_s, ends_s = ends_s, ends_s + (every_s or math.inf)
            part = (part + 1) % len(rates)
        time_s += left / rates[part]
        yield time_s


def _sizes(size: Sizes | None, draw: random.Random) -> Iterator[int]:
    """Sizes without end, in bytes, at least 1; 0 where connections have no size."""
    number = 0
    while True:
        if size is None:
            yield 0
        elif isinstance(size, Listed):
            yield size.bytes[number % len(size.bytes)]
            number += 1
        else:
            yield int(min(max(1, round(_size(size, draw))), MOST_BYTES))


def _size(size: Fixed | Pareto | Exponential | Cdf, draw: random.Random) -> float:
    """One size by the inverse of the distribution function, or the fixed size."""
    if isinstance(size, Fixed):
        return float(size.bytes)
    part = draw.random()
    if isinstance(size, Exponential):
        return -size.mean_bytes * math.log(1.0 - part)
    if isinstance(size, Pareto):
        least = size.mean_bytes * (size.shape - 1) / size.shape
        return least * (1.0 - part) ** (-1 / size.shape)  # type: ignore[no-any-return]
    return inverse_cdf(size.points, part)


def inverse_cdf(points: Sequence[tuple[float, float]], part: float) -> float:
    """The size up to which a share of the transfers are, linear between the points.

    points : (size, probability), both rising, the last probability 1
    part : 0 <= part < 1

    The first point's probability is that of its size itself.
    """
    before = points[0]
    if part <= before[1]:
        return before[0]
    for after in points[1:]:
        if part <= after[1]:
            share = (part - before[1]) / (after[1] - before[1])
            return before[0] + share * (after[0] - before[0])
        before = after
    return before[0]


def _generator(entry: Draws, seed: int, user: int | str, what: str) -> random.Random:
    return random.Random(f"{seed}/flows/{entry.stream}/{user}/{what}")


def _hash(flows: tuple[Flow, ...]) -> str:
    """SHA-256, hexadecimal, of one line per connection."""
    total = hashlib.sha256()
    for flow in flows:
        total.update(LINES.format(flow).encode())
    return total.hexdigest()
