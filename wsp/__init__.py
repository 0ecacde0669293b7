"""Space-filling designs: WSP, adaptive WSP, and others to compare with.

    rng = numpy.random.default_rng(1)
    factors = [wsp.Factor("capacity_mbps", 1, 100), wsp.Factor("delay_ms", 1, 25)]
    design = wsp.make_design(factors, 98, rng)   # design.points: shape (98, 2)

The parts can be used alone: `candidates` draws points in the unit cube, `select`
thins them for a given d_min, `adaptive` to a given number, `grow` adds points to a
design, `criteria` says how well it fills, `weights` makes up for an uneven density,
and `wsp.plot.pair_plot` draws it. Errors of the caller are ValueErrors of one line.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wsp.candidate_sets import CANDIDATE_SETS, CandidateSet, candidates
    from wsp.designs import METHODS, Constraint, Design, Method, make_design
    from wsp.domain_weights import effective_count, weights
    from wsp.factors import Factor, centres, scale, unscale
    from wsp.growth import grow
    from wsp.measures import (
        Criteria,
        coverage,
        criteria,
        discrepancy,
        mean_distance,
        mean_nearest_distance,
        minimum_distance,
        nearest_distances,
        outer_share,
    )
    from wsp.search import CountNotFound, Selection, adaptive
    from wsp.selection import (
        BOUNDARIES,
        METRICS,
        Boundary,
        Metric,
        Start,
        select,
        start_index,
    )
    from wsp.table import write_csv

__all__ = [
    "BOUNDARIES",
    "CANDIDATE_SETS",
    "METHODS",
    "METRICS",
    "Boundary",
    "CandidateSet",
    "Constraint",
    "CountNotFound",
    "Criteria",
    "Design",
    "Factor",
    "Method",
    "Metric",
    "Selection",
    "Start",
    "adaptive",
    "candidates",
    "centres",
    "coverage",
    "criteria",
    "discrepancy",
    "effective_count",
    "grow",
    "make_design",
    "mean_distance",
    "mean_nearest_distance",
    "minimum_distance",
    "nearest_distances",
    "outer_share",
    "scale",
    "select",
    "start_index",
    "unscale",
    "weights",
    "write_csv",
]

_MODULES = {
    "CANDIDATE_SETS": "candidate_sets",
    "CandidateSet": "candidate_sets",
    "candidates": "candidate_sets",
    "METHODS": "designs",
    "Constraint": "designs",
    "Design": "designs",
    "Method": "designs",
    "make_design": "designs",
    "Factor": "factors",
    "centres": "factors",
    "scale": "factors",
    "unscale": "factors",
    "grow": "growth",
    "Criteria": "measures",
    "coverage": "measures",
    "criteria": "measures",
    "discrepancy": "measures",
    "mean_distance": "measures",
    "mean_nearest_distance": "measures",
    "minimum_distance": "measures",
    "nearest_distances": "measures",
    "outer_share": "measures",
    "CountNotFound": "search",
    "Selection": "search",
    "adaptive": "search",
    "BOUNDARIES": "selection",
    "METRICS": "selection",
    "Boundary": "selection",
    "Metric": "selection",
    "Start": "selection",
    "select": "selection",
    "start_index": "selection",
    "write_csv": "table",
    "effective_count": "domain_weights",
    "weights": "domain_weights",
}
"""The module of each name. It is loaded when the name is asked for, because most need
numpy, and a design that is kept does not."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'wsp' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
