"""``mpbench init``: an experiment file to begin with."""

import shlex
from pathlib import Path

import click

from mpbench.carried import EXPERIMENTS
from mpbench.commands.list import NO_EXPERIMENTS
from mpbench.errors import UserError

TEMPLATES = Path(__file__).parents[1] / "templates"
LAB = "lab"
PAPER = "paper:"


@click.command("init")
@click.argument("template", default="compare")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Where to write the file, or the folder of `lab`; never over files that are "
    "there.  [default: TEMPLATE.yaml]",
)
def command(template: str, out: Path | None) -> None:
    """Write an experiment file that runs, to change to your needs.

    TEMPLATE is `compare` (MPTCP beside TCP in networks of all kinds), `phone` (WiFi and
    LTE), `home` (DSL and LTE), `gigabit` (fast Wi-Fi and 5G), `fairness` (a shared
    bottleneck), `web` (small files), or `paper:NAME` for one of the experiments that
    come with mpbench, such as `paper:thesis/bulk-low-bdp`, in one file. `mpbench list
    experiments` names them.
    `lab` writes a folder: a course of five exercises, with questions and answers.
    """
    if template == LAB:
        folder = _lab(out or Path(LAB))
        click.echo(f"Wrote {folder}. Next: read {folder / 'README.md'}")
        return
    text = _paper(template) if template.startswith(PAPER) else _template(template)
    name = template.removeprefix(PAPER).rsplit("/", maxsplit=1)[-1]
    path = out or Path(f"{name}.yaml")
    try:
        with path.open("x") as file:
            file.write(text)
    except FileExistsError as error:
        raise UserError(
            f"{path}: is there already; give another name with --out"
        ) from error
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    click.echo(f"Wrote {path}. Next: mpbench run {shlex.quote(str(path))}")


def _lab(folder: Path) -> Path:
    """Write the course into a folder that is new or empty; returns it.

    Raises UserError if the folder has files or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UserError(
                f"{folder}: has files already; give another folder with --out"
            )
        for path in sorted((TEMPLATES / LAB).iterdir()):
            with (folder / path.name).open("x", encoding="utf-8") as file:
                file.write(path.read_text(encoding="utf-8"))
    except FileExistsError as error:
        raise UserError(
            f"{folder}: is a file; give a folder that is new or empty with --out"
        ) from error
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}") from error
    return folder


def _template(name: str) -> str:
    known = sorted(path.stem for path in TEMPLATES.glob("*.yaml"))
    if name not in known:
        from mpbench.spec.suggestions import nearest

        raise UserError(
            f"no template {name[:60]!r}; {nearest(name, [*known, LAB])} "
            f"({PAPER}NAME gives an experiment of a paper)"
        )
    return (TEMPLATES / f"{name}.yaml").read_text()


def _paper(template: str) -> str:
    """A shipped experiment in one file, whatever it includes."""
    from mpbench.experiment_files import load
    from mpbench.spec.suggestions import suggestion

    known = {
        path.relative_to(EXPERIMENTS).with_suffix("").as_posix(): path
        for path in EXPERIMENTS.rglob("*.yaml")
        if not NO_EXPERIMENTS & set(path.parts)
    }
    name = template.removeprefix(PAPER)
    if name not in known:
        near = suggestion(name, known)
        meant = f"did you mean '{near}'? " if near else ""
        raise UserError(
            f"no experiment {name[:60]!r}; {meant}`mpbench list experiments` names all"
        )
    return load(known[name]).text
