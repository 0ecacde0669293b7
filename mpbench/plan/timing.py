"""Virtual time of a run: the expected time, and the limit."""

import math
from collections.abc import Iterator, Mapping, Sequence

from analysis.run import schedules
from jobs import Entry, Job
from jobs.changes import UP, Series
from jobs.entries import DrawnFlows
from mpbench.spec.vocabulary import CONGESTION_CONTROLS, RATE_CONTROLS
from topologies import families
from topologies.parameters import DOWN
from topologies.queues import FRAME_BYTES

Values = Mapping[str, float | int | None]

PACKET_BITS = 8 * FRAME_BYTES
SLACK_S = 30.0  # set-up, handshakes with a few lost SYNs, and tidying away
SLACK_ROUND_TRIPS = 10
ROUND_TRIPS_PER_REQUEST = 3  # to connect, to be answered, to close
ALL_LOST_PERCENT = 100.0
BY_LOSS = frozenset(CONGESTION_CONTROLS) - {*RATE_CONTROLS, "cmpbbr"}
"""Controllers that halve their window, or take a share of it away, at a loss."""
WORST_SHARE = 0.05  # of the slowest path, assumed for a transfer of a given size


def _named(values: Values, quantity: str) -> list[float]:
    """The values of all parameters of that quantity, such as `delay_ms`."""
    return [float(v or 0) for k, v in values.items() if k.endswith(f".{quantity}")]


def round_trip_s(values: Values) -> float:
    """A bound on the round-trip time: all delays and full queues, end to end."""
    ms = 2 * sum(_named(values, "delay_ms")) + 2 * sum(_named(values, "jitter_ms"))
    ms += sum(_named(values, "queueing_delay_ms"))
    ms += sum(_named(values, f"{DOWN}queueing_delay_ms"))
    ms += sum(_named(values, f"{DOWN}delay_ms"))
    for key, packets in values.items():
        prefix, _, quantity = key.rpartition(".")
        way = DOWN if quantity == f"{DOWN}queue_packets" else ""
        capacity = values.get(f"{prefix}.{way}capacity_mbps")
        capacity = capacity or values.get(f"{prefix}.capacity_mbps")
        if quantity == f"{way}queue_packets" and packets and capacity:
            ms += packets * PACKET_BITS / capacity / 1e3
    return ms / 1e3


def used_mbps(
    job: Job,
    entries: Sequence[Entry] | None = None,
    span: tuple[float, float] | None = None,
    losses: bool = False,
) -> float:
    """The capacity that traffic can use: the sum over all links that its transports may
    take. This is too much where links follow one another.

    entries : the entries that count; all of the job's by default
    span : the time over which links that change have their mean; by default the first
        period, or the time until the last change
    losses : whether random losses count, which keep most controllers from the capacity
    """
    every = job.traffic if entries is None else entries
    if families.is_name(job.topology or ""):
        # All paths of a host begin with its own links.
        hosts = {here for entry in every for here in entry.sources}
        first = {path[0] for path in paths(job, next(iter(hosts)))}
        values = job.parameters
        return len(hosts) * sum(_capacity_mbps(values, link, "") for link in first)
    series = job.changes
    links: dict[str, float] = {}
    for entry in every:
        way = DOWN if entry.reverse else ""
        for link in _links(job, entry):
            mbps = _capacity_mbps(job.parameters, link, way)
            if series:
                mbps = _mean_mbps(series, link, not entry.reverse, mbps, span)
            links[link] = max(mbps, links.get(link, 0.0))
    if losses:
        most = _lossy_mbps(job, every)
        return sum(min(mbps, most[link]) for link, mbps in links.items())
    return sum(links.values())


def _lossy_mbps(job: Job, entries: Sequence[Entry]) -> dict[str, float]:
    """The rate that losses leave to the connections of each link.

    A connection under loss p and round-trip time T gets MSS / T sqrt(3 / (2 p))
    (Mathis et al., CCR 1997, eq. 3, without delayed acknowledgements). Delays alone
    count as T. A controller that sets rates has no such limit.
    """
    most: dict[str, float] = {}
    for entry in entries:
        transport = job.transport_of(entry)
        control = transport.congestion_control
        by_loss = control in BY_LOSS
        flows = entry.connections_at_a_time
        for path in _taken(job, entry):
            mbps = flows * _square_root_mbps(job, path, entry) if by_loss else math.inf
            for link in path:
                most[link] = most.get(link, 0.0) + mbps
    return most


