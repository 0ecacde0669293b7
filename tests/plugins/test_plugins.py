"""Plug-ins of an experiment's folder: what they bring, and what is refused."""

import dataclasses
import json
from importlib import metadata
from pathlib import Path

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from mpbench.spec import own_metrics
from mpbench.spec.experiment import Spec
from mpbench.spec.plugin_format import SUFFIXES
from tests.calls import Command

from .documented import write

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No description of an earlier test is found."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def read(file: Path) -> Spec:
    return load(file, trusted=True)


def ids(spec: Spec) -> list[str]:
    return [run.id for run in make_plan(spec, {}).runs]


def fault(file: Path) -> str:
    with pytest.raises(UserError) as refused:
        read(file)
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_the_documented_folder(tmp_path: Path, command: Command) -> None:
    file = write(tmp_path)
    out = tmp_path / "out"
    words = ("run", file, "--backend", "fake", "--out", out, "--trust-plugins")
    done = command(*words)
    assert done.status == 0, done.err
    table = (out / "runs.csv").read_text()
    assert "echo.median_ms" in table and "spread.sent_packets" in table
    for name in ("topologies/three.py", "tools/echo.py", "metrics/spread.py"):
        (tmp_path / name).unlink()
    for verb in (("report", out), ("analyse", out), ("verify", out)):
        done = command(*verb)
        assert done.status == 0, done.err
    stored = load(out / "experiment.yaml", of_results=True)
    assert stored.topology == "three" and stored.metrics[0] == "echo.median_ms"


def test_ids_change_with_what_a_run_uses(tmp_path: Path) -> None:
    first = ids(read(write(tmp_path)))
    same = write(tmp_path, three=("Three disjoint", "3 disjoint"))
    assert ids(read(same)) == first
    for stem, old, new in (
        ("echo", "Echoes", "Echo"),
        ("spread", "How unevenly", "How"),
        ("three", "delay_ms=10.0", "delay_ms=11.0"),
    ):
        assert ids(read(write(tmp_path, **{stem: (old, new)}))) != first


def test_plug_ins_say_which_direction_is_good(tmp_path: Path) -> None:
    spec = read(write(tmp_path))
    found = own_metrics.directions(spec.traffic, spec.plugins.stored.metrics)
    assert found == {
        "spread.sent_packets": "less",
        **{f"echo.{name}_ms": "less" for name in ("median", "greatest")},
    }
    silent = write(tmp_path, spread=('GOOD = {"sent"', 'DUMB = {"sent"'))
    spec = read(silent)
    found = own_metrics.directions(spec.traffic, spec.plugins.stored.metrics)
    assert "spread.sent_packets" not in found


def test_only_runs_of_a_changed_controller_are_new(tmp_path: Path) -> None:
    file = write(tmp_path).with_name("half.yaml")
    before = ids(read(file))
    write(tmp_path, halflia=("/ 2, 1LL", "/ 3, 1LL"))
    after = ids(read(file))
    assert before[0] == after[0] and before[1] != after[1]
    jobs = [dump(run.job) for run in make_plan(read(file), {}).runs]
    assert "kernel" not in jobs[0] and "/ 3" in jobs[1]["kernel"]["halflia"]["code"]


def test_a_controller_registers_its_own_name(tmp_path: Path) -> None:
    file = write(tmp_path, halflia=('"halflia"', '"halflio"')).with_name("half.yaml")
    assert 'halflia.c:1: registers nothing called "halflia"' in fault(file)
    write(tmp_path, half=("congestion_control: halflia", "congestion_control: halfli"))
    assert "unknown congestion control 'halfli'; did you mean 'halflia'?" in fault(file)


def test_a_topology_may_wire_its_network(tmp_path: Path) -> None:
    two_path = (Path(__file__).parents[2] / "topologies/two_path.py").read_text()
    (tmp_path / "wired.py").write_text(two_path.replace('"two_path"', '"wired"'))
    for name, plugin in (("two_path", ""), ("wired", "topologies: wired.py")):
        (tmp_path / f"{name}.yaml").write_text(
            f"name: x\nplugins: {{{plugin}}}\ntopology: {name}\n"
            "cases: {a: {protocol: mptcp, congestion_control: lia}}\n"
            "traffic: [{tool: iperf3, from: client, to: server, duration: 5 s}]\n"
            "capture: [r1-hub]\n"
        )
    own, ours = (
        make_plan(read(tmp_path / f"{name}.yaml"), {}).runs[0].job
        for name in ("wired", "two_path")
    )
    assert own.network and own.network.wiring and ours.network is None
    assert own.wiring == ours.wiring


