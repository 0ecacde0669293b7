"""Cells and statements of the table of schedulers, with numbers worked out by hand."""

import pandas as pd
import pytest

from validation.scheduler_table import cells, statements, table

FAR, SLOW = (10.0, 100.0), (2.0, 100.0)


def runs(verdict: str = "ok") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "case": ["a", "a", "b", "b"],
            "verdict": ["ok", "ok", "ok", verdict],
            "x": 1,
            "y": 2,
            "goodput_mbps": [1.0, 3.0, 5.0, 5.0],
        }
    )


def test_cells_have_student_s_interval() -> None:
    found = cells(runs(), "goodput_mbps", ("x", "y"))
    # n = 2: s = sqrt(2), and t = 12.706 with one degree of freedom
    assert found["a", (1, 2)] == pytest.approx((2.0, 12.706), rel=1e-4)
    assert found["b", (1, 2)] == (5.0, 0.0)
    assert table(found, {(1, 2): "here"})[2] == "| `a` | 2 ± 13 |"


def test_a_run_that_is_not_ok_is_refused() -> None:
    with pytest.raises(ValueError, match="not every run is ok"):
        cells(runs("invalid"), "goodput_mbps", ("x", "y"))


@pytest.mark.parametrize(
    ("stms", "tail", "holds"), [(1.1, 1.02, True), (1.09, 1.03, False)]
)
def test_the_statements_at_their_bounds(stms: float, tail: float, holds: bool) -> None:
    bulk = {("lowrtt", FAR): 1.0, ("stms", FAR): stms, ("daps", FAR): stms}
    bulk |= {("roundrobin", FAR): 1.0, ("tcp1", SLOW): 1.0}
    bulk |= {("blest", SLOW): 0.95 if holds else 0.94}
    download = {(case, (100.0, 64_000.0)): 1.0 for case in ("roundrobin", "lowrtt")}
    download |= {("otias", (100.0, 64_000.0)): 0.9 if holds else 0.91}
    for size in (64_000.0, 512_000.0):
        download |= {("ecf", (100.0, size)): 1.0}
        download |= {("ecf-tail", (100.0, size)): tail}
    found = statements(
        {at: (mean, 0.0) for at, mean in bulk.items()},
        {at: (mean, 0.0) for at, mean in download.items()},
    )
    assert [judged for *_, judged in found] == [holds] * 5
