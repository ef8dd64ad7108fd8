"""Names for what comes from other libraries, whose types are known only when the program runs."""

from typing import Any, TypeAlias

AnyModel: TypeAlias = Any  # a fitted model, or a part of one
AnyFrame: TypeAlias = Any  # a data frame, or where to read one
AnyValue: TypeAlias = Any  # anything else: a value of a frame, an array of another library, a field of a file
