"""Networks that the thesis does not print: what reaches a cell, and the pages."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.published.cells import Cell
from mpbench.errors import UserError
from studies import kept, reachability, unprinted_networks
from studies.paragraphs import placed
from studies.unprinted_networks import TABLES, Judged, Table

STEADY, PHASES, PATHS, OUTLIER = TABLES[:4]
BY_LABEL = {table.label: table for table in TABLES}


def cell(table: Table, row: str) -> Cell:
    return next(c for c in table.cells if c.row == row and c.case == "lia")


def judged(fits: list[float], queues: list[float]) -> Judged:
    networks = pd.DataFrame({"a.queue_packets": queues})
    reached = np.zeros((len(fits), 28), dtype=bool)
    return Judged(
        STEADY, "upstream", networks, {"a.queue_packets": (0.0, 90.0)},
        np.zeros((len(fits), 28)), reached, np.array(fits), reached[:, :10], 0,
    )  # fmt: skip


def test_how_near_a_network_has_to_be_is_as_registered() -> None:
    throughput = cell(STEADY, "MPTCP throughput")
    assert unprinted_networks.allowed(throughput) == pytest.approx(0.05 * 6922)
    assert unprinted_networks.allowed(cell(STEADY, "Jain's index")) == 0.005
    distribution = cell(PATHS, "subflow I, traffic distribution")
    assert unprinted_networks.allowed(distribution) == 2.0
    used = cell(STEADY, "MPTCP bandwidth used")
    assert unprinted_networks.allowed(used) == pytest.approx(0.05 * 46.15)


def test_the_fit_has_throughputs_alone() -> None:
    joint = {c.row for c in STEADY.cells if unprinted_networks.is_rate(c)}
    assert joint == {"MPTCP throughput", "SP-TCP throughput", "total throughput"}
    for table in (STEADY, PHASES, PATHS):
        for one in table.cells:
            assert unprinted_networks.is_rate(one) == ("throughput" in one.row)
    mixed = BY_LABEL["Fig. 14"].cells
    assert [unprinted_networks.is_rate(c) for c in mixed] == [True] * 3 + [False] * 2


def test_five_networks_share_a_factor_within_a_third_of_its_range() -> None:
    fits = [0.1, 0.2, 0.3, 0.4, 0.5, 0.01]
    found = judged(fits, [10, 20, 30, 40, 90, 10])
    assert found.best == [5, 0, 1, 2, 3]
    assert found.shared() == {"a.queue_packets": (10.0, 40.0)}
    assert judged(fits, [10, 20, 30, 41, 90, 10]).shared() == {}


def test_a_statement_is_judged_by_the_side_that_its_criterion_asks_for() -> None:
    by_id = {one.id: one for one in STEADY.statements + PATHS.statements}
    runs = pd.DataFrame(
        {
            "case": ["lia", "wvegas", "wvegas"],
            "jain": [0.991, 0.98, 0.98],
            "goodput_mbps": [14.0, 13.0, 14.5],
            "a.path1.throughput_mbps": [8.5, 8.4, 8.4],
        }
    )
    assert unprinted_networks.holds(by_id["jain-high-lia"], runs)
    assert not unprinted_networks.holds(by_id["jain-high-wvegas"], runs)
    assert not unprinted_networks.holds(by_id["jain-wvegas-lia"], runs)
    assert unprinted_networks.holds(by_id["max-min-wvegas-lia"], runs)
    assert unprinted_networks.holds(by_id["fills-first-lia"], runs)
    assert not unprinted_networks.holds(by_id["fills-first-wvegas"], runs)
    with pytest.raises(UserError, match="no runs of this case"):
        unprinted_networks.holds(by_id["jain-high-olia"], runs)


def test_statements_over_two_campaigns_have_no_value_in_a_network() -> None:
    ids = {one.id for one in PHASES.statements}
    assert "olia-phase-2-lia" in ids and "reach-lia" not in ids


def test_a_network_that_reaches_all_cells_is_named() -> None:
    found = judged([0.1, 0.2], [10, 20])
    assert "reached by none of 2 networks" in reachability.told(found)
    found.reached[1] = True
    assert "reached by 1 of 2 networks (1)" in reachability.told(found)


def test_many_networks_that_reach_all_cells_are_counted() -> None:
    found = judged([0.1] * 24, [10] * 24)
    found.reached[:23] = True
    assert "reached by 23 of 24 networks." in reachability.told(found)


def test_a_network_that_reaches_most_cells_is_named() -> None:
    found = judged([0.1, 0.004], [10, 20])
    found.reached[1, :27] = True
    told = reachability.told(found)
    assert "Network 1 reaches most, 27; 1 cell is reached by no network." in told
    assert told.endswith("throughputs is 0.4 % from print.")
    found.reached[0, 27] = True
    assert "27; each cell is reached by some network." in reachability.told(found)


def test_a_table_of_one_cell_has_no_joint_fit() -> None:
    found = judged([0.1, 0.2], [10, 20])
    found = replace(found, reached=found.reached[:, :1])
    assert reachability.told(found) == (
        "Under `upstream`, the cell is reached by none of 2 networks."
        " The best fit is 10.0 % from print."
    )


def test_factors_of_two_links_are_told_apart() -> None:
    ranges = {"wifi.queue_packets": (5.0, 9.0), "g.queue_packets": (5.0, 8.0)}
    both = ["queue of wifi 5 to 9 packets", "queue of g 5 to 8 packets"]
    assert list(reachability.spans(ranges)) == both
    one = {"g.queue_packets": (5.0, 8.0)}
    assert list(reachability.spans(one, ranges)) == both[1:]
    assert list(reachability.spans(one)) == ["queue 5 to 8 packets"]
    assert list(reachability.spans({"a.capacity_mbps": (1.0, 2.0)})) == [
        "capacity 1 to 2 Mbit/s"
    ]


def test_a_paragraph_takes_the_place_of_an_earlier_one() -> None:
    mark = reachability.MARK.format("the thesis")
    new = [f"{mark} New.", f"{mark} Newer."]
    text = f"# T\n\n{mark} Old.\n\n## Ours\n\nx\n"
    wanted = f"# T\n\n{new[0]}\n\n{new[1]}\n\n## Ours\n\nx\n"
    assert placed(text, new, reachability.MARKS) == wanted
    assert placed(wanted, new, reachability.MARKS) == wanted


def test_the_pages_are_those_of_the_kept_rows(tmp_path: Path) -> None:
    kept.unpack_one(reachability.ARCHIVE, tmp_path)
    for path, text in reachability.written(tmp_path).items():
        assert path.read_text(encoding="utf-8") == text, path


def test_an_outlier_is_its_r_n() -> None:
    (one,) = OUTLIER.cells
    assert (one.value, unprinted_networks.allowed(one)) == (-0.26, 0.05)
    runs = pd.DataFrame(
        {"case": ["lowrtt", "roundrobin"], "requests_per_s": [2.0, 4.0]}
    )
    assert unprinted_networks.value(one, runs) == pytest.approx(-1 / 3)
    assert OUTLIER.statements == []


def test_a_time_that_no_run_has_is_not_a_number() -> None:
    table = BY_LABEL["Table V"]
    time = next(c for c in table.cells if c.unit == "s" and c.case == "coupled")
    runs = pd.DataFrame({"case": ["coupled"], time.metric: [np.nan], "verdict": ["ok"]})
    assert np.isnan(unprinted_networks.value(time, runs))
    rate = next(c for c in table.cells if c.unit != "s" and c.case == "coupled")
    with pytest.raises(UserError):
        unprinted_networks.value(rate, runs.assign(**{rate.metric: np.nan}))


def test_each_table_has_cells_a_page_and_a_campaign() -> None:
    for table in TABLES:
        assert table.cells, table.label
        assert (reachability.PAGES / table.page).is_file(), table.label
    files = (Path(__file__).parent / "reach").glob("*.yaml")
    assert {file.stem for file in files} == {table.campaign for table in TABLES}
    assert len(BY_LABEL["Table III"].statements) == 9


def test_an_archive_that_is_not_named_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no nothing\.tar\.xz"):
        kept.unpack_one("nothing", tmp_path)
