"""Parts of links as factors: options of disciplines, impairments, the mtu."""

import csv
from itertools import combinations
from typing import Any

import pytest

from analysis.campaign.columns import label
from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.runs import Plan
from mpbench.spec import trait_factors
from tests.calls import Command
from topologies.queues import OPTIONS

FILE = """\
name: parts
topology: two_path
parameters: {path1.delay: 20 ms, path1.queue: 1000}
links:
  path1: LINK
design:
  method: grid
  factors:
    FACTOR
cases:
  lia: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s}
"""
BURSTS = "{burst_loss: {share: 1 %}}"


def file(factor: str, link: str = "{mtu: 1500}") -> str:
    return FILE.replace("FACTOR", factor).replace("LINK", link)


def plan(text: str) -> Plan:
    return make_plan(loads(text, "f.yaml"), {})


def links(made: Plan, number: int = 0) -> dict[str, dict[str, Any]]:
    return {link["name"]: link for link in dump(made.runs[number].job)["links"]}


@pytest.mark.parametrize(
    ("factor", "link", "column", "same"),
    [
        (
            "path1.burst_loss.length: [7]",
            BURSTS,
            "path1.burst_loss.length_packets",
            "{burst_loss: {share: 1 %, length: 7}}",
        ),
        (
            "path1.burst_loss.share: [0.3 %]",
            "{burst_loss: {length: 3 packets}}",
            "path1.burst_loss.share_percent",
            "{burst_loss: {share: 0.3 %, length: 3}}",
        ),
        (
            "path1.burst_loss.good: [0.1 %]",
            "{burst_loss: {enter: 1 %, leave: 20 %}}",
            "path1.burst_loss.good_percent",
            "{burst_loss: {enter: 1 %, leave: 20 %, good: 0.1 %}}",
        ),
        (
            "path1.reordering.by: [1.5 ms]",
            "{reordering: 2 %}",
            "path1.reordering.by_ms",
            "{reordering: {share: 2 %, by: 1.5 ms}}",
        ),
        (
            "path1.reordering.share: [2 %]",
            "{mtu: 1500}",
            "path1.reordering.share_percent",
            "{reordering: 2 %}",
        ),
        (
            "path1.duplication: [0.1 %]",
            "{mtu: 1500}",
            "path1.duplication_percent",
            "{duplication: 0.1 %}",
        ),
        (
            "path1.corruption.up: [0.1 %]",
            "{mtu: 1500}",
            "path1.corruption.up_percent",
            "{corruption: {up: 0.1 %}}",
        ),
        ("path1.mtu: [1400]", "{}", "path1.mtu_bytes", "{mtu: 1400}"),
        (
            "path1.discipline.target: [7 ms]",
            "{discipline: codel}",
            "path1.discipline.target_ms",
            "{discipline: {name: codel, target: 7 ms}}",
        ),
        (
            "path1.discipline.target: [7 ms]",
            "{discipline: {up: {name: codel, interval: 50 ms}}}",
            "path1.discipline.target_ms",
            "{discipline: {up: {name: codel, target: 7 ms, interval: 50 ms}}}",
        ),
        (
            "path1.discipline.down.target: [7 ms]",
            "{discipline: codel}",
            "path1.discipline.down.target_ms",
            "{discipline: {up: codel, down: {name: codel, target: 7 ms}}}",
        ),
        (
            "path1.discipline.min: [25 ms]",
            "{discipline: red}",
            "path1.discipline.min_ms",
            "{discipline: {name: red, min: 25 ms}}",
        ),
        (
            "path1.discipline.min: [25]",
            "{discipline: red}",
            "path1.discipline.min_packets",
            "{discipline: {name: red, min: 25}}",
        ),
        (
            "path1.discipline.min: {values: [20, 30], unit: kB}",
            "{discipline: red}",
            "path1.discipline.min_bytes",
            "{discipline: {name: red, min: 20 kB}}",
        ),
        (
            "path1.discipline.averaging: [32]",
            "{discipline: red}",
            "path1.discipline.averaging",
            "{discipline: {name: red, averaging: 32}}",
        ),
        (
            "path1.discipline.quantum: [300 B]",
            "{discipline: fq_codel}",
            "path1.discipline.quantum_bytes",
            "{discipline: {name: fq_codel, quantum: 300 B}}",
        ),
        (
            "path1.discipline.gentle: [false]",
            "{discipline: red}",
            "path1.discipline.gentle",
            "{discipline: {name: red, gentle: false}}",
        ),
        (
            "path1.discipline.isolation: [hosts]",
            "{discipline: cake}",
            "path1.discipline.isolation",
            "{discipline: {name: cake, isolation: hosts}}",
        ),
    ],
)
def test_a_run_has_the_job_of_a_file_with_this_value(
    factor: str, link: str, column: str, same: str
) -> None:
    """But for the seed, which follows from the point."""
    alone = "parameters: {path1.delay: 20 ms}\n"
    cake = "parameters: {path1.delay: 20 ms, path1.queue: 1000}\n"
    varied, fixed = file(factor, link), file("", same)
    if "cake" in link:
        varied, fixed = varied.replace(cake, alone), fixed.replace(cake, alone)
    head, _, rest = fixed.partition("design:")
    made = plan(varied)
    one = {**dump(made.runs[0].job), "seed": 0}
    other = {
        **dump(plan(head + "cases:" + rest.partition("cases:")[2]).runs[0].job),
        "seed": 0,
    }
    assert one == other
    assert made.factor_keys == (column,)


