"""The report: one self-contained page for an audit file, made from a result alone."""

from oneformany.report.report import report_html, write_report

__all__ = ["report_html", "write_report"]
