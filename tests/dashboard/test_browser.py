"""The dashboard of 1,000 runs in headless Chromium, opened from disk."""

import json
import re
import statistics
from pathlib import Path

import pytest
from click.testing import CliRunner
from selenium.webdriver import Chrome

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.dashboard import details
from analysis.dashboard.html import dashboard
from mpbench.commands import run
from tests.analysis import campaign as made_up
from tests.dashboard.conftest import campaign, page
from tests.dashboard.looks import (
    DOWN,
    ENTER,
    ESCAPE,
    RIGHT,
    Look,
    crowding,
    label_of,
)

FIRST_PAINT_MS = 2000
FILTER_MS = 100
PLOT = "#scatter1 .area"
SHARED = """\
name: shared
topology: shared_bottleneck
cases: {lia: {protocol: mptcp, congestion_control: lia}}
traffic:
  - {name: multi, tool: iperf3, from: multi, to: server_multi, duration: 8 s}
  - name: single
    tool: iperf3
    from: single
    to: server_single
    duration: 8 s
    transport: {protocol: tcp, congestion_control: reno}
phases: {early: 0 s..4 s, late: 4 s..8 s}
"""


@pytest.fixture
def look(browser: Chrome, thousand: Path) -> Look:
    return Look(browser, thousand)


def test_a_thousand_runs_are_there_at_once(browser: Chrome, thousand: Path) -> None:
    times = []
    for _ in range(3):
        look = Look(browser, thousand)
        drawn = look.script("return performance.getEntriesByName('drawn')[0].startTime")
        times.append(max(drawn, look.until_painted()))
        assert look.counted == 1000
    assert min(times) < FIRST_PAINT_MS * crowding()
    assert look.complaints() == []


def test_a_filter_is_felt_at_once(look: Look) -> None:
    """From the input to everything drawn again; the code draws before it returns."""
    times, counts = [], []
    for value in range(20, 520, 20):
        begin = look.script("return performance.now()")
        look.slide(0, value)
        entries = "performance.getEntriesByName('filter')"
        times.append(look.script(f"return {entries}.at(-1).duration"))
        assert look.script(f"return {entries}.at(-1).startTime") >= begin
        counts.append(look.counted)
    assert statistics.median(times) < FILTER_MS * crowding()
    assert counts == sorted(counts, reverse=True) and counts[-1] < 700


def test_nothing_is_fetched(look: Look) -> None:
    look.open(0)
    assert look.script("return performance.getEntriesByType('resource').length") == 0
    assert look.complaints() == []


def test_plots_and_boxes_are_drawn(look: Look) -> None:
    for selector in (f"{PLOT} canvas", "#scatter2 canvas", "#spread canvas"):
        assert look.colours(selector) > 20
    assert look.colours("#factors canvas") >= 2


def test_a_range_leaves_the_runs_within(look: Look) -> None:
    look.slide(0, 500)
    look.slide(1, 800)
    values = look.script(
        "return JSON.parse(document.getElementById('data').textContent).columns[0].v"
    )
    low, high = min(values), max(values)
    ends = [low + part * (high - low) for part in (0.5, 0.8)]
    within = [value for value in values if ends[0] <= value <= ends[1]]
    assert look.counted == len(within) and 100 < len(within) < 500
    shown = re.findall(r"[\d.]+", look.text("#factors .range"))
    assert [float(end) for end in shown] == pytest.approx(ends, rel=0.01)
    assert look.script("return document.querySelector('#reset').disabled") is False
    look.one("#reset").click()
    assert look.counted == 1000
    assert look.all("#factors input")[0].get_attribute("value") == "0"


def test_a_case_comes_and_goes(look: Look) -> None:
    buttons = look.all("#cases button")
    assert [b.text.split("\n")[0] for b in buttons] == ["lia", "cubic", "tcp1", "tcp2"]
    buttons[0].click()
    assert look.counted == 750
    assert buttons[0].get_attribute("aria-pressed") == "false"
    buttons[0].click()
    assert look.counted == 1000


def test_a_factor_of_few_values_has_buttons(look: Look) -> None:
    buttons = look.all("#factors button")
    assert [b.text.split("\n")[0] for b in buttons] == ["0 %", "1 %"]
    buttons[1].click()
    assert look.counted == 500


def test_a_brush_in_one_plot_is_seen_in_the_other(look: Look) -> None:
    before = look.colours("#scatter2 canvas")
    look.drag(PLOT, (0.3, 0.05), (0.5, 0.9))
    picked = look.counted
    assert 0 < picked < 500
    assert f"{picked} of 1000" in look.text("#runs .head")
    assert look.colours("#scatter2 canvas") != before
    look.one(PLOT).send_keys(ESCAPE)
    assert look.counted == 1000


