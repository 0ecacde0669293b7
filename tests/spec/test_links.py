"""Queue disciplines, impairments and backups in experiment files."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs import Link, dump
from jobs.reading import read
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.job_format import load as check
from mpbench.spec.queues import NEVER_ZERO
from topologies import queues
from topologies.queues import OPTIONS, red_burst
from topologies.shaping import FRAME_BYTES

PAGE = Path(__file__).parents[2] / "docs" / "links.md"
HEAD = "name: x\n"
REST = """
cases: {lia: {protocol: mptcp, congestion_control: lia}}
traffic: [{tool: iperf3, from: u, to: server_u, duration: 3 s}]
"""


def text(link: str, paths: str = "[only, spare]", more: str = "") -> str:
    links = f"{{only: {{{link}}}, spare: {{}}}}"
    return f"{HEAD}network: {{links: {links}, users: {{u: {paths}}}}}{REST}{more}"


def job(link: str, paths: str = "[only, spare]") -> dict[str, Any]:
    (run,) = make_plan(loads(text(link, paths)), {}).runs
    return dump(run.job)


def only(link: str) -> dict[str, Any]:
    """The link of a job."""
    found: dict[str, Any] = job(link)["links"][0]
    assert found["name"] == "only"
    return found


def refusal(written: str) -> str:
    with pytest.raises(UserError) as caught:
        make_plan(loads(written), {})
    return str(caught.value)


@pytest.mark.parametrize(
    ("queue", "packets"),
    [("100", 100), ("64 KiB", 43), ("1514 B", 1), ("50 ms", 41), ("0 ms", 10)],
)
def test_a_queue_in_packets_data_or_time(queue: str, packets: int) -> None:
    assert only(f"queue: {queue}")["queue_packets"] == packets


def test_a_queue_in_time_is_a_queueing_delay() -> None:
    assert job("queue: 50 ms") == job("queueing_delay: 50 ms")


def test_directions_mix_units() -> None:
    link = only(
        "capacity: {up: 4 Mbit/s, down: 40 Mbit/s}, queue: {up: 100, down: 30 ms}"
    )
    assert link["queue_packets"] == 100
    assert link["down"]["queue_packets"] == 100  # 30 ms at 40 Mbit/s
    link = only(
        "capacity: {up: 4 Mbit/s, down: 40 Mbit/s}, queue: {up: 60 ms, down: 7}"
    )
    assert (link["queue_packets"], link["down"]["queue_packets"]) == (20, 7)


@pytest.mark.parametrize("name", [n for n in OPTIONS if n != "drop_tail"])
def test_a_discipline_enters_the_job_with_all_options(name: str) -> None:
    made = job(f"discipline: {name}")
    discipline = made["links"][0]["discipline"]
    keys = {option.key for option in OPTIONS[name]}
    assert discipline.keys() == {"name", *keys}
    shape = read(Link, made["links"][0])
    assert shape.discipline is not None and shape.discipline.name == name
    assert any(f" {name} " in line for line in shape.tc_commands("eth0"))


@pytest.mark.parametrize("option", ["alpha", "beta"])
def test_what_tc_would_leave_as_it_is_is_refused(option: str) -> None:
    """Such runs were invalid: pie kept its own value where 0 was asked for."""
    given = f"discipline: {{name: pie, {option}: 0}}"
    assert f"0 is out of range; {option} is 1 to 32" in refusal(text(given))
    assert job(f"discipline: {{name: pie, {option}: 1}}")


def test_drop_tail_changes_no_job() -> None:
    assert job("discipline: drop_tail") == job("")
    assert "discipline" not in job("")["links"][0]


def test_directions_have_their_own() -> None:
    link = only("discipline: {down: codel}, burst_loss: {up: {share: 1 %, length: 5}}")
    assert "discipline" not in link and "impairments" not in link["down"]
    assert link["down"]["discipline"]["name"] == "codel"
    burst = link["impairments"]["burst_loss"]
    p, r = burst["enter_percent"], burst["leave_percent"]
    assert r == pytest.approx(20) and p / (p + r) == pytest.approx(0.01)


def test_a_link_that_is_like_another_has_its_traits() -> None:
    link = "like: lead, discipline: pie}, lead: {discipline: codel, duplication: 1 %"
    made = job(link, "[only, lead, spare]")
    links = {each["name"]: each for each in made["links"]}
    assert links["only"]["discipline"]["name"] == "pie"
    assert links["lead"]["discipline"]["name"] == "codel"
    assert links["only"]["impairments"] == {"duplication_percent": 1.0}


def test_red_scales_with_the_capacity() -> None:
    for mbps in (1, 10, 30):
        red = only(f"capacity: {mbps} Mbit/s, discipline: red")["discipline"]
        assert red["min_bytes"] == pytest.approx(2.5 * mbps * FRAME_BYTES, rel=1e-3)
        assert red["max_bytes"] == pytest.approx(5 * mbps * FRAME_BYTES, rel=1e-3)


def test_the_burst_of_tc_gives_the_weight() -> None:
    """As in tc's tc_red_eval_ewma."""
    for averaging in (2, 4, 16, 512):
        for low in (2 * FRAME_BYTES, 37850, 1e6):
            burst, weight = red_burst(low, averaging), 1 / averaging
            wanted = burst + 1 - low / FRAME_BYTES
            assert wanted <= (1 - (1 - weight) ** burst) / weight
            assert wanted > (1 - (1 - 2 * weight) ** burst) / (2 * weight) or (
                averaging == 2
            )


