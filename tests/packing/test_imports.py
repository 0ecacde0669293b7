"""Packages below `mpbench`: how import statements are rewritten."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from packing import imports

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from wsp import spread\n", "from mpbench.wsp import spread\n"),
        (
            "from analysis.run.rows import (\n    a,\n)\n",
            "from mpbench.analysis.run.rows import (\n    a,\n)\n",
        ),
        ("import topologies\n", "from mpbench import topologies\n"),
        ("import wsp as w\n", "import mpbench.wsp as w\n"),
        ("import wsp.table as t\n", "import mpbench.wsp.table as t\n"),
        ("def f():\n    import wsp\n", "def f():\n    from mpbench import wsp\n"),
        ('import_module(f"wsp.{x}")\n', 'import_module(f"mpbench.wsp.{x}")\n'),
        # what is not one of ours stays, and so does what only looks like it
        ("from mpbench.plan import wsp\n", "from mpbench.plan import wsp\n"),
        ("from .wsp import x\n", "from .wsp import x\n"),
        ("import wspx, os\n", "import wspx, os\n"),
        ("x = 'from wsp import y'\n", "x = 'from wsp import y'\n"),
    ],
)
def test_an_import_gets_the_new_name(text: str, expected: str) -> None:
    assert imports.renamed(text) == expected


@pytest.mark.parametrize(
    "text", ["import wsp.table\n", "import os, wsp\n", "from  wsp import x\n"]
)
def test_what_cannot_be_renamed_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"^2: "):
        imports.renamed(f"import re\n{text}")


def test_folders_are_mapped_below_the_owner() -> None:
    extension = SimpleNamespace(name="analysis.capture._core")
    made = SimpleNamespace(
        package_dir=None,
        packages=["mpbench", "mpbench.spec", "analysis", "tools.ab"],
        package_data={"topologies": ["*.yaml"], "mpbench": ["a"]},
        ext_modules=[extension],
    )
    imports.place(made)
    assert made.package_dir["mpbench.analysis"] == "analysis"
    assert {f"mpbench.{name}" for name in imports.MOVED} == made.package_dir.keys()
    assert made.packages[1:] == ["mpbench.spec", "mpbench.analysis", "mpbench.tools.ab"]
    assert made.package_data == {"mpbench.topologies": ["*.yaml"], "mpbench": ["a"]}
    assert extension.name == "mpbench.analysis.capture._core"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All modules, as a wheel has them."""
    folder = tmp_path_factory.mktemp("library")
    hidden = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / imports.OWNER, folder / imports.OWNER, ignore=hidden)
    for name in imports.MOVED:
        shutil.copytree(ROOT / name, folder / imports.OWNER / name, ignore=hidden)
    imports.rename(folder)
    return folder


def test_no_old_name_is_left(library: Path) -> None:
    assert [path.name for path in library.iterdir()] == ["mpbench"]
    old = {*imports.MOVED}
    by_text = re.compile(rf"""import_module\([^)]*["']({"|".join(old)})\.""")
    for path in library.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not by_text.search(text), path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = {(node.module or "").partition(".")[0]}
            else:
                continue
            assert not names & old, f"{path}:{node.lineno}"


IMPORT_ALL = """
import importlib, pkgutil, sys
from pathlib import Path
from types import SimpleNamespace

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OLD:
            raise ImportError(f"{name} is imported under its old name")

OLD = set(sys.argv[1].split(","))
sys.meta_path.insert(0, Refuse())
import mpbench
assert Path(mpbench.__file__).is_relative_to(sys.argv[2]), mpbench.__file__
found = [module.name for module in pkgutil.walk_packages(mpbench.__path__, "mpbench.")]
for name in found:
    importlib.import_module(name)
print(len(found))
"""


def test_every_module_can_be_imported(library: Path, tmp_path: Path) -> None:
    """Also where other packages have the names that ours have in a checkout."""
    for name in imports.MOVED:
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not ours')\n")
    words = ["-c", IMPORT_ALL, ",".join(imports.MOVED), str(library)]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env={"PYTHONPATH": str(library), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    modules = [path for path in library.rglob("*.py") if path.stem != "__main__"]
    assert int(done.stdout) == len(modules) - 1  # all but mpbench itself
