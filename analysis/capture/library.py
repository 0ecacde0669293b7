"""The compiled core: the types of its rows, and its functions.

The core (`core/*.c`) is a plain C library, which `pip install` builds. It describes its
row types itself, so they cannot differ from those that Python uses.
"""

import ctypes
import functools
import importlib.machinery
from pathlib import Path

import numpy as np

TABLES = (
    "connections",
    "data",
    "subflows",
    "directions",
    "series",
    "events",
    "inputs",
)
"""In the core's order."""

DONE = -1
FULL = -2
TYPES = {"i64": "<i8", "u64": "<u8"}
_NAME = "_core"


class Settings(ctypes.Structure):
    """`struct settings`; all of 64 bits."""

    _fields_ = [
        (name, ctypes.c_int64)
        for name in (
            "interval_ns",
            "idle_ns",
            "pair_ns",
            "budget",
            "linger_ns",
            "events",
            "seed",
        )
    ]


class MissingCoreError(Exception):
    """The core is not built, or is of another version than the Python beside it."""


def _file() -> Path:
    folder = Path(__file__).parent
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        if (folder / f"{_NAME}{suffix}").is_file():
            return folder / f"{_NAME}{suffix}"
    raise MissingCoreError(
        "the compiled core of capture analysis is missing: "
        "`pip install -e .` in mpbench's folder builds it (needs gcc)"
    )


@functools.cache
def load() -> ctypes.CDLL:
    """The library, its functions typed. Raises MissingCoreError."""
    core = ctypes.CDLL(str(_file()))
    pointer, number = ctypes.c_void_p, ctypes.c_int
    size = ctypes.POINTER(ctypes.c_size_t)
    signatures = {
        "analyser_new": (pointer, [ctypes.POINTER(Settings)]),
        "analyser_add": (number, [pointer, number]),
        "analyser_buffer": (pointer, [pointer, number, size]),
        "analyser_fed": (None, [pointer, number, ctypes.c_size_t]),
        "analyser_end": (None, [pointer, number]),
        "analyser_run": (number, [pointer]),
        "analyser_rows": (pointer, [pointer, number, size]),
        "analyser_clear": (None, [pointer, number]),
        "analyser_fields": (ctypes.c_char_p, [number]),
        "analyser_memory": (ctypes.c_int64, [pointer]),
        "analyser_short_of_memory": (number, [pointer]),
        "analyser_retired_early": (ctypes.c_int64, [pointer]),
        "analyser_zero": (ctypes.c_int64, [pointer]),
        "analyser_free": (None, [pointer]),
    }
    try:
        for name, (result, arguments) in signatures.items():
            function = getattr(core, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise MissingCoreError(f"{core._name}: {error}; build it again") from error
    return core


@functools.cache
def row_type(table: str) -> np.dtype:
    """The structured type of a table's rows."""
    text = load().analyser_fields(TABLES.index(table)).decode()
    fields = (line.split() for line in text.splitlines())
    return np.dtype([(name, TYPES[kind]) for kind, name in fields])


def rows(core: ctypes.CDLL, handle: int, table: str, copied: bool = True) -> np.ndarray:
    """The rows that a table holds now, shape (n,).

    copied : if not, the array is the core's own memory, until it is called again
    """
    count = ctypes.c_size_t()
    number = TABLES.index(table)
    where = core.analyser_rows(handle, number, ctypes.byref(count))
    kind = row_type(table)
    if not count.value:
        return np.empty(0, kind)
    raw = (ctypes.c_char * (count.value * kind.itemsize)).from_address(where)
    table_rows = np.frombuffer(memoryview(raw), kind)
    return table_rows.copy() if copied else table_rows
