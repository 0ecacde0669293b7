"""Upstream's own tests of MPTCP, from the Linux that the guest kernel is built of.

`prepare` compiles their programs; `install` writes a copy that a guest can run.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from jobs.linux import Release
from mpbench.errors import UserError
from mpbench.kernel import cache, released, sources, tools
from mpbench.kernel.cache import Kernel
from mpbench.kernel.lock import exclusive
from mpbench.kernel.progress import Progress
from mpbench.kernel.released import Released
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import Source

PROGRAMS = ("mptcp_connect", "mptcp_diag", "mptcp_inq", "mptcp_sockopt", "pm_nl_ctl")
LATER = ("mptcp_diag",)
"""Programs that older releases do not have."""
DONE = "programs"
"""The file that says that the programs are compiled."""


def prepare(
    kernel: Kernel, progress: Progress | None = None, release: Release | None = None
) -> Path:
    """The folder of the tests of this kernel's Linux, their programs compiled.

    release : what the kernel was built of, if that is not mpbench's own Linux

    Raises UserError if the Linux of the kernel is no longer in the cache, or cannot be
    fetched again where the cache has it without its tests.
    """
    source = _source(kernel, release)
    if (source.selftests / DONE).exists():
        return source.selftests
    tools.require()
    shown = progress or Progress()
    with exclusive(cache.root(), shown.say) as handle:
        logs = cache.root() / "logs"
        logs.mkdir(exist_ok=True)
        shell = Shell(logs / "selftests.log", inherited=[handle.fileno()])
        try:
            if not source.selftests.is_dir():
                if isinstance(source, Released) and release is not None:
                    released.add_selftests(source, release, shell, shown)
                else:
                    sources.add_selftests(source, shell, shown)
            if not (source.selftests / DONE).exists():
                with shown.step("build", "programs of upstream's tests"):
                    _compile(source, shell)
        finally:
            shell.close()
        shell.log.unlink()
    return source.selftests


def _source(kernel: Kernel, release: Release | None) -> Source:
    """The Linux in the cache of which a kernel was built."""
    identity = kernel.info["source_hash"]
    if release is not None:
        known: list[Source] = [released.place(release, identity)]
        known = [source for source in known if source.tree.is_dir()]
    else:
        known = [source for source in sources.stored() if source.identity == identity]
    if not known:
        raise UserError(
            "the Linux of the guest kernel is no longer in the cache; "
            "`mpbench kernel build --force` brings it back"
        )
    return known[0]


def _compile(source: Source, shell: Shell) -> None:
    """Compile the programs against the headers of their own Linux: those of the
    machine are older."""
    folder = source.selftests / "net" / "mptcp"
    with tempfile.TemporaryDirectory() as scratch:
        shell.run(
            ["make", "-s", "ARCH=x86", f"O={scratch}", "headers"],
            cwd=source.tree,
            environment={"MAKEFLAGS": ""},
        )
        options = ["-O2", "-isystem", f"{scratch}/usr/include"]
        options += ["-I", str(source.tree / "tools" / "include")]
        there = [
            name
            for name in PROGRAMS
            if name not in LATER or (folder / f"{name}.c").exists()
        ]
        for name in there:
            shell.run(["gcc", *options, "-o", name, f"{name}.c"], cwd=folder)
    (source.selftests / DONE).write_text("\n".join(there) + "\n")


def install(folder: Path, target: Path, changes: Mapping[str, str]) -> None:
    """Copy the tests to the new folder `target`.

    folder : what `prepare` returned
    changes : text that is replaced in all scripts, and by what; each must occur

    Raises UserError if the scripts do not have a text.
    """
    sources_of_programs = shutil.ignore_patterns("*.c")
    shutil.copytree(folder / "net", target / "net", ignore=sources_of_programs)
    scripts = sorted(target.rglob("*.sh"))
    texts = {script: script.read_text() for script in scripts}
    for old, new in changes.items():
        if not any(old in text for text in texts.values()):
            raise UserError(f"upstream's tests no longer have '{old}' in them")
        texts = {script: text.replace(old, new) for script, text in texts.items()}
    for script, text in texts.items():
        script.write_text(text)
        script.chmod(0o755)  # in packages of older releases, some are not executable


def symbols(kernel: Kernel) -> str:
    """The kernel's symbols as /proc/kallsyms shows them, where it has no such file."""
    listed = subprocess.run(
        ["nm", str(kernel.path)], capture_output=True, text=True, check=True
    )
    return listed.stdout
