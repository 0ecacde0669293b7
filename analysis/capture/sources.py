"""Capture files as streams of bytes, decompressed on the way."""

import contextlib
import errno
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
STANDARD_INPUT = "-"


class Readable(Protocol):
    """Bytes that a source reads into a buffer; 0 at the end."""

    def readinto(self, buffer: memoryview, /) -> int: ...


@dataclass
class Stream:
    """An open source.

    fault : why the stream ended before its end; None if it did not
    """

    name: str
    readable: Readable
    fault: str | None = None

    def readinto(self, buffer: memoryview) -> int:
        """As many bytes as there are now; 0 at the end, damaged or not."""
        try:
            return self.readable.readinto(buffer) or 0
        except (EOFError, zlib.error, OSError) as error:
            self.fault = " ".join(str(error).split()) or type(error).__name__
            return 0


class _Whole:
    """The bytes read to detect the format, followed by the rest of the stream."""

    closed = False
    """Arrow asks for it, and closes what it reads; the file is its opener's."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self.head, self.rest = head, rest

    def read(self, count: int = -1) -> bytes:
        if not self.head:
            return self.rest.read(count)
        taken = self.head if count < 0 else self.head[:count]
        self.head = self.head[len(taken) :]
        return taken if count >= 0 else taken + self.rest.read()

    def close(self) -> None:
        self.closed = True

    def readinto(self, buffer: memoryview) -> int:
        if not self.head:
            return int(self.rest.readinto(buffer))  # type: ignore[attr-defined]
        taken = self.read(len(buffer))
        buffer[: len(taken)] = taken
        return len(taken)


class _Gzip:
    """Members of gzip, one after another; what a damaged one gave still counts."""

    CHUNK = 1 << 17

    def __init__(self, source: _Whole) -> None:
        self.source = source
        self.zlib = zlib.decompressobj(wbits=31)
        self.waiting = b""
        self.begun = False
        self.fault: zlib.error | None = None

    def readinto(self, buffer: memoryview) -> int:
        while True:
            if self.fault:
                raise self.fault
            more = self.waiting or self.source.read(self.CHUNK)
            if not more:
                if self.begun and not self.zlib.eof:
                    raise EOFError("the gzip stream is cut short")
                return 0
            if self.zlib.eof:
                self.zlib = zlib.decompressobj(wbits=31)
            self.begun = True
            before = self.zlib.copy()
            try:
                taken = self.zlib.decompress(more, len(buffer))
            except zlib.error as error:
                self.fault = error
                taken = _before_the_fault(before, more, len(buffer))
            self.waiting = self.zlib.unconsumed_tail or self.zlib.unused_data
            if taken:
                buffer[: len(taken)] = taken
                return len(taken)


def _before_the_fault(stream: Any, packed: bytes, most: int) -> bytes:
    """The bytes before the fault in a piece of damaged gzip."""
    unpacked = b""
    with contextlib.suppress(zlib.error):
        for at in range(len(packed)):
            unpacked += stream.decompress(
                packed[at : at + 1], most - len(unpacked) or 1
            )
    return unpacked[:most]


def _zstd(source: _Whole) -> Readable:
    try:
        import pyarrow
    except ImportError as error:
        remedy = "`pip install pyarrow` brings what reads it, or unpack it by zstd -d"
        raise OSError(errno.ENOTSUP, f"packed with zstd; {remedy}") from error
    return _Arrow(
        pyarrow.CompressedInputStream(pyarrow.PythonFile(source, mode="r"), "zstd")
    )


class _Arrow:
    """A stream of Arrow, in pieces small enough that a cut one gives most."""

    PIECE = 1 << 13

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def readinto(self, buffer: memoryview) -> int:
        taken = self.stream.read(min(len(buffer), self.PIECE))
        buffer[: len(taken)] = taken
        return len(taken)


@contextmanager
def opened(name: str | Path) -> Iterator[Stream]:
    """A capture file, plain or compressed with gzip or zstd; `-` is standard input.

    Raises OSError if it cannot be opened.
    """
    if str(name) == STANDARD_INPUT:
        yield Stream("standard input", _decompressed(sys.stdin.buffer))
        return
    with Path(name).open("rb", buffering=0) as file:
        yield Stream(str(name), _decompressed(file))


def _decompressed(file: BinaryIO) -> Readable:
    head = file.read(4) or b""
    source = _Whole(head, file)
    if head.startswith(GZIP):
        return _Gzip(source)
    if head == ZSTD:
        return _zstd(source)
    return source
