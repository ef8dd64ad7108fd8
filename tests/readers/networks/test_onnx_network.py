"""Tests that ONNX graphs are read as the reference implementation runs them."""

import warnings
from functools import cache
from itertools import pairwise

import numpy as np
import onnx
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oneformany import OneForMany
from oneformany.datasets import load
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.networks.graphs import class_probabilities, read_network
from oneformany.readers.registry import read_model
from oneformany.schema.encoding import Encoding
from tree_questions import all_points, questions, usable

KINDS = {np.float32: TensorProto.FLOAT, np.float64: TensorProto.DOUBLE}


def graph(nodes, weights, dtype=np.float32, batch=None, outputs=("y",), inputs=("x",)):
    """Make a model from nodes as (operation, inputs, output, attributes)."""
    kind = KINDS.get(dtype, TensorProto.FLOAT16)
    made = helper.make_graph(
        [helper.make_node(op, list(used), [out], **settings) for op, used, out, settings in nodes],
        "network",
        [helper.make_tensor_value_info(name, kind, [batch, None]) for name in inputs],
        [helper.make_tensor_value_info(name, kind, None) for name in outputs],
        [
            numpy_helper.from_array(array if array.dtype == np.int64 else array.astype(dtype), name)
            for name, array in weights.items()
        ],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def layered(layers, head=None, dtype=np.float32, gemm=True):
    """Make the graph of a network, by Gemm with transposed weights or by MatMul and Add."""
    nodes, weights, now = [], {}, "x"
    for k, (matrix, bias) in enumerate(layers):
        if gemm:
            weights |= {f"w{k}": matrix.T / 2, f"b{k}": bias / 4}
            nodes.append(("Gemm", (now, f"w{k}", f"b{k}"), f"z{k}", {"transB": 1, "alpha": 2.0, "beta": 4.0}))
        else:
            weights |= {f"w{k}": matrix, f"b{k}": bias[None]}
            nodes.append(("MatMul", (now, f"w{k}"), f"m{k}", {}))
            nodes.append(("Add", (f"b{k}", f"m{k}"), f"z{k}", {}))
        now = f"z{k}"
        if k + 1 < len(layers):
            nodes.append(("Relu", (now,), f"a{k}", {}))
            now = f"a{k}"
    nodes.append((head or "Identity", (now,), "y", {}))
    return graph(nodes, weights, dtype)


@cache
def german_layers(n_outputs):
    data = load("german")
    target = data.target + (n_outputs == 3) * (data.codes[:, 0] > 2)
    model = MLPClassifier((20, 20), max_iter=20, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data.one_hot, target)
    layers = list(zip(model.coefs_, model.intercepts_, strict=True))
    if n_outputs == 2:
        weights, bias = layers[-1]
        layers[-1] = np.hstack([-weights, weights]) / 2, np.hstack([-bias, bias]) / 2
    return layers


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gemm", [True, False])
@pytest.mark.parametrize(
    ("n_outputs", "head"),
    [(1, None), (1, "Sigmoid"), (2, None), (2, "Softmax"), (2, "LogSoftmax")],
)
def test_probabilities_are_the_graphs_own_on_every_row(n_outputs, head, gemm, dtype):
    data = load("german")
    model = layered(german_layers(n_outputs), head, dtype, gemm)
    own = class_probabilities(model, data.one_hot)
    for positive in (0, 1):
        oracle = read_network(model, data.schema.encoding(), positive=positive)
        scores = oracle.score(data.codes)
        assert np.abs(1 / (1 + np.exp(-scores)) - own[:, positive]).max() < 2e-6
        assert (own[oracle.positive(data.codes), positive] > 0.5).all()
        assert (scores > oracle.threshold).any()


def test_with_three_classes_a_point_is_positive_when_the_class_is_predicted():
    data = load("german")
    model = layered(german_layers(3))
    own = class_probabilities(model, data.one_hot).argmax(axis=1)
    for positive in range(3):
        oracle = read_network(model, data.schema.encoding(), positive=positive)
        clear = np.abs(oracle.score(data.codes)) > oracle.margin
        assert (oracle.positive(data.codes) == (own == positive))[clear].all()


ENCODING = Encoding.from_blocks([np.eye(3), [[0.0], [1.0]], [[-1.5], [0.1], [2.0], [7.0]], np.eye(2)])


@st.composite
def models(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hidden = draw(st.sampled_from([(), (1,), (4,), (3, 3), (2, 4, 2)]))
    n_outputs = draw(st.sampled_from([1, 1, 2, 3]))
    scale = draw(st.sampled_from([1.0, 1.0, 1e-12, 1e3]))
    widths = (ENCODING.width, *hidden, n_outputs)
    layers = [(scale * rng.normal(size=(a, b)), scale * rng.normal(size=b)) for a, b in pairwise(widths)]
    head = draw(st.sampled_from([None, "Sigmoid" if n_outputs == 1 else "Softmax"]))
    return layered(layers, head, draw(st.sampled_from([np.float32, np.float64])), draw(st.booleans()))


@settings(max_examples=60, deadline=None)
@given(models(), questions(ENCODING.levels), st.integers(0, 10**6))
def test_points_are_positive_for_the_graph_and_a_no_means_none(model, question, place):
    points = all_points(ENCODING.levels)
    own = class_probabilities(model, ENCODING.encode(points))
    threshold = None
    if own.shape[1] == 2:  # the very probability of a point, where rounding decides
        threshold = min(max(float(own[place % len(points), 1]), 1e-6), 1 - 1e-6)
    oracle = read_network(model, ENCODING, threshold)
    positive = oracle.positive(points)
    accepted = own[:, 1] >= threshold if threshold else own.argmax(axis=1) == 1
    assert accepted[positive].all()
    answer = oracle.reach(question)
    expected = positive & usable(question, points)
    assert answer.proved_none == (not expected.any())
    if expected.any():
        assert (points[expected] == answer.point).all(axis=1).any()


ONE = {"w": np.ones((7, 1))}
MATMUL = ("MatMul", ("x", "w"), "z", {})


def test_scaling_normalising_and_reshaping_are_read():
    rng = np.random.default_rng(0)
    weights = {
        "shift": rng.normal(size=7),
        "divisor": np.array([2.0]),
        "w": rng.normal(size=(4, 7)),
        "scale": rng.normal(size=4),
        "offset": rng.normal(size=4),
        "mean": rng.normal(size=4),
        "variance": rng.random(size=4) + 0.1,
        "factor": rng.normal(size=4),
        "v": rng.normal(size=(4, 1)),
        "shape": np.array([-1, 1]),
    }
    nodes = [
        ("Cast", ("x",), "double", {"to": TensorProto.DOUBLE}),
        ("Sub", ("double", "shift"), "a", {}),
        ("Div", ("a", "divisor"), "b", {}),
        ("Transpose", ("w",), "wt", {"perm": [1, 0]}),
        ("MatMul", ("b", "wt"), "c", {}),
        ("BatchNormalization", ("c", "scale", "offset", "mean", "variance"), "d", {"epsilon": 0.01}),
        ("Relu", ("d",), "e", {}),
        ("Mul", ("factor", "e"), "f", {}),
        ("MatMul", ("f", "v"), "g", {}),
        ("Reshape", ("g", "shape"), "h", {}),
        ("Sigmoid", ("h",), "y", {}),
    ]
    model = graph(nodes, weights, np.float64)
    points = all_points(ENCODING.levels)
    own = class_probabilities(model, ENCODING.encode(points))[:, 1]
    scores = read_network(model, ENCODING).score(points)
    assert np.abs(1 / (1 + np.exp(-scores)) - own).max() < 1e-12


def test_a_relu_at_the_beginning_and_two_in_a_row_are_read():
    nodes = [
        ("Relu", ("x",), "a", {}),
        ("MatMul", ("a", "w"), "b", {}),
        ("Relu", ("b",), "c", {}),
        ("Relu", ("c",), "y", {}),
    ]
    model = graph(nodes, {"w": np.linspace(-1, 1, 7)[:, None]})
    points = all_points(ENCODING.levels)
    own = class_probabilities(model, ENCODING.encode(points))[:, 1]
    assert np.abs(1 / (1 + np.exp(-read_network(model, ENCODING).score(points))) - own).max() < 1e-6


def test_a_graph_for_one_row_at_a_time_is_read():
    model = graph([("MatMul", ("x", "w"), "y", {})], ONE, batch=1)
    assert read_network(model, ENCODING).positive([[0, 1, 3, 0]]).all()


def test_a_file_is_read(tmp_path):
    path = tmp_path / "network.onnx"
    onnx.save(graph([("MatMul", ("x", "w"), "y", {})], ONE), path)
    assert read_network(path, ENCODING).score(np.array([[0, 0, 3, 0]])) == [9.0]


@pytest.mark.parametrize(
    ("nodes", "weights", "message"),
    [
        ([MATMUL, ("Tanh", ("z",), "y", {})], ONE, "contains Tanh; read are Gemm"),
        ([MATMUL, ("Sigmoid", ("z",), "a", {}), ("Relu", ("a",), "y", {})], ONE, "goes on with Relu"),
        ([MATMUL, ("Add", ("z", "z"), "y", {})], ONE, "not a chain of layers: see 'Add'"),
        ([MATMUL, ("Softmax", ("z",), "y", {})], ONE, "Softmax over 1 outputs"),
        (
            [("MatMul", ("x", "w"), "z", {}), ("Sigmoid", ("z",), "y", {})],
            {"w": np.ones((7, 2))},
            "not classes",
        ),
        ([("Relu", ("x",), "y", {})], {}, "no layer with weights"),
        ([MATMUL, ("Relu", ("z",), "a", {})], ONE, "is not its last layer"),
        ([("Neg", ("w",), "v", {}), ("MatMul", ("x", "v"), "y", {})], ONE, "computes weights with Neg"),
        (
            [MATMUL, ("Add", ("z", "b"), "y", {})],
            ONE | {"b": np.ones((3, 1))},
            "contains Add",
        ),
        ([("Gemm", ("x", "w"), "y", {"transA": 1})], ONE, "contains Gemm"),
        (
            [("BatchNormalization", ("x", "b", "b", "c", "d"), "y", {"training_mode": 1})],
            {name: np.ones(2) for name in "bcd"},
            "contains BatchNormalization",
        ),
        ([MATMUL, ("MatMul", ("z", "w"), "y", {})], ONE, "layer 1 that reads 7 numbers and gets 1"),
    ],
)
def test_other_graphs_are_refused(nodes, weights, message):
    with pytest.raises(UnsupportedModelError, match=message):
        read_network(graph(nodes, weights), ENCODING)


def test_half_precision_is_refused():
    with pytest.raises(UnsupportedModelError, match="computes in float16"):
        read_network(graph([("MatMul", ("x", "w"), "y", {})], ONE, np.float16), ENCODING)


SIGMOID = [
    ("Sigmoid", ("z",), "p", {}),
    ("Sub", ("one", "p"), "q", {}),
    ("Concat", ("q", "p"), "y", {"axis": 1}),
]


@pytest.mark.parametrize("head", [SIGMOID, [("Softmax", ("z",), "y", {"axis": 1})]])
def test_a_graph_that_also_names_the_label_is_read_by_its_probabilities(head):
    width = 1 if head is SIGMOID else 3
    weights = {"w": np.random.default_rng(0).normal(size=(7, width)), "one": np.ones(1)}
    nodes = [MATMUL, *head, ("ArgMax", ("y",), "label", {"axis": 1})]
    model = graph(nodes, weights, outputs=("label", "y"))
    points = all_points(ENCODING.levels)
    columns = ENCODING.encode(points)
    label, chances = ReferenceEvaluator(model).run(None, {"x": columns.astype(np.float32)})
    assert np.abs(class_probabilities(model, columns) - chances).max() < 1e-6
    assert (read_model(model, ENCODING).oracle.positive(points) == (label[:, 0] == 1)).all()
    other = graph([*nodes, ("Relu", ("y",), "more", {})], weights, outputs=("label", "more"))
    with pytest.raises(
        UnsupportedModelError, match="1 inputs and 2 outputs, with Relu before these; it needs"
    ):
        read_network(other, ENCODING)


def linear_graph(model, post, n_scores):
    """Make what skl2onnx makes of scaled columns and a linear classifier."""
    scaler, linear = model
    settings = {
        "coefficients": linear.coef_[-n_scores:].ravel().tolist(),
        "intercepts": linear.intercept_[-n_scores:].tolist(),
        "classlabels_ints": linear.classes_.tolist(),
        "post_transform": post,
    }
    if n_scores == 2:
        settings |= {"coefficients": np.outer([-1, 1], linear.coef_).ravel().tolist()}
        settings |= {"intercepts": [-linear.intercept_[0], linear.intercept_[0]]}
    made = graph([], {}, outputs=("label", "y"))
    scale = {"offset": scaler.mean_.tolist(), "scale": (1 / scaler.scale_).tolist()}
    made.graph.node.extend(
        [
            helper.make_node("Scaler", ["x"], ["s"], domain="ai.onnx.ml", **scale),
            helper.make_node("LinearClassifier", ["s"], ["label", "p"], domain="ai.onnx.ml", **settings),
            helper.make_node("Normalizer", ["p"], ["y"], domain="ai.onnx.ml", norm="L1"),
        ]
    )
    made.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    return made


@pytest.mark.parametrize(
    ("post", "n_scores"), [("LOGISTIC", 1), ("LOGISTIC", 2), ("NONE", 1), ("SOFTMAX", 3)]
)
def test_scaled_columns_and_linear_classifiers_are_read_as_the_graph_runs_them(post, n_scores):
    frame = pd.DataFrame(np.random.default_rng(0).normal([0, 50, 1000], [1, 20, 300], (60, 3)).round(1))
    score = (frame / frame.std()).sum(axis=1)
    target = np.digitize(score, score.quantile([0.4, 0.7] if n_scores == 3 else [0.6]))
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, target)
    model = linear_graph(fitted, post, n_scores)

    def label(rows):
        return ReferenceEvaluator(model).run(["label"], {"x": rows.to_numpy(np.float32)})[0]

    result = OneForMany(model, max_changes=2, positive=1, share="point").explain(frame)
    assert result.problem["oracle"]["kind"] == "network"
    assert result.problem["rows"] == np.flatnonzero(label(frame) != 1).tolist()
    assert (label(result.apply(frame)) == 1).all()
    if post != "NONE":
        given = frame.to_numpy(np.float32)
        chances = ReferenceEvaluator(model).run(None, {"x": given})[1]
        assert np.abs(class_probabilities(model, given) - chances).max() < 1e-6


def test_another_number_of_columns_than_a_scaler_or_a_linear_classifier_reads_is_told():
    rows = np.random.default_rng(0).normal(size=(60, 3))
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, np.arange(60) % 2)
    model = linear_graph(fitted, "LOGISTIC", 1)
    with pytest.raises(InputError, match="reads 3 numbers, and the rows have 2 columns"):
        OneForMany(model, share="point").explain(rows[:, :2])
    del model.graph.node[0]
    model.graph.node[0].input[0] = "x"
    with pytest.raises(InputError, match="reads 3 numbers, and the rows have 4 columns"):
        OneForMany(model, share="point").explain(np.hstack([rows, rows[:, :1]]))


