"""How kernels are compiled: kept on disk, and without the doors to Python and C that nothing uses.

Two of the processor's own instructions on sets of 64 bits come with it.
"""

# mypy: disallow-untyped-decorators=False

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


def _compile(**options: AnyValue) -> Callable[[Callable[P, R]], Callable[P, R]]:
    decorate: Callable[[Callable[P, R]], Callable[P, R]] = numba.njit(**options)
    return decorate


NO_C = _known(no_cfunc_wrapper=True)
NO_DOORS = _known(no_cfunc_wrapper=True, no_cpython_wrapper=True)
NO_COUNTING = _known(_nrt=False)
outer = _compile(cache=True, nogil=True, **NO_C)  # Python calls it; other threads run meanwhile
inner = _compile(cache=True, **NO_DOORS)  # only compiled code calls it: that takes half the time to compile
inlined = _compile(inline="always")  # is written into its callers, of which it has but one


def lean(*, inner: bool = False, reorder: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function that makes no arrays: nobody counts references, which saves a fifth of the time.

    An ``inner`` one is called by compiled code only; with ``reorder`` sums may be added up in any order.
    """
    fast = {"reassoc", "contract"} if reorder else False
    doors = NO_DOORS if inner else NO_C
    return _compile(cache=True, nogil=True, fastmath=fast, error_model="numpy", **doors, **NO_COUNTING)


def _instruction(generate: Callable[..., AnyValue]) -> AnyValue:
    """Make one instruction on a word of 64 bits."""

    def typed(typing_context: AnyValue, word: AnyValue) -> AnyValue:  # noqa: ARG001 (numba gives it)
        return types.int64(types.uint64), lambda context, builder, _, given: generate(
            context, builder, *given
        )

    return intrinsic(typed)


# Position of the lowest set bit of a word that is not zero; number of set bits of a word.
lowest = _instruction(lambda context, to, word: to.cttz(word, context.get_constant(types.boolean, 1)))
how_many = _instruction(lambda _, to, word: to.ctpop(word))
