"""Sentences about a further address of a server that no subflow goes to."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis.run.explain.facts import load
from analysis.run.explain.finding import Finding
from analysis.run.explain.servers import unused_addresses

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
