"""The interface of traffic entries whose connections the plan draws."""

from abc import abstractmethod
from typing import TYPE_CHECKING

from mpbench.spec.traffic import Entry
from mpbench.spec.traffic_patterns import Pattern
from topologies.description import Description


class DrawnEntry(Entry):
    """Keys of an entry whose record in a job is a `jobs.entries.DrawnFlows`."""

    if TYPE_CHECKING:

        @property
        def assign(self) -> str | None:
            """The way in which connections are assigned to users."""

    @abstractmethod
    def of_several_users(self, topology: Description) -> bool:
        """Whether it is of a set of users of a network, each with its own server."""

    @abstractmethod
    def pattern(self, topology: Description) -> Pattern:
        """Who sends to whom, if it is between many hosts."""

    @property
    @abstractmethod
    def of_rest(self) -> bool:
        """Whether it has the senders that another entry leaves."""

    @abstractmethod
    def is_rest_of(self, other: Entry) -> bool:
        """Whether the senders are those that `other` leaves."""
