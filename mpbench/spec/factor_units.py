"""Units of factors whose values alone say of which kind they are."""

from jobs.vocabulary import COLUMN_UNITS
from mpbench import units

SUFFIXES = {unit: f"_{suffix}" for suffix, unit in COLUMN_UNITS.items()}
"""The end of a column's name, by canonical unit."""


def unit_of(raw: object) -> str | None:
    """The unit that a factor's values have in the file, as the file spells it.

    raw : the factor as the file has it, a list or a mapping
    None if no value has a unit, and the factor names none.
    """
    values: list[object] = []
    if isinstance(raw, dict):
        if isinstance(raw.get("unit"), str):
            return str(raw["unit"])
        values = [raw.get(key) for key in ("min", "max", "step")]
        raw = raw.get("values")
    values += raw if isinstance(raw, list) else []
    found = (units.spelled(value) for value in values)
    return next((unit for unit in found if unit is not None), None)
