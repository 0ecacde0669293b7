"""The image of the real packages: the same bytes wherever and whoever builds it."""

import json
import os
from pathlib import Path

import pytest

from mpbench import image
from mpbench.errors import UserError
from mpbench.image import cache, lock

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ready() -> image.Image:
    try:
        return image.build()
    except UserError as error:
        pytest.skip(f"no root image: {error}")


def test_two_builds_in_different_folders_give_the_same_bytes(
    ready: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
    before = os.umask(0o077)
    try:
        other = image.build()
    finally:
        os.umask(before)
    assert other.path.is_relative_to(tmp_path)
    assert (other.key, other.sha256) == (ready.key, ready.sha256)
    assert other.path.read_bytes() == ready.path.read_bytes()
    left = {path.name for path in other.path.parents[1].iterdir()}
    assert left == {other.key, "lock"}
    assert list((tmp_path / "another/mpbench/logs").iterdir()) == []


def test_the_manifest_and_the_bill_name_every_package(ready: image.Image) -> None:
    pinned = {package.name: package for package in lock.read()}
    bill = json.loads(ready.path.with_name("sbom.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    digest = bill["metadata"]["component"]["hashes"][0]["content"]
    assert digest == ready.sha256
    listed = {part["name"]: part["version"] for part in bill["components"]}
    assert listed == ready.manifest
    assert set(pinned) - set(listed) == {"erofs-utils"}
    for name, version in listed.items():
        assert pinned[name].version == version


def test_a_changed_image_is_not_used(
    ready: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(UserError, match="not built yet; `mpbench image build`"):
        image.find()
    place = cache.folder() / ready.key
    place.mkdir(parents=True)
    (place / "info.json").write_text(json.dumps(ready.info))
    (place / cache.NAME).write_bytes(ready.path.read_bytes()[:-4096])
    with pytest.raises(UserError, match="not the image that was built"):
        image.find()


def test_a_changed_lock_file_makes_another_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cache.key()
    packages = lock.read()
    monkeypatch.setattr(lock, "read", lambda: packages[1:])
    assert cache.key() != before
