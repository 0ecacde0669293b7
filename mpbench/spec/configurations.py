"""Configurations: changes to the machine under any experiment, in parts.

A configuration is a file beside experiment files:

    suffix: v091
    description: The thesis's machine.
    parts:
      links: v091/links.yaml
      lia: v091/lia.yaml

Each part is a file of changes:

    topology: {two_path: minitopo}
    scheduler: {lowrtt: {reinject: true}}
    congestion_control: {lia: {rule: mptcp-0.91}}
    sysctls: {net.ipv4.tcp_rmem: 4096 87380 6291456}
    seed: 2
    thinned_to: 100

`mpbench run FILE --with CONFIGURATION --without lia` runs FILE with the changes of all
parts but `lia`, under the name `NAME-v091-without-lia`. What a part names and the
experiment does not have stays without effect, so one configuration fits many
experiments. The points stay as they are; `thinned_to` executes some of them alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from mpbench.errors import UserError
from mpbench.spec import knobs
from mpbench.spec.builtin import names
from mpbench.spec.checked_sysctls import checked_sysctls
from mpbench.spec.design import MOST_POINTS
from mpbench.spec.document import Document, Place, read
from mpbench.spec.problems import describe
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Name, OneOf, Part, Whole, check_each
from mpbench.spec.vocabulary import CONGESTION_CONTROLS, SCHEDULERS
from mpbench.spec.with_params import OneOfWithParams

_KINDS = {
    "congestion_control": OneOfWithParams(
        "congestion control", "congestion_control", CONGESTION_CONTROLS
    ),
    "scheduler": OneOfWithParams("scheduler", "scheduler", SCHEDULERS),
}


def _parameters(kind: str) -> BeforeValidator:
    """Checks a mapping from names to the parameters that they get."""

    def check(name: str, value: object) -> dict[str, Any]:
        if not isinstance(value, dict) or "name" in value:
            raise ValueError("expected parameters; write e.g. {rule: mptcp-0.91}")
        _KINDS[kind].check({"name": name, **value})
        return value

    def check_all(value: object) -> object:
        return check_each(value, check) if isinstance(value, dict) else value

    return BeforeValidator(check_all)


def _topologies(value: dict[str, str]) -> dict[str, str]:
    for name in value:
        OneOf("topology", names()).check(name)
    return value


class Changes(Part):
    """Changes that one part makes."""

    topology: Annotated[
        dict[str, Annotated[str, OneOf("topology", names())]],
        AfterValidator(_topologies),
    ] = Field(default={})
    congestion_control: Annotated[
        dict[str, dict[str, Any]], _parameters("congestion_control")
    ] = Field(default={})
    scheduler: Annotated[dict[str, dict[str, Any]], _parameters("scheduler")] = Field(
        default={}
    )
    sysctls: Annotated[dict[str, str | int], BeforeValidator(checked_sysctls)] = Field(
        default={}
    )
    seed: Whole | None = Field(default=None, ge=0)
    thinned_to: Whole | None = Field(default=None, ge=1, le=MOST_POINTS)


class Configuration(Part):
    """A configuration file: parts by name, each with its file."""

    suffix: Name | None = None
    description: str | None = None
    parts: dict[Name, str] = Field(default={})


def configured(
    document: Document, configurations: Sequence[Path], without: Sequence[str] = ()
) -> Document:
    """The experiment under configurations, which apply in the given order.

    document : the experiment, with included parts in place
    without : the names of the parts that are left out

    Raises UserError for a file that cannot be read or has faults, and for a name in
    `without` that no configuration has.
    """
    known: list[str] = []
    for path in configurations:
        file = read(path)
        configuration = _validated(file, Configuration)
        known += configuration.parts
        left_out = [name for name in configuration.parts if name in without]
        for name, part in configuration.parts.items():
            if name not in without:
                document = _changed(document, _part(file, name, path.parent / part))
        document = _named(document, file, configuration, left_out)
    for name in without:
        if name not in known:
            hint = nearest(name, known) if known else "no configuration has parts"
            raise UserError(f"--without {name}: no configuration has this part; {hint}")
    return document


def _validated(file: Document, model: type[Any]) -> Any:
    try:
        return model.model_validate(file.values)
    except ValidationError as error:
        raise UserError(describe(error, model, file)) from None


def _part(file: Document, name: str, path: Path) -> tuple[Document, Changes]:
    if not path.is_file():
        where = file.where(("parts", name))
        reason = "no such file; the name is relative to the configuration"
        raise UserError(f"{where}: {path}: {reason}")
    part = read(path)
    return part, _validated(part, Changes)


def _named(
    document: Document,
    file: Document,
    configuration: Configuration,
    left_out: Sequence[str],
) -> Document:
    """The experiment with the name and the description of a configuration added."""
    suffix = "-".join(
        word
        for word in (
            configuration.suffix or "",
            *(f"without-{name}" for name in left_out),
        )
        if word
    )
    name, description = (document.values.get(key) for key in ("name", "description"))
    values = dict(document.values)
    if suffix and isinstance(name, str):
        values["name"] = f"{name}-{suffix}"
    if configuration.description and isinstance(description, str | None):
        rest = f"Without {', '.join(left_out)}." if left_out else ""
        texts = (description or "", configuration.description, rest)
        values["description"] = " ".join(text.strip() for text in texts if text)
    under = suffix or Path(file.name).stem
    changes = f"{document.changes} and {under}" if document.changes else under
    return replace(document, values=values, changes=changes)


def _changed(document: Document, part: tuple[Document, Changes]) -> Document:
    """The experiment with the changes of one part."""
    file, changes = part
    values = dict(document.values)
    moved: dict[Place, Place] = {}
    topology = values.get("topology")
    if isinstance(topology, str) and topology in changes.topology:
        values["topology"] = changes.topology[topology]
        moved[("topology",)] = ("topology", topology)
    if changes.seed is not None:
        values = _seeded(values, changes.seed)
        moved[("seed",)] = ("seed",)
    design = values.get("design")
    if changes.thinned_to is not None and isinstance(design, dict):
        values["design"] = {**design, "thinned_to": changes.thinned_to}
        moved[("design", "thinned_to")] = ("thinned_to",)
    for place, transport in _transports(values):
        new = _transport(transport, changes)
        values = _with(values, place, new)
        for key in new.keys() - {"protocol", "path"}:
            if new[key] != transport.get(key):
                moved[(*place, key)] = (key,)
    lines = {p: n for p, n in document.lines.items() if not _below(p, moved)}
    origins = {p: name for p, name in document.origins.items() if not _below(p, moved)}
    return replace(
        document,
        values=values,
        lines=lines | {place: file.line(source) for place, source in moved.items()},
        origins=origins | dict.fromkeys(moved, file.name),
    )


def _below(place: Place, tops: Mapping[Place, Place]) -> bool:
    return any(place[: len(top)] == top for top in tops)


def _seeded(values: dict[str, Any], seed: int) -> dict[str, Any]:
    """Another seed for the runs. The design keeps the seed that it had."""
    design = values.get("design")
    if isinstance(design, dict):
        design = {"seed": values.get("seed", 1), **design}
    return {
        **values,
        "seed": seed,
        **({"design": design} if design is not None else {}),
    }


def _transports(values: Mapping[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The cases, and the transports of traffic entries, each with its place."""
    cases, traffic = values.get("cases"), values.get("traffic")
    for name, case in cases.items() if isinstance(cases, dict) else ():
        if isinstance(case, dict):
            yield ("cases", name), case
    for number, entry in enumerate(traffic if isinstance(traffic, list) else ()):
        if isinstance(entry, dict) and isinstance(entry.get("transport"), dict):
            yield ("traffic", number, "transport"), entry["transport"]


def _transport(transport: dict[str, Any], changes: Changes) -> dict[str, Any]:
    """A transport with the changes of a part."""
    new = dict(transport)
    own = transport.get("sysctls")
    if changes.sysctls and isinstance(own, dict | None):
        new["sysctls"] = {**(own or {}), **changes.sysctls}
    if transport.get("protocol") != "mptcp":
        return new
    for kind in ("congestion_control", "scheduler"):
        parameters = getattr(changes, kind)
        value = transport.get(kind)
        name = value.get("name") if isinstance(value, dict) else value
        if isinstance(name, str) and name in parameters:
            old = value if isinstance(value, dict) else {"name": name}
            both = {**old, **parameters[name]}
            idle = knobs.without_effect(kind, name, both)
            new[kind] = {k: v for k, v in both.items() if k in old or k not in idle}
    return new


def _with(values: Any, place: Place, value: Any) -> Any:
    """A copy of nested mappings and lists with another value at a place."""
    if not place:
        return value
    first, *rest = place
    copy: Any = list(values) if isinstance(values, list) else dict(values)
    copy[first] = _with(values[first], tuple(rest), value)
    return copy
