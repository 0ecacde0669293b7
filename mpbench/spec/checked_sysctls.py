"""Sysctls that an experiment file sets by their full names."""

from jobs import sysctls
from mpbench.spec import knobs
from mpbench.spec.messages import shortened
from mpbench.spec.values import check_each
from mpbench.spec.vocabulary import RESERVED_SYSCTLS

_RESERVED = RESERVED_SYSCTLS | knobs.reserved()


def checked_sysctls(value: object) -> object:
    """The sysctls with checked names, and values as text."""
    return check_each(value, _sysctl) if isinstance(value, dict) else value


def _sysctl(name: str, value: object) -> str:
    if name in RESERVED_SYSCTLS:
        raise ValueError(f"has a key of its own; write '{RESERVED_SYSCTLS[name]}:'")
    if name in _RESERVED:
        raise ValueError(f"has a key of its own; write '{_RESERVED[name]}'")
    if not sysctls.NAME.fullmatch(name):
        raise ValueError("not a network sysctl; write e.g. net.ipv4.tcp_sack")
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"'{shortened(value)}' is neither text nor a whole number")
    return str(value)
