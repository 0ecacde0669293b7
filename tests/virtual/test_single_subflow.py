"""With one subflow a coupled controller is Reno: the same packets, byte for byte."""

from pathlib import Path

import pytest

from .lab import lab_with, make_job, script

TRACE = script("import sys; from tests.virtual.trace import main; sys.exit(main())")
PARAMETERS = {
    "path1.capacity": "10 Mbit/s",
    "path1.delay": "10 ms",
    "path1.queueing_delay": "20 ms",
    "path1.loss": "0.2 %",
}
LEAST_PACKETS = 3000


def trace(folder: Path, protocol: str, controller: str) -> bytes:
    case = {"protocol": "tcp", "congestion_control": controller, "path": 1}
    job = make_job(folder, case, parameters=PARAMETERS)
    job["transfer"] = {"protocol": protocol, "bytes": 4_000_000}
    ended, artefacts = lab_with(folder / controller, TRACE).execute(job)
    assert ended.status == "finished", ended.reason
    return (artefacts / "trace").read_bytes()


COUPLED = (
    "lia",
    "lia_rfc6356",
    "olia",
    "balia",
    "dlia",
    "ewtcp",
    "coupled",
    "semicoupled",
)


@pytest.fixture(scope="module", params=["tcp", "mptcp"])
def reno(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, bytes]:
    """The protocol, and what reno leaves over it."""
    return request.param, trace(tmp_path_factory.mktemp("reno"), request.param, "reno")


@pytest.mark.parametrize("controller", COUPLED)
def test_it_leaves_reno_s_trace(
    tmp_path: Path, reno: tuple[str, bytes], controller: str
) -> None:
    protocol, wanted = reno
    assert len(wanted) > LEAST_PACKETS * 100
    assert trace(tmp_path, protocol, controller) == wanted


@pytest.mark.parametrize("protocol", ["tcp", "mptcp"])
def test_a_coupled_bbr_leaves_bbr_s_trace(tmp_path: Path, protocol: str) -> None:
    wanted = trace(tmp_path, protocol, "bbr")
    assert len(wanted) > LEAST_PACKETS * 100
    assert trace(tmp_path, protocol, "cmpbbr") == wanted


def test_another_controller_leaves_another(
    tmp_path: Path, reno: tuple[str, bytes]
) -> None:
    protocol, unlike = reno
    assert trace(tmp_path, protocol, "cubic") != unlike
