"""The script that tells the fake backend what to do with a job.

A script is a mapping with any of

    do : what happens to the run (ACTIONS; ``finish`` unless told)
    wall_s : how long the run takes, seconds of the host's clock (0)
    ballast_bytes : size of one more artefact, of zeros (0)
    when : ``key.in.job=value`` pairs, blank-separated; which jobs it is for

Of several that fit a job, later ones win.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import jobs
from jobs import Job
from mpbench.errors import UserError

ENVIRONMENT = "MPBENCH_FAKE"
ACTIONS: Mapping[str, str] = {
    "finish": "does what was asked",
    "differ": "does, and leaves other bytes each time",
    "garble": "leaves its traffic's output cut in half",
    "panic": "the kernel panics on the way",
    "hang": "falls silent",
    "overrun": "exceeds its virtual time",
    "die": "is killed by a signal",
    "fail": "gives up with an error",
    "raise": "the backend itself has a bug",
    "refuse": "the backend cannot work on this machine",
}
UNTOLD: Mapping[str, Any] = {"do": "finish", "wall_s": 0.0, "ballast_bytes": 0}

Script = Mapping[str, Any]


def resolve(scripts: Sequence[Script], job: Job) -> dict[str, Any]:
    """The combined effect of all scripts that fit `job`.

    Raises UserError for an unknown key or action.
    """
    chosen = dict(UNTOLD)
    for script in scripts:
        for key in script:
            if key not in UNTOLD and key != "when":
                raise UserError(
                    f"fake: unknown key {key!r}; known: {', '.join(UNTOLD)}, when"
                )
        if _fits(job, script.get("when", "")):
            chosen |= script
    if chosen["do"] not in ACTIONS:
        raise UserError(
            f"fake: unknown action {chosen['do']!r}; known: {', '.join(ACTIONS)}"
        )
    return chosen


def parse(text: str | None) -> tuple[Script, ...]:
    """The scripts in the environment's JSON: one object, or a list of objects."""
    try:
        scripts = json.loads(text or "[]")
    except ValueError as error:
        raise UserError(f"{ENVIRONMENT}: not JSON ({error})") from error
    scripts = [scripts] if isinstance(scripts, dict) else scripts
    if not isinstance(scripts, list) or not all(isinstance(s, dict) for s in scripts):
        raise UserError(f"{ENVIRONMENT}: not an object or a list of objects")
    return tuple(scripts)


def _fits(job: Job, condition: str) -> bool:
    """Whether a job meets all conditions, such as ``transport.path=2 seed=7``."""
    document = jobs.dump(job) if condition else {}
    pairs = (pair.partition("=") for pair in condition.split())
    return all(str(_look_up(document, key)) == value for key, _, value in pairs)


def _look_up(document: Mapping[str, Any], key: str) -> Any:
    """A value in nested mappings whose keys may contain dots."""
    if key in document:
        return document[key]
    head, _, rest = key.partition(".")
    inner = document.get(head)
    return _look_up(inner, rest) if isinstance(inner, Mapping) and rest else None
