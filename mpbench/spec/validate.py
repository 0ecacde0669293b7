"""From the values of a file to a Spec, or to a list of the file's faults."""

from pydantic import ValidationError

from mpbench.errors import UserError
from mpbench.spec import builtin, fabric, job_keys, placed_proxies, trait_factors
from mpbench.spec import kernels as kernels_of
from mpbench.spec import variables as variables_of
from mpbench.spec.document import Document
from mpbench.spec.entries import parameters
from mpbench.spec.experiment import Spec
from mpbench.spec.networks import Network
from mpbench.spec.own_topology import description as described
from mpbench.spec.plugins import Plugins, Stored
from mpbench.spec.problems import describe
from mpbench.spec.values import Context
from topologies import Description, Parameter


def validated(document: Document) -> Spec:
    """The experiment of a document that holds its plug-ins and names no other file.

    Raises UserError with everything that is wrong with it, one fault per line.
    """
    try:
        spec = Spec.model_validate(document.values, context=_context(document))
    except ValidationError as error:
        raise UserError(describe(error, Spec, document)) from None
    spec._document = document
    return spec


def _context(document: Document) -> Context:
    """Context that the parts of the file are checked against, as far as the file gives
    it."""
    cases = document.values.get("cases")
    traffic, design = document.values.get("traffic"), document.values.get("design")
    tools = [
        entry.get("tool") if isinstance(entry, dict) else None
        for entry in (traffic if isinstance(traffic, list) else ())
    ]
    kernels = document.values.get("kernels")
    factors = design.get("factors") if isinstance(design, dict) else None
    factors = factors if isinstance(factors, dict) else {}
    own = variables_of.given(factors, document.values)
    topology = _description(document, tuple(map(str, factors)), tuple(own.values()))
    if topology is not None:
        topology = placed_proxies.extended(topology, placed_proxies.ways(traffic))
    parts = trait_factors.given(factors, topology) if topology else {}
    of_traffic = [parameter for _, _, parameter in parameters(tools).values()]
    plugins = _plugins(document)
    return Context(
        topology=topology,
        cases=tuple(cases) if isinstance(cases, dict) else (),
        beside=(
            *of_traffic,
            *parts.values(),
            *own.values(),
            *fabric.parameters(factors).values(),
            *job_keys.parameters(Spec, factors).values(),
        ),
        variables=tuple(own.values()),
        factors=tuple(factors),
        topologies=tuple(plugins.topologies),
        tools=plugins.tools,
        controllers=tuple(plugins.controllers),
        schedulers=tuple(plugins.schedulers),
        own_knobs=plugins.knobs(),
        programs=tuple(plugins.programs),
        kernels=tuple(kernels) if isinstance(kernels, dict) else (),
        added={
            key: kernels_of.added(kernels, section)
            for key, section in kernels_of.ADDED_KEYS.items()
        },
    )


def _plugins(document: Document) -> Stored:
    """Contents of the file's plug-ins; nothing if that is faulty."""
    try:
        given = document.values.get("plugins") or {}
        return Plugins.model_validate(given).stored
    except ValidationError:
        return Stored()


def _description(
    document: Document, factors: tuple[str, ...], variables: tuple[Parameter, ...]
) -> Description | None:
    """The network of the file; None if it is faulty, or if there is none or two."""
    there = Context(factors=factors, variables=variables)
    topology, network = (document.values.get(k) for k in ("topology", "network"))
    if topology is None and network is not None:
        try:
            return Network.model_validate(network, context=there).description
        except ValidationError:
            return None
    own = _plugins(document).topologies.get(str(topology))
    if own is not None and network is None:
        return described(str(topology), own)
    known = isinstance(topology, str) and builtin.known(topology)
    return builtin.describe(str(topology)) if known and network is None else None
