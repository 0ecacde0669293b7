"""One file per kind of figure: the step from the table to values, and the plot."""
