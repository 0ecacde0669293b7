"""Tests of the measurement of QUIC's speed; nothing is executed."""

from pathlib import Path

import pytest

from benchmarks import quic_speed
from benchmarks.quic_speed import Once
from mpbench import endpoints
from mpbench.store import content


def once(cpu_s: float, received: str = "a") -> Once:
    return Once(cpu_s, 18.5, {"received.csv": received, "paths.csv": "b"})


def test_the_jobs_have_the_endpoints_of_the_box() -> None:
    if any(endpoints.lookup(name) is None for name in endpoints.NAMES):
        pytest.skip("`mpbench endpoint build` builds them")
    made = quic_speed.jobs(10, 5.0, True)
    names = [*endpoints.NAMES, *(f"{name}-2ms" for name in endpoints.NAMES)]
    assert list(made) == ["tcp", "mptcp", *names]
    assert all(len(made[name].programs or {}) == 1 for name in names)
    assert {one.traffic[0].duration_s for one in made.values()} == {5.0}


def test_another_program_in_the_place_of_an_endpoint(tmp_path: Path) -> None:
    if endpoints.lookup("noq") is None or endpoints.lookup("picoquic") is None:
        pytest.skip("`mpbench endpoint build` builds them")
    (tmp_path / "other").write_bytes(b"\x7fELF of another build")
    job = quic_speed.with_program(
        quic_speed.jobs(10, 5.0, False)["noq"], tmp_path / "other"
    )
    assert job.programs is not None and list(job.programs) == ["noq"]
    assert content.read(job.programs["noq"]) == b"\x7fELF of another build"


def test_each_execution_is_divided_by_its_own_partner() -> None:
    mine, other = [once(1.0), once(3.0)], [once(2.0), once(4.0)]
    assert quic_speed.ratios(mine, other) == [0.5, 0.75]
    words = quic_speed.line("noq", 10.0, mine, other)
    assert "10.0 virtual s per CPU s" in words and "0.62 [0.50..0.75]" in words
    assert words.endswith("same bytes: received.csv, paths.csv")
    assert "over the other" not in quic_speed.line("noq", 10.0, mine, [])


def test_files_that_differ_are_told() -> None:
    words = quic_speed.line("noq", 10.0, [once(1.0)], [once(1.0, "other")])
    assert words.endswith("same bytes: paths.csv")


def test_the_table_has_ratios_over_mptcp() -> None:
    rows = {10: {"tcp": 1.0, "mptcp": 2.0, "noq": 5.0}}
    assert quic_speed.markdown(rows).splitlines()[-1] == (
        "| 2 x 10 Mbit/s | 0.5 | 1.0 | 2.5 |"
    )


@pytest.mark.parametrize("words", [["--repetitions", "0"], ["--against", "noq=none"]])
def test_bad_options_are_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        quic_speed.arguments(words)
    assert ended.value.code == 2 and words[0] in capsys.readouterr().err
