"""A results folder as one file that a reviewer can check: an RO-Crate in a zip archive.

The archive holds what hashes cover, and nothing else of the folder: the files that
`root.json` names, the files that the manifest of each run names, the programs that jobs
name, and a page made again from them.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mpbench.errors import UserError
from mpbench.report import crate, loading
from mpbench.report.crate import Crate, Made
from mpbench.report.people import Agent
from mpbench.store import (
    atomic,
    campaign,
    content,
    json_file,
    kept_rows,
    layout,
    manifest,
    root,
    runs,
    scratch,
    zip_file,
)
from mpbench.store.disk_space import explained
from mpbench.store.json_file import DamagedError
from mpbench.store.zip_file import Part

MOST_BYTES = 64 << 30
"""Of all files of a crate, before compression."""
LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,63}")
PAGE = "report/"


def pack(
    folder: Path,
    out: Path,
    licence: str | None = None,
    wheel: Path | None = None,
    authors: Sequence[Agent] = (),
    publisher: Agent | None = None,
) -> tuple[int, int]:
    """Write the crate of the results in `folder` to the file `out`.

    licence : SPDX identifier of the licence of the results
    wheel : of the mpbench that made them; its hash is noted
    authors, publisher : of the results, as the crate names them

    Returns how many runs it holds and how many of the plan are missing. Raises
    UserError if `folder` holds no results, or anything in it differs from its hash.
    """
    if licence is not None and not LICENCE.fullmatch(licence):
        raise UserError(
            f"--licence: {licence[:40]!r} is no SPDX identifier; give one such as"
            " CC-BY-4.0"
        )
    if kept_rows.there(folder):
        raise UserError(f"{folder}: a folder of rows; give the results with their runs")
    results = layout.Results(folder)
    try:
        found = replace(
            _crate(results, licence, _wheel(wheel)),
            authors=authors,
            publisher=publisher,
        )
        parts = [*found.beside, *(part for run in found.runs for part in run.parts)]
        size = sum(part.size for part in parts)
        if size > MOST_BYTES:
            raise UserError(
                f"{folder}: {size >> 30} GiB, and a crate holds {MOST_BYTES >> 30};"
                " keep fewer captures, or pack campaigns one by one"
            )
        about = atomic.encode(crate.metadata(found))
        parts.append(zip_file.of_bytes(crate.NAME, about))
        with explained(out.parent):
            atomic.write_with(out, lambda path: zip_file.write(path, parts))
    except DamagedError as error:
        raise UserError(f"{folder}: {error}; nothing was packed") from error
    return len(found.runs), found.unfinished


def _crate(results: layout.Results, licence: str | None, wheel: Part | None) -> Crate:
    head = campaign.read(results.campaign)
    stored = runs.read_all(results, (entry.id for entry in head.plan))
    for run_id, run in stored.items():
        if run.fault:
            raise DamagedError(
                f"runs/{run_id}: {run.fault}; `mpbench run` executes it again"
            )
    if not stored:
        raise UserError(
            f"{results.root}: no run is finished; `mpbench run` goes on with it"
        )
    state = root.check(results, head, stored)
    if state.root is None:
        why = state.faults[0] if state.faults else "root.json does not cover every run"
        raise UserError(
            f"{results.root}: {why}; put the file back, or write the tables again with"
            " `mpbench analyse`"
        )
    made = [
        _made(results, entry, stored[entry.id])
        for entry in head.plan
        if entry.id in stored
    ]
    known = [*_beside(results), *_programs(results, made), *_page(results.root)]
    missing = len(head.plan) - len(made)
    return Crate(head, state.root, made, known, licence, wheel, missing)


def _made(results: layout.Results, entry: campaign.Entry, stored: runs.Stored) -> Made:
    """A run and its files."""
    run = results.run(entry.id)
    listed = manifest.read(run)
    if not listed.covers_records or listed.unsettled:
        raise DamagedError(
            f"runs/{entry.id}: its manifest does not cover its row; `mpbench analyse`"
            " writes one that does"
        )
    parts = [
        _part(run.root / name, f"runs/{entry.id}/{name}", about)
        for name, about in listed.files.items()
        if about.get("kept") is not False
    ]
    parts.append(_covered(run.manifest, f"runs/{entry.id}/{manifest.NAME}"))
    linux = json_file.read_object(run.job).get("linux")
    row, host = stored.row or {}, stored.host
    assert host is not None
    return Made(
        entry,
        host,
        row["verdict"],
        str(row.get("reason") or ""),
        linux if isinstance(linux, Mapping) else None,
        f"{entry.case}, point {entry.point}, repetition {entry.repetition}",
        parts,
    )


def _part(path: Path, name: str, about: Mapping[str, object]) -> Part:
    if "\\" in name:
        raise DamagedError(f"{name!r} is no name that every system can unpack")
    return Part(name, path, str(about["sha256"]), int(str(about["bytes"])))


def _covered(path: Path, name: str, most: int = root.MOST_BYTES) -> Part:
    """A file whose hash was compared already, and is taken once more."""
    try:
        data = json_file.read_bytes(path, most)
    except DamagedError as error:
        raise DamagedError(f"{name}: {error}") from error
    return Part(name, path, hashlib.sha256(data).hexdigest(), len(data))


def _beside(results: layout.Results) -> Iterator[Part]:
    """The files beside the runs that the campaign's root covers, and the root."""
    yield _covered(results.root_file, results.root_file.name)
    known = root.covered(results)
    files = (results.campaign, results.experiment, results.design, results.csv)
    for path in (*files, results.parquet):
        if path.name in known:
            part = _covered(path, path.name)
            yield replace(part, sha256=known[path.name])


