"""The package as a type checker may see it: a module cannot be called, so it is told of a class."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from oneformany.verify import verification
    from oneformany.verify.answer import Sample, Score
    from oneformany.verify.problem import OwnRule
    from oneformany.verify.reading import Source

    class verify:  # noqa: N801 (the name of the package)
        """What ``oneformany.verify`` is: called it verifies, and it holds the public names of the package."""

        Check: TypeAlias = verification.Check
        Outcome: TypeAlias = verification.Outcome
        Report: TypeAlias = verification.Report
        verify = staticmethod(verification.verify)

        def __new__(  # type: ignore[misc]
            cls,
            source: Source,
            *,
            score: Score | None = ...,
            rules: Sequence[OwnRule] = ...,
            sample: Sample | None = ...,
            time_limit: float | None = ...,
            memory_limit: float | None = ...,
            progress: Callable[[str], None] | None = ...,
        ) -> verification.Report:
            """Verify, as the function does."""

else:
    verify = sys.modules["oneformany.verify"]
