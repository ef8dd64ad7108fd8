"""Classifiers as the engine asks them, and the readers that turn fitted models into such oracles."""

from oneformany.public import homes_beside, on_first_use

__getattr__ = on_first_use(__name__, homes := homes_beside(__file__))
__all__ = sorted(homes)  # noqa: PLE0605 (names, each of them text)
