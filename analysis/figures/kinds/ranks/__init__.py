"""Single flows or links of a point in the order of a metric, by rank."""
