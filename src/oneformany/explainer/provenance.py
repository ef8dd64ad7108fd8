"""What an auditor wants to know beside the answer: which model, decided how, under which rules, and when."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import numpy as np

__all__ = ["model_record", "rule_sentences"]


def model_record(
    model: object,
    threshold: float | None,
    positive: object,
    description: dict[str, Any],
    unread: str | None = None,
) -> dict[str, Any]:
    """Describe a model as plain data for the result file.

    Parameters
    ----------
    model : object
        As it was given.
    threshold : float or None
        Least probability of a positive row; ``None``: as the model decides.
    positive : object
        Label of the positive class.
    description : dict
        Of the oracle that was read from it, see ``describe()``.
    unread : str or None
        Why it was not read but asked as a black box.

    Returns
    -------
    dict
        ``kind`` (name of its class), ``digest`` (SHA-256 of the description in canonical JSON, or ``None``
        where nobody can look inside), ``threshold``, ``positive``, ``date`` (UTC) and, if there is a reason,
        ``unread``.

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


def rule_sentences(rules: Iterable[object]) -> list[str]:
    """Say the user's rules, one sentence each.

    Parameters
    ----------
    rules : iterable of rules
        As they were given; one of the user's own class may have a ``__str__``.

    Examples
    --------
    >>> import oneformany as ofm
    >>> rule_sentences([ofm.Immutable("sex"), ofm.OnlyIncrease("savings")])
    ['sex cannot change', 'savings can only go up']
    """
    return [str(rule) for rule in rules]


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
