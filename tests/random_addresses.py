"""`python -m tests.random_addresses WORDS...`: mpbench on a machine that refuses fixed
addresses, as containers do by default.

A filter of system calls answers personality(2) with EPERM unless it only asks.
"""

import ctypes
import struct

LOAD, EQUAL, GIVE, ERROR, ALLOW = 0x20, 0x15, 0x06, 0x00050001, 0x7FFF0000
PERSONALITY, ASKS = 135, 0xFFFFFFFF
NUMBER_AT, ARGUMENT_AT = 0, 16
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
PROGRAM = (
    (LOAD, 0, 0, NUMBER_AT),
    (EQUAL, 0, 3, PERSONALITY),
    (LOAD, 0, 0, ARGUMENT_AT),
    (EQUAL, 1, 0, ASKS),
    (GIVE, 0, 0, ERROR),
    (GIVE, 0, 0, ALLOW),
)


def refuse() -> None:
    """Put this process behind the filter, for good."""
    words = b"".join(struct.pack("HBBI", *word) for word in PROGRAM)
    text = ctypes.create_string_buffer(words)
    program = struct.pack("HxxxxxxQ", len(PROGRAM), ctypes.addressof(text))
    libc = ctypes.CDLL(None)
    assert libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    assert libc.prctl(SECCOMP, FILTER, ctypes.create_string_buffer(program)) == 0


if __name__ == "__main__":
    from mpbench.cli import main

    refuse()
    main()
