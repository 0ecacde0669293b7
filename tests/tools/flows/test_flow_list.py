"""The connections of the tool flows: their statistics, and that draws repeat."""

import statistics
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from jobs import Job, dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.flow_list import Flow, complete, drawn, inverse_cdf
from mpbench.plan.flow_memory import most_open
from mpbench.plan.job_format import load as check
from tools.flows.record import Flows

HEAD = """\
name: flows
topology: shared_bottleneck
parameters: {{multi.users: {users}}}
cases: {{reno: {{protocol: tcp, congestion_control: reno, path: 1}}}}
seed: {seed}
traffic:
  - {{tool: flows, from: multi, to: server_multi, {keys}}}
"""


def job(keys: str, users: int = 1, seed: int = 1) -> Job:
    spec = loads(HEAD.format(keys=keys, users=users, seed=seed))
    return make_plan(spec, {}).runs[0].job


def flows_of(made: Job) -> Flows:
    (entry,) = made.traffic
    assert isinstance(entry, Flows)
    return entry


def flows(keys: str, users: int = 1, seed: int = 1) -> tuple[Flow, ...]:
    made = job(keys, users, seed)
    return drawn(flows_of(made), made.seed)


def starts(keys: str, **more: int) -> list[float]:
    return [flow.start_ns / 1e9 for flow in flows(keys, **more)]


def test_poisson_arrivals() -> None:
    times = starts("size: 1 kB, arrivals: {poisson: 10 /s}, duration: 1000 s")
    assert times == sorted(times)
    # 10,000 arrivals with a standard deviation of 100.
    assert len(times) == pytest.approx(10_000, abs=400)
    gaps = [after - before for before, after in pairwise(times)]
    # The exponential's deviation is its mean, and 1/e of the gaps are longer.
    assert statistics.mean(gaps) == pytest.approx(0.1, rel=0.04)
    assert statistics.pstdev(gaps) == pytest.approx(0.1, rel=0.06)
    longer = sum(gap > 0.1 for gap in gaps) / len(gaps)
    assert longer == pytest.approx(0.3679, abs=0.02)
    counts = [0] * 1000
    for time in times:
        counts[int(time)] += 1
    # The variance of a Poisson process's counts is their mean.
    assert statistics.variance(counts) == pytest.approx(10, rel=0.2)


def test_rates_take_turns() -> None:
    keys = "size: 1 kB, arrivals: {poisson: [10 /s, 60 /s], every: 10 s}"
    times = starts(f"{keys}, duration: 400 s")
    low = sum(int(time / 10) % 2 == 0 for time in times)
    high = len(times) - low
    assert low == pytest.approx(2000, abs=200)
    assert high == pytest.approx(12_000, abs=500)
    assert starts(f"{keys}, duration: 400 s, start: 5 s")[0] > 5


def test_turns_of_a_microsecond_take_no_time_to_draw() -> None:
    keys = "arrivals: {poisson: [0.001 /s, 0.003 /s], every: 1 us}, duration: 80000 s"
    assert len(flows(f"size: 1 kB, {keys}")) == pytest.approx(160, abs=50)


def test_even_arrivals_and_a_number_of_them() -> None:
    assert starts("size: 1 kB, arrivals: {every: 2 s}, duration: 7 s") == [0, 2, 4, 6]
    keys = "size: 1 kB, arrivals: {every: 2 s}, connections: 3, start: 1 s"
    assert starts(keys) == [1, 3, 5]
    assert starts("size: 1 kB, connections: 3") == [0, 0, 0]


def test_pareto_sizes() -> None:
    keys = "size: {pareto: {mean: 2 kB, shape: 2.5}}, connections: 20000"
    sizes = [flow.size for flow in flows(keys)]
    assert min(sizes) == pytest.approx(2_000 * 1.5 / 2.5, rel=0.005)
    assert statistics.mean(sizes) == pytest.approx(2_000, rel=0.02)
    # P(S > 2 least) = 2^-2.5
    above = sum(size > 2_400 for size in sizes) / len(sizes)
    assert above == pytest.approx(2**-2.5, abs=0.01)


def test_exponential_sizes() -> None:
    keys = "size: {exponential: {mean: 2 kB}}, connections: 20000"
    sizes = [flow.size for flow in flows(keys)]
    assert statistics.mean(sizes) == pytest.approx(2_000, rel=0.03)
    assert statistics.pstdev(sizes) == pytest.approx(2_000, rel=0.04)


def test_sizes_of_a_list_take_turns() -> None:
    keys = "size: {list: [1 kB, 2 kB, 3 kB]}, connections: 4"
    assert [flow.size for flow in flows(keys)] == [1000, 2000, 3000, 1000]


def test_inverse_of_a_distribution_function() -> None:
    points = [(1000.0, 0.25), (2000.0, 0.5), (10_000.0, 1.0)]
    expected = {0.0: 1000, 0.25: 1000, 0.375: 1500, 0.5: 2000, 0.75: 6000}
    for part, size in expected.items():
        assert inverse_cdf(points, part) == pytest.approx(size)


def test_sizes_from_a_distribution_function() -> None:
    keys = "size: {cdf: [[1 kB, 0.25], [2 kB, 0.5], [10 kB, 1]]}, connections: 20000"
    sizes = [flow.size for flow in flows(keys)]
    # A quarter is 1 kB; a quarter has the mean 1.5 kB, and half the mean 6 kB.
    assert statistics.mean(sizes) == pytest.approx(3625, rel=0.02)
    assert sum(size == 1000 for size in sizes) / 20_000 == pytest.approx(0.25, abs=0.01)


