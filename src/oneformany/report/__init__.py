"""The report: one self-contained page for an audit file, made from a result alone."""

from oneformany.report.card import model_card
from oneformany.report.report import report_html, write_report

__all__ = ["model_card", "report_html", "write_report"]
