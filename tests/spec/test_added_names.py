"""Names that a kernel of the file adds, for cases."""

from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.spec import Spec

TEXT = """\
name: f
topology: two_path
kernels:
  mine: {options: {CONFIG_TCP_CONG_WESTWOOD: y}, adds: {controllers: [westwood]}}
  upon: {base: mine, options: {CONFIG_A: y}, adds: {schedulers: [latest]}}
cases:
  a: {protocol: mptcp, congestion_control: westwood, kernel: mine}
  b: {protocol: mptcp, congestion_control: westwood, scheduler: latest, kernel: upon}
  c: {protocol: tcp, path: 1, congestion_control: cubic}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""


def read(folder: Path, old: str = "", new: str = "") -> Spec:
    file = folder / "f.yaml"
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1))
    return load(file)


def fault(folder: Path, old: str, new: str) -> str:
    with pytest.raises(UserError) as caught:
        read(folder, old, new)
    place, _, words = str(caught.value).partition(": ")
    assert place.startswith("f.yaml:") or "/f.yaml:" in place, place
    return words


def test_a_case_has_the_name_that_its_kernel_or_its_base_adds(tmp_path: Path) -> None:
    cases = read(tmp_path).cases
    assert cases["a"].congestion_control.name == "westwood"
    assert cases["b"].congestion_control.name == "westwood"
    scheduler = cases["b"].scheduler
    assert scheduler is not None and scheduler.name == "latest"


def test_names_enter_only_files_that_have_them(tmp_path: Path) -> None:
    upon = read(tmp_path).kernels["upon"]
    assert upon.model_dump()["adds"]["schedulers"] == ("latest",)
    assert "adds" not in upon.model_copy(update={"adds": None}).model_dump()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "c: {protocol: tcp, path: 1, congestion_control: cubic}",
            "c: {protocol: tcp, path: 1, congestion_control: westwood}",
            "cases.c.congestion_control: mpbench's own kernel does not add"
            " 'westwood'; write kernel: mine",
        ),
        (
            "scheduler: latest, kernel: upon",
            "scheduler: latest, kernel: mine",
            "cases.b.scheduler: kernel 'mine' does not add 'latest'; write kernel:"
            " upon, or add it to `adds` of 'mine'",
        ),
        (
            "[westwood]",
            "[westwood, cubic]",
            "kernels.mine.adds.controllers: mpbench knows 'cubic' already; take it"
            " away",
        ),
        (
            "[westwood]",
            "[westwood, a-b]",
            "kernels.mine.adds.controllers[1]: 'a-b' is no name in Linux; up to 15"
            " small letters, digits and '_' work",
        ),
        (
            "a: {protocol: mptcp, congestion_control: westwood",
            "a: {protocol: mptcp, congestion_control: westwod",
            "cases.a.congestion_control: unknown congestion control 'westwod'; did you"
            " mean 'westwood'?",
        ),
        (
            "duration: 3 s}",
            "duration: 3 s, transport: {protocol: tcp, path: 1, congestion_control:"
            " westwood}}",
            "traffic[0].transport.congestion_control: mpbench's own kernel does not add"
            " 'westwood'; write kernel: mine",
        ),
        (
            "  mine: {options: {CONFIG_TCP_CONG_WESTWOOD: y}, adds",
            "  mine: {linux: '6.12', machine: qemu, adds",
            "'machine: qemu' boots a binary as it is; take it away",
        ),
        (
            "mine: {options: {CONFIG_TCP_CONG_WESTWOOD: y}",
            "mine: {lab: none",
            "cases.a.congestion_control: kernel 'mine' is stock Linux and has no"
            " congestion control 'westwood'",
        ),
    ],
)
def test_what_is_wrong_is_told(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert words in fault(tmp_path, old, new)


def test_a_factor_of_kernels_needs_the_name_in_each(tmp_path: Path) -> None:
    text = TEXT.replace(", kernel: mine", "").replace(", kernel: upon", "")
    text += "design: {factors: {kernel: [mine, upon]}}\n"
    file = tmp_path / "f.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match="kernel 'mine' does not add 'latest'"):
        load(file)
    file.write_text(text.replace(", scheduler: latest", ""))
    assert [name for name in load(file).cases if name.startswith("a-")] == [
        "a-mine",
        "a-upon",
    ]
