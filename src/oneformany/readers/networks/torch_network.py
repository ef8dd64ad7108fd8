"""Read PyTorch modules made of linear layers and ReLU; torch is imported only when one is read."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.readers.networks.feed_forward import RELU, Affine, Chain, Step, normalisation
from oneformany.schema.encoding import Encoding

TRIVIAL = frozenset({"contiguous", "flatten", "identity", "reshape", "squeeze", "view"})
RANDOM = frozenset({"alphadropout", "dropout", "featurealphadropout"})
HEADS = frozenset({"sigmoid", "softmax", "logsoftmax"})
READ = "Linear, ReLU, BatchNorm1d, Dropout, Identity, Flatten, and at the end Sigmoid, Softmax or LogSoftmax"


def read_network(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: int = 1
) -> NetworkOracle:
    """Read a module of linear layers and ReLU by tracing it, so that the engine can prove what it answers.

    It ends in one logit (that of class 1) or one per class, or in their sigmoid or softmax.
    """
    return _trace(model).oracle(encoding, threshold, positive, partial(class_probabilities, model))


def class_probabilities(model: AnyModel, columns: FloatArray) -> FloatArray:
    """What a module itself says: a column of probabilities per class."""
    import torch

    weight = next(model.parameters())
    with torch.no_grad():
        outputs = model(torch.as_tensor(columns, dtype=weight.dtype, device=weight.device))
    return _trace(model).probabilities(outputs.reshape(len(columns), -1).cpu().numpy())


def _trace(model: AnyModel) -> Chain:
    """Follow the input through the module to its logits."""
    import torch.fx

    kind = type(model).__name__
    if not isinstance(model, torch.nn.Module):
        raise UnsupportedModelError(f"{kind} is not a torch.nn.Module")
    try:
        traced = torch.fx.symbolic_trace(torch.nn.Sequential(model))
    except (torch.fx.proxy.TraceError, TypeError) as error:
        raise UnsupportedModelError(
            f"{kind} cannot be traced ({error}); write its forward without conditions"
        ) from error
    modules = dict(traced.named_modules())
    chain = Chain(kind, precisions={str(weight.dtype) for weight in model.parameters()})
    previous: list[Any] = []
    for node in traced.graph.nodes:
        if node.all_input_nodes != previous:
            raise UnsupportedModelError(f"{kind} is not a chain of layers: see {node.name!r}")
        previous = [node]
        if node.op in ("placeholder", "output"):
            continue
        module = modules[node.target] if node.op == "call_module" else None
        called = node.target if module is None else type(module)  # one name for module, function and method
        name = str(getattr(called, "__name__", called)).lower().replace("_", "")
        if chain.head is not None and name not in TRIVIAL:
            raise UnsupportedModelError(f"{kind} goes on with {name} after {chain.head}")
        if name in HEADS:
            chain.head = name
        else:
            chain.steps += _read(kind, name, node, module)
    return chain


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
