"""`mpbench doctor`, on machines that are made up."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from mpbench.backends import confinement, tools
from mpbench.backends.qemu import machine
from mpbench.backends.requirements import Need
from mpbench.commands import doctor
from mpbench.doctor import facts as looking
from mpbench.doctor.facts import BUILD, Facts, Folder
from mpbench.doctor.findings import Finding, can_run, findings

GB = 1_000_000_000

WHOLE = Facts(
    kernel="0123456789abcdef",
    root="host",
    image=None,
    boot_s=0.06,
    boot_error="",
    present=frozenset((*tools.GUEST, machine.TOOL, *BUILD)),
    packages={"iperf3": "3.12-1"},
    cpus=2,
    memory_bytes=8 * GB,
    memory_folder=Folder(Path("/dev/shm"), 4 * GB, True),
    cache=Folder(Path("/home/me/.cache/mpbench"), 50 * GB, True),
    results=Folder(Path("results"), 50 * GB, True),
    native=[Need("root", True), Need("netem", False, "no", "modprobe sch_netem")],
    launcher="",
    barriers=("namespaces", "landlock"),
    landlock=7,
    fixed_addresses=True,
)


def one(facts: Facts, what: str) -> Finding:
    (found,) = [
        each
        for each in findings(facts)
        if each.what.startswith(what) and each.lab == "virtual"
    ]
    return found


def without(*names: str) -> frozenset[tools.Tool]:
    return frozenset(tool for tool in WHOLE.present if tool.name not in names)


def test_a_machine_with_all() -> None:
    found = findings(WHOLE)
    assert can_run(found)
    assert not can_run(found, "native")
    assert one(WHOLE, "iperf3").detail == "3.12-1"
    assert one(WHOLE, "a guest boots").detail == "0.06 s"
    assert all(each.mark == "ok" for each in found if each.lab == "virtual")


def test_a_machine_without_qemu_runs_guests() -> None:
    lacking = replace(WHOLE, present=WHOLE.present - {machine.TOOL})
    assert can_run(findings(lacking))
    found = one(lacking, machine.PROGRAM)
    assert (found.mark, found.remedy) == ("optional", "apt-get install qemu-system-x86")


SMALL = Folder(Path("/x"), GB // 10, True)


@pytest.mark.parametrize(
    ("change", "what", "remedy"),
    [
        ({"kernel": None}, "guest kernel", "mpbench kernel build"),
        ({"root": "image"}, "root image", "mpbench image build"),
        ({"boot_s": None, "boot_error": "x"}, "a guest boots", "seccomp"),
        (
            {"boot_s": None, "boot_error": "files may have 9 MiB here (ulimit -f)"},
            "a guest boots",
            "`ulimit -f unlimited`",
        ),
        ({"fixed_addresses": False}, "fixed addresses", "seccomp=unconfined"),
        ({"present": without("iperf3")}, "iperf3", "apt-get install iperf3"),
        ({"present": without("mininet")}, "mininet", "apt-get install mininet"),
        ({"cpus": 0}, "CPUs", "cpuset"),
        ({"memory_bytes": GB // 10}, "memory", "end other programs"),
        (
            {"memory_folder": SMALL, "barriers": ()},
            "guest memory",
            "free space in /dev/shm",
        ),
        (
            {
                "memory_folder": Folder(Path("/tmp"), GB, True, runs=False),
                "barriers": (),
            },
            "guest memory",
            "mount -o remount,exec /tmp",
        ),
        ({"kernel": None, "cache": SMALL}, "cache", "XDG_CACHE_HOME"),
        ({"results": replace(SMALL, writable=False)}, "results", "--out"),
    ],
)
def test_what_is_missing_stops_the_lab(
    change: dict[str, object], what: str, remedy: str
) -> None:
    facts = replace(WHOLE, **change)  # type: ignore[arg-type]
    found = one(facts, what)
    assert found.mark == "missing"
    assert remedy in found.remedy
    assert not can_run(findings(facts))


def test_what_builds_the_kernel_is_needed_until_it_is_built() -> None:
    facts = replace(WHOLE, present=without("flex"))
    assert one(facts, "flex").mark == "optional"
    assert can_run(findings(facts))
    assert one(replace(facts, kernel=None), "flex").mark == "missing"
    small = replace(WHOLE, cache=SMALL)
    assert one(small, "cache").mark == "ok"
    assert one(replace(small, kernel=None), "cache").mark == "missing"


def test_a_wheel_does_not_list_what_would_build_its_kernel() -> None:
    names = {tool.name for tool in BUILD}
    wheel = replace(WHOLE, carried=True, present=WHOLE.present - {*BUILD})
    lines = {each.what for each in findings(wheel) if each.lab == "virtual"}
    assert not names & lines and can_run(findings(wheel))
    # A wheel of pip's own making brings no kernel, and needs all of them.
    bare = replace(wheel, carried=False, kernel=None)
    lines = {each.what for each in findings(bare) if each.lab == "virtual"}
    assert names <= lines and not can_run(findings(bare))


@pytest.mark.parametrize(
    ("barriers", "landlock", "words"),
    [
        (("namespaces",), 0, ["a root of their own", "namespaces alone"]),
        (("landlock",), 2, ["Landlock alone confines", "version 2"]),
        ((), 0, ["nothing confines", "a guest can read and write"]),
    ],
)
def test_a_host_that_lacks_a_barrier_says_what_that_means(
    barriers: tuple[str, ...], landlock: int, words: list[str]
) -> None:
    facts = replace(WHOLE, barriers=barriers, landlock=landlock)
    for what, word in zip(("guests in namespaces", "Landlock"), words, strict=True):
        assert word in one(facts, what).detail
    assert can_run(findings(facts))


def test_a_launcher_that_cannot_be_compiled_is_told() -> None:
    """Without it, nothing is known about namespaces, and no guest is booted."""
    why = "the launcher of guests is not built, and building it needs gcc"
    facts = replace(WHOLE, launcher=why, barriers=("landlock",), boot_s=None)
    found = one(facts, "guest launcher")
    assert (found.mark, found.detail) == ("missing", why)
    assert "apt-get install gcc" in found.remedy
    names = {finding.what for finding in findings(facts)}
    assert names.isdisjoint({"guests in namespaces", "a guest boots"})
    assert not can_run(findings(facts))


def test_no_guest_is_booted_with_random_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that is lucky would boot, and doctor would say that all is well."""
    monkeypatch.setattr(confinement, "fixed_addresses", lambda: False)
    monkeypatch.setattr(looking, "_boot", lambda *_: pytest.fail("booted"))
    facts = looking.look()
    assert not facts.fixed_addresses
    names = {finding.what for finding in findings(facts)}
    assert "fixed addresses" in names and "a guest boots" not in names


