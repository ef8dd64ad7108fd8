"""Switches of the exact engine."""

from dataclasses import dataclass, field
from numbers import Real
from typing import Literal

from oneformany.engine.pricing.pricer import PricerFactory, SearchPricer
from oneformany.engine.table.options import TableOptions
from oneformany.exceptions import InputError
from oneformany.memory import GIGABYTE


@dataclass(frozen=True)
class Options:
    """Switches of the exact engine; none of them changes the optimum.

    Attributes
    ----------
    pricer : callable
        Makes the :class:`~oneformany.engine.pricing.pricer.Pricer` of a branching node.
    local_search : bool
        Improve covers by many small moves among columns of small reduced cost.
    enumeration : bool
        Close the gap by listing all columns that a better solution could use.
    cuts : bool
        Tighten the set cover by cuts on three items.
    max_columns : int
        Columns that enumeration may list before branching takes over.
    max_nodes : int
        Nodes that one set cover may take before branching takes over.
    max_rounds : int
        Rounds of column generation per branching node.
    branching : bool
        Branch on pairs of rows when nothing else closes the gap.
    way : {"auto", "listing", "search"}
        List all columns first, or search for them while they are needed; by default what is quicker.
    lazy : bool
        Where rows share a point and the classifier has to be asked about it: ask only about groups that a
        cover would use, instead of listing all.
    few_rows : bool
        Where rows share an action, or features, and listing everything is too much: let a few rows carry
        the proof.
    least_cost : bool or None
        After the first objective, look for the least cost; by default where costs or a goal are given, or
        where rows need not share a point. Without a time limit it may take minutes.
    memory : int
        Bytes that all large arrays of the run may take together. A listing ends before they are used up, and
        what would not fit is done in a smaller way or left open.
    most_work : float
        Steps that a listing may take, about 10**9 a second; beyond, only a part is listed.
    table : TableOptions
        Switches of the searches over a listing.

    Examples
    --------
    >>> Options(cuts=False).cuts
    False
    """

    pricer: PricerFactory = SearchPricer
    local_search: bool = True
    enumeration: bool = True
    cuts: bool = True
    max_columns: int = 100_000
    max_nodes: int = 100_000
    max_rounds: int = 10_000
    branching: bool = True
    way: Literal["auto", "listing", "search"] = "auto"
    lazy: bool = True
    few_rows: bool = True
    least_cost: bool | None = None
    memory: int = GIGABYTE
    most_work: float = 2e10
    table: TableOptions = field(default_factory=TableOptions)

    def __post_init__(self) -> None:
        if not callable(self.pricer):
            raise InputError(f"pricer is {self.pricer!r}; it must make a Pricer of items and an oracle")
        if self.way not in {"auto", "listing", "search"}:
            raise InputError(f"way is {self.way!r}; it must be 'auto', 'listing' or 'search'")
        for name in ("max_columns", "max_nodes", "max_rounds", "memory"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}; it must be an integer of at least 1")
        if not (isinstance(self.most_work, Real) and self.most_work > 0):
            raise InputError(f"most_work is {self.most_work!r}; it must be a number above 0")
        if not isinstance(self.table, TableOptions):
            raise InputError(f"table is {self.table!r}; it must be TableOptions")
