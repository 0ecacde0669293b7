"""The section `middlebox:`, the key of cases, and the kernel that they bring."""

from typing import Any

import pytest
from click.testing import CliRunner

from jobs import dump
from jobs.linux import Linux
from jobs.middleboxes import KERNEL_OPTIONS
from mpbench.commands.plan import command
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import advice, feasible, job_format, make_plan, new_plan
from tests.spec.files import text

IPERF3 = {"tool": "iperf3", "from": "client", "to": "server", "duration": "5 s"}
MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}
SYN = {"strip": "syn"}


def file(boxes: Any, case: Any = None, **more: Any) -> str:
    cases = {"only": {**MPTCP, **({"middlebox": case} if case is not None else {})}}
    found = {"traffic": [IPERF3], "cases": cases, **more}
    return text(design=None, middlebox=boxes, **found)


def job(boxes: Any, case: Any = None, **more: Any) -> dict[str, Any]:
    (run,) = make_plan(loads(file(boxes, case, **more)), {}).runs
    return dump(run.job)


def test_without_boxes_nothing_changes() -> None:
    plain = loads(text(design=None, traffic=[IPERF3], cases={"only": MPTCP}))
    assert loads(file({})).digest == loads(file({}, {})).digest == plain.digest
    assert "middleboxes" not in job({})
    assert "linux" not in job({"path1": []})


def test_boxes_are_part_of_the_job_in_order() -> None:
    made = job(
        {
            "path2": [{"drop": "all", "of": "mp_join", "direction": "up"}],
            "path1": [
                {"rewrite": 400, "from": "1 s", "until": "2.5 s"},
                {"nat": {"timeout": "10 s", "forgets": "reset"}},
                {"mss": 1300},
                {"ecn": "bleach"},
                {"sequence": "shift"},
            ],
        }
    )
    path1 = {"link": "path1"}
    assert made["middleboxes"] == [
        {**path1, "kind": "rewrite", "from_s": 1.0, "until_s": 2.5, "number": 400},
        {**path1, "kind": "nat", "timeout_s": 10, "forgets": "reset"},
        {**path1, "kind": "mss", "number": 1300},
        {**path1, "kind": "ecn", "action": "bleach"},
        {**path1, "kind": "sequence"},
        {
            "link": "path2",
            "kind": "drop",
            "direction": "up",
            "packets": "all",
            "subtype": "mp_join",
        },
    ]
    assert dump(job_format.load(made)) == made
    assert made["linux"] == {"options": KERNEL_OPTIONS}


def test_a_case_counts_more_link_by_link() -> None:
    usual = {"path1": [SYN], "path2": [{"mss": 900}]}
    made = job(usual, {"path1": [], "path2": [{"ecn": "ce"}]})
    assert [box["kind"] for box in made["middleboxes"]] == ["ecn"]


def test_a_shift_of_all_numbers_is_the_usual_one() -> None:
    """The job says only what differs from it, so jobs keep their ids."""
    whole, kept = (
        job({"path1": [{"sequence": value}]})["middleboxes"][0]
        for value in ("shift", "shift_without_sack")
    )
    assert "action" not in whole
    assert kept == {**whole, "action": "shift_without_sack"}


def test_all_cases_of_a_file_have_one_kernel() -> None:
    cases = {"with": {**MPTCP, "middlebox": {"path1": [SYN]}}, "without": MPTCP}
    plan = make_plan(loads(file({}, cases=cases)), {})
    assert [run.job.linux for run in plan.runs] == [Linux(options=KERNEL_OPTIONS)] * 2
    assert [len(run.job.middleboxes) for run in plan.runs] == [1, 0]


def test_kernels_of_the_file_get_the_options_too() -> None:
    kernels = {"stock": {"lab": "none", "options": {"CONFIG_HZ": 1000}}}
    cases = {"a": {**MPTCP, "kernel": "stock"}, "b": MPTCP}
    plan = make_plan(loads(file({"path1": [SYN]}, kernels=kernels, cases=cases)), {})
    stock, own = (run.job.linux for run in plan.runs)
    assert stock == Linux(lab=False, options={"CONFIG_HZ": "1000", **KERNEL_OPTIONS})
    assert own == Linux(options=KERNEL_OPTIONS)
    assert stock.words == "stock Linux with netfilter, CONFIG_HZ=1000"


