"""Which few numbers stand for all numbers between two, as far as that can be known of a model."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from oneformany.anything import AnyModel
from oneformany.arrays import FloatArray
from oneformany.explainer.posing import Posed
from oneformany.readers.columns import fitted_names, parts_of
from oneformany.readers.inputs import SELECTORS, CategoryCodes, Transform
from oneformany.readers.registry import first_step, reader_for
from oneformany.readers.wrappers import named, unwrapped
from oneformany.schema.feature import is_missing

# Classifiers of two classes that accept one side of a plane: whom it accepts at both ends, it accepts between
STRAIGHT = frozenset(
    {
        *("LinearDiscriminantAnalysis", "LinearSVC", "LogisticRegression", "NuSVC", "Perceptron"),
        *("RidgeClassifier", "RidgeClassifierCV", "SGDClassifier", "SVC"),
    }
)
SCALERS = frozenset({"MaxAbsScaler", "MinMaxScaler", "RobustScaler", "StandardScaler"})
# The largest number that every library reads, as some compute in single precision
LARGEST = float(np.finfo(np.float32).max)
EXACT = 2**53  # up to here floating-point numbers tell all integers apart
Tell = Callable[[FloatArray], FloatArray]
"""Of numbers: a row for each, equal where the model surely cannot tell two of them apart."""


class Between:
    """Which numbers stand for a range: if the model accepts a row with each of them, then with all of it.

    - A classifier that is straight in a column accepts between two numbers what it accepts at both.
    - Trees and explainable boosting machines compare a column with finitely many numbers. One number from
      each of the pieces in between stands for the piece.
    - Of a column that holds integers only, all integers can be asked about one by one, whatever the model.

    Otherwise nobody knows: numbers that were tried say nothing about those in between.
    """

    def __init__(self, posed: Posed) -> None:
        self._posed = posed

    def integers(self, feature: int) -> bool:
        """Whether the rows and the reference data have integers only in a column of numbers."""
        assert self._posed.cells is not None  # noqa: S101 (only asked of frames)
        column, cell_of = self._posed.cells.columns[feature]
        regular = (cell_of < self._posed.schema.features[feature].n_regular) & ~column.gaps
        numbers = column.numbers[regular]
        return bool((numbers == np.floor(numbers)).all())

    def numbers(self, feature: int, low: float, high: float, most: int) -> Sequence[int | float] | None:
        """Numbers that stand for all from ``low`` to ``high``; ``None``: more than ``most``, or unknown."""
        integers = self.integers(feature)
        kind = int if integers else float
        if any(math.isfinite(end) and abs(end) > (EXACT if integers else LARGEST) for end in (low, high)):
            return None
        ends = max(float(low), -LARGEST), min(float(high), LARGEST)
        if self._straight(feature):
            return [*dict.fromkeys(map(kind, ends))]
        if (pieces := self._pieces(feature)) is not None:
            cuts, tell = pieces
            found = _one_each(cuts, tell, ends, integers=integers)
            return [kind(number) for number in found] if len(found) <= most else None
        if integers and math.isfinite(low) and math.isfinite(high) and high - low < most:
            return range(int(low), int(high) + 1)
        return None

    def _straight(self, feature: int) -> bool:
        """Whether a feature reaches a straight classifier of two classes through scalers at most."""
        inputs = self._posed.inputs
        model = None if inputs is None or inputs.oracle is None else inputs.oracle.classifier
        if model is None or type(model).__name__ not in STRAIGHT or len(model.classes_) != 2:
            return False
        if reader_for(model).read != ".linear:read_linear":
            return False
        return all(_keeps(step) or _scales(step) for step in self._steps(feature))

    def _pieces(self, feature: int) -> tuple[FloatArray, Tell] | None:
        """The numbers that a feature is compared with, and what tells the pieces between them apart."""
        inputs, cells = self._posed.inputs, self._posed.cells
        if inputs is None or cells is None:
            return None
        if named("interpret", "ExplainableBoostingClassifier")(type(machine := unwrapped(inputs.model))):
            return _pieces_of_terms(machine.bins_[feature])
        if cells.forest is None or cells.encoding is None or not all(map(_keeps, self._steps(feature))):
            return None
        forest = cells.forest
        compared = [forest.cuts(column) for column in cells.encoding.columns[feature].tolist()]
        lists = [cuts[0] for cuts in compared if cuts is not None]
        if not lists or len(lists) < len(compared):  # some are compared with sets of categories
            return None
        return np.concatenate(lists), lambda x: np.column_stack([forest.intervals(own, x) for own in lists])

    def _steps(self, feature: int) -> Iterator[AnyModel]:
        """The fitted steps before the classifier that a feature may go through."""
        inputs = self._posed.inputs
        if inputs is None or isinstance(inputs.transform, CategoryCodes):
            return
        name, first = inputs.names[feature], first_step(inputs.model)
        columns: list[str] | None = [*map(str, fitted_names(first, inputs.names) or inputs.names)]
        if not isinstance(inputs.transform, Transform):
            yield inputs.transform
            return
        for step in inputs.transform.steps:
            yield from _inner(step, columns, name)
            columns = None  # steps may put columns in another order


def _inner(step: AnyModel, columns: list[str] | None, name: str) -> Iterator[AnyModel]:
    """The steps inside a step that a column may go through: all where columns have lost their names."""
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            yield from _inner(inner, columns, name)
            columns = None
    elif isinstance(step, (ColumnTransformer, FeatureUnion)):
        for inner, chosen in _side_by_side(step, columns):
            if chosen is None or name in chosen:
                yield from _inner(inner, chosen, name)
    elif step is not None and not isinstance(step, str):
        yield step


def _side_by_side(
    step: ColumnTransformer | FeatureUnion, columns: list[str] | None
) -> Iterator[tuple[AnyModel, list[str] | None]]:
    """Steps that read the same data, and which columns each of them reads, as far as that is known."""
    if isinstance(step, FeatureUnion):
        yield from ((inner, columns) for _, inner in step.transformer_list)
    elif columns is None:
        yield from ((inner, None) for _, inner, _ in step.transformers_)
    else:
        yield from parts_of(step, columns)


def _keeps(step: AnyModel) -> bool:
    """Whether a step leaves numbers what they are."""
    kind = type(step).__name__
    if kind == "SimpleImputer":
        return is_missing(step.missing_values)  # else one of the numbers is taken for missing
    return kind in SELECTORS or (kind == "FunctionTransformer" and step.func is None)


def _scales(step: AnyModel) -> bool:
    """Whether a step adds a number to each number and multiplies it by another one, and nothing else."""
    return type(step).__name__ in SCALERS and not getattr(step, "clip", False)


def _pieces_of_terms(cuts: Sequence[Any]) -> tuple[FloatArray, Tell] | None:
    """Pieces of a column of an explainable boosting machine, with one list of cuts per order of its terms."""
    if not cuts or any(isinstance(cut, dict) for cut in cuts):
        return None
    lists = [np.asarray(cut, dtype=np.float64) for cut in cuts]
    return np.concatenate(lists), lambda x: np.column_stack(
        [np.searchsorted(own, x, side="right").astype(np.float64) for own in lists]
    )


def _one_each(cuts: FloatArray, tell: Tell, ends: tuple[float, float], *, integers: bool) -> list[float]:
    """One number from each piece of a range; of integers where only these count.

    A piece that holds neither end lies inside the range as a whole. Its least number is a cut or the number
    next to it, in double or in single precision, or the next integer.
    """
    with np.errstate(over="ignore"):  # beyond single precision there is infinity
        single = cuts.astype(np.float32)
        following = np.nextafter(single, np.float32(np.inf)).astype(np.float64)
    near = [cuts, np.nextafter(cuts, np.inf), single.astype(np.float64), following]
    if integers:
        near = [np.ceil(cuts), np.floor(cuts) + 1, np.ceil(single.astype(np.float64)), np.ceil(following)]
    low, high = ends
    tried = np.unique(np.concatenate([np.array(ends), *near]))
    tried = tried[(low <= tried) & (tried <= high)]
    _, first = np.unique(tell(tried), axis=0, return_index=True)
    return [float(number) for number in tried[np.sort(first)]]
