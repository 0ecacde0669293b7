"""Suggestions in place of a name that an experiment file cannot use."""

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence

LEAST_LIKENESS = 0.5
"""A name is offered only if it is at least this similar, from 0 to 1."""

SURE_LIKENESS = 0.8
"""So similar a key of the same mapping is meant, even if another part has the name."""

LONGEST_NAME = 60
"""A longer name is no typing error, and comparing it would take long."""

MOST_LISTED = 24
"""Of more names a message has the first `FIRST_LISTED` alone."""
FIRST_LISTED = 12

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    # keys of the file
    "runs": ("repetitions", "requests"),
    "reps": ("repetitions",),
    "repeat": ("repetitions",),
    "repeats": ("repetitions",),
    "replicates": ("repetitions",),
    "replications": ("repetitions",),
    "iterations": ("repetitions",),
    "trials": ("repetitions",),
    "seeds": ("repetitions", "seed"),
    "title": ("name",),
    "id": ("name",),
    "net": ("network", "topology"),
    "topo": ("topology",),
    "protocols": ("cases",),
    "transports": ("cases",),
    "workload": ("traffic",),
    "flows": ("traffic", "parallel"),
    "transfers": ("traffic",),
    "settings": ("parameters",),
    "variables": ("factors", "design"),
    "sweep": ("design",),
    "plots": ("figures",),
    "timeout": ("time_limit",),
    "reference": ("expect",),
    "expected": ("expect",),
    "tracing": ("trace",),
    "pcap": ("capture",),
    "tcpdump": ("capture",),
    # keys of a case
    "cc": ("congestion_control",),
    "congestion": ("congestion_control",),
    "controller": ("congestion_control",),
    "algorithm": ("congestion_control", "method"),
    "sched": ("scheduler",),
    "pm": ("path_manager",),
    "proto": ("protocol",),
    "sysctl": ("sysctls",),
    # keys of a traffic entry
    "client": ("from",),
    "src": ("from",),
    "source": ("from",),
    "server": ("to",),
    "dst": ("to",),
    "destination": ("to",),
    "program": ("tool",),
    "time": ("duration", "start", "over_time"),
    "seconds": ("duration",),
    "bytes": ("size",),
    "amount": ("size",),
    "volume": ("size",),
    "streams": ("parallel", "concurrency"),
    "connections": ("parallel", "concurrency"),
    "cc_algorithm": ("congestion_control",),
    # parameters of a link
    "rtt": ("delay", "srtt", "smoothed_rtt", "request_time"),
    "latency": ("delay", "srtt", "smoothed_rtt", "request_time"),
    "ping": ("delay", "srtt", "smoothed_rtt"),
    "round_trip_time": ("delay", "srtt", "smoothed_rtt"),
    "propagation_delay": ("delay",),
    "bandwidth": ("capacity", "goodput"),
    "bw": ("capacity", "goodput"),
    "rate": ("capacity", "goodput"),
    "speed": ("capacity", "goodput"),
    "throughput": ("throughput", "goodput", "capacity"),
    "buffer": ("queue",),
    "buffer_size": ("queue",),
    "queue_size": ("queue",),
    "queue_length": ("queue",),
    "queue_delay": ("queueing_delay",),
    "buffer_delay": ("queueing_delay",),
    "bufferbloat": ("queueing_delay",),
    "plr": ("loss", "loss_probability"),
    "packet_loss": ("loss", "loss_probability"),
    "loss_rate": ("loss", "loss_probability"),
    "drop": ("loss", "loss_probability"),
    "drops": ("loss", "loss_probability"),
    # metrics
    "delay": ("srtt", "smoothed_rtt", "message_delay"),
    "owd": ("delay", "message_delay"),
    "one_way_delay": ("delay", "message_delay"),
    "jitter": ("message_delay_p95",),
    "tail_latency": ("completion_time_p99",),
    "fairness": ("jain",),
    "jains_index": ("jain",),
    "jain_index": ("jain",),
    "fct": ("completion_time",),
    "flow_completion_time": ("completion_time",),
    "download_time": ("completion_time",),
    "rps": ("requests_per_second",),
    "response_time": ("request_time",),
    "loss": ("loss_probability",),
    "retransmissions": ("retransmission_ratio",),
    "retransmits": ("retransmission_ratio",),
    "reordering": ("out_of_order_ratio",),
    "reorder": ("out_of_order_ratio",),
    "convergence_time": ("settling_time",),
    "downtime": ("interruption",),
    "outage": ("interruption",),
    "handover_time": ("interruption",),
    "reinjections": ("reinjection_ratio",),
    "benefit": ("aggregation_benefit",),
    "split": ("traffic_split",),
    "plt": ("page.load_time_s",),
    "ttfb": ("page.first_byte_s",),
    "stalls": ("video.stalls",),
    "rebuffering": ("video.stalled_s",),
    "qoe": ("video.bitrate_mbps",),
    # figures, tools and controllers
    "bar": ("goodput", "groups"),
    "bars": ("goodput", "groups"),
    "ecdf": ("cdf",),
    "hist": ("histogram",),
    "time_series": ("over_time",),
    "timeseries": ("over_time",),
    "scale": ("log",),
    "xscale": ("log",),
    "yscale": ("log",),
    "x_scale": ("log",),
    "y_scale": ("log",),
    "log_scale": ("log",),
    "window": ("cwnd",),
    "http": ("curl",),
    "wget": ("curl",),
    "apachebench": ("ab",),
    "udp": ("cbr",),
    "poisson": ("flows", "arrivals"),
    "newreno": ("reno",),
    "minrtt": ("lowrtt",),
    "min_rtt": ("lowrtt",),
    "rr": ("roundrobin",),
    "latin_hypercube": ("lhs",),
    "random": ("uniform",),
    "manhattan": ("l1",),
}
"""Words that other tools and papers use, with what is meant here by them. Of several
names the first that is known at the place in question is offered."""

