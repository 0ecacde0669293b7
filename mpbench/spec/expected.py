"""The key `expect` of a traffic entry: what is to become of its connections."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.config import JsonDict

from jobs.expect import ANY, FALLBACK, MOST_SUBFLOWS, NO, YES, Expect
from mpbench.spec.messages import shortened
from mpbench.spec.values import Faults, Part

_WORDS = {True: YES, False: NO}


def _mptcp(value: object) -> object:
    if value in (FALLBACK, ANY) or value is True:
        return _WORDS.get(value, value) if isinstance(value, bool) else value
    if value is False:
        raise ValueError("'false' is for the transport; write 'mptcp: fallback'")
    raise ValueError(f"'{shortened(value)}' is not one of true, {FALLBACK}, {ANY}")


def _completes(value: object) -> object:
    if isinstance(value, bool):
        return _WORDS[value]
    if value == ANY:
        return value
    raise ValueError(f"'{shortened(value)}' is not one of true, false, {ANY}")


def _subflows(value: object) -> object:
    if value == ANY:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"'{shortened(value)}' is neither a whole number nor '{ANY}'")
    if not 1 <= value <= MOST_SUBFLOWS:
        raise ValueError(
            f"{value} is not within 1 to {MOST_SUBFLOWS}; the first subflow counts"
        )
    return value


_MPTCP_SCHEMA: JsonDict = {"enum": [True, FALLBACK, ANY]}
_COMPLETES_SCHEMA: JsonDict = {"enum": [True, False, ANY]}
_SUBFLOWS_SCHEMA: JsonDict = {
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": MOST_SUBFLOWS},
        {"const": ANY},
    ]
}


class Expectation(Part):
    """Outcomes that the file asks for, in place of those that its network suggests."""

    mptcp: Annotated[str, BeforeValidator(_mptcp)] | None = Field(
        default=None,
        description="true: every connection stays MPTCP; fallback: none does; any.",
        json_schema_extra=_MPTCP_SCHEMA,
    )
    subflows: Annotated[int, BeforeValidator(_subflows)] | None = Field(
        default=None,
        description="Subflows of each connection in all, the first included; or any.",
        json_schema_extra=_SUBFLOWS_SCHEMA,
    )
    completes: Annotated[str, BeforeValidator(_completes)] | None = Field(
        default=None,
        description="Whether the traffic ends without an error and in time; or any.",
        json_schema_extra=_COMPLETES_SCHEMA,
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.mptcp, self.subflows, self.completes) == (None, None, None):
            raise ValueError("expects nothing; give mptcp, subflows or completes")
        if self.mptcp == FALLBACK and (self.subflows or 1) > 1:
            faults = Faults()
            reason = "a connection that fell back to TCP has one subflow"
            faults.add(("subflows",), f"{reason}; write 'subflows: 1', or take it away")
            faults.raise_any()
        return self

    @property
    def of_mptcp(self) -> str:
        """The key that only connections of MPTCP can meet; empty for none."""
        if self.mptcp is not None:
            return "mptcp"
        return "subflows" if self.subflows is not None else ""

    def job(self) -> Expect:
        """The expectation, in the form of a job."""
        return Expect(
            mptcp=self.mptcp, subflows=self.subflows, completes=self.completes
        )
