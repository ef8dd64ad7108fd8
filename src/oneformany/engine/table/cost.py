"""The least total cost with so many columns that reach so many people.

Every row that a chosen column holds is served by the cheapest of them, at its cost times its people; where
fewer people are needed than the columns hold, those who pay most are left out. The bound: with a price per
person for each row, k columns that serve R people cost at least what the R cheapest people pay, less the k
greatest savings of a column against the prices. Prices are integers, so the bound is an addition that anyone
can repeat.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.duals import FirstOrder
from oneformany.engine.cover.greedy import greedy
from oneformany.engine.cover.incidence import Merged, entries_of, merged, parts_of
from oneformany.engine.cover.program import CoveringProgram
from oneformany.engine.cover.tree import Relaxed, TreeNode, TreeQuestion, UndecidedError
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.standing import TreeProof
from oneformany.engine.table.choice import TableSearch, WorthyRows
from oneformany.engine.table.cost_levels import (
    CostLevels,
    addable,
    cheapest,
    cheapest_rows,
    column_savings,
    pairs_held,
    people_at_prices,
)
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.problem.problem import LARGEST_SUM
from oneformany.stop import Stop

FIRST_NODES = 1_000  # of a first complete search: it settles easy questions before anything longer begins
COST_STEPS = 200  # between two looks at what is proved
COST_GAIN = 1e-5  # of a round, relative
IDLE_ROUNDS = 2  # without such a gain, before the relaxation counts as settled
MOST_HALVINGS = 10  # of the range in which the worth of a person is sought: a thousandth of it
PROGRAM_COLUMNS = 1_000  # beside those of the relaxation, that a program chooses from
MOST_TO_MERGE = 5_000_000  # entries, while rows that pay alike are joined: a second
COST_ENTRIES = 300_000  # of levels of cost that a complete search takes on
MERGING_BYTES = 100  # of an entry, while rows that pay alike are joined
PROGRAM_BYTES = 100  # of an entry of a program: ours, and the copies that HiGHS makes


@dataclass(frozen=True, eq=False)
class CostAnswer:
    """Columns, who is served by which, at what cost, and what it must cost at least.

    ``assignment`` holds for each row the index in ``chosen`` of the column that serves it, -1: none, or it is
    left out. Costs count each row with its people. No ``budget`` columns of this table that serve ``needed``
    people cost less than the bound: the prices per person of each row, times ``ONE_IN_COVERS``, say why, or,
    where it is higher than that, the proof.
    """

    chosen: IntArray
    assignment: IntArray
    cost: int
    bound: int
    prices: IntArray
    budget: int
    needed: int
    proof: TreeProof | None

    @property
    def proved(self) -> bool:
        """Whether no choice costs less."""
        return self.bound >= self.cost


def solve_cost(
    table: ColumnTable, people: IntArray, k: int, needed: int, start: IntArray, search: Search | None = None
) -> CostAnswer:
    """Choose at most ``k`` columns that serve so many people, as those at the start do, at the least cost."""
    search = search or Search()
    least = LeastCost(table, people, k, needed, start, search)
    least.exchange()
    least.lower()
    least.run.settle(min(FIRST_NODES, search.options.max_nodes))
    least.improve(PROGRAM_COLUMNS)
    least.run.settle(search.options.max_nodes)
    chosen = np.sort(least.best)
    served, prices = least.served(chosen)[0], least.priced.prices
    return CostAnswer(chosen, served, least.value, least.bound, prices, k, needed, least.proof)


class PriceBound(NamedTuple):
    """What prices prove: the least cost times the scale, the prices, and what each column saves."""

    value: int
    prices: IntArray
    savings: IntArray


def price_bound(table: ColumnTable, people: IntArray, prices: IntArray, k: int, needed: int) -> PriceBound:
    """Bound the cost of ``k`` columns that serve so many people by prices per person."""
    savings = column_savings(table, people, prices)
    reachable = table.incidence.reachable
    pays = people_at_prices(prices[reachable], people[reachable], needed)
    return PriceBound(pays - int(np.sort(savings)[::-1][:k].sum()), prices, savings)


class LeastCost:
    """The cheapest columns so far, and the prices that prove most.

    Columns are exchanged for what they cover of ``pairs`` of row and level. Each pair is worth what is lost
    by leaving it uncovered, where being served by nobody costs ``unserved``.
    """

    closed = False

    def __init__(
        self, table: ColumnTable, people: IntArray, k: int, needed: int, start: IntArray, search: Search
    ) -> None:
        self.people, self.needed = people, needed
        self.top = int(table.costs.max(initial=0))
        self.unserved = (self.top + 1) * max(1, min(int(people.sum()), 10**6 // (self.top + 1)))
        self.levels = CostLevels.of(table, table.n_rows, search.stop.memory)
        worth = self._losses(self.unserved).astype(np.int64)
        self.table, self.search, self.k = table, search, k
        self.pairs = WorthyRows(table, self.levels.incidence, worth, search)
        self.proof: TreeProof | None = None
        self.shared = needed < int(people[np.unique(table.rows)].sum())
        self.best = np.asarray(start, dtype=np.int64)
        self.value = self.total(self.best)[1]
        self.priced = price_bound(table, people, np.zeros(table.n_rows, dtype=np.int64), k, needed)

    @property
    def run(self) -> TableSearch:
        """Steps and searches; nothing holds on to them, so that large arrays are given back at once."""
        return TableSearch(self, self.search)

    @property
    def bound(self) -> int:
        """What it costs at least."""
        priced = max(0, -(-self.priced.value // ONE_IN_COVERS))
        return priced if self.proof is None else max(priced, self.proof.target + 1)

    def served(self, columns: IntArray) -> tuple[IntArray, IntArray]:
        """Which of the columns serves each row, -1: none, and at what cost; the dearest are left out."""
        owner, least = cheapest(self.table, columns, self.table.n_rows)
        rows = np.flatnonzero(owner >= 0)
        kept, _ = cheapest_rows(least[rows], self.people[rows], self.needed)
        owner[rows[~kept]] = -1
        least[rows[~kept]] = 0
        return owner, least

    def total(self, columns: IntArray) -> tuple[int, int]:
        """People served, and cost."""
        owner, least = self.served(columns)
        return int(self.people[owner >= 0].sum()), int((self.people * least).sum())

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they serve enough people at less cost."""
        served, cost = self.total(columns)
        if len(columns) <= self.k and served >= self.needed and cost < self.value:
            self.best, self.value = np.asarray(columns), cost

    def exchange(self) -> None:
        """Exchange the best columns, or greedy ones that are as good, for better ones."""
        quick = greedy(self.pairs.incidence, self.pairs.worth)[: self.k]
        begin = quick if self.pairs.covered(quick) >= self.pairs.covered(self.best) else self.best
        self.offer(self.pairs.exchanged(begin))
        self.run.report("start")

    def lower(self) -> None:
        """Take first-order steps; turn the duals into prices after each round.

        Where a share of the people is enough, what being served by nobody costs is halved in: as little as
        makes the relaxation serve that share.
        """
        if self.run.finished():
            return
        dear, rounds = (1.0 if self.shared else 3.0) * (self.top + 1), self.search.rounds()
        self.relaxation = FirstOrder(self.pairs.incidence, self._losses(dear), self.k)
        self.relaxation.begin(self.best, np.minimum(self._losses(dear), self.people[self.levels.owner]))
        self.price(self._losses(self.top + 1))
        tries, low, high = MOST_HALVINGS if self.shared else 0, 0.0, np.inf
        patience = 1 if self.shared else IDLE_ROUNDS
        while self.run.relax(self.relaxation, rounds, COST_STEPS, COST_GAIN, patience) and tries:
            if self._reached(self.relaxation.mean_values, dear):
                high = dear
            else:
                low = dear
            dear, tries = 4 * dear if high == np.inf else (low + high) / 2, tries - 1
            self.relaxation.worth = self._losses(dear)
        if self.shared:
            reaching = dear if high == np.inf else high
            self.pairs.worth = self._losses(np.ceil(reaching)).astype(np.int64)
            self.exchange()

    def _losses(self, unserved: float) -> FloatArray:
        """What leaving each pair uncovered costs, when being served by nobody costs a person so much."""
        return (self.levels.losses(unserved) * self.people[self.levels.owner]).astype(np.float64)

    def _reached(self, values: FloatArray, unserved: float) -> bool:
        """Whether parts of columns serve enough people for less than being served by nobody costs."""
        starts, served = self.table.starts, np.zeros(self.table.n_rows)
        for columns in parts_of(starts, np.arange(len(self.table))):
            entries, begins = entries_of(starts, columns)
            parts = np.repeat(values[columns], np.diff(begins)) * (self.table.costs[entries] < unserved)
            served += np.bincount(self.table.rows[entries], parts, minlength=len(served))
        return float((np.minimum(served, 1.0) * self.people).sum()) >= self.needed

    def price(self, duals: FloatArray) -> None:
        """Turn duals into prices, and keep the better bound."""
        prices = self.levels.prices(duals, self.people)
        if addable(prices, self.people):
            found = price_bound(self.table, self.people, prices, self.k, self.needed)
            self.priced = max(found, self.priced, key=lambda bound: bound.value)

    def learn(self) -> float:
        """Keep the prices that prove most."""
        self.price(self.relaxation.duals)
        self.price(self.relaxation.mean_duals)
        return float(self.priced.value)

    def exclude(self, proof: TreeProof) -> None:
        """Keep the proof that nothing is better than a target."""
        self.proof = proof

    def exhausted(self) -> bool:
        """Not known."""
        return False

    def improve(self, most: int) -> None:
        """Solve a program over the columns that the relaxation uses, and so many others that save most."""
        if not self.search.options.repair or self.run.finished():
            return
        usable = self.usable()
        heaviest = usable[np.argsort(-self.priced.savings[usable], kind="stable")[:most]]
        found = self.pairs.programmed(self.best, self.k, heaviest, self.relaxation.mean_values)
        if found is not None:
            self.offer(self.pairs.exchanged(found))
        self.run.report("program")

    def usable(self) -> IntArray:
        """The columns that a cheaper choice can use."""
        value, _, savings = self.priced
        if not self.search.options.fixing or len(savings) <= self.k:
            return np.arange(len(savings))
        least = int(np.partition(savings, -self.k)[-self.k])
        usable = np.flatnonzero(value + np.maximum(0, least - savings) <= (self.value - 1) * ONE_IN_COVERS)
        self.search.counters["columns left out"] = len(savings) - len(usable)
        return usable

    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Search all columns that a cheaper choice can use, unless they are too many."""
        options, columns = self.search.options, self.usable()
        entries = int(np.diff(self.table.starts)[columns].sum())
        if not options.exact or len(columns) > options.max_columns or entries > MOST_TO_MERGE:
            self.pairs.too_many()
            return None
        stop = self.search.stop
        if not stop.memory.fits(entries * MERGING_BYTES):
            stop.met("memory")
            return None
        part = self.table.take(columns)
        rows = merged(part.starts, part.rows, part.costs, self.people, apart=self.shared)
        if len(rows.rows) > COST_ENTRIES:
            self.pairs.too_many()
            return None
        if not stop.memory.fits(pairs_held(rows, len(rows.people)) * PROGRAM_BYTES):
            stop.met("memory")
            return None
        question = CostQuestion(rows, self.k, self.needed, self.value - 1, self.unserved, stop)
        return self.pairs.searched(question, self.value - 1, columns, rows.members, max_nodes)


class CostQuestion(TreeQuestion):
    """Whether ``budget`` columns serve ``needed`` people for at most ``target``.

    Prices bound the cost of a node, where the chosen columns save what they do. It is also closed where its
    columns together serve too few; where none is left to choose, the cost of the needed people is simply
    added up. In the relaxation a person costs ``unserved`` whom nobody serves.
    """

    def __init__(
        self, table: Merged, budget: int, needed: int, target: int, unserved: int, stop: Stop
    ) -> None:
        self.table, self.stop = table, stop
        self.budget, self.needed, self.target = budget, needed, target
        self.n_columns = m = len(table.starts) - 1
        people, r = table.people, len(table.people)
        self.levels = levels = CostLevels.of(table, r)
        n = levels.incidence.n_rows
        # First come the rows that are left out, which pay nothing at any level; beyond the people who can be
        # spared that is dear. Then come levels that are left uncovered, and the columns.
        dearer = np.flatnonzero(~levels.last)
        leaving = sparse.csc_matrix((np.ones(n), (np.arange(n), levels.owner)), shape=(n, r))
        uncovered = sparse.identity(n, format="csc")[:, dearer]
        losses = (levels.losses(np.inf) * people[levels.owner])[dearer]
        self._demands = np.concatenate((np.ones(n), [needed - people.sum(), -budget]))
        self._program = CoveringProgram(self._demands, presolve=True)
        block = sparse.vstack((leaving, -people[None], np.zeros((1, r))), format="csc")
        self._program.add_columns(block, -(people * levels.lowest).astype(np.float64), upper=1.0)
        columns = levels.incidence.matrix
        parts = [[None, uncovered, columns], [np.ones((1, 1)), None, None], [None, None, -np.ones((1, m))]]
        costs = np.concatenate(([unserved], losses, np.zeros(m)))
        self._program.add_columns(sparse.bmat(parts, format="csc"), costs)

    def reached_by(self, columns: IntArray) -> bool:
        """Whether they are known to serve enough people within the cost."""
        return self._reach(columns)[0]

    def _reach(self, columns: IntArray) -> tuple[bool, bool]:
        """Whether they serve enough people within the cost, and whether that is certain."""
        owner, least = cheapest(self.table, columns, len(self.table.people))
        least, people = least[owner >= 0], self.table.people[owner >= 0]
        if people.sum() < self.needed or people_at_prices(least, people, self.needed) > self.target:
            return False, True
        kept, exact = cheapest_rows(least, people, self.needed)
        reached = int((people * least)[kept].sum()) <= self.target
        return reached, reached or exact

    def ended(self, node: TreeNode) -> dict[str, Any] | None:
        """Columns that together serve too few, or nothing left to choose, so that costs are added up."""
        entries, _ = entries_of(self.table.starts, np.append(node.chosen, np.flatnonzero(node.usable)))
        if self.table.people[np.unique(self.table.rows[entries])].sum() < self.needed:
            return {"short": True}
        if super().ended(node) is None:
            return None
        if not self._reach(node.chosen)[1]:
            raise UndecidedError
        return {"evaluated": True}

    def relax(self, node: TreeNode) -> Relaxed:
        """Serve enough people at the least cost by parts of columns, over pairs of row and level."""
        chosen, usable = node.chosen, node.usable
        people, more = self.table.people, self.budget - len(chosen)
        covered = self.levels.incidence.covered_by(chosen)
        self._program.demand(np.concatenate((~covered, [self._demands[-2], -more])))
        self._program.use(usable)
        relaxed = self.solved(self._program)
        prices = self.levels.prices(np.where(covered, 0.0, relaxed.duals[: len(covered)]), people)
        if not addable(prices, people) or self.target * ONE_IN_COVERS >= LARGEST_SUM:
            raise UndecidedError
        savings = column_savings(self.table, people, prices)
        best = np.sort(savings[usable])[::-1][:more]
        pays = people_at_prices(prices, people, self.needed)
        bound = pays - int(savings[chosen].sum()) - int(best.sum())
        least = int(best[-1]) if len(best) == more else 0
        most = self.target * ONE_IN_COVERS
        light = usable & (bound + np.maximum(0, least - savings) > most)
        return Relaxed(relaxed.values[-self.n_columns :], prices, bound > most, light)
