"""Runs leave here what they left on another machine, byte for byte."""

from pathlib import Path

import pytest

from validation import other_machines
from validation.other_hosts import differing


@pytest.mark.parametrize("name", other_machines.RUNS)
def test_a_run_leaves_the_bytes_of_another_machine(name: str, tmp_path: Path) -> None:
    """`validation.other_machines` says what to do where other results are meant."""
    if not other_machines.same_image():
        pytest.skip("the root image has other versions of programs")
    here = other_machines.left_by(name, tmp_path)
    assert differing(other_machines.known()[name], here) == ""
