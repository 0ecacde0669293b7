"""The mean queue in a part of a run, from records whose answer is known."""

import pytest

from analysis.run.readers.queues import QueueRecord, parse

UP, DOWN = ("r1", "up"), ("r1", "down")
SAMPLES = "time_s,r1:up,r1:down\n0.01,0,0\n1.04,100,0\n2.02,300,20\n3.05,200,0\n"
WAITS = "time_s,r1:up,r1:down\n1.000052,50,0\n3.000052,250.5,0\n4.500000,400,1\n"


def read(text: str) -> QueueRecord:
    return parse(text, "queue-samples.csv" if text == SAMPLES else "queue-waits.csv")


def test_the_mean_of_samples() -> None:
    record = read(SAMPLES)
    assert record.mean_bytes(UP, 1.0, 3.0) == 200
    assert record.mean_bytes(UP, 0.0, 4.0) == 150
    assert record.mean_bytes(DOWN, 2.0, 3.0) == 20
    assert record.mean_bytes(UP, 3.2, 3.9) is None
    assert record.mean_bytes(UP, 2.0, 9.0) is None, "less than half is known"
    assert record.mean_bytes(("r2", "up"), 0.0, 4.0) is None


def test_the_mean_of_sums() -> None:
    record = read(WAITS)
    assert record.mean_bytes(UP, 1.0, 3.0) == pytest.approx(100.25)
    # The traffic ended at 4.5 s.
    assert record.mean_bytes(UP, 3.0, 5.0) == pytest.approx(149.5 / 1.499948)
    assert record.mean_bytes(UP, 3.0, 9.0) is None
    assert record.mean_bytes(UP, 6.0, 9.0) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a record of queues"),
        ("time_s,r1:up\n1,2", "cut short"),
        ("time_s,r1:up\n1,2,3\n", "not a row of 2 numbers"),
        ("time_s,r1:up\n1,nan\n", "not a row of 2 numbers"),
        ("time_s,r1:up\n1,x\n", "is not a row"),
        ("time_s,r1up\n1,2\n", "not NODE:INTERFACE"),
        ("time_s,r1:up\n2,1\n1,1\n", "not in order"),
    ],
)
def test_a_damaged_file_is_one_line(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        parse(text, "queue-samples.csv")
    assert str(caught.value).startswith("queue-samples.csv: ")
