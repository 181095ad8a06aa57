"""Reads and scores XGBoost models as the LTR plugins of Elasticsearch and OpenSearch do. Transcribed from
XGBoostJsonParser, XGBoostRawJsonParser and NaiveAdditiveDecisionTree of o19s/elasticsearch-learning-to-rank
(1dfed57, 2025-10, for Elasticsearch 9.0). OpenSearch's plugin is as strict, except that "missing" may be absent.

Scores are float32, added tree after tree. Rows are float32, NaN where a feature is absent.
"""

import json
from dataclasses import dataclass

import numpy as np

NO_TRANSFORMATION = {"binary:logitraw", "rank:ndcg", "rank:map", "rank:pairwise", "reg:linear"}
SIGMOID = {"binary:logistic", "reg:logistic"}


class Refused(Exception):
    """The plugin would reject the model."""


@dataclass
class Split:
    feature: int
    threshold: np.float32
    left: "Split | np.float32"
    right: "Split | np.float32"
    missing_left: bool

    def score(self, row: np.ndarray) -> np.float32:
        value = row[self.feature]
        goes_left = self.missing_left if np.isnan(value) else self.threshold > value
        child = self.left if goes_left else self.right
        return child.score(row) if isinstance(child, Split) else child


def scores(trees: list, rows: np.ndarray) -> np.ndarray:
    out = np.zeros(len(rows), np.float32)
    for i, row in enumerate(rows.astype(np.float32)):
        for tree in trees:
            out[i] += tree.score(row) if isinstance(tree, Split) else tree
    return out


def check(holds: bool, why: str) -> None:
    if not holds:
        raise Refused(why)


def number(value, what: str) -> np.float32:
    """Reads a JSON number as float64 and rounds it to float32. The plugin's parser rejects NaN and Infinity as invalid JSON."""
    check(isinstance(value, (int, float)) and np.isfinite(np.float32(value)), f"{what} is {value!r}")
    return np.float32(value)


def whole(value, what: str) -> int:
    check(type(value) is int, f"{what} is {value!r}")
    return value


def strict(text: str):
    """Parses JSON and rejects objects in which a key occurs twice."""

    def pairs(items):
        check(len({key for key, _ in items}) == len(items), "a key twice")
        return dict(items)

    return json.loads(text, object_pairs_hook=pairs)


def parse_dump(text: str, features: list[str]) -> list:
    """Parses the type model/xgboost+json. features are those of the feature set, in its order."""
    definition = strict(text)
    if isinstance(definition, dict):
        check(definition.keys() <= {"objective", "splits"}, f"unknown keys in {sorted(definition)}")
        check("splits" in definition, "no splits")
        check(definition.get("objective", "rank:ndcg") in NO_TRANSFORMATION | SIGMOID, "objective")
        definition = definition["splits"]
    check(isinstance(definition, list) and len(definition) > 0, "no trees")
    return [parse_node(node, features) for node in definition]


NODE_KEYS = {"nodeid", "depth", "split", "split_condition", "no", "yes", "missing", "leaf", "children"}


def parse_node(node: dict, features: list[str]):
    check(node.keys() <= NODE_KEYS, f"unknown keys in {sorted(node)}")
    for key in NODE_KEYS & node.keys() & {"nodeid", "depth", "no", "yes", "missing"}:
        whole(node[key], key)
    if "leaf" in node:
        check("nodeid" in node, "a leaf without nodeid")
        return number(node["leaf"], "leaf")
    # Without "missing" the plugin fails when it scores; OpenSearch uses "no" instead.
    check(node.keys() == NODE_KEYS - {"leaf"}, f"a split has keys {sorted(node)}")
    children = node["children"]
    check(len(children) == 2, "children")
    check([child["nodeid"] for child in children] == [node["yes"], node["no"]], "children are not yes and no")
    check(node["missing"] in (node["yes"], node["no"]), "missing is neither yes nor no")
    check(node["split"] in features, f"unknown feature {node['split']!r}")
    left, right = (parse_node(child, features) for child in children)
    threshold = number(node["split_condition"], "split_condition")
    return Split(features.index(node["split"]), threshold, left, right, node["missing"] == node["yes"])


def parse_raw(text: str, features: list[str]) -> list:
    """Parses the type model/xgboost+json+raw. Leaf values are those of base_weights; the base score is ignored."""
    learner = strict(text)["learner"]
    names, types = learner["feature_names"], learner["feature_types"]
    check(set(names) <= set(features), "unknown features")
    check(len(names) == len(types), "as many feature types as names")
    check(set(types) <= {"float"}, "a feature type that is not float")
    check(learner["objective"]["name"] in NO_TRANSFORMATION | SIGMOID, "objective")
    columns = [features.index(name) for name in names]
    return [raw_node(tree, 0, columns) for tree in learner["gradient_booster"]["model"]["trees"]]


def raw_node(tree: dict, node: int, columns: list[int]):
    left, right = (whole(tree[key][node], key) for key in ("left_children", "right_children"))
    if left == -1 or right == -1:
        return number(tree["base_weights"][node], "base weight")
    feature = columns[tree["split_indices"][node]]
    threshold = number(tree["split_conditions"][node], "split condition")
    missing_left = whole(tree["default_left"][node], "default_left") == 1
    return Split(feature, threshold, raw_node(tree, left, columns), raw_node(tree, right, columns), missing_left)
