"""Converts LightGBM's trees to an XGBoost model (JSON).

XGBoost trains a small model, whose trees are then replaced. So all other fields are XGBoost's own.
"""

import json

import numpy as np
import xgboost

import models


def make(trees: list[models.Tree], columns: int) -> bytes:
    frame = json.loads(trained(columns))
    model = frame["learner"]["gradient_booster"]["model"]
    like = model["trees"][0]
    model["trees"] = [convert(number, tree, like) for number, tree in enumerate(trees)]
    model["tree_info"] = [0] * len(trees)
    model["iteration_indptr"] = list(range(len(trees) + 1))
    model["gbtree_model_param"]["num_trees"] = str(len(trees))
    return json.dumps(frame).encode()


def trained(columns: int) -> bytearray:
    data = xgboost.DMatrix(np.eye(2, columns, dtype=np.float32), np.array([0, 1]))
    settings = dict(objective="reg:squarederror", base_score=0, max_depth=1, tree_method="hist", min_child_weight=0)
    return xgboost.train(settings, data, 1).save_raw("json")


def convert(number: int, tree: models.Tree, like: dict) -> dict:
    """Converts a tree. XGBoost goes left if value < threshold, LightGBM if value <= threshold, so the threshold becomes the next float32."""
    children, parents = layout(tree)
    threshold = np.nextafter(models.float32_threshold(tree.threshold), np.float32(np.inf))
    inner, n = children >= 0, len(children)
    node, leaf = children[inner], ~children[~inner]
    left = np.full(n, -1)
    left[inner] = 1 + 2 * np.arange(len(node))
    feature, condition = np.zeros(n, np.int64), np.zeros(n, np.float32)
    feature[inner], condition[inner] = tree.feature[node], threshold[node]
    condition[~inner] = tree.value[leaf]
    zero = np.zeros(n, np.int64)
    fields = dict(
        left_children=left,
        right_children=np.where(inner, left + 1, -1),
        parents=parents,
        split_indices=feature,
        split_conditions=condition,
        split_type=zero,
        default_left=zero,
        base_weights=np.where(inner, np.float32(0), condition),
        loss_changes=np.zeros(n),
        sum_hessian=np.ones(n),
    )
    size = like["tree_param"] | dict(num_nodes=str(n))
    return like | {name: values.tolist() for name, values in fields.items()} | dict(id=number, tree_param=size)


def layout(tree: models.Tree) -> tuple[np.ndarray, np.ndarray]:
    """Returns the nodes and leaves (as ~leaf) of a tree level by level, and the places of their parents.

    XGBoost requires the right child directly after the left one.
    """
    children, parents = [0], [2**31 - 1]
    for place, node in enumerate(children):  # children grows within the loop
        if node >= 0:
            children += tree.left[node], tree.right[node]
            parents += place, place
    return np.array(children), np.array(parents)
