"""The paper's data sets and classifiers: what its Tables 1 and 2 print, and what was trained here."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PUBLISHED_SUBJECTS", "PublishedSubject", "Trained"]


@dataclass(frozen=True)
class PublishedSubject:
    """One line of the paper's Tables 1 and 2.

    Attributes
    ----------
    dataset, title : str
        Our name and the paper's.
    instances, features, columns : int
        Rows, original features, and one-hot columns ("extended features").
    width, depth : int
        Of its network.
    nn_accuracy, lr_accuracy : float
        On the test half.
    """

    dataset: str
    title: str
    instances: int
    features: int
    columns: int
    width: int
    depth: int
    nn_accuracy: float
    lr_accuracy: float


PUBLISHED_SUBJECTS = (
    PublishedSubject("compas", "COMPAS", 6172, 5, 15, 10, 2, 0.670, 0.671),
    PublishedSubject("german", "German Credit", 1000, 20, 59, 20, 2, 0.728, 0.724),
    PublishedSubject("students", "Students performance", 395, 30, 85, 14, 3, 0.601, 0.612),
)


@dataclass(frozen=True)
class Trained:
    """The data and the classifier behind a record.

    Attributes
    ----------
    instances, features, columns : int
        Rows, original features, and one-hot columns.
    accuracy : float
        Share of the test half that the classifier's own ``predict`` gets right.
    hidden : tuple of int
        Widths of the hidden layers; empty for other models than networks.
    """

    instances: int
    features: int
    columns: int
    accuracy: float
    hidden: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
