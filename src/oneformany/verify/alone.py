"""Where nobody pays much more than alone: the way that each row has by itself, and that none is cheaper."""

from dataclasses import replace

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.actions import Actions
from oneformany.verify.answer import SCORE_SLACK, Score
from oneformany.verify.claims import Claims
from oneformany.verify.points import Near
from oneformany.verify.problem import Problem
from oneformany.verify.reading import IntArray, NotConfirmedError
from oneformany.verify.slack import Slack

NEVER = 2**62
BATCH = 2**16


def check_ways_alone(claims: Claims, score: Score | None = None) -> str:
    """Confirm that each row may go its own way, is accepted then, and pays what rows like it pay.

    All rows have one that are neither beyond help nor undecided.
    """
    problem, slack = claims.problem, _slack(claims.problem)
    without = set(np.flatnonzero(~slack.known).tolist())
    if missing := without - {*claims.unreachable, *claims.undecided}:
        raise CertificateError(
            f"row {min(missing)} is neither beyond help nor undecided, but has no way alone"
        )
    rows = np.flatnonzero(slack.known)
    after, before = slack.ends[rows], problem.codes[rows]
    for row in rows[(before != after).sum(axis=1) > problem.max_changes][:1]:
        raise CertificateError(f"row {row} alone changes more than {problem.max_changes} features")
    for feature in range(len(problem.levels)):
        problem.limits.check()
        may = problem.may(feature, before[:, feature])[np.arange(len(rows)), after[:, feature]]
        for row in rows[~may][:1]:
            raise CertificateError(f"row {row} alone makes a move of feature {feature} that is not allowed")
    for kind, broken in problem.broken(rows, after):
        for row in rows[broken][:1]:
            raise CertificateError(f"row {row} alone changes against a rule of the kind {kind!r}")
    alike = np.full(len(problem.codes), NEVER)
    np.minimum.at(alike, problem.kinds[rows], slack.least[rows])
    for row in rows[slack.least[rows] > alike[problem.kinds[rows]]][:1]:
        raise CertificateError(f"row {row} alone is said to pay more than a row like it")
    _check_accepted(problem, rows, score)
    return f"{len(rows)} rows have a way of their own that is allowed and positive"


def _check_accepted(problem: Problem, rows: IntArray, score: Score | None) -> None:
    """Confirm that rows are accepted at the ends of their own ways, by the file or by the caller's score."""
    classifier, slack = problem.classifier, _slack(problem)
    if not len(rows):
        return
    if score is None and classifier.missing:
        raise NotConfirmedError(
            f"the file does not hold the {classifier.missing} classifier; give its score to verify"
        )
    ends = problem.followed(rows, slack.ends[rows])
    for begin in range(0, len(rows), BATCH):
        problem.limits.check()
        some, points = rows[begin : begin + BATCH], ends[begin : begin + BATCH]
        if score is None:
            surely, possibly = classifier.judge(points)
        elif classifier.cutoff is None:
            raise NotConfirmedError("the file does not tell the threshold of the score")
        else:
            scores = np.asarray(score(points), dtype=np.float64)
            surely = scores >= classifier.cutoff
            possibly = scores >= classifier.cutoff - SCORE_SLACK * max(1.0, abs(classifier.cutoff))
        for row in some[~possibly][:1]:
            raise CertificateError(f"the way that row {row} has alone does not help it")
        for row in some[~surely][:1]:
            raise NotConfirmedError(f"rounding decides whether the way that row {row} has alone helps it")


def check_nothing_cheaper(claims: Claims) -> str:
    """Confirm that no row has a cheaper way alone than the file says: all that cost less are looked at."""
    slack = _slack(claims.problem)
    problem = replace(claims.problem, slack=None)
    rows = problem.different(np.flatnonzero(slack.known & (slack.least > 0)))
    actions, classifier = Actions(problem, rows), problem.classifier
    summed = classifier.trees is not None or classifier.summed or len(classifier.members) > 0
    if summed and not classifier.missing and actions.are_few:
        for index, row in enumerate(rows.tolist()):
            if (actions.followed_by(index) & (actions.paid(index) < slack.least[row])).any():
                raise CertificateError(f"row {row} can be helped alone for less than the file says")
    else:
        _look_at_cheaper(problem, rows, slack.least[rows])
    return f"none of {int(slack.known.sum())} rows can be helped alone for less"


def _look_at_cheaper(problem: Problem, rows: IntArray, least: IntArray) -> None:
    """Look at all points that cost a row less than it is said to pay at least."""
    near = Near(problem, rows)
    may, cheapest = [], []
    for feature, cells in enumerate(near.cells.T):
        levels = np.arange(problem.levels[feature])
        price = problem.price(feature, cells, levels[:, None])
        away = near.may(feature) & (levels[:, None] != cells) & (price < least)
        may.append(away | (levels[:, None] == cells))
        cheapest.append(np.where(away, price, NEVER // len(problem.levels)).min(axis=0))
    # So many changes cost less at least where each is the cheapest of its feature.
    sums = np.cumsum(np.sort(np.array(cheapest), axis=0), axis=0)
    changes = np.minimum((sums < least).sum(axis=0), problem.max_changes)
    near = Near(problem, rows, np.vstack(may))
    classifier = problem.classifier
    if classifier.missing and not classifier.lenient:
        return
    nothing, every = np.zeros(0, dtype=np.int64), np.arange(len(problem.levels))
    for points, who in near.points(nothing, every, changes):
        less = problem.paid(near.cells[who], points) < least[who]
        for index in who[less][near.held(points[less], who[less])][:1]:
            raise CertificateError(f"row {rows[index]} can be helped alone for less than the file says")


def _slack(problem: Problem) -> Slack:
    if problem.slack is None:
        raise AssertionError("only where there is a slack")
    return problem.slack