def test_no_share_is_no_impairment() -> None:
    factors = [
        "path1.burst_loss.share: [0 %, 1 %]",
        "path1.reordering.share: [0 %]",
        "path1.duplication: [0 %]",
    ]
    made = plan(file("\n    ".join(factors), "{burst_loss: {length: 5}}"))
    assert "impairments" not in links(made, 0)["path1"]
    assert set(links(made, 1)["path1"]["impairments"]) == {"burst_loss"}


def test_ranges_are_spread_and_constrained() -> None:
    text = file("path1.burst_loss.length: {min: 1, max: 20}", BURSTS)
    text = text.replace("method: grid", "points: 8")
    text = text.replace(
        "cases:",
        "    path1.discipline.target: {min: 1 ms, max: 20 ms}\n"
        "    path1.discipline: [codel, pie]\n"
        "  constraints: [path1.discipline.target > path1.burst_loss.length]\n"
        "cases:",
    )
    made = plan(text)
    assert len(made.design) == 16
    for run in made.runs:
        target = run.factors["path1.discipline.target_ms"]
        assert target > run.factors["path1.burst_loss.length_packets"]
        link = dump(run.job)["links"][0]
        assert link["discipline"]["target_ms"] == target


def test_links_that_are_like_another_vary_with_it() -> None:
    network = """\
network:
  links:
    wifi: {capacity: 5 Mbit/s, discipline: codel}
    lte: {like: wifi}
    dsl: {like: wifi, discipline: pie, duplication: 2 %}
  users: {client: [wifi, lte, dsl]}
"""
    factors = "wifi.discipline.target: [9 ms]\n    wifi.duplication: [1 %]"
    text = file(factors).replace("to: server", "to: server_client")
    body = text.partition("design:")
    made = plan(f"name: like\n{network}design:{body[2]}")
    found = links(made)
    assert {n: link["discipline"]["target_ms"] for n, link in found.items()} == {
        "wifi": 9.0,
        "lte": 9.0,
        "dsl": 15.0,
    }
    shares = {
        n: link["impairments"]["duplication_percent"] for n, link in found.items()
    }
    assert shares == {"wifi": 1.0, "lte": 1.0, "dsl": 2.0}


