"""Programs in the box that speak multipath QUIC, for cases of `mpquic` and `quic`.

`find` returns one that is ready; `build` makes it from its folder in endpoints/ and
from the sources of others, which are pinned by their hashes. A wheel brings them built.
"""

from mpbench.endpoints.cache import FILES, Endpoint, find, lookup
from mpbench.endpoints.recipes import NAMES

__all__ = ["FILES", "NAMES", "Endpoint", "build", "find", "lookup"]


def build(name: str, force: bool = False) -> Endpoint:
    """Build an endpoint of `NAMES`, unless the cache has it.

    Raises UserError for every fault that a user can correct.
    """
    from mpbench.endpoints.building import build as build_it

    return build_it(name, force)
