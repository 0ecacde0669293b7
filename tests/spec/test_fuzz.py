"""Any text, and any change of a good file, gives a plan or lines that name a place."""

import re
from typing import Any
from unicodedata import category

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.spec.messages import MOST_CHARACTERS, MOST_FAULTS
from tests.spec.files import TEXT

pytestmark = pytest.mark.slow

FULL = (
    TEXT
    + """\
parameters: {path1.loss: 1 %, path2.queue: 100}
repetitions: 2
seed: 3
phases: {early: 0 s..10 s, late: {start: 10 s, end: 30 s}}
trace: 100 ms
capture: [client-eth1]
time_limit: 2 min
metrics: [goodput, jain]
figures:
  - {kind: box, metric: goodput, criterion: {factor: delay}, batches: 3}
  - {kind: over_time, quantities: [goodput, cwnd], span: 0 s..20 s, point: 1}
"""
)
NETWORK = """\
name: net
network:
  links:
    A: {capacity: {up: 5 Mbit/s, down: 50 Mbit/s}, delay: 5 ms, queue: 30}
    B: {like: A, loss: 1 %}
    c1..2: {delay: 3 ms}
  users:
    u: [A, B, c1 B]
    v: {paths: [A B, c2 B], users: 2, to: s}
parameters: {A.delay: = 2 ms * v.users, B.capacity: "= min(A.capacity, 9 Mbit/s)"}
design:
  points: 2
  factors: {v.users: {min: 1, max: 4}, A.loss: [0 %, 1 %]}
  constraints: [B.capacity > 0]
cases: {lia: {protocol: mptcp, congestion_control: lia}}
traffic: [{tool: iperf3, from: u, to: server_u, duration: 5 s}]
"""
WORDS = re.findall(r"[A-Za-z0-9_.]+", FULL + NETWORK)
both = pytest.mark.parametrize("full", [FULL, NETWORK], ids=["topology", "network"])
UNPRINTED = ("Cc", "Cs")
PLACE = re.compile(r"f\.yaml(:\d+)?: |\.\.\. and \d+ more")

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(WORDS),
    st.sampled_from(["= A.delay", "= B.capacity", "= 1 / 0", "= 2 * v.users", "A B"]),
    st.sampled_from(["1 ms", "-1 ms", "1e400 ms", "5 %", "101 %", "1 GB", "0", "~"]),
)
keys = st.sampled_from(WORDS) | st.text(max_size=9)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(WORDS) | st.text(max_size=9), inner, max_size=4
        ),
    ),
    max_leaves=8,
)
slow = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def check(text: str) -> None:
    """Reads and plans the text; a refusal is a list of places with reasons."""
    try:
        spec = loads(text, "f.yaml")
        if spec.design is None or spec.design.most_points < 100:
            make_plan(spec, {})
    except UserError as error:
        lines = str(error).split("\n")
        assert len(lines) <= MOST_FAULTS + 1
        for line in lines:
            assert PLACE.match(line), line
            assert len(line) < MOST_CHARACTERS + 100
            assert all(category(letter) not in UNPRINTED for letter in line), line


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all values of a file."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = [at] if at else []
    if isinstance(value, dict | list):
        for key, one in inner:
            found += (
                paths(one, (*at, key)) if isinstance(one, dict | list) else [(*at, key)]
            )
    return found


@slow
@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    check(text)


@both
@slow
@given(data=st.data())
def test_a_good_file_with_other_values(full: str, data: st.DataObject) -> None:
    document = yaml.safe_load(full)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(paths(document)))
        holder = document
        for key in place[:-1]:
            holder = holder[key]
        match data.draw(st.sampled_from(["replace", "remove", "rename"])):
            case "replace":
                holder[place[-1]] = data.draw(values)
            case "rename" if isinstance(holder, dict):
                holder[data.draw(st.sampled_from(WORDS))] = holder.pop(place[-1])
            case _:
                del holder[place[-1]]
        if not paths(document):
            return
    check(yaml.safe_dump(document, allow_unicode=True))


@both
@slow
@given(data=st.data())
def test_a_good_file_with_other_characters(full: str, data: st.DataObject) -> None:
    text = full
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 30)))
        text = text[:start] + data.draw(st.text(max_size=5)) + text[end:]
    check(text)
