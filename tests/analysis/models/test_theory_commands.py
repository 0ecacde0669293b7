"""The sub-commands of `mpbench model` that compute whole networks and controllers."""

import json
from pathlib import Path

import pytest

from tests.calls import Command

SCENARIO_B = ("-l", "X=27", "-l", "T=36", "-u", "blue*15=X, T", "-u", "red*15=T, X T")


def test_max_min(command: Command) -> None:
    done = command("model", "max-min", *SCENARIO_B, "--json")
    assert json.loads(done.out) == pytest.approx({"blue": 2.1, "red": 2.1})
    done = command("model", "max-min", *SCENARIO_B)
    assert "blue     15       2.1000" in done.out


def test_fluid(command: Command) -> None:
    links, users = ("-l", "a=5", "-l", "b=9"), ("-u", "x:lia=a, b @ 20, 20")
    asked = ("model", "fluid", *links, *users, "-u", "y*2:reno=b @ 20")
    found = json.loads(command(*asked, "--json").out)
    moved = json.loads(command(*asked, "--integrate", "3000", "--json").out)
    assert found["users"]["x"]["paths_mbps"][0] == pytest.approx(5)
    assert found["users"]["y"]["max_min_mbps"] == pytest.approx(4.5)
    for name in ("x", "y"):
        rates = [result["users"][name]["mbps"] for result in (found, moved)]
        assert rates[0] == pytest.approx(rates[1], rel=1e-4)
    text = command(*asked).out
    assert "reno" in text and "loss probability" in text
    assert "not at rest" in command(*asked, "--integrate", "0.01").out


def test_scenarios(command: Command) -> None:
    a = json.loads(command("model", "scenario", "a", "--json").out)
    assert a["LIA"]["second_mbps"] == pytest.approx(0.739, abs=5e-4)
    assert a["optimum with probing"]["second_mbps"] == pytest.approx(0.92)
    text = command("model", "scenario", "b", "--n1", 15, "--c1", 27, "--c2", 36).out
    assert "LIA, Red multipath              1.9829       1.6114" in text
    c = json.loads(command("model", "scenario", "c", "--n1", 20, "--json").out)
    assert c["OLIA"]["second_mbps"] == pytest.approx(1, abs=1e-3)
    assert c["LIA"]["second_mbps"] == pytest.approx(0.5665, abs=5e-5)


EXPERIMENT = """\
name: scenario-b
network:
  links: {X: {}, T: {}, far: {delay: 20 ms}}
  users: {blue: {paths: [X, T], users: 15}, red: {paths: [T, X T far], users: 15}}
parameters: {X.capacity: 27 Mbit/s, X.delay: 40 ms, T.delay: 40 ms}
design:
  method: grid
  factors: {T.capacity: [36 Mbit/s, 63 Mbit/s]}
cases:
  lia: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
traffic:
  - {tool: iperf3, from: blue, to: server_blue, duration: 5 s}
"""