def test_axes_can_be_chosen(look: Look) -> None:
    look.choose("#scatter1 .axis.x select", "path2.capacity_mbps")
    label = label_of(look.one(PLOT))
    assert label.endswith("against path 2 capacity [Mbit/s]")
    assert look.colours(f"{PLOT} canvas") > 20


def test_the_distribution_says_its_medians(look: Look) -> None:
    said = label_of(look.one("#spread .area"))
    assert re.search(r"lia: median [\d.]+ Mbit/s of 250", said)
    look.choose("#spread select[aria-label='Batches of']", "path2.loss_percent")
    said = label_of(look.one("#spread .area"))
    assert re.search(r"tcp2, 1 %: median [\d.]+ Mbit/s of 125", said)
    boxes = look.colours("#spread canvas")
    look.all("#spread .modes button")[1].click()
    assert look.colours("#spread canvas") != boxes


def test_the_keyboard_goes_from_point_to_run_and_back(look: Look) -> None:
    plot = look.one(PLOT)
    plot.send_keys(RIGHT)
    plot.send_keys(RIGHT)
    assert look.one("#tip").is_displayed()
    plot.send_keys(ENTER)
    look.until(lambda: look.all("#run h3"))
    assert look.script("return document.activeElement.id") == "run"
    look.press(ESCAPE)
    assert not look.one("#run").is_displayed()
    assert look.script("return document.activeElement.className") == "area"


def test_the_table_is_gone_through_by_keyboard(look: Look) -> None:
    table = look.one("#runs .scroll")
    for _ in range(40):
        table.send_keys(DOWN)
    assert look.script("return document.querySelector('.scroll').scrollTop") > 300
    assert len(look.all("tr[data-row]")) < 60
    table.send_keys(ENTER)
    look.until(lambda: look.all("#run h3"))
    assert "design point" in look.text("#run")


def test_the_table_is_sorted_by_a_click(look: Look) -> None:
    look.all("#runs th button")[2].click()
    look.all("#runs th button")[2].click()
    cells = look.all("tr[data-row] td:nth-child(3)")[:8]
    values = [float(cell.text) for cell in cells]
    assert values == sorted(values, reverse=True) and values[0] > 95


def test_light_and_dark(look: Look) -> None:
    paper = "return getComputedStyle(document.documentElement).backgroundColor"
    light = look.script(paper)
    look.one("#theme").click()
    assert look.script(paper) != light
    assert look.colours(f"{PLOT} canvas") > 20


@pytest.mark.parametrize("width", [360, 700, 1100, 1900])
def test_no_width_needs_sideways_scrolling(
    width: int, browser: Chrome, thousand: Path
) -> None:
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        look = Look(browser, thousand)
        root = "return document.documentElement"
        assert look.script(f"{root}.scrollWidth") <= width
        look.open(1)
        assert look.script(f"{root}.scrollWidth") <= width
        panel = look.one("#run").rect
        assert panel["x"] + panel["width"] <= width + 1
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_failed_run_says_why(browser: Chrome, small: Path) -> None:
    look = Look(browser, page(small))
    assert "6 not ok" in look.text("#count")
    verdicts = look.all("#verdicts button")
    verdicts[0].click()
    assert look.counted == 6
    look.open(0)
    shown = look.text("#run")
    assert "Kernel panic - not syncing" in shown and "Call Trace" in shown
    assert look.complaints() == []


def test_a_run_is_shown_whole(browser: Chrome, small: Path) -> None:
    look = Look(browser, page(small))
    look.open(0)
    shown = look.text("#run")
    for part in ("Goodput over time", "Measured", "Asked", "Programs", "Again"):
        assert part in shown
    name = look.script("return location.hash").removeprefix("#run=")
    assert (small / "runs" / name).is_dir()
    assert f"mpbench verify {small} --run {name}" in shown
    assert f"mpbench shell {small}/experiment.yaml --run {name}" in shown
    assert f"{small}/runs/{name}/" in shown
    assert "iperf3 --client --json" in shown
    assert look.colours("#run canvas:not(.swatch)") > 10


def charts(look: Look) -> list[str]:
    return [label_of(each) for each in look.all("#run [aria-label]")]


