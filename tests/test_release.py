"""A release: one version everywhere, a tag only where everything agrees, and the commit
of each release by its name, because a tag does not reach every clone."""

import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import yaml

import mpbench

ROOT = Path(__file__).parents[1]
FILES = ("CHANGELOG.md", "CITATION.cff", ".ci/release.py", "mpbench/version.py")
VERSION = mpbench.__version__


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with the files that a release looks at, dated as released."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changes\n\n## {VERSION}, 2026-11-22\n\n- Designs.\n\n## 0.0.1, 2026-01-01\n"
    )
    (tmp_path / "CITATION.cff").write_text(
        f"version: {VERSION}\ndate-released: 2026-11-22\n"
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "A")
    git(tmp_path, "config", "user.email", "a@example.org")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "All")
    return tmp_path


def release(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    program = [sys.executable, str(folder / ".ci" / "release.py"), *options]
    return subprocess.run(program, capture_output=True, text=True)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_the_package_has_the_version_of_the_source() -> None:
    # An editable installation keeps the version that it was made with.
    assert metadata.version("mpbench") == VERSION, "pip install -e . again"


def test_changelog_and_citation_have_the_version() -> None:
    top = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1].splitlines()[0]
    assert top.split(",")[0] == VERSION.removesuffix(".dev0")
    if not top.endswith("unreleased"):
        done = release(ROOT, "--check")
        assert done.returncode == 0, done.stderr


def test_a_release_is_an_annotated_tag_with_the_changelog(clone: Path) -> None:
    done = release(clone)
    assert done.returncode == 0, done.stderr
    assert git(clone, "cat-file", "-t", f"v{VERSION}") == "tag"
    message = git(clone, "tag", "--list", "--format=%(contents)", f"v{VERSION}")
    assert message == f"mpbench {VERSION}\n\n- Designs."
    again = release(clone)
    assert again.returncode == 2
    assert f"the tag v{VERSION} exists" in again.stderr


@pytest.mark.parametrize(
    "name, old, new, said",
    [
        ("CHANGELOG.md", ", 2026-11-22", ", unreleased", "'unreleased' is no date"),
        ("CHANGELOG.md", f"## {VERSION}", "## 9.9.9", "the top section is 9.9.9"),
        ("CITATION.cff", "-22", "-21", "date-released are"),
        ("CITATION.cff", "version: ", "version: 9", "CITATION.cff: version and"),
    ],
)
def test_no_tag_where_they_differ(
    clone: Path, name: str, old: str, new: str, said: str
) -> None:
    replace(clone / name, old, new)
    git(clone, "commit", "-q", "-a", "-m", "Differ")
    done = release(clone)
    assert done.returncode == 2
    assert said in done.stderr and "Traceback" not in done.stderr
    assert git(clone, "tag") == ""


def test_no_tag_of_a_changed_tree(clone: Path) -> None:
    replace(clone / "CHANGELOG.md", "Designs.", "Other designs.")
    done = release(clone)
    assert done.returncode == 2 and "commit them first" in done.stderr


RELEASED = re.compile(
    r"^## (\S+), (\d{4}-\d\d-\d\d)(?:, commit ([0-9a-f]{40}))?$", re.M
)


def releases() -> list[tuple[str, str, str]]:
    """Version, date and commit of each release in the changelog, the newest first."""
    found = RELEASED.findall((ROOT / "CHANGELOG.md").read_text())
    assert found
    return found


def test_each_release_names_its_commit() -> None:
    for version, _, commit in releases():
        assert commit or version == VERSION, (
            f"{version}: .ci/release.py --record COMMIT"
        )


def test_the_commit_of_a_release_has_its_version() -> None:
    if git(ROOT, "rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("a shallow clone lacks the commits of releases")
    for version, _, commit in releases():
        if commit:
            kept = git(ROOT, "ls-tree", "--name-only", commit, "mpbench/version.py")
            file = kept.strip() or "mpbench/__init__.py"
            there = git(ROOT, "show", f"{commit}:{file}")
            assert f'__version__ = "{version}"' in there
            assert git(ROOT, "merge-base", commit, "HEAD") == commit


def test_the_citation_names_the_newest_release_and_its_commit() -> None:
    cited = (ROOT / "CITATION.cff").read_text()
    version, day, commit = releases()[0]
    assert f"version: {version}\ndate-released: {day}\n" in cited
    assert (f"commit: {commit}\n" in cited) if commit else ("commit:" not in cited)


def test_a_commit_is_recorded_where_its_version_stands(clone: Path) -> None:
    head = git(clone, "rev-parse", "HEAD")
    done = release(clone, "--record", "HEAD")
    assert done.returncode == 0, done.stderr
    changes = (clone / "CHANGELOG.md").read_text()
    assert f"## {VERSION}, 2026-11-22, commit {head}\n" in changes
    assert changes.endswith("## 0.0.1, 2026-01-01\n")
    assert f"commit: {head}\n" in (clone / "CITATION.cff").read_text()
    assert release(clone, "--record", "HEAD").returncode == 0
    assert (clone / "CHANGELOG.md").read_text() == changes
    assert "no commit 'nothing'" in release(clone, "--record", "nothing").stderr


def test_a_forge_runs_what_continuous_integration_runs() -> None:
    """Every push, with the whole history, because releases are looked up in it."""
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    (job,) = yaml.safe_load(text)["jobs"].values()
    assert job["steps"][-1] == {"run": ".ci/run"}
    (checkout,) = [s for s in job["steps"] if "checkout" in s.get("uses", "")]
    assert checkout["with"]["fetch-depth"] == 0
