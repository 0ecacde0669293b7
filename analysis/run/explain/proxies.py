"""Proxies that could not go on with connections that they had accepted."""

from collections.abc import Iterator

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, many


def failed(facts: Facts) -> Iterator[Finding]:
    """Connections that were established as far as a proxy alone."""
    for index, report in facts.proxies.items():
        entry = facts.traffic[index]
        before = next(
            one.source for one in facts.traffic if one.destination == entry.source
        )
        unopened = report.accepted - report.opened
        if unopened <= 0:
            continue
        why = f": {report.error}" if report.error else ""
        accepted = many(report.accepted, "connection")
        yield Finding(
            f"the proxy on the {entry.source} accepted {accepted} of the {before}, and"
            f" could not open {unopened} to the {entry.destination}{why}; the {before}"
            " had connected by then",
            f"accepted {report.accepted}, opened {report.opened} and failed"
            f" {report.failed} in traffic-{index}-server.json",
        )
