"""Opening a results folder to work in it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from mpbench.errors import UserError
from mpbench.store import campaign, manifest, trees
from mpbench.store.atomic import TEMPORARY
from mpbench.store.disk_space import explained
from mpbench.store.layout import PARTIAL, REPLACED, Results, is_run_id
from mpbench.store.lock import locked
from mpbench.store.trees import remove_tree


@contextlib.contextmanager
def working(root: Path, name: str) -> Iterator[Results]:
    """Make or open the results folder of the experiment `name`, and lock it.

    What a killed engine left half done is removed first. Raises UserError if the
    folder cannot be written, if another engine works in it at this moment, or if
    it holds something else: no results, another experiment or another format.
    """
    results = Results(root)
    with explained(root), contextlib.ExitStack() as stack:
        if root.exists() and not root.is_dir():
            raise UserError(
                f"{root}: is a file, not a folder; give another folder with --out"
            )
        check(results, name)
        _make(root)
        stack.enter_context(locked(results.lock))
        check(results, name)
        results.runs.mkdir(exist_ok=True)
        _tidy(results)
        yield results


def check(results: Results, name: str) -> None:
    """Raises UserError unless the folder is new or holds the experiment `name`."""
    refuse_links(results)
    if results.campaign.exists():
        stored_name = campaign.read(results.campaign).name
        if stored_name != name:
            raise UserError(
                f"{results.root}: holds experiment {stored_name!r}, not {name!r}; "
                "give another folder with --out"
            )
    elif others := other_files(results):
        raise UserError(
            f"{results.root}: not empty and not a results folder "
            f"(holds {', '.join(others[:3])}); give another folder with --out"
        )


def refuse_links(results: Results) -> None:
    """Raises UserError if a link stands where mpbench would write.

    A results folder from a stranger could otherwise have a command write to, or
    remove from, any place that the link leads to.
    """
    files = (results.campaign, results.experiment, results.design, results.csv)
    for path in (*files, results.parquet, results.lock, results.runs, results.programs):
        refuse_link(path)


def refuse_link(path: Path) -> None:
    """Raises UserError if `path` is a symbolic link."""
    if path.is_symlink():
        raise UserError(
            f"{path}: is a symbolic link, and mpbench writes only into the folder "
            "that it is given; remove the link"
        )


def refuse_links_below(folder: Path) -> None:
    """Raises UserError if `folder`, or anything in it, is a symbolic link."""
    refuse_link(folder)
    for path, _ in trees.below(folder, trees.BELOW_RESULTS):
        refuse_link(path)


def _make(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:  # as below /proc
        raise UserError(
            f"{root}: no folder can be made there; give another with --out"
        ) from error


def other_files(results: Results) -> list[str]:
    """Names of what a first start that was cut short would not have left here."""
    ours = {results.lock.name, results.experiment.name, results.design.name}
    if not results.root.exists():
        return []
    return sorted(
        manifest.shown(path.name)
        for path in results.root.iterdir()
        if path.name not in ours
        and not path.name.startswith(TEMPORARY)
        and not (path == results.runs and path.is_dir() and not any(path.iterdir()))
    )


def _tidy(results: Results) -> None:
    """Remove runs that were cut short; put back a run whose successor never came."""
    for path in sorted(results.runs.glob(f"{REPLACED}*")):
        name = path.name.removeprefix(REPLACED)
        if is_run_id(name) and not (results.runs / name).exists():
            path.rename(results.runs / name)
        else:
            remove_tree(path)
    for path in sorted(results.runs.glob(f"{PARTIAL}*")):
        remove_tree(path)
