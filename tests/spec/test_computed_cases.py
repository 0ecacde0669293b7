"""Parameters of controllers and schedulers as factors of a design."""

import csv
from pathlib import Path

import jsonschema
import pytest
import yaml

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.runs import Plan
from mpbench.spec.json_schema import json_schema
from tests.calls import Command

FILE = """\
name: own
topology: two_path
design:
  method: grid
  factors:
    beta: [0, 0.25, 2]
    turn: [1, 4]
cases:
  ecf:  {protocol: mptcp, congestion_control: {name: ewtcp, a: = 1 / turn},
         scheduler: {name: ecf, beta: = beta}}
  turn: {protocol: mptcp, congestion_control: lia,
         scheduler: {name: roundrobin, segments: = 2 * turn}}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s}
figures:
  - {kind: line, metric: goodput, by: beta}
"""


def plan(text: str = FILE) -> Plan:
    return make_plan(loads(text, "f.yaml"), {})


def sysctls(text: str = FILE) -> list[dict[str, str]]:
    return [dict(run.job.transport.sysctls) for run in plan(text).runs]


def test_each_run_has_the_value_of_its_point() -> None:
    made = plan()
    assert made.factor_keys == ("factor.beta", "factor.turn")
    ecf, turn = sysctls()[::2], sysctls()[1::2]
    beta = [int(found["net.mptcp.ecf_beta_permille"]) for found in ecf]
    assert beta == [0, 0, 250, 250, 2000, 2000]
    assert [found["net.mptcp.ewtcp_a_permille"] for found in ecf] == ["1000", "250"] * 3
    assert turn == [
        {"net.mptcp.roundrobin_segments": segments} for segments in ["2", "8"] * 3
    ]
    assert len({run.id for run in made.runs}) == 12


def test_a_run_has_the_job_of_a_file_with_this_value() -> None:
    """But for the seed, which follows from the point."""
    head, _, rest = FILE.partition("design:")
    fixed = head + "cases:" + rest.partition("cases:")[2].partition("figures:")[0]
    fixed = fixed.replace("= beta", "0.25").replace("= 1 / turn", "0.25")
    fixed = fixed.replace("= 2 * turn", "8")
    for computed, plain in zip(plan().runs[6:8], plan(fixed).runs, strict=True):
        assert {**dump(computed.job), "seed": 0} == {**dump(plain.job), "seed": 0}


def test_ranges_whole_numbers_and_parameters_of_the_network() -> None:
    """Segments are whole, so 1.5 counts as 2; a range is spread."""
    text = FILE.replace("method: grid", "points: 5")
    text = text.replace("[0, 0.25, 2]", "{min: 0.5, max: 1}").replace("[1, 4]", "[1.5]")
    text = text.replace("2 * turn", "turn * path1.delay / path2.delay")
    found = sysctls(text)
    assert len(found) == 10
    beta = {int(one["net.mptcp.ecf_beta_permille"]) for one in found[::2]}
    assert len(beta) == 5 and min(beta) >= 500 and max(beta) <= 1000
    assert {one["net.mptcp.roundrobin_segments"] for one in found[1::2]} == {"2"}


def test_transport_of_an_entry() -> None:
    own = (
        "{protocol: mptcp, congestion_control: lia,"
        " scheduler: {name: ecf, beta: = beta}}"
    )
    text = FILE.replace("5 s}", f"5 s,\n     transport: {own}}}")
    entries = [run.job.traffic[0] for run in plan(text).runs]
    found = [dict(e.transport.sysctls) for e in entries if e.transport is not None]
    key = "net.mptcp.ecf_beta_permille"
    assert [one[key] for one in found[::4]] == ["0", "250", "2000"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "[0, 0.25, 2]",
            "[0, 200]",
            "f.yaml:10: cases.ecf.scheduler.beta, point 2: '= beta' gives 200 where"
            " beta = 200: 200 is out of range; it is 0 to 100",
        ),
        (
            "1 / turn",
            "1 / beta",
            "f.yaml:9: cases.ecf.congestion_control.a, point 0: '= 1 / beta' gives inf;"
            " it must give a finite number",
        ),
        ("= beta", "= beta * bate", "no parameter 'bate'; did you mean 'beta'?"),
        ("= beta", "= beta *", "the end stands where a quantity, a name or '('"),
        ("= beta", "= beta * 1 ms", "gives a time; a number is needed"),
        ("[1, 4]", "[1 ms, 4 ms]", "'= 2 * turn' gives a time; a number is needed"),
        (
            "{name: ecf, beta: = beta}",
            "{name: lowrtt, reinject: = beta}",
            "f.yaml:10: cases.ecf.scheduler.reinject: only numbers of controllers and"
            " schedulers are computed; write a value",
        ),
        (
            "2 * turn}}",
            "2 * turn}, path_manager: {name: ndiffports, subflows: = turn}}",
            "path_manager.subflows: only numbers of controllers and schedulers",
        ),
        ("{name: ecf, beta: = beta}", "ecf", "design.factors.beta: two_path and the"),
    ],
)
def test_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        plan(FILE.replace(old, new, 1))
    assert message in " ".join(str(caught.value).splitlines())


def test_the_schema_knows_expressions() -> None:
    document = yaml.safe_load(FILE)
    jsonschema.validate(document, json_schema())
    document["cases"]["turn"]["scheduler"]["segments"] = "four"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, json_schema())


@pytest.mark.slow
def test_a_campaign_has_the_factor_in_its_table(
    tmp_path: Path, command: Command
) -> None:
    """With the fake, whose runs need no kernel."""
    file, out = tmp_path / "f.yaml", tmp_path / "out"
    file.write_text(FILE)
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    rows = list(csv.DictReader((out / "runs.csv").open()))
    assert sorted({row["factor.beta"] for row in rows}) == ["0.0", "0.25", "2.0"]
    assert command("report", out).status == 0
    assert "line-goodput-beta.png" in (out / "report/README.md").read_text()
