"""Certificates in files, and the variables by which Dask's programs find them."""

from pathlib import Path

from distributed.security import Security

CERTIFICATE, KEY = "certificate.pem", "key.pem"


def make(folder: Path) -> None:
    """Make a certificate that signs itself, and its key, in `folder`."""
    security = Security.temporary()  # type: ignore[no-untyped-call]
    (folder / CERTIFICATE).write_text(security.tls_ca_file)
    (folder / KEY).touch(mode=0o600)
    (folder / KEY).write_text(security.tls_worker_key)


def settings(folder: Path) -> dict[str, str]:
    """Dask's configuration of all three roles, as variables."""
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    found = {f"{prefix}CA_FILE": str(folder / CERTIFICATE)}
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        found[f"{prefix}{role}__CERT"] = str(folder / CERTIFICATE)
        found[f"{prefix}{role}__KEY"] = str(folder / KEY)
    return found
