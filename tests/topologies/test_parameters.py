"""Defaults and ranges of the parameters of links, as docs/keys.md lists them."""

from topologies import parameters
from topologies.shaping import MOST_QUEUE_PACKETS

LINK = {
    "capacity": (10.0, 0.01, 100_000.0, "Mbit/s", False),
    "delay": (10.0, 0.0, 10_000.0, "ms", False),
    "queueing_delay": (100.0, 0.0, 100_000.0, "ms", False),
    "queue": (None, 1, 1_000_000, "packets", True),
    "loss": (0.0, 0.0, 100.0, "%", False),
    "jitter": (0.0, 0.0, 1000.0, "ms", False),
}


def numbers(found: tuple[parameters.Parameter, ...]) -> dict[str, tuple[object, ...]]:
    return {
        each.name: (each.default, each.minimum, each.maximum, each.unit, each.integer)
        for each in found
    }


def test_a_link_of_one_user() -> None:
    found = parameters.link_parameters("l", shared=False)
    assert numbers(found) == {f"l.{name}": values for name, values in LINK.items()}
    assert [each.key for each in found] == [
        "l.capacity_mbps",
        "l.delay_ms",
        "l.queueing_delay_ms",
        "l.queue_packets",
        "l.loss_percent",
        "l.jitter_ms",
    ]
    replaced = {each.name: each.replaces for each in found if each.replaces}
    assert replaced == {"l.queue": "l.queueing_delay"}
    assert LINK["queue"][2] == MOST_QUEUE_PACKETS


def test_a_shared_queue_has_the_default_jitter_of_a_packet_time() -> None:
    own = numbers(parameters.link_parameters("l", shared=False))
    shared = numbers(parameters.link_parameters("l", shared=True))
    assert shared == {**own, "l.jitter": (None, 0.0, 1000.0, "ms", False)}
    given = parameters.link_parameters(
        "l", capacity_mbps=7.0, delay_ms=3.0, shared=True
    )
    assert [each.default for each in given[:2]] == [7.0, 3.0]


def test_the_other_direction_is_not_set_and_has_the_same_range() -> None:
    found = parameters.down_parameters("l")
    assert numbers(found) == {
        f"l.down_{name}": (None, *LINK[name][1:])
        for name in ("capacity", "delay", "queue", "loss")
    }
    assert [each.key for each in found] == [
        "l.down_capacity_mbps",
        "l.down_delay_ms",
        "l.down_queue_packets",
        "l.down_loss_percent",
    ]
    assert not any(each.replaces for each in found)
    only = parameters.down_parameters("l", only_delays=True)
    assert [each.name for each in only] == ["l.down_delay"]
    queue = parameters.down_queueing_delay("l")
    assert (queue.name, queue.key) == (
        "l.down_queueing_delay",
        "l.down_queueing_delay_ms",
    )
    assert (queue.default, queue.minimum, queue.maximum) == (None, 0.0, 100_000.0)


def test_a_host_stands_for_up_to_128_users() -> None:
    found = parameters.users_parameter("h")
    assert numbers((found,)) == {"h.users": (1, 0, 128, "users", True)}
    assert parameters.users_parameter("h", 5).default == 5
