"""Multipath and single-path users on two links (Peng et al. 2016, Fig. 2; Wischik et
al. 2011, Figs 5, 9, 14; Gilad et al. 2020, Figs 3a-3e).

    single1 ---+                       +--- server_single1
               +===== link1 ===========+
    multi -----+                       +--- server_multi
               +===== link2 ===========+
    single2 ---+                       +--- server_single2

`multi` has one path over each link, `single1` has a path over link 1, and `single2`
has a path over link 2. Each host stands for as many users as its parameter says.
"""

from topologies.description import Description, User
from topologies.parameters import link_parameters, users_parameter

DESCRIPTION = Description(
    name="two_links",
    parameters=(
        *link_parameters("link1", shared=True),
        *link_parameters("link2", shared=True),
        users_parameter("multi"),
        users_parameter("single1"),
        users_parameter("single2"),
    ),
    users=(
        User("multi", "server_multi", (("link1",), ("link2",)), "multi.users"),
        User("single1", "server_single1", (("link1",),), "single1.users"),
        User("single2", "server_single2", (("link2",),), "single2.users"),
    ),
)
