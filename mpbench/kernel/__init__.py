"""The guest kernel: fetch, configure, build, cache."""
