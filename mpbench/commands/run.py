"""``mpbench run``: execute what is not yet finished of an experiment."""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from mpbench.arguments import (
    check_live_options,
    configuration_options,
    experiment_file,
    live_options,
    points_option,
    retry_failed_option,
    trust_option,
)
from mpbench.backends.registry import BACKENDS
from mpbench.engine.limits import GIVE_UP
from mpbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from mpbench.backends.base import Backend
    from mpbench.backends.features import DoesNotRunError
    from mpbench.cluster.address import Address
    from mpbench.engine.campaign import Beside
    from mpbench.engine.display import Lines
    from mpbench.engine.places import Places
    from mpbench.engine.types import Shard
    from mpbench.spec import Spec

MOST_SHARDS = 1_000_000


def _shard(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> "Shard | None":
    """The option --shard; raises click.BadParameter."""
    from mpbench.engine.types import Shard

    if value is None:
        return None
    parts = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", value, re.ASCII)
    number, count = map(int, parts.groups()) if parts else (0, 0)
    if not 1 <= number <= count <= MOST_SHARDS:
        raise click.BadParameter(
            f"{value!r}: I/N with I from 1 to N, such as 2/8 for the second of 8 parts"
        )
    return Shard(number, count)


def _address(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> "Address | None":
    """The option --on; raises UserError."""
    from mpbench.cluster.address import parse

    return None if value is None else parse(value)


@click.command("run")
@experiment_file
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    help="Runs at a time, one per CPU.  [default: as many as there are CPUs]",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    help="Execute at most this many runs now.",
)
@click.option(
    "--only",
    metavar="CASE",
    multiple=True,
    help="Execute only the runs of this case; may be given several times.",
)
@configuration_options
@points_option
@click.option(
    "--shard",
    callback=_shard,
    metavar="I/N",
    help="Execute only part I of N equal parts of the plan, for example on one of N "
    "machines; `mpbench merge` puts the folders of all parts together.",
)
@click.option(
    "--reuse",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    multiple=True,
    help="Copy runs of this plan that FOLDER has already, in place of executing them; "
    "may be given several times. FOLDER holds results, or rows that `mpbench rows` "
    "kept. Such runs have the same job and the same build.",
)
@click.option(
    "--on",
    "on",
    callback=_address,
    metavar="ADDRESS",
    help="Execute on the workers of a cluster: tls://HOST:PORT for a scheduler that "
    "is there, slurm://PARTITION?jobs=4 to start workers as jobs of a batch system.",
)
@click.option(
    "--insecure-plain-dask",
    "plain",
    is_flag=True,
    help="Allow --on dask://HOST:PORT: no encryption and no certificates, so whoever "
    "reaches the scheduler executes code on its workers.",
)
@click.option(
    "--keep-captures",
    type=click.Choice(["none", "failed", "all"]),
    default="failed",
    show_default=True,
    help="Keep the packet captures of these runs on disk; the hashes of all captures "
    "stay. 'failed' means every run that is not ok.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Results folder.  [default: results/NAME, NAME being the experiment's; "
    "with --shard results/NAME-I-of-N]",
)
@click.option(
    "--backend",
    "backend_name",
    type=click.Choice(list(BACKENDS)),
    default="virtual",
    show_default=True,
    help="Where runs are executed: in a guest in virtual time, on this machine's own "
    "kernel in real time (needs root), or nowhere (made-up numbers, for tests).",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="List the runs and whether they are done; write nothing.",
)
@click.option(
    "--live",
    is_flag=True,
    help="Serve a page on this machine that fills while the campaign runs, and ends "
    "with it.",
)
@click.option(
    "--tap",
    is_flag=True,
    help="Then judge the limits that FILE states below 'compare', and print them in "
    "the Test Anything Protocol (TAP 14); all else goes to the standard error.",
)
@live_options
@retry_failed_option
@trust_option
@click.option(
    "--wall-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="Give a run up after this many seconds of the host's clock.  "
    "[default: 60 plus ten times its virtual time limit or estimated time]",
)
@click.option(
    "--silence-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="Give a run up after this many seconds without a sign of life.  "
    "[default: 120, or its estimated time]",
)
@click.option(
    "--give-up",
    type=click.IntRange(min=0),
    metavar="N",
    default=GIVE_UP,
    show_default=True,
    help="Stop when N runs in a row failed, timed out or were interrupted; 0 never "
    "stops.",
)
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    jobs: int | None,
    limit: int | None,
    only: tuple[str, ...],
    configurations: tuple[Path, ...],
    without: tuple[str, ...],
    points: str | None,
    shard: "Shard | None",
    reuse: tuple[Path, ...],
    on: "Address | None",
    plain: bool,
    keep_captures: Literal["none", "failed", "all"],
    out: Path | None,
    backend_name: str,
    dry_run: bool,
    live: bool,
    tap: bool,
    host: str | None,
    port: int | None,
    retry_failed: bool,
    trusted: bool,
    wall_limit: float | None,
    silence_limit: float | None,
    give_up: int,
) -> None:
    """Run the experiment in FILE, going on where it was left.

    A finished run is executed again only if its experiment, its seed, the kernel or
    the guest code has changed, or if its stored files were. A run that this machine
    cut short (killed, paused, out of memory) is executed again, three times at most.
    The first Ctrl-C stops cleanly, the second at once. After either, or after a crash,
    the same command goes on. The page of --live needs no Ctrl-C and writes no file.

    Exit status: 0 when all finished runs of the plan are ok, 1 when some are not,
    2 for what has to be put right first, 130 after Ctrl-C. With --tap also 1 when a
    limit is broken, and 3 when none is, but some are undecided.
    """
    from mpbench import kernel_facts
    from mpbench.backends import programs, registry
    from mpbench.backends.virtual import VirtualBackend
    from mpbench.engine import cpus
    from mpbench.engine.campaign import run_campaign
    from mpbench.engine.display import Lines
    from mpbench.engine.types import AnalysisFunctions, Experiment, Options
    from mpbench.experiment_files import load
    from mpbench.plan import advice, feasible, new_plan

    check_live_options(live, "--live", host, port)
    if live and dry_run:
        raise UserError("--live: shows runs that are executed; leave --dry-run out")
    spec = load(file, configurations, without, trusted, points=points)
    if tap:
        _check_tap(spec, dry_run or shard is not None)
    feasible.check_backend(spec, backend_name)
    programs.check(spec, backend_name)
    if backend_name in registry.REAL_TIME and not trusted:
        programs.refuse_own_code(spec)
    backend = registry.create(backend_name, spec.in_qemu)
    if isinstance(backend, VirtualBackend):
        backend.trusted = trusted
        backend.tolerated = partial(_tell_dead, spec)
    build = backend.identity()
    plan = new_plan(spec, build)
    experiment = Experiment(spec.name, spec.text.encode(), plan)
    options = Options(
        jobs=jobs,
        limit=limit,
        only=only,
        shard=shard,
        reuse=reuse,
        keep_captures=keep_captures,
        retry_failed=retry_failed,
        wall_limit_s=wall_limit,
        silence_limit_s=silence_limit,
        give_up=give_up,
    )
    folder = f"{spec.name}-{shard.number}-of-{shard.count}" if shard else spec.name
    root = out or Path("results") / folder
    console = Lines(stderr=tap)
    if backend_name not in registry.REAL_TIME:
        for line in advice.proposals(spec, plan):
            console.print(line, markup=False, soft_wrap=True)
    if dry_run:
        from mpbench.engine import dry

        workers = len(cpus.choose(jobs, backend.max_parallel))
        real_time = backend_name in registry.REAL_TIME
        dry.show(experiment, root, options, console.console, workers, real_time)
        return

    if on is not None and spec.in_qemu:
        raise UserError("--on: kernels in QEMU run on this machine alone; leave it out")
    analysis = AnalysisFunctions(measure=_measure, tabulate=_tabulate)
    with (
        _places(on, plain, backend, build, jobs, console) as places,
        kernel_facts.told_with_lines(spec),
    ):
        status = run_campaign(
            experiment,
            root,
            backend,
            build,
            analysis,
            options,
            console,
            places,
            _page(port) if live else None,
        )
    context.exit(_tap(root, status) if tap else status)


