"""What a result proves, part by part: :class:`Proof` holds them, and they speak of rows and weights."""

from oneformany.result.proof import Anchors, Branch, Cost, Exclusion, Proof, Weights

__all__ = ["Anchors", "Branch", "Cost", "Exclusion", "Proof", "Weights"]
