"""Switches and reports that the searches over a table of columns share."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Self

from oneformany.exceptions import InputError
from oneformany.schedule import SCHEDULE
from oneformany.stop import Stop

PATIENCE = 30  # repairs in a row that may fail where nobody set a time limit
HASTY_ROUNDS = 8  # of a relaxation while columns may still turn out not to exist


@dataclass(frozen=True)
class TableOptions:
    """Switches of the searches over a table; none of them changes an optimum that is reached.

    Attributes
    ----------
    fixing : bool
        Leave out columns that no better solution can use.
    diving : bool
        Round the relaxation.
    local_search : bool
        Improve a cover by many small moves.
    repair : bool
        Improve small parts of a solution by exact programs, or by swaps.
    exact : bool
        Where few columns are left, search them all and prove that nothing better exists.
    max_rounds : int
        Rounds of steps towards the optimum of a relaxation.
    max_failures : int
        Repairs in a row that may fail before the search gives up.
    max_columns : int
        Columns that an exact search may take on.
    max_nodes : int
        Nodes that an exact search may take.

    Examples
    --------
    >>> TableOptions(exact=False).exact
    False
    """

    fixing: bool = True
    diving: bool = True
    local_search: bool = True
    repair: bool = True
    exact: bool = True
    max_rounds: int = 40
    max_failures: int = 200
    max_columns: int = 20_000
    max_nodes: int = 100_000

    def __post_init__(self) -> None:
        for name in ("max_rounds", "max_failures", "max_columns", "max_nodes"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InputError(f"{name} is {value!r}; it must be an integer of at least 0")

    @property
    def hasty(self) -> Self:
        """Without what takes long: as long as columns may turn out not to exist."""
        return replace(self, local_search=False, repair=False, exact=False, max_rounds=HASTY_ROUNDS)


@dataclass(eq=False)
class Search:
    """What all parts of one search share: when to end, switches, who listens, counts, and the seed.

    Who listens is told the phase, the best value so far, and what is proved about it.
    """

    stop: Stop = field(default_factory=Stop)
    options: TableOptions = field(default_factory=TableOptions)
    progress: Callable[[str, int, int], None] | None = None
    counters: Counter[str] = field(default_factory=Counter)
    seed: int = 0

    @property
    def patience(self) -> int:
        """Repairs for people in a row that may fail; fewer without a time limit, as each may take seconds."""
        most = self.options.max_failures
        return min(most, PATIENCE) if math.isinf(self.stop.remaining()) else most

    def rounds(self) -> Iterator[int]:
        """Number the rounds of a relaxation, for its portion of the time that is left."""
        part = SCHEDULE.relaxing.of(self.stop)
        for number in range(self.options.max_rounds):
            if part.expired():
                return
            self.counters["rounds"] += 1
            yield number
