"""Numbers and bounds by which runs are explained, computed by hand."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.run.events import Event, Events
from analysis.run.explain import facts as of_facts
from analysis.run.explain import middleboxes as of_middleboxes
from analysis.run.explain import translated
from analysis.run.explain.facts import Dark, Facts
from analysis.run.explain.subflows import Subflow, connections
from analysis.run.explain.times import shares
from analysis.run.explain.ways import Way
from analysis.run.explain.windows import never_recovered
from analysis.run.readers.changes import Change
from analysis.run.readers.middleboxes import Met
from analysis.run.readers.trace_windows import Window
from jobs import FRAME_BYTES
from jobs.middleboxes import NAT, Box

HERE, THERE = "10.0.1.2:40000", "10.2.0.2:5201"


def event(time_s: float, name: str, value: str = "", host: str = "client") -> Event:
    ends = (HERE, THERE) if host == "client" else (THERE, HERE)
    return Event(time_s, host, 0, 40000, "0:0", *ends, name, value)


def subflow(*own: Event, peer: tuple[Event, ...] = ()) -> Subflow:
    return Subflow("client", HERE, THERE, own, peer)


# Times


def of_time(value: str, mptcp: bool = False, end_s: float = 12.0) -> Any:
    """The shares of a subflow from 2 s to 12 s: 10,000 ms."""
    between = (event(3, "created"), event(4, "tcp_open", "acked=1 busy_ms=1"))
    one = subflow(event(2, "tcp_connect"), *between, event(end_s, "tcp_closed", value))
    return shares(one, "client", mptcp)


def test_the_time_of_a_subflow_in_parts() -> None:
    value = "acked=7 busy_ms=8000 rwnd_ms=1000 sndbuf_ms=2000"
    acked, parts = of_time(value)
    assert acked == 7
    assert parts == pytest.approx((0.1, 0.2, 0.5, 0.2))
    assert of_time(value, mptcp=True)[1] == pytest.approx((0.1, 0.0, 0.7, 0.2))


def test_no_part_of_the_time_is_beyond_it() -> None:
    assert of_time("acked=7 busy_ms=20000")[1] == pytest.approx((0, 0, 1, 0))
    assert of_time("acked=7 busy_ms=1000 rwnd_ms=3000")[1] == pytest.approx(
        (0.3, 0, 0, 0.7)
    )


def test_a_time_needs_a_last_state_and_a_length() -> None:
    assert of_time("busy_ms=8000") is None
    assert of_time("acked=7 busy_ms=0", end_s=2.0) is None
    last = of_time("acked=7 busy_ms=0", end_s=2.0005)
    assert last[1] == pytest.approx((0, 0, 0, 1))
    assert of_time("acked=7") is None  # a missing time is no time of 0
    assert shares(subflow(event(2, "created")), "client", False) is None


def test_the_time_of_an_end_begins_with_its_own_first_event() -> None:
    peer = (
        event(4, "tcp_accept", host="server"),
        event(12, "tcp_closed", "acked=5 busy_ms=4000", "server"),
    )
    one = subflow(
        event(2, "tcp_connect"), event(12, "tcp_closed", "acked=7"), peer=peer
    )
    assert shares(one, "server", False) == (5, (0, 0, 0.5, 0.5))


# Windows


WAY = Way({}, 100 * FRAME_BYTES * 8 / 0.1 / 1e6, 0.1)
"""A path that 100 segments fill."""


def recovered(cwnds: list[int], again: list[int]) -> Any:
    """The sentence about samples of one second each."""
    samples = tuple(
        Window(float(n), HERE, THERE, cwnd, count)
        for n, (cwnd, count) in enumerate(zip(cwnds, again, strict=True))
    )
    return never_recovered(traced(samples), subflow(), "client", WAY, "reno")


def traced(samples: tuple[Window, ...]) -> Any:
    return SimpleNamespace(windows=lambda host: samples if host == "client" else ())


AGAIN = [0, 0, 0, 1, 2, 2, 2, 2, 2]


def test_a_window_that_stays_small_is_told_with_its_numbers() -> None:
    """Losses at 3 and 4 s of 8 s: half of the time is quiet, which is enough."""
    said, _ = recovered([10, 90, 60, 30, 20, 25, 40, 60, 74], AGAIN)
    assert said == (
        "its congestion window never recovered from losses from 3.0 to 4.0 s: it had 90"
        " segments before and 20 after, and reno let it grow to 74 in the 4 s without a"
        " loss that followed, where 100 fill the path"
    )


def test_a_window_that_reaches_three_quarters_has_recovered() -> None:
    assert recovered([10, 90, 60, 30, 20, 25, 40, 60, 75], AGAIN) is None


def test_a_window_that_did_not_shrink_lost_nothing() -> None:
    assert recovered([10, 20, 20, 20, 20, 20, 40, 60, 74], AGAIN) is None
    assert recovered([10, 21, 20, 20, 20, 20, 40, 60, 74], AGAIN) is not None


def test_a_loss_in_the_second_half_leaves_no_time_to_recover() -> None:
    later = [0, 0, 0, 1, 1, 2, 2, 2, 2]
    assert recovered([10, 90, 60, 30, 20, 25, 40, 60, 70], later) is None
    assert recovered([10, 90, 60, 30, 20, 25, 40, 60, 70, 71], [*later, 2]) is None


def test_the_least_window_is_one_after_the_first_loss() -> None:
    """The sample just before a loss is shown still belongs to the time before it."""
    said, _ = recovered([10, 30, 99, 50, 20, 25, 40, 60, 70], AGAIN)
    assert "it had 99 segments before and 20 after" in said
    said, _ = recovered([90, 30, 5, 8, 20, 25, 40, 60, 70], AGAIN)
    assert "it had 90 segments before and 8 after" in said
    said, _ = recovered([10, 30, 20, 95, 8, 25, 40, 60, 70], AGAIN)
    assert "it had 30 segments before and 8 after" in said


def test_the_time_of_samples_begins_with_the_first() -> None:
    """Losses to 6 s of 5 to 8 s: two thirds of that time are quiet."""
    samples = (
        Window(5.0, HERE, THERE, 90, 0),
        Window(6.0, HERE, THERE, 20, 1),
        Window(8.0, HERE, THERE, 30, 1),
    )
    own = traced(samples)
    assert never_recovered(own, subflow(), "client", WAY, "reno") is not None
    assert never_recovered(own, subflow(), "client", Way({}, None, 0.1), "reno") is None


# Links that carry nothing


def test_a_link_is_dark_from_its_start_and_before_its_end() -> None:
    dark = Dark("p", 2.0, 4.0)
    covered = [dark.covers(time_s) for time_s in (1.9, 2.0, 3.9, 4.0)]
    assert covered == [False, True, True, False]
    assert Dark("p", 2.0, None).covers(99.0) and not Dark("p", 2.0, None).covers(1.9)


def test_times_of_a_dark_link_have_three_decimals() -> None:
    words = Dark("lte", 1.23456, 4.56789).words
    assert words == "lte carried nothing from 1.235 s to 4.568 s"
    assert Dark("lte", 1.23456, None).words == "lte carried nothing from 1.235 s on"


def change(time_s: float, quantity: str, value: float, link: str = "p") -> Change:
    return Change(time_s, time_s, link, "both", quantity, value)


def test_a_link_is_dark_while_it_is_down_or_loses_all() -> None:
    changes = (
        change(1, "up", 1.0),
        change(2, "up", 0.0),
        change(3, "up", 0.0),
        change(4, "up", 1.0),
        change(5, "up", 1.0),
        change(6, "loss_percent", 99.0),
        change(7, "loss_percent", 100.0),
        change(7.5, "loss_percent", 100.0, "q"),
        change(8, "loss_percent", 0.0),
        change(9, "up", 0.0),
    )
    assert list(of_facts._dark("p", changes)) == [
        Dark("p", 7, 8),
        Dark("p", 2, 4),
        Dark("p", 9, None),
    ]


def test_the_name_of_a_path_has_its_first_link() -> None:
    paths = [(), ("path1", "far"), ("path3", "path2"), ("lte", "core")]
    users = {
        "client": tuple(
            SimpleNamespace(address=f"10.0.{n}.2", links=links)
            for n, links in enumerate(paths, start=0)
        )
    }
    own = Facts(job=None, row={}, counters={}, events=None, users=users)  # type: ignore[arg-type]
    names = [own.path_name("client", f"10.0.{n}.2") for n in range(5)]
    assert names == [
        "path 1",
        "path 2 (path1)",
        "path 3",
        "path 4 (lte)",
        "the path of 10.0.4.2",
    ]


# Subflows


def test_states_are_the_last_of_either_end() -> None:
    one = subflow(
        event(1, "tcp_open", "acked=1 received=2"),
        event(2, "tcp_closed", "acked=10 received=20"),
        event(3, "created"),
        peer=(event(3, "tcp_closed", "acked=5 received=9", "server"),),
    )
    assert [state.time_s for state in one.states()] == [2, 3]
    assert one.delivered() == 29
    assert subflow().opened_s == 0.0
    assert one.opened_s == 1.0


def test_who_opens_a_connection_is_the_first_known_source() -> None:
    def client(*openers: str, sources: tuple[str, ...] = ("one", "two")) -> Any:
        found = [
            event(float(n), "tcp_connect", "", host) for n, host in enumerate(openers)
        ]
        entry = SimpleNamespace(sources=sources)
        made = connections(Events((event(0, "created"), *found)), [entry])  # type: ignore[list-item]
        return made[0].client if made else None

    assert client("proxy", "two", "one") == "two"
    assert client("proxy", "other") == "proxy"
    assert client() is None


def test_events_of_entries_that_are_not_there_belong_to_no_connection() -> None:
    entry = SimpleNamespace(sources=("client",))
    of_none = [
        Event(1.0, "client", number, port, "", HERE, THERE, "tcp_connect", "")
        for number, port in ((1, 40000), (None, 40000), (0, None))
    ]
    assert connections(Events(tuple(of_none)), [entry]) == ()  # type: ignore[list-item]


def test_ends_are_those_of_the_first_event_at_the_client() -> None:
    """After NAT, later events can have other names for the same ends."""
    entry = SimpleNamespace(sources=("client",))
    seen = (
        event(1, "tcp_accept", "", "server"),
        event(2, "tcp_connect"),
        Event(3.0, "client", 0, 40000, "0:0", THERE, HERE, "created", ""),
    )
    (one,) = connections(Events(seen), [entry])[0].subflows  # type: ignore[list-item]
    assert (one.local, one.remote) == (HERE, THERE)
    peer = (
        Event(1.0, "client", 0, 40000, "", "", "", "tcp_connect", ""),
        event(1, "tcp_accept", "", "server"),
        Event(3.0, "server", 0, 40000, "0:0", HERE, THERE, "created", ""),
    )
    (other,) = connections(Events(peer), [entry])[0].subflows  # type: ignore[list-item]
    assert (other.local, other.remote) == (HERE, THERE)


def test_a_folder_without_a_job_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"job\.json"):
        of_facts.load(tmp_path)


# Middleboxes and proxies


def silent(*think_s: float, timeout_s: int | None = 10) -> str:
    """The silence that a firewall did not outlast, of programs that think so long."""
    records = [
        SimpleNamespace(record=SimpleNamespace(think_s=each)) for each in think_s
    ]
    plain = SimpleNamespace(record=SimpleNamespace())
    facts: Any = SimpleNamespace(traffic=[*records, plain])
    box: Any = SimpleNamespace(timeout_s=timeout_s)
    return of_middleboxes._silent(facts, box)


def test_the_longest_silence_is_told_if_a_box_forgets_before() -> None:
    assert silent(5.0, 15.0, 12.0).endswith("the program is silent for 15 s")
    assert silent(5.0, 10.0) == "" != silent(10.1)
    assert silent(15.0, timeout_s=None) == silent() == silent(timeout_s=1) == ""


def test_the_first_refusal_says_what_a_box_does() -> None:
    met = [
        Met(0, "r1", "forward", "reject", 3),
        Met(0, "r1", "forward", "drop", 0),
        Met(0, "r1", "forward", "drop", 2),
    ]
    box = Box(link="path1", kind="nat", forgets="reset", timeout_s=9)
    assert of_middleboxes._forgot(box, met).startswith("answered 5 packets")
    assert of_middleboxes._forgot(box, met[1:]).startswith("dropped 2 packets")
    assert of_middleboxes._forgot(box, met[1:2]) == ""


def test_a_proxy_passes_on_what_it_takes() -> None:
    captured = Path(__file__).parent / "captured/events/proxy-dark"
    facts = of_facts.load(captured)
    passing = {
        host
        for number in range(len(facts.traffic))
        for host in ("laptop", "router", "server")
        if facts.passes_on(number, host)
    }
    assert passing == {"router"}


def test_planned_changes_go_on_to_the_last_event(tmp_path: Path) -> None:
    plan = SimpleNamespace(link="p", direction="both", quantity="up")
    plan.steps = lambda end_s: [(end_s, 0.0)]
    job: Any = SimpleNamespace(changes=[plan])
    noted = Events((event(1, "created"), event(5, "closed"), event(9, "tcp_closed")))
    assert of_facts._changes(tmp_path, job, noted) == (change(9, "up", 0.0),)
    assert of_facts._changes(tmp_path, job, None) == ()


def test_a_run_with_a_nat_and_without_events_can_be_read(tmp_path: Path) -> None:
    captured = Path(__file__).parent / "captured/events/nat-forgot"
    run = Path(shutil.copytree(captured, tmp_path / "run"))
    (run / "artefacts/events.csv").unlink()
    assert of_facts.load(run).events is None


def test_a_job_without_users_has_no_addresses_behind_a_nat() -> None:
    job: Any = SimpleNamespace(
        middleboxes=[SimpleNamespace(kind=NAT, link="p")], users=()
    )
    assert list(translated._addresses(job)) == []
