"""Reading `events.csv`, whole and damaged, and the columns that come from it."""

from pathlib import Path

import pytest

from analysis.run import event_columns, events
from analysis.run.events import HEAD, parse

CAPTURED = Path(__file__).parent / "captured/events"
JOIN = (
    "0.040452,client,0,53360,1:0,10.0.2.2:52897,10.2.0.2:5201,sub_closed,"
    "error=110 reason=6"
)


def test_an_event_has_its_parts() -> None:
    (event,) = parse(f"{HEAD}\n{JOIN}\n", "events.csv").all
    assert (event.time_s, event.host) == (0.040452, "client")
    assert (event.connection, event.port, event.subflow) == (0, 53360, "1:0")
    assert event.address == "10.0.2.2"
    assert (event.count("error"), event.count("reason"), event.get("id")) == (
        110,
        6,
        "",
    )
    assert event.number == 0


def test_unknown_ends_and_connections_are_none() -> None:
    (event,) = parse(f"{HEAD}\n-0.5,server,,,,,,MPCapableACKRX,3\n", "events.csv").all
    assert (event.connection, event.port, event.number) == (None, None, 3)
    assert event.time_s == -0.5


def test_a_line_that_was_cut_short_is_left_out() -> None:
    assert len(parse(f"{HEAD}\n{JOIN}\n{JOIN[:30]}", "events.csv").all) == 1


def test_events_that_were_left_out_are_counted() -> None:
    text = f"{HEAD}\n{JOIN}\n9.0,,,,,,,left_out,12\n"
    found = parse(text, "events.csv")
    assert (len(found.all), found.left_out) == (1, 12)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1.0,client", "not enough values"),
        (JOIN.replace("0.040452", "nan"), "its time is not finite"),
        (JOIN.replace("0.040452", "soon"), "could not convert"),
        (JOIN.replace(",0,", ",-1,"), "a number is none"),
        (JOIN.replace("10.0.2.2:52897", "../../etc"), "an end is no ADDRESS:PORT"),
        (JOIN.replace("client", "a b"), "its host is none"),
        (JOIN.replace("1:0", "x"), "its subflow is none"),
        (JOIN.replace("sub_closed", "\x1b[31m"), "its name or its value is none"),
    ],
)
def test_what_is_no_event_is_refused_with_its_line(line: str, reason: str) -> None:
    with pytest.raises(
        ValueError, match=r"events\.csv: line 3: .* is no event"
    ) as told:
        parse(f"{HEAD}\n{JOIN}\n{line}\n", "events.csv")
    assert reason in str(told.value)
    assert "\n" not in str(told.value)


def test_another_file_is_refused() -> None:
    with pytest.raises(ValueError, match="its first line is not that of a record"):
        parse("time,host\n", "events.csv")


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "events.csv").open("wb") as file:
        file.truncate(events.MOST_BYTES + 1)
    with pytest.raises(ValueError, match="larger than 16 MiB"):
        events.load(tmp_path)


def test_columns_of_a_run_whose_path_went_dark() -> None:
    columns = event_columns.columns(CAPTURED / "dark-mptcp-cubic/artefacts")
    assert columns["tcp_timeouts"] >= 1
    assert 3 < columns["first_tcp_timeout_s"] <= columns["first_stale_s"] < 5
    assert columns["reinjection_bursts"] >= 1


def test_a_run_without_events_has_no_columns(tmp_path: Path) -> None:
    assert event_columns.columns(tmp_path) == {}
