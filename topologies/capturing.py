"""Names of the places in a network at which packets can be captured.

This file uses the standard library only.
"""

from collections import Counter
from collections.abc import Iterable


def places(interfaces: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Each (node, interface) of `interfaces` by its name.

    The name is the interface's, or NODE-INTERFACE where several nodes have an interface
    of that name.
    """
    found = list(dict.fromkeys(interfaces))
    names = Counter(interface for _, interface in found)
    return {
        interface if names[interface] == 1 else f"{node}-{interface}": (node, interface)
        for node, interface in found
    }
