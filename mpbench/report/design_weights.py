"""The weight of each network of a campaign, by its share of the design's domain."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from analysis.campaign.columns import DESIGN_WEIGHT
from mpbench.errors import UserError
from mpbench.plan import design_weights

if TYPE_CHECKING:
    from analysis.campaign.campaign import Campaign
    from mpbench.spec import Spec


def with_design_weights(
    campaign: "Campaign", root: Path, spec: "Spec | None"
) -> "Campaign":
    """The campaign with a column of weights in its table (`wsp.weights`).

    Networks that differ only in factors that are lists have the same weight. Points
    of the plan without a finished run take no part: what they would stand for falls
    to their neighbours.

    Raises UserError if the experiment spreads no factor, or is not known.
    """
    if spec is None or spec.design is None or not spec.design.spread:
        raise UserError(
            f"{root}: --weights: the experiment spreads no factor over a range;"
            " report it without --weights"
        )
    keys = {name: parameter.key for name, parameter in spec.variable().items()}
    columns = [keys[name] for name in spec.design.spread]
    missing = [name for name in columns if name not in campaign.runs.columns]
    if missing:
        raise UserError(
            f"{root}: --weights: the runs have no column {missing[0]}, which the"
            " experiment varies; give the file that was run by --experiment"
        )
    places = campaign.runs[columns].to_numpy(dtype=np.float64)
    points, of_run = np.unique(places, axis=0, return_inverse=True)
    weights = design_weights(spec, points)[of_run.reshape(-1)]
    return replace(campaign, runs=campaign.runs.assign(**{DESIGN_WEIGHT: weights}))
