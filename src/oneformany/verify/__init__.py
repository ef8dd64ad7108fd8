"""Independent verification of result files: shares nothing with the code that computed them."""

from oneformany.verify.report import Check, Report
from oneformany.verify.verification import verify

__all__ = ["Check", "Report", "verify"]
