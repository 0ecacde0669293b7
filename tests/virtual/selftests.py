"""Upstream's own tests of MPTCP, each script in a guest of its own, in virtual time.

There are two kinds of kernels. The kernel of experiments (`GUEST`) has neither IPv6 nor
netfilter. The others (`FULL`) have all that the tests need. The files in
`kernel/selftests/` list the tests that are not expected to pass, with the reasons.
"""

import fnmatch
import hashlib
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from mpbench import kernel
from mpbench.backends import boot, roots
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend
from mpbench.kernel import selftests
from mpbench.kernel.cache import Kernel
from tests.virtual.lab import Lab

LISTS = Path(__file__).parents[2] / "kernel" / "selftests"
RESULT = re.compile(r"^(ok|not ok) \d+ - [^:]*: (.*?) # (.*)$", re.M)
PLAN = re.compile(r"^1\.\.(\d+)$", re.M)
REPORT = re.compile(r"BUG|WARNING|KASAN|UBSAN|ODEBUG|INFO: |Call Trace|Kernel panic")
SYMBOLS = "/run/mpbench/kallsyms"
COMMANDS = """\
export PATH=/run/mpbench/bin:$PATH SELFTESTS_MPTCP_LIB_OVERRIDE_FLAKY=1 NO_COLOR=1
ip link set lo up
# nstat forgets its history if that is older than the machine.
sleep 100
cd /run/mpbench/selftests/net/mptcp
"$@" >/run/mpbench/artefacts/output.txt 2>&1
dmesg >/run/mpbench/artefacts/dmesg.txt
"""
NO_FIREWALL = '#!/bin/sh\n# There is no netfilter in this kernel.\n[ "$1" = -V ]\n'


@dataclass(frozen=True)
class Script:
    """One run of one of upstream's scripts."""

    name: str
    argv: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """The kind of kernel that the scripts run on.

    expected : file in kernel/selftests
    changes : text that is replaced in the scripts
    firewall : whether the kernel has netfilter
    """

    expected: str
    memory_mib: int
    bounds: Bounds
    firewall: bool
    changes: Mapping[str, str] = field(default_factory=dict)


def _scripts(*words: str) -> tuple[Script, ...]:
    return tuple(
        Script(text, (f"./{text.split()[0]}.sh", *text.split()[1:])) for text in words
    )


GUEST = Kind(
    "guest.yaml",
    memory_mib=1024,
    bounds=Bounds(virtual_s=40_000.0, wall_s=3600.0, silence_s=1200.0),
    firewall=False,
    changes={
        "/proc/kallsyms": SYMBOLS,
        # Without IPv6 no socket can listen on ::, and no connection can be made.
        'bind_addr:-"::"': 'bind_addr:-"0.0.0.0"',
        'make_connection "v6"': ":",
    },
)
FULL = Kind(
    "full.yaml",
    memory_mib=2048,
    bounds=Bounds(virtual_s=100_000.0, wall_s=3600.0, silence_s=1200.0),
    firewall=True,
)
KINDS = {"guest": GUEST, "selftests": FULL, "selftests-stock": FULL}
"""By the kernel's configuration."""

QUICK_BOUNDS = Bounds(virtual_s=40_000.0, wall_s=290.0, silence_s=120.0)
"""Within the time that pytest gives a test."""
QUICK = _scripts("pm_netlink", "userspace_pm", "mptcp_join -f")
JOIN = "fesLltra64MbpBkSdmzFuI"
"""The groups of mptcp_join: its options."""
WITHOUT_FIREWALL = "fesLlraMbpBSdmzuI"
"""The groups in which some tests need neither netfilter nor IPv6 nor SYN cookies."""
TESTS = {
    "guest": _scripts(
        "pm_netlink",
        "pm_netlink -i",
        "simult_flows",
        "userspace_pm",
        "diag",
        *(
            f"mptcp_connect{mode} -4"
            for mode in ("", "_checksum", "_mmap", "_sendfile", "_splice")
        ),
        *(f"mptcp_join -{group}" for group in WITHOUT_FIREWALL),
    ),
    # The long scripts come last, so that an interrupted series has most of the tests.
    "selftests": _scripts(
        "pm_netlink",
        "pm_netlink -i",
        "userspace_pm",
        "diag",
        "mptcp_sockopt",
        "simult_flows",
        *(f"mptcp_join -{group}" for group in JOIN),
        *(
            f"mptcp_connect{mode}"
            for mode in ("", "_checksum", "_mmap", "_sendfile", "_splice")
        ),
    ),
}
TESTS["selftests-stock"] = TESTS["selftests"]


@dataclass(frozen=True)
class Outcome:
    """The results of one script.

    results : "ok", "fail" or "skip" by the name of the test
    kernel : lines of the kernel's log that report a fault
    trouble : why the script did not end as it should; empty if it did
    cpu_s : CPU time of the guest's processes, seconds
    """

    script: Script
    results: Mapping[str, str]
    kernel: Sequence[str]
    trouble: str
    cpu_s: float


def method(config: str) -> str:
    """A hash of how the scripts run on this kernel, apart from the bounds of time."""
    kind = KINDS[config]
    inputs = (COMMANDS, kind.memory_mib, kind.firewall, sorted(kind.changes.items()))
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]


OLDER = {'$extra_srv_args "::"': '$extra_srv_args "0.0.0.0"'}
"""Changes of the scripts of older releases in the kernel without IPv6."""


