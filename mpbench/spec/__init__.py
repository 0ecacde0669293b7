"""Experiment files: text to a frozen, validated Spec.

Nothing here touches the machine: a file means the same on every host.
`mpbench.experiment_files` loads a file.
"""

from mpbench.spec.experiment import Spec

__all__ = ["Spec"]
