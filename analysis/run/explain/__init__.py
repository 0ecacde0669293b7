"""Reasons why a run went as it did, in at most ten sentences, each with its evidence.

Each rule reads the plan, the counters and the events of a run, and yields a sentence
for what it recognises. A rule is silent on runs that are well: a high share of
out-of-order data, for example, is normal over two paths, so no rule is about it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from analysis.run import labels, path_names
from analysis.run.explain import (
    brief,
    buffers,
    crawls,
    failures,
    handshake,
    joins,
    limits,
    middleboxes,
    programs,
    proxies,
    servers,
    settings,
    shares,
)
from analysis.run.explain.facts import Facts, load
from analysis.run.explain.finding import Finding

MOST = 10
Rule = Callable[[Facts], Iterator[Finding]]
RULES: tuple[Rule, ...] = (
    settings.without_mptcp,
    settings.plain_listener,
    handshake.fell_back,
    handshake.unnoticed,
    handshake.to_endpoints,
    handshake.connected_late,
    handshake.payload_changed,
    handshake.outside_window,
    crawls.crawled,
    joins.no_address,
    joins.not_asked,
    joins.beyond_limit,
    joins.not_joined,
    servers.unused_addresses,
    servers.unused_returns,
    programs.over_too_soon,
    settings.script,
    programs.opened_nothing,
    programs.on_another_path,
    failures.went_stale,
    failures.unanswered,
    failures.given_up,
    failures.cut_off,
    failures.interrupted,
    failures.left_open,
    failures.was_reset,
    shares.unused_paths,
    shares.one_bottleneck,
    shares.copies,
    shares.limited,
    proxies.failed,
    middleboxes.terminated,
    middleboxes.acted,
    settings.without_keepalive,
    buffers.held,
    limits.starved,
    limits.slow,
    programs.waited,
    programs.had_nothing_to_send,
    programs.beyond_capacity,
)


def explain(run: Path) -> tuple[Finding, ...]:
    """The sentences about a run; empty if it is well.

    run : the run's folder with `job.json` and `artefacts/`; it is only read

    Raises ValueError, with one line, if the job or the events cannot be read.
    """
    facts = load(run)
    with labels.no_paths(path_names.misread(facts.job)):
        return findings(facts)


def findings(facts: Facts) -> tuple[Finding, ...]:
    """The sentences of all rules, or that nothing is known about a bad run."""
    if not facts.counters and not facts.events:
        reason = str(facts.row.get("reason") or "it has no counters and no events")
        return (Finding("not known: the run left nothing to tell why", reason),)
    every = [finding for rule in RULES for finding in rule(facts)]
    told = {finding.about for finding in every if finding.known}
    found = tuple(each for each in every if each.known or each.about not in told)
    if not found:
        if facts.row.get("verdict", "ok") == "ok":
            return tuple(brief.transfers(facts))[:MOST]
        reason = str(facts.row.get("reason") or facts.row["verdict"])
        found = (Finding("not known: no counter or event tells why", reason),)
    return (*found[: MOST - 1], *unrecorded(facts), *found[MOST - 1 :])[:MOST]


def unrecorded(facts: Facts) -> Iterator[Finding]:
    """A sentence on a run whose kernel writes no events."""
    linux = facts.job.linux
    if facts.events is None and linux is not None and not linux.lab:
        what = "its kernel writes no events, so reasons that need them are missing"
        yield Finding(what, f"{linux.words}; only mpbench's network code writes them")
