"""Lines of a failed build that a user is told."""

from mpbench.kernel.shell import SHOWN, telling

MAKE = [f"make[{level}]: *** [Makefile:{level}: net] Error 2" for level in range(6)]


def test_the_compilers_words_are_told_and_not_makes() -> None:
    own = "net/mptcp/protocol.c:1628:1: error: expected ';' before '}' token"
    assert telling(["  CC      net/mptcp/protocol.o", own, *MAKE]) == [own]


def test_make_alone_is_told() -> None:
    assert telling(["  CC      net/a.o", *MAKE]) == MAKE[-SHOWN:]
    assert telling(["nothing that looks like one"]) == ["nothing that looks like one"]
