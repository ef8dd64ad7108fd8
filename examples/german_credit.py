"""Who is refused a loan, and the fewest letters that would help: raw German credit data, a pipeline, rules.

::

    python examples/german_credit.py [folder]

writes the report, the result with its proof, and a chart into a folder.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import oneformany as ofm


def main(folder: Path) -> None:
    """Fit, explain, check, and save."""
    credit = ofm.datasets.load("german")
    past, new = credit.frame[:500], credit.frame[500:]
    text = past.select_dtypes(exclude="number").columns.tolist()
    encode = make_column_transformer((OneHotEncoder(), text), remainder=StandardScaler())
    model = make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(past, credit.target[:500])

    fixed = ("age", "personal_status", "foreign_worker", "credit_history", "purpose")
    rules = [ofm.Immutable(name) for name in fixed]
    rules.append(ofm.NeverTarget("checking_account", "no checking account"))
    explainer = ofm.OneForMany(model, max_changes=2, rules=rules, share="action", reference=past)
    result = explainer.explain(new)
    print(result.summary())

    after = result.apply(new)
    print(f"\n{model.predict(after).sum()} of {len(after)} covered applicants are accepted after following.")

    result.to_json(folder / "german.json")
    sex = new["personal_status"].str.partition(",")[0].rename("sex")
    audit = ofm.audit(result, new.assign(sex=sex), by="sex")
    print(audit.summary())
    result.report(folder / "german.html", title="Refused loans", audits=[audit])
    result.plot().figure.savefig(folder / "german.png", dpi=150, bbox_inches="tight")
    plt.close("all")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
