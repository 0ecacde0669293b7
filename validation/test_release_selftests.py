"""Judgement of upstream's tests over releases and seeds."""

from dataclasses import replace
from pathlib import Path

from mpbench.kernel.cache import Kernel
from tests.virtual import selftests
from tests.virtual.selftests import Expected, Outcome, Release, Script
from validation.release_selftests import (
    Record,
    Results,
    begin,
    by_test,
    judged,
    read,
    table,
    write,
)

SCRIPT = Script("join -f", ("./join.sh", "-f"))
IPV6 = Expected("No IPv6.", "fail", ("join -f: v6 *",))
SS = Expected("`ss` is old.", "skip", ("join -f: ss",))


def outcome(
    results: dict[str, str], trouble: str = "", kernel: tuple[str, ...] = ()
) -> Outcome:
    return Outcome(SCRIPT, results, kernel, trouble, 1.0)


def test_results_are_sorted_by_seed() -> None:
    outcomes = [(1, outcome({"a": "ok"})), (3, outcome({"a": "fail", "b": "skip"}))]
    assert by_test(outcomes) == [
        Results("join -f: a", {1: "ok", 3: "fail"}),
        Results("join -f: b", {3: "skip"}),
    ]


def test_what_fails_under_some_seeds_is_told_and_is_no_fault() -> None:
    outcomes = [
        (seed, outcome({"time": result, "same": "ok"}))
        for seed, result in ((1, "ok"), (2, "fail"), (3, "fail"))
    ]
    lines, faults = judged(outcomes, [])
    assert lines == [
        "2 tests under 3 seeds: 1 passed, 0 skipped, 0 failed,"
        " 1 failed under some seeds",
        "fails under 2 of 3 seeds (2, 3): join -f: time",
    ]
    assert faults == 0


def test_what_fails_always_is_a_fault_unless_it_is_listed() -> None:
    results = {"v6 a": "fail", "ss": "fail", "other": "fail", "b": "ok"}
    lines, faults = judged([(1, outcome(results))], [IPV6, SS])
    assert lines == [
        "4 tests under 1 seed: 1 passed, 0 skipped, 3 failed,"
        " 0 failed under some seeds",
        "fails, and is not listed: join -f: ss",
        "fails, and is not listed: join -f: other",
    ]
    assert faults == 2


def test_a_script_that_did_not_end_and_reports_of_a_kernel_are_faults() -> None:
    outcomes = [(4, outcome({}, "too long\nlast words", ("WARNING: x",)))]
    lines, faults = judged(outcomes, [])
    assert lines[1:] == [
        "join -f, seed 4: too long",
        "join -f, seed 4: kernel: WARNING: x",
    ]
    assert faults == 2


def test_texts_that_a_release_does_not_have_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "lib.sh").write_text("grep x /proc/kallsyms\n")
    release = Release(Kernel(tmp_path, "k", tmp_path, {}), tmp_path)
    changes = release.changes(selftests.GUEST)
    assert changes == {"/proc/kallsyms": selftests.SYMBOLS}


def test_groups_that_a_release_does_not_have_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "net/mptcp"
    folder.mkdir(parents=True)
    (folder / "mptcp_join.sh").write_text("all=(\n\tf@subflows_tests\n)\n")
    (folder / "diag.sh").write_text("")
    release = Release(Kernel(tmp_path, "k", tmp_path, {}), tmp_path)
    there = [script.name for script in selftests.TESTS["guest"] if release.has(script)]
    assert there == ["diag", "mptcp_join -f"]


def test_a_file_goes_on_in_the_same_kernel_with_what_has_not_ended(
    tmp_path: Path,
) -> None:
    ended, cut = outcome({"a": "ok"}), outcome({}, trouble="too long")
    record = Record("k", "6.12.118", {(SCRIPT.name, 1): ended, (SCRIPT.name, 2): cut})
    write({"6.12": record}, tmp_path / "x.json")
    stored = read(tmp_path / "x.json")["6.12"]
    assert stored == record
    assert begin(stored, "k", "6.12.118") is stored
    assert begin(stored, "other", "6.12.118").outcomes == {}
    assert [stored.has(seed, SCRIPT) for seed in (1, 2, 3)] == [True, False, False]


def test_the_table_of_releases() -> None:
    one = {
        (SCRIPT.name, 1): outcome({"v6 a": "fail", "b": "ok", "ss": "skip"}),
        (SCRIPT.name, 2): outcome({"v6 a": "fail", "b": "fail", "ss": "skip"}),
    }
    script = Script("mptcp_join -f", SCRIPT.argv)
    named = {
        ("mptcp_join -f", s): replace(o, script=script) for (_, s), o in one.items()
    }
    records = {"6.12": Record("k", "6.12.118", named), "7.2": Record("l", "7.2.13", {})}
    entry = replace(IPV6, tests=("mptcp_join -f: v6 *",))
    assert list(table(records, [entry])) == [
        "| script | 6.12.118 | 7.2.13 |",
        "|---|---|---|",
        "| `mptcp_join -f` | 0, 1, 1, and 1 under some of 2 seeds | - |",
        "",
        "Linux 6.12.118, kernel `k`: 0 minutes of CPU time,"
        " `mptcp_join -f` under 2 seeds.",
        "",
        "- No IPv6. 1 test of `mptcp_join -f` fails for this.",
        "- `mptcp_join -f: b` fails under 1 of 2 seeds (2).",
        "",
        "Linux 7.2.13, kernel `l`: 0 minutes of CPU time.",
        "",
        "",
    ]
