"""Counts in running text."""


def many(count: int, noun: str, plural: str = "") -> str:
    """`1 run`, `2 runs`. plural : of a noun that does not end in s then"""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
