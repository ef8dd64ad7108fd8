"""How much memory the large arrays of a run may take together, asked before an array is made."""

import weakref
from threading import RLock

GIGABYTE = 1 << 30


class Memory:
    """One account for all large arrays of a run; it comes along with the clock.

    Whoever makes a large array asks first whether it ``fits``, and does something smaller where it does not.
    An array that stays is entered by ``keep``, and is off the account as soon as nobody holds it.

    Parameters
    ----------
    limit : int
        Bytes that may be held at one time.

    Attributes
    ----------
    held : int
        Bytes that are held now.
    most : int
        Bytes that were ever held at one time.

    Examples
    --------
    >>> import numpy as np
    >>> memory, array = Memory(100), np.zeros(10)
    >>> memory.keep(array, array.nbytes)
    >>> memory.left, memory.fits(30)
    (20, False)
    >>> del array
    >>> memory.left, memory.most
    (100, 80)
    """

    def __init__(self, limit: int = GIGABYTE) -> None:
        self.limit, self.held, self.most = limit, 0, 0
        self._lock = RLock()  # an array may be given up in another thread

    @property
    def left(self) -> int:
        """Bytes that are free, never below 0."""
        return max(0, self.limit - self.held)

    def fits(self, size: float) -> bool:
        """Whether there is room for so many more bytes."""
        return size <= self.left

    def keep(self, owner: object, size: int) -> None:
        """Enter bytes until nobody holds their owner any more."""
        self._add(size)
        weakref.finalize(owner, self._add, -size).atexit = False

    def _add(self, size: int) -> None:
        with self._lock:
            self.held += size
            self.most = max(self.most, self.held)