def _programs(results: layout.Results, made: list[Made]) -> Iterator[Part]:
    """The programs and files that the jobs of the runs need."""
    names = sorted(content.wanted(results, (run.entry.id for run in made)))
    if names and results.programs.is_symlink():
        raise DamagedError("programs: a symbolic link")
    for name in names:
        part = _covered(results.programs / name, f"programs/{name}", content.MOST_BYTES)
        if part.sha256 != name:
            raise DamagedError(f"{part.name}: not the file that its name says")
        yield part


def _page(folder: Path) -> Iterator[Part]:
    """The page, the figures and the dashboard, made again from the results.

    The commands on the page name the folder by its name alone, so that the same results
    give the same crate wherever they lie.
    """
    from analysis.figures.style import Look
    from analysis.report import campaign_page, html_page
    from analysis.report.campaign_page import Contents
    from mpbench.report.dashboard import write as write_dashboard

    loaded, spec = loading.load_campaign(folder)
    loaded = replace(loaded, shown=folder.resolve().name)
    figures = spec.requests if spec else ()
    with scratch.folder("pack") as aside:
        made = aside / "report"
        contents = Contents(figures, look=Look("sans", None, ("png", "svg")))
        try:
            written = campaign_page.write(loaded, contents, made)
        except ValueError as error:
            raise UserError(f"{folder}: {error}") from error
        if written.page is not None:
            html_page.write(written.page, loaded.name)
        write_dashboard([loaded], made / "dashboard.html")
        for path in sorted(made.rglob("*")):
            if path.is_file():
                name = PAGE + path.relative_to(made).as_posix()
                yield zip_file.of_bytes(name, path.read_bytes())


def _wheel(path: Path | None) -> Part | None:
    """The wheel of mpbench, by its name and its hash."""
    if path is None:
        return None
    if not (path.name.startswith("mpbench-") and path.suffix == ".whl"):
        raise UserError(
            f"{path}: not a wheel of mpbench; give a file such as"
            " dist/mpbench-VERSION.whl"
        )
    digest = hashlib.sha256()
    try:
        with json_file.open_regular(path) as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
            return Part(path.name, path, digest.hexdigest(), file.tell())
    except DamagedError as error:
        raise UserError(f"{path}: {error}") from error
