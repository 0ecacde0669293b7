"""Traffic patterns: who sends to whom."""

from collections import Counter

import pytest

from mpbench.plan.destinations import pairs

HOSTS = [f"h{number}" for number in range(128)]


def test_a_permutation_gives_each_host_one_sender_and_one_receiver() -> None:
    for seed in range(50):
        found = pairs(HOSTS[:5], "permutation", seed)
        assert [one for one, _ in found] == HOSTS[:5]
        assert sorted(two for _, two in found) == HOSTS[:5]
        assert all(one != two for one, two in found)


def test_permutations_without_fixed_points_are_equally_likely() -> None:
    # Of 4 hosts there are 9 of them; 9000 draws give each 1000 on average, with a
    # standard deviation of 30.
    seen = Counter(tuple(pairs(HOSTS[:4], "permutation", n)) for n in range(9000))
    assert len(seen) == 9
    assert max(abs(count - 1000) for count in seen.values()) < 150


def test_random_destinations_are_distinct_and_never_the_sender() -> None:
    found = pairs(HOSTS, "random", 3, count=12)
    assert Counter(one for one, _ in found) == dict.fromkeys(HOSTS, 12)
    assert len(set(found)) == len(found)
    assert all(one != two for one, two in found)
    # 12 of 127 others: every host is found by 12 on average.
    received = Counter(two for _, two in found)
    assert min(received.values()) >= 3 and max(received.values()) <= 26


def test_a_share_of_the_hosts_sends() -> None:
    found = pairs(HOSTS, "random", 3, share=0.3)
    assert len(found) == 38
    assert len({one for one, _ in found}) == 38
    assert found != pairs(HOSTS, "random", 4, share=0.3)


def test_all_hosts_send_to_all_others() -> None:
    a, b, c = HOSTS[:3]
    expected = [(a, b), (a, c), (b, a), (b, c), (c, a), (c, b)]
    assert pairs([a, b, c], "all", 1) == expected


def test_the_same_seed_gives_the_same_pairs() -> None:
    assert pairs(HOSTS, "permutation", 7) == pairs(HOSTS, "permutation", 7)
    a, b, c, d = HOSTS[:4]
    expected = [(a, c), (b, d), (c, b), (d, a)]
    assert pairs([a, b, c, d], "permutation", 7) == expected


@pytest.mark.parametrize(
    ("hosts", "pattern", "more", "words"),
    [
        (["a"], "all", {}, "1 hosts; a pattern needs 2 or more"),
        (["a", "a"], "all", {}, "each once"),
        (["a", "b"], "tp1", {}, "no pattern 'tp1'; known: permutation"),
        (["a", "b"], "random", {"count": 2}, "2 hosts have 1 to 1 each"),
        (["a", "b"], "random", {"share": 0.0}, "share 0 is not above 0"),
    ],
)
def test_what_cannot_be_is_refused(
    hosts: list[str], pattern: str, more: dict[str, float], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        pairs(hosts, pattern, 1, **more)  # type: ignore[arg-type]
