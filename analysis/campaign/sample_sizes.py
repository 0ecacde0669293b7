"""The number of values that an interval needs."""

import math


def least_values(confidence: float) -> int:
    """The number of values that a median's interval needs: six at 95 %.

    The widest interval that n values give reaches from the least to the largest. It
    misses the median with the probability 2^(1-n).
    """
    return math.ceil(1 - math.log2(1 - confidence) - 1e-9)
