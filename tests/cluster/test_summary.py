"""The words about a scheduler's workers."""

from types import SimpleNamespace
from typing import Any

import pytest

from mpbench.cluster.remote import RemoteWorkers


@pytest.mark.parametrize(
    ("fit", "slots", "words"),
    [
        (1, 1, "1 worker of tls://x, at most 1 run at a time"),
        (2, 3, "2 workers of tls://x, at most 3 runs at a time"),
    ],
)
def test_one_worker_is_no_plural(fit: int, slots: int, words: str) -> None:
    places: Any = object.__new__(RemoteWorkers)
    places.slots = tuple(range(slots))
    places.workers = SimpleNamespace(fit=lambda: range(fit))
    places._where = "tls://x"
    assert places.summary(10) == words