def _square_root_mbps(job: Job, path: Sequence[str], entry: Entry) -> float:
    values, way = job.parameters, DOWN if entry.reverse else ""
    passes, trip_ms = 1.0, 0.0
    for link in path:
        lost = values.get(f"{link}.{way}loss_percent")
        lost = values.get(f"{link}.loss_percent") if lost is None else lost
        passes *= 1 - float(lost or 0) / 100
        there = float(values.get(f"{link}.delay_ms") or 0)
        back = values.get(f"{link}.{DOWN}delay_ms")
        trip_ms += there + (there if back is None else float(back))
    if passes == 1 or not trip_ms:
        return math.inf
    return PACKET_BITS / (1e3 * trip_ms) * math.sqrt(1.5 / (1 - passes))


def fastest_path_mbps(job: Job) -> float:
    """The rate of the fastest path over which bulk data go, by the
    slowest link of the path; 0 if there is none, or if no link of it has a rate.

    Of users that stand for many, the first one's paths count.
    """
    fastest = 0.0
    for entry in job.traffic:
        if not entry.bulk:
            continue
        way = DOWN if entry.reverse else ""
        transport = job.transport_of(entry)
        taken = paths(job, entry.source)
        if transport.one_path:
            number = transport.path or 1
            taken = taken[number - 1 : number]
        for path in taken:
            rates = [_capacity_mbps(job.parameters, link, way) for link in path]
            fastest = max(fastest, min(filter(None, rates), default=0.0))
    return fastest


def works_at(job: Job, entry: Entry, time_s: float) -> bool:
    """Whether packets pass on a path of an entry at a time, in both directions."""
    return any(
        all(
            _passes(job.parameters, job.changes, link, forward, time_s)
            for link in path
            for forward in (True, False)
        )
        for path in _taken(job, entry)
    )


def _passes(
    values: Values,
    series: Sequence[Series],
    link: str,
    forward: bool,
    time_s: float,
) -> bool:
    """Whether a link has a capacity at a time, and does not lose every packet."""
    way, until_s = "" if forward else DOWN, time_s + 1e-9
    mbps = _capacity_mbps(values, link, way) or math.inf
    rates = schedules.capacity(series, link, forward, mbps, until_s)
    percent = values.get(f"{link}.{way}loss_percent")
    percent = values.get(f"{link}.loss_percent") if percent is None else percent
    losses = schedules.over_time(
        series, link, "loss_percent", forward, float(percent or 0), until_s
    )
    passes = schedules.at(losses, time_s) < ALL_LOST_PERCENT
    return passes and schedules.at(rates, time_s) > 0


def first_delay_s(job: Job, entry: Entry) -> float:
    """The one-way delay of an entry's first path, from the host that connects."""
    values = job.parameters
    if not any(_named(values, "delay_ms")):
        return 0.0
    path = next(iter(_taken(job, entry)), ())
    return sum(float(values.get(f"{link}.delay_ms") or 0) for link in path) / 1e3


def _mean_mbps(
    series: Sequence[Series],
    link: str,
    forward: bool,
    before_mbps: float,
    span: tuple[float, float] | None,
) -> float:
    """The mean capacity of a link that may change."""
    own = [one for one in series if one.link == link]
    if not own:
        return before_mbps
    begin_s, end_s = span or (0.0, max(one.period_s or one.at_s[-1] for one in own))
    steps = schedules.capacity(own, link, forward, before_mbps, end_s)
    return schedules.mean(steps, begin_s, end_s)


def _capacity_mbps(values: Values, link: str, way: str) -> float:
    """The capacity of a link in one direction. way : `down_`, or empty"""
    own = values.get(f"{link}.{way}capacity_mbps")
    return float(own or values.get(f"{link}.capacity_mbps") or 0)


def _links(job: Job, entry: Entry) -> Iterator[str]:
    for path in _taken(job, entry):
        yield from path


def _taken(job: Job, entry: Entry) -> Sequence[Sequence[str]]:
    """The paths that the transport of an entry takes, each as its links.

    Between many hosts of a data centre these are the paths of one host.
    """
    transport = job.transport_of(entry)
    hosts = entry.sources if entry.several_users else (entry.source,)
    taken: list[Sequence[str]] = []
    for host in hosts:
        own = paths(job, host)
        if transport.one_path:
            number = transport.path or 1
            own = own[number - 1 : number]
        taken += own
    return taken


def paths(job: Job, host: str) -> Sequence[Sequence[str]]:
    """The paths of a host. They are read from the job itself, because a plan asks for
    them once per traffic entry of each run."""
    if job.network is None:
        return job.description.user(host).paths
    return next(user.paths for user in job.network.users if user.host == host)


def traffic_end_s(job: Job, entry: Entry) -> float:
    """When an entry's traffic ends if it gets the whole capacity."""
    return entry.start_s + _lasts_s(job, entry)


