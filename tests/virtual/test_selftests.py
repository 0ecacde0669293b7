"""A part of upstream's own tests of MPTCP, and how their results are judged."""

from pathlib import Path

import pytest

from tests.virtual import selftests
from tests.virtual.selftests import QUICK, Expected, Outcome, Script

SCRIPT = Script("join", ("./join.sh",))
LISTED = (
    Expected("No IPv6.", "fail", ("join: * v6",)),
    Expected("No netfilter.", "skip", ("join: filter", "other: absent")),
)


def outcome(results: dict[str, str], **more: str) -> Outcome:
    log = [more["kernel"]] if "kernel" in more else []
    return Outcome(SCRIPT, results, log, more.get("trouble", ""), 1.0)


def test_a_surprise_is_what_the_list_does_not_say() -> None:
    listed = {"a v6": "fail", "filter": "skip", "a": "ok"}
    assert selftests.surprises([outcome(listed)], LISTED) == []
    assert selftests.surprises([outcome({**listed, "a": "fail"})], LISTED) == [
        "join: a: fail, expected ok"
    ]
    assert selftests.surprises([outcome({**listed, "a": "skip"})], LISTED) == [
        "join: a: skip, expected ok"
    ]
    assert selftests.surprises([outcome({**listed, "a v6": "ok"})], LISTED) == [
        "join: a v6: ok, expected fail"
    ]
    assert selftests.surprises([outcome({"a v6": "fail"})], LISTED) == [
        "join: filter: listed, but there is no such test"
    ]
    troubled = outcome(listed, trouble="killed", kernel="[1] WARNING: net/x.c")
    assert selftests.surprises([troubled], LISTED) == [
        "join: killed",
        "join: kernel: [1] WARNING: net/x.c",
    ]


def test_a_race_may_be_lost_and_won() -> None:
    listed = [Expected("A race.", "either", ("join: race",))]
    for result in ("ok", "fail"):
        assert selftests.surprises([outcome({"race": result})], listed) == []
    assert selftests.surprises([outcome({"race": "skip"})], listed) == [
        "join: race: skip, expected either"
    ]


def test_results_are_read_from_what_a_script_prints() -> None:
    text = (
        "TAP version 13\n1..3\n"
        "ok 1 - mptcp_join: no JOIN # time=201ms\n"
        "not ok 2 - mptcp_join: link: 1 # time=2ms\n"
        "ok 3 - mptcp_join: tproxy ipv4 # SKIP time=0ms\n"
    )
    assert dict(selftests.read_results(text)) == {
        "no JOIN": "ok",
        "link: 1": "fail",
        "tproxy ipv4": "skip",
    }


@pytest.mark.parametrize("script", QUICK, ids=[script.name for script in QUICK])
def test_upstreams_tests_pass(tmp_path: Path, script: Script) -> None:
    seen = selftests.run(
        script, "guest", tmp_path / "guest", bounds=selftests.QUICK_BOUNDS
    )
    assert selftests.surprises([seen], selftests.expected("guest")) == []
