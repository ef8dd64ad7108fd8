"""A classifier from its description in a file: what can be said of points without the model itself."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.conjunction import conjunction
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.protocol import Oracle
from oneformany.oracles.scored import Acceptance
from oneformany.oracles.trees.ensemble import TreeEnsemble
from oneformany.oracles.trees.large import LargeTreeOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.oracles.trees.runs import RunTrees


def described(description: Mapping[str, Any], *, perhaps: bool = False) -> Oracle:
    """Rebuild an oracle from its ``describe()``; there is no model to ask where rounding could decide.

    Parameters
    ----------
    description : dict
        What ``describe()`` of an additive score, of trees, of a network or of several of them gave.
    perhaps : bool
        Whether points that only the model itself could decide count as positive: then "no" is proved whatever
        it would say. Otherwise they do not, and "yes" is sure.

    Raises
    ------
    UnsupportedModelError
        The description does not hold the classifier, as of a black box.

    Examples
    --------
    >>> from oneformany import AdditiveOracle
    >>> oracle = AdditiveOracle([[0.0, 1.5]], threshold=1.0)
    >>> described(oracle.describe()).positive([[0], [1]]).tolist()
    [False, True]
    """
    kind = description.get("kind")
    if kind == "all":
        members = [described(member, perhaps=perhaps) for member in description["members"]]
        return conjunction(members, description.get("at_least"))
    rebuilt: AdditiveOracle | TreeOracle | LargeTreeOracle | NetworkOracle
    if kind == "additive":
        tables, intercept = description["tables"], description["intercept"]
        rebuilt = AdditiveOracle.from_units(tables, intercept, description["digits"])
    elif kind == "trees":
        if "runs" in description:
            rebuilt = LargeTreeOracle(RunTrees.from_dict(description))
        else:
            rebuilt = TreeOracle(TreeEnsemble.from_dict(description))
    elif kind == "network":
        layers = tuple((np.array(one["weights"]), np.array(one["bias"])) for one in description["layers"])
        rebuilt = NetworkOracle(
            Network(tuple(map(np.array, description["tables"])), np.array(description["bias"]), layers)
        )
    else:
        raise UnsupportedModelError(f"the file does not hold the classifier, only that it is a {kind}")
    return rebuilt.accepting(_acceptance(description, perhaps=perhaps))


def leaves_open(description: Mapping[str, Any]) -> bool:
    """Whether there are points that only the model itself could decide."""
    return "sure" in description or any(map(leaves_open, description.get("members", ())))


def _acceptance(description: Mapping[str, Any], *, perhaps: bool) -> Acceptance:
    """When points are positive, as far as the description says."""
    least = description["threshold"]
    if perhaps:
        return Acceptance(least, least)
    said = {True: description.get("ties", ()), False: description.get("rejected", ())}
    decided = {tuple(point): answer for answer, points in said.items() for point in points}
    return Acceptance(least, description.get("sure", least), decided=decided)
