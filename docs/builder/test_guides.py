"""The numbers of networks in the guide are those of the test that it names."""

import re
from math import ceil

from statsmodels.stats.power import TTestPower

from docs.builder.measured import DOCS


def test_the_numbers_of_networks() -> None:
    text = (DOCS / "how-many-runs.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) == 5
    for effect, *numbers in rows:
        for number, power in zip(numbers, (0.8, 0.9), strict=True):
            needed = TTestPower().solve_power(float(effect), alpha=0.05, power=power)
            assert int(number) == ceil(needed), effect
