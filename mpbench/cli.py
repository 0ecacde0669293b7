"""The `mpbench` command: one sub-command a file of `mpbench.commands`."""

import atexit
import codecs
import difflib
import gc
import importlib
import io
import os
import pkgutil
import sys

import click

from mpbench import commands, extras
from mpbench.errors import UserError, printable
from mpbench.version import __version__

GROUPS = {
    "Every day": (
        "init",
        "list",
        "plan",
        "run",
        "report",
        "dashboard",
        "verify",
        "explain",
        "shell",
        "analyse",
        "capture",
        "compare",
        "bisect",
        "diagnose",
        "doctor",
    ),
    "Research": (
        "design",
        "network",
        "trace",
        "model",
        "sensitivity",
        "deviations",
        "pages",
        "merge",
        "pack",
        "export",
        "rows",
        "cost",
    ),
    "Set-up": ("kernel", "image", "endpoint", "schema"),
}
"""Sub-commands as the help lists them; others follow by name."""

GARBAGE = 500_000
"""New objects after which Python looks for garbage: more than a short command makes."""

COMPLETION = """\
Shell completion:
  bash  eval "$(_MPBENCH_COMPLETE=bash_source mpbench)"
  zsh   eval "$(_MPBENCH_COMPLETE=zsh_source mpbench)"
  fish  _MPBENCH_COMPLETE=fish_source mpbench | source
"""


class Commands(click.Group):
    """A group that imports a sub-command's module only when it is called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = {module.name for module in pkgutil.iter_modules(commands.__path__)}
        known = [name for group in GROUPS.values() for name in group]
        first = [name for name in known if name in names]
        return first + sorted(names.difference(first))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"mpbench.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), 1)
            if not near:
                raise
            message = f"{error.message} Did you mean '{near[0]}'?"
            raise click.UsageError(message, ctx) from error

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """The sub-commands by group, each with the whole first sentence of its help."""
        rest = [*self.list_commands(ctx)]
        for title, names in {**GROUPS, "Other": tuple(rest)}.items():
            rows = []
            for name in [name for name in names if name in rest]:
                rest.remove(name)
                command = self.get_command(ctx, name)
                if command is not None and not command.hidden:
                    rows.append((name, _first_sentence(command.help or "")))
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write(COMPLETION)


def _first_sentence(text: str) -> str:
    line = " ".join(text.strip().split("\n\n", maxsplit=1)[0].split())
    return line.partition(". ")[0].removesuffix(".") + "."


@click.command(
    "mpbench", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, "--version")
def group() -> None:
    """Multipath TCP experiments on the real Linux stack, in virtual time.

    Start with `mpbench run experiments/quickstart.yaml`.
    """


def main() -> None:
    """Run the command; what a user can put right is one line and status 2."""
    # Most of a short command is imports, which leave no garbage to look for.
    gc.set_threshold(GARBAGE, 20, 20)
    # Python would look through all objects as it ends, a fifth of a report's time.
    atexit.register(gc.freeze)
    # Pydantic would look through every installed package for plug-ins of its own.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            _printing_anything(stream)
    try:
        status = group.main(prog_name="mpbench", standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("mpbench: stopped", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except UserError as error:
        click.echo(f"mpbench: {printable(str(error))}", err=True)
        sys.exit(2)
    except ModuleNotFoundError as error:
        told = extras.missing(error)
        if told is None:
            raise
        click.echo(f"mpbench: {told}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (`| head`) went away; nothing is left to be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _printing_anything(stream: io.TextIOWrapper) -> None:
    """Let `stream` print every text and every file name, whatever the locale is."""
    if codecs.lookup(stream.encoding).name == "ascii":
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    else:
        stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
