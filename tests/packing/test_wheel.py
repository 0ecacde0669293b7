"""The wheel: what is in it, and runs with it, without compiler and without network."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from mpbench import kernel
from mpbench.backends.virtual import create
from packing import __main__ as packing
from packing import checkout, parts

ROOT = Path(__file__).parents[2]
# A wheel takes 50 s of CPU time, most of it to pack the root image.
pytestmark = [pytest.mark.slow, pytest.mark.guest, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packing.wheel(tmp_path_factory.mktemp("wheel"))


def test_all_is_below_one_name(wheel: Path) -> None:
    assert "-py3-none-manylinux_2_17_x86_64." in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"mpbench", f"mpbench-{wheel.name.split('-')[1]}.dist-info"}
    assert not [name for name in names if "/tests/" in name or "__pycache__" in name]
    licences = {Path(name).name for name in names if "/licenses/" in name}
    assert licences == {"LICENSE"}


def test_the_build_leaves_its_checkout_alone_and_gives_the_same_bytes(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a checkout that git does not manage, with leftovers of earlier builds."""
    tree = tmp_path / "elsewhere"
    checkout.copy(ROOT, tree)
    for name in (
        "build/lib/mpbench/leftover.py",
        "build/bdist.linux-x86_64/wheel/mpbench/leftover.py",
        "mpbench.egg-info/SOURCES.txt",
        "analysis/capture/_core.cpython-39-x86_64-linux-gnu.so",
        "kernel/__pycache__/leftover.cpython-311.pyc",
    ):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("mpbench/leftover.py\n")
    before = listing(tree)
    date = packing._date()
    monkeypatch.setattr(packing, "_date", lambda: date)
    monkeypatch.setattr(parts, "TOP", tree)
    again = packing.wheel(tmp_path / "out")
    assert listing(tree) == before
    assert again.read_bytes() == wheel.read_bytes()
    assert not [
        name for name in zipfile.ZipFile(again).namelist() if "leftover" in name
    ]


def listing(tree: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in tree.rglob("*")}


def test_the_bill_names_kernel_image_and_packages(wheel: Path) -> None:
    paper, constraints = packing.beside(wheel)
    assert constraints.read_bytes() == (ROOT / "constraints.txt").read_bytes()
    content = json.loads(paper.read_text())
    (digest,) = content["metadata"]["component"]["hashes"]
    assert digest["content"] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    parts = {part["name"]: part for part in content["components"]}
    assert parts["linux"]["hashes"][0]["content"] == kernel.find().info["linux_hash"]
    within = {part["name"] for part in parts["mpbench-root"]["components"]}
    assert {"iperf3", "nginx", "mininet"} <= within
    assert {"click", "numpy", "pandas", "mdurl"} <= parts.keys()
    assert "scipy" not in parts, "an extra"
    assert "pytest" not in parts
    names = [part["bom-ref"] for part in content["components"]]
    assert len(names) == len(set(names))


def test_a_run_of_an_installed_mpbench(wheel: Path, tmp_path: Path) -> None:
    library, home = tmp_path / "library", tmp_path / "home"
    home.mkdir()
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(library), str(wheel)], check=True)
    for name in ("analysis", "jobs", "topologies", "wsp"):
        (home / f"{name}.py").write_text("raise RuntimeError('not ours')\n")
    environment = {
        "PYTHONPATH": str(library),
        "HOME": str(home),
        "PATH": "/nonexistent",  # neither gcc nor git
        "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
    }

    def python(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def mpbench(*words: str) -> str:
        return python("-m", "mpbench.cli", *words)

    assert str(library) in mpbench("kernel", "path")
    unpacked = home / ".cache/mpbench/images"
    assert str(unpacked) in mpbench("image", "path")
    said = mpbench("run", "quickstart", "--limit", "2")
    assert "2 ok" in said
    mpbench("report", "results/quickstart")
    assert (home / "results/quickstart/report/goodput.png").stat().st_size > 1000
    print_identity = (
        "import json; from mpbench.backends.virtual import create;"
        "print(json.dumps(create().identity()))"
    )
    # mpbench verify accepts results of the other side.
    assert json.loads(python("-c", print_identity)) == create().identity()
    # Nothing was built: the cache has what was unpacked.
    made = {path.name for path in unpacked.parent.iterdir()}
    assert made == {"designs", "guest", "images"}
    shutil.rmtree(library)
