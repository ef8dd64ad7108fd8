"""How much memory the process has used at most."""

from __future__ import annotations

import sys

__all__ = ["peak_megabytes"]


def peak_megabytes() -> float | None:
    """Largest resident memory so far, in millions of bytes; ``None`` where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak if sys.platform == "darwin" else peak * 1024) / 1e6
