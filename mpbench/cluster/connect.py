"""Connects to a scheduler, or starts workers by a batch system."""

import contextlib
import importlib
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mpbench.backends.base import Backend
from mpbench.cluster import certificates, pickles, sizes
from mpbench.cluster.address import (
    BATCH_SYSTEMS,
    CONTAINERS,
    SCHEDULERS,
    Address,
    walltime,
)
from mpbench.cluster.remote import Client, RemoteWorkers, Tell
from mpbench.errors import UserError

TIMEOUT_S = 30
FIRST_WORKER_S = 60
SERIALIZERS = ["msgpack"]
"""Formats of values between this machine and workers. None of them executes code."""
ANSWERS: pickles.Names = frozenset({("builtins", "bytes")})
"""Names in pickles that a scheduler sends: the type of an answer."""
NO_IMPORTS: dict[str, list[str]] = {"distributed.scheduler.allowed-imports": []}
PRINTED_TOPICS = ("print", "warn")
"""Topics by which any worker would write to the user's terminal."""
PLAIN_KINDS = ("dask", *CONTAINERS)
PROLOGUE = [
    "export DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=True",
    "export DASK_DISTRIBUTED__WORKER__HTTP__ROUTES='[]'",
    "export DASK_DISTRIBUTED__NANNY__HTTP__ROUTES='[]'",
]
"""A job's environment: nothing of a worker answers without a certificate."""
BATCH_CLASSES = {"slurm": "SLURMCluster", "pbs": "PBSCluster", "sge": "SGECluster"}


@contextlib.contextmanager
def connect(
    address: Address,
    backend: Backend,
    build: Mapping[str, str],
    jobs: int | None,
    tell: Tell,
    plain: bool = False,
) -> Iterator[RemoteWorkers]:
    """The workers at `address`, for as long as the context lasts.

    jobs : how many runs at a time; None for as many as the workers have threads
    plain : whether connections without encryption and without certificates are wanted

    Raises UserError if there is no scheduler, no worker, or no library for it, and for
    plain connections that are not wanted.
    """
    check_plain(address, plain)
    distributed = _library("distributed", "cluster")
    # The libraries log each error with its traceback, beside raising it.
    for name in ("distributed", "distributed.client", "tornado", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with contextlib.ExitStack() as stack:
        where = f"{address.kind}://{address.place}"
        stack.enter_context(pickles.only(_pickles(address)))
        stack.enter_context(sizes.bounded())
        # Dask would import the modules that a message names, to read an enumeration.
        stack.enter_context(importlib.import_module("dask.config").set(NO_IMPORTS))
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


def check_plain(address: Address, plain: bool) -> None:
    """Raises UserError for plain connections that are not wanted, or have no use."""
    where = f"{address.kind}://{address.place}"
    if address.kind in PLAIN_KINDS and not plain:
        instead = (
            f"tls://{address.place}"
            if address.kind == "dask"
            else "a scheduler with certificates and tls://HOST:PORT"
        )
        raise UserError(
            f"{where}: whoever reaches such a scheduler executes code on its workers; "
            f"use {instead}, or accept that with --insecure-plain-dask"
        )
    if address.kind not in PLAIN_KINDS and plain:
        raise UserError(
            f"--insecure-plain-dask: is for dask:// and kubernetes://; {where} has "
            "certificates"
        )


def _pickles(address: Address) -> pickles.Names:
    """The names that pickles may import in this process."""
    if address.kind not in BATCH_SYSTEMS:
        return ANSWERS
    from mpbench.cluster import scheduler

    return ANSWERS | scheduler.PICKLES


def _client(distributed: Any, address: Address, stack: contextlib.ExitStack) -> Client:
    where = f"{address.kind}://{address.place}"
    security = None
    if address.kind == "tls":
        security = certificates.of_user(where)
    if address.kind in SCHEDULERS:
        protocol = "tcp" if address.kind == "dask" else "tls"
        target: Any = f"{protocol}://{address.place}"
    else:
        if address.kind in BATCH_SYSTEMS:
            keys = address.options.get("keys")
            where_keys = Path(keys) if keys else None
            security = stack.enter_context(certificates.temporary(where_keys))
        target = stack.enter_context(_scaled(address, security))
    try:
        client = distributed.Client(
            target,
            timeout=TIMEOUT_S,
            set_as_default=False,
            direct_to_workers=False,
            security=security,
            serializers=SERIALIZERS,
            deserializers=SERIALIZERS,
        )
    except OSError as error:
        raise UserError(
            f"{where}: no scheduler answers ({error}); start one with `dask scheduler`"
        ) from error
    stack.enter_context(client)
    for topic in PRINTED_TOPICS:
        client.unsubscribe_topic(topic)
    return client


@contextlib.contextmanager
def _scaled(address: Address, security: Any) -> Iterator[Any]:
    """The batch system's cluster with all its jobs submitted; they end with it.

    Raises UserError if the batch system refuses a job.
    """
    cluster = _cluster(address, security)
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


def _cluster(address: Address, security: Any) -> Any:
    """The batch system's cluster, without jobs."""
    if address.kind not in BATCH_SYSTEMS:
        return _containers(address)
    jobqueue = _library("dask_jobqueue", address.kind)
    from mpbench.cluster.scheduler import BareScheduler

    try:
        return getattr(jobqueue, BATCH_CLASSES[address.kind])(
            **_job(address), security=security, scheduler_cls=BareScheduler
        )
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
    """Description of the jobs for dask-jobqueue."""
    options = address.options
    given: dict[str, Any] = {
        "cores": address.cores,
        "processes": 1,
        "scheduler_options": {"dashboard": False},
        "job_script_prologue": PROLOGUE,
        "worker_extra_args": ["--no-dashboard"],
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
            f"`pip install '.[{extra}]'` in mpbench's folder, or with the path of its"
            " wheel in place of '.', brings it"
        ) from error


def _slots(address: Address, client: Client) -> int:
    """One run per thread of the workers that are there, or that are to come."""
    if address.kind in SCHEDULERS:
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        return max(1, sum(int(worker["nthreads"]) for worker in workers))
    return address.jobs * address.cores
