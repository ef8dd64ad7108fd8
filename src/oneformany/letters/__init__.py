"""One letter per refused person: why, and what would have changed the decision."""

from oneformany.letters.letters import TEMPLATE as TEMPLATE
from oneformany.letters.letters import Letters as Letters
from oneformany.letters.letters import write_letters as write_letters

__all__ = ["TEMPLATE", "Letters", "write_letters"]
