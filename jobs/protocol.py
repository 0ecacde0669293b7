"""Facts that follow from a protocol's name, for cases and for transports of jobs."""

from typing import TYPE_CHECKING

from jobs.vocabulary import QUIC

ONE_PATH = ("tcp", "quic")


class Spoken:
    """A record with a `protocol`, one of `jobs.vocabulary.PROTOCOLS`."""

    if TYPE_CHECKING:

        @property
        def protocol(self) -> str: ...

    @property
    def is_quic(self) -> bool:
        return self.protocol in QUIC

    @property
    def one_path(self) -> bool:
        """Whether a connection takes one path of those that its host has."""
        return self.protocol in ONE_PATH
