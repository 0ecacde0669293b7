"""Needs of a job that a kernel lacks."""

from dataclasses import replace
from pathlib import Path

import pytest

from jobs import bare
from jobs.ends import Host
from jobs.linux import Linux
from mpbench import kernel_facts
from mpbench.backends import features
from mpbench.backends.base import Bounds, Exit
from mpbench.backends.features import DoesNotRunError, Features, lacking, tail
from mpbench.backends.kernels import Kernels, Tolerated
from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.kernel import Kernel, variants
from mpbench.kernel.faults import OPTIONS, PATCHES, KernelFault
from mpbench.spec import kernels

HAS = Features(
    controllers=("cubic", "reno"),
    schedulers=("default",),
    path_managers=("kernel",),
    sysctls=("net.ipv4.tcp_sack", "net.mptcp.enabled"),
    counters=(),
    fabric=False,
    release="6.12.118",
)


def needs(**sysctls: str) -> list[str]:
    """The lack of a kernel where one host sets these sysctls, by their last parts."""
    job = bare(1, 10.0)
    transport = replace(job.transport, congestion_control="cubic", scheduler="default")
    named = {f"net.ipv4.{name}": value for name, value in sysctls.items()}
    hosts = {"server": Host(sysctls=named)} if named else None
    made = replace(job, transport=transport, fabric=None, host_settings=hosts)
    return list(lacking(made, HAS))


def test_a_kernel_that_has_all() -> None:
    assert needs() == []
    assert needs(tcp_sack="0") == []


def test_a_sysctl_of_one_host_that_the_kernel_lacks() -> None:
    (reason,) = needs(tcp_sack="0", tcp_rto_max_ms="1000")
    assert reason.startswith("no sysctl 'net.ipv4.tcp_rto_max_ms'; ")


CONSOLE = """\
<6>TCP: Hash tables configured (established 8192 bind 8192)
Pid: 1, comm: swapper/0 Not tainted 7.3.4
RIP: 0033:0x603e8ad0
<6>RSP: 0000000060c57f20  EFLAGS: 00010246
<6>RAX: 0000000000000000 RBX: 0000000060c2fb40 RCX: 0000000000000000
<6>R13: 0000000000000000 R14: 0000000000000000 R15: 0000000000000000
<0>Kernel panic - not syncing: Segfault with no mm
"""


def test_the_last_lines_of_a_console_have_no_registers() -> None:
    assert tail(CONSOLE) == (
        "TCP: Hash tables configured (established 8192 bind 8192)"
        " | Pid: 1, comm: swapper/0 Not tainted 7.3.4"
        " | Kernel panic - not syncing: Segfault with no mm"
    )
    assert tail("a\nb\nc\nd\ne\nf\n") == "b | c | d | e | f"
    assert tail("") == "nothing"


def test_a_kernel_that_does_not_run_is_told_with_its_line() -> None:
    spec = loads(
        """\
name: small
topology: two_path
kernels:
  stock: {lab: none}
  fast: {base: stock, options: {CONFIG_HZ: 1000}}
cases:
  a: {protocol: mptcp, congestion_control: cubic, kernel: stock}
  b: {protocol: mptcp, congestion_control: cubic, kernel: fast}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
""",
        "small.yaml",
    )
    error = DoesNotRunError("stock Linux", "does not run: it panicked")
    assert str(kernel_facts.named(spec, error)) == (
        "kernel (stock Linux): does not run: it panicked"
    )
    error.linux = Linux(lab=False, options={"CONFIG_HZ": "1000"})
    assert str(kernel_facts.named(spec, error)) == (
        "small.yaml:5: kernels.fast: does not run: it panicked"
    )


@pytest.mark.parametrize(
    ("key", "reasons", "said"),
    [
        (
            OPTIONS,
            {"CONFIG_HZ": "Linux does not take over 1000", "CONFIG_A": "nor 1"},
            [
                "small.yaml:8: kernels.both.options.CONFIG_HZ: Linux does not take over"
                " 1000",
                "small.yaml:6: kernels.fast.options.CONFIG_A: nor 1",
            ],
        ),
        (
            OPTIONS,
            {"": "not taken over"},
            ["small.yaml:8: kernels.both.options: not taken over"],
        ),
        (
            PATCHES,
            {"two.patch": "does not apply"},
            ["small.yaml:9: kernels.both.patches: two.patch: does not apply"],
        ),
        (
            PATCHES,
            {"one.patch": "does not apply"},
            ["small.yaml:5: kernels.fast.patches: one.patch: does not apply"],
        ),
        (
            PATCHES,
            {"": "does not compile"},
            ["small.yaml:9: kernels.both.patches: does not compile"],
        ),
        ("", {"": "is not there"}, ["small.yaml:7: kernels.both: is not there"]),
    ],
)
def test_a_kernel_that_is_not_built_is_told_with_its_line(
    tmp_path: Path, key: str, reasons: dict[str, str], said: list[str]
) -> None:
    """The line is that of the option or patch, also where a base has it."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.patch").write_text(f"{name}\n")
    file = tmp_path / "small.yaml"
    file.write_text(
        """\