def test_links_of_a_topology() -> None:
    document = yaml.safe_load(HEAD + REST)
    document |= {"topology": "two_path", "links": {"path2": {"discipline": "codel"}}}
    document["traffic"][0] |= {"from": "client", "to": "server"}
    (run,) = make_plan(loads(yaml.safe_dump(document)), {}).runs
    one, two = dump(run.job)["links"]
    assert "discipline" not in one and two["discipline"]["name"] == "codel"
    document["links"] = {"path3": {}}
    assert "no such link; did you mean" in refusal(yaml.safe_dump(document))
    document |= {"topology": "minitopo", "links": {"path1": {"discipline": "codel"}}}
    assert "have drop tail only; take two_path" in refusal(yaml.safe_dump(document))


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("discipline: coddel", "unknown discipline 'coddel'; did you mean 'codel'?"),
        ("discipline: {name: codel, limit: 3}", "write 'queue:'"),
        ("discipline: {name: codel, targt: 3 ms}", "did you mean 'target'?"),
        ("discipline: {name: codel, target: 3}", "3 has no unit; write '3 ms'"),
        ("discipline: {name: codel, target: 1 h}", "target is 0.01 to 10000 ms"),
        ("discipline: {target: 3 ms}", "without a name"),
        ("discipline: {up: codel, name: pie}", "stands beside directions"),
        ("discipline: {name: red, averaging: 15}", "not a power of two"),
        ("discipline: {name: red, min: 5 Mbit/s}", "such as '25', '40 kB' or '30 ms'"),
        ("discipline: {name: red, min: 90 ms}", "is not below max"),
        ("discipline: {name: red, ecn: true}", "ecn works with 'gentle: false' only"),
        ("discipline: red, queue: 20", "is not below the queue"),
        ("discipline: {name: pie, update: 15 ms}", "not a multiple of 10 ms"),
        ("discipline: cake, queue: 20", "without effect beside cake"),
        ("burst_loss: 1 %", "write e.g. {share: 1 %, length: 5}"),
        ("burst_loss: {share: 1 %}", "share and length stand together"),
        ("burst_loss: {share: 60 %, length: 1}", "lose 50 % at most"),
        ("burst_loss: {enter: 1 %, leave: 0 %}", "would never end"),
        ("burst_loss: {share: 1 %, length: 5}, loss: 1 %", "works beside no loss"),
        ("reordering: {share: 1 %, by: 20 ms}", "more than the delay less the jitter"),
        ("reordering: 1 %, delay: 0 ms, jitter: 0 ms", "reordering needs a delay"),
        ("duplication: 100 %", "above 0 and below 100 % works"),
        ("queue: 900 B", "holds no full packet"),
        ("queue: 5 h", "a queue's time is 0 to 100000 ms"),
    ],
)
def test_refusals(link: str, message: str) -> None:
    told = refusal(text(link))
    assert message in told and re.match(r"experiment:\d+: network\.links\.only", told)


