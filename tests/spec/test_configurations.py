"""Configurations change the machine under an experiment, part by part."""

from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.plan import make_plan
from mpbench.spec.experiment import Spec
from tests.calls import Command

THESIS = Path(__file__).parents[2] / "experiments/thesis"
V091 = THESIS / "configurations/v091.yaml"
CONTROL = THESIS / "configurations/control.yaml"
UPSTREAM = THESIS / "configurations/upstream.yaml"
CAMPAIGNS = sorted(THESIS.glob("*.yaml"))

EXPERIMENT = """\
name: small
topology: two_path
design:
  points: 3
  candidates: 50
  factors: {path1.capacity: {min: 1, max: 9, unit: Mbit/s}}
cases:
  lia:
    protocol: mptcp
    congestion_control: lia
    scheduler: {name: lowrtt, reinject: true}
  balia: {protocol: mptcp, congestion_control: {name: balia, min_ssthresh: 2}}
  tcp1:
    {protocol: tcp, congestion_control: reno, path: 1, sysctls: {net.ipv4.tcp_sack: 0}}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 1 s}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An experiment file and a configuration of two parts."""
    (tmp_path / "small.yaml").write_text(EXPERIMENT)
    (tmp_path / "old.yaml").write_text(
        "suffix: old\ndescription: An old machine.\n"
        "parts: {rules: rules.yaml, host: host.yaml}\n"
    )
    (tmp_path / "rules.yaml").write_text(
        "congestion_control:\n  lia: {rule: mptcp-0.91}\n"
        "  balia: {rule: mptcp-0.91}\n"
        "scheduler:\n  lowrtt: {penalise: true}\n"
    )
    (tmp_path / "host.yaml").write_text(
        "topology: {two_path: minitopo}\nsysctls: {net.ipv4.tcp_ecn: 0}\n"
    )
    return tmp_path


def old(folder: Path, *without: str) -> Spec:
    return load(folder / "small.yaml", [folder / "old.yaml"], without)


def ids(spec: Spec) -> dict[tuple[int, str], str]:
    plan = make_plan(spec, {})
    return {(run.point, run.case): run.id for run in plan.runs}


def test_a_thinned_design_has_runs_of_the_whole_one(folder: Path) -> None:
    (folder / "fewer.yaml").write_text("parts: {fewer: points.yaml}\n")
    (folder / "points.yaml").write_text("thinned_to: 2\n")
    lists = EXPERIMENT.replace("{path1.cap", "{path2.loss: [0 %, 1 %], path1.cap")
    (folder / "small.yaml").write_text(lists)
    whole = load(folder / "small.yaml")
    thinned = load(folder / "small.yaml", [folder / "fewer.yaml"])
    assert thinned.name == whole.name
    # Points 0 and 1 have the first capacity, 4 and 5 the third.
    assert {point for point, _ in ids(thinned)} == {0, 1, 4, 5}
    assert ids(thinned).items() <= ids(whole).items()
    assert {point for point, _ in ids(whole)} == set(range(6))


def test_a_grid_is_not_thinned() -> None:
    grid = EXPERIMENT.replace("  points: 3\n  candidates: 50\n", "  method: grid\n")
    grid = grid.replace("{min: 1, max: 9, unit: Mbit/s}", "[1 Mbit/s, 2 Mbit/s]")
    thinned = grid.replace("  method: grid\n", "  method: grid\n  thinned_to: 1\n")
    assert ids(loads(thinned)) == ids(loads(grid))


def test_parts_change_what_they_name(folder: Path) -> None:
    spec = old(folder)
    assert (spec.name, spec.description) == ("small-old", "An old machine.")
    assert spec.topology == "minitopo"
    lia, balia, tcp1 = spec.cases.values()
    assert lia.parameter_sysctls == {
        "net.mptcp.lia_rule": "1",
        "net.mptcp.lowrtt_reinject": "1",
        "net.mptcp.lowrtt_penalise": "1",
    }
    assert balia.parameter_sysctls == {
        "net.mptcp.balia_rule": "1",
        "net.mptcp.coupled_min_ssthresh": "2",
    }
    assert lia.sysctls == {"net.ipv4.tcp_ecn": "0"}
    assert tcp1.sysctls == {"net.ipv4.tcp_sack": "0", "net.ipv4.tcp_ecn": "0"}


def test_parameters_that_would_have_no_effect_are_left_out(folder: Path) -> None:
    (folder / "rules.yaml").write_text(
        "congestion_control:\n  mpcc: {gamma: 2, beta: 5}\n"
    )
    latency = "{name: mpcc, variant: latency}"
    for control, gamma in (("mpcc", None), (latency, "2000")):
        text = EXPERIMENT.replace("control: lia", f"control: {control}")
        (folder / "small.yaml").write_text(text)
        set_to = old(folder).cases["lia"].parameter_sysctls
        assert set_to.get("net.mptcp.mpcc_gamma_permille") == gamma
        assert set_to["net.mptcp.mpcc_beta_permille"] == "5000"


