"""The metadata of an RO-Crate 1.1: what a campaign is, who made it, one action per run.

The crate follows the profile Process Run Crate. Each run is a `CreateAction`: its
instruments are mpbench, the kernel and the image, its objects the job and the
experiment, and its result the run's folder.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from analysis.words import many
from mpbench.report.people import Agent
from mpbench.store.campaign import Campaign, Entry
from mpbench.store.json_file import DamagedError
from mpbench.store.records import Host
from mpbench.store.zip_file import Part

NAME = "ro-crate-metadata.json"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
SPDX = "https://spdx.org/licenses/"
TERMS = {"sha256": "https://schema.org/sha256"}
"""A term that the context of version 1.1 lacks."""
MEDIA_TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".yaml": "application/yaml",
}
Entity = dict[str, Any]
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Made:
    """A run of the crate.

    linux : of its job, for a kernel other than mpbench's own
    name : its case and its place in the design
    parts : its files
    """

    entry: Entry
    host: Host
    verdict: str
    reason: str
    linux: Mapping[str, Any] | None
    name: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Crate:
    """Contents of the crate.

    root : of the campaign
    beside : the files beside the runs
    licence : SPDX identifier of the licence of the results; None if none is stated
    wheel : of the mpbench that made the runs, which the crate names and does not hold
    unfinished : how many runs of the plan are missing
    authors : of the results, in order
    publisher : of the crate; None if none is stated
    """

    head: Campaign
    root: str
    runs: Sequence[Made]
    beside: Sequence[Part]
    licence: str | None = None
    wheel: Part | None = None
    unfinished: int = 0
    authors: Sequence[Agent] = ()
    publisher: Agent | None = None


def metadata(crate: Crate) -> Entity:
    """The content of `ro-crate-metadata.json`. Raises DamagedError for a run whose
    times are none."""
    software: dict[str, Entity] = {}
    actions = [_action(crate, run, software) for run in crate.runs]
    files = [_file(part) for part in crate.beside]
    folders = [entity for run in crate.runs for entity in _folder(run)]
    if crate.wheel is not None:
        software |= {"wheel": _wheel(crate.wheel)}
    parts = [*files, *(_folder(run)[0] for run in crate.runs)]
    dataset = {
        "@id": "./",
        "@type": "Dataset",
        "name": crate.head.name,
        "description": _description(crate),
        "datePublished": max(action["endTime"] for action in actions),
        "license": _ref(_licence(crate.licence)),
        "identifier": crate.root,
        "conformsTo": [{"@id": PROFILE}],
        "hasPart": [_ref(part) for part in parts],
        "mentions": [_ref(action) for action in actions],
    }
    if crate.authors:
        dataset["author"] = [{"@id": author.id} for author in crate.authors]
    if crate.publisher is not None:
        dataset["publisher"] = {"@id": crate.publisher.id}
    about = {
        "@id": NAME,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": SPECIFICATION},
    }
    made = list(software.values())
    agents = _agents(crate)
    entities = [about, dataset, _profile(), *files, *folders, *actions, *made, *agents]
    return {
        "@context": [CONTEXT, TERMS],
        "@graph": list(map(_single, [*entities, *_licences(crate.licence)])),
    }


def _agents(crate: Crate) -> list[Entity]:
    """The authors and the publisher, each once."""
    named = [("Person", author) for author in crate.authors]
    if crate.publisher is not None:
        named.append(("Organization", crate.publisher))
    found: dict[str, Entity] = {}
    for kind, agent in named:
        entity = {"@id": agent.id, "@type": kind, "name": agent.name}
        if agent.email is not None:
            entity["email"] = agent.email
        if kind == "Organization" and agent.address is not None:
            entity["url"] = agent.address
        found.setdefault(agent.id, entity)
    return list(found.values())


def _description(crate: Crate) -> str:
    missing = f" Missing of the plan: {many(crate.unfinished, 'run')}." * (
        crate.unfinished > 0
    )
    return (
        f"{many(len(crate.runs), 'run')} of the experiment in experiment.yaml, made by"
        f" mpbench.{missing} `mpbench verify --stored .` in the unpacked crate"
        " compares every file with its hash; `mpbench verify . --sample 5` executes"
        " five runs again."
    )


def _single(entity: Entity) -> Entity:
    """The entity with lists of one value as that value, as RO-Crate recommends it."""
    return {
        key: value[0] if isinstance(value, list) and len(value) == 1 else value
        for key, value in entity.items()
    }


def _action(crate: Crate, run: Made, software: dict[str, Entity]) -> Entity:
    """The action of a run; what it was made with is added to `software`, by id."""
    instruments = list(_instruments(crate, run))
    for one in instruments:
        software.setdefault(one["@id"], one)
    wheel = [{"@id": _wheel(crate.wheel)["@id"]}] if crate.wheel else []
    folder = f"runs/{run.entry.id}/"
    action = {
        "@id": f"#run-{run.entry.id}",
        "@type": "CreateAction",
        "name": run.name,
        "identifier": run.entry.id,
        "instrument": [*map(_ref, instruments), *wheel],
        "object": [{"@id": f"{folder}job.json"}, {"@id": "experiment.yaml"}],
        "result": [{"@id": folder}],
        "startTime": _time(run, "begun"),
        "endTime": _time(run, "ended"),
        "description": f"verdict: {run.verdict}",
    }
    if run.verdict == "ok":
        return action | {
            "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"}
        }
    status = {"@id": "http://schema.org/FailedActionStatus"}
    return action | {"actionStatus": status, "error": run.reason}


def _instruments(crate: Crate, run: Made) -> Iterator[Entity]:
    """The makers of a run: mpbench, the kernel and the image, each by its hash."""
    made, build = run.host.provenance.mpbench, run.host.build
    version = made.version or "unknown"
    known = [made.commit, build.get("guest")]
    yield {
        "@id": f"#mpbench-{_digest([version, *known])}",
        "@type": "SoftwareApplication",
        "name": f"mpbench {version}",
        "softwareVersion": version,
        "identifier": [word for word in known if word],
        "description": "The identifiers are the commit and the hash of the code in"
        f" guests. The {run.host.backend} backend executed the runs.",
        "license": {"@id": f"{SPDX}MIT"},
    }
    if kernel := build.get("kernel"):
        yield _kernel(kernel, _backend(run.host, "kernel"))
    if run.linux is not None:
        yield {
            "@id": f"#kernel-{_digest(run.linux)}",
            "@type": "SoftwareApplication",
            "name": "Linux, as `linux` in the job describes it",
            "identifier": _digest(run.linux),
            "license": {"@id": f"{SPDX}GPL-2.0-only"},
        }
    if image := build.get("image"):
        yield {
            "@id": f"#image-{image}",
            "@type": "SoftwareApplication",
            "name": "The image with the programs of guests",
            "identifier": image,
            "sha256": image,
            "description": "Packages of Debian, each under its own licence.",
        }


def _kernel(key: str, facts: Mapping[str, Any]) -> Entity:
    """mpbench's own kernel, by the key of its build and the hash of its file."""
    entity = {
        "@id": f"#kernel-{key}",
        "@type": "SoftwareApplication",
        "name": f"Linux {_word(facts, 'version')} for guests".replace("  ", " "),
        "identifier": key,
        "license": {"@id": f"{SPDX}GPL-2.0-only"},
    }
    if version := _word(facts, "version"):
        entity["softwareVersion"] = version
    if source := _word(facts, "source"):
        entity["description"] = f"Made from {source}, changed by mpbench."
    if _SHA256.fullmatch(digest := _word(facts, "linux_hash")):
        entity["sha256"] = digest
    return entity


