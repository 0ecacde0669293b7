"""The recipes for images of containers: what they take along is there."""

import re
import subprocess
from pathlib import Path

import pytest

from mpbench.image import cache as images
from mpbench.image import packed

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "packing/container"
RECIPES = {
    name: (FOLDER / name).read_text() for name in ("Containerfile", "mpbench.def")
}


def test_the_script_is_one() -> None:
    subprocess.run(["sh", "-n", FOLDER / "install.sh"], check=True)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_installs_by_the_script(name: str) -> None:
    assert "sh /tmp/mpbench/install.sh /tmp/mpbench" in RECIPES[name]
    files = re.findall(r"\bpacking/\S+", RECIPES[name].replace("-f packing/", ""))
    assert "packing/container/install.sh" in files
    assert all((ROOT / file).is_file() for file in files), files


def test_both_begin_with_the_same_debian() -> None:
    (one,) = re.findall(
        r"^FROM docker.io/library/(\S+)$", RECIPES["Containerfile"], re.M
    )
    (other,) = re.findall(r"^From: (\S+)$", RECIPES["mpbench.def"], re.M)
    assert one == other


def test_containers_need_not_unpack_the_root_image() -> None:
    script = (FOLDER / "install.sh").read_text()
    assert "xz-utils" in script
    assert f"-name {images.NAME}{packed.SUFFIX} -exec xz -d {{}} +" in script


def test_the_image_takes_what_the_wheel_leaves() -> None:
    """`packing.beside` writes constraints.txt beside the wheel."""
    (copied,) = re.findall(r"^COPY (.+) /tmp/mpbench/$", RECIPES["Containerfile"], re.M)
    assert copied.split() == [
        "dist/mpbench-*.whl",
        "dist/constraints.txt",
        "packing/container/install.sh",
    ]
    script = (FOLDER / "install.sh").read_text()
    assert {"constraints.txt", "mpbench-*.whl"} <= set(re.split(r'["/\s]+', script))
