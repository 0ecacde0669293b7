"""Connects to a scheduler, or starts workers by a batch system."""

import contextlib
import importlib
import logging
from collections.abc import Iterator, Mapping
from typing import Any

from mpbench.backends.base import Backend
from mpbench.cluster.address import BATCH_SYSTEMS, SCHEDULERS, Address, walltime
from mpbench.cluster.remote import Client, RemoteWorkers, Tell
from mpbench.errors import UserError

TIMEOUT_S = 30
FIRST_WORKER_S = 60
BATCH_CLASSES = {"slurm": "SLURMCluster", "pbs": "PBSCluster", "sge": "SGECluster"}


@contextlib.contextmanager
def connect(
    address: Address,
    backend: Backend,
    build: Mapping[str, str],
    jobs: int | None,
    tell: Tell,
) -> Iterator[RemoteWorkers]:
    """The workers at `address`, for as long as the context lasts.

    jobs : how many runs at a time; None for as many as the workers have threads

    Raises UserError if there is no scheduler, no worker, or no library for it.
    """
    distributed = _library("distributed", "cluster")
    # The libraries log each error with its traceback, beside raising it.
    for name in ("distributed", "distributed.client", "tornado", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        where = f"{address.kind}://{address.place}"
        try:
            client = _client(distributed, address, stack)
            client.wait_for_workers(1, timeout=FIRST_WORKER_S)
        except TimeoutError as error:
            raise UserError(
                f"{where}: no worker within {FIRST_WORKER_S} s; start some with "
                "`dask worker`, or look at the batch system's queue"
            ) from error
        slots = jobs or _slots(address, client)
        places = RemoteWorkers(client, backend, build, slots, where, tell)
        places.workers.await_one(where, FIRST_WORKER_S)
        yield places


def _client(distributed: Any, address: Address, stack: contextlib.ExitStack) -> Client:
    if address.kind in SCHEDULERS:
        protocol = "tcp" if address.kind == "dask" else "tls"
        target: Any = f"{protocol}://{address.place}"
    else:
        target = stack.enter_context(_scaled(address))
    try:
        client = distributed.Client(
            target, timeout=TIMEOUT_S, set_as_default=False, direct_to_workers=False
        )
    except OSError as error:
        raise UserError(
            f"{address.kind}://{address.place}: no scheduler answers ({error}); start "
            "one with `dask scheduler`"
        ) from error
    return stack.enter_context(client)


@contextlib.contextmanager
def _scaled(address: Address) -> Iterator[Any]:
    """The batch system's cluster with all its jobs submitted; they end with it.

    Raises UserError if the batch system refuses a job.
    """
    cluster = _cluster(address)
    by_jobs = address.kind in BATCH_SYSTEMS

    async def submitted() -> None:
        cluster.scale(**{"jobs" if by_jobs else "n": address.jobs})
        await cluster

    try:
        try:
            cluster.sync(submitted)
        except RuntimeError as error:
            words = str(error).partition("stderr:")[2] or str(error)
            reason = " ".join(words.split())
            raise UserError(f"{address.kind}://{address.place}: {reason}") from error
        yield cluster
    finally:
        # A job that was never accepted makes it fail; the others are ended before.
        with contextlib.suppress(AssertionError):
            cluster.close()


def _cluster(address: Address) -> Any:
    """The batch system's cluster, without jobs."""
    if address.kind not in BATCH_SYSTEMS:
        return _containers(address)
    jobqueue = _library("dask_jobqueue", address.kind)
    try:
        return getattr(jobqueue, BATCH_CLASSES[address.kind])(**_job(address))
    except (OSError, RuntimeError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"{address.kind}://{address.place}: {reason}") from error


def _containers(address: Address) -> Any:
    """The cluster of containers, without workers."""
    operator = _library("dask_kubernetes.operator", "kubernetes")
    try:
        return operator.KubeCluster(
            namespace=address.place or None, image=address.options["image"]
        )
    except Exception as error:  # of several libraries, each with its own kinds
        # At exit the library would end what never began, and fail with a traceback.
        for begun in getattr(operator.KubeCluster, "_instances", ()):
            begun.shutdown_on_close = False
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"kubernetes://{address.place}: {reason}") from error


def _job(address: Address) -> dict[str, Any]:
    """What dask-jobqueue is told about the jobs."""
    options = address.options
    given: dict[str, Any] = {
        "cores": address.cores,
        "processes": 1,
        "scheduler_options": {"dashboard": False, "dashboard_address": ":0"},
        "memory": options.get("memory", f"{2 * address.cores}GiB"),
    }
    if address.place:
        given["queue"] = address.place
    for name, key in (
        ("time", "walltime"),
        ("account", "project" if address.kind == "sge" else "account"),
        ("interface", "interface"),
        ("folder", "local_directory"),
    ):
        if name in options:
            given[key] = options[name]
    if "time" in options and address.kind != "slurm":
        given["walltime"] = walltime(options["time"])
    if "parallel" in options:
        given["job_extra_directives"] = [f"-pe {options['parallel']} {address.cores}"]
    return given


def _library(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UserError(
            f"--on needs the library {name.partition('.')[0]}; "
            f"`pip install 'mpbench[{extra}]'` brings it"
        ) from error


def _slots(address: Address, client: Client) -> int:
    """One run per thread of the workers that are there, or that are to come."""
    if address.kind in SCHEDULERS:
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        return max(1, sum(int(worker["nthreads"]) for worker in workers))
    return address.jobs * address.cores