def test_a_part_that_is_left_out_changes_nothing(folder: Path) -> None:
    spec = old(folder, "host")
    assert spec.name == "small-old-without-host"
    assert spec.topology == "two_path"
    assert not spec.cases["lia"].sysctls
    assert spec.cases["lia"].parameter_sysctls["net.mptcp.lia_rule"] == "1"


def test_transports_of_traffic_entries_change_too(folder: Path) -> None:
    text = EXPERIMENT.replace(
        "duration: 1 s}",
        "duration: 1 s,\n     transport: {protocol: mptcp, congestion_control: lia}}",
    )
    (folder / "small.yaml").write_text(text)
    transport = old(folder).traffic[0].transport
    assert transport is not None
    assert transport.parameter_sysctls == {"net.mptcp.lia_rule": "1"}


def test_the_text_in_a_results_folder_needs_no_configuration(folder: Path) -> None:
    spec = old(folder)
    assert spec.text.startswith("# small.yaml, under old,")
    assert loads(spec.text).digest == spec.digest


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("rules.yaml", "scheduler: {lowrt: {}}", "rules.yaml:1: scheduler.lowrt"),
        (
            "rules.yaml",
            "congestion_control: {lia: {rule: v091}}",
            "congestion_control.lia.rule: 'v091'; known: paper, mptcp-0.91",
        ),
        ("rules.yaml", "sysctl: {}", "rules.yaml:1: sysctl: unknown key; did you mean"),
        ("rules.yaml", "topology: {two_pat: minitopo}", "unknown topology 'two_pat'"),
        ("old.yaml", "parts: {a: b.yaml}", "old.yaml:1: "),
        ("old.yaml", "part: {}", "did you mean 'parts'"),
    ],
)
def test_faults_name_the_file_that_they_are_in(
    folder: Path, file: str, text: str, message: str
) -> None:
    (folder / file).write_text(text)
    with pytest.raises(UserError) as caught:
        old(folder)
    assert message in str(caught.value)


def test_a_value_that_does_not_fit_the_experiment_names_its_part(folder: Path) -> None:
    (folder / "host.yaml").write_text("\n\nseed: -1\n")
    with pytest.raises(UserError, match=r"host.yaml:3: seed: -1 is below 0"):
        old(folder)


def test_a_part_that_no_configuration_has_is_refused(folder: Path) -> None:
    with pytest.raises(UserError, match=r"--without rule: .*did you mean 'rules'"):
        old(folder, "rule")


def test_run_and_plan_take_a_configuration(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    options = ("small.yaml", "--with", "old.yaml", "--without", "rules")
    fake = ("--backend", "fake")
    done = command("run", *options, *fake, "-j", "1")
    assert done.status == 0, done.out + done.err
    kept = load(folder / "results/small-old-without-rules/experiment.yaml")
    assert (kept.name, kept.topology) == ("small-old-without-rules", "minitopo")
    planned = command("plan", *options, *fake)
    assert "small-old-without-rules: 9 runs" in planned.out


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda path: path.stem)
def test_the_thesis_s_configurations_keep_the_networks(campaign: Path) -> None:
    plain, thesis = load(campaign), load(campaign, [V091])
    assert thesis.name == f"{plain.name}-v091"
    assert load(campaign, [UPSTREAM]).cases == plain.cases
    again = load(campaign, [V091, CONTROL])
    assert again.name == f"{plain.name}-v091-control"
    assert again.seed != plain.seed
    designs = [
        spec.design
        and (
            spec.design.model_copy(update={"seed": None}),
            spec.seed if spec.design.seed is None else spec.design.seed,
        )
        for spec in (plain, thesis, again)
    ]
    assert designs[0] == designs[1] == designs[2]
    assert plain.parameters == thesis.parameters == again.parameters


def test_v091_is_all_that_is_known_of_the_thesis_s_machine() -> None:
    spec = load(THESIS / "lossy-low-bdp.yaml", [V091])
    assert spec.topology == "minitopo"
    rules = {
        name: {
            sysctl: value
            for sysctl, value in case.parameter_sysctls.items()
            if sysctl.endswith("_rule")
        }
        for name, case in spec.cases.items()
    }
    lowrtt = {"net.mptcp.lowrtt_rule": "1"}
    assert rules == {
        "lia": {"net.mptcp.lia_rule": "1", **lowrtt},
        "olia": lowrtt,
        "balia": {"net.mptcp.balia_rule": "1", **lowrtt},
        "wvegas": {"net.mptcp.wvegas_rule": "1", **lowrtt},
        "tcp1": {},
        "tcp2": {},
    }
    for case in spec.cases.values():
        assert case.sysctls == {
            "net.mptcp.coupled_count_acks": "1",
            "net.mptcp.slow_start_at_ssthresh": "1",
            "net.ipv4.tcp_rmem": "10240 87380 16777216",
            "net.ipv4.tcp_wmem": "4096 16384 4194304",
            "net.ipv4.tcp_no_metrics_save": "0",
            "net.ipv4.tcp_no_ssthresh_metrics_save": "0",
        }
