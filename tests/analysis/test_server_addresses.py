"""Sentences about a further address of a server that no subflow goes to."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis.run.explain.facts import load
from analysis.run.explain.finding import Finding
from analysis.run.explain.servers import unused_addresses, unused_returns

CAPTURED = Path(__file__).parent / "captured/events"
HEAD = "10.250.0.2, a further address of the server_phone, was not used: "
Hosts = dict[str, Any]


def no_signal(hosts: Hosts) -> None:
    hosts["server_phone"]["endpoints"] = []


def other_flag(hosts: Hosts) -> None:
    hosts["server_phone"]["endpoints"][0]["flags"] = ["subflow"]


def accepts(count: int) -> Callable[[Hosts], None]:
    return lambda hosts: hosts["phone"]["limits"].update(add_addr_accepted=count)


def subflows(count: int) -> Callable[[Hosts], None]:
    return lambda hosts: hosts["phone"]["limits"].update(subflows=count)


def usual_limits(hosts: Hosts) -> None:
    del hosts["phone"]["limits"]


def nothing(hosts: Hosts) -> None:
    pass


def copied(tmp_path: Path, change: Callable[[Hosts], None], *without: str) -> Path:
    """A copy of a run in which the phone joins 10.250.0.2, without the events that have
    one of some words."""
    run = Path(shutil.copytree(CAPTURED / "well-one-address", tmp_path / "run"))
    document = json.loads((run / "job.json").read_text())
    change(document["hosts"])
    (run / "job.json").write_text(json.dumps(document))
    path = run / "artefacts/events.csv"
    lines = path.read_text().splitlines(keepends=True)
    kept = (line for line in lines if not any(word in line for word in without))
    path.write_text("".join(kept))
    return run


def said(run: Path) -> tuple[Finding, ...]:
    return tuple(unused_addresses(load(run)))


JOINED = "10.250.0.2:"
SENT = ",AddAddrTx,"
HEARD = (",AddAddr,", ",EchoAddTx,", ",EchoAdd,")


@pytest.mark.parametrize(
    ("change", "without", "says"),
    [
        (no_signal, (JOINED, SENT, *HEARD), "the server_phone has no endpoint with"),
        (other_flag, (JOINED, SENT, *HEARD), "the server_phone has no endpoint with"),
        (accepts(0), (JOINED,), "the limit `add_addr_accepted` of the phone is 0"),
        (usual_limits, (JOINED,), "the limit `add_addr_accepted` of the phone is 0"),
        (subflows(0), (JOINED,), "the limit `subflows` of the phone is 0"),
        (nothing, (JOINED, *HEARD), "its announcement did not reach the phone"),
        (nothing, (JOINED, SENT, *HEARD), "the reason is not known"),
        (nothing, (JOINED,), "the reason is not known"),
    ],
)
def test_an_unused_address_has_its_reason(
    tmp_path: Path, change: Callable[[Hosts], None], without: tuple[str, ...], says: str
) -> None:
    (found,) = said(copied(tmp_path, change, *without))
    assert found.sentence.startswith(HEAD + says)
    assert found.evidence == "no MPJoinSynTx to it, from 0.0 to 0.1 s"
    assert found.known is ("not known" not in says)


@pytest.mark.parametrize(
    ("change", "without"),
    [
        (accepts(0), ()),
        (nothing, ("35599",)),
        (accepts(0), (JOINED, ",established,")),
    ],
)
def test_an_address_that_is_used_or_came_too_late_is_no_matter(
    tmp_path: Path, change: Callable[[Hosts], None], without: tuple[str, ...]
) -> None:
    assert said(copied(tmp_path, change, *without)) == ()


def test_an_address_that_the_file_announces_later(tmp_path: Path) -> None:
    def later(hosts: Hosts) -> None:
        no_signal(hosts)
        change = {"at_s": 60.0, "link": "radio", "flags": ["signal"]}
        hosts["server_phone"]["changes"] = [change]

    assert said(copied(tmp_path, later, JOINED, SENT, *HEARD)) == ()


BACK = {"at_s": 10.0, "link": "path2", "present": True}
GONE = {"at_s": 2.0, "link": "path2", "present": False}
AGAIN = {"at_s": 10.0, "link": "path2", "flags": ["subflow"]}
NONE = {"at_s": 2.0, "link": "path2", "flags": []}
ADDED = {"at_s": 10.0, "link": "path2", "flags": ["signal"]}


def changed(tmp_path: Path, name: str, host: str, *changes: dict[str, Any]) -> Path:
    """A copy of a captured run, of a file with other changes of a host."""
    run = Path(shutil.copytree(CAPTURED / name, tmp_path / "run"))
    document = json.loads((run / "job.json").read_text())
    document["hosts"][host]["changes"] = list(changes)
    (run / "job.json").write_text(json.dumps(document))
    return run


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ((GONE, BACK), [10.0]),
        (({**GONE, "at_s": 10.0}, BACK), [10.0]),
        ((GONE,), []),
        ((NONE, AGAIN), []),
        ((GONE, BACK, AGAIN), []),
        (({**GONE, "at_s": 14.9}, {**BACK, "at_s": 15.0}), [15.0]),
        (({**GONE, "at_s": 2.0}, {**BACK, "at_s": 5.0}), []),
        (({**GONE, "at_s": 15.9}, {**BACK, "at_s": 16.4}), []),
        ((), []),
    ],
)
def test_a_client_s_address_that_came_back_and_is_not_used(
    tmp_path: Path, changes: tuple[dict[str, Any], ...], times: list[float]
) -> None:
    """Its subflow ended at 6.7 s, and the traffic at 16 s. An address that was there
    before that had a subflow then."""
    run = changed(tmp_path, "address-back-client", "client", *changes)
    found = [f for f in unused_returns(load(run)) if f.known]
    wanted = [f"10.0.2.2, which the client had again from {t:g} s on" for t in times]
    assert [one.sentence.partition(", was")[0] for one in found] == wanted


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ((GONE, BACK), "its subflow had ended at 7.0 s, and Linux's path manager"),
        ((NONE, ADDED), "the reason is not known"),
        ((GONE,), ""),
        ((NONE,), ""),
        (({**NONE, "at_s": 15.0}, {**ADDED, "at_s": 16.4}), ""),
    ],
)
def test_a_server_s_address_that_came_back_and_is_not_used(
    tmp_path: Path, changes: tuple[dict[str, Any], ...], says: str
) -> None:
    run = changed(tmp_path, "address-back-server", "server", *changes)
    found = said(run)
    assert bool(found) == bool(says)
    if found:
        head = "10.250.0.2, which the server had again from 10 s on, was not used: "
        assert found[0].sentence.startswith(head + says)
        assert "from 10 s on" in found[0].evidence
