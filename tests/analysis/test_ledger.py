"""The ledger refuses a criterion that was changed without an entry.

The tests need no history: the digests are in the repository. Where there is a
history, the ledger must also continue that of every earlier commit.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analysis.published import cells, judging, ledger, statements
from analysis.published.document import read as read_document

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results/published"
LEFT_OUT = ("rules", "ledger", "ages", "experiments", "thesis-table-")
"""Files of results/published without statements or cells of a page."""
FIRST_LINES = 613
CHAIN = "f3bcdb8b0e785875"
"""The chain of the ledger's first FIRST_LINES lines. Whoever makes a new ledger,
instead of adding to it, has to change this too."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "published"
    shutil.copytree(PUBLISHED, folder)
    return folder


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_every_criterion_is_as_the_ledger_has_it() -> None:
    lines = ledger.read(PUBLISHED / ledger.NAME)
    dated = [path.stem for path in PUBLISHED.glob("*.yaml")]
    dated += [path.stem for path in PUBLISHED.glob("*.csv") if cells.is_cells(path)]
    more = [
        state
        for state in ledger.missing(lines, ledger.states(PUBLISHED))
        if state.id.partition("/")[0] in dated
    ]
    assert not more, (
        f"{more[0].id} is not in the ledger; run"
        " `python -m analysis.published.ledger results/published`"
    )
    assert lines[FIRST_LINES - 1].chain == CHAIN


def test_the_ledger_continues_that_of_every_commit() -> None:
    name = f"results/published/{ledger.NAME}"
    log = subprocess.run(
        ["git", "log", "--format=%H", "--", name],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    now = (ROOT / name).read_text()
    for commit in log.stdout.split():
        shown = subprocess.run(
            ["git", "show", f"{commit}:{name}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert shown.returncode or now.startswith(shown.stdout), commit


def test_every_registered_statement_and_cell_is_judged_somewhere() -> None:
    """A pages file or an experiment names its file, or that of the cells beside it."""
    naming = [*PUBLISHED.glob("*-pages.yaml"), *(ROOT / "experiments").rglob("*.yaml")]
    naming += (ROOT / "studies/causes").glob("*.yaml")
    named = set(
        re.findall(r"[\w.-]+\.(?:csv|yaml)", "".join(map(Path.read_text, naming)))
    )
    left_out = [
        path.name
        for path in (*PUBLISHED.glob("*.yaml"), *PUBLISHED.glob("*.csv"))
        if not {path.name, path.with_suffix(".csv").name} & named
        and not path.name.endswith("-pages.yaml")
        and not path.name.startswith(LEFT_OUT)
    ]
    assert not left_out


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("thesis-ch3.yaml", "tolerance: 0.1", "tolerance: 0.2"),
        ("thesis-ch3.yaml", "    up_to: 20", "    up_to: 30"),
        (
            "thesis-ch3.yaml",
            "threshold: 0.999\n      rel",
            "threshold: 0.99\n      rel",
        ),
        ("thesis-ch3.yaml", "kind: input", "kind: statement"),
        ("thesis-table-5.3.csv", ",6922,", ",6923,"),
        ("thesis-table-3.2.csv", ",1.740", ",1.741"),
        ("rules.yaml", "lies within the margin", "lies near the margin"),
    ],
)
def test_a_changed_criterion_is_refused(
    copy: Path, name: str, old: str, new: str
) -> None:
    edit(copy / name, old, new)
    with pytest.raises(ValueError, match="differs from the ledger's"):
        ledger.main(copy)


def test_a_dropped_statement_and_a_dropped_change_are_refused(copy: Path) -> None:
    path = copy / "thesis-ch3.yaml"
    text = path.read_text()
    whole, _, rest = text.partition("\n- id: ab-falls\n")
    path.write_text(f"{whole}\n- id: {rest.partition('- id: ')[2]}")
    with pytest.raises(ValueError, match=r"thesis-ch3/ab-falls: .* the files do not"):
        ledger.main(copy)


def test_an_edited_ledger_is_refused(copy: Path) -> None:
    path = copy / ledger.NAME
    lines = path.read_text().splitlines()
    lines[5] = lines[5].replace("2026-11-21", "2026-11-20")
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=r"ledger\.csv:6: .* was edited"):
        ledger.main(copy)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"2026-11-21,balia", r"ledger\.csv:6: must have 4 columns"),
        (b"2026-11-21,a,b,c,d", r"ledger\.csv:6: must have 4 columns"),
        (b"\xff,a,b,c", r"ledger\.csv:1: is not UTF-8"),
        (b"x" * 200_000, r"ledger\.csv:6: field larger than"),
    ],
)
def test_a_damaged_ledger_is_one_line(copy: Path, line: bytes, message: str) -> None:
    path = copy / ledger.NAME
    lines = path.read_bytes().splitlines()
    lines[5] = line
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(ValueError, match=message) as caught:
        ledger.read(path)
    assert "\n" not in str(caught.value)


