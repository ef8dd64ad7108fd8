"""Tests that models are loaded by what their files are, and that code runs only when it is trusted."""

import pickle

import joblib
import lightgbm
import numpy as np
import onnx
import pandas as pd
import pytest
import skops.io
import xgboost
from onnx import TensorProto, helper
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from cli.cases import FRAME, GOOD, call, tree
from oneformany.cli.model_file import as_fitted, load_model, positive_label
from oneformany.exceptions import InputError

INPUTS = FRAME[["income", "savings"]]


def mine(frame):
    return frame


def network():
    """Positive where income + savings is at least 3.5."""
    weights = helper.make_tensor("w", TensorProto.FLOAT, [2, 1], [1.0, 1.0])
    bias = helper.make_tensor("b", TensorProto.FLOAT, [1], [-3.5])
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["logit"]),
        helper.make_node("Sigmoid", ["logit"], ["chance"]),
    ]
    return _model(nodes, [_tensor("x", [None, 2])], [_tensor("chance", [None, 1])], [weights, bias])


def linear_classifier(post="LOGISTIC"):
    """The same as an operator of scikit-learn's kind, with labels and probabilities."""
    node = helper.make_node(
        "LinearClassifier", ["x"], ["label", "chances"], domain="ai.onnx.ml",
        coefficients=[-1.0, -1.0, 1.0, 1.0], intercepts=[3.5, -3.5], classlabels_ints=[0, 1],
        post_transform=post, multi_class=0,
    )  # fmt: skip
    outputs = [
        helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
        _tensor("chances", [None, 2]),
    ]
    return _model([node], [_tensor("x", [None, 2])], outputs, [])


def _tensor(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def _model(nodes, inputs, outputs, weights):
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def test_skops_files_need_no_trust(tmp_path):
    skops.io.dump(tree(), tmp_path / "model.skops")
    assert load_model(tmp_path / "model.skops").predict(INPUTS).tolist() == GOOD.tolist()


def test_skops_files_with_types_of_ones_own_need_trust(tmp_path):
    model = make_pipeline(FunctionTransformer(mine), tree()).fit(INPUTS, GOOD)
    skops.io.dump(model, tmp_path / "model.skops")
    with pytest.raises(InputError, match="--trust-model"):
        load_model(tmp_path / "model.skops")
    assert load_model(tmp_path / "model.skops", trust=True).predict(INPUTS).tolist() == GOOD.tolist()


def test_a_network_in_onnx_is_given_to_the_reader_of_networks(tmp_path):
    onnx.save(network(), tmp_path / "model.onnx")
    assert isinstance(load_model(tmp_path / "model.onnx"), onnx.ModelProto)


def with_label(model):
    """A graph that names the label as well, and says its probabilities in maps, as skl2onnx writes it."""
    nodes = [
        helper.make_node("Sub", ["one", "chance"], ["other"]),
        helper.make_node("Concat", ["other", "chance"], ["both"], axis=1),
        helper.make_node("ArgMax", ["both"], ["label"], axis=1, keepdims=0),
        helper.make_node("ZipMap", ["both"], ["maps"], domain="ai.onnx.ml", classlabels_int64s=[0, 1]),
    ]
    chances = helper.make_map_type_proto(
        TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, [])
    )
    outputs = [
        helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
        helper.make_value_info("maps", helper.make_sequence_type_proto(chances)),
    ]
    weights = [*model.graph.initializer, helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0])]
    return _model([*model.graph.node, *nodes], model.graph.input, outputs, weights)


def test_a_network_in_onnx_with_label_and_probabilities_is_proved_and_confirmed(tmp_path):
    onnx.save(with_label(network()), tmp_path / "model.onnx")
    INPUTS.to_csv(tmp_path / "rows.csv", index=False)
    outcome = call("explain", tmp_path / "rows.csv", tmp_path / "model.onnx", "--json", tmp_path / "r.json")
    assert outcome.exit_code == 0, outcome.output
    assert call("verify", tmp_path / "r.json").exit_code == 0


def test_a_graph_with_a_layer_that_is_not_read_becomes_a_function(tmp_path):
    model = network()
    model.graph.node.insert(1, helper.make_node("Tanh", ["logit"], ["curved"]))
    model.graph.node[2].input[0] = "curved"
    onnx.save(model, tmp_path / "model.onnx")
    assert load_model(tmp_path / "model.onnx").function(INPUTS).shape == (8, 1)