@pytest.mark.parametrize(
    "box, reason",
    [
        ({"stripe": "syn"}, "unknown key; did you mean 'strip'?"),
        (
            {"direction": "up"},
            "mss, icmp, ecn, proxy, in the same braces: {drop: all, from: 2 s}",
        ),
        ({}, "no box; give one of strip, drop, garble, rewrite, sequence"),
        ({"strip": "syn", "drop": "syn"}, "'strip' stands in this box already; make a"),
        ({"strip": "fin"}, "unknown kind of packet 'fin'"),
        ({"garble": "syn"}, "the option is missing; add 'of: mp_capable or mp_join"),
        ({"garble": "all", "of": "dss"}, "not 'dss'; add 'of: mp_capable or mp_join"),
        ({"strip": "all", "of": "mp_jion"}, "did you mean 'mp_join'?"),
        (
            {"strip": "syn", "of": "dss"},
            "a syn has mp_capable or mp_join only; write",
        ),
        ({"drop": "data", "of": "mp_join"}, "have no mp_join; write 'drop: all'"),
        ({"mss": 1000, "of": "dss"}, "only strip, drop, garble look at options; take"),
        ({"nat": True, "direction": "up"}, "nat acts on both directions; take it away"),
        ({"mss": 40}, "40 is below 88, the least value that works"),
        ({"rewrite": -1}, "-1 is below 0, the least value that works"),
        ({"rewrite": True}, "expected a whole number"),
        ({"proxy": True, "from": "2 s"}, "a proxy acts in the whole run, on all"),
        ({"proxy": {"opens": "quic"}}, "unknown protocol 'quic'"),
        ({"proxy": True, "direction": "up"}, "proxy acts on both directions; take"),
        ({"nat": {"timeout": "1.5 s"}}, "1.5 s is not a whole number of seconds"),
        ({"nat": {"forgets": "all"}}, "unknown way to forget 'all'"),
        ({"firewall": {"time": "3 s"}}, "unknown key"),
        ({"ecn": "on"}, "unknown mark of ECN 'on'"),
        ({"icmp": "lose"}, "unknown treatment of ICMP 'lose'"),
        ({"sequence": "random"}, "unknown change of sequence numbers 'random'"),
        ({**SYN, "direction": "left"}, "unknown direction 'left'"),
        (
            {**SYN, "from": "3 s", "until": "2 s"},
            "2 s is not after 'from', 3 s; give a later time",
        ),
        ({**SYN, "from": "5 s"}, "not before the end of the traffic, at 5 s; give an"),
    ],
)
def test_what_no_box_can_be_is_refused_in_one_line(box: Any, reason: str) -> None:
    for given in (file({"path1": [box]}), file({}, {"path1": [box]})):
        with pytest.raises(UserError) as error:
            loads(given)
        assert reason in str(error.value)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "boxes, more, reason",
    [
        ({"path3": [SYN]}, {}, "two_path has no link 'path3'; did you mean 'path"),
        ({"path1": [SYN]}, {"fabric": True}, "the fabric has no routers for"),
        ({"path1": [SYN]}, {"topology": "minitopo"}, "use two_path"),
        (
            {"path1": [{"nat": True}, {"firewall": True}]},
            {},
            "the link has a nat, which remembers connections already; take one of",
        ),
        (
            {"path1": [{"proxy": True}, {"nat": True}]},
            {},
            "the link has a proxy, which remembers connections already; take one of",
        ),
        ({"path1": [SYN] * 33}, {}, "middlebox"),
        (
            {"path2": [{"mss": 900}, {"nat": True}]},
            {"traffic": [{**IPERF3, "tool": "flows", "connections": 2}]},
            "middlebox.path2[1]: traffic[0] is of flows, which knows its",
        ),
        (
            {"path1": [SYN]},
            {"kernels": {"k": {"options": {"CONFIG_NETFILTER": "n"}}}},
            "middleboxes need y; take it away",
        ),
        (
            {},
            {
                "traffic": [
                    {**IPERF3, "transport": {**MPTCP, "middlebox": {"path1": []}}}
                ]
            },
            "",
        ),
        (
            {},
            {
                "traffic": [
                    {**IPERF3, "transport": {**MPTCP, "middlebox": {"path1": [SYN]}}}
                ]
            },
            "of a case or of the whole file; write it there",
        ),
    ],
)
def test_where_no_box_can_stand(boxes: Any, more: Any, reason: str) -> None:
    with pytest.raises(UserError) as error:
        loads(file(boxes, **more))
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("boxes", "reason"),
    [
        ({"path1": [{"rewrite": 65_000}]}, ""),
        ({"path1": [{"rewrite": 65_001}]}, "65001 is above 65000"),
        ({"path1": [{"mss": 88}]}, ""),
        ({"path1": [{"mss": 87}]}, "87 is below 88"),
        ({"path1": [{"mss": 65_000}]}, ""),
        ({"path1": [{"mss": 65_001}]}, "65001 is above 65000"),
        ({"path1": [SYN] * 32}, ""),
        ({"path1": [SYN] * 16, "path2": [SYN] * 17}, "more than 32 boxes; take some"),
        ({"path1": [{**SYN, "from": "4.9 s"}]}, ""),
        (
            {"path1": [{"firewall": True}, {"mss": 900}, {"nat": True}]},
            "path1[2]: the link has a firewall, which remembers",
        ),
    ],
)
def test_the_ends_of_what_boxes_can_be(boxes: Any, reason: str) -> None:
    if reason:
        with pytest.raises(UserError) as error:
            loads(file(boxes))
        assert reason in str(error.value)
    else:
        assert job(boxes)["middleboxes"]


