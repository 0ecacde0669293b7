"""A whole experiment, validated and in canonical units."""

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Self

from pydantic import (
    ConfigDict,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)
from pydantic.config import JsonDict, JsonValue

from analysis.campaign.question import Question
from analysis.words import many
from mpbench.spec import (
    cases,
    change_checks,
    choices,
    compare_checks,
    computed_cases,
    end_checks,
    endpoint,
    expectations,
    figure_checks,
    flows,
    job_keys,
    kernel_checks,
    kernels,
    link_checks,
    middlebox_checks,
    own_metrics,
    placed_proxies,
    shared_hosts,
    topology_names,
    unmodified,
    variables,
    varied_traits,
)
from mpbench.spec import fabric as fabrics
from mpbench.spec.builtin import describe, names, network_of
from mpbench.spec.digest import digest
from mpbench.spec.document import Document
from mpbench.spec.entries import parameters
from mpbench.spec.expressions import Expression
from mpbench.spec.includes import whole_text
from mpbench.spec.link_traits import Both
from mpbench.spec.networks import expression_fault
from mpbench.spec.phases import check_phases
from mpbench.spec.sections import Sections
from mpbench.spec.values import (
    Faults,
    Loc,
    context,
)
from topologies import Description, Parameter

MOST_RUNS = 1_000_000


def _known_names(schema: JsonDict) -> None:
    """In the JSON Schema: topologies, controllers and schedulers are mpbench's, unless
    the file has sections, or includes files, that bring others."""
    own: list[JsonValue] = [{"required": [key]} for key in ("plugins", "include")]
    known: JsonDict = {"properties": {"topology": topology_names.schema()}}
    case: JsonDict = cases.names_of_the_kernel()
    transport: JsonDict = {"items": {"properties": {"transport": case}}}
    names: JsonDict = {"cases": {"additionalProperties": case}, "traffic": transport}
    schema["allOf"] = [
        {"if": {"not": {"anyOf": own}}, "then": known},
        {
            "if": {"not": {"anyOf": [*own, {"required": ["kernels"]}]}},
            "then": {"properties": names},
        },
    ]


