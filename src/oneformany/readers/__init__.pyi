from oneformany.readers.callables import BlackBox as BlackBox
from oneformany.readers.registry import Reader as Reader
from oneformany.readers.registry import oracle_for as oracle_for
from oneformany.readers.registry import register_reader as register_reader
from oneformany.readers.verdict import ProbabilityVerdict as ProbabilityVerdict
from oneformany.readers.verdict import Reading as Reading
from oneformany.readers.verdict import Verdict as Verdict
