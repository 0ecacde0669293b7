"""Fetches commits of Linux from an address, into a repository of ours in the cache.

    with git_fetch.fetched(address, "export/20261120") as (repository, name):
        tree = repository.linux(repository.commit(name))

A commit is fetched without history, or with that of a range. What git needs to know to
reach the address comes from the environment: proxies, and the authorities that it
trusts. Nothing that was fetched is executed: see `mpbench.kernel.git`.
"""

import contextlib
import hashlib
import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from mpbench.errors import UserError, printable
from mpbench.kernel import cache, confined
from mpbench.kernel.git import (
    HASH,
    MOST_COMMITS,
    NAME,
    VARIABLES,
    Repository,
    opened,
    require,
)
from mpbench.kernel.git_view import CONFIG

FETCH_S = 3600
MOST_PACK_BYTES = 2 << 30
MOST_FETCH_BYTES = 4 << 30
"""Memory of git while it fetches; its address space."""
SLOW = ("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=120")
"""A server that sends less than 1000 bytes per second for 120 s is given up."""
DEPTHS = (100, 1_000, MOST_COMMITS)
"""Commits from the end of a range that are fetched, until its beginning is there."""
CERTIFICATES = "GIT_SSL_CAINFO"
REACHING = (
    CERTIFICATES,
    "GIT_SSL_CAPATH",
    *("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"),
)
"""Variables of the user's that git gets while it fetches."""
FOLDER = "git"


@contextlib.contextmanager
def fetched(
    address: str, name: str, protocol: str = "https"
) -> Iterator[tuple[Repository, str]]:
    """The repository of ours for an address, and the name in it of one commit, which is
    fetched if it is not there.

    name : of the commit, as the other side knows it
    protocol : the only one that git may speak

    Raises UserError, one line, if the address cannot be read or has no such commit.
    """
    folder = _own(address)
    _require_name(name)
    if HASH.fullmatch(name):
        with opened(folder) as ready:
            if ready.has(name):
                yield ready, name
                return
    _fetch(folder, address, name, 1, protocol)
    with opened(folder) as repository:
        repository.shown = address
        yield repository, _reference(name)


@contextlib.contextmanager
def fetched_range(
    address: str, first: str, last: str, protocol: str = "https"
) -> Iterator[tuple[Repository, str, list[tuple[str, str]]]]:
    """The repository of ours for an address, the hash of the commit `first`, and the
    commits after it up to `last`, as `Repository.between` lists them.

    History is fetched back from `last`, a hundred times as many commits at most as the
    first time, until `first` is there.

    Raises UserError, one line, if the address cannot be read or has no such range.
    """
    folder = _own(address)
    for name in (first, last):
        _require_name(name)
    _fetch(folder, address, first, 1, protocol)
    for depth in DEPTHS:
        _fetch(folder, address, last, depth, protocol)
        with opened(folder) as repository:
            repository.shown = address
            good = repository.commit(_reference(first))
            try:
                found = repository.between(good, repository.commit(_reference(last)))
            except UserError:
                if depth == DEPTHS[-1]:
                    raise
                continue
            yield repository, good, found
            return


def _require_name(name: str) -> None:
    if not NAME.fullmatch(name) or ".." in name:
        raise UserError(f"'{printable(name[:60])}' is no name of a commit")


def _own(address: str) -> Path:
    """The repository of ours for an address."""
    digest = hashlib.sha256(address.encode()).hexdigest()[:16]
    folder = cache.root() / FOLDER / digest
    _prepare(folder)
    return folder


def _fetch(folder: Path, address: str, name: str, depth: int, protocol: str) -> None:
    """Fetch the commit of a name with so many commits of its history, itself included.

    Raises UserError, one line, if that fails.
    """
    argv = [require(), "-c", f"protocol.{protocol}.allow=always", *SLOW]
    argv += ["fetch", "--quiet", f"--depth={depth}", "--no-tags"]
    argv += ["--no-recurse-submodules", "--no-write-fetch-head"]
    argv += ["--end-of-options", address, f"+{name}:{_reference(name)}"]
    reaching = {key: os.environ[key] for key in REACHING if key in os.environ}
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            env={
                **reaching,
                **VARIABLES,
                "PATH": confined.path(),
                "GIT_DIR": str(folder),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=FETCH_S,
            preexec_fn=_bound,
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"{address}: not read within {FETCH_S} s") from None
    if done.returncode:
        why = printable(_reason(done.stderr)[:300]) or f"status {done.returncode}"
        raise UserError(f"{address}: commit '{name}' cannot be fetched: {why}")


def _reason(said: str) -> str:
    """The reason why a fetch failed, from what git said, with what would work."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    if f"signal {signal.SIGXFSZ}" in said:
        size = f"more than {MOST_PACK_BYTES >> 30} GiB"
        return f"it has {size}; clone it, and name the folder"
    if "certificate verification failed" in last or "SSL certificate" in last:
        return f"{last}; name a file with its authority in {CERTIFICATES}"
    if "couldn't find remote ref" in last or "invalid refspec" in last:
        hint = "of an address, a branch, a tag or a hash of 40 digits works"
        return f"{last}; {hint}"
    if "could not read Username" in last:
        return f"{last}; clone it, and name the folder"
    return last


def _prepare(folder: Path) -> None:
    """Make a repository of ours, with our configuration, unless it is there."""
    for name in ("objects", "refs/heads"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "config").write_text(CONFIG.format(bare="true"))
    if not (folder / "HEAD").exists():
        (folder / "HEAD").write_text("ref: refs/heads/none\n")


def _reference(name: str) -> str:
    """The reference of ours for a name. Below refs/heads git takes no tag with text."""
    return f"refs/mpbench/m{hashlib.sha256(name.encode()).hexdigest()[:20]}"


def _bound() -> None:
    """Bound memory and the size of files of the process that is about to start."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_PACK_BYTES, MOST_PACK_BYTES))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_FETCH_BYTES, MOST_FETCH_BYTES))
