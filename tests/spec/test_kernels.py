"""The section `kernels:` of an experiment file."""

from pathlib import Path

import pytest

from jobs import dump
from jobs import load as load_job
from jobs.linux import Linux, Patch
from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.plan import make_plan
from mpbench.report import loading

PATCH = "--- a/net/mptcp/pm.c\n+++ b/net/mptcp/pm.c\n@@ -1 +1 @@\n-x\n+y\n"
HEAD = """\
name: kernels
topology: two_path
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""
CASES = """\
cases:
  ours: {protocol: mptcp, congestion_control: cubic}
  theirs: {protocol: mptcp, congestion_control: cubic, kernel: mine}
"""


def written(folder: Path, kernels: str, cases: str = CASES) -> Path:
    (folder / "series").mkdir(exist_ok=True)
    for name in ("0002-b.patch", "0001-a.patch"):
        (folder / "series" / name).write_text(PATCH)
    file = folder / "e.yaml"
    file.write_text(HEAD + cases + "kernels:\n" + kernels)
    return file


def kernels_of(file: Path) -> dict[str, Linux | None]:
    plan = make_plan(load(file), {})
    for run in plan.runs:
        assert load_job(dump(run.job)) == run.job
    return {run.case: run.job.linux for run in plan.runs}


def test_a_kernel_takes_over_what_its_base_has(tmp_path: Path) -> None:
    text = """\
  stock: {lab: none, options: {CONFIG_HZ: 250, CONFIG_X: y}}
  mine: {base: stock, patches: series/*.patch, options: {CONFIG_HZ: 1000}}
"""
    found = kernels_of(written(tmp_path, text))
    names = ("0001-a.patch", "0002-b.patch")
    assert found == {
        "ours": None,
        "theirs": Linux(
            lab=False,
            patches=tuple(Patch(name=name, text=PATCH) for name in names),
            options={"CONFIG_HZ": "1000", "CONFIG_X": "y"},
        ),
    }


def test_without_kernels_nothing_changes() -> None:
    plain = loads(HEAD + "cases: {a: {protocol: mptcp, congestion_control: cubic}}\n")
    (run,) = make_plan(plain, {}).runs
    assert "linux" not in dump(run.job)
    assert plain.cases["a"].kernel is None


def test_results_hold_the_texts_of_patches(tmp_path: Path) -> None:
    file = written(tmp_path, "  mine: {patches: [series/0001-a.patch]}\n")
    spec = load(file)
    stored = tmp_path / "results" / "experiment.yaml"
    stored.parent.mkdir()
    stored.write_text(spec.text)
    (tmp_path / "series/0001-a.patch").unlink()
    again = load(stored, of_results=True)
    assert again.digest == spec.digest
    assert kernels_of(stored)["theirs"] == Linux(
        patches=(Patch(name="0001-a.patch", text=PATCH),)
    )


def test_the_file_of_results_names_no_patches(tmp_path: Path) -> None:
    file = written(tmp_path, "  mine: {patches: /etc/passwd}\n")
    with pytest.raises(UserError, match=r"kernels\.mine\.patches: results hold"):
        load(file, of_results=True)


@pytest.mark.parametrize(
    ("kernels", "line", "words"),
    [
        ("  mine: {patches: none.patch}\n", 8, r"none\.patch: No such file"),
        ("  mine: {patches: 'series/*.diff'}\n", 8, r"no such file; names are rel"),
        ("  mine: {patches: series}\n", 8, r"not a regular file"),
        ("  mine: {lab: some}\n", 8, r"lab: .*'all' or 'none'"),
        ("  mine: {machine: kvm}\n", 8, r"machine: kvm is not known; 'qemu' works"),
        ("  mine: {options: {HZ: 1}}\n", 8, r"'HZ' is not an option of Linux; write"),
        ("  mine: {options: {CONFIG_X: m}}\n", 8, r"'m' is not y, n or a number"),
        ("  mine: {base: stok}\n  stock: {lab: none}\n", 8, r"no kernel 'stok'.*stock"),
        ("  mine: {base: a}\n  a: {base: mine}\n", 8, "its bases lead back to 'mine'"),
        ("  mine: {lab: none}\n  b: {lab: none}\n", 9, "the same kernel as 'mine'"),
        ("  mine: {lab: all}\n", 8, "is mpbench's own kernel; leave `kernel` out"),
        ("  min: {lab: none}\n", 6, r"no kernel 'mine' in `kernels`.*min"),
    ],
)
def test_what_cannot_be_is_told_with_its_line(
    tmp_path: Path, kernels: str, line: int, words: str
) -> None:
    file = written(tmp_path, kernels)
    with pytest.raises(UserError, match=words) as told:
        load(file)
    assert f"{file}:{line}: " in str(told.value)


@pytest.mark.parametrize(
    ("kernels", "cases", "words"),
    [
        ("  mine: {options: {CONFIG_MPTCP: n}}\n", CASES, ":6: cases.theirs.protocol:"),
        (
            "  base: {lab: none, options: {CONFIG_MPTCP: n}}\n  mine: {base: base}\n",
            CASES,
            ":6: cases.theirs.protocol:",
        ),
    ],
)
def test_mptcp_under_a_kernel_without_it_is_refused_before_a_build(
    tmp_path: Path, kernels: str, cases: str, words: str
) -> None:
    reason = (
        " kernel 'mine' has CONFIG_MPTCP: n, so it has no MPTCP; take the option away,"
        " or write protocol: tcp"
    )
    file = written(tmp_path, kernels, cases)
    with pytest.raises(UserError) as told:
        load(file)
    assert f"{file}{words}{reason}" in str(told.value).splitlines()[0]


def test_mptcp_of_an_entry_under_a_kernel_without_it(tmp_path: Path) -> None:
    case = "{protocol: tcp, congestion_control: cubic, path: 1, kernel: mine}"
    cases = f"cases: {{a: {case}}}\n"
    file = written(tmp_path, "  mine: {options: {CONFIG_MPTCP: n}}\n", cases)
    assert load(file).cases["a"].kernel == "mine"
    entry = "duration: 3 s, transport: {protocol: mptcp, congestion_control: cubic}"
    file.write_text(file.read_text().replace("duration: 3 s", entry))
    with pytest.raises(
        UserError, match=r":3: traffic\[0\]\.transport\.protocol: kernel"
    ):
        load(file)
    on = file.read_text().replace("MPTCP: n", "MPTCP: y")
    file.write_text(on)
    assert load(file).traffic[0].transport


def test_a_page_names_the_kernels_of_cases(tmp_path: Path) -> None:

    text = "  stock: {lab: none}\n  mine: {base: stock, patches: series/0001-a.patch}\n"
    spec = load(written(tmp_path, text))
    words = "stock Linux with 1 patch: 0001-a.patch"
    assert loading._kernels(spec) == {"kernel of theirs": words}
    assert loading._kernels(None) == {}
