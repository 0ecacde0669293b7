"""The documentation: its links lead somewhere, its first experiment works."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.calls import Command

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
)
FIRST = ROOT / "docs" / "first-experiment.md"


def anchors(page: Path) -> set[str]:
    """Of its headings, as renderers name them."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
        found.add(words.strip().replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_the_first_experiment_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    whole, case, design, box = re.findall(
        r"```yaml\n(.*?)```", FIRST.read_text(), re.DOTALL
    )
    monkeypatch.chdir(tmp_path)
    Path("second-path.yaml").write_text(whole)
    assert "24 runs" in command("plan", "second-path.yaml").out
    assert command("run", "second-path.yaml", "--backend", "fake").status == 0
    assert command("report", "results/second-path").status == 0
    report = Path("results/second-path/report")
    assert "Not drawn" not in (report / "README.md").read_text()
    assert (report / "dashboard.html").exists()

    Path("second-path.yaml").write_text(
        whole.replace("traffic:\n", f"{case}traffic:\n")
    )
    done = command("run", "second-path.yaml", "--backend", "fake")
    assert done.status == 0 and "6 runs in" in done.out + done.err

    spread = yaml.safe_load(whole) | yaml.safe_load(design)
    spread["figures"] = [*yaml.safe_load(box), {"kind": "cdf", "metric": "goodput"}]
    Path("second-path.yaml").write_text(yaml.safe_dump(spread))
    assert command("run", "second-path.yaml", "--backend", "fake").status == 0
    assert command("report", "results/second-path").status == 0
    assert "Not drawn" not in (report / "README.md").read_text()
    assert command("verify", "results/second-path", "--sample", "3").status == 0
