"""Whatever stands in the files of a results folder, a command tells or ignores it."""

import copy
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mpbench.cli import group
from mpbench.errors import UserError
from mpbench.store.layout import Results

from . import folders
from .folders import forge, snapshot

pytestmark = pytest.mark.slow

RECORDS = ("campaign.json", "row.json", "host.json", "job.json", "manifest.json")
ARTEFACTS = (
    "artefacts/outcome.json",
    "artefacts/traffic-0-server.json",
    "artefacts/nstat-client.json",
    "artefacts/qdisc-end.json",
    "artefacts/link-end.json",
)
COMMANDS = (
    ("verify", "--stored"),
    ("analyse",),
    ("dashboard", "--out", "page.html"),
    ("verify",),
    ("cost",),
)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(["..", "/etc", "0" * 16, "ok", "finished", "tcp", "client", "2"]),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=6,
)
changes = st.lists(
    st.tuples(st.integers(0, 10_000), st.sampled_from(["put", "drop", "add"]), values),
    min_size=1,
    max_size=3,
)


def mutated(content: Any, edits: list[tuple[int, str, Any]]) -> Any:
    """`content` with some of its places replaced, removed or added to."""
    content = copy.deepcopy(content)
    for number, action, value in edits:
        places = list(_places(content))
        if not places:
            return content
        parent, key = places[number % len(places)]
        if action == "drop":
            del parent[key]
        elif action == "add" and isinstance(parent, dict):
            parent[str(value)[:10]] = value
        else:
            parent[key] = value
    return content


def _places(part: Any) -> Any:
    keys = part.keys() if isinstance(part, dict) else range(len(part))
    for key in list(keys):
        yield part, key
        if isinstance(part[key], dict | list):
            yield from _places(part[key])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzzed")
    (folder / "small.yaml").write_text(folders.EXPERIMENT)
    words = ["run", str(folder / "small.yaml"), "--backend", "fake"]
    done = CliRunner().invoke(group, [*words, "--out", str(folder / "results")])
    assert done.exit_code == 0, done.output
    return folder


@settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    name=st.sampled_from([*RECORDS, *ARTEFACTS]),
    edits=changes,
    words=st.sampled_from(COMMANDS),
)
def test_any_change_of_a_file_is_told_or_harmless(
    made: Path, name: str, edits: list[tuple[int, str, Any]], words: tuple[str, ...]
) -> None:
    with tempfile.TemporaryDirectory(dir=made) as place:
        root = Path(shutil.copytree(made / "results", Path(place) / "results"))
        run = Results(root).run(sorted(p.name for p in (root / "runs").iterdir())[0])
        file = root / name if name == "campaign.json" else run.root / name
        text = json.dumps(mutated(json.loads(file.read_bytes()), edits)).encode()
        if name in ("campaign.json", "manifest.json"):
            file.write_bytes(text)
        else:
            forge(run, name, text)
        before = snapshot(made / "results")
        page = str(Path(place) / "page.html")
        arguments = [page if word == "page.html" else word for word in words]
        done = CliRunner().invoke(group, [*arguments, str(root)])
        known = (SystemExit, UserError)
        assert done.exception is None or isinstance(done.exception, known), done.output
        if isinstance(done.exception, UserError):
            assert "\n" not in str(done.exception)
        assert snapshot(made / "results") == before
