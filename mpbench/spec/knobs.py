"""Parameters of controllers, schedulers and path managers, and their sysctls.

The kernel's table `kernel/overlay/net/mptcp/lab_parameters.h` has the range of every
sysctl, and nothing repeats it here. The two tables below add what concerns experiment
files only: names, units, and values that a file cannot ask for.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mpbench import carried
from mpbench.errors import UserError

Value = bool | int | float | str

TABLE = carried.ROOT / "kernel/overlay/net/mptcp/lab_parameters.h"
_ROW = re.compile(
    r"^LAB_PARAMETER\(\w+, (?P<name>\w+), (?P<initial>\d+), (?P<low>\d+), "
    r"(?P<high>\d+)\)$",
    re.MULTILINE,
)


class Range(NamedTuple):
    """A sysctl's value at the start, and the smallest and largest that it takes."""

    initial: int
    low: int
    high: int


@cache
def ranges(table: Path = TABLE) -> Mapping[str, Range]:
    """The kernel's table, by the sysctl's name without `net.mptcp.`.

    Raises UserError if the table is not there or has a line that cannot be read.
    """
    try:
        text = table.read_text()
    except OSError as error:
        raise UserError(
            f"{table}: {error.strerror}; mpbench is not installed as a whole: install "
            "its wheel again, or `pip install -e` in a checkout"
        ) from error
    rows = {
        row["name"]: Range(int(row["initial"]), int(row["low"]), int(row["high"]))
        for row in _ROW.finditer(text)
    }
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("LAB_PARAMETER(") and not _ROW.match(line):
            raise UserError(
                f"{table}:{number}: cannot be read; write one line "
                "LAB_PARAMETER(ENUMERATOR, name, default, minimum, maximum)"
            )
    return rows


@dataclass(frozen=True)
class Knob:
    """One parameter.

    name : the sysctl, without `net.mptcp.`
    lowest : the smallest sysctl value that a file can ask for, where smaller ones mean
        that nothing is set; None: the sysctl's minimum
    scale : the sysctl counts in parts of 1 / scale; 1: whole numbers only
    choices : words instead of numbers; the sysctl gets their position
    switch : true or false instead of a number
    alone : it has an effect on a connection with one subflow, too
    needs : the parameter, and its value, without which this one has no effect
    own : the range, if a file of the user's has it instead of the kernel's table
    """

    name: str
    lowest: int | None = None
    scale: int = 1
    choices: tuple[str, ...] = ()
    switch: bool = False
    alone: bool = False
    needs: tuple[str, Value] | None = None
    own: Range | None = None

    @property
    def sysctl(self) -> str:
        return f"net.mptcp.{self.name}"

    @property
    def range(self) -> Range:
        """The values that the sysctl takes."""
        return self.own or ranges()[self.name]

    @property
    def low(self) -> float:
        """The smallest number that a file can ask for."""
        low = self.range.low if self.lowest is None else self.lowest
        return self._in_file(low)

    @property
    def high(self) -> float:
        """The largest number that a file can ask for."""
        return self._in_file(self.range.high)

    def _in_file(self, value: int) -> float:
        """A value of the sysctl, in the unit of the experiment file."""
        return value if self.scale == 1 else value / self.scale

    def check(self, value: object) -> Value:
        """The value; raises ValueError if it is of another type or out of range."""
        if self.choices:
            if not isinstance(value, str) or value not in self.choices:
                raise ValueError(f"'{value}'; known: {', '.join(self.choices)}")
            return value
        if self.switch:
            if not isinstance(value, bool):
                raise ValueError("expected true or false")
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            plain = isinstance(value, str) and value[:1].isdigit()
            hint = "; parameters have no units, so write the number alone"
            raise ValueError(f"'{value}' is not a number{hint if plain else ''}")
        if not self.low <= value <= self.high:
            limits = f"{self.low:g} to {self.high:g}"
            raise ValueError(f"{value:g} is out of range; it is {limits}")
        if self.scale == 1 and value != int(value):
            raise ValueError(f"{value:g} is not a whole number")
        return int(value) if self.scale == 1 else float(value)

    def text(self, value: Value) -> str:
        """The text to write to the sysctl for a value that was checked."""
        if isinstance(value, str):
            return str(self.choices.index(value))
        return str(round(value * self.scale))

    def schema(self) -> dict[str, object]:
        """The parameter's part of the JSON Schema."""
        if self.choices:
            return {"enum": list(self.choices)}
        if self.switch:
            return {"type": "boolean"}
        kind = "integer" if self.scale == 1 else "number"
        return {"type": kind, "minimum": self.low, "maximum": self.high}


