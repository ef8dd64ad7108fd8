"""The verification of a result file: composes the checks, and reports what they found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial
from html import escape

from oneformany.exceptions import CertificateError
from oneformany.verify import alone, answer, bound
from oneformany.verify.claims import Claims, read_claims
from oneformany.verify.problem import OwnRule
from oneformany.verify.reading import Limits, NotConfirmedError, Parsed, Source, check_digest, read_document
from oneformany.verify.version_2 import current

Examine = Callable[[Claims], str]


class Outcome(StrEnum):
    """What became of a claim, or of all claims of a file together."""

    CONFIRMED = "confirmed"
    WRONG = "wrong"
    UNCONFIRMED = "cannot be confirmed"


@dataclass(frozen=True)
class Check:
    """One claim of the file, examined.

    Attributes
    ----------
    name : str
        The claim.
    outcome : Outcome
        Confirmed, wrong, or neither.
    detail : str
        How it was confirmed, what is wrong, or why it stays open.
    """

    name: str
    outcome: Outcome
    detail: str

    @property
    def ok(self) -> bool:
        """Whether the claim was confirmed."""
        return self.outcome is Outcome.CONFIRMED


@dataclass(frozen=True)
class Report:
    """All claims of one result file, examined.

    Attributes
    ----------
    checks : tuple of Check
        One entry per claim.
    """

    checks: tuple[Check, ...]

    def __str__(self) -> str:
        lines = [f"    {check.name}: {check.outcome} ({check.detail})" for check in self.checks]
        return "\n".join([self.outcome, *lines])

    def _repr_html_(self) -> str:
        lines = "".join(
            f"<tr><td>{escape(check.name)}</td><td>{escape(str(check.outcome))}</td>"
            f"<td>{escape(check.detail)}</td></tr>"
            for check in self.checks
        )
        head = "<tr><th>claim</th><th>outcome</th><th>how it was checked</th></tr>"
        table = f"<table><thead>{head}</thead><tbody>{lines}</tbody></table>"
        return f"<div><p>{escape(str(self.outcome))}</p>{table}</div>"

    @property
    def outcome(self) -> Outcome:
        """Wrong if one claim is, confirmed if all are."""
        found = {check.outcome for check in self.checks}
        return next((o for o in (Outcome.WRONG, Outcome.UNCONFIRMED) if o in found), Outcome.CONFIRMED)

    @property
    def ok(self) -> bool:
        """Whether every claim was confirmed."""
        return self.outcome is Outcome.CONFIRMED

    def raise_if_rejected(self) -> None:
        """Turn everything but a confirmation into an error that lists the reasons.

        Raises
        ------
        CertificateError
            At least one claim is wrong or cannot be confirmed.
        """
        open_claims = [f"{check.name}: {check.detail}" for check in self.checks if not check.ok]
        if open_claims:
            word = "wrong" if self.outcome is Outcome.WRONG else "not confirmed"
            raise CertificateError(f"the result is {word}; " + "; ".join(open_claims))


def verify(
    source: Source,
    *,
    score: answer.Score | None = None,
    rules: Sequence[OwnRule] = (),
    sample: answer.Sample | None = None,
    time_limit: float | None = 600.0,
    memory_limit: float | None = 4.0,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Re-check a result: the explanations, the rows that cannot be helped, and the bounds.

    Parameters
    ----------
    source : Result, path, str or mapping
        A result, a file written by its ``to_json``, its text, or its content as plain data.
    score : callable, optional
        The classifier's score of each row of an ``(n, p)`` array of codes, to check the points with. A file
        that does not hold its classifier cannot be confirmed without it.
    rules : sequence, optional
        Rules on whole rows that are the user's own, in the order of the file, which does not hold them: each
        has ``holds(before, after)``, on ``(n, p)`` arrays of codes. Without them, what depends on them cannot
        be confirmed; all else is.
    sample : mapping, optional
        For a file that holds only numbers of some people: how many of ``"people"`` among them, drawn at
        random, are ``"covered"``, ``"unreachable"``, ``"undecided"`` and ``"left_out"``. Without it these
        numbers cannot be confirmed; all else is.
    time_limit : float or None
        Seconds after which what is still open cannot be confirmed; ``None``: no limit.
    memory_limit : float or None
        Gigabytes that the file and the arrays made of it may take; ``None``: no limit.
    progress : callable, optional
        Is told each claim before it is examined, for example a :class:`oneformany.Progress`.

    Returns
    -------
    Report
        One check per claim; ``report.outcome`` tells whether the file is confirmed, wrong, or neither.

    Raises
    ------
    CertificateError
        The source is not a complete result of this format.
    InputError
        A limit is not a number of 0 or more, or rules are not those of which the file has the names.
    """
    limits, tell = Limits(time_limit, memory_limit), progress or (lambda _: None)
    tell("reading the file")
    try:
        content = read_document(source, limits)
        claims = read_claims(current(content), limits, rules)
    except (NotConfirmedError, MemoryError) as error:
        return Report((Check("the file can be examined", Outcome.UNCONFIRMED, _reason(error)),))
    answers, bounds = _answers(claims, content, score), _bounds(claims)
    if claims.others.people:
        answers["other people are as told"] = partial(answer.check_others, sample=sample)
    examined: list[Check] = []
    for name, check in (answers | bounds).items():
        tell(name)
        if name in bounds and any(done.outcome is Outcome.WRONG for done in examined[: len(answers)]):
            examined.append(Check(name, Outcome.UNCONFIRMED, "not examined: the answer is wrong already"))
        else:
            examined.append(_examine(name, check, claims))
    return Report(tuple(examined))


