"""Fitted models from files: skops, ONNX, XGBoost, LightGBM; pickle and joblib only when they are trusted."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import oneformany as ofm
from oneformany.anything import AnyModel
from oneformany.exceptions import InputError, UnsupportedModelError, plain_reason
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.arrays import FloatArray

# Parts of fitted models that hold numbers, and that skops itself leaves to its users to trust.
HARMLESS = {
    "collections.OrderedDict", "lightgbm.basic.Booster", "lightgbm.sklearn.LGBMClassifier", "numpy.dtype",
    "sklearn.calibration._CalibratedClassifier", "sklearn.calibration._SigmoidCalibration",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
    "sklearn.tree._tree.Tree", "xgboost.core.Booster", "xgboost.sklearn.XGBClassifier",
}  # fmt: skip
TENSORS = {  # what ONNX calls the numbers and texts that tables hold
    "tensor(float)": "float32", "tensor(double)": "float64", "tensor(int64)": "int64", "tensor(bool)": "bool",
    "tensor(string)": "str",
}  # fmt: skip
ENDINGS = {".skops": "skops", ".onnx": "ONNX", ".ubj": "XGBoost", ".ubjson": "XGBoost"}
LIGHTGBM = (b"tree\n", b"tree\r\n")  # how its files begin
PICKLED = (b"\x80", b"\x1f\x8b", b"\x78", b"BZh", b"\xfd7z", b"\x04\x22\x4d\x18")  # plain or packed by joblib


def load_model(path: Path, *, trust: bool = False) -> AnyModel:
    """Load a model by what the file is; what can run code only with trust."""
    saved_by = _saved_by(path)
    if saved_by == "joblib or pickle" and not trust:
        raise InputError(
            f"{path} is not loaded: it is a pickle or joblib file, and loading one runs whatever code is "
            "inside; save the model with skops or as ONNX, which cannot, or, if you made the file yourself, "
            "add --trust-model"
        )
    try:
        return LOADERS[saved_by](path, trust)
    except InputError:
        raise
    except ModuleNotFoundError as error:
        extra = saved_by.lower()
        if (error.name or "").split(".")[0] in {extra, f"{extra}runtime"}:
            raise InputError(
                f"{path}: models saved by {saved_by} need {error.name}: pip install 'oneformany[{extra}]'"
            ) from error
        raise InputError(f"{path} needs {error.name}, which is not installed here: install it") from error
    except Exception as error:  # loaders of five libraries, and files that are anything
        said = [*str(error).strip().splitlines(), "no more is known"]
        raise InputError(
            f"{path} cannot be loaded as a model saved by {saved_by} ({type(error).__name__}: "
            f"{shown(said[0])}); save it with the library versions that are installed here"
        ) from error


def _saved_by(path: Path) -> str:
    """Find out who wrote a model, by the name and the beginning of its file."""
    why = f"{path} cannot be loaded as a model"
    try:
        with path.open("rb") as stream:
            start = stream.read(64)
    except OSError as error:
        raise InputError(f"{why}: {plain_reason(error)}") from error
    if not start:
        raise InputError(f"{why}: the file is empty")
    ending = path.suffix.lower()
    if ending in ENDINGS:
        return ENDINGS[ending]
    if ending == ".json" and start.lstrip().startswith(b"{"):
        return "XGBoost"
    if start.startswith(LIGHTGBM):
        return "LightGBM"
    if start.startswith(PICKLED):
        return "joblib or pickle"
    raise InputError(
        f"{why}: it is not one of skops, ONNX, XGBoost (.ubj, .json), LightGBM (.txt), pickle or joblib"
    )


def positive_label(model: AnyModel, given: str | None) -> object:
    """Find the model's own label behind a text, or a number; its reader refuses what is neither."""
    import numpy as np

    if given is None:
        return None
    classes = {str(own): own for own in np.asarray(getattr(model, "classes_", ())).tolist()}
    return classes.get(given, int(given) if given.isdecimal() else given)


