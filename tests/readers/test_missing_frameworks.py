"""Tests that networks work where torch and onnx are not installed."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "onnx"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
"""


def run(script):
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)


def test_a_scikit_learn_network_is_read_without_torch_and_onnx():
    script = f"""{WITHOUT}
import warnings
import numpy as np
warnings.simplefilter("ignore")
from sklearn.neural_network import MLPClassifier
from oneformany.schema.encoding import Encoding
from oneformany.readers.networks import feed_forward, graphs
model = MLPClassifier((2,), max_iter=1).fit(np.eye(2), [0, 1])
print(len(feed_forward.read_mlp(model, Encoding.from_blocks([np.eye(2)])).levels))
"""
    done = run(script)
    assert done.stdout.split() == ["1"], done.stderr


@pytest.mark.parametrize("reader", ["graphs", "feed_forward"])
def test_reading_does_not_load_other_frameworks(reader):
    script = f"""
import sys
from oneformany.readers.networks import {reader}
print(*[name for name in ("torch", "onnx") if name in sys.modules])
"""
    done = run(script)
    assert done.returncode == 0
    assert done.stdout.split() == []
