"""The front door: a fitted classifier and a data frame in, explanations with proof out."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import KW_ONLY, dataclass, replace
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator

from oneformany.anything import AnyFrame, AnyModel, AnyValue
from oneformany.arrays import IntArray, usual_arithmetic
from oneformany.exceptions import Argument, InputError
from oneformany.explainer.asking import Asking, first_answer
from oneformany.explainer.in_parts import explained_in_parts, read_source
from oneformany.explainer.posing import check_refused, pose
from oneformany.explainer.settings import Cells, settled
from oneformany.explainer.streams import (
    MOST_KEPT,
    TooManyRowsError,
    can_be_read_again,
    distinct_refused,
    first_batch,
    is_stream,
)
from oneformany.explainer.wanted import ask_about_wanted
from oneformany.problem import Problem, Share
from oneformany.problem.goal import Goal
from oneformany.problem.problem import checked_people
from oneformany.problem.slack import Slack
from oneformany.progress import Progress
from oneformany.result.result import Result
from oneformany.schedule import SCHEDULE
from oneformany.schema.frames import Table
from oneformany.schema.naming import Labelled
from oneformany.schema.rules.combine import RowRule, Rule
from oneformany.schema.schema import Schema
from oneformany.statistics import Round
from oneformany.stop import Stop

if TYPE_CHECKING:
    Curve = Any


@dataclass(eq=False, repr=False)
class OneForMany(BaseEstimator):  # type: ignore[misc]  # untyped
    """Explain the rows that a classifier turned down with the fewest explanations, each good for many rows.

    Parameters
    ----------
    model : object
        A fitted classifier of scikit-learn (also a pipeline on the frame's original columns), XGBoost,
        LightGBM, PyTorch, ONNX or interpret, a scorecard, or a function from frames to probabilities. Any
        other classifier whose ``predict`` accepts the rows is asked as a black box. A list of them makes the
        decision together: a row is turned down when one of them does so.
    reference : frame, optional
        Data, such as those the model was fitted on, that cells and targets are taken from; by default the
        rows that are explained. :meth:`fit` takes them, too.
    max_changes : int
        How many features one explanation may change; more than there are means all of them.
    share : {"action", "point", "features"}
        What the rows of one explanation have in common: the changed features and their new values; these
        and the cells of all other features; or only which features change.
    immutable : list of columns
        Features that cannot change.
    vary : list of columns, optional
        The only features that can change; by default all.
    rules : sequence of rules
        What may not change, or only in one direction, or only together.
    positive : object, optional
        Label of the positive class; by default 1. A model of more than two classes needs it.
    threshold : float or None
        Least probability of a positive row (least decision value for models without probabilities);
        ``None``: as the model's ``predict`` decides.
    cells : Cells or Schema, optional
        What is known about the cells of columns: a schema, edges, numbers of bins, special codes, targets;
        see :class:`Cells`. By default cells are chosen.
    costs : str, Distance, or dict of column to number, table or str, optional
        What a change of the feature costs, with at most four digits after the point; 1 for features that
        are not named. "percentile", "log-percentile", "steps" or "range": how far it goes; see
        :class:`Distance`, which also weighs columns.
    slack : float, str or Slack, optional
        A row follows an explanation only if that costs it so much more at most than the cheapest change that
        helps it alone, which is proved first: ``slack=1``, or ``"1.5 times"``. A row of which that stays
        open is undecided.
    labels : dict of column to label, optional
        What people call columns and their values in sentences, pictures and letters: a title, a pair of title
        and unit, such as ``{"amount": ("loan amount", "DM")}``, a dict of value to text, or a :class:`Label`.
    target : str, optional
        What the model tells, such as ``"deny"``, for sentences; usually the column that it was fitted to.
    also : list of classifiers
        Others that have to accept a row as it is afterwards, beside the model: refits of it
        (:func:`oneformany.robust.refits`), a detector of outliers whose ``predict`` gives 1 for what is
        usual, a policy. The rows that are explained are those that the model turns down.
    at_least : float or None
        So large a share of those in ``also`` is enough; ``None``: all of them.
    schema, edges, bins, special, targets : optional
        Older names of the parts of ``cells``, for one release.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> frame = pd.DataFrame({"job": [0, 0, 1, 1], "rooms": [1, 2, 1, 2]})
    >>> model = LogisticRegression(C=100).fit(frame, [0, 0, 0, 1])
    >>> OneForMany(model, max_changes=2).explain(frame).count
    1
    """

    model: AnyModel = None
    reference: AnyFrame = None
    _: KW_ONLY
    max_changes: int = 3
    share: Share = "action"
    immutable: Collection[Any] = ()
    vary: Collection[Any] | None = None
    rules: Sequence[Rule | RowRule] = ()
    positive: object = None
    threshold: float | None = None
    cells: Cells | Schema | None = None
    costs: AnyValue = None
    slack: Slack | float | str | None = None
    labels: Mapping[Any, Labelled] | None = None
    target: str | None = None
    also: Sequence[AnyModel] = ()
    at_least: float | None = None
    schema: Schema | None = None
    edges: Mapping[Any, Sequence[float]] | None = None
    bins: Mapping[Any, int] | int | None = None
    special: Mapping[Any, Any] | None = None
    targets: Mapping[Any, Any] | str | None = None

    def __repr__(self) -> str:
        """Name the model and the parameters that are not as usual, in one line."""
        usual = type(self)()
        parts = [type(self.model).__name__]
        for name, value in self.get_params(deep=False).items():
            if name != "model" and (text := repr(value)) != repr(getattr(usual, name)):
                parts.append(f"{name}={text if len(text) <= 40 else f'<{type(value).__name__}>'}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def __sklearn_clone__(self) -> Self:
        """Copy the parameters and keep the model as it is: there is nothing here to fit again."""
        return replace(self)

    def fit(self, X: AnyFrame, y: object = None) -> Self:  # noqa: ARG002, N803 (as scikit-learn calls them)
        """Keep reference data: cells, and the values that rows are sent to, are taken from them.

        The model is fitted already and stays as it is. What is kept here comes before ``reference=``.

        Parameters
        ----------
        X : frame
            Such as the data that the model was fitted on.
        y : object
            Not looked at; for those who call ``fit(X, y)``.
        """
        names = Table.of(X, "the reference data").frame.columns
        self.feature_names_in_, self.n_features_in_ = names.to_numpy(dtype=object), len(names)
        self.reference_ = X
        return self

    @property
    def given_schema(self) -> Schema | None:
        """The schema that was given, if one was: in ``cells``, or by its older name."""
        given = self.cells.schema if isinstance(self.cells, Cells) else self.cells
        return self.schema if given is None else given

    def explain(
        self,
        frame: AnyFrame,
        explanations: int | None = None,
        coverage: float | None = None,
        time_limit: float | None = None,
        progress: Callable[[Round], None] | bool | None = None,
        people: AnyValue = None,
        between: AnyValue = None,
        within: float = 0.05,
        record: Mapping[str, Any] | None = None,
    ) -> Result:
        """Find the fewest explanations for the rows that the model turns down.

        Before it returns, it asks the model about every covered row, as the row is after following its
        explanation.

        Parameters
        ----------
        frame : frame
            The rows, in a frame of pandas, polars or pyarrow; those that are positive already are set
            aside. Also the path of a Parquet or CSV file, an iterator of frames, or a Dask data frame: these
            are read in batches, and only the distinct refused rows are kept, with their number; the first
            batch is the reference data unless there are others. Where there are too many of these, rows that
            share more than a point stay where they are, and a few of them decide the answer for all.
        explanations : int, optional
            Instead of all rows, cover as many as possible with this many explanations.
        coverage : float, optional
            Cover at least this share of the rows. Further rows whose change would cost something are left
            out; rows that are the same to the model are covered or left out together. If ``explanations``
            is given too, it comes first: that many cover as many rows as possible, whether or not these
            make up the share.
        time_limit : float, optional
            Seconds, reading the model included, after which the best answer so far is returned, with
            its proved bound.
        progress : callable or bool, optional
            Called with the state after every step; ``True`` draws a line, as ``Progress`` does.
        people : sequence of int, optional
            How many people each row of a frame stands for; by default one.
        between : column, or sequence, optional
            Help groups alike: a column of the frame, whether or not the model reads it, or the group of each
            row. Together with ``explanations`` or ``coverage``. Whoever is left out for it is told so.
        within : float
            By how much the shares of the refused people of each group who are helped may differ.
        record : dict, optional
            What else an auditor wants to know about the model, such as the name of its file; kept with the
            result, in ``result.problem["model"]``.

        Raises
        ------
        InputError
            Frame, schema, rules or parameters cannot be used, or there is nothing to explain.
        UnsupportedModelError
            The model cannot be read.
        PredictionMismatchError
            The model disagrees with its own reading.
        """
        if between is not None:
            if is_stream(frame):
                raise InputError("between= needs all rows at once; give a frame")
            limits = {"explanations": explanations, "coverage": coverage, "time_limit": time_limit}
            fair = import_module("oneformany.explainer.alike").explain_alike
            alike: Result = fair(self, frame, between, within, people=people, **limits)
            return alike
        from oneformany.methods import solve_for  # compiled parts are loaded when they are needed

        stop = Stop(time_limit)
        with (
            stop.on_interrupt(),
            usual_arithmetic(),
            Progress() if progress is True else nullcontext(progress or None) as told,
        ):
            asked, noted = settled(self), dict[str, Any]()
            if is_stream(frame):
                if people is not None:
                    raise InputError(
                        "rows that are read in batches are counted there; leave out ", Argument("people")
                    )
                with stop.nothing_yet():
                    first, source = first_batch(frame)
                found, goal = None, Goal(explanations, coverage)
                with suppress(TooManyRowsError):
                    found = _read(asked, Table.of(first), source, stop)
                if found is None:  # by now nobody holds what was read
                    return explained_in_parts(asked, Table.of(first), frame, goal, stop, told)
                asked, table, people, noted = found
            else:
                table = Table.of(frame)
            posed = pose(asked, table, stop)
            ask_about_wanted(asked, posed)
            problem = posed.problem(self.max_changes, self.share, checked_people(people, len(posed.positive)))
            question = Asking(self, problem, posed, table, stop, noted, record or {})
            result = solve_for(
                question,
                problem,
                time_limit=question.time_left(),
                progress=told,
                explanations=explanations,
                coverage=coverage,
            )
            if not result.covered and result.undecided and result.ended == "time limit":
                return first_answer(question, explanations, coverage, told)
            return result

    def curve(
        self,
        frame: AnyFrame,
        most: int = 20,
        *,
        time_limit: float | None = None,
        progress: Callable[[Round], None] | None = None,
        people: AnyValue = None,
        record: Mapping[str, Any] | None = None,
    ) -> "Curve":
        """Answer for 1, 2, 3, ... explanations at once: the most people that so many help, at the least cost.

        Parameters
        ----------
        frame, time_limit, progress, people, record
            As in :meth:`explain`; the time is that of all answers together.
        most : int
            The largest number of explanations to ask about.

        Returns
        -------
        Curve
            A table, a plot, a sentence on where it bends, and ``result(4)``, each with its bounds.
        """
        drawn: Curve = import_module("oneformany.studies.how_many").curve_of_frame(
            self, frame, most, time_limit=time_limit, progress=progress, people=people, record=record
        )
        return drawn

    @usual_arithmetic()
    def problem(self, frame: AnyFrame) -> Problem:
        """Pose the question about the rows that the model turns down, as functions on one row take it.

        Parameters
        ----------
        frame : frame
            The rows; row 0 of the problem is the first one that is refused.

        Examples
        --------
        >>> import pandas as pd
        >>> from oneformany import nearest_change
        >>> from sklearn.linear_model import LogisticRegression
        >>> frame = pd.DataFrame({"job": [0, 0, 1, 1], "rooms": [1, 2, 1, 2]})
        >>> model = LogisticRegression(C=100).fit(frame, [0, 0, 0, 1])
        >>> nearest_change(OneForMany(model, frame, max_changes=2).problem(frame), row=1).changed
        (0,)
        """
        return pose(self, Table.of(frame)).problem(self.max_changes, self.share)


def _read(
    asked: OneForMany, first: Table, source: AnyFrame, stop: Stop
) -> tuple[OneForMany, Table, IntArray, dict[str, Any]]:
    """Keep the distinct refused rows of a stream; the reference data or the first rows choose cells.

    Returns whom to ask about these rows, the rows, how many people each stands for, and what to note of it.
    """
    reader, posed, table = read_source(asked, first, stop)
    accepts, limit = posed.accepts, SCHEDULE.reading.of(stop)
    # Of rows that share a point, and of what is cheapest for each, nobody knows without all rows
    again = asked.share != "point" and asked.slack is None and can_be_read_again(source)
    rows, people, read, complete = distinct_refused(
        source,
        lambda rows: ~accepts(rows),
        reader.columns,
        limit,
        reader.read,
        MOST_KEPT if again else inf,
    )
    check_refused(len(rows), read)
    noted = {"rows_read": read, "read_to_the_end": complete}
    return reader.asked, Table.of(table.named(rows)), people, noted
