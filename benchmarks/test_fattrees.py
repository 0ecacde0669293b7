"""The table of costs of FatTrees."""

from benchmarks.fattrees import SPEC, TRAFFIC, Row, arguments, markdown
from benchmarks.virtual_lab_speed import job


def test_a_table_has_ratios_to_the_smallest() -> None:
    rows = [
        Row(4, 0.5, 1, 16, 0.5, 1.5, 80, 0.1),
        Row(8, 0.5, 1, 128, 1.0, 17.0, 400, 0.4),
    ]
    *_, small, large = markdown(rows).splitlines()
    assert small == "| `fattree-k4` | 16 | 1 | 1 | 1 | 80 |"
    assert large == "| `fattree-k8` | 128 | 2 | 16 | 4 | 400 |"


def test_each_size_is_a_job() -> None:
    for ports in arguments([]).ports:
        text = SPEC.format(ports=ports) + TRAFFIC.format(seconds=0.2, connections=2)
        (entry,) = job(text)["traffic"]
        assert len(entry["pairs"]) == ports**3 // 4
