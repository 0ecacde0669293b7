"""Labels of runs beside those of their own rows."""

import pytest

from mpbench.store.campaign import Entry
from mpbench.store.places import faults

PLAN = Entry(
    id="0123456789abcdef",
    point=0,
    case="a",
    repetition=0,
    factors={"path1.jitter_ms": 3.893083, "path1.delay_ms": 3.893083},
)


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("path1.jitter_ms", 3.892, False),
        ("path1.jitter_ms", 3.89, True),
        ("path1.delay_ms", 3.892, True),
        ("path1.jitter_ms", None, True),
    ],
)
def test_a_jitter_as_tc_shows_it_is_no_fault(
    column: str, value: float | None, told: bool
) -> None:
    """A netem takes whole ticks, and tc shows whole microseconds."""
    assert bool(list(faults([PLAN], {PLAN.id: {column: value}}))) is told
