"""More points for a design than its file has, without losing the runs so far.

`mpbench run FILE --points +8` adds eight points, and `--points 20` goes on to twenty.
WSP's grown design has the file's points first, with their values and numbers, so their
runs keep their ids.
"""

import re
from dataclasses import replace
from typing import Any

from mpbench.errors import UserError
from mpbench.spec.design import MOST_POINTS, Design
from mpbench.spec.document import Document

FORM = re.compile(r"\+?[1-9][0-9]{0,6}")


def grown(document: Document, points: str) -> Document:
    """The experiment with more points in its design.

    points : `+8` for so many more than the file has, `20` for so many in all

    Raises UserError, one line, for a text of another form and for a design that cannot
    grow.
    """
    if not FORM.fullmatch(points):
        raise UserError(
            f"--points {points[:20]}: give a number of further points, such as +8, or"
            " of all points, such as 20"
        )
    design = document.values.get("design")
    given = design.get("points") if isinstance(design, dict) else None
    if not isinstance(design, dict) or not isinstance(given, int) or given < 1:
        where = document.where(("design",))
        reason = "the experiment spreads no points over ranges"
        raise UserError(f"{where}: --points: {reason}; change the factors in the file")
    method = design.get("method", "wsp")
    if method != "wsp":
        where = document.where(("design", "method"))
        reason = f"only wsp's designs grow, not {method}, whose points would all change"
        raise UserError(f"{where}: --points: {reason}; write 'points' in the file")
    if design.get("thinned_to") is not None:
        where = document.where(("design", "thinned_to"))
        reason = "a longer design is thinned to other points"
        raise UserError(f"{where}: --points: {reason}; take 'thinned_to' away")
    total = int(points) + (given if points.startswith("+") else 0)
    if total < given:
        where = document.where(("design", "points"))
        reason = f"the file has {given} points already, more than {total}"
        raise UserError(f"{where}: --points: {reason}; give +{total} or a larger one")
    if total == given:
        return document
    candidates = design.get("candidates", Design.model_fields["candidates"].default)
    most = min(MOST_POINTS, candidates if isinstance(candidates, int) else MOST_POINTS)
    if total > most:
        where = document.where(("design", "points"))
        reason = f"{total} points are more than the {most} that this design can have"
        remedy = f"give +{most - given} at most, or more candidates"
        raise UserError(f"{where}: --points: {reason}; {remedy}")
    more: dict[str, Any] = {"grown_from": given, **design, "points": total}
    changes = f"{document.changes} and " if document.changes else ""
    return replace(
        document,
        values={**document.values, "design": more},
        changes=f"{changes}--points {total}",
    )
