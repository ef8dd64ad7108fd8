"""Data sets by name: rows with readable labels, target, and the paper's coding.

Examples
--------
>>> from oneformany import datasets
>>> datasets.load("german").frame.shape
(1000, 20)
"""

from __future__ import annotations

import os

from oneformany.datasets.adult import load_adult
from oneformany.datasets.compas import load_compas
from oneformany.datasets.credit import load_credit
from oneformany.datasets.dataset import Dataset
from oneformany.datasets.german import load_german
from oneformany.datasets.students import load_students, load_students_published
from oneformany.exceptions import InputError

__all__ = ["NAMES", "Dataset", "load"]

EMBEDDED = {
    "german": load_german,
    "students": load_students,
    "students-published": load_students_published,
}
FETCHED = {"compas": load_compas, "adult": load_adult, "credit": load_credit}
NAMES = (*EMBEDDED, *FETCHED)


def load(name: str, data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a data set.

    ``german``, ``students`` and ``students-published`` come with the package. The files of ``compas``,
    ``adult`` and ``credit`` (Give Me Some Credit, sub-folder ``give_me_some_credit``) are looked for in the
    folder ``data_dir`` (or the one named by the environment variable ``ONEFORMANY_DATA``) and its sub-folder
    of that name, then in the cache, then at their publisher.

    Parameters
    ----------
    name : str
        One of :data:`NAMES`.
    data_dir : path, optional
        Where you keep data files.

    Raises
    ------
    InputError
        There is no such data set, or no such folder.
    DataUnavailableError
        Its file is nowhere to be found; the message says what to do.
    """
    if name in EMBEDDED:
        return EMBEDDED[name]()
    if name in FETCHED:
        return FETCHED[name](data_dir)
    raise InputError(f"there is no data set {name!r}; there are {', '.join(NAMES)}")
