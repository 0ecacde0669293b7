"""Sentences about the middleboxes of a run: the packets that each met."""

from collections.abc import Iterator, Sequence
from typing import Any

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, many
from analysis.run.labels import label
from analysis.run.readers.middleboxes import NAME, REJECT, Met
from jobs.artefacts import UNINVITED
from jobs.middleboxes import (
    ACK,
    ALL,
    BLEACH,
    DATA,
    DROP,
    DROPS,
    ECN,
    GARBLE,
    ICMP,
    MSS,
    PROXY,
    REWRITE,
    SEQUENCE,
    STATEFUL,
    STRIP,
    SYN,
    SYNACK,
    WITHOUT_SACK,
    Box,
)

PACKETS = {
    SYN: "SYN",
    SYNACK: "SYN/ACK",
    ACK: "ACK",
    DATA: "packet with data",
    ALL: "packet",
}
LEAST_STRAY = 3
PROTOCOLS = {"tcp": "plain TCP", "mptcp": "MPTCP where they ask for it"}
CHECKSUM = "net.mptcp.checksum_enabled"


def acted(facts: Facts) -> Iterator[Finding]:
    """One sentence per middlebox that changed or dropped packets, or met none."""
    if facts.met is None:
        return
    for number, box in enumerate(facts.job.middleboxes):
        met = [one for one in facts.met if one.box == number]
        total = sum(one.packets for one in met)
        at = f"the middlebox at {label(box.link)}"
        evidence = (
            f"{many(total, 'packet')} met box {number + 1}, {box.kind}, by {NAME}"
        )
        if words := _words(facts, box, met, total):
            yield Finding(f"{at} {words}", evidence)
        elif not total and box.kind not in (*STATEFUL, ICMP, PROXY):
            yield Finding(f"{at} ({box.kind}) met no packet that it acts on", evidence)


def terminated(facts: Facts) -> Iterator[Finding]:
    """One sentence per transparent proxy."""
    for number, reports in facts.terminators.items():
        box = facts.job.middleboxes[number]
        if not reports:
            continue
        accepts, opens = (PROTOCOLS[end] for end in str(box.action).split("-"))
        accepted = sum(report.accepted for report in reports)
        opened = sum(report.opened for report in reports)
        at = f"the proxy at {label(box.link)}"
        evidence = f"accepted {accepted} and opened {opened} in box{number}-PORT.json"
        if not accepted:
            yield Finding(f"{at} accepted no connection", evidence)
            continue
        what = (
            f"{at} ended {many(accepted, 'connection')} of users, with {accepts}, and"
            f" opened {opened} to servers, with {opens}"
        )
        if opened < accepted:
            why = next((report.error for report in reports if report.error), "")
            what += f"; {accepted - opened} could not be opened{why and f': {why}'}"
        yield Finding(what, evidence)


def _words(facts: Facts, box: Box, met: Sequence[Met], total: int) -> str:
    """The effect of a box; "" if that needs no words."""
    if box.kind in STATEFUL:
        known = [one for one in met if one.chain != UNINVITED]
        forgot = _forgot(box, known)
        forgot = forgot and forgot + _silent(facts, box)
        return " and ".join(filter(None, (forgot, _uninvited(met))))
    if not total or box.kind == MSS or (box.kind == ICMP and box.action != DROPS):
        return ""
    option = box.subtype.upper() if box.subtype else "MPTCP's option"
    chosen = many(total, PACKETS[box.packets or ALL])
    if box.packets == DATA:
        chosen = f"{many(total, 'packet')} with data"
    return {
        STRIP: f"removed {option} from {chosen}",
        GARBLE: f"overwrote a part of {option} in {chosen}",
        DROP: f"dropped {chosen} {'and' if box.packets == DATA else 'with'} {option}",
        REWRITE: f"changed the payload of {many(total, 'packet')}{_unseen(facts)}",
        SEQUENCE: f"shifted sequence numbers or acknowledgements of"
        f" {many(total, 'packet')}{_blocks(box)}",
        ICMP: f"dropped {many(total, 'message')} that a packet could not be delivered,"
        " so the sender did not learn the link's mtu",
        ECN: f"took the marks of ECN from {many(total, 'packet')}"
        if box.action == BLEACH
        else f"marked {many(total, 'packet')} as congested",
    }.get(box.kind, "")


def _forgot(box: Box, met: Sequence[Met]) -> str:
    """Treatment of packets whose connection a box with a state did not know.

    A box without a timeout that has been there from the beginning forgets nothing. It
    does not know the few that follow the end of a connection.
    """
    refused = [one for one in met if one.verdict and one.packets]
    if not refused:
        return ""
    total = sum(one.packets for one in refused)
    forgets = box.timeout_s is not None or box.from_s is not None
    if not forgets and total < LEAST_STRAY:
        return ""
    more = " any more" if forgets else ""
    of = f"{many(total, 'packet')} of connections that it did not know{more}"
    if refused[0].verdict == REJECT:
        return f"answered {of} with resets"
    return f"dropped {of}"


def _uninvited(met: Sequence[Met]) -> str:
    """Treatment of connections that come from the servers' side of a firewall."""
    count = sum(one.packets for one in met if one.chain == UNINVITED)
    what = f"dropped {many(count, 'packet')} that began something from the servers'"
    return f"{what} side: it passes only what users begin" if count else ""


def _silent(facts: Facts, box: Box) -> str:
    """The silence that a box with a state did not outlast, as the end of a sentence;
    "" if no program is silent for so long by its plan."""
    pauses = [_pause(entry.record) for entry in facts.traffic]
    longest, probed = max(pauses, default=(0.0, False))
    if box.timeout_s is None or longest <= box.timeout_s:
        return ""
    silent = f"the program is silent for {longest:g} s"
    if probed:
        silent = f"keepalive probes come after {longest:g} s of silence"
    return (
        f": it forgets a connection after {box.timeout_s} s without a packet, and"
        f" {silent}"
    )


def _pause(record: Any) -> tuple[float, bool]:
    """The longest time without a packet of an entry's connection by the plan, and
    whether a keepalive probe ends it."""
    think_s = getattr(record, "think_s", 0.0)
    probe_s = getattr(record, "keepalive_s", None)
    if probe_s is not None and probe_s < think_s:
        return float(probe_s), True
    return think_s, False


def _blocks(box: Box) -> str:
    """The end of a sentence about a box that leaves blocks of SACK as they are."""
    if box.action != WITHOUT_SACK:
        return ""
    return " and not the blocks of SACK, so the sender ignores what they acknowledge"


def _unseen(facts: Facts) -> str:
    """Who did not notice that the payload changed, as the end of a sentence."""
    if facts.total("MPTcpExtDataCsumErr"):
        return ""
    if facts.sysctls.get(CHECKSUM, "0") == "0":
        return f", and no end noticed: the case does not set {CHECKSUM}"
    return ""
