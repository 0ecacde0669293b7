"""Parameters of controllers, schedulers and path managers."""

from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from jobs import dump
from mpbench.plan import make_plan
from mpbench.spec import knobs, vocabulary
from mpbench.spec.cases import Case
from mpbench.spec.json_schema import json_schema
from mpbench.spec.values import Context
from tests.spec.files import faults, spec, swapped
from topologies import describe

LIA = "congestion_control: lia}"


def sysctls(**case: Any) -> dict[str, str]:
    """The sysctls of the job of a one-case experiment."""
    whole = {"protocol": "mptcp", "congestion_control": "lia", **case}
    (run,) = make_plan(spec(design=None, cases={"only": whole}), {}).runs
    transport = dump(run.job)["transport"]
    assert isinstance(transport["congestion_control"], str)
    result: dict[str, str] = transport["sysctls"]
    return result


@pytest.mark.parametrize(
    ("case", "wanted"),
    [
        ({"congestion_control": {"name": "lia"}}, {}),
        (
            {"congestion_control": {"name": "ewtcp", "a": 0.25, "min_ssthresh": 1}},
            {"ewtcp_a_permille": "250", "coupled_min_ssthresh": "1"},
        ),
        (
            {"congestion_control": {"name": "coupled", "form": "balia"}},
            {"coupled_balia_forms": "1"},
        ),
        (
            {"congestion_control": {"name": "semicoupled", "form": "nsdi11", "a": 2}},
            {"coupled_balia_forms": "0", "semicoupled_a_permille": "2000"},
        ),
        (
            {"congestion_control": {"name": "wvegas", "total_alpha": 6, "gamma": 2}},
            {"wvegas_total_alpha": "6", "wvegas_gamma": "2"},
        ),
        (
            {"congestion_control": {"name": "lia", "rule": "mptcp-0.91"}},
            {"lia_rule": "1"},
        ),
        (
            {"congestion_control": {"name": "balia", "rule": "mptcp-0.91"}},
            {"balia_rule": "1"},
        ),
        (
            {"congestion_control": {"name": "wvegas", "rule": "paper"}},
            {"wvegas_rule": "0"},
        ),
        (
            {"scheduler": {"name": "lowrtt", "reinject": True, "penalise": False}},
            {"lowrtt_reinject": "1", "lowrtt_penalise": "0"},
        ),
        (
            {
                "scheduler": {
                    "name": "lowrtt",
                    "reinject": True,
                    "penalise": True,
                    "spare_slow_start": True,
                }
            },
            {
                "lowrtt_reinject": "1",
                "lowrtt_penalise": "1",
                "lowrtt_spare_slow_start": "1",
            },
        ),
        (
            {"congestion_control": {"name": "mpcc", "variant": "latency", "gamma": 2}},
            {"mpcc_variant": "1", "mpcc_gamma_permille": "2000"},
        ),
        (
            {"scheduler": {"name": "lowrtt", "rule": "mptcp-0.91"}},
            {"lowrtt_rule": "1"},
        ),
        (
            {"scheduler": {"name": "roundrobin", "segments": 4}},
            {"roundrobin_segments": "4"},
        ),
        (
            {
                "congestion_control": {
                    "name": "mpcc",
                    "variant": "latency",
                    "unit": "Mbit/s",
                    "probe": 0.01,
                    "first_rate": 2.5,
                },
                "scheduler": {"name": "paced", "share": 0.2},
            },
            {
                "mpcc_variant": "1",
                "mpcc_unit": "1",
                "mpcc_probe_permille": "10",
                "mpcc_first_rate_kbps": "2500",
                "paced_share_permille": "200",
            },
        ),
        (
            {"congestion_control": {"name": "bbr", "packet_pacing": True}},
            {"bbr_packet_pacing": "1"},
        ),
        ({"scheduler": "paced"}, {}),
        ({"path_manager": "ndiffports"}, {"ndiffports": "2"}),
        ({"path_manager": {"name": "ndiffports", "subflows": 8}}, {"ndiffports": "8"}),
        (
            {"sysctls": {"net.ipv4.tcp_sack": 0}, "scheduler": "redundant"},
            {"net.ipv4.tcp_sack": "0"},
        ),
    ],
)
def test_parameters_become_sysctls(
    case: dict[str, Any], wanted: dict[str, str]
) -> None:
    full = {
        name if "." in name else f"net.mptcp.{name}": v for name, v in wanted.items()
    }
    assert sysctls(**case) == full


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (LIA, "congestion_control: {name: lai}}", "n_control.name: unknown congestion"),
        (LIA, "congestion_control: {a: 1}}", "without a name; write e.g. {name: "),
        (
            LIA,
            "congestion_control: {name: ewtcp, b: 1}}",
            "9: cases.mptcp.congestion_control.b: ewtcp has no such parameter",
        ),
        (
            LIA,
            "congestion_control: {name: wvegas, totalalpha: 1}}",
            "no such parameter; did you mean 'total_alpha'?",
        ),
        (LIA, "congestion_control: {name: cubic, a: 1}}", "cubic has no parameters"),
        (
            LIA,
            "congestion_control: {name: ewtcp, a: 5}}",
            "congestion_control.a: 5 is out of range; it is 0.001 to 4",
        ),
        (LIA, "congestion_control: {name: ewtcp, a: true}}", "'True' is not a number"),
        (
            LIA,
            "congestion_control: {name: lia, min_ssthresh: 1.5}}",
            "1.5 is not a whole number",
        ),
        (
            LIA,
            "congestion_control: {name: coupled, form: olia}}",
            "form: 'olia'; known: nsdi11, balia",
        ),
        (
            LIA,
            "congestion_control: {name: mpcc, variant: delay}}",
            "9: cases.mptcp.congestion_control.variant: 'delay'; known: loss, latency",
        ),
        (
            LIA,
            "congestion_control: {name: mpcc, unit: kbit/s}}",
            "congestion_control.unit: 'kbit/s'; known: bytes/s, Mbit/s",
        ),
        (
            LIA,
            "congestion_control: {name: mpcc, probe: 0.9}}",
            "congestion_control.probe: 0.9 is out of range; it is 0.001 to 0.5",
        ),
        (
            LIA,
            "congestion_control: {name: mpcc, first_rate: 4 Mbit/s}}",
            "first_rate: '4 Mbit/s' is not a number; parameters have no units, so",
        ),
        (
            LIA,
            "congestion_control: {name: mpcc, min_ssthresh: 2}}",
            "min_ssthresh: mpcc has no such parameter",
        ),
        (
            LIA,
            "congestion_control: {name: mpcc, gamma: 2}}",
            "9: cases.mptcp.congestion_control.gamma: without effect unless variant is"
            " latency; write 'variant: latency' too, or take it away",
        ),
        (
            "control: reno, path: 1",
            "control: {name: mpcc, variant: loss, slope_tolerance: 0}, path: 1",
            "slope_tolerance: without effect unless variant is latency",
        ),
        (
            LIA,
            "congestion_control: lia, scheduler: {name: lowrtt, penalise: true}}",
            "scheduler.penalise: without effect unless reinject is true",
        ),
        (
            LIA,
            "congestion_control: mpcc, scheduler: {name: paced, share: 0}}",
            "scheduler.share: 0 is out of range; it is 0.001 to 10",
        ),
        (
            LIA,
            "congestion_control: lia, scheduler: {name: roundrobin, segments: 0}}",
            "scheduler.segments: 0 is out of range; it is 1 to 1000",
        ),
        (
            LIA,
            "congestion_control: lia, scheduler: {name: lowrtt, reinject: 1}}",
            "scheduler.reinject: expected true or false",
        ),
        (
            LIA,
            "congestion_control: lia, path_manager: {name: ndiffports, subflows: 9}}",
            "path_manager.subflows: 9 is out of range; it is 2 to 8",
        ),
        (
            LIA,
            "congestion_control: lia, sysctls: {net.mptcp.ewtcp_a_permille: 1}}",
            "write 'congestion_control: {name: ewtcp, a: ...}'",
        ),
        (
            "control: reno, path: 1",
            "control: {name: olia, min_ssthresh: 1}, path: 1",
            "without effect on tcp, which has one subflow",
        ),
    ],
)
def test_faults(old: str, new: str, message: str) -> None:
    (line,) = faults(swapped(old, new))
    assert message in line


