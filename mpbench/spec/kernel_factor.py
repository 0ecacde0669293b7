"""Kernels as a factor: `design: {factors: {kernel: [stock, mine]}}`.

Every case runs under each of the kernels, in the same networks with the same seeds. So
the factor stands for cases: `mptcp` becomes `mptcp-stock` and `mptcp-mine`.
"""

from dataclasses import replace
from typing import Any

from mpbench.errors import UserError
from mpbench.spec.document import Document, Place
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest

FACTOR = "kernel"
OWN = "own"
"""In the list of the factor, mpbench's own kernel."""
AT: Place = ("design", "factors", FACTOR)
ALONE = {"method", "seed"}
"""Keys of a design that need no factor."""


def in_place(document: Document) -> Document:
    """The document with a case per case and kernel, if kernels are a factor.

    Raises UserError, `file:line: what`, for labels that are none, and for a case that
    has a kernel already.
    """
    values = document.values
    design, cases = values.get("design"), values.get("cases")
    factors = design.get("factors") if isinstance(design, dict) else None
    if not isinstance(design, dict) or not isinstance(factors, dict):
        return document
    if FACTOR not in factors or not isinstance(cases, dict):
        return document
    labels = _labels(document, factors[FACTOR])
    made: dict[Any, Any] = {}
    lines, origins = dict(document.lines), dict(document.origins)
    for name, case in cases.items():
        if not isinstance(case, dict):
            made[name] = case
            continue
        if "kernel" in case:
            reason = "kernels are a factor, so that no case has one of its own"
            raise _fault(document, ("cases", name, "kernel"), f"{reason}; take it away")
        for label in labels:
            new = f"{name}-{label}"
            if new in made or new in cases:
                reason = f"'{shortened(new)}' is the case '{shortened(name)}' under a"
                hint = "give one of them another name"
                at: Place = ("cases", new)
                raise _fault(document, at, f"{reason} kernel already; {hint}")
            made[new] = case if label == OWN else {**case, "kernel": label}
            for known, kept in ((document.lines, lines), (document.origins, origins)):
                _copy(known, kept, ("cases", name), ("cases", new))
    rest = {key: value for key, value in factors.items() if key != FACTOR}
    changed: dict[str, Any] = {**values, "cases": made}
    changed["design"] = {**design, "factors": rest}
    if not rest and set(design) <= {"factors", *ALONE}:
        del changed["design"]
    compare = values.get("compare")
    if isinstance(compare, dict) and compare.get("baseline") in cases:
        first = f"{compare['baseline']}-{labels[0]}"
        changed["compare"] = {**compare, "baseline": first}
    return replace(
        document, values=changed, lines=lines, origins=origins, rewritten=True
    )


def _labels(document: Document, given: Any) -> list[str]:
    """The labels of the factor. Raises UserError for what is none."""
    known = document.values.get("kernels")
    names = [*known] if isinstance(known, dict) else []
    listed = given.get("values") if isinstance(given, dict) else given
    if not isinstance(listed, list) or len(listed) < 2:
        example = ", ".join([OWN, *map(str, names)][:2])
        reason = "expected a list of two kernels or more"
        raise _fault(document, AT, f"{reason}, such as [{shortened(example)}]")
    for index, label in enumerate(listed):
        at = (*AT, index)
        if label not in names and label != OWN:
            hint = nearest(str(label), names) if names else "name some in 'kernels'"
            reason = f"no kernel '{shortened(label)}' in 'kernels'"
            raise _fault(document, at, f"{reason}; {hint}")
        if label in listed[:index]:
            raise _fault(document, at, f"'{shortened(label)}' is in the list already")
    return list(map(str, listed))


def _copy(known: Any, kept: dict[Place, Any], old: Place, new: Place) -> None:
    """Note for the places below `new` what is known of those below `old`."""
    size = len(old)
    for place, value in known.items():
        if place[:size] == old:
            kept[(*new, *place[size:])] = value


def _fault(document: Document, at: Place, reason: str) -> UserError:
    keys = ".".join(shortened(str(key)) for key in at if not isinstance(key, int))
    return UserError(f"{document.where(at)}: {keys}: {reason}")
