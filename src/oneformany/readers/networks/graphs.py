"""Read PyTorch modules and ONNX graphs of linear layers and ReLU; either library is imported only for one."""

import os
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, OneForManyError, UnsupportedModelError
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.readers.networks.feed_forward import RELU, Affine, Chain, Step
from oneformany.readers.verdict import class_number
from oneformany.readers.wrappers import model_name
from oneformany.schema.encoding import Encoding

TRIVIAL = frozenset({"contiguous", "flatten", "identity", "reshape", "squeeze", "view"})
RANDOM = frozenset({"alphadropout", "dropout", "featurealphadropout"})
HEADS = frozenset({"sigmoid", "softmax", "logsoftmax"})
LABELLING = frozenset(
    {
        "ArgMax",
        "ArrayFeatureExtractor",
        "Cast",
        "Concat",
        "Identity",
        "Normalizer",
        "Reshape",
        "Sub",
        "ZipMap",
    }
)
ASKED = "a function from frames to its probabilities can be asked instead"
LAYERS = (
    "Linear, ReLU, BatchNorm1d, Dropout, Identity, Flatten, and at the end Sigmoid, Softmax or LogSoftmax; "
    + ASKED
)
NODES = (
    "Gemm, MatMul, Add, Sub, Mul, Div (with constants), Relu, BatchNormalization, Flatten, Reshape, Squeeze, "
    "Identity, Cast, Dropout (not in training), Scaler, and at the end Sigmoid, Softmax, LogSoftmax or "
    f"LinearClassifier; {ASKED}"
)


def read_network(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: int = 1
) -> NetworkOracle:
    """Read a chain of linear layers and ReLU, so that the engine can prove what it answers.

    It ends in one logit (that of class 1) or one per class, or in their sigmoid or softmax.
    """
    index = class_number(positive, model_name(model))
    return _followed(model, encoding.width).oracle(encoding, threshold, index)


def class_probabilities(model: AnyModel, columns: FloatArray) -> FloatArray:
    """What a network itself says: a column of probabilities per class."""
    chain, width = _followed(model, columns.shape[1]), columns.shape[1]
    reads = next(len(step.weights) for step in chain.steps if isinstance(step, Affine))
    if reads != width:
        raise InputError(
            f"{model_name(model)} reads {reads} numbers, and the rows have {width} columns; give the "
            "columns that it was trained on"
        )
    return chain.probabilities(columns)


def _followed(model: AnyModel, width: int) -> Chain:
    """Follow the input, of so many numbers, to the logits."""
    chain = _traced(model) if hasattr(model, "parameters") else _graph(model, width)
    if not chain.n_outputs:
        raise UnsupportedModelError(f"{chain.model} has no layer with weights")
    return chain


def _traced(model: AnyModel) -> Chain:
    import torch.fx

    kind = type(model).__name__
    try:
        traced = torch.fx.symbolic_trace(torch.nn.Sequential(model))
    except (torch.fx.proxy.TraceError, TypeError) as error:
        raise UnsupportedModelError(
            f"{kind} cannot be traced ({error}); write its forward without conditions, or {ASKED}"
        ) from error
    modules = dict(traced.named_modules())
    chain = Chain(kind, precisions={str(weight.dtype) for weight in model.parameters()})
    previous: list[Any] = []
    for node in traced.graph.nodes:
        if node.all_input_nodes != previous:
            raise UnsupportedModelError(f"{kind} is not a chain of layers: see {node.name!r}; {ASKED}")
        previous = [node]
        if node.op in ("placeholder", "output"):
            continue
        module = modules[node.target] if node.op == "call_module" else None
        called = node.target if module is None else type(module)  # one name for module, function and method
        name = str(getattr(called, "__name__", called)).lower().replace("_", "")
        if chain.head is not None and name not in TRIVIAL:
            raise UnsupportedModelError(f"{kind} goes on with {name} after {chain.head}; {ASKED}")
        if name in HEADS:
            chain.head = name
        else:
            chain.steps += _layer(kind, name, node, module)

    bare = chain.head is None  # then probabilities are as torch rounds them
    if bare:
        chain.head = "sigmoid" if chain.n_outputs == 1 else "softmax"

    def run(columns: FloatArray) -> NDArray[Any]:
        weight = next(model.parameters())
        with torch.no_grad():
            outputs = model(torch.as_tensor(columns, dtype=weight.dtype, device=weight.device))
            outputs = outputs.reshape(len(columns), -1)
            if bare:
                outputs = outputs.sigmoid() if chain.head == "sigmoid" else outputs.softmax(dim=1)
        return np.asarray(outputs.cpu().numpy())

    chain.run = run
    return chain