@pytest.mark.parametrize("scheduler", vocabulary.LEAST_SUBFLOWS)
def test_a_scheduler_of_several_subflows_needs_them(scheduler: str) -> None:
    whole = describe("two_path")
    (user,) = whole.users
    topology = replace(whole, users=(replace(user, paths=user.paths[:1]),))
    case = {"protocol": "mptcp", "congestion_control": "lia", "scheduler": scheduler}
    with pytest.raises(ValidationError, match="needs 2 subflows, two_path has 1"):
        Case.model_validate(case, context=Context(topology=topology))
    several = {**case, "path_manager": "ndiffports"}
    assert Case.model_validate(several, context=Context(topology=topology))
    assert Case.model_validate(case, context=Context(topology=describe("two_path")))


def test_every_knob_is_of_something_known() -> None:
    choices = {
        "congestion_control": vocabulary.CONGESTION_CONTROLS,
        "scheduler": vocabulary.SCHEDULERS,
        "path_manager": vocabulary.PATH_MANAGERS,
    }
    for kind, names in knobs.KINDS.items():
        assert set(names) <= set(choices[kind])


def test_the_schema_knows_the_parameters() -> None:
    schema = json_schema()
    good = spec(cases={"only": {"protocol": "mptcp", "congestion_control": "lia"}})
    document = {
        "name": good.name,
        "topology": "two_path",
        "traffic": [
            {"tool": "iperf3", "from": "client", "to": "server", "duration": "3 s"}
        ],
    }

    def check(control: object) -> None:
        case = {"protocol": "mptcp", "congestion_control": control}
        jsonschema.validate({**document, "cases": {"only": case}}, schema)

    check("ewtcp")
    check({"name": "ewtcp", "a": 0.5})
    for bad in ({"name": "ewtcp", "b": 1}, {"name": "lia", "a": 1}, {"a": 1}):
        with pytest.raises(jsonschema.ValidationError):
            check(bad)
