"""Read ONNX graphs of matrix products, sums and ReLU; onnx is imported only when one is read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.readers.networks.feed_forward import RELU, Affine, Chain, Step, normalisation
from oneformany.schema.encoding import Encoding

TRIVIAL = frozenset({"Cast", "Dropout", "Flatten", "Identity", "Reshape", "Squeeze"})
HEADS = frozenset({"LogSoftmax", "Sigmoid", "Softmax"})
COMPUTED = frozenset({"Cast", "Constant", "Identity", "Transpose"})
READ = (
    "Gemm, MatMul, Add, Sub, Mul, Div (with constants), Relu, BatchNormalization, Flatten, Reshape, Squeeze, "
    "Identity, Cast, Dropout, and at the end Sigmoid, Softmax or LogSoftmax"
)


def read_network(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: int = 1
) -> NetworkOracle:
    """Read a graph of linear operations and ReLU, so that the engine can prove what it answers.

    Its output is one logit (that of class 1) or one per class, or their sigmoid or softmax.
    """
    chain = _follow(_load(model), encoding.width)
    return chain.oracle(encoding, threshold, positive, partial(class_probabilities, model))


def class_probabilities(model: AnyModel, columns: FloatArray) -> FloatArray:
    """What a graph itself says, by the reference implementation: a column of probabilities per class."""
    from onnx.reference import ReferenceEvaluator

    loaded = _load(model)
    chain = _follow(loaded, columns.shape[1])
    shape = chain.entry.type.tensor_type.shape.dim
    size = (shape[0].dim_value if len(shape) else 0) or len(columns)  # as many rows as the graph takes
    parts = [columns[start : start + size] for start in range(0, len(columns), size)]
    run = partial(ReferenceEvaluator(loaded).run, None)
    with np.errstate(over="ignore", invalid="ignore"):  # the reference sigmoid computes both branches
        outputs = [
            np.reshape(run({chain.entry.name: part.astype(_dtype(chain.entry))})[0], (len(part), -1))
            for part in parts
        ]
    return chain.probabilities(np.concatenate(outputs))


@dataclass(eq=False, kw_only=True)
class _Graph(Chain):
    """A graph as far as it was followed."""

    entry: Any  # its input
    width: int  # how many numbers it has where it was followed to

    def read(self, node: AnyModel, weights: list[NDArray[Any]], *, first: bool) -> None:
        """Go on with a node that has weights beside what comes from the node before, its ``first`` input."""
        from onnx import helper

        kind = node.op_type
        settings = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        if kind in TRIVIAL:
            if kind == "Cast":
                self.precisions.add(helper.tensor_dtype_to_np_dtype(settings["to"]).name)
            return
        if self.head is not None:
            raise UnsupportedModelError(f"the ONNX graph goes on with {kind} after {self.head}")
        if kind in HEADS:
            self.head = kind
            return
        self.precisions.update(array.dtype.name for array in weights)
        steps: list[Step] = []
        if kind == "Relu":
            steps = [RELU]
        elif kind == "MatMul" and first and weights[0].ndim == 2:
            steps = [Affine.of(weights[0])]
        elif kind == "Gemm" and first and not settings.get("transA"):
            matrix = np.float64(settings.get("alpha", 1.0)) * (
                weights[0].T if settings.get("transB") else weights[0]
            )
            bias = [np.float64(settings.get("beta", 1.0)) * array.reshape(-1) for array in weights[1:]]
            steps = [Affine.of(matrix, sum(bias, np.zeros(matrix.shape[1])))]
        elif kind in ("Add", "Mul") or (kind in ("Sub", "Div") and first):
            steps = [self._entrywise(kind, weights[0])]
        elif kind == "BatchNormalization" and first:
            scale, shift, mean, variance = weights
            steps = [*normalisation(mean, variance, settings.get("epsilon", 1e-5), scale, shift)]
        else:
            raise UnsupportedModelError(f"the ONNX graph contains {kind}; read are {READ}")
        self.steps += steps
        self.width = next((len(step.bias) for step in steps[::-1] if isinstance(step, Affine)), self.width)

    def _entrywise(self, kind: str, constant: NDArray[Any]) -> Affine:
        width = self.width
        if constant.size not in (1, width):
            raise UnsupportedModelError(
                f"the ONNX graph has {kind} with a constant of shape {constant.shape} for {width} numbers"
            )
        numbers = np.broadcast_to(constant.reshape(-1).astype(np.float64), (width,))
        if kind in ("Add", "Sub"):
            return Affine.scaling(np.ones(width), numbers if kind == "Add" else -numbers)
        return Affine.scaling(numbers if kind == "Mul" else 1 / numbers, np.zeros(width))


def _load(model: AnyModel) -> AnyValue:
    import onnx

    if isinstance(model, (str, os.PathLike)):
        return onnx.load(model)
    if not isinstance(model, onnx.ModelProto):
        raise UnsupportedModelError(f"{type(model).__name__} is neither an onnx.ModelProto nor a path to one")
    return model


def _dtype(entry: AnyValue) -> np.dtype[Any]:
    import onnx

    dtype: np.dtype[Any] = onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type)
    return dtype


def _follow(model: AnyModel, width: int) -> _Graph:
    """Follow the input through the graph to its logits."""
    from onnx import numpy_helper
    from onnx.reference import ReferenceEvaluator

    graph = model.graph
    constants = {weight.name: numpy_helper.to_array(weight) for weight in graph.initializer}
    entries = [entry for entry in graph.input if entry.name not in constants]
    if len(entries) != 1 or len(graph.output) != 1:
        raise UnsupportedModelError(
            f"the ONNX graph has {len(entries)} inputs and {len(graph.output)} outputs; it needs one of each"
        )
    (entry,) = entries
    precisions = {_dtype(entry).name}
    chain = _Graph(model="the ONNX graph", entry=entry, width=width, precisions=precisions)
    current = entry.name
    for node in graph.node:
        known = {name: constants[name] for name in node.input if name in constants}
        variable = [name for name in node.input if name and name not in constants]
        if variable == [current]:
            chain.read(node, list(known.values()), first=node.input[0] == current)
            current = node.output[0]
        elif variable:
            raise UnsupportedModelError(f"the ONNX graph is not a chain of layers: see {node.op_type!r}")
        elif node.op_type in COMPUTED:
            constants[node.output[0]] = ReferenceEvaluator(node).run(None, known)[0]
        else:
            raise UnsupportedModelError(
                f"the ONNX graph computes weights with {node.op_type}; store them instead"
            )
    if graph.output[0].name != current:
        raise UnsupportedModelError(f"the ONNX graph's output {graph.output[0].name!r} is not its last layer")
    return chain
