"""Read ONNX graphs of matrix products, sums and ReLU; onnx is imported only when one is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.readers.chances import DOUBLE, SINGLE, both_classes
from oneformany.readers.networks.feed_forward import RELU, Affine, Step, confirmed_oracle, normalisation
from oneformany.schema.encoding import Encoding

TRIVIAL = frozenset({"Cast", "Dropout", "Flatten", "Identity", "Reshape", "Squeeze"})
HEADS = frozenset({"LogSoftmax", "Sigmoid", "Softmax"})
ENTRYWISE = frozenset({"Add", "Div", "Mul", "Sub"})
READ = (
    "Gemm, MatMul, Add, Sub, Mul, Div (with constants), Relu, BatchNormalization, Flatten, Reshape, Squeeze, "
    "Identity, Cast, Dropout, and at the end Sigmoid, Softmax or LogSoftmax"
)


def read_network(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: int = 1
) -> NetworkOracle:
    """Read a graph of linear operations and ReLU, so that the engine can prove what it answers.

    It has one input and one output: one logit (that of class 1) or one per class, or their sigmoid or
    softmax.
    """
    chain = _follow(_load(model), encoding.width)
    roundoff = SINGLE if np.dtype(np.float32) in chain.precisions else DOUBLE
    own = partial(class_probabilities, model)
    return confirmed_oracle(
        "the ONNX graph", chain.steps, chain.head, encoding, threshold, positive, roundoff, own
    )


def class_probabilities(model: AnyModel, columns: FloatArray) -> FloatArray:
    """What a graph itself says, by the reference implementation: a column of probabilities per class."""
    from onnx.reference import ReferenceEvaluator

    loaded = _load(model)
    chain = _follow(loaded, columns.shape[1])
    (entry,) = _entries(loaded.graph)
    evaluator = ReferenceEvaluator(loaded)
    with np.errstate(over="ignore", invalid="ignore"):  # the reference sigmoid computes both branches
        parts = [
            np.reshape(evaluator.run(None, {entry.name: part})[0], (len(part), -1))
            for part in _batches(columns.astype(_dtype(entry)), entry)
        ]
    outputs = np.concatenate(parts)
    if chain.head == "LogSoftmax":
        outputs = np.exp(outputs)
    elif chain.head is None and outputs.shape[1] == 1:
        outputs = np.exp(-np.logaddexp(0, -outputs))
    elif chain.head is None:
        outputs = np.exp(outputs - np.logaddexp.reduce(outputs, axis=1, keepdims=True))
    return both_classes(outputs[:, 0]) if outputs.shape[1] == 1 else np.asarray(outputs, dtype=np.float64)


@dataclass
class _Chain:
    """A graph as far as it was followed."""

    width: int
    steps: list[Step] = field(default_factory=list)
    head: str | None = None
    precisions: set[np.dtype[Any]] = field(default_factory=set)

    def add(self, *steps: Affine) -> None:
        """Go on with affine steps."""
        self.steps += steps
        self.width = len(steps[-1].bias)


def _load(model: AnyModel) -> AnyValue:
    import onnx

    if isinstance(model, (str, os.PathLike)):
        return onnx.load(model)
    if not isinstance(model, onnx.ModelProto):
        raise UnsupportedModelError(f"{type(model).__name__} is neither an onnx.ModelProto nor a path to one")
    return model


def _entries(graph: AnyModel) -> list[Any]:
    """Inputs that are not weights."""
    weights = {weight.name for weight in graph.initializer}
    return [entry for entry in graph.input if entry.name not in weights]


def _dtype(entry: AnyValue) -> np.dtype[Any]:
    import onnx

    dtype: np.dtype[Any] = onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type)
    return dtype


def _batches(columns: NDArray[Any], entry: AnyValue) -> Iterator[NDArray[Any]]:
    """As many rows at once as the graph takes."""
    shape = entry.type.tensor_type.shape.dim
    size = shape[0].dim_value if len(shape) else 0
    size = size or len(columns)
    for start in range(0, len(columns), size):
        yield columns[start : start + size]


def _follow(model: AnyModel, width: int) -> _Chain:
    """Follow the input through the graph to its logits."""
    from onnx import numpy_helper

    graph = model.graph
    entries = _entries(graph)
    if len(entries) != 1 or len(graph.output) != 1:
        raise UnsupportedModelError(
            f"the ONNX graph has {len(entries)} inputs and {len(graph.output)} outputs; it needs one of each"
        )
    constants = {weight.name: numpy_helper.to_array(weight) for weight in graph.initializer}
    chain = _Chain(width, precisions={_dtype(entries[0])})
    current = entries[0].name
    for node in graph.node:
        variable = [name for name in node.input if name and name not in constants]
        if not variable:
            constants[node.output[0]] = _constant(node, constants)
            continue
        if variable != [current]:
            raise UnsupportedModelError(f"the ONNX graph is not a chain of layers: see {node.op_type!r}")
        if chain.head is not None and node.op_type not in TRIVIAL:
            raise UnsupportedModelError(f"the ONNX graph goes on with {node.op_type} after {chain.head}")
        _read(chain, node, current, [constants.get(name) for name in node.input])
        current = node.output[0]
    if graph.output[0].name != current:
        raise UnsupportedModelError(f"the ONNX graph's output {graph.output[0].name!r} is not its last layer")
    unknown = chain.precisions - {np.dtype(np.float32), np.dtype(np.float64)}
    if unknown:
        raise UnsupportedModelError(f"the ONNX graph computes in {unknown.pop()}, not float32 or float64")
    return chain


def _constant(node: AnyModel, constants: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Compute what depends on no input."""
    from onnx import helper

    attributes = _attributes(node)
    if node.op_type == "Constant" and "value" in attributes:
        from onnx import numpy_helper

        return np.asarray(numpy_helper.to_array(attributes["value"]))
    if node.op_type == "Identity":
        return constants[node.input[0]]
    if node.op_type == "Transpose":
        return np.transpose(constants[node.input[0]], attributes.get("perm"))
    if node.op_type == "Cast":
        return constants[node.input[0]].astype(helper.tensor_dtype_to_np_dtype(attributes["to"]))
    raise UnsupportedModelError(f"the ONNX graph computes weights with {node.op_type}; store them instead")


