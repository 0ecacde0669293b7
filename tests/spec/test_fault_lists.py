"""Bad experiment files: parts that do not fit one another, and many faults."""

import pytest

from mpbench.experiment_files import loads
from tests.spec.files import CASE, FACTORS, TCP1, TEXT, faults, swapped


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        ("{factor: capcity}", "did you mean 'capacity'?"),
        ("{factor: path1.delay}", "with difference: absolute; did you mean 'delay'?"),
        ("{factor: delay, difference: none}", "did you mean 'path1.delay'?"),
        ("{factor: loss}", "'loss' is the same in all runs"),
        ("{factor: delay, difference: sign}", "unknown difference 'sign'; did you"),
        ("delay", "expected 'key: value' entries"),
    ],
)
def test_criteria(criterion: str, message: str) -> None:
    figure = f"figures: [{{kind: box, metric: goodput, criterion: {criterion}}}]\n"
    (found,) = faults(TEXT + figure)
    assert found.startswith("f.yaml:14: figures[0].criterion")
    assert message in found


@pytest.mark.parametrize("kind", ["box", "scatter"])
@pytest.mark.parametrize("factor", ["first_path_use", "first_path_quality"])
def test_a_criterion_of_words_makes_groups(kind: str, factor: str) -> None:
    criterion = f"{{factor: {factor}, difference: none}}"
    figure = f"{{kind: {kind}, metric: goodput, criterion: {criterion}}}"
    assert faults(f"{TEXT}figures: [{figure}]\n") == [
        f"f.yaml:14: figures[0].criterion.factor: '{factor}' has words, and {kind} "
        "shows numbers; take kind: groups"
    ]
    groups = figure.replace(kind, "groups")
    assert loads(f"{TEXT}figures: [{groups}]\n").requests


def test_a_name_of_ones_own_is_no_parameter_of_each_path() -> None:
    """A criterion takes a difference of two paths, unless told otherwise."""
    text = swapped(FACTORS, f"{FACTORS}    queue: {{min: 1 ms, max: 9 ms}}\n")
    text += "parameters: {path1.queueing_delay: = queue}\n"
    figure = "figures: [{kind: groups, metric: goodput, criterion: {factor: queue}}]\n"
    (found,) = faults(text + figure)
    assert found.endswith("'queue' is no parameter of each path; add difference: none")
    told = figure.replace("queue}", "queue, difference: none}")
    assert loads(text + told).requests


def test_a_figure_shows_what_there_is() -> None:
    box = "{kind: box, metric: jain, criterion: {factor: delay}, case: tcp}"
    found = faults(f"{TEXT}figures: [{box}]\n")
    assert found == [
        "f.yaml:14: figures[0].case: there is no case 'tcp'; did you mean 'tcp1'?"
    ]
    box = "{kind: box, metric: jain, criterion: {factor: delay}}"
    (found_metric,) = faults(f"{TEXT}figures: [{box}]\n")
    assert "'jain' is not among the experiment's metrics; add it to" in found_metric


def test_a_metric_of_a_part_of_the_run_is_told_its_keys() -> None:
    """`compare` has `late.goodput`, and a figure has two keys for it."""
    (found,) = faults(f"{TEXT}figures: [{{kind: cases, metric: late.x.goodput}}]\n")
    assert found.endswith("write metric: goodput, parts: [late.x]")
    figure = "{kind: trade_off, metric: goodput, against: late.smoothed_rtt}"
    (found,) = faults(f"{TEXT}figures: [{figure}]\n")
    hint = "write against: smoothed_rtt, part: late, with smoothed_rtt in 'metrics'"
    assert found.endswith(hint)


def test_experimental_benefit_needs_tcp_on_each_path() -> None:
    metrics = "metrics: [experimental_aggregation_benefit]\n"
    (found,) = faults(swapped(TCP1, "") + metrics)
    assert "compares with a tcp on each path; no case is on path 1" in found
    (found,) = faults(swapped(CASE, "") + metrics)
    assert "is of mptcp, and no case is" in found


def test_a_parameter_without_effect() -> None:
    said = "parameters: {path2.queue: 50, path2.queueing_delay: 9 ms}\n"
    (found,) = faults(TEXT + said)
    assert found == (
        "f.yaml:14: parameters.path2.queueing_delay: without effect beside "
        "path2.queue; take one away"
    )
    factor = "    path1.queueing_delay: {min: 0, max: 9 ms}\n"
    text = swapped(FACTORS, FACTORS + factor) + "parameters: {path1.queue: 50}\n"
    assert faults(text)[0].startswith("f.yaml:8: design.factors.path1.queueing_delay")


def test_a_time_limit_within_the_traffic() -> None:
    (found,) = faults(TEXT + "time_limit: 30 s\n")
    assert "time_limit: 30 s, but the traffic lasts 30 s; allow more" in found


def test_steps_limit_the_points() -> None:
    stepped = "    path2.loss: {min: 0 %, max: 2 %, step: 1 %}\n"
    (found,) = faults(swapped(FACTORS, stepped))
    assert "design.points: 4 is more than the 3 points that steps allow" in found


def test_lists_alone_are_a_grid() -> None:
    (found,) = faults(swapped(FACTORS, "    path2.loss: [0 %, 1 %]\n"))
    assert found.endswith("every factor is a list; write 'method: grid'")
    first, *others = faults(swapped("points: 4", "points: 4\n  method: grid"))
    assert "design.points: a grid takes all combinations" in first
    assert len(others) == 2
    assert all("a grid crosses lists only" in line for line in others)


def test_all_faults_are_listed_in_the_order_of_the_file() -> None:
    text = TEXT.replace("two_path", "two_path\nsed: 1")
    text = text.replace("max: 100", "max: 0.5").replace("25 ms", "25 kB")
    text = text.replace("lia", "lai").replace("path: 2", "path: 3")
    text = text.replace("iperf3", "iperf")
    found = faults(text)
    lines = [int(line.split(":")[1]) for line in found]
    assert lines == [3, 7, 8, 10, 12, 14]
    assert all(line.count("\n") == 0 for line in found)


def test_unknown_keys_at_every_depth_name_the_nearest() -> None:
    text = (
        TEXT.replace("points: 4", "point: 4\n  points: 4")
        .replace("unit:", "units: x, unit:")
        .replace("path: 1", "path: 1, shceduler: x")
        .replace("30 s", "30 s, revers: true, read: {size: 1 kB, mod: packet}")
    )
    text += "figures: [{kind: histogram, batch: 3}]\n"
    hints = [line.rsplit("; ", 1)[1] for line in faults(text)]
    assert hints == [
        "did you mean 'points'?",
        "did you mean 'unit'?",
        "did you mean 'scheduler'?",
        "did you mean 'mode'?",
        "did you mean 'reverse'?",
        "did you mean 'batches'?",
    ]


def test_a_line_of_a_long_list() -> None:
    rows = "    path2.loss:\n      - 0 %\n      - 1 ms\n"
    found = faults(swapped(FACTORS, FACTORS + rows))
    assert found == [
        "f.yaml:10: design.factors.path2.loss[1]: '1 ms' is a time; a ratio is "
        "needed, such as '1 %'"
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from: client", f"from: '{'x' * 10_000}'"),
        (
            "control: lia",
            f"control: lia, sysctls: {{net.ipv4.tcp_sack: {[0] * 9_000}}}",
        ),
    ],
)
def test_long_values_are_cut(before: str, after: str) -> None:
    assert before in TEXT
    assert max(map(len, faults(TEXT.replace(before, after)))) < 600
