"""Axes to draw on: the given ones, or new ones of a size at which labels stay readable in print."""

from collections.abc import Iterable, Sequence

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import MaxNLocator

from oneformany.exceptions import InputError
from oneformany.result.explanation import Explanation
from oneformany.result.labels import END, ISOLATE, many, shown
from oneformany.result.result import Result
from oneformany.schema.schema import Schema

PAPER_WIDTH = 6.3  # inches between the margins of an A4 page
GREEN, PALE, BLUE, INK, GREY, RED = "#3a9d4f", "#cfe8d6", "#2457a6", "#202020", "#7a828a", "#9b2335"
RESULT = "a Result, such as OneForMany(...).explain(frame)"


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Take the given axes, or make a figure of so many inches."""
    return plt.subplots(figsize=(width, height), layout="constrained")[1] if ax is None else ax


def taken(given: object, *kinds: type, words: str = RESULT) -> None:
    """Refuse what a plot does not take: by default anything but a result."""
    if not isinstance(given, kinds or Result):
        raise InputError(f"this plot takes {words}, not {type(given).__name__}")


def checked(result: Result) -> Result:
    """Take a result that has an explanation to draw."""
    taken(result)
    if not result.explanations:
        raise InputError("there is no explanation to draw")
    return result


def named(
    given: Result | Iterable[Explanation], schema: Schema | None
) -> tuple[Sequence[Explanation], Schema, list[str]]:
    """Take explanations with the names of their features, and whom they cover; a result has all of it."""
    if isinstance(given, Result):
        return given.explanations, given.labels.schema, [*map(given.labels.counted, given.labels.sizes)]
    if not isinstance(given, Iterable) or schema is None:
        raise InputError(f"this plot takes {RESULT}, or explanations and their schema")
    explanations = list(given)
    return explanations, schema, [many(len(one.members), "row") for one in explanations]


def plain(text: object, most: int = 24) -> str:
    """Make a name fit to be drawn: short, without control characters, dollar signs not read as formulas."""
    words = shown(str(text).strip(ISOLATE + END))
    return (words if len(words) <= most else words[: most - 1] + "…").replace("$", r"\$")


def tick_integers(*directions: Axis) -> None:
    """Let what is counted have no ticks between integers."""
    for axis in directions:
        axis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def tidy(ax: Axes, x_label: str, y_label: str = "", *, legend: bool = False) -> Axes:
    """Name the axes; small ticks, no frame on top and at the right, a legend above what fills the axes."""
    ax.set_xlabel(x_label, fontsize=9)
    if y_label:
        ax.set_ylabel(y_label, fontsize=9)
    if legend:
        ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
