"""ONNX graphs that are not plain networks, as functions from frames to probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oneformany.anything import AnyModel, AnyValue
from oneformany.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.arrays import FloatArray


def as_model(graph: AnyModel) -> AnyModel:
    """Choose how to read a graph: itself where the reader of networks may follow it, else as a function."""
    weights = {weight.name for weight in graph.graph.initializer}
    inputs = [entry for entry in graph.graph.input if entry.name not in weights]
    foreign = any(node.domain not in {"", "ai.onnx"} for node in graph.graph.node)
    if len(inputs) == 1 and len(graph.graph.output) == 1 and not foreign:
        return graph
    from oneformany.readers.callables import BlackBox

    return BlackBox(GraphFunction(graph))


class GraphFunction:
    """The probabilities that onnxruntime computes for the rows of a frame.

    The graph has one input of numbers for all columns, or one input per column, by name; one of its outputs
    holds probabilities, a column or an entry per class.
    """

    def __init__(self, graph: AnyModel) -> None:
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)
        self._session = onnxruntime.InferenceSession(
            graph.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        self._inputs = self._session.get_inputs()

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Probabilities of all classes, one row each."""
        outputs = self._session.run(None, self._fed(frame))
        for output in outputs:
            if isinstance(output, list) and output and isinstance(output[0], dict):
                return np.array([[row[label] for label in sorted(row)] for row in output], dtype=np.float64)
        for output in outputs:
            array = np.asarray(output)
            if np.issubdtype(array.dtype, np.floating) and array.shape[:1] == (len(frame),):
                return array.reshape(len(frame), -1).astype(np.float64)
        raise InputError("no output of the ONNX graph holds a probability per row")

    def _fed(self, frame: pd.DataFrame) -> dict[str, Any]:
        if len(self._inputs) == 1:
            (entry,) = self._inputs
            width = entry.shape[1] if len(entry.shape) == 2 else None
            if isinstance(width, int) and width != frame.shape[1]:
                names = ", ".join(map(str, frame.columns[:20]))
                raise InputError(
                    f"the ONNX graph reads {width} columns and the rows have {frame.shape[1]} ({names}); "
                    "keep those it was fitted on, in their order, with --columns"
                )
            return {entry.name: self._column(entry, frame.to_numpy(), "the rows")}
        missing = [entry.name for entry in self._inputs if entry.name not in frame.columns]
        if missing:
            raise InputError(
                f"the ONNX graph reads {missing[0]!r}, which is not a column of the rows; these are "
                f"{', '.join(map(str, frame.columns[:20]))}"
            )
        return {
            entry.name: self._column(entry, frame[[entry.name]].to_numpy(), f"column {entry.name!r}")
            for entry in self._inputs
        }

    @staticmethod
    def _column(entry: AnyValue, values: AnyValue, what: str) -> AnyValue:
        kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64}
        if entry.type == "tensor(string)":
            return values.astype(str).astype(object)
        if entry.type == "tensor(bool)":
            return values.astype(np.bool_)
        if entry.type not in kinds:
            raise InputError(f"the ONNX graph reads {entry.type}, which rows of a table are not")
        try:
            return values.astype(kinds[entry.type])
        except (TypeError, ValueError) as error:
            raise InputError(f"{what} must hold numbers, as the ONNX graph reads numbers: {error}") from error
