"""A multipath and a single-path user behind one bottleneck (thesis Fig. 5.4; Wischik
et al. 2011, Fig. 1; Peng et al. 2016, Fig. 1).

    multi --- access1 ---+                          +--- server_multi
       |                 |                          |
       +----- access2 ---+=====  bottleneck  =======+
                         |                          |
    single -- access3 ---+                          +--- server_single

Both paths of `multi` and the path of `single` go through the bottleneck. The access
links only delay packets, in each direction.
"""

from topologies.description import Description, User
from topologies.parameters import delay_parameter, link_parameters, users_parameter

DESCRIPTION = Description(
    name="shared_bottleneck",
    parameters=(
        *link_parameters("bottleneck", capacity_mbps=15.0, shared=True),
        *(delay_parameter(f"access{number}", 0.0) for number in (1, 2, 3)),
        users_parameter("multi"),
        users_parameter("single"),
    ),
    users=(
        User(
            "multi",
            "server_multi",
            paths=(("access1", "bottleneck"), ("access2", "bottleneck")),
            count="multi.users",
        ),
        User(
            "single",
            "server_single",
            paths=(("access3", "bottleneck"),),
            count="single.users",
        ),
    ),
)
