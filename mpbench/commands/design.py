"""`mpbench design`: the design points of an experiment, before anything runs."""

import dataclasses
import json
import math
from pathlib import Path

import click

from analysis.words import many
from mpbench.arguments import experiment_file
from mpbench.errors import UserError

OUTER = 0.1
"""Share of a range, at either end, that counts as its margin."""


@click.command()
@experiment_file
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder for the files (made if needed; default: this one).",
)
@click.option("--plot/--no-plot", default=True, help="Draw the pair plot, or do not.")
@click.option(
    "--weights",
    "with_weights",
    is_flag=True,
    help="Add a column `weight`: the share of the domain that is nearest to the point,"
    " times the number of points.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(
    file: Path, out: Path, plot: bool, with_weights: bool, as_json: bool
) -> None:
    """Write the design points of the experiment FILE, and how well they fill.

    The command writes NAME-design.csv (one row per point), NAME-design.json (how the
    design was made, and the criteria) and NAME-design.png (pair plot), where NAME is
    the experiment's. The points are those that `mpbench run FILE` visits.

    With --weights, a mean over the points that uses the weights estimates the mean
    over the whole domain, each place as likely as any other.
    """
    import numpy as np

    import wsp
    from mpbench.experiment_files import load
    from mpbench.plan import design_weights, draw_design

    spec = load(file)
    try:
        design = draw_design(spec)
    except ValueError as error:
        raise UserError(f"{file}: design: {error}") from error
    if design is None:
        raise UserError(f"{file}: no design to draw; add a design with factors")
    summary = {
        "format": 1,
        "experiment": spec.name,
        "points": len(design.points),
        "method": design.method,
        "feasible_candidates": design.feasible,
        "d_min": design.d_min,
        "boundary": design.boundary,
        **dataclasses.asdict(design.criteria),
    }
    weights = None
    if with_weights:
        weights = design_weights(spec, design.points)
        outer = (design.unit < OUTER) | (design.unit > 1 - OUTER)
        summary["weighted_outer_share"] = float(
            np.average(outer.mean(axis=1), weights=weights)
        )
        summary["effective_points"] = wsp.effective_count(weights)
    summary = {k: None if _is_nan(v) else v for k, v in summary.items()}
    text = json.dumps(summary, indent=2)
    stem = f"{spec.name}-design"
    try:
        out.mkdir(parents=True, exist_ok=True)
        wsp.write_csv(design, out / f"{stem}.csv", weights)
        (out / f"{stem}.json").write_text(text + "\n", encoding="utf-8")
        if plot:
            from wsp.plot import pair_plot

            title = f"{spec.name}: {many(len(design.points), 'point')}"
            pair_plot(design, out / f"{stem}.png", title)
    except ValueError as error:
        raise UserError(f"{error}, or give --no-plot") from error
    except OSError as error:
        raise UserError(
            f"{error.filename or out}: {error.strerror}; give another folder by --out"
        ) from error
    if as_json:
        click.echo(text)
        return
    for key, value in summary.items():
        shown = f"{value:.6g}" if isinstance(value, float) else value
        click.echo(f"{key.replace('_', ' '):>22}  {'-' if shown is None else shown}")
    ends = "csv, json and png" if plot else "csv and json"
    click.echo(f"written: {out / stem} ({ends})")


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
