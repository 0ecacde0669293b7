"""Three users, each with a short path and a long one (thesis Fig. 5.5; Wischik et
al. 2011, Fig. 2).

    a --+                       +-- server_a
         ===== link1 ==========          paths of a: link1; link2, link3
    b --+                       +-- server_b
         ===== link2 ==========          paths of b: link2; link3, link1
    c --+                       +-- server_c
         ===== link3 ==========          paths of c: link3; link1, link2

Each link is the first path of one user, and part of the second path of the two
others. The total goodput is largest if every user sends over the short path only.
"""

from topologies.description import Description, User
from topologies.parameters import link_parameters

LINKS = ("link1", "link2", "link3")

DESCRIPTION = Description(
    name="triangle",
    parameters=tuple(
        parameter for link in LINKS for parameter in link_parameters(link, shared=True)
    ),
    users=tuple(
        User(host, f"server_{host}", paths=((LINKS[k],), (LINKS[k - 2], LINKS[k - 1])))
        for k, host in enumerate(("a", "b", "c"))
    ),
)
