"""Advice of `mpbench plan` and `run` where paths are fast and frames are single."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from mpbench.commands import plan, run
from mpbench.experiment_files import loads
from mpbench.plan import advice, make_plan, whole_segments
from mpbench.plan.estimate import _gathered

PAGE = Path(__file__).parents[2] / "docs/offload.md"
FAST: dict[str, Any] = {
    "name": "fast",
    "topology": "two_path",
    "fabric": True,
    "parameters": {"path1.capacity": "1 Gbit/s", "path2.capacity": "20 Mbit/s"},
    "cases": {
        "mptcp": {"protocol": "mptcp", "congestion_control": "cubic"},
    },
    "traffic": [
        {"tool": "iperf3", "from": "client", "to": "server", "duration": "1 s"}
    ],
}
PATH_2 = {"tcp": {"protocol": "tcp", "congestion_control": "cubic", "path": 2}}
BOX = {"path1": [{"kind": "strip", "options": ["mp_capable"]}]}
CHAIN = {
    "topology": None,
    "parameters": None,
    "network": {
        "links": {"lan": {"capacity": "1 Gbit/s"}, "dsl": {"capacity": "16 Mbit/s"}},
        "users": {"client": {"paths": ["lan dsl"], "to": "server"}},
    },
}


def text(**sections: Any) -> str:
    whole = {**FAST, **sections}
    return yaml.safe_dump({k: v for k, v in whole.items() if v is not None})


def said(**sections: Any) -> list[str]:
    spec = loads(text(**sections))
    return advice.proposals(spec, make_plan(spec, {}))


def test_a_fast_path_is_told_with_rate_saving_and_key() -> None:
    (line,) = said()
    assert line == (
        "Paths have up to 1000 Mbit/s, where hosts with network cards handle segments"
        " of up to 64 KiB. 'fabric: {offload: true}' models such hosts, and takes about"
        f" {whole_segments.SAVES[1000]:g} times the CPU time; 'offload: false' there"
        " keeps single frames without this line."
    )
    (line,) = said(fabric=None)
    assert "on the fabric in place of routers" in line and "'fabric: false'" in line


@pytest.mark.parametrize(
    ("mbps", "ratio"),
    [(299.9, None), (300, 300), (499, 300), (500, 500), (999, 500), (10_000, 1000)],
)
def test_the_saving_is_that_of_the_next_lower_rate(
    mbps: float, ratio: float | None
) -> None:
    lines = said(parameters={"path1.capacity": f"{mbps} Mbit/s"})
    if ratio is None:
        assert not lines
    else:
        assert f"about {whole_segments.SAVES[ratio]:g} times" in lines[0]


@pytest.mark.parametrize(
    "sections",
    [
        {"fabric": {"offload": True}},
        {"fabric": {"offload": False}},
        {"fabric": False},
        {"cases": PATH_2},
        {"traffic": [{**FAST["traffic"][0], "tool": "cbr", "rate": "1 Mbit/s"}]},
        {"capture": ["client-eth1"]},
        {"fabric": None, "link_seeds": True},
        CHAIN,
    ],
)
def test_a_file_that_has_decided_or_has_no_use_for_it(sections: dict[str, Any]) -> None:
    assert said(**sections) == []


def test_a_capture_of_links_works_with_whole_segments() -> None:
    assert said(capture=["path1-up"])


def test_what_is_told_works(tmp_path: Path) -> None:
    """With the key that the line names, the plan is one of whole segments."""
    for given in (True, None):
        (line,) = said(fabric=given)
        key = re.findall(r"'(fabric: \{[^']*)'", line)
        fabric = yaml.safe_load(key[0])["fabric"]
        (made,) = make_plan(loads(text(fabric=fabric)), {}).runs
        assert made.job.fabric is not None and made.job.fabric.gather_ms == 0.1


def test_plan_and_run_say_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (line,) = said()
    Path("fast.yaml").write_text(text())
    planned = CliRunner().invoke(plan.command, ["fast.yaml", "--backend", "fake"])
    assert line in planned.stdout.splitlines()
    words = ["fast.yaml", "--backend", "fake", "--dry-run"]
    listed = CliRunner().invoke(run.command, words)
    assert line in listed.stdout.splitlines()


def test_savings_are_those_of_the_page() -> None:
    """Each is within a tenth of the measured ratio of MPTCP with 100 us."""
    rows = re.findall(
        r"^\| (\d+) \| MPTCP \| 100 us \| ([0-9.]+) \|", PAGE.read_text(), re.M
    )
    measured = {float(mbps): float(ratio) for mbps, ratio in rows}
    assert measured.keys() >= whole_segments.SAVES.keys()
    assert min(whole_segments.SAVES) == advice.FAST_MBPS
    for mbps, ratio in whole_segments.SAVES.items():
        assert ratio == pytest.approx(measured[mbps], abs=0.1)


def test_the_fastest_path_of_all_cases_is_told() -> None:
    (line,) = said(cases={**PATH_2, **FAST["cases"]})
    assert line.startswith("Paths have up to 1000 Mbit/s,")


@pytest.mark.parametrize(
    ("gather", "cost"),
    [
        ("0 s", 1.0),
        ("100 us", (1 + 0.1 / 0.012112) ** -0.35),
        ("10 ms", 0.36),  # 45 frames would cost 45^-0.35 = 0.264
    ],
)
def test_gathered_frames_cost_less_and_a_third_at_least(
    gather: str, cost: float
) -> None:
    """A frame of 1514 bytes takes 12.112 us at 1 Gbit/s."""
    fabric = {"offload": True, "gather": gather}
    (made,) = make_plan(loads(text(fabric=fabric)), {}).runs
    assert _gathered(made.job) == pytest.approx(cost, rel=1e-3)


@pytest.mark.parametrize(("loss", "told"), [("50 %", False), ("50.1 %", True)])
def test_a_path_that_loses_more_than_half_is_told(loss: str, told: bool) -> None:
    spec = loads(text(fabric=None, parameters={"path1.loss": loss}))
    lines = advice.warnings(spec, make_plan(spec, {}))
    assert any("few connections come about" in line for line in lines) is told
