"""Queue disciplines as factors of a design."""

from typing import Any

import pytest

from jobs import Job, dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.runs import Plan
from tests.calls import Command

LIST = "[drop_tail, red, codel, fq_codel, pie, cake, {name: codel, target: 20 ms}]"
FILE = f"""\
name: aqm
topology: two_path
design:
  method: grid
  factors:
    path1.discipline: {LIST}
    path1.capacity: [5 Mbit/s, 10 Mbit/s]
cases:
  lia: {{protocol: mptcp, congestion_control: lia}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: 5 s}}
metrics: [goodput]
figures:
  - {{kind: groups, metric: goodput, by: path1.discipline}}
"""
NETWORK = """\
network:
  links:
    wifi: {capacity: 5 Mbit/s}
    lte: {like: wifi}
    dsl: {like: wifi, discipline: pie}
  users: {client: [wifi, lte, dsl]}
"""


def plan(text: str) -> Plan:
    return make_plan(loads(text, "f.yaml"), {})


def on_links(made: Job) -> dict[str, str | None]:
    return {
        link["name"]: (link.get("discipline") or {}).get("name")
        for link in dump(made)["links"]
    }


def test_a_list_of_disciplines_is_crossed() -> None:
    made = plan(FILE)
    assert made.factor_keys == ("path1.discipline", "path1.capacity_mbps")
    labels = list(dict.fromkeys(run.factors["path1.discipline"] for run in made.runs))
    plain = ["drop_tail", "red", "codel", "fq_codel", "pie", "cake"]
    assert labels == [*plain, "codel (target 20 ms)"]
    assert len(made.runs) == 14 and len({run.id for run in made.runs}) == 14
    found = [on_links(run.job)["path1"] for run in made.runs[::2]]
    assert found == [None, *plain[1:], "codel"]
    assert {on_links(run.job)["path2"] for run in made.runs} == {None}


def test_ranges_are_spread_for_every_discipline() -> None:
    spread = FILE.replace("method: grid", "points: 3").replace(
        "[5 Mbit/s, 10 Mbit/s]", "{min: 5 Mbit/s, max: 10 Mbit/s}"
    )
    assert len(plan(spread).runs) == 21


@pytest.mark.parametrize(
    ("listed", "link"),
    [
        ("codel", "{discipline: codel}"),
        (
            "{name: red, probability: 5 %}",
            "{discipline: {name: red, probability: 5 %}}",
        ),
        ("{up: pie}", "{discipline: {up: pie}}"),
        ("drop_tail", "{}"),
    ],
)
def test_a_run_has_the_job_of_a_file_with_this_discipline(
    listed: str, link: str
) -> None:
    """But for the seed, which follows from the point."""
    varied = plan(FILE.replace(LIST, f"[{listed}]"))
    factor = f"    path1.discipline: {LIST}\n"
    head, _, _ = FILE.replace(factor, "").partition("figures:")
    fixed = plan(head.replace("two_path\n", f"two_path\nlinks: {{path1: {link}}}\n"))
    one, other = (
        [{**dump(run.job), "seed": 0} for run in p.runs] for p in (varied, fixed)
    )
    assert one == other


def test_experiments_differ_by_their_disciplines() -> None:
    one, two = (
        loads(FILE.replace(LIST, f"[codel, {other}]")) for other in ("pie", "red")
    )
    assert one.digest != two.digest


def test_links_that_are_like_another_have_its_discipline() -> None:
    text = FILE.replace("topology: two_path\n", NETWORK).replace("path1.", "wifi.")
    made = plan(text.replace("server", "server_client"))
    assert on_links(made.runs[-1].job) == {
        "wifi": "codel",
        "lte": "codel",
        "dsl": "pie",
    }
    own = dump(made.runs[6].job)["links"]
    assert {link["name"]: "discipline" in link for link in own} == {
        "wifi": True,
        "lte": True,
        "dsl": True,
    }
    first = on_links(made.runs[0].job)
    assert first == {"wifi": None, "lte": None, "dsl": "pie"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            LIST,
            "[drop tail, codel]",
            "f.yaml:6: design.factors.path1.discipline[0]: unknown discipline 'drop"
            " tail'; did you mean 'drop_tail'?",
        ),
        (LIST, "codel", "expected a list of queue disciplines, such as [drop_tail, "),
        (LIST, "[]", "expected a list of queue disciplines, such as [drop_tail, "),
        (LIST, "{min: 1, max: 2}", "disciplines have no range; write a list, such as"),
        (LIST, "[codel, codel]", "'codel' is in the list already"),
        (LIST, "[codel, null]", "needs a name; write drop_tail for a plain queue"),
        (
            LIST,
            "[{name: codel, tagret: 5 ms}]",
            "discipline[0].tagret: codel has no such option; did you mean 'target'?",
        ),
        (
            "path1.discipline:",
            "path1.disciplin:",
            "no such parameter; did you mean 'path1.discipline'?",
        ),
        (
            LIST,
            "[codel, {name: red, max: 1 MB}]",
            "design.factors.path1.discipline, point 2: red: max, 1e+06 bytes, is not",
        ),
        ("two_path", "minitopo", "links of Mininet's have drop tail only; take two_p"),
        (
            "two_path",
            "two_path\nlinks: {path1: {discipline: codel}}",
            "path1.discipline is a factor of the design too; take one away",
        ),
        (
            "two_path",
            "two_path\nparameters: {path1.discipline: codel}",
            "is a word, and a number is needed here; set it under 'links', or vary",
        ),
        (
            "  method: grid",
            "  method: grid\n  constraints: ['path1.discipline < 3']",
            "is a word, and a number is needed here",
        ),
        (
            "two_path",
            "two_path\nchanges: {path1: {at: {1 s: {queue: 50}}}}",
            "the queue of a link with cake cannot change; take codel, fq_codel, pie",
        ),
        ("two_path", "two_path\nfabric: true", "has no codel; take drop_tail or red"),
        ("groups", "line", "has words, and line shows numbers; take kind: groups"),
        (
            "{kind: groups, metric: goodput, by: path1.discipline}",
            "{kind: histogram, factors: [path1.discipline]}",
            "has words, and a histogram shows numbers; take it away",
        ),
    ],
)
def test_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        plan(FILE.replace(old, new, 1))
    assert message in str(caught.value)
    assert "Traceback" not in str(caught.value)


def test_a_queue_has_an_effect_beside_some_discipline() -> None:
    given = FILE.replace("two_path\n", "two_path\nparameters: {path1.queue: 100}\n")
    assert len(plan(given).runs) == 14
    only = given.replace(LIST, "[cake, {name: cake, rtt: 50 ms}]")
    with pytest.raises(UserError, match="without effect beside cake"):
        plan(only)


@pytest.mark.slow
def test_runs_and_their_report(tmp_path: Any, command: Command) -> None:
    file, out = tmp_path / "f.yaml", tmp_path / "out"
    file.write_text(FILE.replace(LIST, "[drop_tail, {name: codel, target: 20 ms}]"))
    assert "codel (target 20 ms)" in command("plan", file).out
    # The fake backend has drop tail only, so the runs with codel are invalid.
    command("run", file, "--backend", "fake", "--out", out)
    assert '"codel (target 20 ms)"' in (out / "campaign.json").read_text()
    done = command("report", out)
    assert done.status == 0, done.err
    page = (out / "report/README.md").read_text()
    assert "groups-goodput-path1-discipline.png" in page and "Not drawn" not in page
