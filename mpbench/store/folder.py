"""Opening a results folder to work in it."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from mpbench.errors import UserError
from mpbench.store import campaign
from mpbench.store.layout import PARTIAL, REPLACED, Results
from mpbench.store.lock import locked
from mpbench.store.trouble import explained

_SWEEPS = 5


@contextlib.contextmanager
def working(root: Path, name: str) -> Iterator[Results]:
    """Make or open the results folder of the experiment `name`, and lock it.

    What a killed engine left half done is cleared away first. Raises UserError
    if the folder cannot be written, is another engine's at this moment, is no
    results folder, or holds another experiment or another format.
    """
    results = Results(root)
    with explained(root), contextlib.ExitStack() as stack:
        if root.exists() and not root.is_dir():
            raise UserError(
                f"{root}: is a file, not a folder; give another folder with --out"
            )
        _check(results, name)
        _make(root)
        stack.enter_context(locked(results.lock))
        _check(results, name)
        results.runs.mkdir(exist_ok=True)
        _sweep(results)
        yield results


def _make(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:  # as below /proc
        raise UserError(
            f"{root}: no folder can be made there; give another with --out"
        ) from error


def _check(results: Results, name: str) -> None:
    if results.campaign.exists():
        found = campaign.read(results.campaign).name
        if found != name:
            raise UserError(
                f"{results.root}: holds experiment {found!r}, not {name!r}; "
                "give another folder with --out"
            )
    elif strangers := _strangers(results):
        raise UserError(
            f"{results.root}: not empty and not a results folder "
            f"(holds {', '.join(strangers[:3])}); give another folder with --out"
        )


def _strangers(results: Results) -> list[str]:
    """What lies here though a first start, cut short, would not have left it."""
    ours = {results.lock.name, results.experiment.name, results.design.name}
    if not results.root.exists():
        return []
    return sorted(
        path.name
        for path in results.root.iterdir()
        if path.name not in ours
        and not path.name.startswith(".new-")
        and not (path == results.runs and not any(path.iterdir()))
    )


def _sweep(results: Results) -> None:
    """Remove runs cut short; put back a run whose successor never came."""
    for path in sorted(results.runs.glob(f"{REPLACED}*")):
        place = results.runs / path.name.removeprefix(REPLACED)
        if place.exists():
            remove_tree(path)
        else:
            path.rename(place)
    for path in sorted(results.runs.glob(f"{PARTIAL}*")):
        remove_tree(path)


def remove_tree(root: Path) -> None:
    """Remove a folder, though a dying process may still add to it."""
    for _ in range(_SWEEPS):
        if not root.exists():
            return
        shutil.rmtree(root, ignore_errors=True)
    if root.exists():
        shutil.rmtree(root)
