"""Experiment files: text to a frozen, validated Spec.

    spec = load(Path("experiments/quickstart.yaml"))

Nothing here touches the machine: a file means the same on every host.
"""

from mpbench.spec.experiment import Spec
from mpbench.spec.load import load, loads, with_design

__all__ = ["Spec", "load", "loads", "with_design"]
