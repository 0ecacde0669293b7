"""The figure that an experiment asks for: the one type of a figure request."""

from pydantic import BaseModel, ConfigDict, Field

MODELS = {
    "max_min": "max-min fair",
    "probing": "optimum with probing cost",
    "fluid": "equilibrium",
}
"""The models of networks that a figure can show, in words."""
FLUID_CONTROLLERS = (
    "tcp",
    "ewtcp",
    "ewtcp_fair",
    "coupled",
    "coupled_balia",
    "semicoupled",
    "semicoupled_balia",
    "max",
    "lia",
    "olia",
    "balia",
)
"""The names of analysis.models.controllers.CONTROLLERS, known without numpy."""
THEORY_METRICS = ("goodput", "jain", "max_min_distance", "traffic_split")
"""The metrics that they give."""
THEORY_QUANTITIES = {
    "goodput": tuple(MODELS),
    "throughput": ("fluid",),
    "cwnd": ("fluid",),
}
"""The quantities over time that they give, each with the models that give it."""


RANKED = ("flow_goodput", "loss_probability")
"""The metrics whose single values a figure of kind `ranks` can show."""


class Criterion(BaseModel):
    """The criterion that sorts runs into batches (thesis, sec. 3.2).

    With a difference, `factor` is a parameter's name without its path: `capacity`
    stands for path1.capacity less path2.capacity. With the difference `none` it is a
    whole parameter's name, or a measured criterion.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    factor: str
    difference: str = "absolute"


class Span(BaseModel):
    """A stretch of time, in seconds after the beginning of the traffic."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: float
    end: float


class Labels(BaseModel):
    """Labels of the axes in place of the usual words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    x: str | None = None
    y: str | None = None


class Theory(BaseModel):
    """A model that a figure shows beside measurement.

    model : a name of MODELS
    controller : of users with several paths, in place of their own; one of
        FLUID_CONTROLLERS
    rtt : round-trip time of all paths, in seconds; None for the delays of each path
    queueing : what queues add to every round-trip time, in seconds
    label : in place of the model's usual name
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    controller: str | None = None
    rtt: float | None = None
    queueing: float = 0.0
    label: str | None = None

    @property
    def words(self) -> str:
        """The model's name in the legend."""
        controller = f" of {self.controller}" if self.controller else ""
        return f"{self.label or MODELS[self.model] + controller} (theory)"


class FigureRequest(BaseModel):
    """One figure, or one table, as an experiment file asks for it.

    kind : a name of analysis.figures.registry.KINDS
    factors : factors of the histograms; None for all
    metric : the metric of the boxes, curves or cells
    part : the part of a run whose metric is shown, `steady.single2`; None for the whole
    parts : several such parts, side by side
    theory : models that are shown beside the metric
    over : the case whose values the others are divided by
    criterion : what sorts the runs into batches, or whose sign splits a CDF
    batches : number of batches, or of bars, 1 to 1000
    by : the factor whose values are groups, columns or panels
    panels : the factor whose values have a panel each, where `by` is the axis
    case : the one case that is shown; None for all
    quantities : names of analysis.run.quantities.QUANTITIES, drawn over time
    users : hosts whose data are shown; None for all
    span : the time that is shown; None for all of it
    average : length in s of the stretches whose means are shown; None for no mean
    point, repetition : numbers of the run that is shown over time, from 0

    log : the axes with a logarithmic scale, "x", "y" or "both"
    labels : what stands at the axes in place of the usual words
    title : in place of the usual title

    docs/keys.md describes the keys for users. `mpbench.spec.figures` reads
    them from a file and checks them against the experiment.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    factors: tuple[str, ...] | None = None
    metric: str | None = None
    part: str | None = None
    parts: tuple[str, ...] | None = None
    theory: tuple[Theory, ...] | None = None
    over: str | None = None
    criterion: Criterion | None = None
    batches: int = 5
    by: str | None = None
    panels: str | None = None
    case: str | None = None
    quantities: tuple[str, ...] | None = None
    users: tuple[str, ...] | None = None
    span: Span | None = None
    average: float | None = None
    point: int = 0
    repetition: int = 0
    log: str | None = None
    labels: Labels | None = None
    title: str | None = None
    after: str | None = Field(
        default=None, description="The published figure that it follows."
    )

    @property
    def signed(self) -> bool:
        """Whether the criterion is a difference with its sign."""
        return self.criterion is not None and self.criterion.difference == "signed"
