"""Cases whose protocol a program of the user's own speaks."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from jobs import Job, Transport, dump, hosts
from mpbench.endpoints import cache, recipes
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.guest import relays
from mpbench.plan import make_plan
from mpbench.plan.job_format import load as check
from tests.calls import Command
from tests.plugins.elves import elf as made
from tools.plugin import endpoint
from tools.plugin.processes import reader
from tools.plugin.record import Plugin

pytestmark = pytest.mark.slow

FILE = """\
name: quic
plugins: {programs: {own: own}}
topology: two_path
cases:
  mpquic: {protocol: mpquic, program: own, congestion_control: bbr9, scheduler: any}
  quic: {protocol: quic, program: own, congestion_control: cubic, path: 2}
  mptcp: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s, reverse: true}
metrics: [goodput, traffic_split, endpoint.path2_lost_packets]
figures:
  - {kind: over_time, quantities: [goodput, endpoint.path2_rtt_ms], case: mpquic}
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "own").write_bytes(made())
    place = tmp_path / "quic.yaml"
    place.write_text(FILE)
    return place


def test_jobs_of_each_case(file: Path) -> None:
    mpquic, quic, mptcp = (run.job for run in make_plan(load(file), {}).runs)
    assert mpquic.transport.program == "own" and set(mpquic.programs or ()) == {"own"}
    assert mptcp.transport.program is None and mptcp.programs is None
    assert dump(mptcp)["traffic"][0]["tool"] == "iperf3"
    entry = dump(mpquic)["traffic"][0]
    assert entry["values"] == {
        "control": "bbr9",
        "interval_s": 1.0,
        "paths": "1,2",
        "program": "/run/programs/own",
        "reversed": 1.0,
        "scheduler": "any",
    }
    assert entry["received"] and entry["reverse"]
    assert dump(quic)["traffic"][0]["values"]["paths"] == "2"
    before = [run.id for run in make_plan(load(file), {}).runs]
    (file.parent / "own").write_bytes(made() + b"built again")
    after = [run.id for run in make_plan(load(file), {}).runs]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True]


def test_results_of_each_case(file: Path, command: Command) -> None:
    out = file.parent / "out"
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 0, done.out + done.err
    found = {}
    for folder in (out / "runs").glob("[0-9a-f]*"):
        one = row(folder)
        found[one["protocol"]] = one
    assert all(one["verdict"] == "ok" for one in found.values()), found
    assert found["mpquic"]["goodput_mbps"] > 1.5 * found["quic"]["goodput_mbps"] > 0
    assert found["mpquic"]["scheduler"] == "any" and not found["quic"]["scheduler"]
    assert 0.3 < found["mpquic"]["path1.share"] < 0.7
    assert found["quic"]["path1.share"] == 0
    assert "traffic_split: QUIC takes one path" in found["quic"]["absent"] or (
        found["quic"]["path2.share"] == 1
    )


def test_the_page_of_cases_that_differ_in_protocol(
    file: Path, command: Command
) -> None:
    """Each case has what its protocol has; no figure is lost because one lacks it."""
    series = "quantities: [goodput, endpoint.path1_rtt_ms]"
    before = "quantities: [goodput, endpoint.path2_rtt_ms], case: mpquic"
    assert before in FILE
    file.write_text(FILE.replace(before, series))
    out = file.parent / "out"
    for words in (("run", file, "--backend", "fake", "--out", out), ("report", out)):
        done = command(*words)
        assert done.status == 0 and "not drawn" not in done.out, done.out + done.err
    page = (out / "report" / "README.md").read_text()
    assert "No line for quic, mptcp: no tool gives endpoint.path1_rtt_ms." in page
    _, _, shown = page.partition("## Metrics")
    lines = [line.split(" | ") for line in shown.splitlines()]
    shares = {cells[0]: cells[3] for cells in lines if len(cells) == 5}
    assert 0.3 < float(shares["| mpquic"]) < 0.7 and shares["| quic"] == "-"
    assert "share of path 1: `quic`: QUIC has one path" in page
    assert "TCP has one path" not in page
    found = {one["protocol"]: one["absent"] for one in map(row, folders(out))}
    assert "limited_by_buffer: subflows" not in found["mpquic"]
    table = (out / "runs.csv").read_text()
    assert table.count("request_balance: it compares MPTCP with TCP") == 2


