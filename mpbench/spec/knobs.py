"""Parameters of controllers, schedulers and path managers, and their sysctls."""

from collections.abc import Mapping
from dataclasses import dataclass

Value = bool | int | float | str


@dataclass(frozen=True)
class Knob:
    """One parameter.

    low, high : least and greatest number
    scale : the sysctl counts in parts of 1 / scale; 1: whole numbers only
    choices : words instead of numbers; the sysctl gets their position
    switch : true or false instead of a number
    """

    sysctl: str
    low: float = 0
    high: float = 1
    scale: int = 1
    choices: tuple[str, ...] = ()
    switch: bool = False

    def check(self, value: object) -> Value:
        """The value; ValueError if it will not do."""
        if self.choices:
            if not isinstance(value, str) or value not in self.choices:
                raise ValueError(f"'{value}'; known: {', '.join(self.choices)}")
            return value
        if self.switch:
            if not isinstance(value, bool):
                raise ValueError("expected true or false")
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"'{value}' is not a number")
        if not self.low <= value <= self.high:
            limits = f"{self.low:g} to {self.high:g}"
            raise ValueError(f"{value:g} is out of range; it is {limits}")
        if self.scale == 1 and value != int(value):
            raise ValueError(f"{value:g} is not a whole number")
        return int(value) if self.scale == 1 else float(value)

    def text(self, value: Value) -> str:
        """What is written to the sysctl for a value that was checked."""
        if isinstance(value, str):
            return str(self.choices.index(value))
        return str(round(value * self.scale))

    def schema(self) -> dict[str, object]:
        """For the JSON Schema."""
        if self.choices:
            return {"enum": list(self.choices)}
        if self.switch:
            return {"type": "boolean"}
        kind = "integer" if self.scale == 1 else "number"
        return {"type": kind, "minimum": self.low, "maximum": self.high}


_MIN_SSTHRESH = {"min_ssthresh": Knob("net.mptcp.coupled_min_ssthresh", 1, 255)}
_FORM = Knob("net.mptcp.coupled_balia_forms", choices=("nsdi11", "balia"))

CONGESTION_CONTROL: Mapping[str, Mapping[str, Knob]] = {
    "balia": _MIN_SSTHRESH,
    "coupled": {"form": _FORM, **_MIN_SSTHRESH},
    "ewtcp": {
        "a": Knob("net.mptcp.ewtcp_a_permille", 0.001, 4, scale=1000),
        **_MIN_SSTHRESH,
    },
    "lia": _MIN_SSTHRESH,
    "max": _MIN_SSTHRESH,
    "olia": _MIN_SSTHRESH,
    "semicoupled": {
        "a": Knob("net.mptcp.semicoupled_a_permille", 0.001, 4, scale=1000),
        "form": _FORM,
        **_MIN_SSTHRESH,
    },
    "wvegas": {
        "total_alpha": Knob("net.mptcp.wvegas_total_alpha", 1, 10_000),
        "gamma": Knob("net.mptcp.wvegas_gamma", 1, 1000),
        **_MIN_SSTHRESH,
    },
}
"""What can be set of which controller; of the others nothing."""

SCHEDULER: Mapping[str, Mapping[str, Knob]] = {
    "lowrtt": {
        "reinject": Knob("net.mptcp.lowrtt_reinject", switch=True),
        "penalise": Knob("net.mptcp.lowrtt_penalise", switch=True),
        "spare_slow_start": Knob("net.mptcp.lowrtt_spare_slow_start", switch=True),
        "rule": Knob("net.mptcp.lowrtt_rule", choices=("nsdi12", "mptcp-0.91")),
    },
    "roundrobin": {"segments": Knob("net.mptcp.roundrobin_segments", 1, 1000)},
}

MOST_SUBFLOWS = 8
"""Of one address pair; the least is 2."""

PATH_MANAGER: Mapping[str, Mapping[str, Knob]] = {
    "ndiffports": {"subflows": Knob("net.mptcp.ndiffports", 2, MOST_SUBFLOWS)},
}

KINDS: Mapping[str, Mapping[str, Mapping[str, Knob]]] = {
    "congestion_control": CONGESTION_CONTROL,
    "scheduler": SCHEDULER,
    "path_manager": PATH_MANAGER,
}
"""By the case's key."""


def reserved() -> dict[str, str]:
    """The key to write instead, by the sysctl that it sets."""
    return {
        knob.sysctl: f"{kind}: {{name: {name}, {key}: ...}}"
        for kind, names in KINDS.items()
        for name, knobs in names.items()
        for key, knob in knobs.items()
    }
