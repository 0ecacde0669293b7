"""The spread that chance gives to networks that draw nothing."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pandas as pd
import pytest

from analysis.campaign.campaign import Campaign
from mpbench.errors import UserError
from studies import kept, spread
from studies.paragraphs import placed


def campaign(values: dict[tuple[int, str], list[float]]) -> Campaign:
    """As much of a campaign as is needed, with the goodputs of each point and case."""
    runs = [
        {
            "point": point,
            "case": case,
            "repetition": i,
            "path1.delay_ms": 10.0 * point,
            "goodput_mbps": value,
        }
        for (point, case), found in values.items()
        for i, value in enumerate(found)
    ]
    found = SimpleNamespace(
        ok_runs=pd.DataFrame(runs),
        listed=(),
        made={"kernel": "1d", "commit": "ab"},
        mptcp_cases=["lia"],
        factors=["path1.delay_ms"],
        metrics=["goodput"],
        columns=lambda metric: [f"{metric}_mbps"],
    )
    return cast(Campaign, found)


@pytest.fixture
def control() -> spread.Control:
    base = campaign({(1, "lia"): [5.0], (2, "lia"): [8.0], (1, "tcp"): [3.0]})
    moved = campaign(
        {(1, "lia"): [5.0, 5.2], (2, "lia"): [7.9, 8.1], (1, "tcp"): [3.0, 3.0]}
    )
    return spread.Control("bulk-low-bdp", base, moved)


def test_runs_of_the_same_network_and_case_over_mptcp_are_paired(
    control: spread.Control,
) -> None:
    assert control.same() == (1, 4)


def test_the_spread_is_that_of_the_first_case_over_mptcp(
    control: spread.Control,
) -> None:
    """Within: the root of 0.02; between: of 5.1 and 8."""
    assert spread.sentence(control) == (
        "In `bulk-low-bdp`, the goodput [Mbit/s] of `lia` has a standard deviation"
        " within networks of 2.16 % of its mean, 0.0690 times that between networks."
    )
    still = spread.Control("a", control.campaign, control.campaign)
    assert spread.sentence(still).endswith("does not vary within a network.")


def test_the_page_has_the_builds_and_a_section_per_control(
    control: spread.Control,
) -> None:
    text = spread.page([control, spread.Control("curl", control.moved, control.moved)])
    assert "- kernel: `1d`\n- commit: `ab`\n\n## `bulk-low-bdp`\n" in text
    assert text.count("*s within* is the standard deviation") == 1
    of_bulk, of_curl = text.split("## `")[1:]
    assert "Of 4 runs over MPTCP, 1 has the goodput [Mbit/s] of the campaign" in of_bulk
    assert "| goodput [Mbit/s] | lia | 2 | 4 | 6.55 | 0.141 | 2.16 |" in of_bulk
    assert of_curl.startswith("curl`\n\nOf 8 runs over MPTCP, 4 have the goodput")


def test_campaigns_of_a_page_stand_in_the_head_of_its_last_table() -> None:
    text = "|  | `a` |\n| --- |\n\n|  | `b-low` | `b-low-v091` |\n| --- | --- |\n"
    assert spread.shown(text) == ["b-low", "b-low-v091"]
    assert spread.shown("| a | b |") == []


def test_a_paragraph_comes_once(control: spread.Control) -> None:
    new = spread.paragraph([control], "thesis/figure-3.4.md")
    assert new.endswith("(spread.md)")
    assert spread.paragraph([control], "x/README.md").endswith("(../thesis/spread.md)")
    once = placed("# T\n\n## Ours\n", [new], [spread.MARK])
    assert once == f"# T\n\n{new}\n\n## Ours\n"
    assert placed(once, [new], [spread.MARK]) == once


def test_paragraphs_of_others_keep_their_place() -> None:
    """So that two commands that write on one page leave what the other wrote."""
    page = "# T\n\n**A.** x\n\n**B.** y\n\n## Ours\n"
    assert placed(page, ["**A.** x"], ["**A.**"]) == page
    assert placed(page, ["**B.** y"], ["**B.**"]) == page
    assert placed(page, ["**A.** z"], ["**A.**"]) == page.replace("x", "z")


def test_the_committed_page_has_what_kept_rows_give(tmp_path: Path) -> None:
    """With the smallest control, whose repetitions differ as well."""
    names = ("table-c1-v091", "table-c1-v091-control")
    for one in kept.everything():
        if one.name in names:
            kept._unpacked(one, tmp_path)
    (found,) = spread.controls(tmp_path)
    (section,) = spread.page([found]).split("## `")[1:]
    assert "| requests per second | lowrtt | 128000 | 6 | 1 |" in section
    assert section in (spread.PAGES / spread.PAGE).read_text("utf-8")


def test_rows_without_moved_delays_are_no_control(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no rows of a control"):
        spread.written(tmp_path)
