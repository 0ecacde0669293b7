"""Modules that the commands of the first minute may load.

Imports are most of the time of a short command. `python -m benchmarks.first_minute`
measures the time; these tests hold what it depends on.
"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FILE = ROOT / "experiments/quickstart.yaml"
LISTED = """\
import sys
from mpbench.cli import main
sys.argv[0] = "mpbench"
try:
    main()
except SystemExit as ended:
    status = ended.code
print(*sys.modules, file=sys.stderr)
sys.exit(status)
"""
READING = {"annotated_types", "click", "cython_runtime", "pydantic", "pydantic_core"}
"""Libraries of others that read a command and an experiment file."""
READING |= {"typing_extensions", "typing_inspection", "yaml"}
DRAWING = READING | {
    "cloudpickle",
    "cycler",
    "dateutil",
    "fontTools",
    "kiwisolver",
    "markdown_it",
    "matplotlib",
    "mdurl",
    "mpl_toolkits",
    "numpy",
    "packaging",
    "pandas",
    "PIL",
    "pygments",
    "pyparsing",
    "pytz",
    "pyarrow",
    "rich",
    "scipy",
    "six",
}
KINDS = "analysis.figures.kinds."
SLOW = (
    "matplotlib.backends.backend_pdf",
    "matplotlib.pyplot",
    "scipy.integrate",
    "scipy.optimize",
    "scipy.spatial",
    "scipy.special",
    "scipy.stats",
    "wsp.search",
)
"""Parts that most reports do without, each of which takes long to load."""


def loaded(words: list[str]) -> set[str]:
    """The modules that a command loads."""
    done = subprocess.run(
        [sys.executable, "-c", LISTED, *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


def others(modules: set[str]) -> set[str]:
    """The libraries among modules that are neither Python's nor of this project."""
    known = {*sys.stdlib_module_names, "__main__", "sitecustomize", "usercustomize"}
    known |= {path.stem for path in ROOT.glob("*/") if path.is_dir()}
    top = {name.partition(".")[0] for name in modules}
    return {name for name in top - known if not name.startswith("_")}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished campaign of the quickstart, on the fake backend."""
    root = tmp_path_factory.mktemp("budget") / "out"
    loaded(["run", str(FILE), "--backend", "fake", "--out", str(root)])
    return root


@pytest.mark.usefixtures("results")  # the design's points are kept by then
def test_a_plan_loads_what_reads_a_file() -> None:
    modules = loaded(["plan", str(FILE), "--backend", "fake"])
    assert others(modules) <= READING
    assert "mpbench.kernel_locks" not in modules, "the file has no kernels"
    assert "ssl" not in modules, "nothing is fetched"
    assert "mpbench.store.records" not in modules, "no results are read"
    read = {name for name in modules if name.startswith("tools.")}
    assert "tools.iperf3.keys" in read
    assert not any(name.endswith(".keys") for name in read - {"tools.iperf3.keys"})
    kinds = {name for name in modules if name.startswith(KINDS) and "request" in name}
    assert kinds == {f"{KINDS}{k}.request" for k in ("box", "goodput", "histogram")}
    assert len(modules) < 630


def test_a_run_with_nothing_to_do_makes_no_table(results: Path) -> None:
    words = ["run", str(FILE), "--backend", "fake", "--out", str(results)]
    modules = loaded(words)
    table = {"numpy", "pandas", "pyarrow"} & others(modules)
    if changed():
        assert table, "code that was changed since its commit may give other tables"
        return
    assert others(modules) <= READING, "plain lines need no library"
    assert "analysis.run.row" not in modules
    assert len(modules) < 690


def test_a_report_loads_no_slow_part_of_a_library(results: Path) -> None:
    modules = loaded(["report", str(results)])
    assert others(modules) <= DRAWING
    assert not modules & {*SLOW, "mpbench.engine.messages"}
    assert "mpbench.backends.virtual" not in modules, "no guest boots"
    assert len(modules) < 1450


def test_a_report_does_not_list_the_properties_of_marks() -> None:
    """These lists take a tenth of a second; a matplotlib without them fails here."""
    listed = """\
from mpbench import drawing_library
drawing_library.load()
from matplotlib.lines import Line2D
print("linewidth" in str(__import__("inspect").signature(Line2D.set)))
"""
    done = subprocess.run(
        [sys.executable, "-c", listed], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.split() == ["False"], done.stderr


def test_a_command_ends_without_looking_for_garbage() -> None:
    """Python looks through no object that is frozen; a report has 280,000."""
    last = """\
import atexit, gc, sys
atexit.register(lambda: print(gc.get_freeze_count() > 10_000))
from mpbench.cli import main
sys.argv[1:] = ["--version"]
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", last], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.split()[-1] == "True", done.stderr


def changed() -> bool:
    """Whether files of this checkout differ from its commit, or it has none."""
    done = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=no"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return done.returncode != 0 or bool(done.stdout.strip())
