"""Checks of results against an independent computation, longer than tests may be.

Nothing that is tested or measured imports this package; it may use the tests' helpers.
"""
