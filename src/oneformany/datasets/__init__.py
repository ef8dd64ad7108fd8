"""Data sets by name: rows with readable labels, target, and the paper's coding.

Examples
--------
>>> from oneformany import datasets
>>> datasets.load("german").frame.shape
(1000, 20)
"""

import os
from dataclasses import replace

from oneformany.datasets.dataset import Dataset, read_set
from oneformany.exceptions import InputError

__all__ = ["NAMES", "Dataset", "load"]

NAMES = ("german", "students", "students-published", "compas", "adult", "credit")
SLIP = (
    "The pupils as in the paper's published runs, where a slip sets the eight yes/no features to a "
    "constant (0, here: no). Only for comparison with the paper; use students otherwise."
)


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
    if name not in NAMES:
        raise InputError(f"there is no data set {name!r}; there are {', '.join(NAMES)}")
    found = read_set(name.removesuffix("-published"), data_dir)
    if name != "students-published":
        return found
    no = {feature.name: "no" for feature in found.schema.features if feature.levels == ("no", "yes")}
    return replace(found, name=name, frame=found.frame.assign(**no), description=SLIP)
