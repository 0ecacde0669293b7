"""Records of round-trip times and queues in a run, from what is to be measured."""

from jobs.queues import Queues
from mpbench.spec import Spec

QUEUES_EVERY_S = 0.05


def queues(spec: Spec) -> Queues | None:
    """Records of the queues of links; None if there are none.

    every_s : in a network of namespaces, they are looked at once in every such interval
    at_s : on the fabric, which adds up by itself, the edges of all phases
    """
    if "mean_queue" not in spec.metrics:
        return None
    if spec.on_fabric is None:
        return Queues(every_s=QUEUES_EVERY_S)
    edges = {time for each in spec.phases.values() for time in (each.start, each.end)}
    return Queues(at_s=tuple(sorted(edges))) if edges else None
