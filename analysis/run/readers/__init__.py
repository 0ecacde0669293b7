"""Readers of the files that tools and kernels write. There is one module per format.

Every reader returns plain values. If it cannot read a file, it raises ValueError with
one line that names the file and says what is wrong. No reader guesses.
"""