def test_several_scores_of_which_each_is_a_probability_are_refused():
    frame = np.random.default_rng(0).normal(size=(60, 3))
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, np.arange(60) % 3)
    with pytest.raises(UnsupportedModelError, match="a LinearClassifier with LOGISTIC; a function"):
        OneForMany(linear_graph(fitted, "LOGISTIC", 3), positive=1, share="point").explain(frame)


def test_a_graph_whose_label_is_named_by_operators_that_onnx_itself_cannot_run_is_read():
    weights = {"w": np.random.default_rng(0).normal(size=(7, 2))}
    nodes = [MATMUL, ("Softmax", ("z",), "y", {"axis": 1}), ("ArgMax", ("y",), "label", {"axis": 1})]
    model = graph(nodes, weights, outputs=("label", "maps"))
    model.graph.node.append(
        helper.make_node("ZipMap", ["y"], ["maps"], domain="ai.onnx.ml", classlabels_int64s=[0, 1])
    )
    points = all_points(ENCODING.levels)
    reading = read_model(model, ENCODING)
    assert (reading.oracle.positive(points) == reading.verdict(points)).all()
    assert len(set(reading.verdict(points))) == 2


def test_several_inputs_are_refused():
    with pytest.raises(UnsupportedModelError, match="2 inputs and 1 outputs"):
        read_network(graph([("MatMul", ("x", "w"), "y", {})], ONE, inputs=("x", "other")), ENCODING)


