"""`mpbench schema`: what an experiment file, or a job, may say, for editors."""

import json
from pathlib import Path

import click

from mpbench.errors import UserError


@click.command("schema")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write it to.  [default: print it]",
)
@click.option("--job", is_flag=True, help="The schema of a run's job.json instead.")
def command(out: Path | None, job: bool) -> None:
    """Print the JSON Schema of experiment files.

    An editor with a YAML language server completes and checks a file whose
    first line is `# yaml-language-server: $schema=FILE`.
    """
    if job:
        from jobs.schema import schema
    else:
        from mpbench.spec.json_schema import json_schema as schema

    text = json.dumps(schema(), indent=2, ensure_ascii=False)
    if out is None:
        click.echo(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        reason = f"cannot be written: {error.strerror}"
        raise UserError(f"{out}: {reason}; give another file by --out") from None
