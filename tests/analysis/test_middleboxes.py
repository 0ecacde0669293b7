"""Middleboxes in the analysis: what they may provoke, and what is said of them."""

import json
import shutil
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis.run import explain
from analysis.run import row as rows
from analysis.run.events import Event, Events
from analysis.run.explain import middleboxes as boxes
from analysis.run.explain.translated import untranslated
from analysis.run.readers import job as job_file
from analysis.run.readers import middleboxes
from jobs.middleboxes import Box
from tests.analysis.conftest import MakeRun

CAPTURED = Path(__file__).parent / "captured/events"
STRIP = {"link": "path2", "kind": "strip", "packets": "all"}


def having(*boxes: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    def change(job: dict[str, Any]) -> None:
        job["middleboxes"] = list(boxes)

    return change


@pytest.mark.parametrize("scenario", ["fallback", "no-join"])
@pytest.mark.parametrize(
    "box, verdict",
    [
        (STRIP, "ok"),
        ({**STRIP, "link": "path1", "kind": "drop"}, "ok"),
        ({"link": "path2", "kind": "nat", "forgets": "drop"}, "ok"),
        ({"link": "path2", "kind": "mss", "number": 1300}, "invalid"),
        ({"link": "path2", "kind": "ecn", "action": "ce"}, "invalid"),
        (None, "invalid"),
    ],
)
def test_what_a_box_may_provoke_is_an_outcome(
    make_run: MakeRun, scenario: str, box: dict[str, Any] | None, verdict: str
) -> None:
    row = rows.row(make_run(scenario, having(box) if box else None))
    assert row["verdict"] == verdict, row["reason"]


@pytest.mark.parametrize(
    "box, verdict",
    [
        (STRIP, True),
        ({**STRIP, "from_s": 2.0}, True),
        ({**STRIP, "from_s": 90.0}, False),
        ({"link": "path1", "kind": "icmp", "action": "drop"}, True),
        ({"link": "path1", "kind": "mss", "number": 1300}, False),
    ],
)
def test_an_end_with_an_error_is_an_outcome_once_a_box_acts(
    make_run: MakeRun, box: dict[str, Any], verdict: bool
) -> None:
    run = make_run("mptcp", having(box))
    file = run / "artefacts/outcome.json"
    document = json.loads(file.read_text())
    for process in document["processes"]:
        process |= {"start_s": 0.0, "end_s": 4.3}
    file.write_text(json.dumps(document))
    file = run / "artefacts/traffic-0-client.json"
    report = {**json.loads(file.read_text()), "error": "Connection reset by peer"}
    file.write_text(json.dumps(report))
    assert (rows.row(run)["verdict"] == "ok") == verdict


def rule(table: str, packets: int, verdict: str = "", chain: str = "forward") -> Any:
    parts: list[dict[str, Any]] = [{"match": {}}, {"counter": {"packets": packets}}]
    return {
        "rule": {
            "table": table,
            "chain": chain,
            "expr": [*parts, {verdict: None}] if verdict else parts,
        }
    }


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A copy of a run over two paths that is well."""
    return Path(shutil.copytree(CAPTURED / "well-mptcp-cubic", tmp_path / "run"))


def said(run: Path, boxes: list[dict[str, Any]], rules: list[Any]) -> list[str]:
    """The sentences about a run with these boxes and counters."""
    file = run / "job.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "middleboxes": boxes}))
    listed = {"r1": {"nftables": [{"metainfo": {}}, *rules]}}
    (run / "artefacts" / middleboxes.NAME).write_text(json.dumps(listed))
    return [finding.sentence for finding in explain.explain(run)]


@pytest.mark.parametrize(
    "box, packets, verdict, words",
    [
        (
            {"kind": "strip", "packets": "syn"},
            2,
            "",
            "removed MPTCP's option from 2 SYNs",
        ),
        (
            {"kind": "strip", "packets": "data", "subtype": "dss"},
            1,
            "",
            "removed DSS from 1 packet with data",
        ),
        (
            {"kind": "drop", "packets": "all"},
            3,
            "drop",
            "dropped 3 packets with MPTCP's option",
        ),
        (
            {"kind": "rewrite", "number": 400},
            9,
            "",
            "changed the payload of 9 packets, and no end noticed: the case does not"
            " set net.mptcp.checksum_enabled",
        ),
        (
            {"kind": "sequence", "action": "shift_without_sack"},
            7,
            "",
            "shifted sequence numbers or acknowledgements of 7 packets and not the"
            " blocks of SACK, so the sender ignores",
        ),
        ({"kind": "ecn", "action": "ce"}, 4, "", "marked 4 packets as congested"),
        (
            {"kind": "ecn", "action": "bleach"},
            4,
            "",
            "took the marks of ECN from 4 packets",
        ),
        (
            {"kind": "icmp", "action": "drop"},
            1,
            "drop",
            "dropped 1 message that a packet could not be delivered, so the sender did"
            " not learn the link's mtu",
        ),
        (
            {"kind": "firewall", "forgets": "reset", "from_s": 2.0},
            5,
            "reject",
            "answered 5 packets of connections that it did not know any more with",
        ),
        (
            {"kind": "nat", "forgets": "drop", "timeout_s": 9},
            5,
            "drop",
            "dropped 5 packets of connections that it did not know any more",
        ),
        (
            {"kind": "nat", "forgets": "drop"},
            3,
            "drop",
            "dropped 3 packets of connections that it did not know",
        ),
        (
            {"kind": "strip", "packets": "syn"},
            0,
            "",
            "(strip) met no packet that it acts",
        ),
    ],
)
def test_a_box_that_acted_is_named_with_its_packets(
    run: Path, box: dict[str, Any], packets: int, verdict: str, words: str
) -> None:
    (sentence,) = said(
        run, [{"link": "path1", **box}], [rule("box0", packets, verdict)]
    )
    assert sentence.startswith(f"the middlebox at path 1 {words}")


@pytest.mark.parametrize(
    "box, packets",
    [
        ({"kind": "nat", "forgets": "drop"}, 2),
        ({"kind": "firewall", "forgets": "drop"}, 0),
        ({"kind": "mss", "number": 1300}, 2),
        ({"kind": "icmp", "action": "pass"}, 7),
        ({"kind": "icmp", "action": "drop"}, 0),
    ],
)
def test_a_box_that_did_its_usual_work_needs_no_words(
    run: Path, box: dict[str, Any], packets: int
) -> None:
    assert not said(run, [{"link": "path1", **box}], [rule("box0", packets)])


@pytest.mark.parametrize("packets", [1, 2])
def test_what_follows_the_end_of_a_connection_needs_no_words(
    run: Path, packets: int
) -> None:
    for box in (
        {"kind": "nat", "forgets": "drop"},
        {"kind": "firewall", "forgets": "reset"},
    ):
        rules = [rule("box0", packets, "drop")]
        assert not said(run, [{"link": "path1", **box}], rules)


def test_a_firewall_tells_strangers_from_what_it_forgot(run: Path) -> None:
    box = {"link": "path1", "kind": "firewall", "forgets": "drop", "from_s": 1.0}
    strangers = rule("box0", 4, "drop", "uninvited")
    begun = "dropped 4 packets that began something from the servers' side"
    (sentence,) = said(run, [box], [rule("box0", 0, "drop"), strangers])
    assert sentence.startswith(f"the middlebox at path 1 {begun}: it passes only")
    (sentence,) = said(run, [box], [rule("box0", 5, "drop"), strangers])
    assert f"that it did not know any more and {begun}" in sentence


@pytest.mark.parametrize(
    ("keepalive_s", "words"),
    [
        (None, "the program is silent for 60 s"),
        (90, "the program is silent for 60 s"),
        (45, "keepalive probes come after 45 s of silence"),
        (20, ""),
    ],
)
def test_a_probe_ends_the_silence_that_a_box_counts(
    run: Path, keepalive_s: int | None, words: str
) -> None:
    record = types.SimpleNamespace(think_s=60.0, keepalive_s=keepalive_s)
    entry = types.SimpleNamespace(record=record)
    facts: Any = types.SimpleNamespace(traffic=[entry])
    box = Box(link="path1", kind="nat", forgets="drop", timeout_s=30)
    assert boxes._silent(facts, box).endswith(words)
    assert bool(boxes._silent(facts, box)) == bool(words)


def test_rules_are_told_apart_by_their_box(run: Path) -> None:
    boxes = [
        {"link": "path1", "kind": "strip", "packets": "syn"},
        {"link": "path2", "kind": "drop", "packets": "all"},
    ]
    one, two = said(
        run, boxes, [rule("box0", 2), rule("box1", 3, "drop"), rule("box1", 4, "drop")]
    )
    assert one == "the middlebox at path 1 removed MPTCP's option from 2 SYNs"
    assert two == "the middlebox at path 2 dropped 7 packets with MPTCP's option"


def test_a_damaged_list_of_rules_is_no_list(tmp_path: Path) -> None:
    path = tmp_path / middleboxes.NAME
    path.write_text(json.dumps({"r1": {"nftables": [{"rule": {"expr": []}}]}}))
    with pytest.raises(ValueError, match="not what nft lists"):
        middleboxes.read(path)


def event(host: str, local: str, remote: str) -> Event:
    return Event(0.1, host, 0, 4000, "0:0", local, remote, "established", "")


def test_behind_a_nat_both_ends_of_a_subflow_are_the_same_again(run: Path) -> None:
    file = run / "job.json"
    box = {"link": "path1", "kind": "nat", "forgets": "drop"}
    file.write_text(json.dumps({**json.loads(file.read_text()), "middleboxes": [box]}))
    here = event("client", "10.0.1.2:4000", "10.2.0.2:5201")
    there = event("server", "10.2.0.2:5201", "10.1.1.1:4000")
    other = event("server", "10.2.0.2:5201", "10.1.2.1:4000")
    found = untranslated(Events((here, there, other)), job_file.read(file))
    assert found.all[1].ends == here.ends
    assert (found.all[0], found.all[2]) == (here, other)