def test_a_dropout_left_in_training_mode_is_refused():
    nodes = [MATMUL, ("Dropout", ("z", "ratio", "training"), "y", {"seed": 1})]
    model = graph(nodes, ONE | {"ratio": np.array(0.9)})
    model.graph.initializer.append(numpy_helper.from_array(np.array(True), "training"))
    with pytest.raises(UnsupportedModelError, match=r"contains Dropout; .*Dropout \(not in training\)"):
        read_network(model, ENCODING)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": 0.0}, "strictly between 0 and 1"),
        ({"threshold": 1.0}, "strictly between 0 and 1"),
        ({"positive": 2}, "has the classes 0 to 1; 2 is not one of them"),
        ({"positive": "good"}, "the classes of the ONNX graph are numbered from 0"),
    ],
)
def test_thresholds_and_classes_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        read_network(graph([("MatMul", ("x", "w"), "y", {})], ONE), ENCODING, **arguments)


def test_other_columns_and_nan_weights_are_refused():
    with pytest.raises(InputError, match="was fitted on 5 columns, the schema gives 7"):
        read_network(graph([("MatMul", ("x", "w"), "y", {})], {"w": np.ones((5, 1))}), ENCODING)
    with pytest.raises(InputError, match="layer 0 has a weight that is nan; train"):
        read_network(graph([("MatMul", ("x", "w"), "y", {})], {"w": np.full((7, 1), np.nan)}), ENCODING)


