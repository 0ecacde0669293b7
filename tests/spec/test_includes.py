"""Parts that experiment files share."""

from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.spec import Spec
from tests.spec.files import TEXT

CASES = """\
cases:
  mptcp: {protocol: mptcp, congestion_control: lia}
  tcp1: {protocol: tcp, congestion_control: reno, path: 1}
"""
HEAD = TEXT.split("cases:")[0]
TRAFFIC = "traffic:\n" + TEXT.split("traffic:\n")[1]


def written(folder: Path, **files: str) -> Path:
    """Files by name; the path of `main`."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder / "main.yaml"


def lines(path: Path) -> list[str]:
    with pytest.raises(UserError) as caught:
        load(path)
    return str(caught.value).replace(f"{path.parent}/", "").splitlines()


def test_a_part_takes_its_place(tmp_path: Path) -> None:
    own = f"include: parts/cases.yaml\n{HEAD}{TRAFFIC}"
    spec = load(written(tmp_path, parts__cases=CASES, main=own))
    assert list(spec.cases) == ["mptcp", "tcp1"]
    assert spec.digest == loads(HEAD + CASES + TRAFFIC).digest


def test_mappings_are_joined_and_the_including_file_counts(tmp_path: Path) -> None:
    own = (
        "include: [a.yaml, b.yaml]\n"
        "design: {points: 9, factors: {path2.delay: [1 ms, 2 ms]}}\n"
        "cases: {tcp1: {congestion_control: cubic}}\n" + TRAFFIC
    )
    spec = load(written(tmp_path, a=HEAD + CASES, b="name: other\nseed: 7\n", main=own))
    assert (spec.name, spec.seed) == ("other", 7)
    assert spec.design is not None and spec.design.points == 9
    assert list(spec.design.factors) == ["path1.capacity", "path2.delay"]
    assert spec.design.factors["path2.delay"].values == (1, 2)


def test_lists_are_not_joined(tmp_path: Path) -> None:
    own = f"include: a.yaml\n{HEAD}{CASES}{TRAFFIC}metrics: [jain]\n"
    spec = load(written(tmp_path, a="metrics: [goodput, utilisation]\n", main=own))
    assert spec.metrics == ("jain",)


def test_a_part_may_include_another(tmp_path: Path) -> None:
    spec = load(
        written(
            tmp_path,
            parts__outer="include: inner.yaml\nseed: 3\n",
            parts__inner=CASES + "seed: 2\n",
            main=f"include: parts/outer.yaml\n{HEAD}{TRAFFIC}",
        )
    )
    assert (spec.seed, len(spec.cases)) == (3, 2)


def test_faults_are_told_where_they_stand(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        parts__cases=CASES.replace("lia", "lai").replace("path: 1", "path: 3"),
        main=f"include: parts/cases.yaml\n{HEAD}{TRAFFIC}sed: 1\n",
    )
    found = lines(path)
    assert found[0].startswith("parts/cases.yaml:2: cases.mptcp.congestion_control")
    assert found[1].startswith(
        "parts/cases.yaml:3: cases.tcp1.path: there is no path 3"
    )
    assert found[2].startswith("main.yaml:11: sed: unknown key")


def test_a_value_that_is_replaced_is_told_of_in_the_file_that_does(
    tmp_path: Path,
) -> None:
    path = written(
        tmp_path,
        a=HEAD + CASES,
        main="include: a.yaml\ncases:\n  tcp1:\n    path: 4\n" + TRAFFIC,
    )
    (found,) = lines(path)
    assert found.startswith("main.yaml:4: cases.tcp1.path: there is no path 4")


@pytest.mark.parametrize(
    ("include", "message"),
    [
        ("nowhere.yaml", "main.yaml:1: nowhere.yaml: no such file"),
        ("main.yaml", "main.yaml:1: main.yaml: this file includes itself"),
        ("loop.yaml", "loop.yaml:1: loop.yaml: this file includes itself"),
        ("[part.yaml, gone.yaml]", "main.yaml:1: gone.yaml: no such file"),
        ("3", "main.yaml:1: include: expected the name of a file"),
        ("{a: b}", "main.yaml:1: include: expected the name of a file"),
        ("broken.yaml", "broken.yaml:3: not YAML"),
        ("empty.yaml", "empty.yaml:1: empty"),
    ],
)
def test_parts_that_do_not_do(tmp_path: Path, include: str, message: str) -> None:
    path = written(
        tmp_path / ("long-" * 20),  # The message has the whole name all the same.
        part="seed: 1\n",
        loop="include: loop.yaml\n",
        broken="a: 1\nb: [\n",
        empty="",
        main=f"include: {include}\n{TEXT}",
    )
    (found,) = lines(path)
    assert found.startswith(message)


def test_results_keep_the_whole(tmp_path: Path) -> None:
    own = f"include: parts/cases.yaml\n{HEAD}{TRAFFIC}"
    spec = load(written(tmp_path, parts__cases=CASES, main=own))
    assert "include:" not in spec.text
    assert loads(spec.text).digest == spec.digest
    assert isinstance(loads(TEXT), Spec) and loads(TEXT).text == TEXT
