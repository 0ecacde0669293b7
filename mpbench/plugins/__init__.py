"""Code of users beside their experiment files: plug-ins.

A plug-in is a file: a topology, a tool or a metric in Python, or a controller in C. The
files are read and examined here, and never imported. Python of plug-ins runs in guests,
and on this machine only with the user's consent (`--trust-plugins`).

A job holds the text of each tool, metric and controller that its run uses, and the
network that a topology described. So a run's id changes with the code that it uses and
with no other, and whoever reads results needs no plug-in's file.
"""
