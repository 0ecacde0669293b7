"""Small multiples, heat maps, lines across factors and scales of axes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.dashboard import html, payload
from analysis.dashboard.html import dashboard
from tests.dashboard.looks import Look, label_of

AREA = "#panels .area"
LOSSES, DELAYS = (0.0, 1.0), (10.0, 50.0, 100.0)


def page(
    folder: Path, goodput: Mapping[str, Sequence[float]], names: Sequence[str] = ("x",)
) -> Path:
    """The dashboard of a grid of losses and delays, with a goodput per case and point.

    names : of campaigns, which all have the same runs
    """
    rows: list[dict[str, Any]] = []
    for case, values in goodput.items():
        for point, value in enumerate(values):
            run = f"{case}{point}"
            (folder / run).mkdir(parents=True, exist_ok=True)
            job = {"topology": "t", "seed": 1, "parameters": {}, "transport": {}}
            (folder / run / "job.json").write_text(json.dumps(job))
            place = divmod(point, len(DELAYS))
            rows.append(
                {
                    "id": run,
                    "point": point,
                    "case": case,
                    "repetition": 0,
                    "verdict": "ok",
                    "reason": "",
                    "protocol": "mptcp",
                    "path1.loss_percent": LOSSES[place[0] % 2],
                    "path1.delay_ms": DELAYS[place[1]],
                    "goodput_mbps": value,
                    "srtt_ms": 100 + value,
                }
            )
    factors = ("path1.loss_percent", "path1.delay_ms")
    campaigns = [
        Campaign(
            name, table.build(rows), factors, ("goodput", "smoothed_rtt"), folder=folder
        )
        for name in names
    ]
    file = folder / "dashboard.html"
    file.write_text(dashboard("made up", campaigns))
    return file


SIX = {"a": [1.0, 2, 3, 4, 5, 6], "b": [2.0, 4, 6, 2, 2.5, 3]}


def test_a_map_has_the_median_of_each_cell(browser: Chrome, tmp_path: Path) -> None:
    look = Look(browser, page(tmp_path, SIX))
    said = label_of(look.one(AREA))
    assert said.startswith("Median of goodput [Mbit/s] over path 1 loss [%]")
    assert "a, path 1 loss 1 %, path 1 delay 50 ms: 5" in said
    assert "b, path 1 loss 0 %, path 1 delay 100 ms: 6" in said
    look.choose("#panels select[aria-label='Compared with']", "0")
    said = label_of(look.one(AREA))
    assert "difference from a [%]" in said and "; a, " not in said
    assert "b, path 1 loss 0 %, path 1 delay 10 ms: +100" in said
    assert "b, path 1 loss 1 %, path 1 delay 100 ms: \u221250" in said
    assert look.complaints() == []


def test_a_cell_picks_its_runs_and_stands_in_the_address(
    browser: Chrome, tmp_path: Path
) -> None:
    look = Look(browser, page(tmp_path, SIX))
    area = look.one(AREA)
    look.script("arguments[0].scrollIntoView({block: 'center'})", area)
    cell = look.script(
        "return document.querySelector('#panels .area canvas').offsetWidth"
    )
    # The upper left cell of the first map: little loss, and the longest delay.
    ActionChains(look.driver).move_to_element_with_offset(
        area, round(cell * 0.2 - cell / 2), round(24 + 10 - area.size["height"] / 2)
    ).click().perform()
    assert look.counted == 2
    look.until(lambda: "pick=heat~0~0~100~100" in look.fragment)
    again = Look(
        browser, tmp_path / "dashboard.html", look.script("return location.hash")
    )
    assert again.counted == 2
    again.one("#reset").click()
    assert again.counted == 12


def test_small_multiples_by_factor_and_case(browser: Chrome, tmp_path: Path) -> None:
    look = Look(browser, page(tmp_path, SIX))
    look.one("#panels [data-mode=multiples]").click()
    said = label_of(look.one(AREA))
    assert "path 1 loss 0 %: 6 runs; path 1 loss 1 %: 6 runs" in said
    look.choose("#panels select[aria-label='A panel per']", ":case")
    assert "a: 6 runs; b: 6 runs" in label_of(look.one(AREA))
    look.until(lambda: "panel_by=:case" in look.fragment)
    again = Look(
        browser, tmp_path / "dashboard.html", look.script("return location.hash")
    )
    assert "a: 6 runs; b: 6 runs" in label_of(again.one(AREA))


def test_lines_across_factors(browser: Chrome, tmp_path: Path) -> None:
    look = Look(browser, page(tmp_path, SIX))
    look.one("#panels [data-mode=lines]").click()
    said = label_of(look.one(AREA))
    assert said.startswith("12 runs, a line each, across path 1 loss [%], path 1 delay")
    assert said.endswith("goodput [Mbit/s], smoothed RTT [ms]")
    assert look.colours(f"{AREA} canvas") > 20
    look.all("#cases button")[0].click()
    assert label_of(look.one(AREA)).startswith("6 runs")


def test_campaigns_stand_side_by_side(browser: Chrome, tmp_path: Path) -> None:
    look = Look(browser, page(tmp_path, SIX, ("old", "new")))
    assert "old: 12 runs; new: 12 runs" in label_of(look.one(AREA))
    look.all("#campaigns button")[0].click()
    assert look.counted == 12
    look.until(lambda: "campaign=new" in look.fragment)
    again = Look(browser, tmp_path / "dashboard.html", "#campaign=old")
    assert again.counted == 12
    assert again.all("#campaigns button")[1].get_attribute("aria-pressed") == "false"


def test_one_factor_has_no_map(browser: Chrome, tmp_path: Path) -> None:
    look = Look(browser, page(tmp_path, {"a": [1.0, 2, 3]}))
    modes = [each.text for each in look.all("#panels .modes button")]
    assert modes == ["Small multiples", "Lines"]
    look.one("#panels [data-mode=lines]").click()
    assert look.complaints() == []


@pytest.mark.parametrize(
    "fragment", ["panels=__proto__", "heat_x=|", "pick=heat~a~b~c~d"]
)
def test_addresses_of_strangers(browser: Chrome, tmp_path: Path, fragment: str) -> None:
    look = Look(browser, page(tmp_path, SIX), f"#{fragment}")
    assert look.counted == 12
    assert look.complaints() == []


def test_outliers_are_left_out_and_told(browser: Chrome, tmp_path: Path) -> None:
    """One of twelve runs is far from all others: axes and ellipses leave it out."""
    values = {"a": [1.0, 2, 3, 4, 5, 6], "b": [2.0, 4, 6, 2, 2.5, 5000]}
    look = Look(browser, page(tmp_path, values))
    told = look.one("#scatter1 .outside")
    assert told.text.startswith("1 of 12 runs outside.")
    before = look.colours("#scatter1 .area canvas")
    look.one("#scatter1 .outside button").click()
    assert look.one("#scatter1 .outside").text.startswith("1 of 12 runs far from the")
    assert look.colours("#scatter1 .area canvas") != before
    look.until(lambda: "whole=1" in look.fragment)
    far = {"a": [1.0, 2, 3, 4, 5, 6], "b": [9000.0], "c": [1.5, 2, 2, 3, 4, 5]}
    look = Look(browser, page(tmp_path / "far", far))
    assert "all of b." in look.text("#scatter1 .outside")


def test_an_axis_is_logarithmic_where_its_values_ask(
    browser: Chrome, tmp_path: Path
) -> None:
    values = {"a": [1.0, 3, 9, 27, 81, 243], "b": [1.5, 4, 11, 30, 90, 700]}
    look = Look(browser, page(tmp_path, values))
    button = look.one("#scatter1 .axis.y .log")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    look.until(lambda: "linear=y1" in look.fragment)
    again = Look(browser, tmp_path / "dashboard.html", "#linear=y1")
    assert again.one("#scatter1 .axis.y .log").get_attribute("aria-pressed") == "false"
    even = Look(browser, page(tmp_path / "even", SIX))
    pressed = [
        each.get_attribute("aria-pressed") for each in even.all("#scatter1 .log")
    ]
    assert "true" not in pressed


def test_ranges_of_a_narrow_map_are_written_in_full(
    browser: Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A range that is wider than its cell takes two lines."""
    delays = tuple(0.0163 + 0.10775 * place for place in range(9))
    monkeypatch.setattr(f"{__name__}.DELAYS", delays)
    same = [float(value) for value in range(18)]
    look = Look(browser, page(tmp_path, dict.fromkeys("abc", same)))
    look.script(
        "window.written = [];"
        "const plain = CanvasRenderingContext2D.prototype.fillText;"
        "CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {"
        "  if (this.canvas.closest('#panels')) written.push(text);"
        "  return plain.call(this, text, ...at);"
        "};"
    )
    look.choose("#panels select[aria-label='Factor across']", "path1.delay_ms")
    look.until(lambda: look.script("return written.length"))
    written = look.script("return written")
    assert not [text for text in written if text.endswith("…")]
    assert {"0.016\u2013", "0.19"} <= set(written)


@pytest.mark.parametrize(
    ("shown", "names"),
    [
        (("a/one", "b/two", "c"), ["x (one)", "x (two)", "y"]),
        (("a/one", "b/one", "c"), ["x (one)", "x (2)", "y"]),
        (("", "", ""), ["x (1)", "x (2)", "y"]),
    ],
)
def test_campaigns_of_one_name_stay_apart(
    shown: Sequence[str], names: Sequence[str]
) -> None:
    """Cases of both were one case, with the runs of both in its medians."""
    row = {"id": "r", "point": 0, "case": "a", "repetition": 0, "verdict": "ok"}
    runs = table.build([{**row, "reason": "", "goodput_mbps": 1.0}])
    campaigns = [
        Campaign(name, runs, (), ("goodput",), shown=folder)
        for name, folder in zip("xxy", shown, strict=True)
    ]
    apart = html._told_apart(campaigns)
    assert [campaign.name for campaign in apart] == names
    assert len(payload.payload(apart)["cases"]) == 3