name: small
topology: two_path
kernels:
  fast:
    patches: one.patch
    options: {CONFIG_A: 1}
  both:
    options: {CONFIG_HZ: 1000}
    patches: two.patch
    base: fast
cases:
  a: {protocol: mptcp, congestion_control: cubic, kernel: both}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""
    )
    spec = load(file)
    error = KernelFault(key, reasons)
    error.linux = kernels.resolved(spec.kernels, "both")
    with pytest.raises(UserError) as caught, kernel_facts.told_with_lines(spec):
        raise error
    lines = str(caught.value).splitlines()
    assert [line.rpartition("/")[2] for line in lines] == said


def checked(
    monkeypatch: pytest.MonkeyPatch, dead: set[str], tolerated: Tolerated | None
) -> None:
    """Check a campaign over stock Linux and two kernels with another CONFIG_HZ.

    dead : values of CONFIG_HZ under which no kernel boots
    """

    def of(folder: Path, words: str, execute: features.Execute) -> Features:
        if folder.name in dead:
            raise DoesNotRunError(words, "does not run: it panicked")
        return HAS

    def built(own: Kernel, linux: Linux, *rest: bool) -> Kernel:
        rate = (linux.options or {}).get("CONFIG_HZ", "100")
        return Kernel(Path(rate) / "linux", rate, Path(rate), {})

    monkeypatch.setattr(features, "of", of)
    monkeypatch.setattr(variants, "find", built)
    own = Kernel(Path("own/linux"), "own", Path("own"), {})
    job = bare(1, 10.0)
    plain = replace(
        job, transport=replace(job.transport, congestion_control="cubic"), fabric=None
    )
    jobs = [
        replace(plain, linux=Linux(lab=False, options=options))
        for options in (None, {"CONFIG_HZ": "250"}, {"CONFIG_HZ": "1000"}) * 2
    ]
    known = Kernels(own, lambda *_: Exit("failed", "", 0, 0))
    known.check(jobs, True, True, tolerated)


def test_a_kernel_that_does_not_run_may_be_tolerated_beside_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[DoesNotRunError] = []
    checked(monkeypatch, {"250", "1000"}, told.append)
    found = [(error.linux.options or {})["CONFIG_HZ"] for error in told if error.linux]
    assert found == ["250", "1000"]


def test_kernels_none_of_which_runs_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[DoesNotRunError] = []
    with pytest.raises(DoesNotRunError):
        checked(monkeypatch, {"100", "250", "1000"}, told.append)
    with pytest.raises(DoesNotRunError):
        checked(monkeypatch, {"250"}, None)
    assert told == []


@pytest.mark.parametrize(
    ("ended", "tries", "words"),
    [
        (Exit("timeout", "silent", 120, 0, 3.0, True), 2, "too busy to boot it"),
        (Exit("timeout", "silent", 120, 0, 30.0, True), 1, "does not run: silent"),
        (Exit("timeout", "silent", 120, 0, None, True), 1, "does not run: silent"),
        (Exit("timeout", "silent", 120, 0, 3.0, False), 1, "does not run: silent"),
        (Exit("failed", "no last word", 1, 0, 3.0, True), 1, "does not run: no last"),
    ],
)
def test_only_a_kernel_that_had_its_time_is_called_dead(
    tmp_path: Path, ended: Exit, tries: int, words: str
) -> None:
    """A machine that does other things is no fault of a kernel."""
    asked = []

    def execute(folder: Path, bounds: Bounds) -> Exit:
        (folder / "artefacts/console.log").write_text("")
        asked.append(bounds)
        return ended

    with pytest.raises(UserError, match=words) as told:
        features.of(tmp_path, "stock Linux", execute)
    assert isinstance(told.value, DoesNotRunError) == ("does not" in words)
    assert asked == [features.BOUNDS, features.PATIENT][:tries]
    assert features.kept(tmp_path) is None
