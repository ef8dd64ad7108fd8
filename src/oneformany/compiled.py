"""How kernels are compiled: kept on disk, and without the doors to Python and C that nothing uses.

Two of the processor's own instructions on sets of 64 bits come with it.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba
from numba import types
from numba.extending import intrinsic

from oneformany.anything import AnyValue

P = ParamSpec("P")
R = TypeVar("R")


def _known(**options: bool) -> dict[str, bool]:
    """Leave out options that this release of numba does not have.

    None of them is documented, so any may go; all that is lost then is time to compile.
    """
    try:
        from numba.core.cpu import CPUTargetOptions
    except ImportError:
        return {}
    return {name: value for name, value in options.items() if hasattr(CPUTargetOptions, name)}


NO_C = _known(no_cfunc_wrapper=True)
NO_DOORS = _known(no_cfunc_wrapper=True, no_cpython_wrapper=True)
NO_COUNTING = _known(_nrt=False)


def outer(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls; other threads run meanwhile."""
    compiled: Callable[P, R] = numba.njit(cache=True, nogil=True, **NO_C)(function)
    return compiled


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only compiled code calls: that takes half the time."""
    compiled: Callable[P, R] = numba.njit(cache=True, **NO_DOORS)(function)
    return compiled


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Write a function into its callers; where there is but one, compiling it takes no time of its own."""
    compiled: Callable[P, R] = numba.njit(inline="always")(function)
    return compiled


def lean(*, inner: bool = False, reorder: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function that makes no arrays: nobody counts references, which saves a fifth of the time.

    Parameters
    ----------
    inner : bool
        Only compiled code calls it.
    reorder : bool
        Sums may be added up in any order.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        compiled: Callable[P, R] = numba.njit(
            cache=True,
            nogil=True,
            fastmath={"reassoc", "contract"} if reorder else False,
            error_model="numpy",
            **(NO_DOORS if inner else NO_C),
            **NO_COUNTING,
        )(function)
        return compiled

    return decorate


@intrinsic
def lowest(typing_context: AnyValue, word: AnyValue) -> AnyValue:  # noqa: ARG001 (numba gives it)
    """Position of the lowest set bit of a word that is not zero."""

    def generate(context: AnyValue, builder: AnyValue, signature: AnyValue, arguments: AnyValue) -> AnyValue:  # noqa: ARG001 (numba gives it)
        return builder.cttz(arguments[0], context.get_constant(types.boolean, 1))

    return types.int64(types.uint64), generate


@intrinsic
def how_many(typing_context: AnyValue, word: AnyValue) -> AnyValue:  # noqa: ARG001 (numba gives it)
    """Number of set bits of a word."""

    def generate(context: AnyValue, builder: AnyValue, signature: AnyValue, arguments: AnyValue) -> AnyValue:  # noqa: ARG001 (numba gives it)
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate
