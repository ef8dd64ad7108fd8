"""What is said where groups were to be helped alike: their shares, and the proved price of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oneformany.result.labels import many, shown

if TYPE_CHECKING:
    from oneformany.result.result import Result


def alike_words(result: Result) -> str:
    """Say which share of each group is helped, and what it costs that these are alike."""
    told = result.problem.get("between")
    if not told:
        return ""
    part, whole = told["within"]
    both = zip(told["names"], told["helped"], told["people"], strict=True)
    shares = ", ".join(f"{shown(name)} {helped / people:.1%} of {people:,}" for name, helped, people in both)
    head = (
        f"Groups of {shown(told['by'])} are helped alike, within {100 * part / whole:.4g} percentage points: "
        f"{shares}."
    )
    return f"{head} {_price(result)}"


def _price(result: Result) -> str:
    """Compare with the answer without the condition; what is proved of both bounds the difference."""
    told, several = result.problem["between"], result.labels.several
    free, bound = told["without"], told["bound"]
    if result.goal.explanations is not None:
        least, most = free["covered"] - bound, free["covered_bound"] - result.covered
        known = f"proved that no answer helps more than {bound:,} so"
        if bound == result.covered:
            known = "proved to be the most"
        return f"{known[:1].upper()}{known[1:]}. That costs {_range(least, most)} {several} of help."
    least, most = bound - free["count"], result.count - free["lower_bound"]
    known = f"at least {many(bound, 'explanation')} are needed for that"
    if bound == result.count:
        known = "proved to be the fewest for that"
    return f"{known[:1].upper()}{known[1:]}. That costs {_range(least, most)} explanations more."


def _range(least: int, most: int) -> str:
    least, most = max(0, least), max(0, most)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