@pytest.mark.parametrize(
    ("paths", "case", "message"),
    [
        ("[only, {links: spare, backup: yes}]", "", "expected true or false"),
        ("[only, {backup: true}]", "", "without its links"),
        ("[{links: only spare, backup: true}]", "", "every path is a backup"),
        ("[only, spare]", "backup: 3", "there is no path 3"),
        ("[only, spare]", "backup: [1, 2]", "every path is a backup"),
        ("[only, spare]", "backup: lte", "is not the number of a path"),
    ],
)
def test_refused_backups(paths: str, case: str, message: str) -> None:
    written = text("", paths).replace(
        "congestion_control: lia",
        f"congestion_control: lia, {case}" if case else "congestion_control: lia",
    )
    assert message in refusal(written)


def test_backups_enter_the_job_where_they_are_given() -> None:
    assert "backups" not in job("")["network"]["users"][0]
    made = job("", "[only, {links: spare, backup: true}]")
    assert made["network"]["users"][0]["backups"] == [2]
    assert "backup" not in made["transport"]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "codel; reboot"},
        {"name": "drop_tail"},
        {"target_ms": "5ms"},
        {"target_ms": -1},
        {"limit": 5},
    ],
)
def test_a_stranger_cannot_put_words_into_tc(change: dict[str, Any]) -> None:
    made = job("discipline: codel")
    check(made)
    made["links"][0]["discipline"] |= change
    with pytest.raises(ValueError, match="discipline"):
        check(made)


def test_the_page_has_every_option_with_its_range_and_default() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| `(\w+)` \| (.+?) \| (.+?) \|", PAGE.read_text(), re.M
    )
    listed = {(of, name): (limits, default) for of, name, limits, default in rows}
    known = {(of, o.name): o for of, options in OPTIONS.items() for o in options}
    assert listed.keys() == known.keys()
    for key, option in known.items():
        limits, default = listed[key]
        if option.unit == "word":
            assert limits == ", ".join(f"`{word}`" for word in option.words)
        elif option.unit not in ("switch", "bytes"):
            numbers = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", limits)[:2]]
            least = 1 if key in NEVER_ZERO else option.minimum
            assert numbers == [least, option.maximum], key
        if isinstance(option.default, tuple):
            assert default == f"{option.default[0]:g} {option.default[1]}"
        elif isinstance(option.default, bool):
            assert default == str(option.default).lower()
        elif option.default is not None:
            assert default.split()[0] == f"{option.default}".removesuffix(".0")


@pytest.mark.parametrize(
    ("link", "change", "message"),
    [
        ("discipline: red", "capacity: 5 Mbit/s", "capacity of a link with red"),
        ("discipline: cake", "capacity: 5 Mbit/s", "capacity of a link with cake"),
        ("discipline: red", "queue: 90", "queue of a link with red"),
        ("burst_loss: {share: 1 %, length: 5}", "loss: 1 %", "has burst_loss"),
        ("reordering: {share: 1 %, by: 5 ms}", "delay: 1 ms", "take 'by' away"),
    ],
)
def test_changes_that_do_not_fit(link: str, change: str, message: str) -> None:
    more = f"changes: {{only: {{at: {{1 s: {{{change}}}}}}}}}"
    assert message in refusal(text(link, more=more))
    fitting = text("discipline: codel", more=more)
    assert make_plan(loads(fitting), {}).runs


def test_links_of_the_fabric_have_drop_tail_or_red() -> None:
    words = "a link of the fabric has no pie; take drop_tail or red"
    assert words in refusal(text("discipline: pie", more="fabric: true"))
    words = "a link of the fabric has no reordering"
    assert words in refusal(text("reordering: 1 %", more="fabric: true"))
    made = make_plan(loads(text("discipline: red", more="fabric: true")), {})
    assert dump(made.runs[0].job)["links"][0]["discipline"]["name"] == "red"
    for option in ("probability: 5 %", "averaging: 8", "gentle: false"):
        given = f"discipline: {{name: red, {option}}}"
        with pytest.raises(UserError, match="the red of the fabric has"):
            make_plan(loads(text(given, more="fabric: true")), {})


def test_names_are_those_of_the_schema() -> None:
    assert set(queues.NAMES) == {"drop_tail", "red", "codel", "fq_codel", "pie", "cake"}
