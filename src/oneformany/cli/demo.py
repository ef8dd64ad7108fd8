"""``oneformany demo``: what the package does, on embedded data, in seconds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

from typer import Option

import oneformany as ofm
from oneformany import files
from oneformany.anything import AnyModel
from oneformany.cli import options, saving
from oneformany.console import say
from oneformany.result.labels import shown
from oneformany.stop import Stop

if TYPE_CHECKING:
    import pandas as pd
    from numba.core.event import TimingListener

    from oneformany.problem import Share
    from oneformany.schema import Rule

# What a loan officer would discuss; the accuracy is no worse than with all 20 features.
FEATURES = [
    "checking_account", "duration", "credit_history", "amount", "savings", "employment", "other_debtors",
    "housing",
]  # fmt: skip
# From worse to better, so that rules can say that nobody is sent down.
ORDERS = {
    "checking_account": ("no checking account", "below 0 DM", "0 to 200 DM", "200 DM or more"),
    "savings": ("none or unknown", "below 100 DM", "100 to 500 DM", "500 to 1000 DM", "1000 DM or more"),
    "other_debtors": ("none", "co-applicant", "guarantor"),
}


WORTH_TELLING = 0.1  # seconds of compiling: less is nothing that a reader would wonder about


def demo(
    *,
    rows: Annotated[int | None, Option(min=1, help="Only the first so many refused applicants.")] = None,
    max_changes: options.MaxChanges = 4,
    show: options.Show = 5,
    json_file: options.ResultFile = None,
    report: options.ReportFile = None,
) -> None:
    """Explain refused loan applicants with as few explanations as possible, and prove it.

    German credit data, a logistic regression fitted on the spot; offline.
    """
    from numba.core.event import TimingListener, install_listener
    from sklearn.linear_model import LogisticRegression

    files.check_targets((), json_file, report)
    data = ofm.datasets.load("german")
    features = [
        replace(feature, levels=ORDERS[feature.name], ordered=True) if feature.name in ORDERS else feature
        for feature in data.schema.features
        if feature.name in FEATURES
    ]
    data = replace(data, frame=data.frame[FEATURES], schema=ofm.Schema(tuple(features)))
    classifier = LogisticRegression(solver="liblinear", C=10, random_state=0)
    refused, accuracy = refused_by(classifier, data)
    rules: list[Rule] = [
        ofm.Immutable("credit_history"),
        *(ofm.OnlyIncrease(name) for name in (*ORDERS, "employment")),
        ofm.AtMostSteps("employment", 1),
        *(ofm.OnlyDecrease(name) for name in ("amount", "duration")),
        ofm.NeverTarget("checking_account", "below 0 DM"),
        ofm.NeverTarget("housing", ["rent", "for free"]),
    ]
    explainer = ofm.OneForMany(
        classifier, max_changes=max_changes, rules=rules, cells=data.schema, share="point"
    )
    say(
        f"{len(data.frame)} loan applicants of a German bank. A logistic regression on {len(FEATURES)} "
        f"features, fitted to one half, is right about {accuracy:.1%} of the other half. Whom it refuses "
        "there is explained. Nobody can change their credit history, lose years of employment or gain many; "
        "nobody shall be told to ask for more money or more time, to spend savings, to empty or close an "
        "account, to do without a guarantor or to give up their home. First, as the paper asks, people who "
        "share an explanation are alike in all that they do not change.\n",
    )
    start = perf_counter()
    stop = Stop()
    with stop.on_interrupt():  # what is found is told and saved
        compiling, asked = TimingListener(), data.frame.iloc[sorted(refused[:rows])]
        with ofm.Progress("demo") as progress, install_listener("numba:compile", compiling):
            result = explainer.explain(asked, progress=progress)
        solved = perf_counter()
        saving.tell_result(result, max_changes, show)
        checked = ofm.verify(result.to_json())
        outcome = "accepted" if checked.ok else checked.outcome.upper()
        say(
            f"\nSolved in {solved - start:.2f} s{_of_which(compiling)}; each point is confirmed by the "
            f"classifier's own predict. Result and proof {outcome} by code that shares nothing with the "
            f"solver, in {perf_counter() - solved:.2f} s.",
        )
        say(_with_advice_alone(explainer.set_params(share="action").explain(asked)))
        page = partial(result.report, file=None if json_file is None else str(json_file))
        saving.save_all({json_file: result.to_json, report: page})
        if json_file is not None:
            say(f"Saved; check it again with: oneformany verify {shown(json_file)}")
        if report is not None:
            say(f"The report is {shown(report)}: open it in a browser.")
    saving.end(interrupted=stop.interrupted, proved=result.ended == "proved")


def _with_advice_alone(result: ofm.Result) -> str:
    """Say how many explanations people need who share the advice only."""
    from oneformany.result.words import short_words

    parts = result.summary(limit=1).split("\n\n")
    first = next((part for part in parts if part.startswith("Explanation 1")), "")
    return (
        "\nSecond, people need to share the advice only, as explain asks unless told otherwise "
        f"(--share action): {short_words(result)}.\n\n{first}"
    )


def _of_which(compiling: TimingListener) -> str:
    """Say what of the time went into compiling, which later runs do not need again."""
    seconds = compiling.duration if compiling.done else 0.0
    return (
        f", of which {seconds:.1f} s went into compiling, which is done once"
        if seconds >= WORTH_TELLING
        else ""
    )


def refused_by(classifier: AnyModel, data: ofm.datasets.Dataset) -> tuple[list[int], float]:
    """Fit to one half of the rows; of the other half, give those that are refused, and the accuracy."""
    from sklearn.model_selection import train_test_split

    fitted, others = train_test_split(range(len(data.frame)), test_size=0.5, random_state=0)
    classifier.fit(data.one_hot[fitted], data.target[fitted])
    predicted = classifier.predict(data.one_hot[others])
    refused = [row for row, label in zip(others, predicted, strict=True) if label == 0]
    return refused, float((predicted == data.target[others]).mean())


def german_models(max_changes: int, share: Share) -> Iterator[tuple[str, ofm.OneForMany, pd.DataFrame]]:
    """A logistic regression and a network on the embedded data, and 100 applicants that each refuses."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    data = ofm.datasets.load("german")
    for name, classifier in {
        "logistic regression": LogisticRegression(solver="liblinear", C=10, random_state=0),
        "network": MLPClassifier((20, 20), alpha=1.0, max_iter=100, random_state=0),
    }.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # so many epochs, no more
            refused, _ = refused_by(classifier, data)
        explainer = ofm.OneForMany(classifier, max_changes=max_changes, share=share, cells=data.schema)
        yield f"german credit, {name}", explainer, data.frame.iloc[refused[:100]]