def test_memory_for_fewer_runs_than_cpus() -> None:
    found = one(replace(WHOLE, cpus=32), "memory")
    assert found.mark == "optional"
    assert "-j 7" in found.remedy


def run(
    monkeypatch: pytest.MonkeyPatch, facts: Facts, *arguments: str
) -> tuple[int, str]:
    monkeypatch.setattr(looking, "look", lambda: facts)
    done = CliRunner().invoke(doctor.command, arguments)
    return done.exit_code, done.output


def test_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    status, output = run(monkeypatch, WHOLE)
    assert status == 0
    assert "Virtual lab (--backend virtual): can run\n" in output
    assert "  ok        iperf3 - 3.12-1\n" in output
    assert "  MISSING   netem - no - remedy: modprobe sch_netem\n" in output


def test_status_when_it_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    status, output = run(monkeypatch, replace(WHOLE, kernel=None))
    assert status == 1
    assert "guest kernel - not built - remedy: mpbench kernel build\n" in output
    assert "a guest boots" not in output


def test_json(monkeypatch: pytest.MonkeyPatch) -> None:
    status, output = run(monkeypatch, WHOLE, "--json")
    answer = json.loads(output)
    assert status == 0
    assert answer["can_run"] == {"virtual": True, "native": False}
    assert {"lab", "mark", "what", "detail", "remedy"} == set(answer["findings"][0])


def test_native_alone_is_judged_by_what_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The virtual lab's kernel and cache have no say in it."""
    able = replace(WHOLE, kernel=None, cache=SMALL, native=[Need("root", True)])
    status, output = run(monkeypatch, able, "--backend", "native")
    assert status == 0
    assert "can run" in output and "Virtual lab" not in output
    assert run(monkeypatch, WHOLE, "--backend", "native")[0] == 1
    lacking = replace(WHOLE, kernel=None)
    assert run(monkeypatch, lacking, "--backend", "virtual")[0] == 1


def test_a_table_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    console = Console(force_terminal=True, width=120, color_system=None)
    doctor._show(findings(WHOLE), {"virtual": True, "native": False}, console)
    shown = capsys.readouterr().out
    assert "Virtual lab (--backend virtual): can run" in shown
    assert "modprobe sch_netem" in shown


def test_a_guest_with_the_root_image_needs_no_tools_of_the_host() -> None:
    lacking = without("iperf3", "mininet")
    facts = replace(WHOLE, root="image", image="ab" * 32, present=lacking)
    found = findings(facts)
    assert can_run(found)
    assert one(facts, "root image").detail == "SHA-256 abababababababab..."
    assert "iperf3" not in {each.what for each in found if each.lab == "virtual"}
