"""Dask's scheduler in the process of `mpbench run`, without what it does not need.

Whoever has a worker's key reaches the scheduler. Dask's own one would execute functions
for such a peer, load plug-ins, and write files in the name of the user who started the
campaign. This one answers only the requests in REQUESTS, serves no web page, and reads
no pickle but those in PICKLES (see `pickles`).
"""

from typing import Any

from distributed.scheduler import Scheduler

from mpbench.cluster import sizes
from mpbench.cluster.pickles import Names

REQUESTS = frozenset(
    {
        "broadcast",
        "gather",
        "get_metadata",
        "heartbeat_worker",
        "identity",
        "log_event",
        "register-client",
        "register-worker",
        "register_nanny",
        "retire_workers",
        "set_metadata",
        "subscribe_worker_status",
        "terminate",
        "unregister",
        "workers_to_close",
    }
)
"""Requests of the campaign, of its workers and of Dask's own bookkeeping."""

PICKLES: Names = frozenset(
    {
        ("dask._expr", "Expr._reconstruct"),
        ("dask._expr", "LLGExpr"),
        ("dask._task_spec", "Task"),
        ("mpbench.cluster.worker", "execute"),
    }
)
"""Names in the pickle of an order that this process itself has sent. None of them does
anything when it is called here: `execute` needs a worker."""


class BareScheduler(Scheduler):
    """Dask's scheduler, reduced to REQUESTS."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name in set(self.handlers) - REQUESTS:
            del self.handlers[name]

    async def gather(self, keys: Any, serializers: Any = None) -> dict[Any, object]:
        """Values of tasks. Dask's client asks again and again for one that could not be
        read; if that is because it is refused, the answer says so."""
        holders = self.get_who_has(keys)
        said = await super().gather(keys=keys, serializers=serializers)
        missing: Any = said.get("keys", ())
        refused = [sizes.refused.intersection(holders.get(key, ())) for key in missing]
        if not missing or not all(refused):
            return said
        return {"status": "OK", "data": dict.fromkeys(keys, sizes.REFUSED)}

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Serve no page: Dask's pages ask nobody for a certificate."""