@pytest.mark.parametrize(
    ("error", "reason"),
    [("endpoint.py:72: KeyError: 'time_ns'",
      "received.csv or paths.csv is not as programs of QUIC write them: endpoint")],
)  # fmt: skip
def test_files_of_a_program_that_are_something_else(
    file: Path, command: Command, error: str, reason: str
) -> None:
    out = file.parent / "out"
    assert command("run", file, "--backend", "fake", "--out", out).status == 0
    for folder in folders(out):
        numbers = folder / "artefacts/numbers-traffic-0.json"
        if numbers.exists():
            numbers.write_text(json.dumps({"error": error}))
            found = row(folder)
            assert found["verdict"] == "failed" and reason in found["reason"]


@pytest.mark.parametrize(
    ("case", "words"),
    [("qlog: true", "let the program write less"),
     ("keys: true", "let the program write less, or give its case `qlog: true`")],
)  # fmt: skip
def test_a_program_whose_file_is_too_large(
    file: Path, command: Command, case: str, words: str
) -> None:
    """No entry of a case of QUIC has a `file_limit`."""
    own = "program: own, congestion_control: cubic, path: 2"
    file.write_text(FILE.replace(own, f"{own}, {case}"))
    out = file.parent / "out"
    assert command("run", file, "--backend", "fake", "--out", out).status == 0
    (folder,) = (one for one in folders(out) if row(one)["protocol"] == "quic")
    outcome = folder / "artefacts/outcome.json"
    said = json.loads(outcome.read_text())
    for process in said["processes"]:
        if process["name"] == "traffic-0-client":
            process["exit_code"] = -25
    outcome.write_text(json.dumps(said))
    assert row(folder)["reason"].endswith(f"MiB; {words}")


def folders(out: Path) -> list[Path]:
    return list((out / "runs").glob("[0-9a-f]*"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("program: own, congestion_control: bbr9", "congestion_control: x", "missing;"),
        ("program: own, congestion_control: c", "program: on, congestion_control: c",
         "no program 'on' in the box or in plugins; did you mean 'own'?"),
        ("scheduler: any", "path: 1", "mpquic takes all paths"),
        ("cubic, path: 2", "cubic", "missing; which path"),
        ("cubic, path: 2", "cubic, path: 3", "there is no path 3"),
        ("cubic, path: 2", "cubic, path: 2, scheduler: x", "only mptcp has one"),
        ("control: lia", "control: lia, program: own", "mptcp is the kernel's"),
        ("path2_lost", "path3_lost", "no program of the experiment gives"),
        ("path2_rtt", "path3_rtt", "no tool gives 'endpoint.path3_rtt_ms'; did you"),
        ("bbr9", "lia", "'lia' is MPTCP's, in the kernel; a program has"),
        ("bbr9", "wvegas", "under other names"),
        ("bbr9", "{name: cubic}", "is not a name that a program can know"),
        ("control: lia}", "control: lia, keys: true}", "only mpquic and quic have"),
    ],
)  # fmt: skip
def test_cases_that_cannot_be(file: Path, old: str, new: str, reason: str) -> None:
    assert old in FILE
    file.write_text(FILE.replace(old, new))
    with pytest.raises(UserError) as refused:
        make_plan(load(file), {})
    assert reason in str(refused.value) and "\n" not in str(refused.value)


ONE_PATH = """\
network:
  links: {wifi: {capacity: 5 Mbit/s}}
  users: {client: {paths: [wifi], to: server}}
"""


