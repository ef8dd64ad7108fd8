"""Independent verification of result files: shares nothing with the code that computed them.

Checked from scratch, whoever wrote the file: every row is covered, called unreachable or undecided; each
explanation changes few enough features, by allowed moves, to a point that the classifier of the file surely
accepts; no row called unreachable can be helped; no fewer explanations than the bound cover the covered rows;
count, bound and status fit together. Bounds are recomputed in integers; no solver is asked.

Bound by the digest only: labels, row numbers, index, schema, statistics, versions, seed, method and how the
run ended. The digest notices accidents and edits; who can compute it anew can change those.

Every claim ends as confirmed, wrong, or cannot be confirmed: rounding decides, too many points would have to
be looked at, the classifier is not part of the file, a solver left no proof, or time or memory are used up.

To read it whole, begin with what is read (``reading``, ``classifiers``, ``problem``, ``proofs``, ``claims``);
then what rows could become (``points``), and groups, listed (``listing``) or searched for (``search``); then
``answer`` and the bounds (``cases``, ``bound``). ``verification`` composes them.

The package can be called: ``oneformany.verify(source)`` is ``oneformany.verify.verify(source)``.

Examples
--------
>>> import oneformany as ofm
>>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], intercept=-1)
>>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
>>> ofm.verify(result.to_json()).ok
True
"""

import sys
from inspect import signature
from types import ModuleType

from oneformany.verify.verification import Check, Outcome, Report, verify

__all__ = ["Check", "Outcome", "Report", "verify"]


class _CallableModule(ModuleType):
    """The package, whose call verifies; what type checkers are told about it stands in ``typed.py``."""

    __call__ = staticmethod(verify)


sys.modules[__name__].__class__ = _CallableModule
__signature__ = signature(verify)
