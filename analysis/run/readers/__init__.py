"""What tools and kernels write, read into plain values: one file a format.

Every reader raises ValueError with one line (which file, what is wrong) on input
that it cannot read; none guesses.
"""
