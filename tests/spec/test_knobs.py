"""The ranges of experiment files, of the kernel's table and of the documentation."""

import re
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.spec import knobs

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (`.+`) \| ([\d, to]+) \| (\d+) \|", re.MULTILINE)


def every_knob() -> list[knobs.Knob]:
    return [
        knob
        for names in knobs.KINDS.values()
        for parameters in names.values()
        for knob in parameters.values()
    ]


GROWTH = {"coupled_count_acks", "slow_start_at_ssthresh", "count_acks"}
"""Sysctls that belong to no controller; an experiment file sets them by `sysctls`."""


def test_the_table_and_the_parameters_name_the_same_sysctls() -> None:
    assert {knob.name for knob in every_knob()} | GROWTH == knobs.ranges().keys()


@pytest.mark.parametrize("knob", every_knob(), ids=lambda knob: knob.name)
def test_a_file_can_only_ask_for_what_the_kernel_takes(knob: knobs.Knob) -> None:
    kernel = knobs.ranges()[knob.name]
    if knob.choices:
        texts = [knob.text(choice) for choice in knob.choices]
        assert texts == [str(value) for value in range(kernel.high + 1)]
    elif knob.switch:
        assert (knob.text(False), knob.text(True)) == (
            str(kernel.low),
            str(kernel.high),
        )
    else:
        assert kernel.low <= int(knob.text(knob.low)) <= int(knob.text(knob.high))
        assert int(knob.text(knob.high)) == kernel.high
        for outside in (knob.low - 1, knob.high + 1):
            with pytest.raises(ValueError, match="out of range"):
                knob.check(outside)


def test_the_documentation_has_the_table_s_values() -> None:
    text = (ROOT / "docs" / "controllers.md").read_text()
    text = text.split("## Parameters", 1)[1].split("\n## ", 1)[0]
    said = {
        name: knobs.Range(int(initial), *map(int, re.findall(r"\d+", limits)))
        for listed, limits, initial in ROW.findall(text)
        for name in re.findall(r"`(\w+)`", listed)
    }
    others = {n: r for n, r in knobs.ranges().items() if not n.startswith("mpcc_")}
    assert said == others


def test_the_page_of_mpcc_has_the_table_s_defaults() -> None:
    text = (ROOT / "docs" / "mpcc.md").read_text()
    text = text.split("## Parameters", 1)[1].split("## Why these", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \| .+? \| `?([^|`]+)`? \|", text, re.MULTILINE)
    parameters = knobs.KINDS["congestion_control"]["mpcc"]
    said = dict(rows)
    for name, knob in parameters.items():
        initial = knobs.ranges()[knob.name].initial
        if knob.choices:
            assert said[name] == knob.choices[initial]
        else:
            assert float(said[name]) == initial / knob.scale, name


@pytest.mark.parametrize(
    "line", ["LAB_PARAMETER(A, a, 0, 0)", "LAB_PARAMETER(A, a, 0, 0, 4 * 1000)"]
)
def test_a_row_that_cannot_be_read_is_refused(tmp_path: Path, line: str) -> None:
    table = tmp_path / "lab_parameters.h"
    table.write_text(f"/* Comment. */\n{line}\n")
    with pytest.raises(UserError, match=r"lab_parameters\.h:2: .*default, minimum"):
        knobs.ranges(table)


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="checkout"):
        knobs.ranges(tmp_path / "lab_parameters.h")


OWN = "OWN_PARAMETER(times, 3, 1, 100);"


def test_a_file_of_the_user_s_declares_parameters() -> None:
    found = knobs.own("scheduler", "near", f"int x;\n{OWN}\n")
    assert set(found) == {"times", "tail"}
    times = found["times"]
    assert times.sysctl == "net.mptcp.near_times"
    assert (times.low, times.high, times.text(times.check(7))) == (1, 100, "7")
    for outside in (0, 101, 1.5, "3"):
        with pytest.raises(ValueError):
            times.check(outside)
    assert set(knobs.own("congestion_control", "near", OWN)) == {"times"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("OWN_PARAMETER(times, 3, 1, MOST);", "1: cannot be read; write one line"),
        ("\n  OWN_PARAMETER(a,\n\t3, 1, 2);", "2: cannot be read"),
        (f"{OWN}\n{OWN}", "2: 'times' is taken"),
        ("OWN_PARAMETER(tail, 0, 0, 1);", "1: 'tail' is taken"),
        ("OWN_PARAMETER(name, 0, 0, 1);", "1: 'name' is taken"),
        ("OWN_PARAMETER(a, 3, 4, 9);", "1: a: needs minimum <= default"),
        ("OWN_PARAMETER(a, 3, 0, 2147483648);", "1: a: needs minimum"),
        (
            "\n".join(f"OWN_PARAMETER(a{n}, 0, 0, 1);" for n in range(17)),
            "17: more than 16 parameters",
        ),
    ],
)
def test_a_declaration_that_cannot_be_read(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        knobs.own("scheduler", "near", text)
