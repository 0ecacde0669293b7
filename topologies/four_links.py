"""Three users over four links in a row (Wischik et al. 2011, Fig. 3).

         +===== link1 (5 Mbit/s) =====+
    a ---+                            +--- server_a
         +===== link2 (12) ===========+
    b ---+                            +--- server_b
         +===== link3 (10) ===========+
    c ---+                            +--- server_c
         +===== link4 (3) ============+

The paths of user a are link 1 and link 2, those of b link 2 and link 3, and those of
c link 3 and link 4. If congestion is balanced over all links, each user gets
10 Mbit/s.
"""

from topologies.description import Description, User
from topologies.parameters import link_parameters

CAPACITIES_MBPS = {"link1": 5.0, "link2": 12.0, "link3": 10.0, "link4": 3.0}

DESCRIPTION = Description(
    name="four_links",
    parameters=tuple(
        parameter
        for link, capacity_mbps in CAPACITIES_MBPS.items()
        for parameter in link_parameters(link, capacity_mbps=capacity_mbps, shared=True)
    ),
    users=tuple(
        User(host, f"server_{host}", paths=((f"link{k}",), (f"link{k + 1}",)))
        for k, host in enumerate(("a", "b", "c"), start=1)
    ),
)
