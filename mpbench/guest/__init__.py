"""Code that runs beside Mininet: standard library and Mininet only."""
