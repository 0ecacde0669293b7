"""The runner of upstream's tests: what it runs again, and the page that it writes."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mpbench import kernel
from tests.virtual import selftests
from tests.virtual.selftests import Expected, Outcome, Script
from validation import upstream_selftests
from validation.upstream_selftests import Record

SCRIPTS = (Script("pm", ("./pm.sh",)), Script("join -f", ("./join.sh", "-f")))
SSC = Expected("`ss` is old.", "skip", ("pm: chk *",))
TSO = Expected("There is no TSO.", "fail", ("join -f: tso",))


def outcome(script: Script, results: dict[str, str], trouble: str = "") -> Outcome:
    return Outcome(script, results, [], trouble, 30.0)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the scripts that were run, by a runner that takes no time.

    The second script does not end when it is run first.
    """
    names: list[str] = []

    def run(script: Script, *_: Any) -> Outcome:
        names.append(script.name)
        trouble = "too long" if names == ["pm", "join -f"] else ""
        return outcome(script, {"a": "ok"}, trouble)

    monkeypatch.setattr(selftests, "run", run)
    monkeypatch.setattr(selftests, "expected", lambda config: [])
    monkeypatch.setitem(selftests.TESTS, "selftests", SCRIPTS)
    monkeypatch.setattr(upstream_selftests, "TOOLS", ())
    return names


def call(monkeypatch: pytest.MonkeyPatch, save: Path, key: str) -> int:
    image = SimpleNamespace(key=key, info={"version": "7.3.9"})
    monkeypatch.setattr(kernel, "find", lambda config: image)
    argv = ["", "--config", "selftests", "--jobs", "1", "--save", str(save)]
    monkeypatch.setattr(sys, "argv", argv)
    return upstream_selftests.main()


@pytest.mark.parametrize("config", selftests.KINDS)
def test_a_guest_may_take_an_hour(config: str) -> None:
    """As the page says: on a busy machine a script takes many times as long."""
    bounds = selftests.KINDS[config].bounds
    assert (bounds.wall_s, bounds.silence_s) == (3600.0, 1200.0)


def test_a_script_that_ended_is_not_run_again_in_the_same_kernel(
    ran: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    save = tmp_path / "selftests.json"
    assert call(monkeypatch, save, "k1") == 1
    assert ran == ["pm", "join -f"]
    assert call(monkeypatch, save, "k1") == 0
    assert ran == ["pm", "join -f", "join -f"]
    assert call(monkeypatch, save, "k1") == 0
    assert len(ran) == 3
    assert call(monkeypatch, save, "k2") == 0
    assert ran[3:] == ["pm", "join -f"]
    monkeypatch.setattr(selftests, "COMMANDS", "another way")
    assert call(monkeypatch, save, "k2") == 0
    assert len(ran) == 7


def test_a_host_without_the_programs_of_the_scripts_is_told_first(
    ran: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(upstream_selftests, "TOOLS", ("sh", "no-such-program"))
    with pytest.raises(SystemExit) as ended:
        call(monkeypatch, tmp_path / "selftests.json", "k1")
    assert ended.value.code == 2 and not ran
    assert "error: no-such-program not found; `make self" in capsys.readouterr().err


def test_what_ended_before_an_interruption_is_kept(
    ran: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(script: Script, *_: Any) -> Outcome:
        if script is SCRIPTS[1]:
            raise KeyboardInterrupt
        return outcome(script, {"a": "ok"})

    monkeypatch.setattr(selftests, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        call(monkeypatch, tmp_path / "save.json", "k1")
    assert list(upstream_selftests.read(tmp_path / "save.json").outcomes) == ["pm"]


def record(config: str, outcomes: Sequence[Outcome]) -> Record:
    named = {outcome.script.name: outcome for outcome in outcomes}
    return Record(config, "k1", "m1", "7.3.9", named)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    for config in upstream_selftests.FULL:
        monkeypatch.setitem(selftests.TESTS, config, SCRIPTS)
    monkeypatch.setattr(selftests, "expected", lambda config: [SSC, TSO])


@pytest.mark.usefixtures("listed")
def test_the_page_says_what_our_changes_do_not_cause() -> None:
    pm = outcome(SCRIPTS[0], {"a": "ok", "chk b": "skip"})
    with_ours = record(
        "selftests", [pm, outcome(SCRIPTS[1], {"tso": "fail", "c": "ok"})]
    )
    stock = record(
        "selftests-stock", [pm, outcome(SCRIPTS[1], {"tso": "ok", "c": "ok"})]
    )
    page = upstream_selftests.page([stock, with_ours])
    assert "| `pm` | 1, 0, 1 | 1, 0, 1 |" in page
    assert "| `join -f` | 1, 1, 0 | 2, 0, 0 |" in page
    assert "| all options, with our changes | `k1` | 2 of 2 | 2 | 1 | 1 | 0 | 1 |" in (
        page
    )
    skipped, failed, unexpected = page.splitlines()[-3:]
    assert skipped.endswith(
        "`pm: chk *`. They do so with and without our changes, which are not the cause."
    )
    assert failed.endswith(
        "`join -f: tso`. The results with and without our changes differ."
    )
    assert unexpected == (
        "- Not expected, all options, without our changes: "
        "`join -f: tso: ok, expected fail`"
    )


@pytest.mark.usefixtures("listed")
def test_the_page_says_what_did_not_run() -> None:
    pm = outcome(SCRIPTS[0], {"chk b": "skip"}, "silent for 1200 s")
    page = upstream_selftests.page([record("selftests", [pm])])
    assert "| `pm` | did not end |" in page
    assert "| `join -f` | not run |" in page
    assert (
        "Not run for this page: kernel of experiments, all options, without our "
        "changes." in page
    )
    assert "which are not the cause" not in page
