"""The documentation's site: its gallery of experiments, and its versions."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.builder import gallery, reference, versions
from mpbench.experiment_files import load
from mpbench.plan import estimate, make_plan, total
from mpbench.plan.points import points
from mpbench.spec import Spec
from tests.calls import Command

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def studied(folder: str) -> Iterator[Path]:
    return (ROOT / "studies" / folder).glob("*.yaml")


def costs_as_planned(spec: Spec) -> bool:
    """Whether the cost from some points is near that from all runs."""
    runs = make_plan(spec, {}).runs
    whole = total(estimate(run.job) for run in runs).wall_s
    chosen = dict(enumerate(points(spec)))
    return 0.7 < gallery.wall_s(spec, chosen, len(chosen)) / whole < 1.4


def test_every_experiment_is_in_the_gallery(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the runs that `mpbench plan` counts, and pictures that are there."""
    entries = gallery.entries()
    page = gallery.page(entries)
    files = set((ROOT / "experiments").glob("*.yaml"))
    files |= set((ROOT / "experiments").glob("*/*.yaml"))
    files |= {
        p
        for f in ("causes", "exploration", "explain", "reach", "rerun")
        for p in studied(f)
    }
    assert {ROOT / entry.file for entry in entries} == files
    for entry in entries:
        assert page.count(f"\n    mpbench run {entry.file}\n") == 1
        assert f"]({entry.picture})" in page and f"]({entry.copy})" in page
        assert entry.figure is None or entry.figure.is_file()
        assert entry.drawing.startswith("<svg")
    assert max(Counter(entry.picture for entry in entries).values()) == 1
    bulk_file = next(p for p in files if p.stem == "bulk-low-bdp")
    assert costs_as_planned(load(bulk_file))
    by_name = {entry.spec.name: entry for entry in entries}
    bulk = by_name["bulk-low-bdp"]
    assert (bulk.networks, bulk.runs) == (98, 294)
    assert bulk.figure is not None and bulk.figure.parent.name == "bulk-low-bdp"
    assert "benefit" in bulk.figure.name
    curl = by_name["curl-low-bdp"]
    assert curl.figure is not None and curl.figure.parent.name == "thesis"
    first = by_name["quickstart"]
    assert first.figure is None and first.picture == "gallery/quickstart.svg"
    command = Command(monkeypatch, capsys)
    planned = command("plan", ROOT / first.file, "--json", "--backend", "fake")
    assert len(json.loads(planned.out)["runs"]) == first.runs
    assert not re.search(r"<(?![!/]?--)[a-z]", page)


def site(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).mkdir()
        (folder / name / "index.html").touch()
    return folder


def test_versions_side_by_side(tmp_path: Path) -> None:
    names = ("0.9.0", "0.10.0", "0.10.0.dev0", "0.10.0rc1", "assets", "1.x")
    site(tmp_path, *names)
    (tmp_path / "2.0").mkdir()  # It has no page yet.
    versions.write(tmp_path)
    listed = json.loads((tmp_path / "versions.json").read_text())
    assert [each["version"] for each in listed] == [
        "0.10.0",
        "0.10.0rc1",
        "0.10.0.dev0",
        "0.9.0",
    ]
    assert [each["aliases"] for each in listed] == [["latest"], [], [], []]
    assert 'url=0.10.0/index.html"' in (tmp_path / "index.html").read_text()


def test_a_release_replaces_its_development_version(tmp_path: Path) -> None:
    versions.write(site(tmp_path, "0.2.0.dev0"))
    assert "0.2.0.dev0/index.html" in (tmp_path / "index.html").read_text()
    versions.write(site(tmp_path, "0.2.0"))
    assert "url=0.2.0/index.html" in (tmp_path / "index.html").read_text()


def test_the_site_is_built(tmp_path: Path) -> None:
    """With every link checked, into a folder of the version."""
    build = pytest.importorskip("mkdocs.commands.build")
    from mkdocs.config import load_config

    import mpbench

    config = load_config(
        str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site"), strict=True
    )
    config.plugins.on_startup(command="build", dirty=False)
    build.build(config)
    home = tmp_path / "site" / mpbench.__version__
    text = (home / "gallery.html").read_text()
    assert f"mpbench {mpbench.__version__}</title>" in text
    for link in re.findall(r'(?:src|href)="(gallery/[^"]+)"', text):
        assert (home / link).is_file(), link
    assert (home / "gallery/thesis/bulk-low-bdp.yaml").read_text().startswith("#")
    text = (home / "reference.html").read_text()
    links = re.findall(r'href="((?:reference|gallery)/[^"]+)"', text)
    assert "reference/thesis/figure-3.3.html" in links
    assert "gallery/causes/fattree-tp1-turn.yaml" in links
    for link in links:
        assert (home / link).is_file(), link


def test_reference_pages_link_to_what_the_site_has(tmp_path: Path) -> None:
    """To one another, to pages of the documentation, and in words to what is left."""
    folder = tmp_path / "results/reference/a"
    folder.mkdir(parents=True)
    (folder / "f.md").write_text(
        "# A & B\n\n[x](README.md#y) [n](../../../n.md) [gone](../c.txt) "
        "[far](https://example.org/a) ![p](p.png)\n"
    )
    for name in ("README.md", "p.png"):
        (folder / name).touch()
    (tmp_path / "results/reference/README.md").touch()

    def lookup(path: Path) -> str | None:
        if path.name == "n.md":
            return "n.html"
        return reference.path_in_site(path, tmp_path)

    made = dict(reference.files(tmp_path, lookup))
    assert list(made) == [
        "reference/a/README.html",
        "reference/a/f.html",
        "reference/a/p.png",
    ]
    text = str(made["reference/a/f.html"])
    assert "<title>A &amp; B</title>" in text
    assert '<a href="README.html#y">x</a> <a href="../../n.html">n</a>' in text
    assert "gone (<code>c.txt</code> in the repository)" in text
    assert '<a href="https://example.org/a">far</a>' in text
    assert '<img src="p.png" alt="p" />' in text
    assert made["reference/a/p.png"] == folder / "p.png"
