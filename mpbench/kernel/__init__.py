"""The guest kernel: fetched, patched, built and cached by content.

`find` is what the rest of mpbench needs: the kernel that is ready, at once and
without a network. `build` makes it. The modules, in the order in which a build
passes them: `recipe` (what of ours goes in), `tools` (what the machine must
have), `sources` with `debian`, `upstream` and `unpack` (a tree of Linux),
`worktree` (ours laid over it), `compile` (make), `cache` (where it ends).
"""

from pathlib import Path

from mpbench.kernel.cache import Kernel, find

__all__ = ["Kernel", "build", "find"]


def build(
    config: str = "guest",
    source: Path | None = None,
    jobs: int | None = None,
    force: bool = False,
) -> Kernel:
    """Build the kernel of that configuration, unless the cache has it.

    source : an unpacked tree or a tarball; fetched when not given
    jobs : compilers at a time; as many as there are CPUs when not given
    force : build anew although the cache has it
    Raises UserError for what a user can put right.
    """
    from mpbench.kernel.building import build as build_it

    return build_it(config, source, jobs, force)