def test_every_user_draws_its_own_start_and_duration() -> None:
    keys = "start: {min: 0 s, max: 4 s}, duration: {min: 2 s, max: 6 s}"
    found = flows(keys, users=100)
    assert sorted(flow.user for flow in found) == list(range(1, 101))
    begins = [flow.start_ns / 1e9 for flow in found]
    lasts = [(flow.end_ns - flow.start_ns) / 1e9 for flow in found]
    assert len(set(begins)) == len(set(lasts)) == 100
    assert statistics.mean(begins) == pytest.approx(2, abs=0.4)
    assert statistics.mean(lasts) == pytest.approx(4, abs=0.4)
    assert (min(begins), max(begins)) > (0, 3.5) and max(begins) < 4
    assert 2 <= min(lasts) < max(lasts) <= 6
    assert all(flow.size == 0 for flow in found)


def test_the_job_says_when_users_start_and_end() -> None:
    entry = flows_of(job("start: 1 s, duration: 5 s"))
    assert (entry.start_s, entry.duration_s) == (1, 5)
    entry = flows_of(job("size: 9 kB, arrivals: 10 /s, duration: 5 s, start: 2 s"))
    assert (entry.start_s, entry.duration_s) == (2, 5)
    keys = "size: 9 kB, arrivals: {every: 1 s}, connections: 4"
    entry = flows_of(job(keys))
    assert (entry.start_s, entry.duration_s) == (0, 3)
    assert entry.drawn.flows == 4 and entry.drawn.bytes == 36_000


def test_draws_repeat_and_depend_on_the_seed() -> None:
    keys = "size: {exponential: {mean: 9 kB}}, arrivals: 5 /s, duration: 9 s"
    assert job(keys) == job(keys)
    assert flows(keys) != flows(keys, seed=2)
    # These numbers stay the same for ever: stored jobs hold their hash.
    first = flows(keys)[0]
    assert (first.start_ns, first.size) == FIRST


FIRST = (81_469_065, 8_377)


def test_users_do_not_change_each_other() -> None:
    keys = "size: {exponential: {mean: 9 kB}}, arrivals: 5 /s, duration: 9 s"
    both = flows(keys, users=2)
    assert tuple(flow for flow in both if flow.user == 1) == flows(keys, users=1)


def test_a_job_of_other_connections_is_refused() -> None:
    made = job("size: 9 kB, arrivals: 5 /s, duration: 9 s")
    entry = replace(flows_of(made), timeout_s=1.0)
    with pytest.raises(ValueError, match="are not those of the job"):
        drawn(entry, made.seed)


def test_too_many_connections_are_refused() -> None:
    keys = "size: 9 kB, arrivals: 1000 /s, duration: 1000 s"
    with pytest.raises(UserError, match=r":7: traffic\[0\]: more than 20000 connec"):
        flows(keys)
    with pytest.raises(UserError, match="no connection is drawn"):
        flows("size: 9 kB, arrivals: 0.00001 /s, duration: 1 s")


@pytest.mark.parametrize(
    "change",
    [
        {"size": {"kind": "fixed", "bytes": 0}},
        {"size": {"kind": "cdf", "points": [[5.0, 0.5]]}},
        {"size": None},
        {"arrivals": {"kind": "poisson", "rates_per_s": [1.0, 2.0], "every_s": None}},
        {"arrivals": {"kind": "poisson", "rates_per_s": [1e9], "every_s": None}},
        {"lasts_s": None},
        {"users": 1000},
        {"interval_s": 1e-9},
        {"drawn": {"flows": 10**6, "bytes": 1, "sha256": "0" * 64}},
    ],
)
def test_hostile_jobs_are_refused(change: dict[str, Any]) -> None:
    made = dump(job("size: 9 kB, arrivals: 5 /s, duration: 9 s"))
    check(made)
    made["traffic"] = [{**made["traffic"][0], **change}]
    with pytest.raises(ValueError, match="traffic"):
        check(made)


def at(start_s: float, size: int, end_s: float = 100.0) -> Flow:
    return Flow(1, int(start_s * 1e9), int(end_s * 1e9), size)


def test_connections_that_are_open_at_a_time() -> None:
    # At 8 kbit/s, 1000 bytes alone take a second.
    assert most_open([at(0, 1000), at(2, 1000)], 8000, 0) == 1
    assert most_open([at(0, 1000), at(0.5, 1000), at(2.1, 1000)], 8000, 0) == 2
    assert most_open([at(0, 1000), at(0.5, 1000), at(1.4, 1000)], 8000, 0) == 3
    assert most_open([at(0, 1000), at(2, 1000)], 8000, least_s=2.5) == 2
    assert most_open([at(0, 10**6, end_s=1), at(1.5, 1000)], 8000, 0) == 1
    assert most_open([at(0, 0, end_s=9), at(8, 1000)], 8000, 0) == 2


def test_more_connections_than_memory_are_refused_with_what_works() -> None:
    spec = loads(HEAD.format(keys="size: 70 kB, connections: 10000", users=1, seed=1))
    with pytest.raises(UserError) as caught:
        make_plan(spec, {})
    assert "up to 10000 connections at a time, which take 860 MB" in str(caught.value)
    assert str(caught.value).endswith("give fewer connections: 6242 at a time work")
    # The same number one after another is no trouble.
    calm = "size: 70 kB, arrivals: 10 /s, connections: 10000"
    assert make_plan(loads(HEAD.format(keys=calm, users=1, seed=1)), {}).runs


def test_complete_is_idempotent() -> None:
    made = job("size: 9 kB, arrivals: 5 /s, duration: 9 s")
    entry = flows_of(made)
    assert complete(entry, made.seed) == entry
