from oneformany.schema.encoding import Encoding as Encoding
from oneformany.schema.rules.combine import RowRule as RowRule
from oneformany.schema.rules.combine import Rule as Rule
from oneformany.schema.rules.combine import allowed_moves as allowed_moves
from oneformany.schema.rules.compared import NumberRule as NumberRule
from oneformany.schema.rules.rows import CellRule as CellRule