_MIN_SSTHRESH = {"min_ssthresh": Knob("coupled_min_ssthresh", lowest=1)}
_FORM = Knob("coupled_balia_forms", choices=("nsdi11", "balia"))
_RULES = ("paper", "mptcp-0.91")

_OF_SLOPE = dict.fromkeys(("gamma", "slope_tolerance"), ("variant", "latency"))
"""MPCC-loss does not weigh the slope of the round-trip time."""

_MPCC = {
    "variant": Knob("mpcc_variant", choices=("loss", "latency"), alone=True),
    "unit": Knob("mpcc_unit", choices=("bytes/s", "Mbit/s"), alone=True),
    **{
        name: Knob(f"mpcc_{sysctl}", scale=1000, alone=True, needs=_OF_SLOPE.get(name))
        for name, sysctl in {
            "beta": "beta_permille",
            "gamma": "gamma_permille",
            "interval": "interval_permille",
            "probe": "probe_permille",
            "theta": "theta_kbps",
            "amplifier": "amplifier_permille",
            "bound": "bound_permille",
            "least_step": "least_step_kbps",
            "first_rate": "first_rate_kbps",
            "least_rate": "least_rate_kbps",
            "slope_tolerance": "slope_permille",
            "start_loss": "start_loss_permille",
            "start_delivered": "start_delivered_permille",
            "sent": "sent_permille",
        }.items()
    },
}
"""MPCC's parameters (docs/mpcc.md): rates in Mbit/s, all others without a unit."""

CONGESTION_CONTROL: Mapping[str, Mapping[str, Knob]] = {
    "balia": {"rule": Knob("balia_rule", choices=_RULES), **_MIN_SSTHRESH},
    "bbr": {"packet_pacing": Knob("bbr_packet_pacing", switch=True, alone=True)},
    "cmpbbr": {
        "similarity": Knob("cmpbbr_similarity_permille", scale=1000),
        "benefit": Knob("cmpbbr_benefit_permille", scale=1000),
        "cycles": Knob("cmpbbr_cycles"),
        "packet_pacing": Knob("bbr_packet_pacing", switch=True, alone=True),
    },
    "coupled": {"form": _FORM, **_MIN_SSTHRESH},
    "dlia": {"gain": Knob("dlia_gain_permille", scale=1000), **_MIN_SSTHRESH},
    "ewtcp": {"a": Knob("ewtcp_a_permille", lowest=1, scale=1000), **_MIN_SSTHRESH},
    "lia": {"rule": Knob("lia_rule", choices=_RULES), **_MIN_SSTHRESH},
    "lia_rfc6356": _MIN_SSTHRESH,
    "mpcc": _MPCC,
    "olia": _MIN_SSTHRESH,
    "semicoupled": {
        "a": Knob("semicoupled_a_permille", scale=1000),
        "form": _FORM,
        **_MIN_SSTHRESH,
    },
    "wvegas": {
        "total_alpha": Knob("wvegas_total_alpha", alone=True),
        "gamma": Knob("wvegas_gamma", alone=True),
        "rule": Knob("wvegas_rule", choices=_RULES),
        **_MIN_SSTHRESH,
    },
}
"""The parameters of each controller; controllers that are not here have none."""

_TAIL = {"tail": Knob("scheduler_tail", switch=True)}
"""A rule that every scheduler but `redundant` can switch on (docs/controllers.md)."""
_WEIGHTS = {f"weight{path}": Knob(f"weighted_weight{path}") for path in (1, 2, 3, 4)}

