"""The columns of numbers that programs print, and the units that column names state."""

UNITS = {
    "mbps": "Mbit/s",
    "ms": "ms",
    "s": "s",
    "percent": "%",
    "packets": "packets",
    "bytes": "bytes",
}
"""The unit that the last part of a column's name stands for."""
PLAIN = "1"
"""The unit of a number without one."""
NUMBER_UNITS = (*dict.fromkeys(UNITS.values()), PLAIN)
SUFFIXES = {unit: suffix for suffix, unit in UNITS.items()}


def column(name: str, unit: str, tool: str = "command") -> str:
    """The column of a number: `command.time_ms` for `time` in `ms`."""
    return f"{tool}.{name}" + (f"_{SUFFIXES[unit]}" if unit in SUFFIXES else "")