def _layer(kind: str, name: str, node: AnyModel, module: AnyModel) -> list[Step]:
    """Read one node of a module."""
    training = node.kwargs.get("training", True) if module is None else module.training
    if training and (name in RANDOM or name == "batchnorm1d"):
        raise UnsupportedModelError(f"{kind} is in training mode, where {name} is random: call eval() first")
    if name in TRIVIAL or name in RANDOM:
        return []
    if name == "relu":
        return [RELU]
    if name == "linear" and module is not None:
        return [Affine(_numbers(module.weight).T, None if module.bias is None else _numbers(module.bias))]
    if name == "batchnorm1d" and module.running_mean is not None:
        mean, variance = _numbers(module.running_mean), _numbers(module.running_var)
        scale, shift = (_numbers(module.weight), _numbers(module.bias)) if module.affine else (1.0, 0 * mean)
        return _normalisation(module.eps, scale, shift, mean, variance)
    raise UnsupportedModelError(f"{kind} contains {name}; read are {LAYERS}")


def _normalisation(
    epsilon: float, scale: ArrayLike, shift: ArrayLike, mean: ArrayLike, variance: ArrayLike
) -> list[Step]:
    """Normalise by stored statistics, in the two steps that libraries round."""
    spread = np.sqrt(np.asarray(variance, dtype=np.float64) + epsilon)
    return [
        Affine(np.eye(len(spread)), -np.asarray(mean)),
        Affine(np.diag(np.asarray(scale) / spread), shift),
    ]


def _numbers(tensor: AnyValue) -> FloatArray:
    return np.asarray(tensor.detach().double().cpu().numpy())


def _loaded(path: str | os.PathLike[str]) -> AnyModel:
    import onnx

    try:
        return onnx.load(path)
    except Exception as error:
        raise InputError(f"{str(path)!r} is not an ONNX file: {error}") from error


def _weight(tensor: AnyValue) -> NDArray[Any]:
    """Read a stored array: it may say of itself what is not so."""
    import onnx

    try:
        return np.asarray(onnx.numpy_helper.to_array(tensor))
    except Exception as error:
        sizes = " x ".join(map(str, tensor.dims))
        raise InputError(
            f"the ONNX graph's weight {tensor.name!r} says that it has {sizes or 'one'} numbers, and "
            f"cannot be read so ({error}); export the model again"
        ) from error


def _graph(model: AnyModel, width: int) -> Chain:
    """Follow a graph; what is not as the format wants it is told as that."""
    try:
        return _chain(_loaded(model) if isinstance(model, (str, os.PathLike)) else model, width)
    except (MemoryError, OneForManyError):
        raise
    except Exception as error:
        raise UnsupportedModelError(
            f"the ONNX graph is damaged: {type(error).__name__} {error}; export the model again"
        ) from error


def _chain(model: AnyModel, width: int) -> Chain:
    import onnx
    from onnx.reference import ReferenceEvaluator

    graph = model.graph
    constants = {weight.name: _weight(weight) for weight in graph.initializer}
    entries = [entry for entry in graph.input if entry.name not in constants]
    ends = HEADS | {"linearclassifier"}
    end = max((n for n, node in enumerate(graph.node, start=1) if node.op_type.lower() in ends), default=0)
    # Beside probabilities skl2onnx writes the label, which is not followed
    labelled = len(graph.output) == 2
    odd = [node.op_type for node in graph.node[end:] if labelled and node.op_type not in LABELLING]
    if odd or len(entries) != 1 or len(graph.output) not in (1, 2):
        before = f", with {odd[0]} before these" if odd else ""
        raise UnsupportedModelError(
            f"the ONNX graph has {len(entries)} inputs and {len(graph.output)} outputs{before}; it needs one "
            f"input, and one output or a label beside probabilities; read are {NODES}"
        )
    tensor, current = entries[0].type.tensor_type, entries[0].name
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    chain = Chain("the ONNX graph", precisions={dtype.name})
    followed = onnx.ModelProto()
    followed.CopyFrom(model)
    if labelled:  # what names the label is not evaluated either: not all of it could be
        del followed.graph.node[end:]
    for node in followed.graph.node:
        known = {name: constants[name] for name in node.input if name in constants}
        variable = [name for name in node.input if name and name not in constants]
        if variable == [current]:
            width = _node(chain, node, list(known.values()), width, first=node.input[0] == current)
            current = node.output[1 if node.op_type == "LinearClassifier" else 0]
        elif variable:
            raise UnsupportedModelError(
                f"the ONNX graph is not a chain of layers: see {node.op_type!r}; {ASKED}"
            )
        elif node.op_type in {"Cast", "Constant", "Identity", "Transpose"}:
            constants[node.output[0]] = ReferenceEvaluator(node).run(None, known)[0]
        else:
            raise UnsupportedModelError(
                f"the ONNX graph computes weights with {node.op_type}; store them instead"
            )
    if not labelled and graph.output[0].name != current:
        raise UnsupportedModelError(f"the ONNX graph's output {graph.output[0].name!r} is not its last layer")

    chain.run = partial(_outputs, followed, current, entries[0])
    return chain


