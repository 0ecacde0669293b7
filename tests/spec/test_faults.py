"""Bad experiment files: for each fault its line, path, reason and remedy."""

import pytest

from tests.spec.files import FACTORS, FLOW, faults, swapped


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # top level
        ("name: small", "name: a/b", "1: name: 'a/b' cannot be a name"),
        ("name: small", "name: 7", "1: name: expected text; put it in quotes"),
        ("name: small", "name: x\nseed: -1", "2: seed: -1 is below 0"),
        ("name: small", "name: x\nseed: one", "2: seed: expected a whole number"),
        ("name: small", "name: x\nrepetitions: 0", "2: repetitions: 0 is below 1"),
        ("name: small", "name: x\nrepetitions: 1.5", "expected a whole number"),
        ("name: small", "name: x\ntime_limit: 60", "has no unit; write '60 s'"),
        ("name: small", "name: x\nmetrics: [jian]", "unknown metric 'jian'; did you"),
        ("name: small", "name: x\nmetrics: [jain, jain]", "is in the list already"),
        ("name: small", "name: x\nmetrics: jain", "2: metrics: expected a list"),
        ("two_path", "two_paths", "2: topology: unknown topology 'two_paths'; did you"),
        # parameters
        (
            "name: small",
            "name: x\nparameters:\n  path1.los: 1 %",
            "3: parameters.path1.los: two_path has no such parameter; "
            "did you mean 'path1.loss'?",
        ),
        (
            "name: small",
            "name: x\nparameters: {path1.loss: 0.01}",
            "write '1 %' if it is a fraction",
        ),
        (
            "name: small",
            "name: x\nparameters: {path1.loss: 101 %}",
            "101 % is out of range; path1.loss is 0 to 100 %",
        ),
        (
            "name: small",
            "name: x\nparameters: {path1.queue: 1.5}",
            "not a whole number",
        ),
        (
            "name: small",
            "name: x\nparameters: {path2.delay: 1 ms}",
            "2: parameters.path2.delay: a factor of the design too; take one away",
        ),
        # design
        ("points: 4", "points: 0", "4: design.points: 0 is below 1"),
        ("points: 4", "points: many", "4: design.points: expected a whole number"),
        ("  points: 4\n", "", "3: design.points: missing; how many points"),
        (
            "points: 4",
            "points: 101\n  candidates: 100",
            "4: design.points: 101 is more than the 100 candidates allow",
        ),
        (
            "points: 4",
            "points: 4\n  grown_from: 4",
            "5: design.grown_from: 4 is no fewer than the 4 points in the end",
        ),
        (
            "points: 4",
            "points: 4\n  grown_from: 2\n  method: lhs",
            "5: design.grown_from: only wsp's designs grow, not lhs; take it away",
        ),
        ("points: 4", "points: 4\n  grown_from: 0", "5: design.grown_from: 0 is below"),
        ("points: 4", "points: 4\n  method: wps", "unknown design method 'wps'; did"),
        ("points: 4", "points: 4\n  start: middle", "unknown start 'middle'; known:"),
        ("points: 4", "points: 4\n  start: -1", "-1 is below 0"),
        ("points: 4", "points: 4\n  start: 10000", "only 10000 candidates"),
        (FACTORS, "", "design.factors: expected 'key: value' entries"),
        ("points: 4", "points: 4\n  constraints: [a.b > 1]", "no such parameter"),
        ("points: 4", "points: 4\n  constraints: [1 +]", "not a comparison such as"),
        # factors
        ("path1.capacity:", "path1.capcity:", "did you mean 'path1.capacity'?"),
        ("max: 100", "mx: 100", "6: design.factors.path1.capacity.mx: unknown key"),
        ("{min: 1 ms, max: 25 ms}", "{min: 1 ms}", "neither a range nor a list"),
        ("{min: 1 ms, max: 25 ms}", "25 ms", "expected {min: ..., max: ...} or"),
        ("{min: 1 ms, max: 25 ms}", "[]", "an empty list"),
        ("{min: 1 ms, max: 25 ms}", "[1 ms, 1000 us]", "in the list already"),
        ("{min: 1 ms, max: 25 ms}", "{min: 1, max: 25 ms}", "delay.min: 1 has no unit"),
        ("{min: 1 ms, max: 25 ms}", "{values: 3 ms}", "values: expected a list"),
        (
            "{min: 1 ms, max: 25 ms}",
            "{values: [3 ms], min: 1 ms}",
            "min: a list of values has none",
        ),
        (
            "{min: 1 ms, max: 25 ms}",
            "{min: 10 Mbit/s, max: 25 ms}",
            "7: design.factors.path2.delay.min: '10 Mbit/s' is a data rate; a time is",
        ),
        (
            "{min: 1, max: 100, unit: Mbit/s}",
            "{min: 10 ms, max: 100 Mbit/s}",
            "6: design.factors.path1.capacity.min: '10 ms' is a time; a data rate is",
        ),
        ("unit: Mbit/s", "unit: ms", "capacity.unit: 'ms' is a time; a data rate is"),
        ("unit: Mbit/s", "unit: Mbt/s", "unknown unit 'Mbt/s'; did you mean 'Mbit/s'"),
        (
            "{min: 1, max: 100,",
            "{min: 100, max: 1,",
            "6: design.factors.path1.capacity.min: min 100 Mbit/s is above max 1 "
            "Mbit/s; exchange them",
        ),
        ("{min: 1, max: 100,", "{min: 2, max: 2,", "both 2 Mbit/s; set it under"),
        ("max: 100", "max: 1e9", "1e+09 Mbit/s is out of range"),
        (
            "max: 100",
            "max: 100, step: 0",
            "step: 0 Mbit/s is below 1e-06",
        ),
        ("max: 100", "max: 100, step: 1000", "more than from min to max"),
        ("min: 1, max", "integer: true, min: 1.5, max", "1.5 Mbit/s is not whole"),
        ("max: 100", "max: 100, integer: 1", "integer: expected true or false"),
        # cases
        ("protocol: mptcp", "protocol: mtcp", "unknown protocol 'mtcp'; did you mean"),
        (
            "congestion_control: lia",
            "congestion_control: lai",
            "9: cases.mptcp.congestion_control: unknown congestion control 'lai'; did "
            "you mean 'lia'? (known: balia, bbr, cmpbbr, coupled, cubic, dlia, ewtcp, "
            "lia, lia_rfc6356, mpcc, olia, reno, semicoupled, vegas, wvegas)",
        ),
        (
            "congestion_control: lia",
            "congestion_control: lia, scheduler: quick",
            "9: cases.mptcp.scheduler: unknown scheduler 'quick'; known: blest, "
            "daps, default, ecf, lowrtt, otias, paced, redundant, roundrobin, stms, "
            "weighted",
        ),
        (", congestion_control: lia", "", "9: cases.mptcp.congestion_control: missing"),
        (
            "congestion_control: lia",
            "congestion_control: lia, path: 1",
            "cases.mptcp.path: mptcp takes all paths",
        ),
        ("path: 1", "path: 3", "10: cases.tcp1.path: there is no path 3; two_path has"),
        ("path: 1", "path: 0", "cases.tcp1.path: 0 is below 1"),
        ("path: 1", "path: true", "cases.tcp1.path: 'True' is not the number of a"),
        ("path: 1", "path: shortest", "10: cases.tcp1.path: two_path is no data"),
        (", path: 1", "", "cases.tcp1.path: missing; which path does this tcp take?"),
        ("path: 1", "path: 1, scheduler: default", "only mptcp has one; take it away"),
        ("path: 1", "path: 1, sysctls: {a.b: 1}", "not a network sysctl"),
        (
            "path: 1",
            "path: 1, sysctls: {net.mptcp.enabled: 1}",
            "has a key of its own; write 'protocol:'",
        ),
        ("  tcp1:", "  tcp 1:", "10: cases.tcp 1: 'tcp 1' cannot be a name"),
        # traffic
        ("tool: iperf3", "tool: iperf", "unknown tool 'iperf'; did you mean 'iperf3'?"),
        ("from: client", "from: clint", "has no host 'clint'; did you mean 'client'?"),
        ("to: server", "to: client", "traffic[0].to: 'client' is where it comes from"),
        (
            "from: client, to: server",
            "from: server, to: client",
            "traffic[0].from: only client can open connections in two_path; write "
            "'reverse: true'",
        ),
        ("30 s", "30", "13: traffic[0].duration: 30 has no unit; write '30 s'"),
        ("30 s", "30 Mbit/s", "is a data rate; a time is needed, such as '30 s'"),
        ("30 s", "1500 ms", "1.5 s is not whole; iperf3 counts whole seconds"),
        ("30 s", "0 s", "0 s is not within 1 to 86400"),
        (", duration: 30 s", "", "says neither how long nor how much"),
        ("30 s", "30 s, size: 1 MB", "duration and size are both said"),
        ("30 s", "30 s, interval: 2 min", "120 s is not within 0.1 to 60"),
        ("30 s", "30 s, port: 70000", "70000 is above 65535"),
        ("30 s", "30 s, read: often", "unknown way of reading 'often'; known: coal"),
        (
            "30 s",
            "30 s, read: {mode: packet, size: 1 kB}",
            "packet has no size",
        ),
        ("30 s", "30 s, reverse: 1", "reverse: expected true or false"),
        (
            FLOW,
            FLOW + FLOW.replace("30 s", "5 s, port: 5201"),
            "port of traffic[0]",
        ),
        (FLOW, "  []\n", "12: traffic: empty; give at least one"),
        # figures
        (
            "name: small",
            "name: x\nfigures: [{kind: zzz}]",
            "figures[0].kind: unknown kind of figure 'zzz'; known: goodput, histogram, "
            "box",
        ),
        (
            "name: small",
            "name: x\nfigures: [{kind: box, criterion: {factor: delay}}]",
            "figures[0].metric: missing; a figure of kind box needs it",
        ),
        (
            "name: small",
            "name: x\nfigures: [{kind: histogram, metric: goodput}]",
            "a figure of kind histogram has none",
        ),
        (
            "name: small",
            "name: x\nfigures: [{kind: cdf, metric: goodput, versus: smoothed_rtt}]",
            "figures[0].versus: a figure of kind cdf has none; it has: metric, ",
        ),
        (
            "name: small",
            "name: x\nfigures: [{kind: histogram, factors: [path1.loss]}]",
            "figures[0].factors[0]: 'path1.loss' is the same in all runs",
        ),
    ],
)
def test_one_fault(old: str, new: str, message: str) -> None:
    (found,) = faults(swapped(old, new))
    assert found.startswith("f.yaml:")
    assert message in found.removeprefix("f.yaml:")


def test_a_key_written_wrong_is_unknown_and_missing() -> None:
    assert faults(swapped("name: small", "nam: small")) == [
        "f.yaml:1: nam: unknown key; did you mean 'name'?",
        "f.yaml:1: name: missing",
    ]
