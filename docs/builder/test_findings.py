"""The page of findings: each answer has its limits, its files and its figure."""

import re

from docs.builder.quoted import DOCS

PAGE = DOCS / "findings.md"
ROOT = PAGE.parents[1]
ROW = re.compile(r"^\| (\d+) \| (.*?) \| \[page\]\((.*?)\) \|$", re.M)


def test_each_answer_has_limits_files_and_a_figure() -> None:
    text = PAGE.read_text(encoding="utf-8")
    answers, _, rest = text.partition("\n## Run it yourself\n")
    sections = re.split(r"^### (\d+)\. ", answers, flags=re.M)[1:]
    numbers = sections[::2]
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert len(numbers) >= 20
    for number, section in zip(numbers, sections[1::2], strict=True):
        assert section.count("*Limits: ") == 1, number
        assert "<!-- cell: " in section, number
    rows = ROW.findall(rest.partition("\n## Open\n")[0])
    assert [number for number, _, _ in rows] == numbers
    for number, files, page in rows:
        named = re.findall(r"`([^` ]+\.yaml)`", files)
        assert named, number
        for file in named:
            assert (ROOT / "experiments" / file).is_file(), file
        shown = (PAGE.parent / page).resolve()
        assert re.search(r"!\[.*?\]\(.*?\.png\)", shown.read_text()), page
        assert page in answers, page