def as_fitted(frame: pd.DataFrame, model: AnyModel) -> pd.DataFrame:
    """Give texts in rows for LightGBM the categories that it knows.

    It knows them in the order of its columns, not by name; if the texts are not as many, its reader says so.
    """
    import pandas as pd

    from oneformany.explainer.streams import typed

    booster: Any = getattr(model, "booster_", model)
    if not hasattr(booster, "pandas_categorical"):
        return frame
    by_name = {str(name).replace(" ", "_"): name for name in frame.columns}
    read = [by_name[name] for name in booster.feature_name() if name in by_name]
    texts = [name for name in read if pd.api.types.infer_dtype(frame[name]) == "string"]
    known = booster.pandas_categorical or []
    if len(texts) != len(known):
        return frame
    like = {name: pd.Categorical([], values) for name, values in zip(texts, known, strict=True)}
    return typed(frame, pd.DataFrame(like))


def _load_skops(path: Path, trust: bool) -> AnyModel:
    from skops import io

    unknown = io.get_untrusted_types(file=path)
    strange = [shown(name) for name in unknown if name not in HARMLESS]
    if strange and not trust:
        raise InputError(
            f"{path} is not loaded: it holds types that are not known to be harmless ({', '.join(strange)}); "
            "if you trust them, add --trust-model"
        )
    return io.load(path, trusted=unknown)


def _load_lightgbm(path: Path, _trust: bool) -> AnyModel:
    if b"\nend of parameters" not in path.read_bytes():  # at such a file LightGBM may end the whole program
        raise EOFError("the file is cut off")
    return import_module("lightgbm").Booster(model_file=path)


def _load_onnx(path: Path, _trust: bool) -> AnyModel:
    """A graph itself where the reader of networks follows it, else as a function."""
    import numpy as np
    import onnx

    from oneformany.readers.networks.graphs import read_network
    from oneformany.schema.encoding import Encoding

    model = onnx.load(path)
    onnx.checker.check_model(model)
    shape = model.graph.input[0].type.tensor_type.shape.dim
    zeros = np.zeros((1, shape[-1].dim_value if shape else 0))
    try:
        read_network(model, Encoding.from_blocks([zeros]))
    except UnsupportedModelError:
        return ofm.BlackBox(_function_of(model))
    except InputError:  # of columns: the rows have to fit, and these are not rows
        pass
    return model


LOADERS: dict[str, Callable[[Path, bool], AnyModel]] = {
    "skops": _load_skops,
    "ONNX": _load_onnx,
    "XGBoost": lambda path, _: import_module("xgboost").Booster(model_file=path),
    "LightGBM": _load_lightgbm,
    "joblib or pickle": lambda path, _: import_module("joblib").load(path),
}


def _function_of(graph: AnyModel) -> Callable[[pd.DataFrame], FloatArray]:
    """The probabilities that onnxruntime computes for the rows of a frame, one row each.

    The graph has one input of all columns, or one input per column, by name; one of its outputs holds
    probabilities, a column or an entry per class.
    """
    import numpy as np
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=providers)
    inputs = session.get_inputs()

    def probabilities(frame: pd.DataFrame) -> FloatArray:
        try:
            parts = [frame] if len(inputs) == 1 else [frame[[entry.name]] for entry in inputs]
            both = zip(inputs, parts, strict=True)
            arrays = {of.name: part.to_numpy().astype(TENSORS[of.type]) for of, part in both}
            outputs = session.run(None, arrays)
        except Exception as error:  # names and numbers of columns, texts for numbers: the runtime knows what
            raise InputError(
                f"the ONNX graph cannot read the rows ({type(error).__name__}: {error}); they have the "
                f"columns {', '.join(map(str, frame))}: keep those it was fitted on, in their order, with "
                "--columns"
            ) from error
        for output in outputs:
            if isinstance(output, list) and output and isinstance(output[0], dict):
                return np.array([[row[label] for label in sorted(row)] for row in output], dtype=np.float64)
        for output in map(np.asarray, outputs):
            if np.issubdtype(output.dtype, np.floating) and output.shape[:1] == (len(frame),):
                return output.reshape(len(frame), -1).astype(np.float64)
        raise InputError("no output of the ONNX graph holds a probability per row")

    return probabilities