@dataclass(frozen=True)
class Release:
    """Another Linux than mpbench's own.

    tests : the folder of its tests, as `mpbench.kernel.selftests.prepare` returns it
    """

    image: Kernel
    tests: Path

    def changes(self, kind: Kind) -> dict[str, str]:
        """The changes of texts that are in the scripts of this Linux."""
        scripts = [path.read_text() for path in self.tests.rglob("*.sh")]
        return {
            old: new
            for old, new in {**kind.changes, **OLDER}.items()
            if any(old in text for text in scripts)
        }

    def has(self, script: Script) -> bool:
        """Whether this Linux has the script, and of mptcp_join this group of tests."""
        file, *options = script.argv
        path = self.tests / "net/mptcp" / file
        if not path.exists() or path.name != "mptcp_join.sh":
            return path.exists()
        text = path.read_text()
        return all(f"{option.strip('-')}@" in text for option in options)


def run(
    script: Script,
    config: str,
    folder: Path,
    cpu: int | None = 0,
    cancel: threading.Event | None = None,
    release: Release | None = None,
    seed: int = 1,
    bounds: Bounds | None = None,
) -> Outcome:
    """Run one script in a guest with this kernel.

    folder : for the files of the run; it is created
    cpu : the CPU to pin the guest to, None for any
    cancel : ends the guest when set
    release : another Linux; its kernel is used in the way that `config` says
    seed : of all that is random in the guest
    bounds : of the guest, in the place of those of the kind of kernel
    """
    kind = KINDS[config]
    image = release.image if release else kernel.find(config)
    tests = release.tests if release else selftests.prepare(image)
    changes = release.changes(kind) if release else kind.changes
    machine = boot.Machine(memory_mib=kind.memory_mib)
    # The scripts need tools of the host that the root image does not have.
    backend = VirtualBackend(
        machine, ("/bin/bash", "/run/mpbench/run.sh", *script.argv), root=roots.HOST
    )
    backend._kernel = image
    lab = Lab(folder, backend, cancel or threading.Event())
    inside = folder / "run1"
    inside.mkdir(parents=True)
    selftests.install(tests, inside / "selftests", changes)
    (inside / "run.sh").write_text(COMMANDS)
    if SYMBOLS in kind.changes.values():
        (inside / "kallsyms").write_text(selftests.symbols(image))
    if not kind.firewall:
        (inside / "bin").mkdir()
        for name in ("iptables", "ip6tables"):
            (inside / "bin" / name).write_text(NO_FIREWALL)
            (inside / "bin" / name).chmod(0o755)
    ended, artefacts = lab.execute({"seed": seed}, bounds or kind.bounds, cpu)
    output = read_text(artefacts / "output.txt")
    results = dict(read_results(output))
    plan = PLAN.search(output)
    trouble = "" if ended.status == "finished" else ended.reason
    if not trouble and (plan is None or int(plan[1]) != len(results)):
        trouble = (
            f"{len(results)} results of {plan[1] if plan else 'an unknown number'}"
        )
    if trouble:
        trouble += f"\n{output[-2000:]}{read_text(artefacts / 'console.log')[-1000:]}"
    log = read_text(artefacts / "dmesg.txt").splitlines()
    reports = [line for line in log if REPORT.search(line)]
    return Outcome(script, results, reports, trouble, ended.cpu_s or 0.0)


def read_text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def read_results(output: str) -> Iterator[tuple[str, str]]:
    """The name and the outcome of each test, from the output of a script."""
    for status, name, more in RESULT.findall(output):
        yield name, "fail" if status != "ok" else "skip" if "SKIP" in more else "ok"


@dataclass(frozen=True)
class Expected:
    """Tests that do not pass for the same reason.

    tests : patterns "SCRIPT: TEST"
    outcome : "fail" or "skip"; "either" if it depends on the build whether they pass
    kernels : the configurations to which this applies; all if empty
    """

    reason: str
    outcome: str
    tests: tuple[str, ...]
    kernels: tuple[str, ...] = ()


def expected(config: str) -> list[Expected]:
    """The tests that are not expected to pass with this kernel."""
    entries = yaml.safe_load((LISTS / KINDS[config].expected).read_text()) or []
    listed = [
        Expected(
            entry["reason"],
            entry["outcome"],
            tuple(entry["tests"]),
            tuple(entry.get("kernels", ())),
        )
        for entry in entries
    ]
    return [entry for entry in listed if not entry.kernels or config in entry.kernels]


def surprises(outcomes: Sequence[Outcome], entries: Sequence[Expected]) -> list[str]:
    """One line per outcome that is not the expected one."""
    lines = []
    met = set()
    for outcome in outcomes:
        name = outcome.script.name
        if outcome.trouble:
            lines.append(f"{name}: {outcome.trouble}")
        lines += [f"{name}: kernel: {line}" for line in outcome.kernel]
        for test, result in outcome.results.items():
            text = f"{name}: {test}"
            wanted = "ok"
            for entry in entries:
                patterns = [p for p in entry.tests if fnmatch.fnmatchcase(text, p)]
                if patterns:
                    wanted = entry.outcome
                    met |= {(entry.reason, pattern) for pattern in patterns}
            if result not in (("ok", "fail") if wanted == "either" else (wanted,)):
                lines.append(f"{text}: {result}, expected {wanted}")
    names = {outcome.script.name for outcome in outcomes}
    lines += [
        f"{pattern}: listed, but there is no such test"
        for entry in entries
        for pattern in entry.tests
        if (entry.reason, pattern) not in met and pattern.split(":")[0] in names
    ]
    return lines
