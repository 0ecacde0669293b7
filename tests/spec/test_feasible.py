"""Requests that no run can meet are refused by the plan; those that may fail get a
warning."""

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from analysis.figures.data import MOST_GROUPS
from mpbench.commands import plan as plan_command
from mpbench.commands import run as run_command
from mpbench.commands import shell as shell_command
from mpbench.commands.sensitivity import command as sensitivity
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.guest import traffic
from mpbench.guest.transport import DEFAULTS
from mpbench.plan import feasible, make_plan, new_plan
from mpbench.spec import knobs, sysctls
from mpbench.spec.vocabulary import RESERVED_SYSCTLS
from tests.parts import part
from tests.spec.files import CASE, TEXT, swapped
from topologies.queues import FRAME_BYTES

DELAYS = ", ".join(f"{value} ms" for value in range(1, 31))


def fixed(parameters: str) -> str:
    return swapped("name: small", f"name: x\nparameters: {{{parameters}}}")


def refusal(text: str) -> list[str]:
    with pytest.raises(UserError) as caught:
        make_plan(loads(text, "f.yaml"), {})
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            fixed("path1.loss: 100 %"),
            "f.yaml:2: parameters.path1.loss: 100 % loses every packet; give less",
        ),
        (
            swapped("{min: 1 ms, max: 25 ms}", "[1 ms]\n    path1.loss: [1 %, 100 %]"),
            "f.yaml:8: design.factors.path1.loss, point 1: 100 % loses every packet;",
        ),
        (
            fixed("path1.delay: 1 ms, path1.jitter: 5 ms"),
            "f.yaml:2: parameters.path1.jitter: 5 ms is more than the delay, 1 ms;",
        ),
        (
            TEXT + "figures: [{kind: over_time, quantities: [goodput], point: 99}]\n",
            "f.yaml:14: figures[0].point: there is no point 99; points are 0 to 3",
        ),
        (
            swapped("{min: 1 ms, max: 25 ms}", f"[{DELAYS}]")
            + "figures: [{kind: groups, metric: goodput, by: path2.delay}]\n",
            "f.yaml:14: figures[0].by: path2.delay has 30 values; a figure shows 16;",
        ),
        (
            swapped("duration: 30 s", "size: 1e15 B"),
            "f.yaml:12: traffic: a run may take",
        ),
    ],
)
def test_refused(text: str, message: str) -> None:
    assert refusal(text)[0].startswith(message)


def test_what_just_works_is_planned() -> None:
    assert make_plan(loads(fixed("path1.delay: 5 ms, path1.jitter: 5 ms")), {}).runs
    assert make_plan(loads(fixed("path1.loss: 99 %")), {}).runs


def planned(tmp_path: Path, text: str, backend: str = "fake") -> tuple[str, str]:
    """Output of `mpbench plan`, and its warnings."""
    path = tmp_path / "f.yaml"
    path.write_text(text)
    arguments = [str(path), "--backend", backend]
    result = CliRunner().invoke(plan_command.command, arguments)
    if isinstance(result.exception, UserError):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout, result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT + "expect: gone.csv\n", "f.yaml:14: expect: gone.csv is not a file here"),
        (fixed("path1.loss: 60 %"), "f.yaml:2: parameters.path1.loss: with 60 % loss"),
        (fixed("path2.queue: 500000"), "full queues and packets under way take up to"),
        (
            swapped("control: lia", "control: lia, scheduler: paced"),
            "f.yaml:9: cases.mptcp.scheduler: paced is for bbr and mpcc, which set"
            " rates; lia sets windows, and with it paced does what lowrtt does",
        ),
    ],
)
def test_warned(tmp_path: Path, text: str, message: str) -> None:
    _, warnings = planned(tmp_path, text)
    (line,) = warnings.splitlines()
    assert line.startswith("warning: ")
    assert message in line


def test_a_program_that_takes_a_new_machine_for_another_state(tmp_path: Path) -> None:
    ping = "{tool: command, from: client, to: server, duration: 3 s, client: [ping]"
    message = "f.yaml:14: traffic[1].start: ping keeps no interval"
    for start, warned in (("", 1), (", start: 0.9 s", 1), (", start: 1 s", 0)):
        lines = planned(tmp_path, TEXT + f"  - {ping}{start}}}\n")[1].splitlines()
        assert [message in line for line in lines] == [True] * warned


CBR = "{tool: cbr, from: client, to: server, rate: 1 Mbit/s, duration: 9 s}"


def test_a_delay_that_a_server_does_not_wait_for(tmp_path: Path) -> None:
    for delay, tools in (("5.1 s", ["iperf3"] * 2 + ["cbr"] * 2), ("5 s", ["cbr"] * 2)):
        text = fixed(f"path1.delay: {delay}") + f"  - {CBR}\n"
        lines = planned(tmp_path, text)[1].splitlines()
        found = [re.findall(r"a server of (\w+) ends", line) for line in lines]
        assert sorted(found, reverse=True) == [[tool] for tool in tools]
        assert "mptcp: client's first path delays by more than" in lines[0]


def test_servers_go_on_for_as_long_as_in_guests() -> None:
    assert part("iperf3", "record").SERVER_GRACE_S == traffic.SERVER_GRACE_S
    program = part("cbr", "programs.cbr")
    assert part("cbr", "record").LINGER_S == program.LINGER_S


