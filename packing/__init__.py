"""What a release of mpbench consists of, and how it is made: `python -m packing`.

`imports` places and renames the packages, `parts` gathers what was built, and
`commands` extends setuptools' commands by both.
"""