def test_other_graphs_in_onnx_become_functions_to_probabilities(tmp_path):
    onnx.save(linear_classifier(), tmp_path / "model.onnx")
    assert load_model(tmp_path / "model.onnx").graph.node[0].op_type == "LinearClassifier"
    onnx.save(linear_classifier("SOFTMAX_ZERO"), tmp_path / "model.onnx")
    chances = load_model(tmp_path / "model.onnx").function(INPUTS)
    assert chances.shape == (8, 2)
    assert ((chances[:, 1] > 0.5) == GOOD).all()


def test_a_graph_with_an_input_per_column_reads_numbers_and_texts(tmp_path):
    """Positive where the job is "clerk"; the income is only looked at."""
    texts = helper.make_node(
        "OneHotEncoder", ["job"], ["hot"], domain="ai.onnx.ml", cats_strings=["clerk"], zeros=1
    )
    nodes = [
        texts,
        helper.make_node("Squeeze", ["hot", "axis"], ["flat"]),
        helper.make_node("Mul", ["income", "none"], ["nothing"]),
        helper.make_node("Add", ["flat", "nothing"], ["chance"]),
    ]
    inputs = [
        _tensor("income", [None, 1]),
        helper.make_tensor_value_info("job", TensorProto.STRING, [None, 1]),
    ]
    weights = [
        helper.make_tensor("none", TensorProto.FLOAT, [1], [0.0]),
        helper.make_tensor("axis", TensorProto.INT64, [1], [2]),
    ]
    onnx.save(_model(nodes, inputs, [_tensor("chance", [None, 1])], weights), tmp_path / "model.onnx")
    frame = pd.DataFrame({"job": ["none", "clerk"], "income": [1, 2]})
    function = load_model(tmp_path / "model.onnx").function
    assert function(frame).ravel().tolist() == [0.0, 1.0]
    with pytest.raises(InputError, match="columns job: keep those"):
        function(frame[["job"]])
    with pytest.raises(InputError, match="could not convert string"):
        function(frame.assign(income="much"))


def test_a_graph_of_other_columns_is_told(tmp_path):
    onnx.save(linear_classifier("SOFTMAX_ZERO"), tmp_path / "model.onnx")
    with pytest.raises(
        InputError, match=r"cannot read the rows .*income, savings, sex: keep those it was fitted on"
    ):
        load_model(tmp_path / "model.onnx").function(FRAME)


@pytest.mark.parametrize("ending", ["ubj", "json"])
def test_xgboosts_own_files_are_read(tmp_path, ending):
    model = xgboost.XGBClassifier(n_estimators=5, min_child_weight=0).fit(INPUTS, GOOD)
    model.save_model(tmp_path / f"model.{ending}")
    loaded = load_model(tmp_path / f"model.{ending}")
    assert np.allclose(loaded.predict(xgboost.DMatrix(INPUTS)), model.predict_proba(INPUTS)[:, 1])


def test_rows_for_xgboosts_own_files_have_their_columns_in_any_order_and_more_of_them(tmp_path):
    xgboost.XGBClassifier(n_estimators=5, min_child_weight=0).fit(INPUTS, GOOD).save_model(tmp_path / "m.ubj")
    FRAME[["sex", "savings", "income"]].to_csv(tmp_path / "rows.csv", index=False)
    outcome = call("explain", tmp_path / "rows.csv", tmp_path / "m.ubj")
    assert outcome.exit_code == 0, outcome.output
    assert f"covers all {(GOOD == 0).sum()} rows" in outcome.output


def test_rows_with_more_columns_than_a_booster_without_names_reads_are_told(tmp_path):
    model = xgboost.XGBClassifier(n_estimators=5, min_child_weight=0).fit(INPUTS.to_numpy(), GOOD)
    model.save_model(tmp_path / "model.json")
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    outcome = call("explain", tmp_path / "rows.csv", tmp_path / "model.json")
    assert outcome.exit_code == 2
    assert "column 'sex' holds texts" in outcome.stderr


def test_lightgbms_own_files_are_read(tmp_path):
    options = {"n_estimators": 3, "min_child_samples": 1, "min_data_in_bin": 1, "verbose": -1}
    model = lightgbm.LGBMClassifier(**options).fit(INPUTS, GOOD)
    model.booster_.save_model(tmp_path / "model.txt")
    assert np.allclose(load_model(tmp_path / "model.txt").predict(INPUTS), model.predict_proba(INPUTS)[:, 1])


