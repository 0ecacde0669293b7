"""Configures and compiles a work tree.

Nothing that differs between machines or builds enters the kernel: its time stamps
are fixed, and its paths are relative.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel import confined
from mpbench.kernel.barriers import Bounds
from mpbench.kernel.faults import OPTIONS, KernelFault
from mpbench.kernel.foreign import ForeignTree
from mpbench.kernel.patched import PatchedTree
from mpbench.kernel.recipe import INITRAMFS, PROGRAMS, Recipe
from mpbench.kernel.shell import Shell
from mpbench.kernel.worktree import Worktree

Tree = Worktree | PatchedTree | ForeignTree

ENVIRONMENT = {
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01 00:00:00 UTC",
    "KBUILD_BUILD_USER": "mpbench",
    "KBUILD_BUILD_HOST": "mpbench",
    "KBUILD_BUILD_VERSION": "1",
    "MAKEFLAGS": "",
}
ABSENT = ("RUSTC=false", "BINDGEN=false", "PAHOLE=false")
"""Tools that the kernel does not need. Their versions would enter the configuration,
which UML embeds (`linux --showconfig`)."""

FASTER = ("-ftrack-macro-expansion=0",)
"""Options of GCC's that change how long it takes, and no byte of what it makes: without
this one it notes for each word of a macro where that came from, for its messages. So
they are no part of a kernel's key."""
EXCEPT = ("CFLAGS_workqueue.o=-ftrack-macro-expansion=2",)
"""Variables for make: the file in which a warning holds the line of a macro's argument,
and would hold another line."""

GIB = 1 << 30
BOUNDS = Bounds(file_bytes=GIB, memory_bytes=GIB, address_bytes=4 * GIB, cpu_s=20 * 60)
"""Of make and of each process that it starts, where a user's patches change Linux."""

COMPILED = re.compile(r"^\s*(?:HOST)?(?:CC|AS)\s")


def configure(shell: Shell, work: Tree, recipe: Recipe) -> Path:
    """Write the configuration and the initramfs; returns the configuration."""
    _write_initramfs(shell, work.objects / "initramfs", recipe)
    # What is confined sees nothing outside of the tree.
    fragment = (work.objects if work.hostile else work.folder) / "fragment.config"
    fragment.write_text(recipe.fragment)
    _make(shell, work, recipe, [f"KCONFIG_ALLCONFIG={fragment}", "allnoconfig"])
    result = work.objects / ".config"
    config, own = result.read_text(), recipe.own.options or {}
    missing = not_taken(recipe.fragment, config, own)
    if not missing:
        return result
    if refused := {name: value for name, value in missing.items() if name in own}:
        raise KernelFault(OPTIONS, _refusals(refused, _options(config)))
    listed = ", ".join(f"{name}={value}" for name, value in missing.items())
    reason = f"kernel configuration {recipe.label}: not taken over: {listed}"
    if own:
        names = ", ".join(own)
        reason += f"; {names} may turn off what they depend on: take it away"
        raise KernelFault(OPTIONS, {"": reason})
    raise UserError(
        f"{reason}; an option that it depends on is off, or Linux does not have it"
    )


def compile(
    shell: Shell,
    work: Tree,
    recipe: Recipe,
    jobs: int,
    done: Callable[[], None],
    words: Sequence[str] = (),
) -> Path:
    """Compile, and call `done` for every file. Returns the kernel's path.

    words : variables for make
    """

    def count(line: str) -> None:
        if COMPILED.match(line):
            done()

    _make(shell, work, recipe, [f"-j{jobs}", *words, "linux"], count)
    return work.objects / "linux"


def inside(work: Tree, argv: Sequence[str], builds: bool = False) -> list[str]:
    """A confined command whose working directory is a tree.

    builds : whether it is make, or starts what make starts
    """
    below = work.below if isinstance(work, PatchedTree) else None
    return confined.command(argv, BOUNDS, builds=builds, below=below)


def _refusals(refused: Mapping[str, str], actual: Mapping[str, str]) -> dict[str, str]:
    """Reasons why Linux does not take over options of a user's.

    actual : the options that the configuration has
    """
    found = {}
    for name, value in refused.items():
        if name in actual:
            stays = actual[name]
            why = f"it stays {stays}, which other options or User Mode Linux set"
            why += f"; write {stays}, or take it away"
        else:
            why = "an option that it depends on is off, or Linux does not have it"
            why += "; turn on what it depends on, or take it away"
        found[name] = f"Linux does not take over {value}: {why}"
    return found


def not_taken(fragment: str, config: str, own: Mapping[str, str]) -> dict[str, str]:
    """The options of a fragment that have another value in a configuration.

    The last line of an option in the fragment counts. An option without a line in
    the configuration has the value n. If a user turns an option off, others may go with
    it.

    own : the options of the fragment that a user chose
    """
    requested, actual = _options(fragment), _options(config)
    less = "n" in own.values()
    return {
        name: value
        for name, value in requested.items()
        if actual.get(name, "n") != value
        and not (less and name not in own and name not in actual)
    }


def _options(text: str) -> dict[str, str]:
    values = {}
    for line in text.splitlines():
        if unset := re.match(r"# (CONFIG_\w+) is not set", line):
            values[unset[1]] = "n"
        elif option := re.match(r"(CONFIG_\w+)=(.*)", line):
            values[option[1]] = option[2].strip()
    return values


def _make(
    shell: Shell,
    work: Tree,
    recipe: Recipe,
    words: Sequence[str],
    on_line: Callable[[str], None] = lambda line: None,
) -> None:
    argv = ["make", "ARCH=um", f"O={work.objects.name}", *ABSENT, *EXCEPT, *words]
    own = {} if not work.hostile else confined.environment()
    shell.run(
        inside(work, argv, builds=True) if work.hostile else argv,
        cwd=work.tree,
        environment={
            **own,
            **ENVIRONMENT,
            "KCFLAGS": " ".join((*FASTER, *recipe.config.flags)),
        },
        on_line=on_line,
        alone=work.hostile,
    )


def _write_initramfs(shell: Shell, folder: Path, recipe: Recipe) -> None:
    """The guest's programs and the list of what the initramfs holds."""
    folder.mkdir(exist_ok=True)
    guest = recipe.folder / "guest"
    for program in PROGRAMS:
        words = [
            "gcc",
            "-O2",
            "-Wall",
            "-o",
            str(folder / program.name),
            *program.units(guest),
        ]
        shell.run([*words, *program.flags], cwd=guest)
    (folder / "list").write_text(INITRAMFS)
