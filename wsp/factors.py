"""Factors: the ranges that a design is spread over, continuous or stepped."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Factor:
    """One axis of a design.

    name : str, not empty
    minimum, maximum : float, finite, minimum <= maximum, in the factor's own unit
    step : float > 0 or None; if given, only minimum + k * step are used, for
        k = 0, 1, ... as far as maximum
    integer : bool; whole numbers only (as step 1 from the first whole number at
        or above minimum; a step must then be whole)

    Raises ValueError if any of this does not hold, or if no level is in range.
    """

    name: str
    minimum: float
    maximum: float
    step: float | None = None
    integer: bool = False

    def __post_init__(self) -> None:
        low, high, step = self.minimum, self.maximum, self.step
        if not self.name:
            raise ValueError("factor: empty name; give it one")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"{self.name}: range {low} to {high}; give finite ends")
        if low > high:
            raise ValueError(
                f"{self.name}: minimum {low} is above maximum {high}; exchange them"
            )
        if step is not None and not (math.isfinite(step) and step > 0):
            raise ValueError(f"{self.name}: step {step}; give one above 0")
        if self.integer and step is not None and step != int(step):
            raise ValueError(
                f"{self.name}: step {step} of an integer factor; give a whole one"
            )
        if self.integer and math.ceil(low) > math.floor(high):
            raise ValueError(
                f"{self.name}: no whole number from {low} to {high}; widen the range"
            )

    @property
    def stepped(self) -> bool:
        """Whether the factor takes a finite number of values."""
        return self.integer or self.step is not None or self.minimum == self.maximum

    @property
    def levels(self) -> int | None:
        """Number of values that the factor takes; None if it is continuous."""
        if not self.stepped:
            return None
        if self.minimum == self.maximum:
            return 1
        first, step = self._grid()
        # In decimal, so that 0 to 0.3 by 0.1 has four levels and not three.
        return int((Decimal(repr(float(self.maximum))) - first) / step) + 1

    def _grid(self) -> tuple[Decimal, Decimal]:
        first = math.ceil(self.minimum) if self.integer else float(self.minimum)
        step = float(self.step) if self.step is not None else 1.0
        return Decimal(repr(first)), Decimal(repr(step))

    def scale(self, unit: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Values for coordinates in [0, 1], any shape.

        A continuous factor is stretched linearly. A stepped one cuts [0, 1] into
        as many equal parts as it has levels, so that each is equally likely.
        """
        import numpy as np

        levels = self.levels
        if levels is None:
            values = self.minimum + unit * (self.maximum - self.minimum)
            return np.minimum(values, self.maximum)
        first, step = self._grid()
        level = np.minimum((unit * levels).astype(np.int64), levels - 1)
        decimals = max(0, *(-int(x.as_tuple().exponent) for x in (first, step)))
        return np.round(float(first) + level * float(step), min(decimals, 15))

    def unscale(self, values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Coordinates in [0, 1] of values in range: the inverse, linear for all.

        The one value of a constant factor lies at 0.5.
        """
        if self.minimum == self.maximum:
            import numpy as np

            return np.full_like(values, 0.5)
        return (values - self.minimum) / (self.maximum - self.minimum)

    def centres(self, values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Coordinates in [0, 1] of values in range, each level at its part's middle.

        Of a continuous factor these are `unscale`'s. Level k of n levels lies at
        (k + 0.5) / n, so that on a torus, where 0 and 1 are one place, the first and
        the last level stay apart: they are neighbours, as are any other two.
        """
        levels = self.levels
        if levels is None:
            return self.unscale(values)
        import numpy as np

        first, step = self._grid()
        level = np.round((values - float(first)) / float(step))
        return np.asarray((level + 0.5) / levels)


def scale(
    factors: Sequence[Factor], unit: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """Values of `unit`, shape (n, d) in [0, 1], column j by factor j."""
    import numpy as np

    columns = [f.scale(unit[:, j]) for j, f in enumerate(factors)]
    return np.column_stack(columns)


def unscale(
    factors: Sequence[Factor], values: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """Coordinates in [0, 1] of `values`, shape (n, d), column j by factor j."""
    import numpy as np

    columns = [f.unscale(values[:, j]) for j, f in enumerate(factors)]
    return np.column_stack(columns)


def centres(
    factors: Sequence[Factor], values: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """As `unscale`, but each level at the middle of its part: see `Factor.centres`."""
    import numpy as np

    columns = [f.centres(values[:, j]) for j, f in enumerate(factors)]
    return np.column_stack(columns)
