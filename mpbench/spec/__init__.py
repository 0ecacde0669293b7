"""Experiment files: text to a frozen, validated Spec.

Nothing here touches the machine: a file means the same on every host.
`mpbench.experiment_files` loads a file.

`Spec` has the keys of all traffic tools, and the folder of a tool imports modules of
this package. So `Spec` is loaded when it is asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mpbench.spec.experiment import Spec

__all__ = ["Spec"]


def __getattr__(name: str) -> Any:
    if name == "Spec":
        from mpbench.spec.experiment import Spec

        return Spec
    raise AttributeError(f"module 'mpbench.spec' has no attribute '{name}'")
