"""Old names in experiment files still work, and say what to write instead."""

from pathlib import Path

import pytest
import yaml

from mpbench.experiment_files import load
from tests.spec.files import TEXT

CASES = "cases:\n  max: {protocol: mptcp, congestion_control: %s}\n"


def written(folder: Path, control: str) -> Path:
    values = yaml.safe_load(TEXT)
    del values["cases"]
    path = folder / "friendliness.yaml"
    path.write_text(CASES % control + yaml.safe_dump(values))
    return path


@pytest.mark.parametrize("control", ["max", "{name: max, min_ssthresh: 2}"])
def test_max_is_lia_rfc6356(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], control: str
) -> None:
    path = written(tmp_path, control)
    case = load(path).cases["max"]
    assert case.congestion_control.name == "lia_rfc6356"
    (notice,) = capsys.readouterr().err.splitlines()
    assert notice == (
        f"{path}:2: congestion control 'max' is now called 'lia_rfc6356'; write the "
        "new name, though the old one still works"
    )


def test_the_new_name_gives_no_notice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = load(written(tmp_path, "lia_rfc6356")).cases["max"]
    assert case.congestion_control.name == "lia_rfc6356"
    assert capsys.readouterr().err == ""