def test_options_of_one_name_have_the_same_values() -> None:
    """A factor is read before the discipline of its link is known."""
    for one, other in combinations(
        [option for options in OPTIONS.values() for option in options], 2
    ):
        if one.name == other.name:
            for key in ("unit", "minimum", "maximum", "size", "words", "power", "step"):
                assert getattr(one, key) == getattr(other, key), one.name


@pytest.mark.parametrize(
    ("factor", "link", "message"),
    [
        (
            "path1.burst_loss.length: [0.5]",
            BURSTS,
            "f.yaml:9: design.factors.path1.burst_loss.length[0]: 0.5 packets is out of"
            " range; path1.burst_loss.length is 1 to 1e+06 packets",
        ),
        ("path1.burst_loss.length: [1e400]", BURSTS, "is not a finite number"),
        ("path1.burst_loss.length: [.nan]", BURSTS, "'.nan' is not a quantity"),
        ("path1.burst_loss.length: [64 KiB]", BURSTS, "a number of packets is needed"),
        (
            "path1.burst_loss.share: [100 %]",
            "{burst_loss: {length: 2}}",
            "is below 100",
        ),
        ("path1.burst_loss.share: [-1 %]", "{burst_loss: {length: 2}}", "out of range"),
        (
            "path1.burst_loss.share: [70 %]",
            "{burst_loss: {length: 2}}",
            "burst_loss.share: bursts of 2 packets lose 66.67 % at most; give",
        ),
        (
            "path1.burst_loss.share: [1 %]",
            "{}",
            "f.yaml:9: design.factors.path1.burst_loss.share: path1.burst_loss: share"
            " and length stand together",
        ),
        ("path2.burst_loss.length: [1]", BURSTS, "f.yaml:5: links.path1.burst_loss: s"),
        (
            "path1.burst_loss.length: [1]",
            "{burst_loss: {share: 1 %, length: 3}}",
            "f.yaml:5: links.path1.burst_loss.length: path1.burst_loss.length is a",
        ),
        (
            "path1.duplication: [1 %]",
            "{duplication: {up: 1 %}}",
            "links.path1.duplication.up: path1.duplication is a factor of the design",
        ),
        ("path1.burst_loss.leave: [0 %]", BURSTS, "leave is above 0"),
        ("path1.reordering.by: [0 ms]", "{reordering: 1 %}", "by is above 0"),
        (
            "path1.reordering.by: [25 ms]",
            "{reordering: 1 %}",
            "reordering.by: reordering by 25 ms is more than the delay less the",
        ),
        (
            "path1.burst_loss.lenght: [1]",
            BURSTS,
            "no such parameter; did you mean 'path1.burst_loss.length'?",
        ),
        ("path1.burst_loss.length.x: [1]", BURSTS, "no such parameter; did you mean"),
        ("path1..length: [1]", BURSTS, "no such parameter; did you mean"),
        ("path1.burst_loss.: [1]", BURSTS, "no such parameter; did you mean"),
        ("path3.burst_loss.length: [1]", BURSTS, "no such parameter; did you mean"),
        ("path1.mtu: [100]", "{}", "100 bytes is out of range; path1.mtu is 576 to"),
        ("path1.mtu.up: [1400]", "{}", "no such parameter; did you mean 'path1.mtu'?"),
        (
            "path1.discipline.target: [5 ms]",
            "{}",
            "path1 has drop tail, which has no target; give it another discipline, or"
            " write path1.discipline: [{name: codel, target: ...}]",
        ),
        (
            "path1.discipline.alpha: [2]",
            "{discipline: codel}",
            "path1 has codel, which has no alpha; known: target, interval, ecn, or",
        ),
        (
            "path1.discipline.target: [5 ms]\n    path1.discipline: [codel, drop_tail]",
            "{}",
            "design.factors.path1.discipline.target: path1 has drop tail, which has no",
        ),
        (
            "path1.discipline.target: [5 ms]\n"
            "    path1.discipline: [codel, {name: codel, target: 9 ms}]",
            "{}",
            "a discipline of path1 has target already; take one away",
        ),
        (
            "path1.discipline.target: [5 ms]\n    path1.discipline.up.target: [6 ms]",
            "{discipline: codel}",
            "without effect beside path1.discipline.target; take one away",
        ),
        (
            "path1.discipline.target: [0 ms]",
            "{discipline: codel}",
            "0 ms is out of range; path1.discipline.target is 0.01 to 10000 ms",
        ),
        (
            "path1.discipline.averaging: [17]",
            "{discipline: red}",
            "17 is not a power of two, such as 16",
        ),
        (
            "path1.discipline.update: [15 ms]",
            "{discipline: pie}",
            "15 ms is not a multiple of 10 ms",
        ),
        (
            "path1.discipline.min: [25 ms, 30 kB]",
            "{discipline: red}",
            "'30 kB' is an amount of data; a time is needed, such as '10 ms'",
        ),
        (
            "path1.discipline.max: [2 MB]",
            "{discipline: red}",
            "discipline.max: red: max, 2e+06 bytes, is not below the queue",
        ),
        (
            "path1.discipline.min: [80 ms]",
            "{discipline: red}",
            "design.factors.path1.discipline.min: red: min, 100000 bytes, is not below",
        ),
        ("path1.discipline.ecn: [yes]", "{discipline: codel}", "expected true or fals"),
        (
            "path1.discipline.ecn: [true, true]",
            "{discipline: codel}",
            "in the list alr",
        ),
        (
            "path1.discipline.ecn: {min: 0, max: 1}",
            "{discipline: codel}",
            "expected a list of words, such as [false, true]",
        ),
        (
            "path1.discipline.isolation: [host]",
            "{discipline: cake}",
            "'host': did you mean 'hosts'?",
        ),
        (
            "path1.discipline.ecn: [true]\n  constraints: [path1.discipline.ecn > 0]",
            "{discipline: codel}",
            "'path1.discipline.ecn': a word, and a number is needed here",
        ),
        (
            "path1.mtu: [1400]\n  constraints: [path1.burst_loss.share > 0]",
            "{}",
            "'path1.burst_loss.share': no number that varies; vary it as a factor",
        ),
    ],
)
def test_refused(factor: str, link: str, message: str) -> None:
    text = file(factor, link)
    if "cake" in link:
        text = text.replace(", path1.queue: 1000", "")
    with pytest.raises(UserError) as caught:
        plan(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("f.yaml:")


def test_ranges_of_options_with_steps() -> None:
    text = file(
        "path1.discipline.update: {min: 10 ms, max: 50 ms}", "{discipline: pie}"
    )
    made = plan(text.replace("method: grid", "points: 5"))
    values = sorted(run.factors["path1.discipline.update_ms"] for run in made.runs)
    assert values == [10, 20, 30, 40, 50]
    for factor, message in (
        ("path1.discipline.averaging: {min: 2, max: 16}", "write a list, such as [4"),
        ("path1.discipline.update: {min: 15 ms, max: 50 ms}", "not a multiple of 10"),
    ):
        link = "{discipline: red}" if "averaging" in factor else "{discipline: pie}"
        with pytest.raises(UserError, match=message.replace("[", r"\[")):
            plan(file(factor, link).replace("method: grid", "points: 2"))


def test_parts_of_mininets_links_are_refused() -> None:
    text = FILE.replace("two_path", "minitopo").replace("links:\n  path1: LINK\n", "")
    with pytest.raises(UserError, match="links of Mininet's have drop tail only"):
        plan(text.replace("FACTOR", "path1.duplication: [1 %]"))


def test_every_name_is_found_again() -> None:
    for name in trait_factors.names("a.b"):
        found = trait_factors.parse(name)
        assert found is not None and found.link == "a.b"


def test_a_criterion_of_two_links_needs_both() -> None:
    figure = (
        "\nmetrics: [goodput]\nfigures:\n  - {kind: box, metric: goodput,"
        " criterion: {factor: duplication, difference: DIFFERENCE}}\n"
    )
    text = file("path1.duplication: [0 %, 1 %]") + figure
    with pytest.raises(UserError, match="a difference needs both; vary it too"):
        plan(text.replace("DIFFERENCE", "absolute"))
    alone = text.replace("DIFFERENCE", "none").replace(
        "factor: duplication", "factor: path1.duplication"
    )
    assert plan(alone).runs
    both = text.replace("[0 %, 1 %]", "[0 %, 1 %]\n    path2.duplication: [0 %, 1 %]")
    assert plan(both.replace("DIFFERENCE", "signed")).runs


@pytest.mark.parametrize(
    "factors",
    [
        "{path1.burst_loss.length: null}",
        "{path1.burst_loss.length: [[1]]}",
        "{path1.burst_loss.length: {min: 1}}",
        "{path1.burst_loss.length: {values: {a: 1}}}",
        "{path1.burst_loss.length: {min: nan, max: 5}}",
        "{path1.burst_loss.length: [1, 1]}",
        "{path1.discipline.ecn: null}",
        "{path1.discipline.ecn: [[true]]}",
        "{path1.discipline.ecn: {values: 3}}",
        "{path1.discipline.ecn: ['true']}",
        "{1: [2], true: [3], null: [4]}",
        "{'path1.burst_loss.': [1], '.': [1], '..': [1], '': [1]}",
        f"{{? 'path1.{'burst_loss.' * 2000}' : [1]}}",
        f"{{path1.mtu: [{'9' * 90}]}}",
        "{path1.mtu: [1400.5]}",
        "[path1.mtu]",
    ],
)
def test_hostile_factors(factors: str) -> None:
    text = file("", "{burst_loss: {share: 1 %}, discipline: codel}")
    text = text.replace("  factors:\n    \n", f"  factors: {factors}\n")
    with pytest.raises(UserError) as caught:
        plan(text)
    assert all(line.startswith("f.yaml:") for line in str(caught.value).splitlines())
    assert len(str(caught.value)) < 3000


def test_labels_of_columns() -> None:
    lengths = "burst_loss.length_packets"
    assert label(f"path1.{lengths}") == "path 1 burst loss length [packets]"
    assert label("wifi.discipline.up.target_ms") == "wifi discipline up target [ms]"
    assert label("path1.duplication.up_percent") == "path 1 duplication up [%]"
    assert label("path1.mtu_bytes") == "path 1 mtu [bytes]"
    difference = label("burst_loss.length_difference_packets")
    assert difference == "burst loss length difference [packets]"
    assert label("steady.single2.goodput_mbps") == "steady single2 goodput [Mbit/s]"


@pytest.mark.slow
def test_runs_and_their_report(tmp_path: Any, command: Command) -> None:
    text = file(
        "path1.burst_loss.length: [1, 5]\n    path1.mtu: [1400, 1500]",
        "{burst_loss: {share: 0.1 %}}",
    )
    text += (
        "metrics: [goodput]\nfigures:\n"
        "  - {kind: groups, metric: goodput, by: path1.mtu}\n"
        "  - {kind: line, metric: goodput, by: path1.burst_loss.length}\n"
    )
    source, out = tmp_path / "f.yaml", tmp_path / "out"
    source.write_text(text)
    command("run", source, "--backend", "fake", "--out", out)
    done = command("report", out)
    assert done.status == 0, done.err
    # The fake backend has no impairments, so the runs are invalid.
    rows = list(csv.DictReader((out / "runs.csv").open()))
    lengths = {row["path1.burst_loss.length_packets"] for row in rows}
    assert lengths == {"1.0", "5.0"}
    assert {row["path1.mtu_bytes"] for row in rows} == {"1400", "1500"}
    shown = command("network", source)
    assert "burst loss length 1, 5 packets*, mtu 1400, 1500 bytes*" in shown.out
