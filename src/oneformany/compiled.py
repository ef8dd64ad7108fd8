"""How kernels are compiled: kept on disk if it can be, without the doors to Python and C that nothing uses.

Two of the processor's own instructions on sets of 64 bits come with it.
"""

# mypy: disallow-untyped-decorators=False

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import ParamSpec, TypeVar

import numba
from numba import types
from numba.extending import intrinsic

from oneformany.anything import AnyValue
from oneformany.compiling import COMPILING

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


@cache
def _warn(reason: str) -> None:
    """Say what it costs that nothing is kept, once for each reason."""
    warnings.warn(
        f"compiled code is not kept on disk ({reason}), so each new process compiles what it uses again, "
        "which takes seconds; name a folder that can be written in the environment variable NUMBA_CACHE_DIR",
        UserWarning,
        stacklevel=2,
    )


class _Kept:
    """What numba keeps of one function; a disk that does not take it or give it back only costs time."""

    def __init__(self, disk: AnyValue) -> None:
        self._disk = disk

    def __getattr__(self, name: str) -> AnyValue:
        return getattr(self._disk, name)

    def load_overload(self, *signature: AnyValue) -> AnyValue:
        """Read compiled code; what cannot be read, or is damaged, is compiled and written anew."""
        try:
            return self._disk.load_overload(*signature)
        except Exception:  # noqa: BLE001 (half a file can lead to any error)
            self._forget()
            return None

    def save_overload(self, *compiled: AnyValue) -> None:
        """Write compiled code."""
        try:
            self._disk.save_overload(*compiled)
        except Exception as error:  # noqa: BLE001 (it was compiled: whatever happens now, it can be used)
            self._forget()
            _warn(getattr(error, "strerror", None) or str(error))

    def _forget(self) -> None:
        """Let no list of what is kept name what is not there, or is of an older release."""
        with suppress(OSError):
            self._disk.flush()


def _compile(**options: AnyValue) -> Callable[[Callable[P, R]], Callable[P, R]]:
    decorate: Callable[[Callable[P, R]], Callable[P, R]] = numba.njit(**options)
    return decorate


def _keep(**options: AnyValue) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile as asked, and keep the code on disk if there is a folder for it."""

    def keep(function: Callable[P, R]) -> Callable[P, R]:
        try:
            compiled = _compile(cache=True, **options)(function)
        except RuntimeError:
            _warn("neither the folder of the package nor that of the user can be written")
            return _compile(**options)(function)
        held = vars(compiled)
        if "_cache" in held:  # of numba's own, never promised
            held["_cache"] = _Kept(held["_cache"])
        return compiled

    return keep


def _listen() -> None:
    """Notice when something is compiled; where numba does not tell, a time limit counts that, too."""
    with suppress(ImportError, AttributeError):
        from numba.core import event

        class _Listener(event.Listener):  # type: ignore[misc]  # untyped
            def on_start(self, _event: AnyValue) -> None:
                COMPILING.begin()

            def on_end(self, _event: AnyValue) -> None:
                COMPILING.end()

        event.register("numba:compile", _Listener())


_listen()
NO_C = _known(no_cfunc_wrapper=True)
NO_DOORS = _known(no_cfunc_wrapper=True, no_cpython_wrapper=True)
NO_COUNTING = _known(_nrt=False)
outer = _keep(nogil=True, **NO_C)  # Python calls it; other threads run meanwhile
inner = _keep(**NO_DOORS)  # only compiled code calls it: that takes half the time to compile
inlined = _compile(inline="always")  # is written into its callers, of which it has but one


def lean(*, inner: bool = False, reorder: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function that makes no arrays: nobody counts references, which saves a fifth of the time.

    An ``inner`` one is called by compiled code only; with ``reorder`` sums may be added up in any order.
    """
    fast = {"reassoc", "contract"} if reorder else False
    doors = NO_DOORS if inner else NO_C
    return _keep(nogil=True, fastmath=fast, error_model="numpy", **doors, **NO_COUNTING)


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
