"""Connections that are drawn: every column of what the analyser makes of them."""

from tests.capture import drawn


def test_every_column_is_what_it_was() -> None:
    kept = drawn.TABLE.read_text(encoding="utf-8").splitlines()
    now = list(drawn.found())
    differ = [f"{a} -> {b}" for a, b in zip(kept, now, strict=False) if a != b]
    assert not differ, "\n".join(differ[:20])
    assert len(kept) == len(now)
