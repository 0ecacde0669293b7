"""The address in `--on`: a scheduler that is there, or a batch system to start workers
with.

tls://HOST:PORT    workers of a scheduler that is there
dask://HOST:PORT   the same, without encryption and certificates
slurm://PARTITION?jobs=8&cores=4&memory=8GiB&time=02:00:00
pbs://QUEUE?...                     the same
sge://QUEUE?...&parallel=NAME       the same
kubernetes://NAMESPACE?image=IMAGE&jobs=8
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from mpbench.errors import UserError
from mpbench.spec.suggestions import nearest

SCHEDULERS = ("dask", "tls")
BATCH_SYSTEMS = ("slurm", "pbs", "sge")
CONTAINERS = ("kubernetes",)
KNOWN = (*SCHEDULERS, *BATCH_SYSTEMS, *CONTAINERS)

OPTIONS = {
    "jobs": r"[1-9]\d{0,5}",
    "cores": r"[1-9]\d{0,3}",
    "memory": r"[1-9]\d*(\.\d+)? ?[KMGT]?i?B",
    "time": r"(\d+-)?\d+(:\d\d){0,2}",
    "account": r"[\w.-]+",
    "interface": r"[\w.-]+",
    "folder": r".+",
    "keys": r"/.+",
}
"""Options of batch systems, each with what its value may look like.

jobs : how many jobs to start, each of which is one worker
cores : how many runs a job executes at a time
memory : of a job
time : the longest time of a job, as Slurm writes it (see `walltime`)
account : whom the jobs are charged to
interface : the network interface between workers and this machine
folder : where a job keeps its temporary files
keys : where the campaign keeps the key of its cluster, a folder that all nodes see
"""
GRID_ENGINE_OPTIONS = {**OPTIONS, "parallel": r"[\w.-]+"}
"""parallel : the parallel environment that gives a job several cores"""
CONTAINER_OPTIONS = {"jobs": OPTIONS["jobs"], "image": r"[\w./:@-]+"}
EXAMPLE = "tls://HOST:8786 or slurm://PARTITION?jobs=4"


@dataclass(frozen=True)
class Address:
    """The place where runs are executed.

    kind : one of KNOWN
    place : HOST:PORT of a scheduler, or the name of a partition, queue or namespace
    options : by name, as given
    """

    kind: str
    place: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def jobs(self) -> int:
        return int(self.options.get("jobs", 1))

    @property
    def cores(self) -> int:
        return int(self.options.get("cores", 1))


def parse(text: str) -> Address:
    """Raises UserError for an address that means nothing."""
    parts = urlsplit(text)
    if not parts.scheme or "://" not in text:
        raise UserError(f"--on {text}: not an address; write {EXAMPLE}")
    if parts.scheme not in KNOWN:
        raise UserError(
            f"--on {text}: '{parts.scheme}': {nearest(parts.scheme, KNOWN)}"
        )
    if parts.path not in ("", "/") or parts.fragment or "@" in parts.netloc:
        raise UserError(f"--on {text}: only a place and options; write {EXAMPLE}")
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    options = dict(pairs)
    if len(options) != len(pairs):
        raise UserError(f"--on {text}: an option is there twice")
    if parts.scheme in SCHEDULERS:
        return _scheduler(text, parts.scheme, parts.netloc, options)
    known = _known_options(parts.scheme)
    for name, value in options.items():
        if name not in known:
            raise UserError(f"--on {text}: '{name}': {nearest(name, tuple(known))}")
        if not re.fullmatch(known[name], value):
            raise UserError(f"--on {text}: {name}: '{value[:40]}' is no value of it")
    if parts.scheme in CONTAINERS and "image" not in options:
        raise UserError(f"--on {text}: image is missing; one that has this mpbench")
    address = Address(parts.scheme, parts.netloc, options)
    if address.kind == "sge" and address.cores > 1 and "parallel" not in options:
        raise UserError(
            f"--on {text}: cores: needs parallel=NAME, the parallel environment that "
            "gives a job several cores (`qconf -spl` lists them)"
        )
    return address


def walltime(text: str) -> str:
    """A time as Slurm reads it, in hours, minutes and seconds (HH:MM:SS).

    text : minutes, minutes:seconds or hours:minutes:seconds; or days-hours, with
        minutes and seconds after it or not
    """
    days, dash, rest = text.rpartition("-")
    parts = [int(part) for part in rest.split(":")]
    if not dash and len(parts) < 3:
        parts.insert(0, 0)
    hours, minutes, seconds = (*parts, 0, 0)[:3]
    total = ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds
    return f"{total // 3600:02}:{total // 60 % 60:02}:{total % 60:02}"


def _known_options(kind: str) -> Mapping[str, str]:
    if kind == "sge":
        return GRID_ENGINE_OPTIONS
    return OPTIONS if kind in BATCH_SYSTEMS else CONTAINER_OPTIONS


def _scheduler(text: str, kind: str, place: str, options: dict[str, str]) -> Address:
    if options:
        raise UserError(f"--on {text}: a scheduler that is there takes no options")
    host, colon, port = place.rpartition(":")
    if not (colon and host and port.isdecimal() and 0 < int(port) < 65536):
        raise UserError(f"--on {text}: no port; write {kind}://HOST:8786")
    return Address(kind, place)
