"""Loading matplotlib for a command, which nobody asks for the docstrings of methods.

As it is loaded, matplotlib lists the properties of every class of marks, for the
signature and the docstring of its method `set`. That takes longer than all of a short
report's tables.
"""

LISTING = "_update_set_signature_and_docstring"


def load() -> None:
    """Load matplotlib without these lists, if it still makes them so.

    Pictures are the same. No window is opened: without the name of a backend, a box
    plot would load pyplot to find one for windows.
    """
    import matplotlib
    from matplotlib import artist

    matplotlib.use("agg")
    if hasattr(artist.Artist, LISTING):
        setattr(artist.Artist, LISTING, classmethod(lambda _: None))
