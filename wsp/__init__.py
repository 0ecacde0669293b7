"""Space-filling designs: WSP, adaptive WSP, and others to compare with.

    rng = numpy.random.default_rng(1)
    factors = [wsp.Factor("capacity_mbps", 1, 100), wsp.Factor("delay_ms", 1, 25)]
    design = wsp.make_design(factors, 98, rng)   # design.points: shape (98, 2)

The parts can be used alone: `candidates` draws points in the unit cube, `select`
thins them for a given d_min, `adaptive` to a given number, `grow` adds points to a
design, `criteria` says how well it fills, `weights` makes up for an uneven density,
and `wsp.plot.pair_plot` draws it. Errors of the caller are ValueErrors of one line.
"""

from wsp.candidate_sets import CANDIDATE_SETS, CandidateSet, candidates
from wsp.designs import METHODS, Constraint, Design, Method, make_design
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
from wsp.weights import effective_count, weights

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
