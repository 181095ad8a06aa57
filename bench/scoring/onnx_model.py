"""Converts LightGBM's trees to an ONNX TreeEnsembleRegressor (ai.onnx.ml, opset 3).

onnxmltools does the same, but rounds thresholds to the nearest float32, which sends some rows to the
other side.
"""

import numpy as np
from onnx import TensorProto, helper

import models


def make(trees: list[models.Tree], columns: int) -> bytes:
    attributes: dict[str, list] = {name: [] for name in NODE_FIELDS + LEAF_FIELDS}
    for number, tree in enumerate(trees):
        add(attributes, number, tree)
    node = helper.make_node("TreeEnsembleRegressor", ["rows"], ["scores"], domain="ai.onnx.ml", n_targets=1, **attributes)
    inputs = [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [None, columns])]
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 1])]
    graph = helper.make_graph([node], "trees", inputs, outputs)
    versions = [helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString()


NODE_FIELDS = ["nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes", "nodes_truenodeids", "nodes_falsenodeids"]
LEAF_FIELDS = ["target_treeids", "target_nodeids", "target_ids", "target_weights"]


def add(attributes: dict[str, list], number: int, tree: models.Tree) -> None:
    """Appends a tree to the attributes. Its nodes come first; leaf i gets the number nodes + i."""
    nodes, leaves = len(tree.feature), len(tree.value)

    def place(child: np.ndarray) -> list[int]:
        return np.where(child < 0, nodes + ~child, child).tolist()

    none = [0] * leaves
    for name, values in zip(
        NODE_FIELDS + LEAF_FIELDS,
        [
            [number] * (nodes + leaves),
            list(range(nodes + leaves)),
            tree.feature.tolist() + none,
            models.float32_threshold(tree.threshold).tolist() + [0.0] * leaves,
            ["BRANCH_LEQ"] * nodes + ["LEAF"] * leaves,
            place(tree.left) + none,
            place(tree.right) + none,
            [number] * leaves,
            list(range(nodes, nodes + leaves)),
            none,
            tree.value.astype(np.float32).tolist(),
        ],
    ):
        attributes[name] += values