def test_a_path_is_enough_and_a_file_of_something_else_is_refused(tmp_path):
    frame = pd.DataFrame({"a": [-1.0, 2.0, -3.0], "b": [0.0, -1.0, 1.0]})
    model = graph([("MatMul", ("x", "w"), "y", {})], {"w": np.array([[1.0], [2.0]])})
    onnx.save(model, tmp_path / "line.onnx")
    for kind in (model, tmp_path / "line.onnx", str(tmp_path / "line.onnx")):
        result = OneForMany(kind, share="point").explain(frame)
        assert (result.covered, result.problem["model"]["kind"]) == (3, "the ONNX graph")
    with pytest.raises(
        InputError, match="column 'c' holds texts, which the ONNX graph cannot read; leave it"
    ):
        OneForMany(model, share="point").explain(frame.assign(c="x"))
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(InputError, match=r"notes.txt' is not an ONNX file: "):
        OneForMany(str(tmp_path / "notes.txt"), share="point").explain(frame)
    with pytest.raises(InputError, match="column 'b', row 1: the value is missing"):
        OneForMany(model, share="point").explain(frame.assign(b=[0.0, np.nan, 1.0]))


def sized(*sizes):
    def change(model):
        model.graph.initializer[0].ClearField("dims")
        model.graph.initializer[0].dims.extend(sizes)

    return change


