"""Ages of criteria: whether each stood before the first result that it judges.

`results/published/ages.csv` has one line per criterion, with the commit that it stands
since and the commit with the first result. `python -m studies.criterion_ages` writes
it from the history of the repository.
"""

from collections.abc import Iterable
from pathlib import Path

from analysis.published import files

NAME = "ages.csv"
COLUMNS = ("criterion", "age", "since", "result")
BEFORE, CHANGED, AFTER = "before", "changed", "after"
AGES = (BEFORE, CHANGED, AFTER)
"""From the strongest evidence to the weakest.

before : the criterion stands as it was before the first result
changed : it stood before the first result, and was changed afterwards
after : it was registered when there was a result
"""


def read(folder: Path) -> dict[str, str]:
    """The age of each criterion by the file and the id of its statement.

    An empty mapping if the folder has no such file. Raises ValueError, `file:line:
    what is wrong`.
    """
    path = folder / NAME
    if not path.is_file():
        return {}
    if files.columns(path) != COLUMNS:
        raise ValueError(f"{path}:1: columns must be {','.join(COLUMNS)}")
    found = {}
    for place, row in files.rows(path):
        if row["age"] not in AGES:
            raise ValueError(f"{place}: age {row['age']!r}; has {', '.join(AGES)}")
        found[row["criterion"]] = row["age"]
    return found


def weakest(ages: Iterable[str]) -> str:
    """The age of what depends on criteria of these ages; "" if one is not known."""
    given = list(ages)
    if not given or "" in given:
        return ""
    return max(given, key=AGES.index)
