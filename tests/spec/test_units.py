"""Quantities: conversion at the edge, and what is refused."""

import pytest

from mpbench import units
from mpbench.units import KINDS, SPELLINGS, check_unit, parse


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("20 Mbit/s", "Mbit/s", 20.0),
        ("20Mbps", "Mbit/s", 20.0),
        ("1.5 Gbit/s", "Mbit/s", 1500.0),
        ("2.5 MB/s", "Mbit/s", 20.0),
        ("56 kbit/s", "Mbit/s", 0.056),
        ("1 megabit per second", "Mbit/s", 1.0),
        ("30 s", "s", 30.0),
        ("2 min", "s", 120.0),
        ("1e3 ms", "s", 1.0),
        ("0.1 s", "ms", 100.0),
        ("250 µs", "ms", 0.25),
        ("250 us", "ms", 0.25),
        ("100 kB", "bytes", 100_000.0),
        ("16 KiB", "bytes", 16_384.0),
        ("8 kbit", "bytes", 1000.0),
        ("1_000 kB", "bytes", 1e6),
        ("1 %", "%", 1.0),
        ("0.5%", "%", 0.5),
        ("100 packets", "packets", 100.0),
        ("1 packet", "packets", 1.0),
        ("100", "packets", 100.0),
        (100, "packets", 100.0),
        (0, "Mbit/s", 0.0),
        ("-3 ms", "ms", -3.0),
    ],
)
def test_converts(text: object, unit: str, expected: float) -> None:
    assert parse(text, unit) == expected


def test_unit_stated_beside_the_number() -> None:
    assert parse(20, "Mbit/s", "kbit/s") == 0.02
    assert parse("20", "Mbit/s", "kbit/s") == 0.02
    assert parse("20 Mbit/s", "Mbit/s", "kbit/s") == 20  # its own unit wins


@pytest.mark.parametrize(
    ("value", "unit", "reason"),
    [
        (
            "10 ms",
            "Mbit/s",
            "'10 ms' is a time; a data rate is needed, such as '20 Mbit/s'",
        ),
        ("20 Mbit/s", "ms", "'20 Mbit/s' is a data rate; a time is needed"),
        ("1 MB", "packets", "is an amount of data; a number of packets is needed"),
        ("20 Mbit", "Mbit/s", "is an amount of data; a data rate is needed"),
        ("3 ms ms", "ms", "of dimension"),
        (20, "Mbit/s", "20 has no unit; write '20 Mbit/s'"),
        (0.01, "%", "write '1 %' if it is a fraction, else '0.01 %'"),
        ("20 Mbt/s", "Mbit/s", "unknown unit 'Mbt/s'; did you mean 'Mbit/s'?"),
        ("5 furlong", "s", "units that fit: ns, us, ms, s"),
        ("20 mbit/s", "Mbit/s", "m is for milli; did you mean 'Mbit/s'?"),
        ("fast", "Mbit/s", "'fast' is not a quantity; write e.g. '20 Mbit/s'"),
        ("1,5 ms", "ms", "'1,5 ms' is not a quantity"),
        ("", "ms", "'' is not a quantity"),
        (True, "ms", "true is not a quantity"),
        (None, "ms", "none is not a quantity"),
        ([1], "ms", "is not a quantity"),
        (float("nan"), "ms", "not a finite number"),
        ("1e999 s", "s", "not a finite number"),
        ("3 s)", "s", "unknown unit"),
        ("2 **9 ms", "ms", "not a quantity"),
    ],
)
def test_refuses(value: object, unit: str, reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(value, unit)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_spelling_on_offer_is_a_unit() -> None:
    for spelling in SPELLINGS:
        for unit in KINDS:
            try:
                check_unit(spelling, unit)
            except ValueError as error:
                assert "unknown" not in str(error)


def test_every_example_is_of_its_kind() -> None:
    for unit, (_, example) in KINDS.items():
        assert parse(example, unit) > 0


@pytest.mark.parametrize(
    ("unit", "own"), [(u, own) for u, known in units.COMMON.items() for own in known]
)
def test_common_units_are_those_of_the_library(
    unit: str, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = (1.0, 0.1, 3.0, 12.34, 1 / 3, 1e-7, 123456789.0)
    quick = [parse(f"{number!r} {own}", unit) for number in numbers]
    monkeypatch.setattr(units, "COMMON", {})
    assert quick == [parse(f"{number!r} {own}", unit) for number in numbers]
