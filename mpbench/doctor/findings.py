"""Judge the facts of a machine: what is missing, and the remedy."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mpbench.backends import boot, confinement, roots, tools
from mpbench.backends.qemu import machine
from mpbench.backends.tools import Tool
from mpbench.doctor.facts import BUILD, Facts, Folder

Mark = Literal["ok", "missing", "optional"]

GUEST_BYTES = boot.LAB.memory_mib << 20
BUILD_BYTES = 3_000_000_000
RESULTS_BYTES = 100_000_000


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    lab : the backend that needs it
    mark : `optional` if it is missing but not needed now
    detail : a version, an amount, or what is wrong
    """

    lab: Literal["virtual", "native"]
    mark: Mark
    what: str
    detail: str
    remedy: str = ""


def findings(facts: Facts) -> list[Finding]:
    """All findings; those of the virtual lab come first."""
    native = [
        Finding(
            "native",
            "ok" if need.found else "missing",
            need.name,
            need.detail,
            "" if need.found else need.remedy,
        )
        for need in facts.native
    ]
    return [*_virtual(facts), *native]


def can_run(found: list[Finding], lab: str = "virtual") -> bool:
    """Whether nothing is missing that this backend needs."""
    return all(finding.mark != "missing" for finding in found if finding.lab == lab)


def _virtual(facts: Facts) -> Iterator[Finding]:
    built = facts.kernel is not None
    yield _virtual_finding(
        built, "guest kernel", facts.kernel or "not built", "mpbench kernel build"
    )
    yield _virtual_finding(
        not facts.launcher,
        "guest launcher",
        facts.launcher or "built",
        "apt-get install gcc libc6-dev",
    )
    yield _virtual_finding(
        facts.fixed_addresses,
        "fixed addresses",
        "" if facts.fixed_addresses else "refused here (personality)",
        confinement.ALLOW_FIXED_ADDRESSES,
    )
    if built and not facts.launcher and facts.fixed_addresses:
        yield _boots(facts)
    if facts.root == roots.IMAGE:
        detail = f"SHA-256 {facts.image[:16]}..." if facts.image else "not built"
        yield _virtual_finding(
            bool(facts.image), "root image", detail, "mpbench image build"
        )
    else:
        for tool in tools.GUEST:
            yield _tool(tool, facts)
    if not (built and facts.carried):
        for tool in BUILD:
            yield _tool(tool, facts, "optional" if built else "missing")
    yield _tool(machine.TOOL, facts, "optional")
    yield _virtual_finding(
        facts.cpus > 0,
        "CPUs",
        f"{facts.cpus}, one run each",
        "start mpbench outside the cpuset or sandbox that limits it",
    )
    yield from _confinement(facts)
    yield _memory(facts)
    if "namespaces" not in facts.barriers:
        yield _memory_folder(facts.memory_folder)
    yield _space(
        "cache folder",
        facts.cache,
        0 if built else BUILD_BYTES,
        "free space there, or set XDG_CACHE_HOME to a folder that can be written",
        "optional" if built else "missing",
    )
    yield _space(
        "results folder",
        facts.results,
        RESULTS_BYTES,
        "free space there, or give a folder that can be written with --out",
    )


def _virtual_finding(
    found: bool, what: str, detail: str, remedy: str, lacking: Mark = "missing"
) -> Finding:
    mark: Mark = "ok" if found else lacking
    return Finding("virtual", mark, what, detail, "" if found else remedy)


def _boots(facts: Facts) -> Finding:
    if facts.boot_s is not None:
        return Finding("virtual", "ok", "a guest boots", f"{facts.boot_s:.2f} s")
    remedy = (
        "run where seccomp filters and executable memory are allowed; "
        "rebuild with `mpbench kernel build --force`"
    )
    if "ulimit -f" in facts.boot_error:
        remedy = "`ulimit -f unlimited`, as root or in /etc/security/limits.conf"
    return Finding("virtual", "missing", "a guest boots", facts.boot_error, remedy)


def _tool(tool: Tool, facts: Facts, lacking: Mark = "missing") -> Finding:
    found = tool in facts.present
    detail = (facts.packages.get(tool.package) or "found") if found else "not found"
    remedy = f"apt-get install {tool.package}"
    return _virtual_finding(found, tool.name, detail, remedy, lacking)


def _confinement(facts: Facts) -> Iterator[Finding]:
    """The barriers that keep a guest that takes over its own kernel away from the host.

    The launcher's filter of system calls needs no line: without such filters of the
    host's kernel, no guest boots.
    """
    offered = "namespaces" in facts.barriers
    other = "Landlock alone confines" if facts.landlock else "nothing confines"
    if not facts.launcher:
        yield _virtual_finding(
            offered,
            "guests in namespaces",
            "a root of their own" if offered else f"not allowed here: {other} a guest",
            "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 or "
            "kernel.apparmor_restrict_unprivileged_userns=0, or the container's "
            "seccomp profile), or run no experiment files of strangers",
            "optional",
        )
    if facts.landlock:
        detail = f"version {facts.landlock}"
    elif offered:
        detail = "not in this kernel: namespaces alone confine a guest"
    else:
        detail = "not in this kernel: a guest can read and write the user's files"
    yield _virtual_finding(
        facts.landlock > 0,
        "Landlock",
        detail,
        "boot Linux 5.13 or later with `landlock` in CONFIG_LSM or lsm=, or run no "
        "experiment files of strangers",
        "optional",
    )


def _memory(facts: Facts) -> Finding:
    enough_for = facts.memory_bytes // GUEST_BYTES
    detail = f"{_gb(facts.memory_bytes)} free, {boot.LAB.memory_mib} MiB per guest"
    if enough_for >= facts.cpus or not enough_for:
        remedy = "end other programs"
        return _virtual_finding(enough_for > 0, "memory", detail, remedy)
    remedy = f"run -j {enough_for}, if guests run out of memory"
    return Finding("virtual", "optional", "memory", detail, remedy)


def _memory_folder(folder: Folder) -> Finding:
    """A guest's memory is a file that must be mapped as executable."""
    what = f"guest memory in {folder.path}"
    detail = f"{_gb(folder.free_bytes)} free"
    if not folder.runs:
        remedy = f"mount -o remount,exec {folder.path}"
        return _virtual_finding(False, what, "mounted noexec", remedy)
    enough = folder.writable and folder.free_bytes >= GUEST_BYTES
    return _virtual_finding(enough, what, detail, "free space in /dev/shm or /tmp")


def _space(
    what: str,
    folder: Folder,
    least_bytes: int,
    remedy: str,
    lacking: Mark = "missing",
) -> Finding:
    detail = f"{folder.path}: {_gb(folder.free_bytes)} free"
    if not folder.writable:
        detail = f"{folder.path}: cannot be written"
    elif folder.free_bytes < least_bytes:
        detail += f" of {_gb(least_bytes)} needed"
    enough = folder.writable and folder.free_bytes >= least_bytes
    return _virtual_finding(enough, what, detail, remedy, lacking)


def _gb(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
