"""Reads the splits of a model in LightGBM's text form, ours or LightGBM's."""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Split:
    """An internal node. Nodes are numbered in the order of growth."""

    feature: int
    threshold: float
    gain: float
    left: int  # node, or ~leaf
    right: int

    def cut(self) -> tuple[int, float]:
        return self.feature, self.threshold


@dataclass
class Tree:
    splits: list[Split]
    leaf_values: list[float]


def read(path: Path) -> list[Tree]:
    text = path.read_text().split("\nend of trees")[0]
    return [tree(block) for block in text.split("\nTree=")[1:]]


def tree(block: str) -> Tree:
    fields = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
    columns = [fields[name].split() for name in ("split_feature", "threshold", "split_gain", "left_child", "right_child")]
    types = int, float, float, int, int
    splits = [Split(*(kind(cell) for kind, cell in zip(types, row))) for row in zip(*columns, strict=True)]
    return Tree(splits, [float(v) for v in fields["leaf_value"].split()])
