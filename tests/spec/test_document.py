"""YAML with line numbers, and the faults of YAML itself."""

from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.spec.document import dotted, parse, read


def test_values_and_lines() -> None:
    document = parse("a: 1\nb:\n  c: [x,\n    y]\n", "f.yaml")
    assert document.values == {"a": 1, "b": {"c": ["x", "y"]}}
    assert document.line(("a",)) == 1
    assert document.line(("b", "c")) == 3
    assert document.line(("b", "c", 1)) == 4
    assert document.line(("b", "missing")) == 2, "the line of what encloses it"
    assert document.line(("missing",)) == 1


def test_scalars_are_those_of_yaml_1_2() -> None:
    text = "[no, on, 010, 1e3, 12:30, 2020-01-01, true, ~, -1, .5, 0x10, 1_000]"
    values = parse(f"v: {text}", "f").values["v"]
    expected = ["no", "on", 10, 1000.0, "12:30", "2020-01-01", True, None, -1, 0.5]
    assert values == [*expected, "0x10", "1_000"]


def test_merge_keys() -> None:
    text = "x: &a {p: 1, q: 2}\ny: {q: 3, <<: *a}\nz: {<<: [*a, {r: 4, p: 5}]}\n"
    values = parse(text, "f").values
    assert values["y"] == {"p": 1, "q": 3}
    assert values["z"] == {"p": 1, "q": 2, "r": 4}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: [1,\n", "f.yaml:3: not YAML: while parsing a flow"),
        ("a:\n\t- b\n", "f.yaml:2: not YAML: while scanning for the next token"),
        ("a: b: c\n", "f.yaml:1: not YAML: a ': ' stands inside a value; indent this"),
        (
            "a: 'open\n",
            "f.yaml:2: not YAML: while scanning a quoted scalar that begins on line 1, "
            "found unexpected end of stream; close the quote",
        ),
        (
            "a: {b: 1\nc: 3\n",
            "f.yaml:2: not YAML: while parsing a flow mapping that begins on line 1, "
            "expected ',' or '}', but got ':'; close the bracket { or put a comma",
        ),
        (
            "a:\n\tb: 1\n",
            "f.yaml:2: not YAML: while scanning for the next token, found character "
            "'\\t' that cannot start any token; indent with spaces",
        ),
        ("a: *b\n", "f.yaml:1: not YAML: found undefined alias"),
        ("a: 1\na: 2\n", "f.yaml:2: a: stands on line 1 already"),
        ("a: {b: 1,\n  b: 2}\n", "f.yaml:2: a.b: stands on line 1 already"),
        ("a:\n- {b: 1, b: 2}", "f.yaml:2: a[0].b: stands on line 2 already"),
        ("a: !x b\n", "f.yaml:1: the tag '!x' is not supported"),
        ("? [a]\n: b\n", "f.yaml:1: a key must be a word"),
        ("a: {<<: 3}\n", "f.yaml:1: '<<' takes a mapping"),
        (
            "a: &a\n  b: *a\n",
            "f.yaml:1: this alias stands inside what it is",
        ),
        ("- a\n", "f.yaml:1: expected 'key: value' lines at the top"),
        ("", "f.yaml:1: empty"),
        ("# nothing\n", "f.yaml:1: empty"),
        ("a: 1\n---\nb: 2\n", "f.yaml:3: a second document"),
        ("a: \x07\n", "f.yaml:1: not YAML: unacceptable character"),
        ("a: " + "[" * 1200, "f.yaml:1: nested too deeply"),
    ],
)
def test_faults(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text, "f.yaml")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_all_duplicates_are_listed() -> None:
    with pytest.raises(UserError) as caught:
        parse("a: 1\nb: 2\na: 3\nb: 4\n", "f")
    assert str(caught.value).splitlines() == [
        "f:3: a: stands on line 1 already; remove one",
        "f:4: b: stands on line 2 already; remove one",
    ]


def test_aliases_cannot_unfold_without_end() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(UserError, match="more than 100000 values"):
        parse("\n".join(rows), "f")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read(tmp_path / "none.yaml")
    with pytest.raises(UserError, match="this is a folder"):
        read(tmp_path)
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("name: é".encode("latin-1"))
    with pytest.raises(UserError, match="not text in UTF-8"):
        read(latin)


def test_dotted() -> None:
    assert dotted(("traffic", 0, "read", "size")) == "traffic[0].read.size"