DAMAGES = {
    "a weight of 10^9 numbers that holds two": (
        sized(10**9),
        r"'w' says that it has 1000000000 numbers, .*export",
    ),
    "a weight of no type": (
        lambda model: setattr(model.graph.initializer[0], "data_type", 0),
        "weight 'w' says",
    ),
    "a weight of an unknown type": (
        lambda model: setattr(model.graph.initializer[0], "data_type", 99),
        "'w' says",
    ),
    "no output": (lambda model: model.graph.ClearField("output"), "has 1 inputs and 0 outputs"),
    "a node without output": (lambda model: model.graph.node[0].ClearField("output"), "damaged: .*export"),
    "an input of no type": (lambda model: model.graph.input[0].ClearField("type"), "damaged: .*export"),
    "an input of texts": (
        lambda model: setattr(model.graph.input[0].type.tensor_type, "elem_type", TensorProto.STRING),
        "the ONNX graph (computes in|does not answer)",
    ),
    "no version": (
        lambda model: model.ClearField("opset_import"),
        "does not answer about the rows: .*export",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_graph_is_refused_in_words(damage):
    change, words = DAMAGES[damage]
    model = graph([("MatMul", ("x", "w"), "y", {})], {"w": np.array([[1.0], [2.0]])})
    change(model)
    with pytest.raises((InputError, UnsupportedModelError), match=words):
        OneForMany(model, share="point").explain(pd.DataFrame({"a": [-1.0, -2.0], "b": [0.0, -1.0]}))
