"""The keys of adaptive video."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict

from analysis.campaign.directions import LESS, MORE, Direction
from mpbench import units
from mpbench.spec.traffic import DAY_S, Entry, Json
from mpbench.spec.values import (
    TEXT_PATTERN,
    Faults,
    OneOf,
    Quantity,
    several,
    several_schema,
)
from mpbench.spec.varied import START, Varied
from tools.video.columns import BITRATE, BUFFER, CHUNK, QUALITY, WORSE_IF_MORE
from tools.video.record import LEAST_MBPS, MOST_CHUNKS, MOST_MBPS, MOST_RATES, RULES

MOST_BUFFER_S = 3_600


def _rate(value: object) -> float:
    rate_mbps = units.parse(value, "Mbit/s")
    if not LEAST_MBPS <= rate_mbps <= MOST_MBPS:
        limits = f"{LEAST_MBPS:g} to {MOST_MBPS:g}"
        raise ValueError(f"{rate_mbps:g} Mbit/s is not within {limits}")
    return rate_mbps


def _rate_schema(schema: JsonDict) -> None:
    schema.clear()
    schema |= {"type": "string", "pattern": TEXT_PATTERN, "examples": ["2 Mbit/s"]}


Rate = Annotated[float, BeforeValidator(_rate), Field(json_schema_extra=_rate_schema)]


class Play(Entry):
    """A video, of which each chunk is loaded in one of several bitrates."""

    first_port: ClassVar[int] = 8901

    tool: Annotated[str, OneOf("tool", ("video",))] = Field(
        description="The program that plays."
    )
    bitrates: Annotated[
        tuple[Rate, ...],
        several(str),
        Field(min_length=1, max_length=MOST_RATES),
    ] = Field(
        description="The bitrates that the video has, ascending.",
        json_schema_extra=several_schema,
    )
    duration: Annotated[float, Quantity("s", 0.1, DAY_S)] = Field(
        default=60.0, description="Length of the video, in whole chunks."
    )
    chunk: Annotated[float, Quantity("s", 0.1, 600)] = Field(
        default=4.0, description="Length of a chunk."
    )
    buffer: Annotated[float, Quantity("s", 0.1, MOST_BUFFER_S)] = Field(
        default=60.0, description="The most video that the player keeps."
    )
    resume: Annotated[float, Quantity("s", 0.1, MOST_BUFFER_S)] | None = Field(
        default=None,
        description="How much must be there before it plays, at first and after a"
        " stall; a chunk if not said.",
    )
    rule: Annotated[str, OneOf("rule", RULES)] = Field(
        default="buffer",
        description="buffer: BBA-0, by the buffer alone; rate: by the rates at which"
        " the last five chunks came.",
    )
    timeout: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        default=60.0, description="Longest wait for the connection, or for a chunk."
    )

    def _check(self, faults: Faults) -> None:
        for one, after in pairwise(self.bitrates):
            if one >= after:
                reason = f"{after:g} Mbit/s follows {one:g}; write them ascending"
                faults.add(("bitrates",), reason)
                break
        if abs(self._chunks * self.chunk - self.duration) > 1e-6:
            reason = f"{self.duration:g} s is not whole chunks of {self.chunk:g} s"
            fits = max(1, self._chunks) * self.chunk
            faults.add(("duration",), f"{reason}; {fits:g} s is")
        elif self._chunks > MOST_CHUNKS:
            reason = f"{self._chunks} chunks; at most {MOST_CHUNKS} work"
            faults.add(("duration",), reason)
        if self._resume_s < self.chunk:
            faults.add(("resume",), f"less than a chunk of {self.chunk:g} s")
        if self.buffer < self._resume_s:
            reason = f"{self.buffer:g} s cannot hold the {self._resume_s:g} s"
            faults.add(("buffer",), f"{reason} with which it plays")

    @property
    def _chunks(self) -> int:
        return round(self.duration / self.chunk)

    @property
    def _resume_s(self) -> float:
        return self.chunk if self.resume is None else self.resume

    @property
    def columns(self) -> tuple[str, ...]:
        return (*WORSE_IF_MORE, BITRATE)

    @property
    def good(self) -> Mapping[str, Direction]:
        more: Direction = MORE
        return {BITRATE: more, **dict.fromkeys(WORSE_IF_MORE, LESS)}

    @property
    def samples(self) -> tuple[str, ...]:
        return (CHUNK,)

    @property
    def series(self) -> tuple[str, ...]:
        return (BUFFER, QUALITY)

    @property
    def end_s(self) -> float:
        return self.start.latest + self.duration

    def job(self, port: int) -> Json:
        most_mbps = self.bitrates[-1]
        return {
            **super().job(port),
            "duration_s": None,
            "bytes": self._chunks * round(most_mbps * 1e6 * self.chunk / 8),
            "reverse": True,
            "chunk_s": self.chunk,
            "chunks": self._chunks,
            "rates_mbps": list(self.bitrates),
            "buffer_s": self.buffer,
            "resume_s": self._resume_s,
            "rule": self.rule,
            "timeout_s": self.timeout,
        }


MODEL = Play
SUMMARY = "adaptive video, with its stalls, bitrates and buffer"
STEADY = True
VARIED = (
    START,
    Varied("buffer", "s", "buffer_s", 0.1, MOST_BUFFER_S, False, "video it keeps"),
    Varied("chunk", "s", "chunk_s", 0.1, 600, False, "length of a chunk"),
)
