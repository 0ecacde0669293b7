"""Traffic tools, one per file.

A file has a function `processes`, see `mpbench.workloads.processes.Workload`.
"""