def _tell_dead(spec: "Spec", error: "DoesNotRunError") -> None:
    """Say which kernel of an experiment does not boot."""
    from mpbench import kernel_facts

    told = kernel_facts.named(spec, error)
    click.echo(
        f"warning: {told}; its runs fail, those of other kernels go on", err=True
    )


def _check_tap(spec: "Spec", partly: bool) -> None:
    """Raises UserError for a file without limits, and where none can be judged.

    partly : whether not all runs of the plan are executed here
    """
    if partly:
        reason = "judges a whole campaign; leave --dry-run and --shard out"
        raise UserError(f"--tap: {reason}")
    if spec.compare is None or not spec.compare.limits:
        at = spec.where("compare") if spec.compare else spec.where()
        hint = "write 'compare: {limits: {goodput: 1 %}}'"
        raise UserError(f"{at}: --tap: the experiment states no limits; {hint}")


def _tap(root: Path, status: int) -> int:
    """Print the limits of a campaign as TAP; the exit status.

    status : that of the campaign
    """
    from mpbench.report.limit_report import judge_stated

    reason = "the campaign was stopped"
    if status <= 1:
        try:
            return judge_stated(root, tap=True)
        except UserError as error:
            reason = str(error).splitlines()[0]
    click.echo(f"TAP version 14\nBail out! {reason}")
    return status or 2


def _page(port: int | None) -> "Beside":
    """The live page of --live."""

    @contextlib.contextmanager
    def page(root: Path) -> Iterator[str]:
        from mpbench.live import beside

        with beside.page(root, port) as address:
            yield f"live at {address} on this machine until the campaign ends"

    return page


@contextlib.contextmanager
def _places(
    on: "Address | None",
    plain: bool,
    backend: "Backend",
    build: Mapping[str, str],
    jobs: int | None,
    console: "Lines",
) -> "Iterator[Places | None]":
    """The cluster's workers, or None for this machine's CPUs."""
    if on is None:
        if plain:
            raise UserError("--insecure-plain-dask: goes with --on dask://HOST:PORT")
        yield None
        return
    from mpbench.cluster.connect import connect

    def tell(line: str) -> None:
        console.print(line, markup=False, soft_wrap=True)

    with connect(on, backend, build, jobs, tell, plain) as places:
        yield places


def _measure(folder: Path) -> dict[str, Any]:
    """The row of a run. Its libraries are loaded when the first run has ended."""
    from analysis.run.row import row

    return row(folder)


def _tabulate(rows: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """The table of runs.

    Its library takes as long to load as a run takes, so it is loaded when the first
    runs are under way.
    """
    from analysis.campaign.table import build

    return build(rows)
