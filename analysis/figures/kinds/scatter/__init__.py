"""A metric against a criterion or a factor, one mark per network."""
