"""The front door: a fitted classifier and a data frame in, explanations with proof out."""

from oneformany.explainer.explainer import OneForMany

__all__ = ["OneForMany"]