@pytest.mark.parametrize(
    ("box", "key", "good", "bad"),
    [
        ({"nat": {"timeout": "10 s"}}, "timeout_s", (1, 432_000), (0, 432_001)),
        ({"firewall": {"timeout": "9 s"}}, "timeout_s", (1, 432_000), (0, 432_001)),
        ({"rewrite": 4}, "number", (0, 65_000), (-1, 65_001)),
        ({"mss": 900}, "number", (88, 65_000), (87, 65_001)),
    ],
)
def test_the_ends_of_numbers_in_a_job(
    box: Any, key: str, good: tuple[int, ...], bad: tuple[int, ...]
) -> None:
    """A job may come from elsewhere, so its own bounds count too."""
    made = job({"path1": [box]})
    for number in good:
        made["middleboxes"][0][key] = number
        assert dump(job_format.load(made)) == made
    for number in bad:
        made["middleboxes"][0][key] = number
        with pytest.raises(ValueError, match=key):
            job_format.load(made)


def test_a_fabric_without_boxes_needs_no_routers_for_them() -> None:
    loads(file({}, fabric=True))


def test_too_many_boxes_of_a_case_are_told_at_the_case() -> None:
    with pytest.raises(UserError) as error:
        loads(file({"path1": [SYN] * 20}, {"path2": [SYN] * 13}))
    assert ": cases.only.middlebox: more than 32 boxes" in str(error.value)


def test_one_case_with_boxes_gives_all_the_kernel() -> None:
    boxes = {"path1": [SYN]}
    cases = {"a": MPTCP, "b": {**MPTCP, "middlebox": boxes}}
    plan = make_plan(loads(file({}, cases=cases)), {})
    assert [run.job.linux for run in plan.runs] == [Linux(options=KERNEL_OPTIONS)] * 2


def excluded(text: str) -> tuple[str, list[str]]:
    """The refusal of a file's plan, and its warnings."""
    spec = loads(text)
    told = advice.warnings(spec, make_plan(spec, {}))
    try:
        new_plan(spec, {})
    except UserError as error:
        return str(error), told
    return "", told


@pytest.mark.parametrize(
    "boxes, wanted, reason",
    [
        (
            {"path1": [SYN]},
            {"mptcp": True},
            "'strip: syn' at path1 makes every connection plain TCP; write 'mptcp:",
        ),
        ({"path1": [{**SYN, "direction": "down"}]}, {"mptcp": True}, ""),
        ({"path1": [{**SYN, "until": "2 s"}]}, {"mptcp": True}, ""),
        ({"path2": [SYN]}, {"mptcp": True}, ""),
        ({"path1": [{"strip": "synack"}]}, {"subflows": 2}, "write 'subflows: 1'"),
        (
            {"path1": [{"strip": "ack", "of": "mp_capable"}]},
            {"mptcp": True},
            "makes every connection plain TCP; write 'mptcp: fallback' or 'any', or",
        ),
        ({"path1": [{"drop": "ack"}]}, {"mptcp": True}, ""),
        ({"path1": [{"garble": "all", "of": "mp_capable"}]}, {"mptcp": True}, ""),
        (
            {"path2": [{"drop": "all", "of": "mp_join"}]},
            {"subflows": 2},
            "'drop: all, of: mp_join' at path2 keeps subflows from joining; write at",
        ),
        (
            {"path2": [{"garble": "ack", "of": "mp_join"}]},
            {"subflows": 2},
            "keeps subflows from joining; write at most 1, or take the box away",
        ),
        ({"path2": [{"drop": "all", "of": "dss"}]}, {"subflows": 2}, ""),
        (
            {"path1": [{"drop": "data"}], "path2": [{"drop": "data"}]},
            {"completes": True},
            "'drop: data' at path1 lets no data of MPTCP pass; write 'completes:",
        ),
        ({"path1": [{"drop": "data"}]}, {"completes": True}, ""),
        ({"path1": [{"mss": 1000}]}, {"mptcp": True, "subflows": 2}, ""),
    ],
)
def test_a_box_that_makes_what_is_expected_impossible_is_refused(
    boxes: Any, wanted: Any, reason: str
) -> None:
    error, told = excluded(file(boxes, traffic=[{**IPERF3, "expect": wanted}]))
    assert told == []
    assert reason in error
    assert bool(reason) == bool(error)
    assert "\n" not in error
    if reason:
        assert f"traffic[0].expect.{next(iter(wanted))}: only: " in error


