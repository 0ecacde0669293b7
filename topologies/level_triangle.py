"""A triangle in which both paths of a user can have the same round-trip time.

    a -- short1 --+                       +-- server_a
                   ===== link1 ==========          paths of a: short1, link1;
    b -- short2 --+                       +-- server_b         link2, link3
                   ===== link2 ==========          paths of b: short2, link2;
    c -- short3 --+                       +-- server_c         link3, link1
                   ===== link3 ==========          paths of c: short3, link3;
                                                               link1, link2

This is `triangle` with an additional delay at the start of each short path. By
default it equals the delay of one link, so that all paths have the same round-trip
time, except for queueing. Wischik et al. (2011, sec. 2.2) assume this.
"""

from topologies.description import Description, User
from topologies.parameters import delay_parameter, link_parameters

LINKS = ("link1", "link2", "link3")

DESCRIPTION = Description(
    name="level_triangle",
    parameters=(
        *(
            parameter
            for link in LINKS
            for parameter in link_parameters(link, shared=True)
        ),
        *(delay_parameter(f"short{number}", 10.0) for number in (1, 2, 3)),
    ),
    users=tuple(
        User(
            host,
            f"server_{host}",
            paths=((f"short{k + 1}", LINKS[k]), (LINKS[k - 2], LINKS[k - 1])),
        )
        for k, host in enumerate(("a", "b", "c"))
    ),
)
