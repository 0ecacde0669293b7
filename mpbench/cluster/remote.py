"""Executes runs on the workers of a dask scheduler.

One thread per slot submits a run, waits for its archive, and puts the run in its place
in the results folder of this machine. So resuming, verdicts, bounds and the display are
those of a campaign on this machine. A worker that dies loses the runs that it was
executing, and the scheduler gives them to another one.
"""

import contextlib
import math
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.words import many
from jobs import Job, dump
from mpbench.backends import prepared
from mpbench.backends.base import Backend, Bounds, Exit, Report
from mpbench.cluster import pickles, sizes, unpack, worker
from mpbench.cluster.messages import Answer, MessageError, Order, load_build, printable
from mpbench.engine.execute import ExecutionContext, Outcome, execute, interruptions
from mpbench.engine.places import Accept
from mpbench.engine.types import PlannedRun
from mpbench.errors import UserError
from mpbench.store import layout, runs, scratch
from mpbench.store.disk_space import explained
from mpbench.store.json_file import DamagedError

Client = Any
Future = Any
"""Of `distributed`, whose methods have no types."""

LOOK_S = 0.25
"""Interval at which a thread that waits for a run looks whether it is cancelled."""
REFRESH_S = 5.0
"""Interval between two readings of the list of workers."""
PATIENCE_S = 60.0
"""Time that a campaign waits for a worker when none is left."""
FAREWELL_S = 20.0
"""Time that a cancelled run may take to end on its worker."""
MOST_DAMAGED = 3
"""So many archives of one run in a row may come damaged."""


Tell = Callable[[str], None]


class Workers:
    """The workers of a scheduler that have the campaign's build.

    tell : prints a line for the user
    """

    def __init__(
        self, client: Client, backend: str, build: Mapping[str, str], tell: Tell
    ) -> None:
        self._client = client
        self._backend = backend
        self._build = dict(build)
        self._tell = tell
        self._known: dict[str, bool] = {}
        self._read_s = -REFRESH_S
        self._lock = threading.Lock()

    def fit(self) -> list[str]:
        """The addresses of the workers that are there now and have the build."""
        with self._lock:
            if time.monotonic() - self._read_s >= REFRESH_S:
                self._read()
            return [address for address, fits in self._known.items() if fits]

    def await_one(self, where: str, seconds: float) -> None:
        """Wait until a worker is there that has the build.

        Raises UserError if all that are there were refused, or after so many seconds.
        """
        end_s = time.monotonic() + seconds
        while not self.fit():
            if self._known:
                raise UserError(f"{where}: every worker was refused")
            if time.monotonic() > end_s:
                raise UserError(f"{where}: the workers died before their first run")
            time.sleep(LOOK_S)

    def refuse(self, address: str, name: str, reason: str) -> None:
        """Give no more runs to a worker."""
        with self._lock:
            if self._known.get(address, True):
                self._tell(f"Worker {name} ({address}) is refused: {reason}")
            self._known[address] = False

    def _read(self) -> None:
        about = self._client.scheduler_info(n_workers=-1)
        if "workers" not in about:  # the library's answer where nobody answered it
            raise OSError("it gives no answer")
        there = list(about["workers"])
        new = [address for address in there if address not in self._known]
        for address, build in self._builds(new).items():
            self._known[address] = build == self._build
            if build != self._build:
                reason = worker.difference(build, self._build)
                self._tell(f"Worker {printable(address)} is refused: {reason}")
        self._known = {a: fits for a, fits in self._known.items() if a in there}
        self._read_s = time.monotonic()

    def _builds(self, addresses: Sequence[str]) -> dict[str, dict[str, str]]:
        """The build of each worker. One that died meanwhile is left out, and is asked
        again if it comes back."""
        if not addresses:
            return {}
        said = call(self._client, worker.identity, self._backend, workers=addresses)
        found = {}
        for address, data in said.items():
            try:
                found[address] = load_build(data)
            except MessageError as error:
                found[address] = {"error": f"it answered with {error}"}
        return found


def call(
    client: Client,
    function: Callable[[str], bytes | None],
    argument: str,
    workers: Sequence[str],
) -> dict[str, Any]:
    """Call a function on workers.

    The values returned, by the workers' addresses, None where the function failed or
    the value is not read. Workers that cannot be reached are left out. `Client.run`
    would read the exceptions of workers, which are pickles.
    """
    from distributed.protocol.pickle import dumps

    message = {
        "op": "run",
        "function": dumps(function),  # type: ignore[no-untyped-call]
        "args": dumps((argument,)),  # type: ignore[no-untyped-call]
        "kwargs": dumps({}),  # type: ignore[no-untyped-call]
        "wait": True,
    }
    try:
        said = client.sync(
            client.scheduler.broadcast, msg=message, workers=workers, on_error="ignore"
        )
    except CancelledError:
        raise
    except Exception as error:  # of any kind: an answer that cannot be read
        if isinstance(error, OSError) and not isinstance(error, sizes.RefusedError):
            raise
        if len(workers) == 1:
            return {workers[0]: None}
        parts = [call(client, function, argument, [worker]) for worker in workers]
        return {address: value for part in parts for address, value in part.items()}
    return {
        address: said[address].get("result")
        for address in workers
        if isinstance(said.get(address), dict)
    }


