"""One suite for all solvers: the same models, the same answers."""

from __future__ import annotations

from importlib import import_module
from math import inf

import numpy as np
import pytest

from oneformany.exceptions import InputError, SolverError
from oneformany.paper.methods import solvers
from oneformany.paper.methods.model import Model, Request, SolverOutcome
from oneformany.paper.methods.solvers import SOLVERS, Solver, make_solver
from oneformany.stop import Stop


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> Solver:
    return make_solver(request.param)


def objective(model: Model, outcome: SolverOutcome) -> float:
    """Of the best solution."""
    return float(model.cost @ outcome.solutions[0])


def knapsack(*, maximise: bool = True) -> Model:
    """Best 4 + 3 + 5 of weights 2 + 1 + 3 within 4: take the second and the third, value 8."""
    model = Model()
    take = model.add_variables(3)
    model.add_rows(take, [2.0, 1.0, 3.0], upper=4.0)
    sign = 1.0 if maximise else -1.0
    return model.towards(take, sign * np.array([4.0, 3.0, 5.0]), maximise=maximise)


@pytest.mark.parametrize("maximise", [True, False])
def test_optimum_and_bound_agree(solver: Solver, maximise: bool) -> None:
    outcome = solver.solve(knapsack(maximise=maximise))
    assert outcome.status == "optimal"
    assert np.rint(outcome.solutions[0]).tolist() == [0, 1, 1]
    assert outcome.bound == pytest.approx(8.0 if maximise else -8.0)


def test_infeasible_models_are_told_apart(solver: Solver) -> None:
    model = knapsack()
    model.add_rows([0, 1, 2], 1.0, lower=3.0)
    outcome = solver.solve(model)
    assert outcome.status == "infeasible"
    assert outcome.solutions == []
    assert outcome.bound == -inf


def test_fixed_variables_stay_and_the_model_is_not_changed(solver: Solver) -> None:
    model = knapsack()
    assert objective(model, solver.solve(model.fixed(np.array([0]), 1.0))) == pytest.approx(7.0)
    assert objective(model, solver.solve(model)) == pytest.approx(8.0)


def test_without_integrality_the_bound_is_the_linear_optimum(solver: Solver) -> None:
    model = knapsack()
    assert solver.solve(model.relaxed()).bound == pytest.approx(7.0 + 5.0 / 3.0)


def test_equations_ranges_and_continuous_variables_hold(solver: Solver) -> None:
    model = Model()
    whole = model.add_variables(2, lower=[0.0, 1.0], upper=[3.0, 4.0])
    real = model.add_variables(1, lower=-0.5, upper=0.5, integer=False)
    model.add_rows(np.stack([whole, whole[::-1]]), [1.0, 2.0], lower=[3.0, -inf], upper=[7.0, 8.0])
    model.add_rows(np.append(whole, real), 1.0, lower=4.0, upper=4.0)
    outcome = solver.solve(model.towards(real, 1.0))
    first, second, rest = outcome.solutions[0]
    assert outcome.bound == pytest.approx(0.0, abs=1e-6)
    assert first + second == pytest.approx(4.0)
    assert rest == pytest.approx(0.0, abs=1e-6)
    assert 3.0 - 1e-6 <= first + 2.0 * second <= 7.0 + 1e-6


def hard_model(n: int = 60, seed: int = 0) -> Model:
    """A many-dimensional knapsack that takes any solver some time."""
    rng = np.random.default_rng(seed)
    model = Model()
    take = model.add_variables(n)
    sizes = rng.integers(1, 40, (20, n)).astype(float)
    model.add_rows(np.tile(take, (20, 1)), sizes, upper=np.floor(sizes.sum(axis=1) / 3))
    return model.towards(take, rng.integers(5, 40, n), maximise=True)


def test_a_target_ends_early_with_a_valid_bound(solver: Solver) -> None:
    model = hard_model(25)
    best = objective(model, solver.solve(model))
    early = solver.solve(model, Request(target=0.5 * best))
    assert objective(model, early) >= 0.5 * best
    assert early.bound >= best - 1e-6
    assert early.steps < solver.solve(model).steps


def test_several_solutions_come_best_first(solver: Solver) -> None:
    model = hard_model(25)
    outcome = solver.solve(model, Request(keep=50))
    values = [float(model.cost @ solution) for solution in outcome.solutions]
    assert len(values) > 1
    assert values == sorted(values, reverse=True)


def test_a_start_is_never_lost(solver: Solver) -> None:
    model = hard_model(25)
    found = solver.solve(model)
    best = objective(model, found)
    again = solver.solve(model, Request(start=found.solutions[0], target=best))
    assert objective(model, again) == pytest.approx(best)


def test_a_linear_program_that_was_stopped_proves_nothing(solver: Solver) -> None:
    relaxed = hard_model(60).relaxed()
    best = solver.solve(relaxed).bound
    assert best < inf
    assert solver.solve(relaxed, Request(stop=Stop(0.0))).bound >= best - 1e-6


def test_no_time_means_no_bound(solver: Solver) -> None:
    model = hard_model()
    outcome = solver.solve(model, Request(stop=Stop(0.0)))
    assert outcome.status == "stopped"
    assert all(model.cost @ solution <= outcome.bound for solution in outcome.solutions)


def test_progress_is_told(solver: Solver) -> None:
    seen: list[tuple[float, float]] = []
    solver.solve(hard_model(25), Request(watch=lambda value, bound: seen.append((value, bound))))
    assert seen
    assert all(bound >= value - 1e-6 for value, bound in seen)


def test_an_interrupt_ends_the_search_with_what_it_has(solver: Solver) -> None:
    stop = Stop()

    def interrupt(*_: float) -> None:
        stop.interrupted = True

    outcome = solver.solve(hard_model(200), Request(stop=stop, watch=interrupt))
    assert outcome.status == "stopped"


def test_versions_are_told(solver: Solver) -> None:
    assert solver.version[0].isdigit()


def test_unknown_solvers_are_refused() -> None:
    with pytest.raises(InputError, match="'cplex'; choose one of highs, gurobi, scip"):
        make_solver("cplex")


@pytest.mark.parametrize(("name", "package"), [("gurobi", "gurobipy"), ("scip", "pyscipopt")])
def test_a_missing_solver_says_what_to_install(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_optional(module: str) -> object:
        if module in ("gurobipy", "pyscipopt"):
            raise ImportError(f"No module named {module!r}")
        return import_module(module)

    monkeypatch.setattr(solvers, "import_module", without_optional)
    with pytest.raises(SolverError, match=f"pip install {package}"):
        make_solver(name)


def test_highs_refuses_coefficients_without_limit() -> None:
    model = knapsack()
    model.add_rows([0], [inf], upper=1.0)
    with pytest.raises(SolverError, match="not a finite number"):
        make_solver("highs").solve(model)


def test_constraints_are_stored_row_by_row() -> None:
    model = Model()
    model.add_variables(3)
    model.add_rows([[0, 1], [1, 2]], [1.0, -1.0], upper=[0.0, 2.0])
    model.add_rows([2], [3.0], lower=1.0)
    matrix, (lower, upper) = model.matrix, model.row_bounds
    assert matrix.indptr.tolist() == [0, 2, 4, 5]
    assert matrix.indices.tolist() == [0, 1, 1, 2, 2]
    assert matrix.data.tolist() == [1.0, -1.0, 1.0, -1.0, 3.0]
    assert lower.tolist() == [-inf, -inf, 1.0]
    assert upper.tolist() == [0.0, 2.0, inf]
