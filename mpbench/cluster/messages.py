"""Messages between the machine of a campaign and a worker: JSON and bytes.

A reader checks each field, because the sender may be anybody.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from mpbench.backends.base import Exit, Status

MOST_HEADER_BYTES = 1 << 20
MOST_PACKED_BYTES = 256 << 20
"""Of a run's archive. Large captures are most of it; a campaign on this machine has no
such bound."""
MIB = 1 << 20
MOST_SECONDS = 1e12
MOST_TEXT = 500
"""Characters of a text that is shown to the user."""
STATUSES: tuple[str, ...] = get_args(Status)


class MessageError(ValueError):
    """Bytes that are no message."""


@dataclass(frozen=True)
class Order:
    """A run to execute, as plain values.

    campaign : a name of this invocation, by which its runs are cancelled
    backend, build : where, and what it has to be
    run : id, point, case, repetition, factors and job of the run
    options : of mpbench.engine.types.Options, those that the execution needs
    earlier : how many executions in a row the host has cut short before
    invocation : kept beside the run
    """

    campaign: str
    backend: str
    build: Mapping[str, str]
    run: Mapping[str, Any]
    options: Mapping[str, Any]
    earlier: int
    invocation: Mapping[str, Any]

    def dump(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def load(cls, data: bytes) -> "Order":
        return cls(**json.loads(data))


@dataclass(frozen=True)
class Answer:
    """A worker's answer to an order.

    worker : its host's name
    address : the worker's, as the scheduler knows it
    packed : the run's folder, as a compressed tar archive; None if the run was
        cancelled or could not be executed, or if it is too large to send
    exit : how the execution ended
    error : why no run can be executed on this worker; "" if one can
    """

    worker: str
    address: str
    packed: bytes | None = None
    exit: Exit | None = None
    error: str = ""

    def dump(self) -> bytes:
        """A line of JSON, and the archive behind it."""
        header = {
            "worker": self.worker,
            "address": self.address,
            "exit": None if self.exit is None else asdict(self.exit),
            "error": self.error,
        }
        return json.dumps(header).encode() + b"\n" + (self.packed or b"")

    @classmethod
    def load(cls, data: object) -> "Answer":
        """Raises MessageError."""
        if not isinstance(data, bytes):
            raise MessageError("no bytes")
        end = data.find(b"\n", 0, MOST_HEADER_BYTES)
        header = _object(data[: max(end, 0)])
        if set(header) != {"worker", "address", "exit", "error"}:
            raise MessageError("other fields than an answer has")
        ended = header["exit"]
        return cls(
            _text(header["worker"]),
            _text(header["address"]),
            data[end + 1 :] or None,
            None if ended is None else _exit(ended),
            _text(header["error"]),
        )


def too_large(size: int) -> str:
    """Reason why a run of so many bytes does not come back from a worker."""
    return (
        f"the run has {math.ceil(size / MIB)} MiB when compressed, more than the"
        f" {MOST_PACKED_BYTES // MIB} MiB that a worker may send; capture less, or"
        " execute it without --on"
    )


def dump_build(build: Mapping[str, str]) -> bytes:
    return json.dumps(dict(build)).encode()


def load_build(data: object) -> dict[str, str]:
    """A worker's build, or its `error`. Raises MessageError."""
    if not isinstance(data, bytes) or len(data) > MOST_HEADER_BYTES:
        raise MessageError("no bytes")
    return {_text(name): _text(value) for name, value in _object(data).items()}


def printable(text: str) -> str:
    """A stranger's text for a terminal: one line, without control characters."""
    shown = "".join(c if c.isprintable() else "?" for c in text[:MOST_TEXT])
    return shown + ("..." if len(text) > MOST_TEXT else "")


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise MessageError("no JSON") from error
    if not isinstance(value, dict):
        raise MessageError("no JSON object")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise MessageError("no text where one belongs")
    return printable(value)


def _exit(value: object) -> Exit:
    """Raises MessageError."""
    if not isinstance(value, dict) or set(value) != set(Exit.__dataclass_fields__):
        raise MessageError("no exit of a run")
    status, host_accident, cpu_s = (
        value["status"],
        value["host_accident"],
        value["cpu_s"],
    )
    if status not in STATUSES or not isinstance(host_accident, bool):
        raise MessageError("no exit of a run")
    return Exit(
        status,
        _text(value["reason"]),
        _seconds(value["wall_s"]),
        _seconds(value["virtual_s"]),
        None if cpu_s is None else _seconds(cpu_s),
        host_accident,
    )


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MessageError("no time where one belongs")
    if not 0 <= value <= MOST_SECONDS:
        raise MessageError("a time that is none")
    return float(value)