def _outputs(graph: AnyModel, name: str, entry: AnyValue, columns: FloatArray) -> NDArray[Any]:
    """Evaluate what a graph calls by this name; its one input is the entry."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    tensor = entry.type.tensor_type
    told = tensor.shape.dim[0].dim_value if tensor.shape.dim else 0
    size = told if told > 0 else len(columns)  # rows that it takes
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    parts = [columns[start : start + size].astype(dtype) for start in range(0, len(columns), size)]
    try:
        evaluate = partial(ReferenceEvaluator(graph).run, [name])
        with np.errstate(over="ignore", invalid="ignore"):  # the reference sigmoid computes both branches
            outputs = [evaluate({entry.name: part})[0].reshape(len(part), -1) for part in parts]
    except MemoryError:
        raise
    except Exception as error:
        raise InputError(
            f"the ONNX graph does not answer about the rows: {type(error).__name__} {error}; give "
            "the columns that it was trained on, or export the model again"
        ) from error
    return np.concatenate(outputs)


def _node(chain: Chain, node: AnyModel, weights: list[NDArray[Any]], width: int, *, first: bool) -> int:
    """Go on with a node that has weights beside what comes from the node before, its ``first`` input.

    Returns how many numbers it makes of ``width`` ones.
    """
    from onnx import helper

    kind = node.op_type
    settings = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    if kind.lower() in TRIVIAL | {"cast"} or (kind == "Dropout" and not np.any(weights[1:])):
        if kind == "Cast":
            chain.precisions.add(helper.tensor_dtype_to_np_dtype(settings["to"]).name)
        return width
    if chain.head is not None:
        raise UnsupportedModelError(f"the ONNX graph goes on with {kind} after {chain.head}; {ASKED}")
    if kind.lower() in HEADS:
        chain.head = kind
        return width
    chain.precisions.update(array.dtype.name for array in weights)
    steps: list[Step] = []
    if kind == "Relu":
        steps = [RELU]
    elif kind == "MatMul" and first and weights[0].ndim == 2:
        steps = [Affine(weights[0])]
    elif kind == "Gemm" and first and not settings.get("transA"):
        matrix = weights[0].T if settings.get("transB") else weights[0]
        matrix = np.float64(settings.get("alpha", 1.0)) * matrix
        bias = [np.float64(settings.get("beta", 1.0)) * array.reshape(-1) for array in weights[1:]]
        steps = [Affine(matrix, sum(bias, np.zeros(matrix.shape[1])))]
    elif kind == "BatchNormalization" and first and not settings.get("training_mode"):
        steps = _normalisation(settings.get("epsilon", 1e-5), *weights)
    elif (kind in ("Add", "Mul") or (kind in ("Sub", "Div") and first)) and weights[0].size in (1, width):
        numbers = np.broadcast_to(weights[0].reshape(-1).astype(np.float64), width)
        numbers = {"Sub": np.negative, "Div": np.reciprocal}.get(kind, np.copy)(numbers)
        shifts = kind in ("Add", "Sub")
        steps = [Affine(np.eye(width), numbers) if shifts else Affine(np.diag(numbers))]
    else:
        steps = _scaler_or_classifier(chain, kind, settings, width)
    chain.steps += steps
    return len(steps[-1].bias) if isinstance(steps[-1], Affine) else width


def _scaler_or_classifier(chain: Chain, kind: str, settings: dict[str, Any], width: int) -> list[Step]:
    """Read an operator for other models than networks, which has its weights in its settings.

    A ``LinearClassifier`` has a score for each class, or only that of the second of two.
    """
    if kind == "Scaler":
        both = np.broadcast_arrays(settings["offset"], settings["scale"])
        n = len(both[0]) if len(both[0]) > 1 else width  # a single number is for all columns
        offset, scale = (np.broadcast_to(part, n) for part in both)
        return [Affine(np.eye(n), -offset), Affine(np.diag(scale))]
    if kind != "LinearClassifier" or "intercepts" not in settings:
        raise UnsupportedModelError(f"the ONNX graph contains {kind}; read are {NODES}")
    bias = np.ravel(settings["intercepts"])
    weights = np.reshape(settings["coefficients"], (len(bias), -1)).T
    if len(bias) == 1:
        weights, bias = np.hstack([-weights, weights]), np.hstack([-bias, bias])
    post = settings.get("post_transform", b"NONE").decode()
    chain.head = {"LOGISTIC": "sigmoid", "SOFTMAX": "softmax"}.get(post)
    opposite = len(bias) == 2 and (weights[:, 0] == -weights[:, 1]).all() and bias[0] == -bias[1]
    if post not in ("NONE", "SOFTMAX") and not (post == "LOGISTIC" and opposite):
        raise UnsupportedModelError(f"the ONNX graph has a LinearClassifier with {post}; {ASKED}")
    return [Affine(weights[:, 1:], bias[1:]) if chain.head == "sigmoid" else Affine(weights, bias)]
