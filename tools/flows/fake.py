"""Files of mpbench-flows in a fake run: the real formats, made-up times.

Every transfer gets an even part of the rate among those that the plan draws, so that
it takes two round trips and its bytes over that part. Long ones are given up.
"""

from collections.abc import Mapping
from typing import Any

from jobs import Entry, Job
from mpbench.backends.fake_flows import Flow, Transfer
from mpbench.plan.flow_list import NS, drawn, ends_of
from tools.flows.record import Flows

ROUND_TRIP_NS = 20_000_000
SHARES = 8
"""The part of the rate that a transfer gets: one of so many."""
HEAD = "# mpbench-flows 1, list 0123456789abcdef\n"
COLUMNS = (
    "flow,entry,user,from,to,size_bytes,start_s,opened_s,connected_s,first_byte_s,"
    "completed_s,ended_s,received_bytes,subflows,error\n"
)


def reports(_job: Job, _index: int, _flow: Flow) -> dict[str, Any]:
    """None: all entries share the files that `tables` makes."""
    return {}


def connections(_entry: Entry, flow: Flow) -> int:
    return len(flow.transfers)


def transfers(entry: Flows, seed: int, bps: float) -> list[Transfer]:
    """The connections of a traffic entry that has `bps` bit/s of goodput."""
    flows = drawn(entry, seed)
    sharing = SHARES if entry.size is not None else len(flows)
    rate = bps / min(sharing, len(flows)) / NS / 8
    found = []
    for flow in flows:
        most = int((flow.end_ns - flow.start_ns - 2 * ROUND_TRIP_NS) * rate)
        received = max(0, min(flow.size, most) if flow.size else most)
        complete = flow.size > 0 and received == flow.size
        took_ns = 2 * ROUND_TRIP_NS + int(flow.size / rate)
        end_ns = flow.start_ns + took_ns if complete else flow.end_ns
        found.append(
            Transfer(flow.user, flow.size, flow.start_ns, end_ns, received, complete)
        )
    return found


def tables(job: Job, of_entry: Mapping[int, Flow]) -> dict[str, bytes]:
    """The files of all entries of the tool, by name."""
    heads, rows, intervals = HEAD, COLUMNS, "flow,interval,bytes\n"
    number = 0
    for index, flow in of_entry.items():
        entry = job.traffic[index]
        assert isinstance(entry, Flows)
        transport = job.transport_of(entry)
        words = f"{transport.protocol} {transport.congestion_control}"
        heads += f"# entry {index} {words}\n"
        for one in flow.transfers:
            here, there, user = ends_of(entry, one.user)
            ends = f"{number},{index},{user},{here},{there}"
            rows += f"{ends},{_row(one, transport.is_mptcp)}\n"
            last = int(one.end_ns / NS / entry.interval_s)
            if one.received:
                intervals += f"{number},{last},{one.received}\n"
            number += 1
    end = f"# end {number}\n"
    return {
        "flows.csv": (heads + rows + end).encode(),
        "flow-intervals.csv": (HEAD + intervals + end).encode(),
        "flows.err": b"",
    }


def _row(one: Transfer, mptcp: bool) -> str:
    connected = one.start_ns + ROUND_TRIP_NS
    first = _time(connected + ROUND_TRIP_NS // 2) if one.received else ""
    complete = _time(one.end_ns) if one.complete else ""
    error = "timeout" if one.size and not one.complete else ""
    times = [_time(one.start_ns)] * 2
    times += [_time(connected), first, complete, _time(one.end_ns)]
    size = str(one.size) if one.size else ""
    return ",".join([size, *times, str(one.received), "2" if mptcp else "1", error])


def _time(ns: int) -> str:
    return f"{ns // NS}.{ns % NS:09}"
