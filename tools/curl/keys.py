"""The keys of a download by curl."""

from typing import Annotated, ClassVar

from pydantic import Field

from analysis.run import needs
from mpbench.spec.traffic import DAY_S, Entry, Json
from mpbench.spec.values import OneOf, Quantity
from mpbench.spec.varied import SIZE, START, TIMEOUT

MOST_BYTES = 1e12
Size = Annotated[float, Quantity("bytes", 1, MOST_BYTES)]


class Download(Entry):
    """One file over HTTP/1.1, by curl from nginx."""

    first_port: ClassVar[int] = 80

    tool: Annotated[str, OneOf("tool", ("curl",))] = Field(
        description="The program that downloads."
    )
    size: Size = Field(description="Size of the file.")
    timeout: Annotated[float, Quantity("s", 0.001, DAY_S)] | None = Field(
        default=None,
        description="When to break off, after its start; never if not said.",
    )

    @property
    def measures(self) -> frozenset[str]:
        return frozenset({needs.ONE_DOWNLOAD})

    @property
    def end_s(self) -> float:
        return self.start.latest + (self.timeout or 0.0)

    def job(self, port: int) -> Json:
        return {
            **super().job(port),
            "duration_s": None,
            "bytes": round(self.size),
            "reverse": True,
            "timeout_s": self.timeout,
        }


MODEL = Download
SUMMARY = "one download by HTTP, with its completion time"
STEADY = True
CALLS_PER_PACKET = 7
"""System calls of curl and nginx per packet, counted by a probe in the guest's kernel
(16 MB at 30 Mbit/s): curl waits, reads, writes, reads again, and sets its timers."""
VARIED = (
    SIZE,
    START,
    TIMEOUT,
)
