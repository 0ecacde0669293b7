"""The comparison of releases is judged as its criterion says."""

import numpy as np
import pandas as pd
import pytest

from studies.releases import (
    KEPT,
    LEVEL,
    Found,
    answers,
    interval,
    main,
    signed,
    table,
)


@pytest.mark.parametrize(
    ("count", "level", "ends"),
    [
        # Table of the sign test: 2 P(B <= 1 of 12) = 0.00635, 2 P(B = 0) = 0.00049.
        (12, 0.99, (2, 11)),
        (12, LEVEL, (1, 12)),
        # 2 P(B <= 4 of 24) = 0.00154, 2 P(B <= 5) = 0.00661.
        (24, LEVEL, (5, 20)),
        (24, 0.95, (7, 18)),
        (10, LEVEL, (1, 10)),
        (9, LEVEL, None),
    ],
)
def test_intervals_are_those_of_the_sign_test(
    count: int, level: float, ends: tuple[int, int] | None
) -> None:
    values = np.arange(1.0, count + 1)
    assert interval(values[::-1], level) == ends


@pytest.mark.parametrize(
    ("low", "high", "middle", "verdict"),
    [
        (0.0, 0.0, 0.0, "same"),
        (-1.0, 1.0, 0.2, "same"),
        (-1.1, 1.0, 0.2, "undecided"),
        (0.1, 9.0, 1.1, "changed"),
        (-9.0, -0.1, -1.1, "changed"),
        (0.1, 9.0, 1.0, "undecided"),
        (-0.1, 9.0, 5.0, "undecided"),
        (None, None, 5.0, "undecided"),
    ],
)
def test_verdicts(
    low: float | None, high: float | None, middle: float, verdict: str
) -> None:
    one = Found("releases-bulk", "tcp", "6.12", np.array([middle]), low, high)
    assert one.verdict == verdict


def test_networks_are_paired_where_both_runs_are_ok() -> None:
    rows = pd.DataFrame(
        [
            (point, case, verdict, value)
            for point in range(12)
            for case, verdict, value in (
                ("tcp-7.3", "ok", 10.0),
                ("tcp-6.12", "invalid" if point == 0 else "ok", 9.0),
            )
        ],
        columns=["point", "case", "verdict", "goodput_mbps"],
    )
    (one,) = answers("releases-bulk", "goodput_mbps", rows)
    assert len(one.percent) == 11
    assert one.median == pytest.approx(-10)
    assert one.verdict == "changed"
    line = list(table([one]))[-1]
    wanted = "| bulk, no loss | TCP | 6.12 | 11 | -10.00 % | -10.00 to -10.00 % |"
    assert line.startswith(wanted)


def test_the_page_has_the_table_of_the_kept_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(KEPT) == 0
    page = (KEPT.parents[2] / "docs/releases.md").read_text()
    assert capsys.readouterr().out in page
    assert page.count("| same |") == 9 + 3
    assert page.count("| undecided |") == 9 + 1


def test_zero_has_no_sign() -> None:
    assert [signed(v, 1) for v in (-0.04, 0.04, -0.05001)] == ["0.0", "0.0", "-0.1"]