def test_mpquic_over_one_path(file: Path) -> None:
    text = FILE.replace("topology: two_path\n", ONE_PATH).replace(
        "path: 2}", "path: 1}"
    )
    own = "  mptcp: {protocol: mptcp, congestion_control: lia}\n"
    file.write_text(text.replace(own, "").partition("metrics:")[0])
    with pytest.raises(UserError) as refused:
        load(file)
    line = 1 + text[: text.index("  mpquic:")].count("\n")
    reason = "has one path; write protocol: quic"
    found = str(refused.value)
    assert found.startswith(f"{file}:{line}: cases.mpquic.protocol: ")
    assert found.endswith(reason) and "\n" not in found


def asked(job: Job) -> dict[str, Any]:
    """The entry as the program's tool gets it."""
    (entry,) = job.traffic
    assert isinstance(entry, Plugin)
    return reader(0, entry)


ENTRIES = {
    "curl": "tool: curl, size: 1 MB",
    "ab": "tool: ab, size: 1 kB, requests: 20",
    "sync": "tool: sync, files: [{count: 3, size: 10 kB}], connections: 2",
    "pingpong": "tool: pingpong, size: [50 B, 1 kB], number: 5",
    "flows": "tool: flows, size: 10 kB, arrivals: 10 /s, duration: 2 s",
    "page": "tool: page, objects: median",
    "video": "tool: video, duration: 8 s, bitrates: [1 Mbit/s, 2 Mbit/s]",
    "cbr": "tool: cbr, rate: 1 Mbit/s, duration: 2 s, over: connection, size: 1 kB",
    "parallel": "tool: iperf3, duration: 2 s, parallel: 2",
}


@pytest.mark.parametrize("name", ENTRIES)
def test_other_tools_go_through_relays(file: Path, name: str) -> None:
    """The entry of the job is the same as over TCP, and a relay stands at each end."""
    head, _, _ = FILE.partition("traffic:")
    file.write_text(f"{head}traffic: [{{{ENTRIES[name]}, from: client, to: server}}]\n")
    mpquic, quic, mptcp = (run.job for run in make_plan(load(file), {}).runs)
    (entry,) = mptcp.traffic
    for job, sources in ((mpquic, "10.0.1.2,10.0.2.2"), (quic, "10.0.2.2")):
        assert job.traffic == (entry,)
        processes = list(relays.processes(job, job.wiring))
        (server, client) = [list(process.argv) for process in processes]
        place = f"10.2.0.2:{entry.port}"
        control = job.transport.congestion_control
        own = ["/run/programs/own", "server", "--listen", place, "--relay", place]
        assert server[:6] == own and server[-4:-2] == ["--control", control]
        assert client[:6] == [own[0], "client", "--connect", place, "--from", sources]
        assert client[6:8] == ["--relay", place]
        assert ("--scheduler" in client) == (job is mpquic)
        rules = relays.lines(job, job.wiring)
        assert [line.split()[0] for line in rules["client"]] == ["route", "rule"]
        assert f"dport {entry.port}" in rules["client"][1]
        assert f"sport {entry.port}" in rules["server"][1]
    assert not list(relays.ends(mptcp))


def test_datagrams_are_not_relayed(file: Path) -> None:
    head, _, _ = FILE.partition("traffic:")
    entry = "{tool: cbr, from: client, to: server, rate: 1 Mbit/s, duration: 2 s}"
    file.write_text(f"{head}traffic: [{entry}]\n")
    job = make_plan(load(file), {}).runs[0].job
    assert job.transport.is_quic and not list(relays.ends(job))


def test_a_size_is_sent_by_the_program(file: Path) -> None:
    file.write_text(FILE.replace("duration: 5 s, reverse: true", "size: 1 MB"))
    job = make_plan(load(file), {}).runs[0].job
    entry = dump(job)["traffic"][0]
    assert (entry["duration_s"], entry["bytes"]) == (None, 1_000_000)
    assert entry["values"]["size"] == 1e6
    ends = endpoint.processes(
        {**asked(job), "address": "10.2.0.2", "folder": "/run/t"},
        job.wiring.address,
    )
    words = ends[1]["argv"]
    assert words[words.index("--size") + 1] == "1000000" and "--duration" not in words


