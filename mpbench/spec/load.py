"""Reads an experiment file into a Spec, or raises with a list of its faults."""

import sys
from collections.abc import Sequence
from pathlib import Path

import yaml
from pydantic import ValidationError

from mpbench.errors import UserError
from mpbench.plugins.collect import collected
from mpbench.plugins.topology import description as described
from mpbench.spec import builtin
from mpbench.spec.cdf_files import in_place
from mpbench.spec.configurations import configured
from mpbench.spec.document import Document, parse, read
from mpbench.spec.entries import parameters
from mpbench.spec.experiment import Spec
from mpbench.spec.includes import resolved
from mpbench.spec.networks import Network
from mpbench.spec.plugins import Plugins, Stored
from mpbench.spec.problems import describe
from mpbench.spec.renamed import current
from mpbench.spec.values import Context
from topologies import Description


def load(
    path: Path | str,
    configurations: Sequence[Path] = (),
    without: Sequence[str] = (),
    trusted: bool = False,
    of_results: bool = False,
) -> Spec:
    """Reads and validates an experiment file.

    configurations : files of changes to it, see `mpbench.spec.configurations`
    without : the parts of configurations that are left out
    trusted : whether topologies of the user's own may run on this machine
    of_results : whether the file lies in a results folder. Then it holds its plug-ins,
        and no other file is read

    Prints a notice to standard error for every name in it that has changed.
    Raises UserError with everything that is wrong with it, one fault per line:
    `file:line: path: reason; what would work`.
    """
    where = Path(path)
    document = in_place(resolved(read(where), where.parent), where.parent)
    changed = configured(document, configurations, without)
    return _validate(changed, None if of_results else where.parent, trusted)


def loads(text: str, name: str = "experiment") -> Spec:
    """Reads and validates the text of an experiment file.

    name : the file's name in messages; files that it includes are relative to it
    """
    folder = Path(name).parent
    return _validate(in_place(resolved(parse(text, name), folder), folder), folder)


def with_design(spec: Spec, **changes: int) -> Spec:
    """The same experiment with other values in its design, such as another `seed`.

    spec : an experiment that was loaded from a file or text
    """
    if spec._document is None or spec.design is None:
        raise ValueError("an experiment without a file, or without a design")
    values = {k: v for k, v in spec._document.values.items() if k != "include"}
    values["design"] = {**values["design"], **changes}
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    changed = ", ".join(f"{key} {value}" for key, value in changes.items())
    head = f"# {spec.name}, with other values in its design: {changed}.\n"
    return loads(head + text, f"{spec._document.name} with {changed}")


def _validate(written: Document, folder: Path | None, trusted: bool = False) -> Spec:
    renamed, notices = current(written)
    document = collected(renamed, folder, trusted)
    for notice in notices:
        print(notice, file=sys.stderr)
    try:
        spec = Spec.model_validate(document.values, context=_context(document))
    except ValidationError as error:
        raise UserError(describe(error, Spec, document)) from None
    spec._document = document
    return spec


def _context(document: Document) -> Context:
    """What the parts of the file are checked against, as far as the file gives it."""
    cases = document.values.get("cases")
    traffic, design = document.values.get("traffic"), document.values.get("design")
    tools = [
        entry.get("tool") if isinstance(entry, dict) else None
        for entry in (traffic if isinstance(traffic, list) else ())
    ]
    factors = design.get("factors") if isinstance(design, dict) else None
    plugins = _plugins(document)
    return Context(
        topology=_description(document),
        cases=tuple(cases) if isinstance(cases, dict) else (),
        traffic=tuple(parameter for _, _, parameter in parameters(tools).values()),
        factors=tuple(factors) if isinstance(factors, dict) else (),
        topologies=tuple(plugins.topologies),
        tools=plugins.tools,
        controllers=tuple(plugins.controllers),
        schedulers=tuple(plugins.schedulers),
    )


def _plugins(document: Document) -> Stored:
    """What the plug-ins of the file hold; nothing if that is faulty."""
    try:
        given = document.values.get("plugins") or {}
        return Plugins.model_validate(given).stored
    except ValidationError:
        return Stored()


def _description(document: Document) -> Description | None:
    """The network of the file; None if it is faulty, or if there is none or two."""
    topology, network = (document.values.get(k) for k in ("topology", "network"))
    if topology is None and network is not None:
        try:
            return Network.model_validate(network).description
        except ValidationError:
            return None
    own = _plugins(document).topologies.get(str(topology))
    if own is not None and network is None:
        return described(str(topology), own)
    known = isinstance(topology, str) and builtin.known(topology)
    return builtin.describe(str(topology)) if known and network is None else None