def test_the_capacity_that_a_run_has(browser: Chrome, small: Path) -> None:
    """Of both paths for MPTCP, of its own for TCP; a run that failed has no chart."""
    look = Look(browser, page(small))
    seen = set()
    for line in range(6):
        look.open(line)
        job = look.script("return location.hash").removeprefix("#run=")
        asked = json.loads((small / "runs" / job / "job.json").read_text())
        both = [asked["parameters"][f"path{i}.capacity_mbps"] for i in (1, 2)]
        path = asked["transport"]["path"]
        found = [each for each in charts(look) if each.startswith("Goodput at")]
        assert len(found) == (path != 2)
        for chart in found:
            said = re.search(r", capacity ([\d.]+) Mbit/s", chart)
            assert said, chart
            wanted = sum(both) if path is None else both[path - 1]
            assert float(said[1]) == pytest.approx(wanted, rel=1e-3)
            seen.add(path)
    assert seen == {None, 1}


def shared(folder: Path) -> Path:
    """Results of one run of one network."""
    (folder / "shared.yaml").write_text(SHARED)
    out = folder / "results"
    arguments = [str(folder / "shared.yaml"), "--backend", "fake", "--out", str(out)]
    done = CliRunner().invoke(run.command, arguments, catch_exceptions=False)
    assert done.exit_code in (0, 1), done.output
    return out


def test_shared_links_and_many_parts(browser: Chrome, tmp_path: Path) -> None:
    """A line for the bottleneck; what is known of each phase below one another."""
    look = Look(browser, page(shared(tmp_path)))
    look.open(0)
    assert any(
        each.endswith(", capacity of bottleneck 15 Mbit/s") for each in charts(look)
    )
    parts = [each.text for each in look.all("#run th.part")]
    assert {"bottleneck", "early", "late", "multi", "single"} <= set(parts)
    panel = look.one("#run")
    width = "return [arguments[0].scrollWidth, arguments[0].clientWidth]"
    assert len(set(look.script(width, panel))) == 1, "no scrolling sideways"
    assert look.complaints() == []


def test_runs_that_have_nothing_to_plot(
    browser: Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One network without factors, and its only run failed."""
    monkeypatch.setenv("MPBENCH_FAKE", '{"do": "panic"}')
    look = Look(browser, page(shared(tmp_path)))
    assert look.counted == 1
    look.open(0)
    assert "Kernel panic" in look.text("#run")
    assert look.complaints() == []


def test_an_address_names_a_run(browser: Chrome, small: Path) -> None:
    name = sorted(path.name for path in (small / "runs").iterdir())[3]
    look = Look(browser, page(small), f"#run={name}")
    look.until(lambda: look.all("#run h3"))
    assert f"--run {name}" in look.text("#run")


def test_names_of_a_stranger_stay_text(browser: Chrome, tmp_path: Path) -> None:
    """Names and reasons that would run a script, if they were HTML."""
    evil = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
    rows = made_up.rows(2)
    rows[0] |= {"case": evil, "verdict": "failed", "reason": evil, "id": "evil"}
    for row in rows:
        (tmp_path / str(row["id"])).mkdir()
    job = {"topology": evil, "seed": 1, "parameters": {evil: 1.0}, "transport": {}}
    (tmp_path / "evil" / "job.json").write_text(json.dumps(job))
    table_ = table.build(rows)
    shown = Campaign(evil, table_, made_up.FACTORS, state=(evil,), folder=tmp_path)
    file = tmp_path / "dashboard.html"
    file.write_text(dashboard(evil, [shown]))
    for fragment in ("", "#evil"):
        look = Look(browser, file, fragment)
        assert "onerror" in look.script("return document.body.textContent")
        assert look.script("return window.ran === undefined")
        assert look.script("return document.querySelectorAll('img').length") == 0


def test_the_capacity_of_a_run_follows_the_changes_of_its_links(
    browser: Chrome, tmp_path: Path
) -> None:
    text = (
        "name: gone\n"
        "topology: two_path\n"
        "parameters: {{path1.capacity: 20 Mbit/s, path2.capacity: 10 Mbit/s}}\n"
        "changes: {{path1: {{at: {{2 s: {{up: false}}, 4 s: {{up: true}}}}}}}}\n"
        "cases: {{lia: {{protocol: mptcp, congestion_control: lia}}}}\n"
        "traffic: [{{tool: iperf3, from: client, to: server, duration: 6 s}}]\n"
    )
    results = campaign(tmp_path, 1, "", text=text)
    [run] = [path.name for path in (results / "runs").iterdir()]
    [job] = (results / "runs").glob("*/job.json")
    found = details.detail(job.parent, "ok")
    assert [value for _, value in found["capacities"]["path1"]] == [20, 0, 20]
    assert "path2" not in found["capacities"]
    look = Look(browser, page(results), f"#run={run}")
    chart = look.until(
        lambda: look.all("[aria-label^='Goodput at the receiver over time']")
    )[0]
    assert label_of(chart).endswith("capacity 10 Mbit/s to 30 Mbit/s")