def _attributes(node: AnyModel) -> dict[str, Any]:
    from onnx import helper

    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def _read(chain: _Chain, node: AnyModel, current: str, inputs: list[NDArray[Any] | None]) -> None:
    """Read one node."""
    kind = node.op_type
    weights = [array for array in inputs if array is not None]
    if kind in TRIVIAL:
        if kind == "Cast":
            from onnx import helper

            chain.precisions.add(np.dtype(helper.tensor_dtype_to_np_dtype(_attributes(node)["to"])))
        return
    chain.precisions.update(array.dtype for array in weights)
    first = node.input[0] == current
    if kind == "Relu":
        chain.steps.append(RELU)
    elif kind in HEADS:
        chain.head = kind
    elif kind == "MatMul" and first and weights[0].ndim == 2:
        chain.add(Affine.of(weights[0]))
    elif kind == "Gemm" and first and not _attributes(node).get("transA"):
        chain.add(_gemm(node, weights))
    elif kind in ENTRYWISE and (first or kind in ("Add", "Mul")):
        chain.add(_entrywise(kind, weights[0], chain.width))
    elif kind == "BatchNormalization" and first:
        scale, shift, mean, variance = weights
        chain.add(*normalisation(mean, variance, _attributes(node).get("epsilon", 1e-5), scale, shift))
    else:
        raise UnsupportedModelError(f"the ONNX graph contains {kind}; read are {READ}")


def _gemm(node: AnyModel, weights: list[NDArray[Any]]) -> Affine:
    attributes = _attributes(node)
    matrix = weights[0].T if attributes.get("transB") else weights[0]
    matrix = matrix * np.float64(attributes.get("alpha", 1.0))
    bias = np.zeros(matrix.shape[1])
    if len(weights) > 1:
        bias += weights[1].reshape(-1) * np.float64(attributes.get("beta", 1.0))
    return Affine.of(matrix, bias)


def _entrywise(kind: str, constant: NDArray[Any], width: int) -> Affine:
    if constant.size not in (1, width):
        raise UnsupportedModelError(
            f"the ONNX graph has {kind} with a constant of shape {constant.shape} for {width} numbers"
        )
    numbers = np.broadcast_to(constant.reshape(-1).astype(np.float64), (width,))
    if kind in ("Add", "Sub"):
        return Affine.scaling(np.ones(width), numbers if kind == "Add" else -numbers)
    return Affine.scaling(numbers if kind == "Mul" else 1 / numbers, np.zeros(width))
