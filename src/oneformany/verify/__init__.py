"""Independent verification of result files: shares nothing with the code that computed them.

What is checked from scratch, what only a digest binds, and when a claim is neither confirmed nor wrong, is
said in ``docs/checking.md``. Bounds are recomputed in integers; no solver is asked.

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
