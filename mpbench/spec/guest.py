"""The key `guest`: what the machine has that a guest is."""

from typing import Annotated

from pydantic import Field

from jobs import guest as record
from mpbench import units
from mpbench.guest_memory import LEAST_MIB, MIB, MOST_MIB, USUAL_MIB, words
from mpbench.spec.messages import shortened
from mpbench.spec.values import Part, Quantity


class Memory(Quantity):
    """Marks the memory of a guest, in bytes."""

    def check(self, value: object) -> float:
        if self._bare(value):
            self._refuse(value, "GiB")
        number = units.parse(value, self.unit)
        if not self.low <= number <= self.high:
            least, most = words(LEAST_MIB), words(MOST_MIB)
            raise ValueError(f"{shortened(value)}; {least} to {most} work")
        return number


class Guest(Part):
    """The machine that a guest is."""

    memory: Annotated[float, Memory("bytes", LEAST_MIB * MIB, MOST_MIB * MIB)] = Field(
        default=float(USUAL_MIB * MIB),
        description="Its memory; a run takes of the host's what it uses of it.",
    )

    @property
    def given(self) -> bool:
        """Whether the file says how much memory."""
        return "memory" in self.model_fields_set

    @property
    def memory_mib(self) -> int:
        """Whole MiB; what is beyond is left out."""
        return int(self.memory) // MIB

    def job(self) -> record.Guest | None:
        """The machine as a job says it; None if it is as usual."""
        if self.memory_mib == USUAL_MIB:
            return None
        return record.Guest(memory_mib=self.memory_mib)