@pytest.mark.parametrize("ending", ["joblib", "pkl", "skopz"])
def test_pickles_are_loaded_only_when_trusted_whatever_they_are_called(tmp_path, ending):
    path = tmp_path / f"model.{ending}"
    path.write_bytes(pickle.dumps(tree()))
    with pytest.raises(InputError, match="runs whatever code is inside"):
        load_model(path)
    assert load_model(path, trust=True).predict(INPUTS).tolist() == GOOD.tolist()


def test_packed_joblib_files_are_known_as_such(tmp_path):
    joblib.dump(tree(), tmp_path / "model.joblib", compress=3)
    with pytest.raises(InputError, match="--trust-model"):
        load_model(tmp_path / "model.joblib")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none.skops", None, "there is no such file"),
        ("model.onnx", b"", "the file is empty"),
        ("model.skops", b"not a zip file", "saved by skops"),
        ("model.onnx", b"not a graph", "saved by ONNX"),
        ("model.ubj", b"not a booster", "saved by XGBoost"),
        ("model.json", b'{"trees": []}', "saved by XGBoost"),
        ("model.txt", b"tree\nnonsense", "saved by LightGBM (EOFError: the file is cut off)"),
        ("model.pkl", b"\x80nonsense", "saved by joblib or pickle"),
        ("model.csv", b"a,b\n1,2\n", "is not one of skops, ONNX"),
    ],
)
def test_what_is_not_a_model_is_told_in_a_sentence(tmp_path, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as told:
        load_model(tmp_path / name, trust=True)
    assert words in str(told.value)


def test_the_label_of_the_positive_class_is_found_by_its_text():
    assert positive_label(tree(), "1") == 1
    assert positive_label(object(), "1") == 1
    assert positive_label(object(), "good") == "good"
    assert positive_label(tree(), None) is None


def test_labels_that_the_model_does_not_know_are_told_with_those_that_it_knows(tmp_path):
    model = DecisionTreeClassifier().fit(INPUTS, GOOD.map({0: "bad", 1: "very good"}))
    skops.io.dump(model, tmp_path / "model.skops")
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    rows = ("explain", tmp_path / "rows.csv", tmp_path / "model.skops")
    for arguments, label in ((), "1"), (("--positive", "good"), "'good'"):
        outcome = call(*rows, *arguments)
        assert outcome.exit_code == 2
        assert f"{label} is not one of the model's classes 'bad' and 'very good'" in outcome.stderr
        assert "name one of them with --positive" in outcome.stderr
    assert call(*rows, "--positive", "very good").exit_code == 0


def lightgbm_with_jobs(tmp_path):
    """A LightGBM model, as its own file, that reads a column of categories."""
    frame = pd.DataFrame({"income": range(40), "my job": pd.Categorical(["clerk", "none"] * 20)})
    options = {"n_estimators": 5, "min_child_samples": 2, "verbose": -1, "n_jobs": 1}
    model = lightgbm.LGBMClassifier(**options).fit(frame, frame["my job"] == "clerk")
    model.booster_.save_model(tmp_path / "model.txt")
    frame.assign(name="ann").to_csv(tmp_path / "rows.csv", index=False)
    return frame


def test_texts_of_a_file_get_the_categories_that_lightgbm_knows(tmp_path):
    frame = lightgbm_with_jobs(tmp_path)
    outcome = call("explain", tmp_path / "rows.csv", tmp_path / "model.txt", "--share", "action")
    assert outcome.exit_code == 0, outcome.output
    assert "my job  -> clerk  (20 from none)" in outcome.output
    model = load_model(tmp_path / "model.txt")
    read = as_fitted(frame.assign(**{"my job": ["none", "judge"] * 20}), model)["my job"]
    assert read.cat.categories.tolist() == ["clerk", "none", "judge"]


def test_a_frame_that_has_categories_or_too_few_texts_is_left_as_it_is(tmp_path):
    frame = lightgbm_with_jobs(tmp_path)
    model = load_model(tmp_path / "model.txt")
    assert as_fitted(frame, model).equals(frame)
    assert as_fitted(frame[["income"]], model).equals(frame[["income"]])
    assert as_fitted(frame, tree()) is frame
