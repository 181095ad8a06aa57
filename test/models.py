"""Reads the splits of a model in LightGBM's text format, written by LightGBM or by us."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

ZERO = float(np.float32(1e-35))  # LightGBM's kZeroThreshold


@dataclass
class Split:
    """An internal node. Nodes are numbered in the order of growth."""

    feature: int
    threshold: float
    decision: int  # decision_type: 2 is the default left; 4 and 8 are the missing types Zero and NaN
    gain: float
    left: int  # node or ~leaf
    right: int
    categories: frozenset[int] | None = None  # that go left, if the split is categorical

    def cut(self) -> tuple[int, float | frozenset[int]]:
        return self.feature, self.threshold if self.categories is None else self.categories

    def missing(self) -> int:
        return self.decision & 12

    def is_missing(self, values: np.ndarray) -> np.ndarray:
        if self.decision & 4:
            return np.isnan(values) | (np.abs(values) <= ZERO)
        return np.isnan(values) & (self.decision & 8 != 0)

    def goes_left(self, values: np.ndarray) -> np.ndarray:
        if self.categories is not None:
            return np.isin(np.nan_to_num(values, nan=-1).astype(int), sorted(self.categories)) & (values > -1)
        below = np.nan_to_num(values, nan=0, posinf=np.inf, neginf=-np.inf) <= self.threshold
        return np.where(self.is_missing(values), self.decision & 2 != 0, below)


@dataclass
class Tree:
    splits: list[Split]
    leaf_values: list[float]

    def parent(self, node: int) -> tuple[int, str]:
        """Returns the parent of a node, and the side on which the node is."""
        for i, split in enumerate(self.splits[:node]):
            if node in (split.left, split.right):
                return i, "left" if split.left == node else "right"
        return -1, "root"

    def rows(self, matrix: np.ndarray) -> dict[int, np.ndarray]:
        """Returns the rows that reach each node and, under ~leaf, each leaf."""
        reached = {0: np.arange(len(matrix))}
        for i, split in enumerate(self.splits):
            goes_left = split.goes_left(matrix[reached[i], split.feature])
            reached[split.left], reached[split.right] = reached[i][goes_left], reached[i][~goes_left]
        return reached

    def scores(self, matrix: np.ndarray) -> np.ndarray:
        scores = np.zeros(len(matrix))
        for node, rows in self.rows(matrix).items():
            if node < 0:
                scores[rows] = self.leaf_values[~node]
        return scores


def read(path: Path) -> list[Tree]:
    return parse(path.read_text())


def parse(text: str) -> list[Tree]:
    return [tree(block) for block in text.split("\nend of trees")[0].split("\nTree=")[1:]]


def tree(block: str) -> Tree:
    fields = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
    columns = [fields[name].split() for name in ("split_feature", "threshold", "decision_type", "split_gain", "left_child", "right_child")]
    types = int, float, int, float, int, int
    splits = [Split(*(kind(cell) for kind, cell in zip(types, row))) for row in zip(*columns, strict=True)]
    for split in splits:
        if split.decision & 1:
            split.categories = members(fields, int(split.threshold))
    return Tree(splits, [float(v) for v in fields["leaf_value"].split()])


def members(fields: dict[str, str], number: int) -> frozenset[int]:
    """Returns the categories of a set of bits."""
    first, end = map(int, fields["cat_boundaries"].split()[number : number + 2])
    words = map(int, fields["cat_threshold"].split()[first:end])
    return frozenset(32 * i + bit for i, word in enumerate(words) for bit in range(32) if word >> bit & 1)
