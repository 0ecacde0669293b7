"""Parts of the reports of mpbench's own programs, at their bounds."""

import pytest

from analysis.run.readers import own_reports


@pytest.mark.parametrize(
    ("time_ns", "known"),
    [(-1, None), (0, 0.0), (1_500_000_000, 1.5), (10**18, 1e9)],
)
def test_whole_nanoseconds_become_seconds(time_ns: int, known: float | None) -> None:
    assert own_reports.seconds(time_ns) == known


@pytest.mark.parametrize("value", [-2, 10**18 + 1, 1.0, True, "5", None])
def test_other_values_are_no_times(value: object) -> None:
    with pytest.raises(ValueError, match="is not a time in ns"):
        own_reports.seconds(value)


def test_a_time_that_a_program_computed_is_finite_and_not_below_0() -> None:
    assert own_reports.number(0) == 0
    for value in (-1e-9, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="is not a time"):
            own_reports.number(value)


def test_a_connection_has_begun() -> None:
    assert own_reports.connection(0, -1) == (0.0, None)
    with pytest.raises(ValueError, match="never began"):
        own_reports.connection(-1, 5)


def test_an_end_is_one_of_its_words_and_an_error_is_one_line() -> None:
    document = {"end": "complete", "error": "no\n  answer"}
    assert own_reports.end(document, ("complete",)) == "complete"
    assert own_reports.error(document) == "no answer"
    with pytest.raises(ValueError, match=r"^'complete' is not an end"):
        own_reports.end(document, ("failed",))


@pytest.mark.parametrize("fault", [KeyError("end"), TypeError("x"), ValueError("y")])
def test_a_damaged_report_is_named_with_its_tool(fault: Exception) -> None:
    with pytest.raises(ValueError) as refused, own_reports.refusing("a.json", "t"):
        raise fault
    reason = f"{type(fault).__name__}: {fault}"
    assert str(refused.value) == f"a.json: not a report of t ({reason})"