def test_what_is_logged(file: Path) -> None:
    """Secrets and a qlog are asked for by the usual variables, and packets are kept."""
    own = "program: own, congestion_control: cubic, path: 2"
    wanted = FILE.replace(own, f"{own}, keys: true, qlog: true")
    file.write_text(wanted.replace("traffic:", "capture: [client-eth1]\ntraffic:"))
    plain, logged, mptcp = (run.job for run in make_plan(load(file), {}).runs)
    whole = [bool(job.capture and job.capture.full) for job in (plain, logged, mptcp)]
    assert whole == [True, True, False]
    assert "keys" not in dump(plain)["transport"]
    for job, words in ((plain, []), (logged, ["env", "SSLKEYLOGFILE", "QLOGDIR"])):
        given = {**asked(job), "address": "a", "folder": "/run/t"}
        server, client = endpoint.processes(given, job.wiring.address)
        for end, name in ((server, "server"), (client, "client")):
            begins = [str(word).partition("=") for word in end["argv"][: len(words)]]
            assert [word for word, _, _ in begins] == words
            assert all(f"/run/t/{name}" in value for _, _, value in begins[1:])


def test_what_gathers(file: Path) -> None:
    """Both ends are told so, in whole microseconds, and only where a case says it."""
    own = "program: own, congestion_control: cubic, path: 2"
    file.write_text(FILE.replace(own, f"{own}, gather: 1.5 ms"))
    plain, late, _ = (run.job for run in make_plan(load(file), {}).runs)
    assert "gather_us" not in asked(plain) and asked(late)["gather_us"] == 1500
    for job, words in ((plain, []), (late, ["--gather", "1500"])):
        given = {**asked(job), "address": "a", "folder": "/run/t"}
        for end in endpoint.processes(given, job.wiring.address):
            argv = end["argv"]
            assert argv[argv.index("--control") - len(words) :][: len(words)] == words
            assert ("--gather" in argv) is bool(words)


def test_gathering_without_effect_is_refused(file: Path) -> None:
    """Connections over relays are not read by packets that gather."""
    own = "program: own, congestion_control: cubic, path: 2"
    text = FILE.replace(own, f"{own}, gather: 11 ms")
    file.write_text(text)
    with pytest.raises(UserError, match=r":6: .*11 ms; 0 to 10 ms works"):
        load(file)
    head, _, _ = text.replace("11 ms", "2 ms").partition("traffic:")
    for name in ("curl", "parallel"):
        entry = f"{{{ENTRIES[name]}, from: client, to: server}}"
        file.write_text(f"{head}traffic: [{entry}]\n")
        with pytest.raises(UserError, match=r":6: cases.quic.gather: .* take it away"):
            make_plan(load(file), {})
    head, _, _ = FILE.partition("traffic:")
    own = "{protocol: quic, program: own, congestion_control: cubic, path: 1"
    entry = f"{ENTRIES['parallel']}, from: client, to: server"
    file.write_text(f"{head}traffic: [{{{entry}, transport: {own}, gather: 1 ms}}}}]\n")
    with pytest.raises(UserError, match=r":8: traffic\[0\].transport.gather: only"):
        make_plan(load(file), {})


def test_the_kernel_s_protocols_do_not_gather(file: Path) -> None:
    file.write_text(
        FILE.replace("congestion_control: lia", "congestion_control: lia, gather: 1 ms")
    )
    with pytest.raises(UserError, match=r":7: .*only mpquic and quic"):
        load(file)


