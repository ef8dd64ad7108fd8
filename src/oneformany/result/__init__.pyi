from oneformany.result.explanation import Explanation as Explanation
from oneformany.result.explanation import Unreachable as Unreachable
from oneformany.result.others import Others as Others
from oneformany.result.row_index import RowIndex as RowIndex
