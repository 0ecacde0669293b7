"""The median of a metric over two factors, one map per case."""