def test_the_network_of_an_experiment(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_text(EXPERIMENT)
    asked = ("model", "max-min", "-e", file, "--json")
    assert json.loads(command(*asked).out) == pytest.approx({"blue": 2.1, "red": 2.1})
    second = json.loads(command(*asked, "--point", 1).out)
    assert second == pytest.approx({"blue": 3, "red": 3})
    done = command("model", "fluid", "-e", file, "-c", "olia")
    assert "blue     olia     15" in done.out
    assert "distance to max-min fair rates:" in done.out
    refused = command("model", "max-min", "-e", file, "--point", 2)
    assert refused.status == 2
    assert f"{file}: no point 2; the design has points 0 to 1" in refused.err


def test_an_experiment_of_a_named_topology(command: Command) -> None:
    file = Path(__file__).parents[3] / "experiments/nsdi11/four-links.yaml"
    rates = json.loads(command("model", "max-min", "-e", file, "--json").out)
    assert list(rates.values()) == pytest.approx([10, 10, 10])


def test_losses_that_are_not_unique(command: Command) -> None:
    done = command("model", "fluid", "-l", "a=1", "-l", "b=1", "-u", "u=a b @ 9")
    assert "only their sums along paths are" in done.out
    done = command("model", "fluid", "-l", "a=1", "-u", "u=a @ 9")
    assert "only their sums" not in done.out


def test_nsdi11(command: Command) -> None:
    """Sec. 2 is arithmetic and agrees with the print; the rest are simulations."""
    rows = json.loads(command("model", "nsdi11", "--json").out)
    assert len(rows) == 14
    for row in rows:
        assert row["computed"] == pytest.approx(row["printed"], rel=0.04, abs=1)
    assert "Fig. 4: EWTCP                    pkt/s" in command("model", "nsdi11").out


def test_growth(command: Command) -> None:
    asked = ("model", "growth", "-w", "30,10", "-r", "100,100", "-d", "4,9")
    columns = json.loads(command(*asked, "--json").out)
    assert columns["OLIA's alpha"] == [-0.5, 0.5]
    assert columns["LIA"] == pytest.approx([3000 / 400**2] * 2)
    assert "1     0.018750" in command(*asked).out


def test_rates_of_figure_4(command: Command) -> None:
    done = command("model", "rates", "-p", "0.04,0.01", "-r", "10,100")
    lines = [line.split() for line in done.out.splitlines()]
    assert ["coupled", "0.0", "141.4", "141.4", "80.0", "0.0"] in lines
    assert ["ewtcp_fair", "353.6", "70.7", "424.3", "40.0", "0.0"] in lines
    assert ["lia", "565.7", "141.4", "707.1", "0.0", "0.0"] in lines
    asked = ("model", "rates", "-p", "0.04,0.01", "-r", "10,100", "--json")
    assert sum(json.loads(command(*asked).out)["lia"]) == pytest.approx(707.1, abs=0.1)


def test_conditions(command: Command) -> None:
    done = command("model", "conditions", "--samples", 10)
    assert "balia               no  yes  yes  yes  yes  yes" in done.out
    found = json.loads(command("model", "conditions", "--samples", 5, "--json").out)
    assert not found["coupled"]["C2"]["holds"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("max-min", "-l", "X", "-u", "a=X"), "model max-min: 'X' is no link; write"),
        (("max-min", "-l", "X=1", "-u", "a=Y"), "user a: no link Y; the links are X"),
        (("max-min", "-l", "X=1", "-l", "X=2", "-u", "a=X"), "link X: given twice"),
        (("max-min", "-l", "X=1", "-u", "a=X", "-u", "a=X"), "user a: given twice"),
        (("max-min", "-l", "X=1", "-u", "a"), "'a' is no user; write"),
        (("max-min", "-l", "X=1", "-u", "a=X,"), "a path of no links"),
        (("max-min",), "no network; give --link and --user, or --experiment"),
        (("max-min", "-l", "X=1", "-e", "b.yaml"), "give one of both"),
        (("max-min", "-e", "nowhere.yaml"), "nowhere.yaml: no such file"),
        (("growth", "-w", "1", "-r", "1,2", "-d", "1"), "1 values and 2 round-trip"),
        (("fluid", "-l", "X=1", "-u", "a=X"), "user a: no round-trip time"),
        (("fluid", "-l", "X=1", "-u", "a:foo=X@9"), "no controller foo"),
        (("fluid", "-l", "X=1", "-u", "a=X@9", "-m", "0"), "segment 0 is not"),
        (("fluid", "-l", "X=1", "-u", "a=X@9", "--integrate", "0"), "duration 0"),
        (("scenario", "a", "--n1", "0"), "model scenario a: 0 users; give 1 or more"),
        (("scenario", "b", "--rtt", "0"), "round-trip time 0"),
        (("scenario", "c", "--c1", "0.01", "--n1", "3"), "probing needs 0.08 Mbit/s"),
        (("rates", "-p", "0.1", "-r", "1,2"), "1 losses and 2 round-trip times"),
        (("rates", "-p", "2", "-r", "1"), "loss 2 is not between 0 and 1"),
        (("conditions", "-r", "0"), "must be finite and above 0"),
        (("conditions", "--samples", "0"), "0 samples; give 1 or more"),
        (("conditions", "--seed", "-1"), "seed -1 is below 0"),
    ],
)
def test_bad_input(command: Command, words: tuple[str, ...], message: str) -> None:
    done = command("model", *words)
    assert done.status == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
