"""The section `kernels:`: kernels other than mpbench's own, by the names of labels."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.config import JsonDict

from jobs import linux as record
from jobs import reading
from jobs.linux import MOST_OPTIONS, MOST_PATCH_BYTES, MOST_PATCHES, OWN, Linux
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, Name, Part

MOST_KERNELS = 50


def _option_name(value: str) -> str:
    return str(_read(record.OptionName, value, "write e.g. CONFIG_HZ"))


def _option_value(value: object) -> object:
    if isinstance(value, bool):
        return "y" if value else "n"
    text = str(value) if isinstance(value, int) else value
    return _read(record.OptionValue, text, "write y, n or a whole number")


def _patch_name(value: str) -> str:
    hint = "letters, digits and '._+-' work"
    return str(_read(record.PatchName, value, hint))


def _read(annotation: Any, value: object, hint: str) -> object:
    try:
        return reading.reader(annotation)(value)
    except ValueError as error:
        raise ValueError(f"{error}; {hint}") from None


def _patches_schema(schema: JsonDict) -> None:
    """In the JSON Schema: the names of files."""
    text: JsonDict = {"type": "string"}
    schema.clear()
    schema |= {"anyOf": [text, {"type": "array", "items": text}]}


class Patch(Part):
    """A patch's file, once it has been read."""

    name: Annotated[str, AfterValidator(_patch_name)]
    text: Annotated[str, Field(min_length=1, max_length=MOST_PATCH_BYTES)]


class Kernel(Part):
    """A kernel, by what distinguishes it from mpbench's own."""

    base: Name | None = Field(
        default=None, description="Another kernel of the file, which it begins with."
    )
    lab: Literal["all", "none"] | None = Field(
        default=None,
        description="Whether it has mpbench's changes of Linux's network code; those of"
        " the base, or all, if not said.",
    )
    patches: Annotated[tuple[Patch, ...], Field(max_length=MOST_PATCHES)] = Field(
        default=(),
        description="Files with patches of Linux, relative to this one, applied in this"
        " order.",
        json_schema_extra=_patches_schema,
    )
    options: dict[
        Annotated[str, AfterValidator(_option_name)],
        Annotated[str, BeforeValidator(_option_value)],
    ] = Field(
        default={},
        max_length=MOST_OPTIONS,
        description="Options of Linux's configuration: y, n or a number.",
    )


Kernels = Annotated[dict[Name, Kernel], Field(max_length=MOST_KERNELS)]


def check(kernels: Mapping[str, Kernel], faults: Faults) -> None:
    """Note bases that are not there, circles of bases, and kernels that are equal."""
    for name, kernel in kernels.items():
        if kernel.base is not None and kernel.base not in kernels:
            reason = f"no kernel '{shortened(kernel.base)}' here"
            hint = nearest(kernel.base, kernels)
            faults.add(("kernels", name, "base"), f"{reason}; {hint}")
    if faults.found:
        return
    seen: dict[str, str] = {}
    for name in kernels:
        try:
            linux = resolved(kernels, name)
        except ValueError as error:
            faults.add(("kernels", name), str(error))
            continue
        other = seen.setdefault(repr(linux), name)
        if other != name:
            reason = f"the same kernel as '{other}'; take one of them away"
            faults.add(("kernels", name), reason)
        elif linux == OWN:
            hint = "leave `kernel` out of the cases that are to have it"
            faults.add(("kernels", name), f"is mpbench's own kernel; {hint}")


def resolved(kernels: Mapping[str, Kernel], name: str) -> Linux:
    """The kernel of a label, with what it takes over from its bases.

    Raises ValueError for bases in a circle, and for patches that jobs cannot hold.
    """
    chain: list[str] = []
    here: str | None = name
    while here is not None:
        if here in chain:
            raise ValueError(f"its bases lead back to '{here}'; take one of them away")
        chain.append(here)
        here = kernels[here].base
    lab, options = True, dict[str, str]()
    patches: list[record.Patch] = []
    for label in reversed(chain):
        kernel = kernels[label]
        lab = lab if kernel.lab is None else kernel.lab == "all"
        options |= kernel.options
        patches += [record.Patch(name=p.name, text=p.text) for p in kernel.patches]
    made = Linux(lab=lab, patches=tuple(patches), options=options or None)
    made.check()
    return made
