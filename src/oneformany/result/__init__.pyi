from oneformany.result.explanation import Explanation as Explanation
from oneformany.result.explanation import Unreachable as Unreachable
from oneformany.result.row_index import RowIndex as RowIndex
