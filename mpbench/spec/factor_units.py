"""Units of factors whose values alone say of which kind they are."""

from jobs.vocabulary import COLUMN_UNITS
from mpbench import units

SUFFIXES = {unit: f"_{suffix}" for suffix, unit in COLUMN_UNITS.items()}
"""The end of a column's name, by canonical unit."""


def unit_of(raw: object) -> str | None:
    """The unit that a factor's values have in the file, as the file spells it.

    raw : the factor as it stands in the file, a list or a mapping
    None if no value has a unit, and the factor names none.
    """
    if isinstance(raw, dict) and isinstance(raw.get("unit"), str):
        return str(raw["unit"])
    found = (units.spelled(value) for value in _values(raw))
    return next((unit for unit in found if unit is not None), None)


def with_unit(raw: dict[str, object]) -> dict[str, object]:
    """The factor with the unit of its values, if they have any.

    Raises ValueError if a value other than 0 has none beside others that have one.
    """
    unit = unit_of(raw)
    if unit is None or raw.get("unit") is not None:
        return raw
    for value in _values(raw):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and value != 0:
            reason = f"{value} has no unit beside others that have one"
            raise ValueError(f"{reason}; write '{value} {unit}'")
    return {**raw, "unit": unit}


def _values(raw: object) -> list[object]:
    """All values of a factor."""
    values: list[object] = []
    if isinstance(raw, dict):
        values = [raw[key] for key in ("min", "max", "step") if key in raw]
        raw = raw.get("values")
    return values + (raw if isinstance(raw, list) else [])
