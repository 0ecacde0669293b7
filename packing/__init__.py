"""Contents of a release of mpbench, and the way in which it is made: `python -m
packing`.

`imports` places and renames the packages, `parts` gathers what was built, and
`commands` extends setuptools' commands by both.
"""
