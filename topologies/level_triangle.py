"""A triangle in which a user's two paths can be of one length.

    a -- short1 --+                       +-- server_a
                   ===== link1 ==========          paths of a: short1, link1;
    b -- short2 --+                       +-- server_b         link2, link3
                   ===== link2 ==========          paths of b: short2, link2;
    c -- short3 --+                       +-- server_c         link3, link1
                   ===== link3 ==========          paths of c: short3, link3;
                                                               link1, link2

As `triangle`, but for a delay of its own at the head of each short path. It is
one link's, unless said otherwise, so that all round trips take the same time but
for the queues: what Wischik et al. (2011, section 2.2) count with.
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