@pytest.mark.parametrize(
    ("stem", "old", "new", "reason"),
    [
        ("echo", "def read(", "def read((", "tools/echo.py:59: "),
        ("echo", "import json\n", "import numpy\n", "echo.py:3: imports 'numpy'"),
        ("echo", "import json\n", "from . import x\n", "echo.py:3: imports '.'"),
        ("echo", "def read(", "def reed(", "echo.py:1: no function read"),
        ("echo", '"bytes"', '"parsec"', "echo.py:5: KEYS: 'size': no unit 'parsec'"),
        ("echo", '"size"', '"port"', "every entry has a key 'port'"),
        ("echo", '{"count"', '{open("x")', "KEYS is read without running the file"),
        ("spread", 'NUMBERS = {"sent"', 'NUMBER = {"sent"', "spread.py:1: no NUMBERS"),
        ("spread", 'GOOD = {"sent"', 'GOOD = {"set"', "py:6: GOOD: 'set' is not among"),
        ("spread", '"less"', '"lesser"', "'sent': no direction 'lesser'; did you mean"),
        ("echo", 'GOOD = {"median"', 'GOOD = {"mean"', "'mean' is not among NUMBERS"),
        ("three", "import link_p", "import lonk_p", "three.py:4: ImportError"),
        ("three", "LINKS = (", "LINKS = 1 / 0 and (", "three.py:6: ZeroDivisionError"),
        ("three", "DESCRIPTION =", "DESCR =", "DESCRIPTION is not a topologies"),
        ("three", '"cloud",', '"phone",', "three.py:1: ValueError:"),
        (
            "my-experiment",
            "size: 1 kB",
            "siz: 1 kB",
            ".siz: unknown key; did",
        ),
        ("my-experiment", "size: 1 kB", "size: 1 ms", "traffic[0].size: "),
        ("my-experiment", ", size: 1 kB", "", "traffic[0].size: missing; echo needs"),
        ("my-experiment", "tool: echo", "tool: ecco", "unknown tool 'ecco'; did you"),
        ("my-experiment", "topology: three", "topology: thre", "did you mean 'three'?"),
        ("my-experiment", "tools/echo.py", "tools/no.py", "No such file"),
        ("my-experiment", "tools/echo.py", "topologies/three.c", "not a file *.py"),
        ("my-experiment", "  tools:", "  tolls:", "no kind 'tolls'; did you mean"),
        ("my-experiment", "echo.median_ms", "echo.mode_ms", "no program of the exp"),
    ],
)
def test_what_is_refused_in_one_line(
    tmp_path: Path, stem: str, old: str, new: str, reason: str
) -> None:
    assert reason in fault(write(tmp_path, **{stem: (old, new)}))


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("topologies", "two_path"),
        ("tools", "iperf3"),
        ("metrics", "goodput"),
        ("metrics", "command"),
        ("controllers", "lia"),
        ("controllers", "roundrobin"),
    ],
)
def test_no_name_of_mpbench_is_shadowed(tmp_path: Path, kind: str, name: str) -> None:
    file = write(tmp_path)
    own = tmp_path / f"{name}{SUFFIXES[kind]}"
    own.write_text("")
    old = f"plugins:\n  {kind}:" if kind == "topologies" else "plugins:\n"
    new = f"plugins:\n  {kind}: {own.name}\n"
    text = file.read_text()
    for known in ("topologies: topologies/three.py", "tools: tools/echo.py"):
        if known.startswith(kind):
            text = text.replace(f"  {known}\n", "")
    text = text.replace("  metrics: metrics\n", "") if kind == "metrics" else text
    file.write_text(text.replace("plugins:\n", new) if old else text)
    assert f"'{name}' is the name of one of mpbench's; rename the file" in fault(file)


def test_a_file_outside_must_be_named_as_such(tmp_path: Path) -> None:
    home = tmp_path / "home"
    file = write(home)
    elsewhere = tmp_path / "echo.py"
    (home / "tools/echo.py").rename(elsewhere)
    (home / "tools/echo.py").symlink_to(elsewhere)
    assert "a link that leads out of the experiment's folder" in fault(file)
    file.write_text(file.read_text().replace("tools/echo.py", "../echo.py"))
    assert read(file).plugins.stored.tools.keys() == {"echo"}


def test_settings_beside_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, **{"my-experiment": ("  tools: tools/echo.py\n", "")})
    assert "unknown tool 'echo'" in fault(file)
    settings = tmp_path / "mpbench.toml"
    settings.write_text('[plugins]\ntools = ["tools"]\n')
    assert ids(read(file))
    settings.write_text('[plugin]\ntools = ["tools"]\n')
    assert "mpbench.toml:1: plugin: unknown key" in fault(file)
    settings.write_text("[plugins\n")
    assert "mpbench.toml:1: not TOML" in fault(file)


def test_a_tool_of_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, **{"my-experiment": ("  tools: tools/echo.py\n", "")})
    package = tmp_path / "site/lab_tools"
    package.mkdir(parents=True)
    code = (tmp_path / "tools/echo.py").read_text()
    (package / "echoes.py").write_text(f"{code}\nassert __name__ == 'echo'\n")
    about = tmp_path / "site/lab_tools-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: lab-tools\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[mpbench.tools]\necho = lab_tools.echoes\n"
    )
    (about / "RECORD").write_text("lab_tools/echoes.py,,\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert [e.name for e in metadata.entry_points(group="mpbench.tools")] == ["echo"]
    assert ids(read(file))


def test_a_native_run_needs_consent(tmp_path: Path, command: Command) -> None:
    file = write(tmp_path)
    text = file.read_text().replace("topology: three", "topology: two_path")
    text = text.replace("dsl.", "path1.").replace("phone", "client")
    file.write_text(text.replace("cloud", "server"))
    done = command("run", file, "--backend", "native", "--out", tmp_path / "out")
    assert done.status == 2 and done.err.count("\n") == 1
    assert "would run on this machine as root; --trust-plugins allows it" in done.err


def test_a_plan_keeps_what_a_job_needs(tmp_path: Path) -> None:
    run = make_plan(read(write(tmp_path)), {}).runs[0]
    job = json.loads(json.dumps(dataclasses.asdict(run)["job"]))
    entry = job["traffic"][0]
    assert entry["values"] == {"count": 20.0, "size": 1000.0}
    assert (
        "def processes" in entry["code"]
        and "def read" in job["metrics"]["spread"]["code"]
    )
    assert [user["host"] for user in job["network"]["users"]] == ["phone"]
