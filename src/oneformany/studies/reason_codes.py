"""A lender's own list of reasons: which of them a column belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oneformany.exceptions import InputError
from oneformany.files import read_by_hand


@dataclass(frozen=True)
class ReasonCode:
    """What a lender's list of reasons says of a column.

    Attributes
    ----------
    code : str
        Its number in the list.
    text : str
        What it says.

    Examples
    --------
    >>> ReasonCode("7", "Amount requested is too high").code
    '7'
    """

    code: str
    text: str


def reason_codes(source: Mapping[str, Any] | str | Path | None) -> dict[str, ReasonCode]:
    """Read the mapping of columns to reasons: a dict, or a TOML file with the table ``codes``.

    Examples
    --------
    >>> reason_codes({"amount": ("7", "Amount requested is too high")})["amount"].code
    '7'
    """
    given = read_by_hand(Path(source), "reason codes") if isinstance(source, (str, Path)) else source or {}
    given = given.get("codes", given)
    codes = {}
    for column, said in given.items():
        pair = (said.get("code"), said.get("text")) if isinstance(said, Mapping) else said
        if isinstance(pair, str):
            pair = ("", pair)
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not isinstance(pair[1], str):
            raise InputError(
                f"the reason of column {column!r} is {said!r}; give a code and a text, such as "
                f'{column} = {{ code = "7", text = "Amount requested is too high" }}'
            )
        codes[str(column)] = ReasonCode(str(pair[0]), pair[1])
    return codes