_OF_SCHEDULERS: Mapping[str, Mapping[str, Knob]] = {
    "blest": {
        "lambda": Knob("blest_lambda_permille", scale=1000),
        "step": Knob("blest_step_permille", scale=1000),
    },
    "daps": {"unit": Knob("daps_unit_ms")},
    "default": {},
    "ecf": {"beta": Knob("ecf_beta_permille", scale=1000)},
    "lowrtt": {
        "reinject": Knob("lowrtt_reinject", switch=True),
        "penalise": Knob("lowrtt_penalise", switch=True, needs=("reinject", True)),
        "spare_slow_start": Knob(
            "lowrtt_spare_slow_start", switch=True, needs=("penalise", True)
        ),
        "rule": Knob("lowrtt_rule", choices=("nsdi12", "mptcp-0.91")),
    },
    "otias": {},
    "paced": {"share": Knob("paced_share_permille", scale=1000)},
    "roundrobin": {"segments": Knob("roundrobin_segments")},
    "stms": {"gain": Knob("stms_gain_permille", scale=1000)},
    "weighted": {**_WEIGHTS, "strict": Knob("weighted_strict", switch=True)},
}
SCHEDULER: Mapping[str, Mapping[str, Knob]] = {
    name: {**knobs, **_TAIL} for name, knobs in _OF_SCHEDULERS.items()
}
"""The parameters of each scheduler; a scheduler that is not here has none."""

PATH_MANAGER: Mapping[str, Mapping[str, Knob]] = {
    "ndiffports": {"subflows": Knob("ndiffports", lowest=2)},
}

_OWN_ROW = re.compile(
    r"^OWN_PARAMETER\((?P<name>[a-z][a-z0-9_]{0,19}), (?P<initial>\d{1,10}), "
    r"(?P<low>\d{1,10}), (?P<high>\d{1,10})\);$"
)
_OWN_WORD = re.compile(r"^\s*OWN_PARAMETER\b")
MOST_OWN = 16
"""Of parameters of a file."""
_MOST_VALUE = 2**31 - 1


def own(kind: str, name: str, text: str) -> Mapping[str, Knob]:
    """The parameters that a user's controller or scheduler declares.

    kind : the key of the case, such as `scheduler`
    name : of the file, which the sysctls begin with
    text : in C, with lines `OWN_PARAMETER(NAME, default, minimum, maximum);`

    Raises ValueError, `line: reason`, for a declaration that cannot be read.
    """
    shared = _TAIL if kind == "scheduler" else {}
    found: dict[str, Knob] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not _OWN_WORD.match(line):
            continue
        row = _OWN_ROW.match(line.rstrip())
        if row is None:
            hint = "write one line OWN_PARAMETER(name, default, minimum, maximum);"
            raise ValueError(f"{number}: cannot be read; {hint}")
        key, (initial, low, high) = row[1], map(int, row.groups()[1:])
        if key in found or key in shared or key == "name":
            raise ValueError(f"{number}: '{key}' is taken; rename the parameter")
        if not low <= initial <= high <= _MOST_VALUE:
            limits = f"minimum <= default <= maximum <= {_MOST_VALUE}"
            raise ValueError(f"{number}: {key}: needs {limits}")
        if len(found) == MOST_OWN:
            raise ValueError(f"{number}: more than {MOST_OWN} parameters")
        limits_of = Range(initial, low, high)
        found[key] = Knob(f"{name}_{key}", alone=True, own=limits_of)
    return {**found, **shared}


KINDS: Mapping[str, Mapping[str, Mapping[str, Knob]]] = {
    "congestion_control": CONGESTION_CONTROL,
    "scheduler": SCHEDULER,
    "path_manager": PATH_MANAGER,
}
"""The same tables, by the key in a case."""


def without_effect(kind: str, name: str, values: Mapping[str, Value]) -> dict[str, str]:
    """The parameters that have no effect beside the others, each with a message.

    kind : the key of the case, such as `scheduler`
    values : the parameters that the file gives, checked
    """
    known = KINDS[kind].get(name, {})
    found = {}
    for key, value in values.items():
        needs = known[key].needs if key in known else None
        # Switched off is what no effect means.
        if needs and value is not False and not _has(known, values, *needs):
            wanted = "true" if needs[1] is True else needs[1]
            hint = f"write '{needs[0]}: {wanted}' too, or take it away"
            found[key] = f"without effect unless {needs[0]} is {wanted}; {hint}"
    return found


def _has(
    known: Mapping[str, Knob], values: Mapping[str, Value], key: str, value: Value
) -> bool:
    """Whether a parameter has a value, by the file or at the start."""
    if key in values:
        return values[key] == value
    return known[key].text(value) == str(ranges()[known[key].name].initial)


def reserved() -> dict[str, str]:
    """The key of a case that sets each sysctl, by the sysctl's name."""
    return {
        knob.sysctl: f"{kind}: {{name: {name}, {key}: ...}}"
        for kind, names in KINDS.items()
        for name, knobs in names.items()
        for key, knob in knobs.items()
    }
