"""Traffic tools: the registry, and a folder of tests per tool."""
