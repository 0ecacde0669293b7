"""The dashboard of results folders, written to one file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mpbench.errors import UserError
from mpbench.store import atomic

if TYPE_CHECKING:
    from analysis.campaign.campaign import Campaign


def write(campaigns: "Sequence[Campaign]", path: Path) -> None:
    """Raises UserError if the file cannot be written, or a campaign comes twice."""
    from analysis.dashboard.html import dashboard

    folders = [campaign.folder.resolve() for campaign in campaigns if campaign.folder]
    for folder in folders:
        if folders.count(folder) > 1:
            raise UserError(
                f"{folder.parent}: given twice; give each results folder once"
            )
    names = list(dict.fromkeys(campaign.name for campaign in campaigns))
    text = dashboard(", ".join(names), campaigns)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_out(path, text.encode())
    except OSError as error:
        raise UserError(
            f"{path}: cannot be written: {error.strerror}; give another with --out"
        ) from error


def write_finished(roots: Sequence[Path], path: Path) -> None:
    """The dashboard of those results folders that have finished runs.

    Raises UserError as `write` does, and if no folder has any.
    """
    from mpbench.report.loading import load_campaign

    campaigns, error = [], None
    for root in roots:
        try:
            campaigns.append(load_campaign(root)[0])
        except UserError as why:
            error = why
    if not campaigns and error is not None:
        raise error
    write(campaigns, path)
