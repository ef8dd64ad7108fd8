"""Rules in a file: the credit department, not the code, decides what may be advised.

::

    python examples/own_rules.py [rules.toml]
"""

import sys
from pathlib import Path

from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import oneformany as ofm


def main(path: Path) -> None:
    """Explain refused applicants without rules, then with those of the file."""
    credit = ofm.datasets.load("german")
    past, new = credit.frame[:500], credit.frame[500:700]
    text = past.select_dtypes(exclude="number").columns.tolist()
    encode = make_column_transformer((OneHotEncoder(), text), remainder=StandardScaler())
    model = make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(past, credit.target[:500])

    for rules in ([], ofm.rules_from_toml(path)):
        explainer = ofm.OneForMany(model, max_changes=2, rules=rules, share="action", reference=past)
        result = explainer.explain(new)
        print(f"{len(rules)} rules: {result!r}")
        for changed in result.to_frame()["changed_features"]:
            print(f"    change {changed}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".toml"))
