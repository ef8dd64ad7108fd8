"""What an auditor wants to know about the model: which one it was, decided how, and when."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import numpy as np


def model_record(
    model: object,
    threshold: float | None,
    positive: object,
    description: dict[str, Any],
    unread: str | None = None,
) -> dict[str, Any]:
    """Describe a model as plain data for the result file.

    ``digest`` is the SHA-256 of the oracle's description in canonical JSON, ``None`` where nobody can look
    inside; ``unread`` says why the model was not read but asked as a black box, and is left out otherwise.

    Examples
    --------
    >>> record = model_record(object(), 0.5, 1, {"kind": "additive", "tables": [[0, 1]]})
    >>> record["kind"], record["threshold"], record["digest"][:15]
    ('object', 0.5, 'sha256:b5df872d')
    """
    return {
        "kind": _kind(model),
        "digest": _digest(description),
        "threshold": None if threshold is None else float(threshold),
        "positive": _plain(positive),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    } | ({} if unread is None else {"unread": unread})


def _kind(model: object) -> str:
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps:
        return f"{type(model).__name__} that ends in {_kind(steps[-1][1])}"
    return str(getattr(model, "__name__", type(model).__name__))


def _digest(description: dict[str, Any]) -> str | None:
    if description.get("kind") in {None, "blackbox", "black box"}:
        return None
    text = json.dumps(description, sort_keys=True, separators=(",", ":"), default=_array)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _array(value: object) -> object:
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else str(value)


def _plain(label: object) -> object:
    value = label.item() if isinstance(label, np.generic) else label
    return value if isinstance(value, (bool, int, float, str)) else str(value)
