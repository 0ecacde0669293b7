"""A metric of each case over that of one case, network by network."""
