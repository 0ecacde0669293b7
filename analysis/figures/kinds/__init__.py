"""One folder per kind of figure: its request, its values, and its picture."""
