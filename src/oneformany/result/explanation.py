"""Parts of an answer: explanations, and rows that none can help."""

from dataclasses import dataclass
from typing import ClassVar

from oneformany.plain import Plain, integers
from oneformany.result.labels import many
from oneformany.schema.schema import html_table


@dataclass(frozen=True, repr=False)
class Explanation(Plain):
    """One positive point for many rows.

    Attributes
    ----------
    point : tuple of int
        A full vector of levels, classified positive. Where the rows of a group share only the advice
        (``share="action"``), it is -1 in features that the advice does not mention.
    changed : tuple of int
        The features its rows may change to get there.
    members : tuple of int
        The given rows assigned to it.
    ends : tuple of tuples of int, or None
        Where each member ends, if members end at different points (``share="features"``).

    Examples
    --------
    >>> Explanation(point=(1, 0, 2), changed=(2,), members=(0, 4))
    Explanation(changes 1 feature of 2 rows)
    """

    _sparse: ClassVar[bool] = True
    point: tuple[int, ...]
    changed: tuple[int, ...]
    members: tuple[int, ...]
    ends: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        for name in ("point", "changed", "members"):
            object.__setattr__(self, name, integers(getattr(self, name)))
        if self.ends is not None:
            object.__setattr__(self, "ends", tuple(integers(end) for end in self.ends))
            if len(self.ends) != len(self.members):
                raise ValueError(f"{len(self.members)} rows end at {len(self.ends)} points")

    def __repr__(self) -> str:
        features, rows = many(len(self.changed), "feature"), many(len(self.members), "row")
        return f"Explanation(changes {features} of {rows})"

    def _repr_html_(self) -> str:
        """Tell what changes by number; a result knows the names, see its own table."""
        changes = ((f, self.point[f] if self.ends is None else "") for f in self.changed)
        rows = ", ".join(map(str, self.members[:10])) + (", ..." if len(self.members) > 10 else "")
        table = html_table(("feature", "new level"), changes)
        return f"<div><p>{many(len(self.members), 'row')}: {rows}</p>{table}</div>"


@dataclass(frozen=True)
class Unreachable(Plain):
    """A row that is proved to be beyond the help of every explanation, and why.

    Attributes
    ----------
    row : int
        The given row.
    reason : str
        What the proof says.
    needed_changes : int or None
        The smallest ``max_changes`` that would help it; ``None``: none would, or it is not known.
    blocked_by : tuple of str
        What stands in the way, each by itself: "max_changes", a rule in words, or "the model"; nothing where
        that is not known.

    Examples
    --------
    >>> Unreachable(3, "no positive point within 2 changes").row
    3
    """

    _sparse: ClassVar[bool] = True
    row: int
    reason: str
    needed_changes: int | None = None
    blocked_by: tuple[str, ...] = ()
