"""Many connections of drawn sizes at drawn times, by mpbench-flows."""