@dataclass(frozen=True)
class Gone:
    """Stands in for the backend where no worker could end a run."""

    name: str
    reason: str
    max_parallel: int | None = None

    def identity(self) -> dict[str, str]:
        return {}

    def provenance(self) -> dict[str, Any]:
        return {}

    def check(self, jobs: Sequence[Job]) -> None:
        pass

    def execute(
        self,
        job: Job,
        directory: Path,
        cpu: int | None,
        bounds: Bounds,
        report: Report,
        cancel: threading.Event,
    ) -> Exit:
        return Exit("killed", self.reason, 0.0, 0.0, host_accident=True)


class RemoteWorkers:
    """The places of `mpbench.engine.places` on a scheduler's workers.

    slots : how many runs are submitted at the same time
    where : the address that the user gave
    """

    def __init__(
        self,
        client: Client,
        backend: Backend,
        build: Mapping[str, str],
        slots: int,
        where: str,
        tell: Tell,
    ) -> None:
        self.slots = tuple(range(slots))
        self.workers = Workers(client, backend.name, build, tell)
        self._client = client
        self._where = where
        self._campaign = f"mpbench-{secrets.token_hex(8)}"
        self._reports: dict[str, Report] = {}
        self._begun: dict[str, str] = {}
        self._farewell = threading.Lock()
        self._reading = threading.Lock()
        self._cancelled = False
        client.subscribe_topic(self._campaign, self._advanced)

    def name(self, slot: int) -> str:
        return f"slot {slot + 1}"

    def summary(self, runs: int) -> str:
        return (
            f"{many(len(self.workers.fit()), 'worker')} of {self._where}, "
            f"at most {many(min(len(self.slots), runs), 'run')} at a time"
        )

    def execute(
        self,
        run: PlannedRun,
        context: ExecutionContext,
        slot: int,
        report: Report,
        cancel: threading.Event,
        accept: Accept,
    ) -> Outcome | None:
        results = context.results
        prepared.refuse_content([run.job], "a cluster's worker")
        with explained(results.root):
            order = self._order(run, context)
        self._reports[run.id] = report
        noted = ""

        def note() -> None:
            """Note the worker, once it has begun the run, where readers look."""
            nonlocal noted
            worker = self._begun.get(run.id, "")
            if worker != noted:
                noted = worker
                with explained(results.root):
                    runs.note_worker(results, run.id, worker)

        try:
            for _ in range(MOST_DAMAGED):
                answer = self._answer(order, cancel, note)
                if isinstance(answer, Answer) and answer.packed is None and answer.exit:
                    answer = answer.exit.reason
                if isinstance(answer, str):
                    gone = ExecutionContext(
                        **{**vars(context), "backend": Gone(order.backend, answer)}
                    )
                    return execute(run, gone, None, report, cancel, accept)
                if answer is None or answer.packed is None or answer.exit is None:
                    return None
                try:
                    return _put(run, results, answer, accept)
                except DamagedError as error:
                    damage = f"worker {answer.worker} sent {printable(str(error))}"
        finally:
            self._reports.pop(run.id, None)
            self._begun.pop(run.id, None)
            if noted:
                runs.discard(results, run.id)
        raise UserError(f"run {run.id}: {damage}; the finished runs are safe")

    def _order(self, run: PlannedRun, context: ExecutionContext) -> Order:
        options = context.options
        return Order(
            campaign=self._campaign,
            backend=context.backend.name,
            build=dict(context.build),
            run={
                "id": run.id,
                "point": run.point,
                "case": run.case,
                "repetition": run.repetition,
                "factors": dict(run.factors),
                "job": dump(run.job),
            },
            options={
                "keep_captures": options.keep_captures,
                "wall_limit_s": options.wall_limit_s,
                "silence_limit_s": options.silence_limit_s,
            },
            earlier=interruptions(context.results, run.id),
            invocation=dict(context.invocation),
        )

    def _answer(
        self, order: Order, cancel: threading.Event, note: Callable[[], None]
    ) -> Answer | str | None:
        """Answer of a worker; a reason if all that tried have died; None if the run is
        cancelled.

        note : called now and then while the run is executed
        """
        while True:
            fit = self._fit(cancel)
            if fit is None:
                return None
            future = self._client.submit(
                worker.execute,
                order.dump(),
                key=f"{order.campaign}-{order.run['id']}-{secrets.token_hex(4)}",
                workers=fit,
                pure=False,
            )
            ended = self._wait(future, fit, cancel, note)
            if ended == "stranded":
                continue
            if ended == "cancelled":
                return None
            try:
                answer = self._result(future)
            except UserError:
                if cancel.is_set():
                    return None
                raise
            if isinstance(answer, str):
                return answer
            if not answer.error:
                return answer
            self.workers.refuse(answer.address, answer.worker, answer.error)

    def _fit(self, cancel: threading.Event) -> list[str] | None:
        """The workers to choose from, when there are some; None if cancelled."""
        since_s = time.monotonic()
        while not cancel.is_set():
            if fit := self._there():
                return fit
            if time.monotonic() - since_s > PATIENCE_S:
                raise UserError(
                    f"{self._where}: no worker with this build for {PATIENCE_S:.0f} s; "
                    "the finished runs are safe, and the same command goes on"
                )
            cancel.wait(LOOK_S)
        return None

    def _there(self) -> list[str]:
        """The workers that fit. Raises UserError if the scheduler is gone."""
        try:
            return self.workers.fit()
        except OSError as error:
            raise self._lost(error) from error

    def _wait(
        self,
        future: Future,
        fit: Sequence[str],
        cancel: threading.Event,
        note: Callable[[], None],
    ) -> str:
        """Wait until a run has `ended`, is `cancelled`, or is `stranded` because none
        of the workers that it was given to is there any more."""
        ended = threading.Event()
        future.add_done_callback(lambda _: ended.set())
        looked_s = time.monotonic()
        while not ended.wait(LOOK_S):
            note()
            if cancel.is_set():
                # A scheduler that is gone has given up its runs already.
                with contextlib.suppress(OSError):
                    self._cancel_all()
                    if not ended.wait(FAREWELL_S):
                        future.cancel()
                return "cancelled"
            if time.monotonic() - looked_s > REFRESH_S:
                looked_s = time.monotonic()
                if not set(fit).intersection(self._there()):
                    future.cancel()
                    return "stranded"
        return "ended"

    def _result(self, future: Future) -> Answer | str:
        """An answer, or why there is none. Raises UserError."""
        try:
            # One at a time: the bound on what is read holds for each message, and the
            # library would ask for all that have ended at once.
            with self._reading:
                data = future.result()
            if data == sizes.REFUSED:
                raise sizes.RefusedError(sizes.TOO_MUCH)
            return Answer.load(data)
        except sizes.RefusedError as error:
            return f"a worker answered with {error}"
        except (OSError, CancelledError) as error:
            raise self._lost(error) from error
        except MessageError as error:
            return f"a worker answered with {error}"
        except Exception as error:  # a task's, which is a pickle; see `pickles`
            return _failure(error)
        finally:
            future.release()

    def _cancel_all(self) -> None:
        """Give up all runs on all workers; once."""
        with self._farewell:
            if not self._cancelled:
                self._cancelled = True
                call(self._client, worker.cancel, self._campaign, self.workers.fit())

    def _advanced(self, event: tuple[float, Any]) -> None:
        """A worker says how far a run is, and at the beginning who it is."""
        match event[1]:
            case [str(run_id), float(virtual_s), *begun] if math.isfinite(virtual_s):
                if report := self._reports.get(run_id):
                    report(virtual_s)
                    if begun:
                        self._begun[run_id] = printable(str(begun[0]))

    def _lost(self, error: BaseException) -> UserError:
        # A run that the library gives up has a text of several lines.
        what = "no connection" if isinstance(error, CancelledError) else str(error)
        return UserError(
            f"{self._where}: the scheduler is gone ({what}); the finished runs are "
            "safe, and the same command goes on"
        )


def _put(
    run: PlannedRun, results: layout.Results, answer: Answer, accept: Accept
) -> Outcome | None:
    """Put a run that came as an archive in its place, if it is to be kept."""
    assert answer.packed is not None and answer.exit is not None
    with explained(results.root), scratch.folder("received") as folder:
        received = unpack.unpack(answer.packed, folder, run.id, run.job)
        stored = runs.read(received, run.id)
        assert stored is not None and stored.row is not None
        if not accept(stored.row["verdict"]):
            return None
        runs.copy(received, results, run.id)
    return Outcome(stored.row, answer.exit)


def _failure(error: Exception) -> str:
    """Reason why a task failed. Its exception comes as a pickle, which is not
    executed."""
    data = error.args[0] if error.args else b""
    words = pickles.strings(data) if isinstance(data, bytes) else [str(error)]
    if "KilledWorker" in words:
        return "several workers died with this run"
    return f"a worker failed: {printable(' '.join(words))}"
