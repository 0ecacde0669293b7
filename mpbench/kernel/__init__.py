"""The guest kernel: fetched, patched, built and cached by content.

The rest of mpbench needs only `find`, which returns the kernel that is ready, at
once and without a network. `build` makes the kernel. A build uses the modules in
this order: `recipe` (the files in kernel/ that determine a kernel), `tools` (the
programs that the machine must have), `sources` with `debian`, `upstream` and
`unpack` (a tree of Linux), `worktree` (that tree with the overlay and the patches),
`compile` (make), `cache` (the finished kernels). `launcher` compiles the program that
confines guests; `build` makes sure that it is there too.
"""

from pathlib import Path

from mpbench.kernel.cache import Kernel, find
from mpbench.kernel.newest import Newest
from mpbench.kernel.profiling import Train

__all__ = ["Kernel", "Newest", "Train", "build", "find"]


def build(
    config: str = "guest",
    source: Path | None = None,
    jobs: int | None = None,
    force: bool = False,
    train: Train | None = None,
    newest: Newest = Newest.NEVER,
) -> Kernel:
    """Build the kernel of that configuration, unless the cache has it.

    source : an unpacked tree or a tarball; the pinned Linux is fetched if not given
    jobs : compilers at a time; as many as there are CPUs if not given
    force : build again although the cache has the kernel
    train : executes traffic in a kernel that counts what it executes. If given, the
        kernel is built once more, with these counts. Both builds have the same key
    newest : without `source`, whether to fetch the newest Linux in place of the pinned
        one
    Raises UserError for every fault that a user can correct.
    """
    from mpbench.kernel import launcher
    from mpbench.kernel.building import build as build_it

    launcher.find()
    return build_it(config, source, jobs, force, train=train, newest=newest)
