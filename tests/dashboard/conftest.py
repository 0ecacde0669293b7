"""Results of the fake backend, and a browser to look at them with."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from mpbench.commands import dashboard, run

BROWSER, DRIVER = "chromium", "chromedriver"
POINTS = 250
EXPERIMENT = """\
name: thousand
topology: two_path
design:
  points: {points}
  factors:
    path1.capacity: {{min: 1, max: 100, unit: Mbit/s}}
    path1.delay: {{min: 1, max: 25, unit: ms}}
    path2.capacity: {{min: 1, max: 100, unit: Mbit/s}}
    path2.loss: {losses}
cases:
  lia: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt}}
  cubic: {{protocol: mptcp, congestion_control: cubic, scheduler: default}}
  tcp1: {{protocol: tcp, congestion_control: reno, path: 1}}
  tcp2: {{protocol: tcp, congestion_control: reno, path: 2}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: {seconds} s}}
metrics: [goodput, aggregation_benefit, experimental_aggregation_benefit]
"""


def campaign(
    folder: Path, points: int, losses: str, seconds: int = 30, text: str = EXPERIMENT
) -> Path:
    """A results folder of 4 runs per point and loss."""
    file, out = folder / "file.yaml", folder / "results"
    file.write_text(text.format(points=points, losses=losses, seconds=seconds))
    arguments = [str(file), "--backend", "fake", "--out", str(out)]
    with pytest.MonkeyPatch.context() as patch:
        # What these tests make need not survive a power cut.
        patch.setattr(os, "fsync", lambda _file: None)
        done = CliRunner().invoke(run.command, arguments, catch_exceptions=False)
    assert done.exit_code in (0, 1), done.output
    return out


def page(results: Path) -> Path:
    """Its dashboard."""
    done = CliRunner().invoke(dashboard.command, [str(results)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return results / "report" / "dashboard.html"


@pytest.fixture(scope="session")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dashboard of 1,000 runs."""
    folder = tmp_path_factory.mktemp("thousand")
    return page(campaign(folder, POINTS // 2, "[0 %, 1 %]"))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of 24 runs, 6 of which failed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPBENCH_FAKE", '{"do": "panic", "when": "transport.path=2"}')
        return campaign(tmp_path_factory.mktemp("small"), 3, "[0 %, 2 %]", 5)


def _can_have_sandbox() -> bool:
    """Not as root, and not in a container that may have no user namespaces."""
    probe = subprocess.run(["unshare", "--user", "true"], capture_output=True)
    return os.geteuid() != 0 and probe.returncode == 0


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Chromium without a window, and where it cannot have one, without a sandbox."""
    binary, driver = shutil.which(BROWSER), shutil.which(DRIVER)
    assert binary and driver, "make packages installs chromium and chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (
        "--headless=new",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1440,1000",
        "--force-color-profile=srgb",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
        *([] if _can_have_sandbox() else ["--no-sandbox"]),
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield started
    finally:
        started.quit()
