"""The trees of a model as tables and as nested nodes, read from LightGBM's model text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

CATEGORICAL, DEFAULT_LEFT = 1, 2  # bits of decision_type
MISSING = ("None", "Zero", "NaN")  # bits 2 and 3 of it

# Columns of nodes and of leaves, as LightGBM's model text has them.
INTEGERS = ("split_feature", "decision_type", "left_child", "right_child", "internal_count", "leaf_count")


@dataclass(frozen=True)
class Node:
    """A node of a tree. Nodes are numbered as in LightGBM: S0 is the root, L0 a leaf."""

    name: str
    depth: int  # of the root: 1
    parent: str | None
    value: float
    weight: float
    count: int
    feature: int | None = None  # None in leaves, like all that follows
    gain: float | None = None
    threshold: float | str | None = None  # for categories: their numbers, separated by ||
    decision: str | None = None  # comparison with the threshold for rows that go left: "<=" or "=="
    missing_left: bool | None = None
    missing: str | None = None  # "None", "Zero" or "NaN": which values are missing
    left: "Node | None" = field(default=None, repr=False)  # a whole tree is too long to read
    right: "Node | None" = field(default=None, repr=False)


def nodes(text: str) -> list[Node]:
    """Returns the root of each tree."""
    return [_root(_columns(block)) for block in text.split("\n\n") if block.lstrip("\n").startswith("Tree=")]


def _columns(block: str) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for line in block.strip().splitlines():
        key, _, value = line.partition("=")
        columns[key] = [int(v) if key in INTEGERS or key.startswith("cat_") else float(v) for v in value.split()]
    return columns


def _root(columns: dict[str, Any]) -> Node:
    if not columns.get("split_feature"):
        return Node("L0", 1, None, columns["leaf_value"][0], *_leaf_weight(columns, 0))
    return _node(columns, 0, 1, None)


def _leaf_weight(columns: dict[str, Any], leaf: int) -> tuple[float, int]:
    weight, count = columns.get("leaf_weight") or [float("nan")], columns.get("leaf_count") or [0]
    return weight[min(leaf, len(weight) - 1)], count[min(leaf, len(count) - 1)]


def _node(columns: dict[str, Any], number: int, depth: int, parent: str | None) -> Node:
    if number < 0:
        return Node(f"L{~number}", depth, parent, columns["leaf_value"][~number], *_leaf_weight(columns, ~number))
    name, kind = f"S{number}", columns["decision_type"][number]
    threshold = columns["threshold"][number]
    return Node(
        name,
        depth,
        parent,
        columns["internal_value"][number],
        columns["internal_weight"][number],
        columns["internal_count"][number],
        columns["split_feature"][number],
        columns["split_gain"][number],
        _categories(columns, int(threshold)) if kind & CATEGORICAL else threshold,
        "==" if kind & CATEGORICAL else "<=",
        bool(kind & DEFAULT_LEFT),
        MISSING[kind >> 2 & 3],
        _node(columns, columns["left_child"][number], depth + 1, name),
        _node(columns, columns["right_child"][number], depth + 1, name),
    )


def _categories(columns: dict[str, Any], number: int) -> str:
    """Returns the categories of a bit set."""
    first, end = columns["cat_boundaries"][number : number + 2]
    words = columns["cat_threshold"][first:end]
    return "||".join(str(32 * w + bit) for w, word in enumerate(words) for bit in range(32) if word >> bit & 1)


def records(roots: list[Node], names: list[str]) -> dict[str, list[Any]]:
    """Returns the columns of LightGBM's Booster.trees_to_dataframe, with a row for each node."""
    table: dict[str, list[Any]] = {
        n: []
        for n in ("tree_index", "node_depth", "node_index", "left_child", "right_child", "parent_index", "split_feature", "split_gain", "threshold", "decision_type", "missing_direction", "missing_type", "value", "weight", "count")
    }

    def add(tree: int, node: Node) -> None:
        def called(other: Node | str | None) -> str | None:
            return None if other is None else f"{tree}-{other if isinstance(other, str) else other.name}"

        leaf = node.left is None
        row = (
            tree, node.depth, called(node), called(node.left), called(node.right), called(node.parent), None if node.feature is None else names[node.feature],
            np.nan if leaf else node.gain, np.nan if leaf else node.threshold, node.decision, None if leaf else "left" if node.missing_left else "right", node.missing,
            node.value, node.weight, node.count,
        )
        for column, value in zip(table.values(), row):
            column.append(value)
        if node.left is not None and node.right is not None:
            add(tree, node.left)
            add(tree, node.right)

    for number, root in enumerate(roots):
        add(number, root)
    return table
