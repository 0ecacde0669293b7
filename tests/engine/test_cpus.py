"""Which CPUs, and what is said when there are none."""

import os
from pathlib import Path

import pytest

from mpbench.engine import cpus
from mpbench.errors import UserError


@pytest.fixture
def four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "pinnable", lambda: [2, 3, 6, 7])
    monkeypatch.setattr(cpus, "share", lambda: None)


@pytest.mark.usefixtures("four")
def test_one_worker_a_cpu_unless_told() -> None:
    assert cpus.choose(None) == [2, 3, 6, 7]
    assert cpus.choose(2) == [2, 3]
    assert cpus.choose(None, max_parallel=1) == [2]
    assert cpus.choose(1, max_parallel=1) == [2]


@pytest.mark.usefixtures("four")
def test_more_than_there_are_is_refused() -> None:
    with pytest.raises(UserError, match=r"-j 5: more than the 4 .*\(CPU 2, 3, 6, 7\)"):
        cpus.choose(5)
    with pytest.raises(UserError, match="-j 2: this backend runs 1 at a time"):
        cpus.choose(2, max_parallel=1)


@pytest.mark.usefixtures("four")
def test_a_containers_share_counts_when_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cpus, "share", lambda: 2)
    assert cpus.choose(None) == [2, 3]
    assert cpus.choose(3) == [2, 3, 6]


def test_no_cpu_to_pin_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int, mask: set[int]) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    with pytest.raises(UserError, match="no CPU to pin a run to"):
        cpus.choose(None)


def test_trying_leaves_this_process_where_it_was() -> None:
    before = os.sched_getaffinity(0)
    assert set(cpus.pinnable()) == before
    assert os.sched_getaffinity(0) == before


@pytest.mark.parametrize(
    "text, share",
    [
        ("max 100000", None),
        ("150000 100000", 1),
        ("50000 100000", 1),
        ("400000 100000", 4),
        ("", None),
    ],
)
def test_the_share_is_in_whole_cpus(
    tmp_path: Path, text: str, share: int | None
) -> None:
    (tmp_path / "cpu.max").write_text(text)
    assert cpus.share(tmp_path) == share
    assert cpus.share(tmp_path / "none") is None
