"""Counting of what `explain` says of buffers."""

from studies.explain_buffers import Count, Run, count, share_that_stays


def run(case: str, ratio: float, lower: bool, upper: bool) -> Run:
    return Run(case, ratio, {0.15: lower, 0.2: upper})


def test_runs_are_sorted_by_what_usual_buffers_give() -> None:
    runs = [
        run("lia-1m", 1.10, True, False),
        run("lia-1m", 1.09, True, True),  # neither held nor not
        run("lia-1m", 1.05, True, True),
        run("cubic-1m", 1.04, True, False),
        run("cubic-4m", 3.0, False, False),
        run("lia-usual", 1.0, False, True),
    ]
    assert count(runs, 0.15) == Count(1, 1, 1, 0)
    assert count(runs, 0.2) == Count(0, 2, 0, 1)


def test_the_lower_share_needs_few_wrong_sentences_and_more_right_ones() -> None:
    upper = Count(10, 10, 0, 0)
    assert share_that_stays(Count(19, 1, 1, 0), upper) == 0.15
    assert share_that_stays(Count(18, 1, 1, 0), upper) == 0.2
    assert share_that_stays(Count(10, 10, 0, 0), upper) == 0.2
    assert Count(0, 3, 0, 0).wrong == 0