VALUES: Mapping[str, str] = {"log": "'log: x', 'log: y' or 'log: both'"}
"""Values of keys that are offered for a synonym, which usually has other values."""


def suggestion(name: str, choices: Iterable[str]) -> str | None:
    """The name among `choices` that was most likely meant; None if none is near.

    A parameter such as `path1.rtt` is looked up by what stands behind its last dot.
    Of several names that are equally near, the first is taken.
    """
    known = list(choices)
    if not known or len(name) > LONGEST_NAME:
        return None
    head, dot, last = name.rpartition(".")
    for synonym in SYNONYMS.get(last.lower().replace("-", "_"), ()):
        if f"{head}{dot}{synonym}" in known:
            return f"{head}{dot}{synonym}"
    best = max(known, key=lambda choice: _likeness(name, choice))
    return best if _likeness(name, best) >= LEAST_LIKENESS else None


def is_sure(name: str, meant: str) -> bool:
    """Whether a suggestion is so near that nothing else can be meant."""
    return name.lower() in SYNONYMS or _likeness(name, meant) >= SURE_LIKENESS


def _likeness(name: str, choice: str) -> float:
    """Similarity of two names, from 0 to 1."""
    return difflib.SequenceMatcher(None, name.lower(), choice.lower()).ratio()


def nearest(name: str, choices: Iterable[str]) -> str:
    """`did you mean 'x'?`, or the list of choices if none is near."""
    known = list(choices)
    best = suggestion(name, known)
    if best is not None:
        return f"did you mean '{best}'?"
    return f"known: {listed(known)}"


def listed(names: Sequence[str], command: str = "") -> str:
    """Names for a message of one line: the first of them where they are many.

    command : one that shows all
    """
    if len(names) <= MOST_LISTED:
        return ", ".join(names)
    shown, rest = names[:FIRST_LISTED], len(names) - FIRST_LISTED
    more = f"{', '.join(shown)} and {rest} more"
    return f"{more}, which `{command}` shows" if command else more


def unknown_key(
    name: str,
    keys: Iterable[str],
    elsewhere: Mapping[str, Collection[str]] | None = None,
) -> str:
    """The reason why a mapping cannot have the key `name`, and what would work.

    keys : the keys that the mapping can have
    elsewhere : the keys of other parts of the file, by the part's name
    """
    known = list(keys)
    best = suggestion(name, known)
    if best is None or not is_sure(name, best):
        for part, others in (elsewhere or {}).items():
            if name in others:
                return f"not a key here, but a key of {part}; move it there"
        if "." in name:
            place = "'parameters:', or below 'factors:' of the design"
            return f"not a key here; parameters stand below {place}"
    if name.lower() in SYNONYMS and best is not None and best in VALUES:
        return f"unknown key; write {VALUES[best]}"
    return f"unknown key; {nearest(name, known)}"