def test_a_change_with_an_entry_is_added(copy: Path) -> None:
    path = copy / "thesis-ch3.yaml"
    edit(path, "    up_to: 20\n", "    up_to: 30\n")
    entry = (
        '  changes:\n  - date: "2026-12-01"\n    from: {up_to: 20}\n'
        "    to: {up_to: 30}\n    why: A test.\n"
    )
    edit(path, "\n- id: eab-falls\n", f"{entry}\n- id: eab-falls\n")
    assert "1 new" in ledger.main(copy)
    assert "0 new" in ledger.main(copy)
    last = ledger.read(copy / ledger.NAME)[-1]
    assert (last.date, last.id) == ("2026-12-01", "thesis-ch3/eab-aggregates")


def test_a_rule_that_was_registered_without_changes_can_be_changed(copy: Path) -> None:
    path = copy / "rules.yaml"
    rules = {rule["id"]: rule for rule in read_document(path).values["rules"]}
    text = rules["dates"]["rule"]
    entry = (
        f'  since: "2026-11-23"\n  changes:\n    - date: "2026-12-01"\n'
        f"      from: >-\n        {text}\n      why: A test.\n"
    )
    whole = path.read_text()
    last_words = "The ledger's lines\n    stay as they are.\n"
    assert last_words in whole
    path.write_text(
        whole.replace(last_words, "Its lines\n    stay as they are.\n" + entry)
    )
    now = {rule["id"]: rule for rule in read_document(path).values["rules"]}
    assert rules["dates"]["rule"] != now["dates"]["rule"]
    assert "1 new" in ledger.main(copy)
    last = ledger.read(copy / ledger.NAME)[-1]
    assert (last.date, last.id) == ("2026-12-01", "rules/dates")


def test_a_users_table_of_statements_is_held_to_its_first_criteria(copy: Path) -> None:
    columns = ",".join((*statements.COLUMNS, *statements.MORE_COLUMNS))
    path = copy / "more.csv"
    path.write_text(f"{columns}\nx,1,2,3,it is large,median,m,,,,>,5,,a,,\n")
    assert "1 new" in ledger.main(copy)
    edit(path, ",>,5,", ",>,4,")
    with pytest.raises(ValueError, match="more/x: the criterion of"):
        ledger.main(copy)


def test_the_registered_constants_are_those_of_the_code() -> None:
    rules = {
        rule["id"]: rule["rule"]
        for rule in read_document(PUBLISHED / "rules.yaml").values["rules"]
    }
    assert rules["constants"] == (
        f"Tests are at {judging.SIGNIFICANCE}, confidence intervals at"
        f" {judging.CONFIDENCE}, equivalence intervals at {judging.EQUIVALENCE}. A"
        f" verdict with a chance below {judging.FRAGILE} is fragile. {judging.REDRAWS}"
        f" designs are redrawn. A cell's interval may reach {cells.PRECISION} of the"
        " published value."
    )
