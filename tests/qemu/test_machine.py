"""The machine's command line, and what it needs of the host."""

import resource
from dataclasses import replace
from pathlib import Path

import pytest

from jobs import bare
from jobs.linux import Linux
from mpbench.backends import kernels
from mpbench.backends.base import Exit
from mpbench.backends.confinement import Limits
from mpbench.backends.qemu import machine, pins, runs
from mpbench.backends.qemu.machine import Machine
from mpbench.backends.virtual import VirtualBackend
from mpbench.engine.bisect_question import Question
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.kernel import Kernel
from tests.calls import Command

FILE = """\
name: q
topology: two_path
kernels: {plain: {linux: "6.12", machine: qemu}}
cases: {a: {protocol: mptcp, congestion_control: cubic, kernel: plain}}
traffic: [{tool: iperf3, from: client, to: server, duration: 1 s}]
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in the place of QEMU, which says its version."""
    place = tmp_path / "bin" / machine.PROGRAM
    place.parent.mkdir()
    place.write_text("#!/bin/sh\necho 'QEMU emulator version 7.2.22 (Debian)'\n")
    place.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place.parent}:/usr/bin:/bin")
    machine.version.cache_clear()
    return place


def words(program: Path, memory_mib: int = 1024, seed: int = 7) -> list[str]:
    kernel, archive = program.parent / "vmlinuz", program.parent / "a.cpio"
    made = Machine(memory_mib).command(kernel, archive, seed, 1, Limits())
    assert "--" in made
    return made


def test_the_machine_has_virtual_time_and_no_devices(program: Path) -> None:
    made = words(program)
    own = made[made.index("--") + 1 :]
    assert own[0] == str(program)
    for flag, value in (
        ("-icount", "shift=0,sleep=off"),
        ("-rtc", "base=2026-01-01T00:00:00,clock=vm"),
        ("-smp", "1"),
        ("-m", "1024"),
        ("-seed", "7"),
    ):
        assert own[own.index(flag) + 1] == value
    assert "nokaslr" in own[own.index("-append") + 1].split()
    assert {"-nodefaults", "-no-user-config", "-no-reboot"} <= set(own)
    unwanted = ("-drive", "-net", "-netdev", "-device", "-enable-kvm", "-monitor")
    assert not set(unwanted) & set(own)


def test_the_launcher_stands_before_the_machine(program: Path) -> None:
    """QEMU reads the system, the kernel and the archive, and no more memory than its
    own and the machine's."""
    made = words(program)
    before = made[: made.index("--")]
    kernel, archive = program.parent, program.parent / "a.cpio"
    assert {f"read={kernel}", f"read={archive}", "cpu=1"} <= set(before)
    assert f"address={(1024 + 256 + 2048) << 20}" in before
    assert not any(word.startswith("calls=") for word in before)


def test_the_size_of_memory_is_in_the_line_of_the_kernel(program: Path) -> None:
    pages = 2048 * 256
    made = words(program, 2048)
    assert f'sysctl.net.ipv4.tcp_mem="{pages} {pages} {pages}"' in " ".join(made)
    assert f"address={(2048 + 256 + 2048) << 20}" in made


def test_the_identity_has_the_version_of_qemu(program: Path) -> None:
    assert runs.identity().startswith("7.2.22 -nodefaults ")
    assert runs.provenance()["version"] == "7.2.22"


def test_a_program_without_a_version_is_refused(program: Path) -> None:
    program.write_text("#!/bin/sh\necho none\n")
    with pytest.raises(UserError, match="does not say its version"):
        machine.version()


def test_a_user_with_too_little_memory_is_told(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = (1024 + 256 + 2048) << 20
    monkeypatch.setattr(resource, "getrlimit", lambda _: (0, needed))
    machine.require(1024)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (0, needed - 1))
    with pytest.raises(UserError, match="QEMU needs 3328 MiB; start mpbench where"):
        machine.require(1024)


def test_without_qemu_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    machine.version.cache_clear()
    backend = VirtualBackend()
    monkeypatch.setattr(VirtualBackend, "identity", lambda self: backend_identity(self))
    (tmp_path / "q.yaml").write_text(FILE)
    said = command("run", "q.yaml")
    assert (said.status, said.out) == (2, "")
    assert said.err == (
        "mpbench: machine: qemu: no qemu-system-x86_64 here; as root: apt-get install"
        " --no-install-recommends qemu-system-x86\n"
    )
    assert not backend.in_qemu


def backend_identity(backend: VirtualBackend) -> dict[str, str]:
    """The part of the identity that needs no kernel."""
    assert backend.in_qemu
    return {"qemu": runs.identity()}


def test_a_machine_in_qemu_has_no_prompt_and_no_series() -> None:
    linux = Linux(lab=False, packages=pins.of("6.12"))
    job = replace(bare(1, 1.0), linux=linux)
    own = Kernel(Path("linux"), "key", Path(), {})
    with pytest.raises(UserError, match="has no prompt; choose a run of a case with"):
        kernels.program(own, job, may_compile=True, trusted=False)
    with pytest.raises(UserError, match="kernel 'plain' is a finished binary and ta"):
        Question(loads(FILE), "a", None, "plain", "goodput_mbps", 1.0).ends  # noqa: B018
    assert kernels.Kernels(own, lambda *_: Exit("failed", "", 0, 0)).alike(job) is None