def test_the_pace_of_cbr_is_that_of_full_frames() -> None:
    """Its program stands alone in a guest, so it has the number itself."""
    assert part("cbr", "programs.cbr").FRAME_BYTES == FRAME_BYTES


def test_figures_show_as_many_values() -> None:
    assert feasible.MOST_VALUES == MOST_GROUPS


@pytest.mark.parametrize("control", ["lia", "mpcc, scheduler: paced"])
def test_no_warning_without_a_reason(tmp_path: Path, control: str) -> None:
    text = swapped("control: lia", f"control: {control}")
    assert planned(tmp_path, text)[1] == ""


UNKNOWN = "the guest's kernel has no such sysctl; the nearest name is"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("net.ipv4.tcp_sackk", f"{UNKNOWN} 'net.ipv4.tcp_sack'"),
        ("net.core.tcp_sack", f"{UNKNOWN} 'net.ipv4.tcp_sack'"),
        ("net.mptcp.ndifports", f"{UNKNOWN} 'net.mptcp.ndiffports'"),
        ("net.ipv4.conf.all.rp_filtr", f"{UNKNOWN} 'net.ipv4.conf.all.rp_filter'"),
        ("net.ipv4.conf.client-eth0.tag", f"{UNKNOWN} 'net.ipv4.conf.lo.tag'"),
        ("net.core.rmem_max", "an end host can only read this sysctl; remove it"),
        ("net." + "x" * 60, "`client find /proc/sys/net -type f` in `mpbench shell`"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [plan_command.command, run_command.command, shell_command.command, sensitivity],
)
def test_sysctls_that_the_guest_lacks(
    tmp_path: Path, command: click.Command, name: str, message: str
) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(swapped("path: 1}", f"path: 1, sysctls: {{{name}: 1}}}}"))
    result = CliRunner().invoke(command, [str(path)])
    assert isinstance(result.exception, UserError)
    (line,) = str(result.exception).splitlines()
    assert line.startswith(f"{path}:10: cases.tcp1.sysctls.{name}: ")
    assert message in line


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("net.ipv4.tcp_sack", "on", "'on' is not a whole number"),
        ("net.ipv4.tcp_sack", "''", "'' is not a whole number"),
        ("net.ipv4.tcp_rmem", "4096 1 M", "'4096 1 M' is not a whole number"),
        ("net.mptcp.count_acks", "-5", "-5 is out of range; "),
    ],
)
def test_values_that_no_sysctl_can_have(name: str, value: str, message: str) -> None:
    spec = loads(swapped("path: 1}", f"path: 1, sysctls: {{{name}: {value}}}}}"))
    with pytest.raises(UserError) as caught:
        feasible.check_sysctls(spec)
    assert f"cases.tcp1.sysctls.{name}: {message}" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("net.ipv4.tcp_sack", "0"),
        ("net.ipv4.tcp_rmem", "4096 131072 6291456"),
        ("net.ipv4.ip_local_reserved_ports", "1-5,7"),
        ("net.ipv4.icmp_ratemask", "-1"),
    ],
)
def test_values_that_sysctls_have(name: str, value: str) -> None:
    assert sysctls.value_trouble(name, value) == ""


def test_another_kernel_may_have_other_sysctls(tmp_path: Path) -> None:
    text = swapped("path: 1}", "path: 1, sysctls: {net.ipv4.of_its_own: 1}}")
    assert planned(tmp_path, text, "fake")[1] == ""


def test_many_unknown_sysctls_take_no_longer(tmp_path: Path) -> None:
    names = ", ".join(f"net.ipv4.unknown{number}: 1" for number in range(5000))
    spec = loads(swapped("path: 1}", f"path: 1, sysctls: {{{names}}}}}"))
    with pytest.raises(UserError) as caught:
        feasible.check_sysctls(spec)
    assert str(caught.value).endswith("... and 4950 more; put these right first")


@pytest.mark.parametrize(
    "name",
    [
        *DEFAULTS,
        *RESERVED_SYSCTLS,
        *knobs.reserved(),
        "net.ipv4.tcp_sack",
        "net.ipv4.conf.all.rp_filter",
        "net.ipv4.neigh.lo.delay_first_probe_time",
    ],
)
def test_sysctls_that_the_guest_has(name: str) -> None:
    assert sysctls.can_be_set(name)


def test_equal_cases_are_one_run() -> None:
    same = "  again: {protocol: mptcp, congestion_control: lia}\n"
    spec = loads(swapped(CASE, CASE + same), "f.yaml")
    with pytest.raises(UserError) as caught:
        new_plan(spec, {})
    assert str(caught.value) == (
        "f.yaml:10: cases.again: the same as cases.mptcp, to the last value, so both"
        " would be one run; leave one out. To see chance, give 'repetitions'"
    )
    # What an earlier version executed is read as it is.
    assert len(make_plan(spec, {}).runs) == 16


def test_cases_that_differ_in_a_detail_are_two() -> None:
    other = "  again: {protocol: mptcp, congestion_control: lia, backup: [2]}\n"
    assert len(new_plan(loads(swapped(CASE, CASE + other), "f.yaml"), {}).runs) == 16


def test_a_run_takes_thirty_days_at_most() -> None:
    feasible.check_time_limit(loads(TEXT), 30 * 86_400)
    with pytest.raises(UserError, match="a run may take 30 days, and at most 30 work"):
        feasible.check_time_limit(loads(TEXT), 30 * 86_400 + 1)
