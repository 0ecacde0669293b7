"""Certificates for the cluster of one campaign; only who has the key is heard.

The key lies in a file that its owner alone can read, in a folder that the nodes of the
cluster see as well. It is never an argument of a command. The folder goes with the
campaign.
"""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mpbench.errors import UserError
from mpbench.kernel import cache
from mpbench.store.trees import remove_tree

FOLDER = "cluster-keys"
CERTIFICATE, KEY = "certificate.pem", "key.pem"


@contextlib.contextmanager
def temporary(where: Path | None) -> Iterator[Any]:
    """A `distributed.Security` with a new certificate, which ends with the context.

    where : the folder below which the key is kept; None for the cache in the user's
        home, which the nodes of most clusters see

    Raises UserError.
    """
    from distributed.security import Security

    base = where or cache.root() / FOLDER
    try:
        made: Any = Security.temporary()  # type: ignore[no-untyped-call]
    except ImportError as error:
        raise UserError(
            "--on: certificates need the library cryptography; "
            "`pip install cryptography` brings it"
        ) from error
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="key-", dir=base)).absolute()
    except OSError as error:
        raise UserError(f"--on: keys={base}: {error.strerror}") from error
    try:
        certificate, key = folder / CERTIFICATE, folder / KEY
        _write(certificate, made.tls_ca_file)
        _write(key, made.tls_worker_key)
        roles = ("client", "scheduler", "worker")
        yield Security(  # type: ignore[no-untyped-call]
            require_encryption=True,
            tls_ca_file=str(certificate),
            **{f"tls_{role}_cert": str(certificate) for role in roles},
            **{f"tls_{role}_key": str(key) for role in roles},
        )
    finally:
        remove_tree(folder)


def of_user(where: str) -> Any:
    """The `distributed.Security` of Dask's configuration.

    Raises UserError if it has no certificates.
    """
    from distributed.security import Security

    security: Any = Security(require_encryption=True)  # type: ignore[no-untyped-call]
    settings = security.get_tls_config_for_role("client")
    missing = [name for name in ("ca_file", "cert") if not settings[name]]
    if missing:
        names = {"ca_file": "tls.ca-file", "cert": "tls.client.cert"}
        raise UserError(
            f"{where}: no certificates; set distributed.comm.{names[missing[0]]} in "
            "Dask's configuration, as the scheduler has it "
            "(https://distributed.dask.org/en/stable/tls.html)"
        )
    try:
        security.get_connection_args("client")
    except (OSError, ValueError) as error:
        raise UserError(
            f"{where}: the certificates of Dask's configuration "
            f"(distributed.comm.tls) cannot be read: {error}"
        ) from error
    return security


def _write(path: Path, text: str) -> None:
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(text)
