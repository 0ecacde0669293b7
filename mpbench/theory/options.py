"""Common parts of the sub-commands of theory: options, errors and tables."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.models.networks import Network

MILLI = 1e-3
MBPS = 1e6


def numbers(_context: click.Context, _name: object, text: str) -> tuple[float, ...]:
    """The numbers in an option's text: (0.01, 0.02) for `0.01,0.02`."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(
            f"'{text}' is not a list of numbers; write e.g. 0.01,0.02"
        ) from None


def network_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that describe a network: links and users, or an experiment's."""
    point = click.option(
        "--point",
        type=int,
        default=0,
        show_default=True,
        help="Which point of the experiment's design, from 0.",
    )
    experiment = click.option(
        "-e",
        "--experiment",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Experiment file whose network to take, instead of links and users.",
    )
    user = click.option(
        "-u",
        "--user",
        "users",
        multiple=True,
        metavar="NAME[*COUNT][:CC]=LINK..., LINK...[@ MS,MS]",
        help="A group of equal users: how many (1), the congestion control, the links"
        " of each path, and the round-trip time of each path in ms. Repeat it.",
    )
    link = click.option(
        "-l",
        "--link",
        "links",
        multiple=True,
        metavar="NAME=MBPS",
        help="A link and its capacity in Mbit/s. Repeat it for each link.",
    )
    return link(user(experiment(point(command))))


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON."
)


losses_option = click.option(
    "-p",
    "--loss",
    "losses",
    callback=numbers,
    required=True,
    metavar="P,P...",
    help="Loss probability of each path, above 0 and below 1.",
)

rtts_option = click.option(
    "-r",
    "--rtt",
    "rtts_ms",
    callback=numbers,
    required=True,
    metavar="MS,MS...",
    help="Round-trip time of each path, in ms.",
)

packet_option = click.option(
    "-m",
    "segment_bytes",
    type=float,
    default=1500.0,
    show_default=True,
    metavar="BYTES",
    help="Size of a packet.",
)


def network(
    links: Sequence[str], users: Sequence[str], experiment: Path | None, point: int
) -> "Network":
    """The network that the options describe.

    Raises ValueError, one line, for texts that describe none, and UserError for an
    experiment file that cannot be read.
    """
    if experiment is not None:
        from mpbench.theory.experiment import network_of

        if links or users:
            raise ValueError("links or users beside --experiment; give one of both")
        return network_of(experiment, point)
    if not links or not users:
        raise ValueError("no network; give --link and --user, or --experiment")
    from analysis.models.networks import Network, parse_link, parse_user

    found_links = _unlike("link", [parse_link(text) for text in links])
    return Network(found_links, _unlike("user", [parse_user(text) for text in users]))


def _unlike(what: str, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{what} {name}: given twice; give each name once")
    return dict(pairs)


def user_error(command: str, error: ValueError) -> UserError:
    """The error of one line for arguments that a model refuses."""
    return UserError(f"model {command}: {error}")


def show_json(values: object) -> None:
    click.echo(json.dumps(values, indent=2))


def show_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, its first column to the left and the others to the right."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, soft_wrap=True).print(table)
