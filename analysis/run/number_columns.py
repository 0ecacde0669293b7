"""The columns of numbers that programs print, and the units that column names state."""

from jobs.vocabulary import COLUMN_UNITS

UNITS = COLUMN_UNITS

SUFFIXES = {unit: suffix for suffix, unit in UNITS.items()}


def column(name: str, unit: str, tool: str = "command") -> str:
    """The column of a number: `command.time_ms` for `time` in `ms`."""
    return f"{tool}.{name}" + (f"_{SUFFIXES[unit]}" if unit in SUFFIXES else "")


def words(column: str) -> tuple[str, str]:
    """The name of a number in running text, and its unit, from `TOOL.NAME_UNIT`; the
    unit is "" for a plain number."""
    stem, _, suffix = column.rpartition("_")
    unit = UNITS.get(suffix, "") if stem else ""
    return (stem if unit else column).replace("_", " "), unit
