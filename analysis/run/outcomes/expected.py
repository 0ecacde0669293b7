"""Whether traffic came to what its job expects (`expect`)."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.run.artefacts import Artefacts
from analysis.run.outcomes import columns, counts
from analysis.run.outcomes.endings import COMPLETE, Ending, Read
from jobs.expect import ANY, FALLBACK, NO, YES, Expect


def unmet(run: Artefacts) -> Iterator[str]:
    """The reasons of all entries."""
    report = run.job.report
    if report is None or not any(report.expect):
        return
    read = [Read(report) for report in run.reports]
    found = columns.of_entries(run.traffic, run.counters, read, run.endings, run.events)
    for index, wanted in enumerate(report.expect):
        if wanted is None:
            continue
        prefix = columns.prefix(run.traffic, index)
        own = {name: found[prefix + name] for name in columns.NAMES}
        mptcp = run.traffic[index].transport.is_mptcp
        for reason in _reasons(wanted, own, run.endings[index], mptcp):
            yield f"traffic {index}: {reason}"


def _reasons(
    wanted: Expect, own: Mapping[str, Any], ending: Ending, mptcp: bool
) -> Iterator[str]:
    """own : the columns of the entry; mptcp : whether its transport is MPTCP"""
    if wanted.completes == YES and ending.word != COMPLETE:
        words = f"{ending.word}: {ending.error}" if ending.error else ending.word
        yield f"expected to complete, but was {words}"
    if wanted.completes == NO and ending.word == COMPLETE:
        yield "complete, which was not expected"
    if not mptcp:
        return
    if own["syns"] is None and (wanted.subflows or wanted.mptcp not in (None, ANY)):
        yield (
            "what became of its connections is not known: its hosts have connections of"
            " other entries too, and events do not tell them apart"
        )
        return
    protocol = own["protocol_at_end"]
    if wanted.mptcp == YES and protocol != counts.MPTCP:
        why = f" ({own['fallback']})" if own["fallback"] else ""
        yield f"expected MPTCP, but at the end it was {protocol or 'nothing'}{why}"
    if wanted.mptcp == FALLBACK and protocol != counts.TCP:
        yield f"expected a fallback to TCP, but it was {protocol or 'nothing'}"
    if wanted.subflows:
        had = own["subflows"] or (1 if protocol == counts.TCP else 0)
        if had != wanted.subflows:
            yield f"{had:g} subflows per connection, expected {wanted.subflows}"
