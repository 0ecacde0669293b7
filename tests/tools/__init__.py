"""Traffic tools: the registry, and what stands outside of their folders."""
