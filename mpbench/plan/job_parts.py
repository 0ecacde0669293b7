"""The parts of which the format of a job is made: see `job_format`."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from mpbench.guest import sysctls
from mpbench.spec.vocabulary import PROTOCOLS
from topologies import networks

MOST_SECONDS = 1e8
MOST_BYTES = 10**15

_WORD = re.compile(r"[a-z0-9][a-z0-9_-]{0,15}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SYSCTL_VALUE = re.compile(r"[\x20-\x7e\t]{0,1000}")


def _matching(pattern: re.Pattern[str], what: str) -> AfterValidator:
    def check(value: str) -> str:
        if not pattern.fullmatch(value):
            raise ValueError(f"{value[:40]!r} is not {what}")
        return value

    return AfterValidator(check)


def _sysctl(name: str) -> str:
    sysctls.path(name)
    return name


Word = Annotated[str, _matching(_WORD, "a name that a kernel knows")]
Name = Annotated[str, _matching(_NAME, "a name of letters, digits, '-', '_' and '.'")]
Sysctl = Annotated[str, AfterValidator(_sysctl)]
SysctlValue = Annotated[str, _matching(_SYSCTL_VALUE, "a line of text")]
Number = Annotated[float, Field(ge=-1e15, le=1e15)]
Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS)]
LastingSeconds = Annotated[float, Field(gt=0, le=MOST_SECONDS)]
Milliseconds = Annotated[float, Field(ge=0, le=1e6)]
Size = Annotated[int, Field(ge=1, le=MOST_BYTES)]
Paths = Annotated[
    list[Annotated[int, Field(ge=1, le=networks.MOST_PATHS)]],
    Field(max_length=networks.MOST_PATHS),
]
"""Numbers of paths, from 1."""


class Part(BaseModel):
    """A mapping of the job; it refuses unknown keys, other types and NaN."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False
    )


class Transport(Part):
    """The transport of a case, or of one traffic entry."""

    protocol: Literal[PROTOCOLS]  # type: ignore[valid-type]
    congestion_control: Word
    scheduler: Word | None
    path: Annotated[int, Field(ge=1, le=100)] | None
    path_manager: Word | None
    sysctls: dict[Sysctl, SysctlValue]
    backup: Paths | None = None

    @model_validator(mode="after")
    def _mptcp_has_a_scheduler(self) -> Self:
        if self.protocol == "mptcp" and None in (self.scheduler, self.path_manager):
            raise ValueError("mptcp needs a scheduler and a path manager")
        return self


class Entry(Part):
    """What a traffic entry of every tool has."""

    source: Name = Field(alias="from")
    destination: Name = Field(alias="to")
    start_s: Seconds
    port: Annotated[int, Field(ge=1, le=65535)]
    transport: Transport | None = None