@pytest.mark.parametrize(
    "boxes, wanted, more",
    [
        # Whether the box or the first SYN comes first is not certain.
        ({"path1": [{**SYN, "from": "0 s"}]}, {"mptcp": True}, {}),
        # The server may announce an address that the client joins on its first path.
        (
            {"path2": [{"drop": "all", "of": "mp_join"}]},
            {"subflows": 2},
            {"hosts": {"server": {"addresses": {"path1": "10.250.0.2"}}}},
        ),
        # The connection may be plain TCP, whose data have no option.
        (
            {"path1": [SYN, {"drop": "data"}], "path2": [{"drop": "data"}]},
            {"completes": True},
            {},
        ),
    ],
)
def test_a_box_that_may_exclude_what_is_expected_is_a_warning(
    boxes: Any, wanted: Any, more: Any
) -> None:
    text = file(boxes, traffic=[{**IPERF3, "expect": wanted}], **more)
    error, told = excluded(text)
    assert not error
    (line,) = told
    assert f"traffic[0].expect.{next(iter(wanted))}: only: '" in line


@pytest.mark.parametrize(
    "box, refused",
    [
        ({"strip": "data"}, True),
        ({"strip": "data", "direction": "up"}, False),
        ({"strip": "data", "of": "dss"}, False),
    ],
)
def test_one_path_without_mappings_is_plain_tcp(box: Any, refused: bool) -> None:
    network = {"links": {"one": {}}, "users": {"client": ["one"]}}
    entry = {**IPERF3, "to": "server_client", "expect": {"mptcp": True}}
    more = {"topology": None, "network": network, "traffic": [entry]}
    error, told = excluded(file({"one": [box]}, **more))
    assert "at one makes every connection plain TCP" in (error or told[0])
    assert (bool(error), len(told)) == (refused, not refused)


def test_a_kernel_of_debians_has_no_boxes() -> None:
    packages = [
        {
            "name": "linux-image-6.12.1-amd64",
            "version": "6.12.1-1",
            "suite": "trixie",
            "path": "pool/main/l/linux/linux-image-6.12.1-amd64_6.12.1-1_amd64.deb",
            "bytes": 1000,
            "sha256": "0" * 64,
        }
    ]
    kernels = {"old": {"machine": "qemu", "linux": "6.12", "packages": packages}}
    boxes = {"path1": [SYN]}
    cases = {"a": {**MPTCP, "kernel": "old"}, "b": {**MPTCP, "middlebox": boxes}}
    plan = make_plan(loads(file({}, kernels=kernels, cases=cases)), {})
    old, own = (run.job.linux for run in plan.runs)
    assert old is not None and old.in_qemu
    assert own == Linux(options=KERNEL_OPTIONS)
    with pytest.raises(UserError, match="need a kernel that mpbench builds"):
        loads(file(boxes, kernels=kernels, cases=cases))


def test_plan_tells_the_kernel(tmp_path: Any) -> None:
    path = tmp_path / "boxes.yaml"
    path.write_text(file({"path1": [SYN]}))
    done = CliRunner().invoke(command, [str(path), "--backend", "fake"])
    assert done.exit_code == 0
    assert "All cases run in a kernel with netfilter" in done.output


def test_native_runs_are_refused_with_the_place() -> None:
    for given, place in (
        (file({"path1": [SYN]}), ": middlebox: "),
        (file({}, {"path1": [SYN]}), ": cases.only.middlebox: "),
    ):
        with pytest.raises(UserError, match="use --backend virtual") as error:
            feasible.check_backend(loads(given), "native")
        assert place in str(error.value)
    feasible.check_backend(loads(file({})), "native")
