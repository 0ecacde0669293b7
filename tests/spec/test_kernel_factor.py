"""Kernels as a factor, and as what `compare` compares."""

import pytest

from jobs.linux import Linux
from mpbench.experiment_files import loads
from mpbench.plan import make_plan, question
from mpbench.spec import Spec
from tests.spec.files import faults

TEXT = """\
name: kernels
topology: two_path
kernels:
  stock: {lab: none}
  slow: {lab: none, options: {CONFIG_HZ: 100}}
cases:
  mptcp: {protocol: mptcp, congestion_control: cubic}
  tcp: {protocol: tcp, congestion_control: cubic, path: 1}
design:
  points: 3
  factors:
    kernel: [stock, slow]
    path1.capacity: {min: 1, max: 100, unit: Mbit/s}
    path1.loss: {min: 0.1 %, max: 1 %}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""
FACTOR = "kernel: [stock, slow]"


def made(old: str = "", new: str = "") -> Spec:
    assert old in TEXT
    return loads(TEXT.replace(old, new, 1) if old else TEXT)


def test_every_case_runs_under_every_kernel() -> None:
    spec = made()
    assert list(spec.cases) == ["mptcp-stock", "mptcp-slow", "tcp-stock", "tcp-slow"]
    plan = make_plan(spec, {})
    assert len(plan.runs) == 3 * 4
    assert plan.factor_keys == ("path1.capacity_mbps", "path1.loss_percent")
    slow = Linux(lab=False, options={"CONFIG_HZ": "100"})
    for run in plan.runs:
        wanted = slow if run.case.endswith("slow") else Linux(lab=False)
        assert run.job.linux == wanted
    for point in range(3):
        assert len({run.job.seed for run in plan.runs if run.point == point}) == 1


def test_runs_are_those_of_cases_that_name_their_kernels() -> None:
    case = "{protocol: mptcp, congestion_control: cubic"
    text = TEXT.replace(f"    {FACTOR}\n", "").replace(
        f"  mptcp: {case}}}\n",
        f"  a: {case}, kernel: stock}}\n  b: {case}, kernel: slow}}\n",
    )
    ids = {run.id for run in make_plan(made(), {}).runs if "mptcp" in run.case}
    plain = {run.id for run in make_plan(loads(text), {}).runs if run.case != "tcp"}
    assert ids == plain


def test_mpbenchs_own_kernel_is_one_of_them() -> None:
    plan = make_plan(made(FACTOR, "kernel: [own, stock]"), {})
    assert {run.job.linux for run in plan.runs if run.case == "tcp-own"} == {None}


def test_the_text_of_results_has_the_cases() -> None:
    spec = made()
    again = loads(spec.text)
    assert list(again.cases) == list(spec.cases)
    assert again.digest == spec.digest


def test_a_design_of_kernels_alone_is_one_network() -> None:
    design = TEXT.partition("design:")[2].partition("traffic:")[0]
    spec = made(design, f"\n  factors: {{{FACTOR}}}\n")
    assert spec.design is None
    assert len(make_plan(spec, {}).runs) == 4


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("kernel: [stock, slo]", "design.factors.kernel: no kernel 'slo' in 'kernels'"),
        ("kernel: [stock, stock]", "design.factors.kernel: 'stock' is in the list al"),
        ("kernel: [stock]", "design.factors.kernel: expected a list of two kernels"),
        ("kernel: stock", "such as [own, stock]"),
        ("kernel: {min: 1, max: 2}", "expected a list of two kernels or more"),
        ("kernel: [stock, [1]]", "no kernel '[1]' in 'kernels'"),
    ],
)
def test_labels_that_are_none(new: str, said: str) -> None:
    (line,) = faults(TEXT.replace(FACTOR, new))
    assert line.startswith("f.yaml:12: ") and said in line


def test_a_case_with_a_kernel_of_its_own() -> None:
    (line,) = faults(TEXT.replace("path: 1}", "path: 1, kernel: stock}"))
    assert line.startswith("f.yaml:8: cases.tcp.kernel: kernels are a factor")


def test_a_case_with_the_name_of_another_under_a_kernel() -> None:
    case = "{protocol: mptcp, congestion_control: reno}"
    (line,) = faults(TEXT.replace("  tcp:", f"  mptcp-slow: {case}\n  tcp:"))
    assert line.startswith(
        "f.yaml:8: cases.mptcp-slow: 'mptcp-slow' is the case 'mptcp'"
    )


def test_a_fault_of_a_case_has_its_line() -> None:
    found = faults(
        TEXT.replace("congestion_control: cubic}", "congestion_control: lia}")
    )
    assert all(line.startswith("f.yaml:7: cases.mptcp-") for line in found)
    assert "is stock Linux and has no congestion control 'lia'" in found[0]


def test_the_baseline_is_under_the_first_kernel() -> None:
    spec = loads(TEXT + "compare: {baseline: tcp}\n")
    assert spec.question is not None
    assert spec.question.baseline == "tcp-stock"


def test_kernels_are_compared_under_each_transport() -> None:
    spec = loads(TEXT + "compare: {kernel: slow}\n")
    asked = spec.question
    assert asked is not None
    assert dict(asked.baselines) == {
        "mptcp-stock": "mptcp-slow",
        "tcp-stock": "tcp-slow",
    }
    assert question.line(spec).startswith(
        "Question: does kernel stock have higher goodput than kernel slow, under each"
        " transport?"
    )
    assert spec.digest != loads(TEXT + "compare: {}\n").digest


@pytest.mark.parametrize(
    ("kernels", "compare", "said"),
    [
        ([], "{kernel: stok}", "there is no kernel 'stok'; did you mean 'stock'?"),
        ([], "{kernel: own}", "no case has the kernel 'own'; add one, or name another"),
        ([], "{kernel: slow, baseline: tcp}", "'baseline' names a case to compare"),
        (["stock", ""], "{kernel: stock}", "no transport has a case with 'stock' and"),
    ],
)
def test_kernels_that_are_not_compared(
    kernels: list[str], compare: str, said: str
) -> None:
    text = TEXT
    if kernels:
        text = text.replace(f"    {FACTOR}\n", "")
        text = text.replace("cubic}", "cubic, kernel: stock}")
    found = faults(f"{text}compare: {compare}\n")
    assert any("compare.kernel" in line and said in line for line in found), found
