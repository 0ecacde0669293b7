"""The kinds of figures. A new kind is a line here and a folder in `kinds/`.

The folder `kinds/NAME/` has three files:

request.py  the record of a request, with the keys of this kind alone
data.py     data(request, campaign): the values of the figure, and the text beside it
drawing.py  draw(data, look): the picture of these values; a table of text has none

`data` and `draw` raise UndrawableError, in words for the page, if the campaign lacks
what the figure needs. The records alone check experiment files, so a record loads
neither a table nor a drawing library.
"""

from collections.abc import Mapping

from analysis.campaign.figure_request import FigureRequest
from analysis.figures.kinds.box.request import Box
from analysis.figures.kinds.cases.request import Cases
from analysis.figures.kinds.cdf.request import Cdf
from analysis.figures.kinds.completion_times.request import CompletionTimes
from analysis.figures.kinds.goodput.request import Goodput
from analysis.figures.kinds.groups.request import Groups
from analysis.figures.kinds.heat_map.request import HeatMap
from analysis.figures.kinds.histogram.request import Histogram
from analysis.figures.kinds.line.request import Line
from analysis.figures.kinds.model.request import Model
from analysis.figures.kinds.over_time.request import OverTime
from analysis.figures.kinds.ranks.request import Ranks
from analysis.figures.kinds.ratios.request import Ratios
from analysis.figures.kinds.scatter.request import Scatter
from analysis.figures.kinds.table.request import Table
from analysis.figures.kinds.trade_off.request import TradeOff
from analysis.figures.kinds.waterfall.request import Waterfall

KINDS: Mapping[str, type[FigureRequest]] = {
    record.kind: record
    for record in (
        Goodput,
        Histogram,
        Box,
        Cdf,
        CompletionTimes,
        Ranks,
        Groups,
        Line,
        Scatter,
        TradeOff,
        HeatMap,
        Cases,
        Table,
        Ratios,
        Model,
        OverTime,
        Waterfall,
    )
}
"""The record of each kind by the kind's name, in the order of the documentation."""
