"""The section "recourse" of a model card: who is refused, who can be helped by how little, what is proved."""

import re
from collections.abc import Sequence

from oneformany.anything import AnyValue
from oneformany.exceptions import InputError
from oneformany.result import words
from oneformany.result.beyond import beyond_help_words, gap_filled_words, unread_words
from oneformany.result.file import digest_of
from oneformany.result.labels import many, shown
from oneformany.result.result import Result
from oneformany.studies.audit import Audit

MOST_LISTED = 10  # explanations: a card is read, not searched
SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~!&])")  # what Markdown or HTML in it would take for its own
ARGUMENTS = re.compile(r" \((bins|max_changes|share|time_limit)=[^()]*\)")
TITLE = "Recourse"


def model_card(
    result: Result, card: AnyValue = None, *, audits: Sequence[Audit] = (), file: str | None = None
) -> str:
    """Write the section, and add it to a card of skops if one is given; see :meth:`Result.model_card`.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
    >>> model_card(result).splitlines()[0]
    '## Recourse'
    """
    parts = dict(_parts(result, audits, file or "result.json"))
    if card is not None:
        if not hasattr(card, "add"):
            raise InputError(f"card must be a Card of skops, not {type(card).__name__}")
        card.add(**{TITLE: parts[""], **{f"{TITLE}/{name}": text for name, text in parts.items() if name}})
    told = [f"## {TITLE}", parts.pop("")]
    for name, text in parts.items():
        told += [f"### {name}", text]
    return "\n\n".join(told) + "\n"


def _parts(result: Result, audits: Sequence[Audit], file: str) -> list[tuple[str, str]]:
    """Give headings and texts; the first text stands below the title."""
    labels = result.labels
    parts = [("", plain(words.status_words(result)))]
    if result.count:
        parts.append(("Who can be helped, and by what", _explanations(result)))
    beyond = []
    if result.unreachable:
        beyond.append(f"Proved to be beyond help: {beyond_help_words(result)}")
    if result.undecided:
        undecided = labels.counted(labels.people(result.undecided))
        beyond.append(f"Not known of {undecided}: {words.undecided_words(result)}.")
    if beyond:
        parts.append(("Who cannot", plain(" ".join(beyond))))
    parts += [(f"Subgroups by {plain(audit.by)}", _subgroups(audit)) for audit in audits]
    rules = [f"- {plain(rule)}" for rule in words.rule_words(result)]
    nothing = "None: every feature may change to every value that is offered."
    parts.append(("Rules in force", "\n".join(rules) or nothing))
    read = " ".join(filter(None, [unread_words(result), gap_filled_words(result)]))
    told = [f"What a change costs: {words.cost_words(result)}.", read]
    parts.append(("What is counted", plain(" ".join(filter(None, told)))))
    named = shown(file).replace("`", "")
    check = (
        f"The proof is in the result file (sha256:{digest_of(result)}). Code that shares nothing with the "
        f"solver checks it: `oneformany verify {named}`."
    )
    parts.append(("Proof, and how to check it", f"{plain(words.proof_words(result))}\n\n{check}"))
    return parts


def _explanations(result: Result) -> str:
    """List the largest explanations in a table."""
    labels = result.labels
    order = sorted(range(result.count), key=lambda number: -labels.sizes[number])
    lines = [f"| explanation | {labels.several} | what they change |", "|---|---|---|"]
    for number in order[:MOST_LISTED]:
        told = [f"{name} → {new}" for name, new, _ in words.changes_of(result, number)]
        changes = plain("; ".join(told) or "nothing: already accepted")
        lines.append(f"| {number + 1} | {labels.sizes[number]:,} | {changes} |")
    if result.count > MOST_LISTED:
        lines.append(f"\nand {many(result.count - MOST_LISTED, 'smaller one')}.")
    return "\n".join(lines)


def _subgroups(audit: Audit) -> str:
    """Tell a comparison of subgroups: its counts, what is clear of chance, and measures of recourse."""
    columns = [str(name).replace("_", " ") for name in audit.table.columns]
    head = [plain(audit.by), *map(plain, columns)]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for name, *numbers in audit.table.itertuples():
        cells = [f"{number:,.10g}" if number == number else "" for number in numbers]  # noqa: PLR0124 (NaN)
        lines.append(f"| {plain(name)} | {' | '.join(cells)} |")
    texts = ["\n".join(lines), *_items(audit.summary())]
    if audit.recourse is not None:
        texts += _items(audit.recourse.summary())
    return "\n\n".join(texts)


def _items(text: str) -> list[str]:
    """Turn indented lines below a sentence into a list."""
    head, *lines = text.split("\n")
    items = "\n".join(f"- {plain(line.strip())}" for line in lines)
    return [plain(head), items] if items else [plain(head)]


def plain(text: object) -> str:
    r"""Make a text harmless in Markdown: what is a sign there is escaped.

    >>> print(plain("a|b *c* <script>"))
    a\|b \*c\* \<script\>
    """
    return SPECIAL.sub(r"\\\1", ARGUMENTS.sub("", shown(text)))
