"""Boxes of a metric side by side, in groups by a factor or a criterion."""
