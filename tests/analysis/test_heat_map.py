"""Maps of a metric over two factors, and panels of networks by a factor."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.figures.drawn_figure import UndrawableError
from analysis.figures.kinds.heat_map.data import HeatMapData, data
from analysis.figures.kinds.heat_map.drawing import norm_of
from analysis.figures.kinds.scatter.data import data as scatter_data
from analysis.figures.kinds.trade_off.data import data as trade_off_data
from analysis.figures.style import Look, Target
from mpbench import experiment_files
from mpbench.errors import UserError
from tests.analysis import requests
from tests.analysis.requests import asked

MAP = {"kind": "heat_map", "metric": "goodput"}
FACTORS = ("path1.loss_percent", "path2.delay_ms")


def campaign(goodput: dict[str, list[float]], delays: list[float]) -> Campaign:
    """Networks with losses 0 and 1 in turn, and a delay and a goodput each."""
    rows: list[dict[str, Any]] = [
        {
            "id": f"{case}{point}",
            "point": point,
            "case": case,
            "repetition": 0,
            "verdict": "ok",
            "reason": "",
            "protocol": "mptcp",
            "path1.loss_percent": point % 2,
            "path2.delay_ms": delays[point],
            "path1.discipline": ["codel", "red"][point % 2],
            "goodput_mbps": value,
            "srtt_ms": 10.0 + value,
        }
        for case, values in goodput.items()
        for point, value in enumerate(values)
    ]
    return Campaign("made", table.build(rows), FACTORS)


def heat(made: Campaign, **keys: Any) -> HeatMapData:
    request = asked(**{**MAP, "by": "path1.loss", "versus": "path2.delay", **keys})
    return data(request, made)  # type: ignore[arg-type]


def test_a_cell_far_beyond_the_others_does_not_take_all_colours() -> None:
    goodput = [10.0, 11, 12, 13, 14, 15, 16, 500]
    found = heat(campaign({"a": goodput}, [10, 10, 20, 20, 30, 30, 40, 40]))
    assert found.shown is not None and found.shown.high == 16
    assert found.note == (
        "1 of 8 cells has a value far beyond the others, and the colour of the scale's"
        " end. The greatest of the others is 16 Mbit/s."
    )
    norm = norm_of(found)
    assert (norm.vmin, norm.vmax) == (10, 16)
    even = heat(campaign({"a": [*goodput[:-1], 17]}, [10, 10, 20, 20, 30, 30, 40, 40]))
    assert even.shown is None and even.note == ""


def test_a_cell_has_the_median_of_its_networks() -> None:
    """Two delays of three digits at most are rows, each with the values it has."""
    made = campaign({"a": [1.0, 2, 3, 8, 5, 4]}, [10, 10, 10, 20, 20, 10])
    found = heat(made)
    assert (found.across, found.up) == (["0", "1"], ["10", "20"])
    assert found.maps["a"].tolist() == [[2, 3], [5, 8]]
    assert found.labels == ("path 1 loss [%]", "path 2 delay [ms]")
    assert set(found.summary["n"]) == {1, 2}


def test_a_spread_factor_has_ranges() -> None:
    """From the least value to the greatest; a value at an end is of the lower range."""
    delays = [10.0, 20.0, 30.0, 40.001, 60.0, 14.0]
    made = campaign({"a": [1.0, 2, 3, 4, 5, 6]}, delays)
    found = heat(made, batches=5)
    assert found.up == ["10 to 20", "20 to 30", "30 to 40", "40 to 50", "50 to 60"]
    assert found.maps["a"][0].tolist() == [1, 4]  # 20 ms lies in the lower range
    assert found.maps["a"][:, 0].tolist() == pytest.approx(
        [1, 3, np.nan, np.nan, 5], nan_ok=True
    )
    assert found.maps["a"][3, 1] == 4


def test_a_range_has_ranges_although_a_list_repeats_its_values() -> None:
    """`batches: 3` asks for three rows, not for one per number of a range."""
    made = campaign({"a": [1.0, 2, 3, 4, 5, 6]}, [10.111, 20.222, 30.333] * 2)
    known = replace(made, listed=("path1.loss_percent",))
    assert heat(known, batches=2).up == ["10 to 20", "20 to 30"]
    both = replace(made, listed=("path1.loss_percent", "path2.delay_ms"))
    assert len(heat(both, batches=2).up) == 3


def test_a_spread_factor_that_has_one_value_is_one_row() -> None:
    """All networks of `--only`, or of one point, may have the same delay."""
    made = replace(campaign({"a": [1.0, 2, 3, 4]}, [21.2512] * 4), listed=())
    found = heat(made, batches=3)
    assert list(found.up) == ["21.25"]
    assert found.maps["a"].tolist() == [[2, 3]]


def test_differences_are_of_the_same_network() -> None:
    values = {"a": [1.0, 2, 4, 8], "b": [2.0, 2, 5, 4]}
    found = heat(campaign(values, [10, 10, 20, 20]), over="a")
    assert found.signed and list(found.maps) == ["b"]
    assert found.maps["b"].tolist() == [[100, 0], [25, -50]]
    assert found.colours == "goodput, difference from a [%]"
    values["a"][0] = 0.0
    found = heat(campaign(values, [10, 10, 20, 20]), over="a")
    assert found.maps["b"].tolist() == [[2, 0], [1, -4]]
    assert found.colours == "goodput, difference from a [Mbit/s]"


def test_words_are_rows_too() -> None:
    made = campaign({"a": [1.0, 2, 3, 8]}, [10, 10, 20, 20])
    found = heat(made, by="path2.delay", versus="path1.discipline")
    assert found.up == ["codel", "red"]
    assert found.maps["a"].tolist() == [[1, 3], [2, 8]]


def test_the_difference_of_one_case_is_told() -> None:
    made = campaign({"a": [1.0, 2]}, [10, 20])
    with pytest.raises(UndrawableError, match="no two cases have a network in common"):
        heat(made, over="a")


def test_a_map_is_drawn(tmp_path: Path) -> None:
    values = {name: [1.0, 2, 3, 4] for name in "abcd"}
    made = campaign(values, [10, 10, 20, 20])
    figure = {**MAP, "by": "path1.loss", "versus": "path2.delay", "over": "a"}
    drawn = requests.draw(figure, made, Target(tmp_path, "map", Look(formats=("png",))))
    assert (tmp_path / f"{drawn.name}.png").stat().st_size > 5000


def test_networks_by_a_factor_have_panels() -> None:
    values = {"a": [1.0, 2, 3, 4], "b": [5.0, 6, 7, 8]}
    made = campaign(values, [10, 10, 20, 20])
    request = asked("scatter", metric="goodput", by="path2.delay", panels="path1.loss")
    found = scatter_data(request, made)  # type: ignore[arg-type]
    assert [panel.name for panel in found.panels] == [
        "path 1 loss 0 %",
        "path 1 loss 1 %",
    ]
    assert found.panels[1].cases["b"].means.tolist() == [6, 8]
    both = asked(
        "trade_off", metric="goodput", against="smoothed_rtt", panels="path1.loss"
    )
    clouds = trade_off_data(both, made).panels  # type: ignore[arg-type]
    assert [panel.clouds["a"].y.tolist() for panel in clouds] == [[1, 3], [2, 4]]
    assert clouds[0].name == "path 1 loss 0 %"


FILE = """\
name: x
topology: two_path
design:
  points: 4
  factors:
    path1.loss: [0 %, 1 %]
    path2.delay: {{min: 1 ms, max: 50 ms}}
cases:
  a: {{protocol: mptcp, congestion_control: lia}}
  b: {{protocol: tcp, congestion_control: reno, path: 1}}
traffic: [{{tool: iperf3, from: client, to: server, duration: 5 s}}]
metrics: [goodput]
figures:
  - {0}
"""


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ("{kind: heat_map, metric: goodput, by: path1.loss}", "versus: missing"),
        (
            "{kind: heat_map, metric: goodput, by: path1.loss, versus: path1.loss}",
            r"on the horizontal axis \(by\); take another factor",
        ),
        (
            "{kind: heat_map, metric: goodput, by: path1.loss, versus: path1.delay}",
            "versus: 'path1.delay' is the same in all runs",
        ),
        ("{kind: box, metric: goodput, versus: path1.loss}", "box has none"),
        (
            "{kind: over_time, quantities: [jain]}",
            "'jain' is of several traffic entries, and there is one; take goodput",
        ),
    ],
)
def test_mistakes_are_told(tmp_path: Path, figure: str, message: str) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(FILE.format(figure))
    with pytest.raises(UserError, match=rf"x\.yaml:1[0-9]: .*{message}"):
        experiment_files.load(file)