class Spec(Sections):
    """The content of an experiment file, with all defaults."""

    model_config = ConfigDict(json_schema_extra=_known_names)

    _document: Document | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _consistent(self, info: ValidationInfo) -> Self:
        faults = Faults()
        kernel_checks.check(self.kernels, faults)
        self._check_added(faults, info)
        self._check_network(faults)
        self._check_fabric(faults, info)
        self._check_unmodified(faults, info)
        self._check_runs(faults)
        self._check_ports(faults, info)
        self._check_traffic(faults, info)
        self._check_metrics(faults, info)
        compare_checks.check(self, faults)
        figure_checks.check(self, context(info).topology, faults)
        self._check_parameters(faults, info)
        self._check_links(faults, info)
        self._check_time_limit(faults)
        faults.raise_any()
        return self

    def _check_added(self, faults: Faults, info: ValidationInfo) -> None:
        """Whether names that kernels add are new, and used under these kernels."""
        if not self.kernels:
            return
        from mpbench.spec import added_checks  # few files name a kernel

        own = (*context(info).controllers, *context(info).schedulers)
        for name, kernel in self.kernels.items():
            added_checks.check_kernel(name, kernel, own, faults)
        added_checks.check_cases(self.kernels, self.cases, self.traffic, faults)

    def _check_network(self, faults: Faults) -> None:
        if self.topology is None and self.network is None:
            reason = f"missing; known: {', '.join(names())}"
            faults.add(("topology",), f"{reason}; or describe a network: 'network:'")
        elif self.topology is not None and self.network is not None:
            reason = f"the experiment has a topology too, {self.topology}"
            faults.add(("network",), f"{reason}; take one of them away")

    def _check_fabric(self, faults: Faults, info: ValidationInfo) -> None:
        topology = context(info).topology
        if topology is None:
            return
        fabrics.check_factor(self.fabric, self.factors, faults)
        given = "fabric" in self.model_fields_set
        if self.fabric is None and given and topology.mesh:
            reason = f"{topology.name} runs on the fabric only; take it away"
            faults.add(("fabric",), reason)
        if self.link_seeds and (self.fabric is not None or topology.mesh):
            reason = "links of the fabric draw from the run's seed; take it away"
            faults.add(("link_seeds",), reason)
        if self.fabric is None:
            return
        if reason := fabrics.fault(topology):
            faults.add(("fabric",), reason)
        else:
            fabrics.check_hosts(self.fabric, topology, faults)
            fabrics.check_offload(self.fabric, faults)

    def _check_unmodified(self, faults: Faults, info: ValidationInfo) -> None:
        topology, key = context(info).topology, "fabric" if self.fabric else ""
        if topology is not None and topology.mesh:
            key = "topology"
        unmodified.check(self.kernels, self.cases, self.traffic, key, faults)

    def _check_runs(self, faults: Faults) -> None:
        points = self.design.most_points if self.design else 1
        runs = points * len(self.cases) * self.repetitions.count
        if runs > MOST_RUNS:
            reason = f"{runs} runs: {many(points, 'point')} x"
            reason += f" {many(len(self.cases), 'case')} x"
            reason += f" {many(self.repetitions.count, 'repetition')};"
            reason += f" at most {MOST_RUNS} work"
            faults.add(("repetitions",) if self.repetitions.count > 1 else (), reason)

    def _check_parameters(self, faults: Faults, info: ValidationInfo) -> None:
        """Every parameter is given once, and none is without effect."""
        factors = self.factors
        job_keys.check(self, factors, faults)
        for name in self.parameters:
            if name in factors:
                reason = "a factor of the design too; take one away"
                faults.add(("parameters", name), reason)
        topology = context(info).topology
        places: dict[str, Loc] = {}
        for name in self.network.given if self.network else ():
            places[name] = self.place(name)
        places |= {name: ("parameters", name) for name in self.parameters}
        places |= {name: ("design", "factors", name) for name in factors}
        for parameter in topology.parameters if topology else ():
            idle = parameter.replaces
            if idle in places and parameter.name in places:
                reason = f"without effect beside {parameter.name}; take one away"
                faults.add(places[idle], reason)
        if topology is not None and not faults.found:
            self._check_expressions(topology, context(info).variables, faults)

    def _check_expressions(
        self, topology: Description, own: tuple[Parameter, ...], faults: Faults
    ) -> None:
        """Every expression fits its parameter, and none needs its own value."""
        known = {
            parameter.name: parameter for parameter in (*topology.parameters, *own)
        }
        for name, given in self.parameters.items():
            if isinstance(given, Expression):
                reason = expression_fault(name, given, known, topology.name)
                if reason:
                    faults.add(("parameters", name), reason)
        computed_cases.check(self, known, topology.name, faults)
        if faults.found:
            return
        try:
            _ = self.expressions
        except CycleError as error:
            circle = [str(name) for name in error.args[1]][::-1]
            reason = f"a loop: {' needs '.join(circle)}; give one of them a value"
            faults.add(self.place(circle[0]), reason)
            return
        link_checks.check_used(self, self.expressions.values(), own, faults)

    def _check_links(self, faults: Faults, info: ValidationInfo) -> None:
        """Disciplines and impairments belong to links that can have them."""
        topology = context(info).topology
        if topology is not None:
            link_checks.check(self, topology, faults)

    def _check_time_limit(self, faults: Faults) -> None:
        end = max(entry.end_s for entry in self.traffic)
        if self.time_limit is not None and self.time_limit <= end:
            reason = f"{self.time_limit:g} s, but the traffic lasts {end:g} s"
            faults.add(("time_limit",), f"{reason}; allow more, or take it away")

    def _check_traffic(self, faults: Faults, info: ValidationInfo) -> None:
        topology = context(info).topology
        shared_hosts.check(self.traffic, self.cases, topology, faults)
        shared_hosts.check_rest(self.traffic, faults)
        end_checks.check(self, topology, faults)
        middlebox_checks.check(self, topology, faults)
        silent = [
            name
            for name, case in self.cases.items()
            if not kernels.writes_events(self.kernels, case.kernel)
        ]
        expectations.check(
            self.traffic, self.cases, self.hosts, topology, silent, faults
        )
        if topology is not None:
            flows.check_names(self.traffic, topology, faults)
            flows.check_paths(self.traffic, self.cases, topology, faults)
        check_phases(self.phases, self.known_end_s, faults)
        factors, end_s = self.factors, self.known_end_s
        own = context(info).variables
        change_checks.check(self.changes, topology, factors, own, end_s, faults)

    def _check_ports(self, faults: Faults, info: ValidationInfo) -> None:
        topology = context(info).topology
        seen: dict[tuple[str, int], int] = {}
        between_many = any(entry.many for entry in self.traffic)
        for index, entry in enumerate(self.traffic):
            port = self.port(index)
            ends = (("", ""),) if between_many else entry.ends(topology)
            firsts = [seen.setdefault((there, port), index) for _, there in ends]
            first = min(firsts)
            if first != index:
                reason = f"{port} is the port of traffic[{first}] on the same host"
                key = ("port",) if entry.port is not None else ()
                faults.add(("traffic", index, *key), f"{reason}; give another")

    def _check_metrics(self, faults: Faults, info: ValidationInfo) -> None:
        for index, metric in enumerate(self.metrics):
            if metric in self.metrics[:index]:
                faults.add(("metrics", index), f"'{metric}' is in the list already")
        topology = context(info).topology
        of_bulk = tuple(endpoint.columns(self.cases.values(), topology))
        own = self.plugins.stored.metrics
        known = own_metrics.columns(self.traffic, own, of_bulk)
        parts = [*self.phase_names, *flows.names(self.traffic)]
        own_metrics.check(self.metrics, known, parts, faults)
        if "mean_queue" in self.metrics and self.topology in fabrics.TCLINK:
            at = ("metrics", self.metrics.index("mean_queue"))
            reason = f"'mean_queue' is not known in {self.topology}, whose queues also"
            faults.add(at, f"{reason} hold packets on the way; take topology: two_path")
        metric = "experimental_aggregation_benefit"
        if metric not in self.metrics or topology is None:
            return
        at = ("metrics", self.metrics.index(metric))
        taken = {c.path for c in self.cases.values() if c.protocol == "tcp"}
        for path in range(1, topology.paths + 1):
            if path not in taken:
                reason = f"compares with a tcp on each path; no case is on path {path}"
                faults.add(at, f"{metric} {reason}")
        if all(case.protocol != "mptcp" for case in self.cases.values()):
            faults.add(at, f"{metric} is of mptcp, and no case is")

    @property
    def factors(self) -> Mapping[str, Any]:
        """The factors of the design, by name; none without a design."""
        return self.design.factors if self.design else {}

    @property
    def question(self) -> Question | None:
        """The experiment's question, or the usual one; None if there is none."""
        return compare_checks.asked(self)

    @property
    def network_description(self) -> Description:
        """The network as all parts of an experiment see it."""
        if self.network is not None:
            found = self.network.description
        else:
            own = self.plugins.description(self.topology)
            found = own or describe(self.topology or "")
        ways = placed_proxies.of_entries(self.traffic)
        return placed_proxies.extended(found, ways)

    @property
    def network_is_own(self) -> bool:
        """Whether jobs hold the network under no name of a topology: it stands in a
        file of the user's own, or proxies were added to that of a module."""
        module = network_of(self.topology or "") is None
        return self.own_topology or (module and self.network_description.described)

    @property
    def own_topology(self) -> bool:
        """Whether the topology stands in a file of the user's own."""
        return self.plugins.description(self.topology) is not None

    @property
    def on_fabric(self) -> fabrics.Fabric | None:
        """The fabric's forwarding; None if the network has routers."""
        if self.fabric is None and self.network_description.mesh:
            return fabrics.Fabric()
        return self.fabric

    @property
    def expressions(self) -> dict[str, Expression]:
        """The parameters that are computed, by name.

        A parameter stands behind those that it is computed from. A factor of the
        design is never computed. Raises CycleError if there is no such order.
        """
        network = self.network
        if network is None and not self.own_topology:
            network = network_of(self.topology or "")
        found = dict(network.expressions) if network else {}
        fixed = set(self.factors)
        for name, given in self.parameters.items():
            if isinstance(given, Expression):
                found[name] = given
            else:
                fixed.add(name)
        found = {name: how for name, how in found.items() if name not in fixed}
        for parameter in self.network_description.parameters:
            # A link with a queueing delay of its own does not take the queue of the
            # link that it is like.
            own = parameter.replaces in fixed | set(self.parameters)
            if own and parameter.name not in self.parameters:
                found.pop(parameter.name, None)
        order = TopologicalSorter({name: how.names for name, how in found.items()})
        return {name: found[name] for name in order.static_order() if name in found}

    def place(self, parameter: str) -> Loc:
        """Place where the file gives a parameter of the network its value."""
        if parameter in self.factors:
            return ("design", "factors", parameter)
        if parameter not in self.parameters:
            own = self.network.place(parameter) if self.network else None
            return own or ("network" if self.network else "topology",)
        return ("parameters", parameter)

    @property
    def link_traits(self) -> dict[str, dict[str, Both[Any]]]:
        """Traits of links beside their numbers, by link and key, that do not vary."""
        return link_checks.fixed_traits(self)

    def traits_at(self, point: Mapping[str, Any]) -> dict[str, dict[str, Both[Any]]]:
        """The same at a point of the design, with all parts of links that vary.

        point : name of a factor to its value
        """
        return link_checks.traits(self, point)

    def trait_place(self, link: str, key: str) -> Loc:
        """Place where the file gives a link its discipline or impairment."""
        return link_checks.place(self, link, key)

    def port(self, index: int) -> int:
        """Port of the server of `traffic[index]`."""
        entry = self.traffic[index]
        return entry.first_port + index if entry.port is None else entry.port

    @property
    def varied_traffic(self) -> dict[str, tuple[int, str, Parameter]]:
        """The keys of the traffic that can be factors: see `entries.parameters`."""
        return parameters([entry.tool for entry in self.traffic])

    def variable(self) -> dict[str, Parameter]:
        """Everything that can be a factor, by name."""
        known = {p.name: p for p in self.network_description.parameters}
        known |= fabrics.parameters(self.factors)
        known |= job_keys.parameters(type(self), self.factors)
        known |= {n: p for n, (_, _, p) in self.varied_traffic.items()}
        words = self.design.choices if self.design else ()
        known |= {name: choices.parameter(name) for name in words}
        return known | varied_traits.parameters(self.design) | self.variables

    @property
    def variables(self) -> dict[str, Parameter]:
        """The factors with names of the user's own, by name."""
        keys = job_keys.parameters(type(self), self.factors)
        own = {name: f for name, f in self.factors.items() if name not in keys}
        return variables.of_factors(own)

    def where(self, *place: str | int) -> str:
        """`file:line` of a place, such as ("design", "points"), for messages."""
        if self._document is None:
            return self.name
        return self._document.where(place)

    def folder(self, *place: str | int) -> Path:
        """The folder of the file that a place stands in."""
        if self._document is None:
            return Path()
        return Path(self._document.origin(place)).parent

    @property
    def in_qemu(self) -> bool:
        """Whether a case has a kernel that boots in QEMU."""
        names = {case.kernel for case in self.cases.values()}
        return any(self.kernels[name].machine for name in names if name)

    @property
    def text(self) -> str:
        """The text of the file, with included parts in place; empty without a file.

        The text can be read without the included files.
        """
        return whole_text(self._document) if self._document else ""

    @property
    def digest(self) -> str:
        """SHA-256, hexadecimal, of the content of the file in canonical form.

        Spelling, the order of keys and comments do not matter. Defaults count as if
        they were written.
        """
        return digest(self)