def _lasts_s(job: Job, entry: Entry) -> float:
    if isinstance(entry, DrawnFlows) and entry.size is not None:
        rate = max(used_mbps(job, [entry]), 1e-6) * 1e6
        lasts_s = 8 * entry.drawn.bytes / rate + round_trip_s(job.parameters)
        most_s = entry.duration_s + (entry.timeout_s or 0.0)
        return float(min(max(lasts_s, entry.duration_s), most_s))
    if entry.duration_s is not None:
        return float(entry.duration_s)
    if entry.at_a_time:
        return float((entry.request_count or 0) * request_s(job, entry))
    rate = max(used_mbps(job, [entry]), 1e-6) * 1e6
    lasts_s = 8 * (entry.bytes or 0) / rate + round_trip_s(job.parameters)
    timeout_s = entry.given_up_s
    return float(min(lasts_s, timeout_s or lasts_s))


def request_s(job: Job, entry: Entry) -> float:
    """Time per request over the first path, several in parallel, without slow start or
    queues, and with the time until the next one."""
    rate = max(used_mbps(job, [entry]), 1e-6) * 1e6
    trip_s = 2 * first_delay_s(job, entry)
    turns = ROUND_TRIPS_PER_REQUEST / entry.at_a_time
    return float(8 * (entry.bytes or 0) / rate + turns * trip_s + entry.between_s)


def known_end_s(entries: Sequence[Entry]) -> float | None:
    """When the last traffic ends, at the latest; None where an entry is not limited by
    time."""
    ends = []
    for entry in entries:
        if entry.duration_s is None:
            return None
        ends.append(float(entry.start_s + entry.duration_s + entry.outlasts_s))
    return max(ends)


def time_limit_s(
    values: Values,
    entries: Sequence[Entry],
    series: Sequence[Series] = (),
) -> float:
    """Virtual time after which a run certainly hangs, in whole seconds.

    This is the end of the last traffic, plus 30 s, plus ten round trips with full
    queues. A transfer of a given size is assumed to get 5 % of the slowest path's
    capacity, shared by all entries. Of a link that changes, its lowest capacity counts,
    its longest delay, and the time in which it has none.
    """
    down = [mbps for mbps in _named(values, f"{DOWN}capacity_mbps") if mbps]
    capacities = [*_named(values, "capacity_mbps"), *down]
    at_least = min([*capacities, *_values(series, "capacity_mbps")], default=0.0)
    slowest = at_least * _share_of_time(series)
    rate = max(slowest, 1e-6) * 1e6 * WORST_SHARE / len(entries)
    ends = [entry.start_s + _at_most_s(values, entry, rate) for entry in entries]
    trip_s = round_trip_s(values)
    if capacities and at_least < min(capacities):
        trip_s *= min(capacities) / at_least
    trip_s += 2e-3 * max(_values(series, "delay_ms"), default=0.0)
    slack = SLACK_S + SLACK_ROUND_TRIPS * trip_s + _out_s(series)
    return float(int(max(ends) + slack) + 1)


def _values(series: Sequence[Series], quantity: str) -> list[float]:
    """The values of a quantity above 0 in all changes."""
    every = (one for one in series if one.quantity == quantity)
    return [value for one in every for value in one.values if value]


def _out_s(series: Sequence[Series]) -> float:
    """The time that links are out in all: once, or in a period."""
    total = 0.0
    for one in series:
        if one.quantity in ("capacity_mbps", UP):
            end_s = one.period_s or one.at_s[-1]
            steps = schedules.over_time(
                (one,), one.link, one.quantity, one.of(True), 1, end_s
            )
            total += sum(b - a for a, b in schedules.zero_spans(steps, end_s))
    return total


def _share_of_time(series: Sequence[Series]) -> float:
    """The least share of a period in which a link that changes again is not out."""
    shares = [1.0]
    for one in series:
        if one.period_s and one.quantity in ("capacity_mbps", UP):
            shares.append(1 - _out_s((one,)) / one.period_s)
    return max(min(shares), 0.01)


def _at_most_s(values: Values, entry: Entry, rate: float) -> float:
    """Time that an entry takes at a rate of `rate` bit/s."""
    duration_s = entry.duration_s
    if entry.at_a_time:
        bits = 8 * (entry.bytes or 0)
        if duration_s is not None:  # the last answers are waited for
            answers_s = bits * entry.at_a_time / rate
            return float(duration_s + answers_s + entry.outlasts_s)
        turn_s = ROUND_TRIPS_PER_REQUEST * round_trip_s(values) + entry.between_s
        count = entry.request_count or 0
        return float(count * (bits / rate + turn_s) + entry.outlasts_s)
    if duration_s is not None:
        return float(duration_s) + entry.outlasts_s
    if entry.given_up_s is not None:
        return float(entry.given_up_s)
    return float(8 * (entry.bytes or 0) / rate)
