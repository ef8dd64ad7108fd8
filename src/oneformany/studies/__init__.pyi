from oneformany.studies.audit import Audit as Audit
from oneformany.studies.audit import Difference as Difference
from oneformany.studies.curves import Frontier as Frontier
from oneformany.studies.curves import FrontierPoint as FrontierPoint
from oneformany.studies.curves import frontier as frontier
from oneformany.studies.nearest import Alternative as Alternative
from oneformany.studies.nearest import alternatives as alternatives
