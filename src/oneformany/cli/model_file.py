"""Fitted models from files: skops, ONNX, XGBoost, LightGBM; pickle and joblib only when they are trusted."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oneformany.anything import AnyModel, AnyValue
from oneformany.exceptions import InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd

UNLOADABLE = (
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    OSError,
    TypeError,
    ValueError,
    pickle.UnpicklingError,
    zipfile.BadZipFile,
)
HARMLESS = frozenset(
    {
        "collections.OrderedDict",
        "lightgbm.basic.Booster",
        "lightgbm.sklearn.LGBMClassifier",
        "numpy.dtype",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
        "sklearn.tree._tree.Tree",
        "xgboost.core.Booster",
        "xgboost.sklearn.XGBClassifier",
    }
)
"""Parts of fitted models that hold numbers, and that skops itself leaves to its users to trust."""

PICKLED = (b"\x80", b"\x1f\x8b", b"\x78", b"BZh", b"\xfd7z", b"\x04\x22\x4d\x18")
"""How pickles begin, plain or packed by joblib."""

WHY = (
    "it is a pickle or joblib file, and loading one runs whatever code is inside; save the model with skops "
    "or as ONNX, which cannot, or, if you made the file yourself, add --trust-model"
)


def load_model(path: Path, *, trust: bool = False) -> AnyModel:
    """Load a model by what the file is; what can run code only with trust.

    That is ``.skops``, ``.onnx``, ``.ubj`` or ``.json`` of XGBoost, ``.txt`` of LightGBM, and otherwise a
    pickle or joblib file.
    """
    if not path.is_file():
        raise InputError(f"{path} cannot be loaded as a model: there is no such file")
    kind = path.suffix.lower()
    with path.open("rb") as stream:
        start = stream.read(64)
    if not start:
        raise InputError(f"{path} cannot be loaded as a model: the file is empty")
    if kind == ".skops":
        return _told(path, "skops", "skops", lambda: _load_skops(path, trust=trust))
    if kind == ".onnx":
        return _told(path, "ONNX", "onnx", lambda: _load_onnx(path))
    if kind in {".ubj", ".ubjson"} or (kind == ".json" and start.lstrip().startswith(b"{")):
        return _told(path, "XGBoost", "xgboost", lambda: _load_xgboost(path))
    if start.startswith((b"tree\n", b"tree\r\n")):
        return _told(path, "LightGBM", "lightgbm", lambda: _load_lightgbm(path))
    if not start.startswith(PICKLED):
        raise InputError(
            f"{path} cannot be loaded as a model: it is none of skops, ONNX, XGBoost (.ubj, .json), LightGBM "
            "(.txt), pickle or joblib"
        )
    if not trust:
        raise InputError(f"{path} is not loaded: {WHY}")
    return _told(path, "joblib or pickle", None, lambda: _load_pickle(path))


def positive_label(model: AnyModel, given: str | None) -> object:
    """Find the model's own label behind a text; where it names none, its reader refuses what is none."""
    import numpy as np

    classes = np.asarray(getattr(model, "classes_", ())).tolist()
    if given is None and len(classes) > 2:
        known = ", ".join(repr(str(name)) for name in classes)
        raise InputError(f"the model tells {len(classes)} classes apart ({known}); name one with --positive")
    label = given or "1"
    if not classes and label.isdigit():
        return int(label)
    found = [known for known in classes if str(known) == label]
    if classes and not found:
        known = ", ".join(repr(str(name)) for name in classes)
        raise InputError(
            f"the positive class {label!r} is none of the model's classes {known}; use --positive with "
            "one of them"
        )
    return found[0] if found else label


def as_fitted(frame: pd.DataFrame, model: AnyModel) -> pd.DataFrame:
    """Give rows for LightGBM the columns that it was fitted on, and texts the categories that it knows.

    A text file has no type for categories, and the model knows them in the order of its columns, not by name;
    where the texts are not as many, its reader says so.
    """
    import pandas as pd

    from oneformany.explainer.streams import typed

    booster: Any = getattr(model, "booster_", model)
    if not hasattr(booster, "pandas_categorical"):
        return frame
    by_name = {str(name).replace(" ", "_"): name for name in frame.columns}
    if not set(booster.feature_name()) <= set(by_name):
        return frame
    frame = frame[[by_name[name] for name in booster.feature_name()]]
    known = booster.pandas_categorical or []
    texts = [name for name in frame.columns if pd.api.types.infer_dtype(frame[name]) == "string"]
    if len(texts) != len(known):
        return frame
    like = {name: pd.Categorical([], values) for name, values in zip(texts, known, strict=True)}
    return typed(frame, pd.DataFrame(like))


def _told(path: Path, kind: str, extra: str | None, load: Callable[[], Any]) -> AnyValue:
    """Load, and turn what goes wrong into a sentence."""
    try:
        return load()
    except InputError:
        raise
    except ModuleNotFoundError as error:
        if extra is not None and (error.name or "").split(".")[0] in {extra, f"{extra}runtime"}:
            raise InputError(
                f"{path}: models saved by {kind} need {error.name}: pip install 'oneformany[{extra}]'"
            ) from error
        raise InputError(f"{path} needs {error.name}, which is not installed here: install it") from error
    except UNLOADABLE as error:
        raise InputError(_unloadable(path, kind, error)) from error
    except Exception as error:
        if type(error).__module__.split(".")[0] in {"skops", "onnx", "google", "xgboost", "lightgbm"}:
            raise InputError(_unloadable(path, kind, error)) from error
        raise


def _unloadable(path: Path, kind: str, error: Exception) -> str:
    said = str(error).strip().splitlines()
    why = f"{type(error).__name__}: {shown(said[0]) if said else 'no more is known'}"
    return (
        f"{path} cannot be loaded as a model saved by {kind} ({why}); save it with the library versions that "
        "are installed here"
    )


def _load_skops(path: Path, *, trust: bool) -> AnyModel:
    from skops import io

    unknown = io.get_untrusted_types(file=path)
    strange = [name for name in unknown if name not in HARMLESS]
    if strange and not trust:
        names = ", ".join(shown(name) for name in strange)
        raise InputError(
            f"{path} is not loaded: it holds types that are not known to be harmless ({names}); if you "
            "trust them, add --trust-model"
        )
    return io.load(path, trusted=unknown)


def _load_onnx(path: Path) -> AnyModel:
    import onnx

    from oneformany.cli.onnx_model import as_model

    model = onnx.load(path)
    onnx.checker.check_model(model)
    return as_model(model)


def _load_xgboost(path: Path) -> AnyModel:
    import xgboost

    booster = xgboost.Booster()
    booster.load_model(path)
    return booster


def _load_lightgbm(path: Path) -> AnyValue:
    import lightgbm

    return lightgbm.Booster(model_file=path)


def _load_pickle(path: Path) -> AnyModel:
    import joblib

    return joblib.load(path)
