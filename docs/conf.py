"""Configuration of the documentation site: ``sphinx-build -W docs docs/_build``."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import TYPE_CHECKING, Any

from latex2mathml.converter import convert

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "oneformany"
author = "The oneformany developers"
copyright = author  # noqa: A001 (Sphinx's own name)
version = release = installed("oneformany")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say what each argument is
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
viewcode_line_numbers = True

suppress_warnings = ["ref.python"]  # types in docstrings are words: "width" is not the name of anything

html_theme = "furo"
html_title = f"oneformany {version}"
html_math_renderer = "mathml"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["output.css"]


def setup(app: Sphinx) -> None:
    """Write formulas as MathML, which browsers show without any script or download."""
    from docutils.nodes import SkipNode

    def inline(translator: Any, node: Any) -> None:  # noqa: ANN401 (Sphinx's own classes)
        translator.body.append(convert(node.astext()))
        raise SkipNode

    def block(translator: Any, node: Any) -> None:  # noqa: ANN401 (as above)
        translator.body.append(convert(node.astext(), display="block"))
        raise SkipNode

    app.add_html_math_renderer("mathml", (inline, None), (block, None))
