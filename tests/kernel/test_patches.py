"""The kernel's patches: mails that `git am` applies to Linux, one after the other."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mpbench.kernel import recipe, sources

PATCHES = recipe.read("guest").patches
AUTHOR = re.compile(r"[\w ]+ <\S+@\S+>")
SUBJECT_LENGTH = 75
"""Documentation/process/submitting-patches.rst limits a subject to so many letters."""


def git(folder: Path, *arguments: str, text: str = "") -> str:
    """Output of git. Settings of the user and the machine do not matter."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=text,
        env={
            "PATH": "/usr/bin:/bin",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_COMMITTER_NAME": "test",
            "GIT_COMMITTER_EMAIL": "test@example.org",
            "GIT_AUTHOR_NAME": "test",
            "GIT_AUTHOR_EMAIL": "test@example.org",
            "HOME": str(folder),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"git {arguments[0]}: {done.stderr}{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of the files that the series changes, with the series applied."""
    stored = sources.stored()
    if not stored:
        pytest.skip("no Linux in the cache; `mpbench kernel build` fetches it")
    folder = tmp_path_factory.mktemp("linux")
    for patch in PATCHES:
        for name in re.findall(r"^--- a/(\S+)", patch.read_text(), re.MULTILINE):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(stored[-1].tree / name, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "Linux")
    git(folder, "am", "--whitespace=error", *map(str, PATCHES))
    return folder


def test_the_whole_series_applies(applied: Path) -> None:
    assert len(PATCHES) > 5
    assert git(applied, "rev-list", "--count", "HEAD").strip() == str(1 + len(PATCHES))


@pytest.mark.parametrize("patch", PATCHES, ids=[patch.stem for patch in PATCHES])
def test_it_has_author_subject_reason_and_sign_off(patch: Path, tmp_path: Path) -> None:
    mail = patch.read_text()
    facts = git(tmp_path, "mailinfo", "message", "diff", text=mail)
    author, address, subject = re.findall(
        r"^(?:Author|Email|Subject): (.+)", facts, re.M
    )
    signed = f"Signed-off-by: {author} <{address}>"
    assert AUTHOR.fullmatch(f"{author} <{address}>")
    assert re.fullmatch(r"[a-z]+: \S.*[^.]", subject)
    assert len(subject) <= SUBJECT_LENGTH
    message = (tmp_path / "message").read_text()
    reason, found, rest = message.partition(signed)
    assert found and not rest.strip()
    assert len(reason.split()) > 10
    assert max(len(line) for line in reason.splitlines()) <= SUBJECT_LENGTH
