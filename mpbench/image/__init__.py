"""The root image: the userland that guests see, of pinned Debian packages.

The rest of mpbench needs only `find`, which returns the image that is ready, at once
and without a network. `build` makes the image. A build uses the modules in this order:
`lock` (the pinned packages), `fetch` (their files), `deb` and `tree` (unpacked into a
root), `erofs` (the root as one file), `describe` (what is in it), `cache` (the finished
images). `choice` says which packages there are and why; `resolve` pins their versions.
"""

from pathlib import Path

from mpbench.image.cache import Image, find, lookup

__all__ = ["Image", "build", "find", "lookup"]


def build(debs: Path | None = None, force: bool = False) -> Image:
    """Build the image of the present lock file, unless the cache has it.

    debs : a folder with packages, in which the build looks before it asks the mirror
    force : build again although the cache has the image
    Raises UserError for every fault that a user can correct.
    """
    from mpbench.image.building import build as build_it

    return build_it(debs, force)
