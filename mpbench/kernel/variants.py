"""Kernels that differ from experiments' own: stock Linux, patches, other options.

    made = variants.build(kernel.find(), Linux(patches=(...,)), trusted=False)

A variant has the source and the compiler of mpbench's kernel, and lies in the same
cache under a key of its own. What it shares with that kernel is not compiled again: a
change of one file of net/mptcp takes seconds.
"""

import os
import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from jobs.linux import OWN, Linux
from mpbench.errors import UserError, printable
from mpbench.kernel import (
    building,
    cache,
    commits,
    confined,
    released,
    sources,
    tools,
)
from mpbench.kernel import recipe as recipes
from mpbench.kernel.cache import Kernel
from mpbench.kernel.faults import PATCHES, KernelFault
from mpbench.kernel.foreign import ForeignTree
from mpbench.kernel.lock import exclusive
from mpbench.kernel.patched import PatchedTree, counted, files, try_patches
from mpbench.kernel.progress import Progress
from mpbench.kernel.recipe import Recipe
from mpbench.kernel.shell import CommandFailed, Shell, logged
from mpbench.kernel.sources import Source
from mpbench.kernel.worktree import COMPLETE, Worktree

KEPT = 4
"""Work trees of variants without patches that stay, each of 100 MB and more."""
MOST_OF_AN_ERROR = 300
"""Characters of a compiler's error that a message has."""
STRIPPED = "linux.stripped"


def recipe(own: Linux) -> Recipe:
    """The recipe of a variant; that of mpbench's own kernel for one without change."""
    return recipes.read("guest") if own == OWN else recipes.variant(own)


def lookup(base: Kernel, own: Linux) -> Kernel | None:
    """The variant in the cache; None if it is not there.

    base : mpbench's own kernel, whose source and compiler a variant has
    """
    if own == OWN:
        return base
    source = source_identity(base.info["source_hash"], own)
    wanted = recipe(own).digest, source, base.info["compiler"]
    for kernel in cache.kernels():
        about = kernel.info
        if (about["recipe"], about["source_hash"], about["compiler"]) == wanted:
            return None if kernel.guided else kernel
    return None


def source_identity(donor: str, own: Linux) -> str:
    """The identity of the source that a variant is built of.

    donor : that of mpbench's own Linux
    """
    if own.tree is not None:
        return commits.identity(own.tree, donor)
    return donor if own.release is None else released.identity(own.release, donor)


def find(base: Kernel, own: Linux, may_compile: bool, trusted: bool = False) -> Kernel:
    """The variant, from the cache or built now.

    may_compile : whether it may be built, if the cache does not have it
    trusted : whether patches are compiled even where nothing confines the compiler

    Raises KernelFault for patches that do not apply or compile, and for options that
    Linux does not take over; UserError, one line, for a variant that may not be built.
    """
    ready = lookup(base, own)
    if ready is not None:
        cache.check(ready)
        return ready
    if (own.patches or own.tree) and not may_compile:
        what = "a commit" if own.tree else "patches"
        raise UserError(
            f"{_names(own)}: {what} of Linux that the results bring, and that no"
            " experiment of yours has used; --trust-plugins lets make compile them"
        )
    try:
        return build(base, own, trusted)
    except KernelFault as error:
        error.linux = own
        raise


def build(
    base: Kernel,
    own: Linux,
    trusted: bool = False,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Kernel:
    """Build a variant. Raises UserError as `find`."""
    if own.patches or own.tree:
        confined.require_for_builds(_names(own), trusted)
        for patch in own.patches:
            files(patch)
    output = progress or Progress()
    compiler = tools.require()
    if compiler != base.info["compiler"]:
        raise UserError(
            f"{own.words}: mpbench's kernel was compiled with {base.info['compiler']},"
            " which is not installed; `mpbench kernel build` makes one with yours"
        )
    home = cache.root()
    number = jobs or len(os.sched_getaffinity(0))
    with ExitStack() as stack:
        handle = stack.enter_context(exclusive(home, output.say))
        ready = lookup(base, own)
        if ready is not None:
            return ready
        cache.remove_leftovers()
        tools.require_space(home)
        logs = logged(home, "variant", output.say, inherited=[handle.fileno()])
        try:
            with logs as shell:
                return _build(base, own, shell, output, number)
        except CommandFailed as error:
            if not (own.patches or own.tree):
                raise
            key = PATCHES if own.patches else ""
            reason = f"does not compile: {_first_error(error)}{error}"
            raise KernelFault(key, {"": reason}) from error


def _first_error(failed: CommandFailed) -> str:
    """The compiler's first error, in front of the rest of a message; perhaps empty."""
    errors = (line for line in failed.output if "error: " in line)
    line = printable(next(errors, "")).strip().removeprefix("../")
    return f"{line[:MOST_OF_AN_ERROR]}; " if line else ""


def _build(
    base: Kernel, own: Linux, shell: Shell, output: Progress, jobs: int
) -> Kernel:
    source = _source(base, shell, output)
    if own.release is not None:
        source = released.obtain(own.release, source, shell, output)
    if own.tree is not None:
        source = commits.obtain(own.tree, source, shell, output)
    plain = recipe(replace(own, patches=()))
    compiler = base.info["compiler"]
    tree: Worktree | ForeignTree
    if own.tree is None:
        tree = Worktree(plain, source, compiler)
    else:
        tree = ForeignTree(plain, source, compiler, commits.origin(own.tree))
    made = None
    wanted = recipe(own)
    if own.patches and not tree.complete:
        with output.step("try", f"{counted(own.patches)} on {source.version}"):
            try_patches(wanted, source, tree.hostile, shell)
    if not own.patches or not tree.complete:
        key = cache.key(plain, source.identity, compiler)
        maker = building.Maker(plain, source, compiler, key, shell, output)
        if isinstance(tree, Worktree):
            made = maker.make(jobs, anew=False)
        else:
            made = maker.make_foreign(tree, jobs, STRIPPED)
    _forget_old_trees(tree.folder)
    if not own.patches:
        assert made is not None
        return made
    key = cache.key(wanted, source.identity, compiler)
    maker = building.Maker(wanted, source, compiler, key, shell, output)
    patched = PatchedTree(wanted, tree)
    try:
        made = maker.make_patched(patched, jobs, STRIPPED)
    except BaseException:
        patched.remove()
        raise
    patched.keep()
    return made


def _source(base: Kernel, shell: Shell, output: Progress) -> Source:
    """The source that mpbench's kernel was built of."""
    wanted = base.info["source_hash"]
    for found in sources.stored():
        if found.identity == wanted:
            return found
    source = sources.obtain(None, shell, output)
    if source.identity != wanted:
        raise UserError(
            f"mpbench's kernel was built of {base.info['source']}, which is not in the"
            " cache any more; `mpbench kernel build --force` builds one of what is"
        )
    return source


def _forget_old_trees(present: Path) -> None:
    """Keep the work trees of the variants that were used last.

    A tree without a state was given up, such as one with an option that Linux does not
    take over. Nothing begins with it, so it does not count and is removed.
    """
    os.utime(present)
    trees = [p for p in (cache.root() / "work").glob("guest-*") if p != present]
    for folder in trees:
        if not (folder / COMPLETE).exists():
            shutil.rmtree(folder, ignore_errors=True)
    complete = [path for path in trees if path.exists()]
    dated = sorted(complete, key=lambda path: path.stat().st_mtime, reverse=True)
    for folder in dated[KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def _names(own: Linux) -> str:
    if own.tree is not None and not own.patches:
        return own.words
    return ", ".join(patch.name for patch in own.patches)
