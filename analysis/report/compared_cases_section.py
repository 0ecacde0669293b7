"""Section of a campaign's page about cases compared in the same networks."""

from collections.abc import Iterator, Sequence

from analysis.campaign import sample_sizes
from analysis.campaign.columns import plain_label
from analysis.campaign.comparison import RESAMPLES
from analysis.campaign.numbers import digits
from analysis.report.compared_cases import LEVEL, Comparison, interval_text, signed
from analysis.report.compared_cases_picture import outside
from analysis.report.markdown import markdown

MOST_TOLD = 12
"""The most reasons that the page lists."""
READING = (
    "Each row subtracts case B from case A in the same network, so what differs"
    " between networks cancels out. n counts the networks in which both cases are"
    " ok; repetitions of a network are averaged. For a single network, n counts"
    " repetitions, and repetitions that are all identical count as one. A and B are"
    " the medians over these networks. The interval is a bootstrap interval (BCa,"
    f" {RESAMPLES} resamples) of the median difference. It needs n of"
    f" {sample_sizes.least_values(LEVEL)}, because with fewer even the range of all"
    " values misses the median too often. If it holds 0, these networks do not say"
    " which case has more. The last two columns count the networks in which A has"
    " more, and less. Each interval stands for itself: of twenty rows without any"
    " difference, one misses 0 on average."
)


def lines(made: Comparison, pictures: Sequence[str]) -> Iterator[str]:
    """The section; nothing without cases to compare. pictures : the pictures' files"""
    if not made.found and not made.left_out:
        return
    yield "## Cases compared"
    yield ""
    for picture in pictures:
        yield f"![Differences between cases in the same network]({picture})"
        yield ""
    beyond = list(outside(made)) if pictures else []
    if beyond:
        yield f"{' '.join(beyond)} The table counts all networks."
        yield ""
    rows = [
        [
            plain_label(line.column),
            line.name,
            *line.place,
            str(len(line.differences)),
            digits(line.second),
            digits(line.first),
            signed(line.median.estimate),
            interval_text(line.median),
            str(line.above),
            str(line.below),
        ]
        for line in made.found
    ]
    head = ["metric", "cases A - B", *map(plain_label, made.split), "n", "A", "B"]
    head += ["median of A - B", "95 % interval", "A > B", "A < B"]
    if rows:
        yield from markdown(head, rows, numbers_from=2)
        yield READING
        yield ""
    if made.left_out:
        yield "Not compared:"
        yield ""
        shown = made.left_out[:MOST_TOLD]
        yield from (f"- {reason}." for reason in shown)
        if more := len(made.left_out) - len(shown):
            yield f"- {more} more of the same kind."
        yield ""
