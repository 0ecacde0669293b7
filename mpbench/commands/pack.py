"""``mpbench pack``: results as one file that a reviewer can check."""

from pathlib import Path

import click


@click.command("pack")
@click.argument("results", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The archive to write.  [default: FOLDER.crate.zip here]",
)
@click.option(
    "--licence",
    metavar="ID",
    help="Licence of the results by its SPDX identifier, such as CC-BY-4.0.  [default: "
    "the crate says that none is stated]",
)
@click.option(
    "--wheel",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="The wheel of mpbench that made the results; the crate names it by its hash.",
)
@click.option(
    "--author",
    "authors",
    metavar="NAME",
    multiple=True,
    help="An author of the results, such as 'Ada Lovelace <https://orcid.org/ID>'; may "
    "be given several times.  [default: the crate names none]",
)
@click.option(
    "--publisher",
    metavar="NAME",
    help="Who publishes the crate, such as 'A University <https://example.org>'.  "
    "[default: the crate names none]",
)
def command(
    results: Path,
    out: Path | None,
    licence: str | None,
    wheel: Path | None,
    authors: tuple[str, ...],
    publisher: str | None,
) -> None:
    """Pack RESULTS into an RO-Crate, a zip archive for a reviewer or a repository.

    The crate holds the experiment file, the table, every file of every run, and a page
    with the figures. Its metadata name the software, the kernel and the image by their
    hashes, and have one action per run. Everything is compared with its hash while it
    is packed, and the same results give the same bytes. Unpack it, and
    `mpbench verify FOLDER --sample 5` executes five of its runs again.
    """
    from analysis.words import many
    from mpbench.errors import printable
    from mpbench.report import people
    from mpbench.report.pack import pack

    named = [people.read("--author", text) for text in authors]
    by = None if publisher is None else people.read("--publisher", publisher)
    target = out or Path(f"{results.resolve().name}.crate.zip")
    held, missing = pack(results, target, licence, wheel, named, by)
    if missing:
        lacking = f"{results}: not there yet of the plan: {many(missing, 'run')}"
        click.echo(printable(lacking), err=True)
    size = target.stat().st_size / 1e6
    click.echo(printable(f"wrote {target}: {many(held, 'run')}, {size:.1f} MB"))
