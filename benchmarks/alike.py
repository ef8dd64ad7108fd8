"""Groups helped alike, and what that costs: shares of people helped by sex and race, with and without it.

    python benchmarks/alike.py                    # compas: seconds
    python benchmarks/alike.py compas adult       # minutes

A logistic regression on one half of the rows refuses people of the other half. Personal traits stay as they
are, as do capital gains; nobody has more than one cell fewer of prior offences. Advice changes one feature of
compas, two of adult. Shares of those refused may differ by 5 percentage points.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

import oneformany as ofm
from measuring import script_parser, show, tell
from oneformany.datasets import load

CHANGES = {"compas": 1, "adult": 2}
FIXED = {
    "compas": ("age_cat", "race", "sex"),
    "adult": (
        *("age", "race", "sex", "native_country", "marital_status", "relationship"),
        *("capital_gain", "capital_loss"),
    ),
}
WITHIN = 0.05
SECONDS = 120.0


def lines(name: str, explanations: int, folder: str | None) -> Iterator[dict[str, object]]:
    """A line per column that makes groups."""
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    data = load(name, folder)
    half = len(data.frame) // 2
    past, new = data.frame[:half], data.frame[half:]
    texts = past.select_dtypes(exclude="number").columns.tolist()
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), texts), remainder=StandardScaler()
    )
    model = make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(past, data.target[:half])
    rules: list[object] = [ofm.Immutable(column) for column in FIXED[name]]
    if name == "compas":
        rules.append(ofm.AtMostSteps("priors_count", 1))
    explainer = ofm.OneForMany(model, max_changes=CHANGES[name], share="action", reference=past, rules=rules)
    for by in ("sex", "race"):
        asked = {"explanations": explanations, "time_limit": SECONDS}
        free = explainer.explain(new, **asked)
        alike = explainer.explain(new, between=by, within=WITHIN, **asked)
        told = alike.problem["between"]
        group = new[by].iloc[free.problem["rows"]].to_numpy()
        before = [
            f"{free.has_explanation[group == who].mean():.1%}"
            for who in told["names"]
            if (group == who).any()
        ]
        after = [f"{n / of:.1%}" for n, of in zip(told["helped"], told["people"], strict=True)]
        yield {
            "data": name,
            "by": by,
            "k": explanations,
            "helped": free.covered,
            "shares": ", ".join(before),
            "alike": alike.covered,
            "at most": told["bound"],
            "shares then": ", ".join(after),
        }


def main() -> None:
    """Measure and print."""
    parser = script_parser(__doc__, formats=True)
    parser.add_argument("data", nargs="*", help=f"data sets, of {', '.join(FIXED)}")
    parser.add_argument("-k", type=int, default=1, help="how many explanations")
    parser.add_argument("--data-dir", default=os.environ.get("ONEFORMANY_DATA"))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    for name in given.data or ["compas"]:
        for line in lines(name, given.k, given.data_dir):
            tell(line)
            found.append(line)
    show(f"groups helped alike, within {WITHIN:.0%}", found, form=given.format)


if __name__ == "__main__":
    main()
