"""Outcomes on both sides of proxies, from runs of guests and of the fake backend."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.run import events, traffic
from analysis.run.explain import explain
from analysis.run.outcomes import legs, provoked
from analysis.run.readers import counters, outcome
from analysis.run.readers import job as job_file
from analysis.run.row import row
from jobs import dump
from mpbench.backends import fake_artefacts
from tests.spec.test_via import MPTCP, job

PROXIES = Path(__file__).parent / "captured/events/well-proxies"


def of_fake(folder: Path, **entry: object) -> dict[str, object]:
    made = job(MPTCP, **entry)
    (folder / "artefacts").mkdir()
    (folder / "job.json").write_text(json.dumps(dump(made)))
    for name, content in fake_artefacts.artefacts(made).items():
        (folder / "artefacts" / name).write_bytes(content)
    return row(folder)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_run_with_proxies_is_sound(tmp_path: Path, reverse: bool) -> None:
    found = of_fake(tmp_path, via=["router", "vps"], reverse=reverse)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    assert 25 < float(str(found["goodput_mbps"])) < 36
    assert found["ended"] == "complete"
    assert found["router.subflows_joined"] == 2  # of both connections of iperf3
    assert found["subflows_joined"] == found["vps.subflows_joined"] == 0
    assert found["vps.proxy.opened"] == 2


def test_counters_of_a_proxy_belong_to_its_sides() -> None:
    """The router tried to join its client's connections as well: its own subflows are
    those towards the server."""
    entries = traffic.of_job(job_file.read(PROXIES / "job.json"))
    folder = PROXIES / "artefacts"
    hosts = {
        name: counters.read(folder / f"nstat-{name}.json")
        for name in ("laptop", "router", "vps", "server")
    }
    noted = events.load(folder)
    assert noted is not None
    whole = hosts["router"]
    assert whole.mptcp("MPJoinSynTxCreatSkErr") == 2
    first = legs.counters(entries[0], 0, hosts, noted)
    second = legs.counters(entries[1], 1, hosts, noted)
    assert first["router"].mptcp("MPJoinSynTxCreatSkErr") == 2
    assert second["router"].mptcp("MPJoinSynTxCreatSkErr") == 0
    assert second["router"].mptcp("MPJoinSynTx") == 2
    assert second["router"].get("TcpActiveOpens") == 4
    assert first["router"].mptcp("MPCapableSYNRX") == 2
    assert second["router"].mptcp("MPCapableSYNRX") == 0
    assert first["router"].mptcp("MPCapableSYNTX") == 0


def test_a_way_is_an_entry_and_its_proxies() -> None:
    entries = traffic.of_job(job_file.read(PROXIES / "job.json"))
    assert traffic.proxied(entries, 0) == traffic.proxied(entries, 2) == {0, 1, 2}
    assert [traffic.served(entry, n) for n, entry in enumerate(entries)] == [0, 0, 0]


def test_a_proxy_that_opened_all_connections_is_not_told(tmp_path: Path) -> None:
    run = Path(shutil.copytree(PROXIES, tmp_path / "run"))
    assert explain(run) == ()
    report = run / "artefacts/traffic-2-server.json"
    report.write_text(report.read_text().replace('"opened": 2', '"opened": 1'))
    (finding,) = explain(run)
    assert finding.sentence == (
        "the proxy on the vps accepted 2 connections of the router, and could not open"
        " 1 to the server: Connection reset by peer; the router had connected by then"
    )


def test_a_first_path_that_is_dark_throughout_provokes_the_end() -> None:
    """The router has another path, and MPTCP begins on the first."""
    run = PROXIES.with_name("proxy-dark")
    made = job_file.read(run / "job.json")
    links = tuple(replace(one, loss_percent=0.0) for one in made.links)
    dsl = [one for one in made.changes if one.link == "dsl"]
    reported = outcome.read(run / "artefacts/outcome.json")
    for changes, excused in ((dsl, True), ([], False)):
        known = provoked.of_run(
            replace(made, changes=tuple(changes), links=links),
            traffic.of_job(made),
            reported,
            reported.users,
        )
        assert known.end(known.traffic[0], 7.3) == excused
        assert known.may_fall_back(known.traffic[0], 1.0)  # hosts.laptop: no MPTCP


def test_a_first_path_that_is_dark_later_has_let_it_connect() -> None:
    run = PROXIES.with_name("proxy-dark")
    made = job_file.read(run / "job.json")
    links = tuple(replace(one, loss_percent=0.0) for one in made.links)
    dsl = [replace(c, at_s=(1.0,)) for c in made.changes if c.link == "dsl"]
    reported = outcome.read(run / "artefacts/outcome.json")
    known = provoked.of_run(
        replace(made, changes=tuple(dsl), links=links),
        traffic.of_job(made),
        reported,
        reported.users,
    )
    assert not known.end(known.traffic[0], 7.3)
