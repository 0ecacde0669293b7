"""A metric against another one, with one mark per network and an ellipse per case."""