def _backend(host: Host, name: str) -> Mapping[str, Any]:
    """Facts that the backend gave about a part; empty if it gave none."""
    backend = (host.provenance.model_extra or {}).get("backend")
    facts = backend.get(name) if isinstance(backend, Mapping) else None
    return facts if isinstance(facts, Mapping) else {}


def _word(facts: Mapping[str, Any], name: str) -> str:
    value = facts.get(name)
    return value[:200] if isinstance(value, str) else ""


def _folder(run: Made) -> list[Entity]:
    """The folder of a run, and its files that a reader needs first."""
    named = [part for part in run.parts if part.name.count("/") == 2]
    folder = {
        "@id": f"runs/{run.entry.id}/",
        "@type": "Dataset",
        "name": run.name,
        "description": "manifest.json has the size and the SHA-256 of every file.",
        "hasPart": [{"@id": part.name} for part in named],
    }
    return [folder, *map(_file, named)]


def _file(part: Part) -> Entity:
    entity: Entity = {
        "@id": part.name,
        "@type": "File",
        "name": part.name,
        "contentSize": str(part.size),
        "sha256": part.sha256,
    }
    kind = MEDIA_TYPES.get("." + part.name.rpartition(".")[2])
    return entity | ({"encodingFormat": kind} if kind else {})


def _wheel(part: Part) -> Entity:
    return {
        "@id": f"#wheel-{part.sha256[:16]}",
        "@type": "SoftwareApplication",
        "name": part.name,
        "description": "The wheel of mpbench, which this crate does not hold.",
        "sha256": part.sha256,
        "license": {"@id": f"{SPDX}MIT"},
    }


def _profile() -> Entity:
    return {
        "@id": PROFILE,
        "@type": "CreativeWork",
        "name": "Process Run Crate",
        "version": "0.5",
    }


def _licence(name: str | None) -> Entity:
    """The licence of the results."""
    if name is None:
        return {
            "@id": "#no-licence",
            "@type": "CreativeWork",
            "name": "None stated",
            "description": "Whoever packed the results stated no licence for them.",
        }
    return _known_licence(name)


def _known_licence(name: str) -> Entity:
    return {
        "@id": f"{SPDX}{name}",
        "@type": "CreativeWork",
        "name": name,
        "description": f"The licence with the SPDX identifier {name}.",
    }


def _licences(name: str | None) -> list[Entity]:
    """The licences of the results and of the software, each once."""
    every = [_licence(name), _known_licence("MIT"), _known_licence("GPL-2.0-only")]
    return list({one["@id"]: one for one in every}.values())


def _time(run: Made, name: str) -> str:
    text: str = getattr(run.host, name)
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError as error:
        raise DamagedError(
            f"runs/{run.entry.id}/host.json: {name}: {text[:40]!r} is no time"
        ) from error


def _digest(content: object) -> str:
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _ref(entity: Entity) -> Entity:
    return {"@id": entity["@id"]}
