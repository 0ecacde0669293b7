"""Experiment files, with the code of users beside them: from a file to a Spec.

    spec = load(Path("experiments/quickstart.yaml"))

A topology of the user's own is code, which a guest executes to learn the network. So
this module stands above `mpbench.spec`, where nothing touches the machine.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from mpbench.errors import UserError
from mpbench.plugins import entry_files
from mpbench.plugins.collect import collected
from mpbench.spec import Spec, kernel_factor, patch_files, traffic_files
from mpbench.spec.configurations import configured
from mpbench.spec.document import Document, Place, parse, read
from mpbench.spec.growth import grown
from mpbench.spec.includes import resolved
from mpbench.spec.kernels import LOCK
from mpbench.spec.messages import listing, shortened
from mpbench.spec.renamed import current
from mpbench.spec.suggestions import suggestion
from mpbench.spec.validate import validated


def load(
    path: Path | str,
    configurations: Sequence[Path] = (),
    without: Sequence[str] = (),
    trusted: bool = False,
    of_results: bool = False,
    points: str | None = None,
) -> Spec:
    """Reads and validates an experiment file.

    configurations : files of changes to it, see `mpbench.spec.configurations`
    without : the parts of configurations that are left out
    trusted : whether code of plug-ins may run, or be compiled, on this machine without
        what confines it
    of_results : whether the file lies in a results folder. Then it holds its plug-ins,
        and no other file is read
    points : further or all points of the design, see `mpbench.spec.growth`

    Prints a notice to standard error for every name in it that has changed.
    Raises UserError with everything that is wrong with it, one fault per line:
    `file:line: path: reason; what would work`.
    """
    where = Path(path)
    own = None if of_results else where.parent
    document = traffic_files.in_place(resolved(read(where), own), own)
    document = patch_files.in_place(document, own)
    changed = configured(document, configurations, without)
    if points is not None:
        changed = grown(changed, points)
    if own is None:
        return _validate(changed, own, trusted)
    if not _has_kernels(changed) and not where.with_name(where.name + LOCK).exists():
        return _validate(changed, own, trusted)
    from mpbench import kernel_facts, kernel_locks

    locked, looked_up = kernel_locks.in_place(changed, where)
    spec = _validate(locked, own, trusted)
    if looked_up:
        kernel_locks.keep(where, spec)
    if spec.kernels:
        kernel_facts.check(spec)
    return spec


def lock(path: Path, trusted: bool = False) -> Path:
    """Writes `FILE.lock`, looking up what it does not have yet. Returns its path.

    Raises UserError as `load`, and for a file without kernels.
    """
    from mpbench import kernel_locks

    document = patch_files.in_place(resolved(read(path), path.parent), path.parent)
    locked, _ = kernel_locks.in_place(document, path, again=True)
    spec = _validate(traffic_files.in_place(locked, path.parent), path.parent, trusted)
    if not spec.kernels:
        raise UserError(f"{path}: no kernels in it; nothing to lock")
    return kernel_locks.write(path, kernel_locks.of_spec(spec))


def load_with(
    path: Path | str, keys: Sequence[str], trusted: bool = False
) -> tuple[Spec, Mapping[str, Any], Callable[[Place], str]]:
    """Reads a file that has keys of a command beside those of an experiment.

    keys : the command's own, at the top of the file

    Returns the experiment, the values of those keys that are there, and a function
    that gives `file:line` of a place. Raises UserError as `load` does.
    """
    where = Path(path)
    document = resolved(read(where), where.parent)
    own = {key: document.values[key] for key in keys if key in document.values}
    rest = {k: v for k, v in document.values.items() if k not in own}
    known = [*keys, *Spec.model_fields]
    faults = []
    for key in map(str, rest):
        if (meant := suggestion(key, known)) in keys:
            name = f"{document.where((key,))}: {shortened(key)}"
            faults.append(f"{name}: unknown key; did you mean '{meant}'?")
    if faults:
        raise UserError(listing(faults))
    plain = traffic_files.in_place(replace(document, values=rest), where.parent)
    spec = _validate(patch_files.in_place(plain, where.parent), where.parent, trusted)
    return spec, own, document.where


def loads(text: str, name: str = "experiment") -> Spec:
    """Reads and validates the text of an experiment file.

    name : the file's name in messages; files that it includes are relative to it
    """
    folder = Path(name).parent
    document = traffic_files.in_place(resolved(parse(text, name), folder), folder)
    return _validate(patch_files.in_place(document, folder), folder)


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
    held = collected(renamed, folder, trusted)
    document = entry_files.in_place(held, folder)
    if _has_kernels(document):
        from mpbench.backends.qemu import pins

        document = pins.in_place(document)
    document = kernel_factor.in_place(document)
    for notice in notices:
        print(notice, file=sys.stderr)
    return validated(document)


def _has_kernels(document: Document) -> bool:
    """Whether the packages that read kernels of a file have anything to do.

    They take as long to load as everything else of a plan together.
    """
    return "kernels" in document.values