@pytest.mark.parametrize("relayed", ["curl", "parallel"])
def test_tcp_on_a_host_with_relays_is_refused(file: Path, relayed: str) -> None:
    head, _, _ = FILE.partition("  mptcp:")
    reno = "{protocol: tcp, congestion_control: reno, path: 1}"
    file.write_text(
        f"{head}traffic:\n"
        f"  - {{{ENTRIES[relayed]}, from: client, to: server, name: one}}\n"
        "  - {tool: iperf3, from: client, to: server, duration: 2 s, name: two,\n"
        f"     transport: {reno}}}\n"
    )
    with pytest.raises(UserError, match=r":8: traffic\[0\]: \w+ also has connections"):
        make_plan(load(file), {})


BOX = """\
name: box
topology: two_path
cases:
  one: {protocol: mpquic, program: picoquic, congestion_control: cubic}
traffic: [{tool: iperf3, from: client, to: server, duration: 5 s}]
"""


@pytest.fixture
def box(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with an endpoint of the box, which is built."""
    built = cache.place("picoquic")
    built.mkdir(parents=True)
    (built / cache.PROGRAM).write_bytes(made())
    sha256 = hashlib.sha256(made()).hexdigest()
    about = {"sha256": sha256, "key": recipes.key("picoquic"), "works": []}
    (built / cache.INFO).write_text(json.dumps(about))
    file.write_text(BOX)
    return file


def test_an_endpoint_of_the_box(box: Path) -> None:
    """It needs no plug-in, and enters the job by its hash."""
    (run,) = make_plan(load(box), {}).runs
    sha256 = hashlib.sha256(made()).hexdigest()
    assert run.job.programs == {"picoquic": sha256}
    stored = box.with_name("stored.yaml")
    stored.write_text(load(box).text)
    assert make_plan(load(stored, of_results=True), {}).runs[0].id == run.id
    (cache.place("picoquic") / cache.PROGRAM).write_bytes(made() + b"changed")
    with pytest.raises(UserError) as refused:
        load(box)
    assert str(refused.value) == (
        f"{box}:4: cases.one.program: the endpoint 'picoquic' is not built; "
        "`mpbench endpoint build picoquic` builds it"
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("cubic", "lia", "congestion_control: picoquic has no 'lia'; "),
        ("cubic", "cubc", "did you mean 'cubic'?"),
        ("cubic", "cubic, scheduler: rr", "picoquic has no choice of schedulers"),
        ("picoquic", "picoquik", "no program 'picoquik' in the box or in plugins; did"),
    ],
)
def test_names_that_the_box_does_not_know(
    box: Path, old: str, new: str, reason: str
) -> None:
    box.write_text(BOX.replace(old, new))
    with pytest.raises(UserError) as refused:
        load(box)
    assert reason in str(refused.value) and "\n" not in str(refused.value)
    assert str(refused.value).startswith(f"{box}:4: cases.one.")


def test_a_job_without_its_program_is_refused(file: Path) -> None:
    job = dump(make_plan(load(file), {}).runs[0].job)
    del job["transport"]["program"]
    with pytest.raises(ValueError, match="only QUIC has a program"):
        check(job)


def test_a_host_with_a_tcp_beside_quic_has_the_settings_of_the_tcp(file: Path) -> None:
    reno = "{protocol: tcp, congestion_control: reno, path: 1}"
    more = "  - {tool: iperf3, from: client, to: server, duration: 5 s, name: tcp,\n"
    more += f"     transport: {reno}}}\n"
    mptcp = "  mptcp: {protocol: mptcp, congestion_control: lia}\n"
    whole = FILE.partition("metrics:")[0] + more
    file.write_text(whole)
    with pytest.raises(UserError, match="client has another transport"):
        load(file)  # the case of MPTCP has none that is QUIC
    file.write_text(whole.replace(mptcp, ""))
    job = make_plan(load(file), {}).runs[0].job
    found: dict[str, Transport] = hosts.transports(job.traffic, job.transport)
    assert found["client"].congestion_control == "reno"
    assert job.transport.kernel_control == "cubic"
