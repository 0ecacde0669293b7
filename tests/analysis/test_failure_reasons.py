"""Every fallback and refusal that the kernel counts: told right, or named as out of
reach.

The runs are those of docs/failure-reasons.md.
"""

import json
import re
from pathlib import Path

import pytest
import yaml

from analysis.run import explain, traffic
from analysis.run.outcomes import columns, counts
from analysis.run.readers import job as job_file

CAPTURED = Path(__file__).parent / "captured/failures"
PAGE = Path(__file__).parents[2] / "docs/failure-reasons.md"
FILES = re.findall(
    r"^`([\w-]+)\.yaml`:\n\n```yaml\n(.*?)^```$", PAGE.read_text(), re.M | re.S
)
FAILURES = re.compile(
    r"MPTcpExt(\w*(?:Fallback|Failed|Failure|Reset|Rejected|NoToken|NoId|NoMPJoin"
    r"|NoCtx|NotEstablished|Mismatch|Err|Blackhole|SYNTXDrop|Disabled|EndpAttempt"
    r"|MPRst|MPFail|DSSNo|InfiniteMap)\w*)"
)
NO_OPTION = "the SYN/ACK came back without MPTCP's option"
LOST = "a middlebox changes what passes"
CASES: dict[str, tuple[str, dict[str, str | int], str]] = {
    "handshake-syn": ("tcp", {"MPCapableFallbackSYNACK": 2}, f"plain TCP: {NO_OPTION}"),
    "handshake-synack": ("tcp", {"MPCapableFallbackACK": 2}, f"plain TCP: {NO_OPTION}"),
    "handshake-ack": (
        "tcp",
        {"MPCapableFallbackACK": 2, "MPCapableDataFallback": 2},
        "MPTCP's option was gone from the handshake's last ACK",
    ),
    "handshake-data": (
        "tcp",
        {"MPCapableDataFallback": 2, "DssFallback": 2},
        "the first data came without MPTCP's option",
    ),
    "handshake-drop": (
        "tcp",
        {"MPCapableSYNTXDrop": 1, "Blackhole": 1, "MPCapableSYNTXDisabled": 1},
        "MPTCP was given up: SYNs with its option got no answer",
    ),
    "handshake-key": (
        "mptcp",
        {"NoDSSInWindow": 171},
        "the two ends do not agree on the keys, from which data is numbered",
    ),
    "data-one-path": ("tcp", {"DssFallback": 3}, "data came without a mapping"),
    "data-two-paths": ("mptcp", {"DssReset": 2, "MPRstRx": 3}, f"path 2: {LOST}"),
    "data-both-paths": ("mptcp", {"DssReset": 4, "MPRstRx": 4}, f"path 1: {LOST}"),
    "data-sum-one-path": (
        "mixed",
        {"InfiniteMapTx": 1, "DataCsumErr": 5, "MPFailTx": 7},
        "a DSS checksum had failed, and the sender went on without mappings",
    ),
    "data-sum-two-paths": (
        "mptcp",
        {"DataCsumErr": 1, "MPFailTx": 1, "MPRstTx": 1},
        "something on the way changes the payload: DSS checksums failed",
    ),
    "refused-syn": ("mptcp", {"MPJoinSynAckNoMPJoin": 2}, f"not join: {NO_OPTION}"),
    "refused-synack": ("mptcp", {"MPJoinSynAckNoMPJoin": 2}, f"not join: {NO_OPTION}"),
    "refused-ack": (
        "mptcp",
        {"MPJoinAckNoMPJoin": 2},
        "MPTCP's option was gone from the last ACK",
    ),
    "refused-token": (
        "mptcp",
        {"MPJoinNoTokenFound": 2},
        "the server knows no connection with the token of its SYN",
    ),
    "refused-hmac-server": (
        "mptcp",
        {"MPJoinSynAckHMacFailure": 2},
        "the two ends do not agree on the keys",
    ),
    "refused-hmac-client": (
        "mptcp",
        {"MPJoinAckHMacFailure": 2},
        "the two ends do not agree on the keys",
    ),
    "refused-limit": (
        "mptcp",
        {"MPJoinRejected": 2},
        "the server refused it, as beyond its limit of subflows",
    ),
    "refused-no-address": (
        "mptcp",
        {"MPJoinSynTxBindErr": 2},
        "an endpoint's address 10.0.2.2 is not on its host",
    ),
    "refused-dropped": ("mptcp", {"MPJoinSynTx": 2}, "the SYN got no answer"),
    "at-once-lab": (
        "tcp",
        {"SimultConnectFallback": 2},
        "both ends opened the connection at the same time",
    ),
    "endpoint-port-mptcp": (
        "",
        {"MPCapableEndpAttempt": 1},
        "an endpoint listens on that port, and takes further subflows only",
    ),
}
"""The protocol at the end, counters over both hosts, and words of a sentence. Where the
words have a colon, other words may stand at it."""


def test_each_case_of_the_page_is_here() -> None:
    shown = {
        f"{name}-{case}"
        for name, text in FILES
        for case in yaml.safe_load(text)["cases"]
        if case != "released"  # a kernel without events
    }
    assert shown == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_the_reason_is_counted_and_told(name: str) -> None:
    protocol, counted, words = CASES[name]
    run = CAPTURED / name
    entries = traffic.of_job(job_file.read(run / "job.json"))
    counters = columns._counters(run / "artefacts", entries)
    for counter, count in counted.items():
        assert sum(of_host.mptcp(counter) for of_host in counters.values()) == count
    found = counts.columns(entries[0], counters)
    assert (found["protocol_at_end"] or "") == protocol
    if name.startswith("refused"):
        kind = "unanswered" if name == "refused-dropped" else "refused"
        assert (found["subflows_joined"], found[f"subflows_{kind}"]) == (0, 2)
    begin, _, end = words.rpartition(": ")
    said = [finding.sentence for finding in explain.explain(run)]
    assert any(begin in sentence and end in sentence for sentence in said), said
    told = [s for s in said if "nobody listens" in s or "not known" in s]
    assert not told


def test_the_page_names_every_counter_of_a_failure() -> None:
    path = CAPTURED / "refused-limit/artefacts/nstat-server.json"
    known = json.loads(path.read_text())["kernel"]
    names = {match[1] for name in known if (match := FAILURES.fullmatch(name))}
    assert len(names) > 30
    page = PAGE.read_text()
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


def test_files_of_the_page_are_short() -> None:
    assert [name for name, text in FILES if text.count("\n") > 20] == []
