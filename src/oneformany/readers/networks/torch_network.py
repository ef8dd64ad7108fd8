"""Read PyTorch modules made of linear layers and ReLU; torch is imported only when one is read."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.readers.chances import DOUBLE, SINGLE, both_classes
from oneformany.readers.networks.feed_forward import RELU, Affine, Step, confirmed_oracle, normalisation
from oneformany.schema.encoding import Encoding

TRIVIAL = frozenset({"contiguous", "flatten", "identity", "reshape", "squeeze", "view"})
RANDOM = frozenset({"alphadropout", "dropout", "featurealphadropout"})
HEADS = frozenset({"sigmoid", "softmax", "logsoftmax"})
READ = "Linear, ReLU, BatchNorm1d, Dropout, Identity, Flatten, and at the end Sigmoid, Softmax or LogSoftmax"


def read_network(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: int = 1
) -> NetworkOracle:
    """Read a module of linear layers and ReLU, so that the engine can prove what it answers.

    Its structure is traced, so functional calls and modules in modules are read as well. It ends in one
    logit (that of class 1) or one per class, or in their sigmoid or softmax. Points are positive for the
    module as it computes in its own precision; the margin for float32 is accordingly larger.
    """
    import torch

    kind = type(model).__name__
    if not isinstance(model, torch.nn.Module):
        raise UnsupportedModelError(f"{kind} is not a torch.nn.Module")
    steps, head = _trace(model)
    own = partial(class_probabilities, model)
    return confirmed_oracle(kind, steps, head, encoding, threshold, positive, _roundoff(model), own)


def class_probabilities(model: AnyModel, columns: FloatArray) -> FloatArray:
    """What a module itself says: a column of probabilities per class."""
    import torch

    _, head = _trace(model)
    weight = next(model.parameters())
    with torch.no_grad():
        outputs = model(torch.as_tensor(columns, dtype=weight.dtype, device=weight.device))
        outputs = outputs.reshape(len(columns), -1)
        if head is None:
            outputs = outputs.sigmoid() if outputs.shape[1] == 1 else outputs.softmax(dim=1)
        elif head == "logsoftmax":
            outputs = outputs.exp()
    probabilities = outputs.double().cpu().numpy()
    return both_classes(probabilities[:, 0]) if probabilities.shape[1] == 1 else np.asarray(probabilities)


def _trace(model: AnyModel) -> tuple[list[Step], str | None]:
    """Follow the input through the module; returns the steps to the logits and what follows them."""
    import torch.fx

    kind = type(model).__name__
    try:
        traced = torch.fx.symbolic_trace(torch.nn.Sequential(model))
    except (torch.fx.proxy.TraceError, TypeError) as error:
        raise UnsupportedModelError(
            f"{kind} cannot be traced ({error}); write its forward without conditions"
        ) from error
    modules = dict(traced.named_modules())
    steps: list[Step] = []
    head = None
    previous: list[Any] = []
    for node in traced.graph.nodes:
        if node.all_input_nodes != previous:
            raise UnsupportedModelError(f"{kind} is not a chain of layers: see {node.name!r}")
        previous = [node]
        if node.op in ("placeholder", "output"):
            continue
        module = modules[node.target] if node.op == "call_module" else None
        name = _name(node, module)
        if head is not None and name not in TRIVIAL:
            raise UnsupportedModelError(f"{kind} goes on with {name} after {head}")
        if name in HEADS:
            head = name
        else:
            steps += _read(kind, name, node, module)
    return steps, head


def _name(node: AnyModel, module: AnyModel) -> str:
    """Name what a node does, the same for a module, a function and a method."""
    if module is not None:
        name = type(module).__name__
    elif node.op == "call_function":
        name = node.target.__name__
    else:
        name = str(node.target)
    return str(name.lower().replace("_", ""))


def _read(kind: str, name: str, node: AnyModel, module: AnyModel) -> list[Step]:
    """Read one node."""
    training = node.kwargs.get("training", True) if module is None else module.training
    if training and (name in RANDOM or name == "batchnorm1d"):
        raise UnsupportedModelError(f"{kind} is in training mode, where {name} is random: call eval() first")
    if name in TRIVIAL or name in RANDOM:
        return []
    if name == "relu":
        return [RELU]
    if name == "linear" and module is not None:
        return [Affine.of(_numbers(module.weight).T, None if module.bias is None else _numbers(module.bias))]
    if name == "batchnorm1d" and module.running_mean is not None:
        learnt = (_numbers(module.weight), _numbers(module.bias)) if module.affine else ()
        statistics = _numbers(module.running_mean), _numbers(module.running_var)
        return list(normalisation(*statistics, module.eps, *learnt))
    raise UnsupportedModelError(f"{kind} contains {name}; read are {READ}")


def _numbers(tensor: AnyValue) -> FloatArray:
    return np.asarray(tensor.detach().double().cpu().numpy())


def _roundoff(model: AnyModel) -> float:
    """Relative error of one operation in the precision of the weights."""
    precisions = {str(weight.dtype) for weight in model.parameters()}
    unknown = precisions - {"torch.float32", "torch.float64"}
    if unknown:
        raise UnsupportedModelError(
            f"{type(model).__name__} computes in {unknown.pop()}; read are float32 and float64"
        )
    return SINGLE if "torch.float32" in precisions else DOUBLE