def _answers(claims: Claims, content: Parsed, score: answer.Score | None) -> dict[str, Examine]:
    """What is said about the answer itself, and about rows that have none."""
    checks: dict[str, Examine] = {
        "the file is as it was written": lambda _: check_digest(content),
        "counts and status agree": answer.check_counts,
        "every row is accounted for": answer.check_assignment,
        "changes are few and allowed": answer.check_changes,
    }
    if score is None or not claims.problem.classifier.missing:
        checks["points are positive"] = answer.check_points
    if score is not None:
        checks["points are positive under the given score"] = partial(answer.check_scores, score=score)
    if claims.problem.unknown:
        checks["your own rules are kept"] = answer.check_own_rules
    if claims.problem.slack is not None:
        checks["rows have a way alone"] = partial(alone.check_ways_alone, score=score)
        checks["no row has a cheaper way alone"] = _whatever_is_positive(alone.check_nothing_cheaper)
    checks["unreachable rows cannot be helped"] = _whatever_is_positive(answer.check_unreachable)
    if claims.alike is not None:
        checks["groups are helped alike"] = _check_alike
    if claims.cost_proof is not None:
        checks["cost is what the changes cost"] = answer.check_cost
    return checks


def _bounds(claims: Claims) -> dict[str, Examine]:
    """What is said about all other answers."""
    checks: dict[str, Examine] = {"lower bound holds": bound.check_bound}
    if claims.goal.limited:
        holds = cache(bound.check_weights)
        checks = {
            "no more people can be covered": partial(bound.check_covered_bound, holds=holds),
            "lower bound holds": partial(bound.check_people_bound, holds=holds),
        }
    if claims.alike is not None:
        checks["no better answer helps groups alike"] = _check_alike_bound
    if claims.cost_proof is not None:
        checks["cost bound holds"] = bound.check_cost_bound
    return {name: _whatever_is_positive(check) for name, check in checks.items()}


def _check_alike(claims: Claims) -> str:
    if claims.alike is None:
        raise CertificateError("there are no groups")
    return claims.alike.check(claims.problem.people, claims.covered_rows)


def _check_alike_bound(claims: Claims) -> str:
    if claims.alike is None:
        raise CertificateError("there are no groups")
    fewest = claims.goal.explanations is None
    return claims.alike.check_bound(claims.lower_bound if fewest else claims.covered_bound, fewest=fewest)


def _whatever_is_positive(check: Examine) -> Examine:
    """Let a claim about everything that rows could become hold for all points that are possibly positive.

    If it does not, it is wrong only if it does not hold for the fewer points either that surely are.
    """

    def examined(claims: Claims) -> str:
        classifier = claims.problem.classifier
        try:
            return _whatever_is_allowed(check, claims)
        except CertificateError as error:
            if not classifier.doubt:
                raise
            surely = replace(claims.problem, classifier=replace(classifier, lenient=False))
            try:
                _whatever_is_allowed(check, replace(claims, problem=surely))
            except CertificateError:
                raise error from None
            found = f"{error}, unless the model turns it down: {classifier.doubt}"
            raise NotConfirmedError(found) from error

    return examined


def _whatever_is_allowed(check: Examine, claims: Claims) -> str:
    """Let a claim about all changes hold for every change that rules forbid which nobody can check.

    If it does not, it is wrong only if it does not hold either where these rules forbid everything.
    """
    problem = claims.problem
    try:
        return check(claims)
    except CertificateError as error:
        if not problem.unknown:
            raise
        nothing = replace(problem, restrictions=(*problem.restrictions, answer.NOTHING_ALLOWED))
        try:
            check(replace(claims, problem=nothing))
        except CertificateError:
            raise error from None
        raise NotConfirmedError(f"{error}, unless it is forbidden: {answer.not_known(problem)}") from error


def _examine(name: str, check: Examine, claims: Claims) -> Check:
    try:
        claims.problem.limits.check()
        return Check(name, Outcome.CONFIRMED, check(claims))
    except CertificateError as error:
        return Check(name, Outcome.WRONG, str(error))
    except (NotConfirmedError, MemoryError) as error:
        return Check(name, Outcome.UNCONFIRMED, _reason(error))


def _reason(error: Exception) -> str:
    return "too large to check: the memory is used up" if isinstance(error, MemoryError) else str(error)
