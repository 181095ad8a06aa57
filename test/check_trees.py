"""Do we grow LightGBM's trees?

With min_data_in_leaf=1 (LightGBM estimates counts, we count: with more, the two
may differ in what is allowed) the first ten trees are compared split by split, in
the order of growth: which leaf is split, on which feature, at which threshold.
LightGBM sums gradients as float32 pairs and we sum integers, so that of two
candidates whose gains agree to 1e-4 each may take the other one. At the first
such tie the comparison ends: all that follows has another history. Any other
difference fails. Leaf values must agree to 1e-4 of their size.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import lightgbm

import models
import ours
import sets
from report import Table

TREES = 10
TIE = 1e-4  # relative difference of the gains of two candidates that count as equal
VALUE = 1e-4  # relative difference of leaf values


@dataclass
class Comparison:
    trees: int = 0  # that are equal to the last split
    splits: int = 0  # that are equal
    value_error: float = 0.0  # largest relative difference of leaf values
    gain_error: float = 0.0  # and of gains
    end: str = "all trees"
    passed: bool = True


def main() -> None:
    table = Table("set", "leaves", "trees", "splits", "gain error", "value error", "ended by")
    with tempfile.TemporaryDirectory() as folder:
        for data in sets.present():
            for leaves in 7, 31:
                parameters = dict(data.parameters) | dict(num_leaves=leaves, min_data_in_leaf=1)
                theirs, mine = Path(folder) / "theirs.txt", Path(folder) / "mine.txt"
                train_lightgbm(data, theirs, parameters)
                ours.train(data.train, mine, num_iterations=TREES, **parameters)
                c = compare(models.read(mine), models.read(theirs))
                table.row(c.passed, data.name, leaves, c.trees, c.splits, c.gain_error, c.value_error, c.end)
        files_are_read_alike(Path(folder))
    table.exit()


def train_lightgbm(data: sets.Set, model: Path, parameters: dict) -> None:
    part = sets.load(data.train)
    parameters = parameters | dict(objective="lambdarank", verbosity=-1, num_threads=1)
    matrix = lightgbm.Dataset(part.matrix, part.labels, group=part.sizes, params=parameters)
    lightgbm.train(parameters, matrix, TREES).save_model(model)


def compare(mine: list[models.Tree], theirs: list[models.Tree]) -> Comparison:
    c = Comparison()
    if len(mine) != len(theirs):
        return Comparison(passed=False, end=f"{len(mine)} trees, LightGBM has {len(theirs)}")
    for a, b in zip(mine, theirs):
        compare_splits(c, a, b)
        if c.end != "all trees":
            return c
        compare_values(c, a, b)
        c.trees += 1
    return c


def compare_splits(c: Comparison, mine: models.Tree, theirs: models.Tree) -> None:
    """Ends the comparison at the first other split."""
    for i, (a, b) in enumerate(zip(mine.splits, theirs.splits)):
        error = relative(a.gain, b.gain)
        if a.cut() != b.cut() or parent(mine, i) != parent(theirs, i):
            c.end = f"tie ({error:.0e})" if error <= TIE else f"tree {c.trees} split {i}: {a} against {b}"
            c.passed &= error <= TIE
            return
        c.gain_error = max(c.gain_error, error)
        c.splits += 1
    if len(mine.splits) != len(theirs.splits):
        c.end = f"{len(mine.leaf_values)} leaves, LightGBM has {len(theirs.leaf_values)}"
        c.passed = False


def compare_values(c: Comparison, mine: models.Tree, theirs: models.Tree) -> None:
    c.value_error = max(c.value_error, *(relative(a, b) for a, b in zip(mine.leaf_values, theirs.leaf_values)))
    c.passed &= c.value_error <= VALUE


def parent(tree: models.Tree, node: int) -> tuple[int, str]:
    """The node of which this one is a child, and the side: the leaf that was split."""
    for i, split in enumerate(tree.splits[:node]):
        if node in (split.left, split.right):
            return i, "left" if split.left == node else "right"
    return -1, "root"


def relative(a: float, b: float) -> float:
    return abs(a - b) / max(abs(a), abs(b), 1e-300)


def files_are_read_alike(folder: Path) -> None:
    """Our columns are those of LightGBM's own reader, which does not know qid.

    Thresholds are not compared: that reader is off in the last bit of some values.
    """
    data = sets.shipped()
    part, plain = sets.load(data.train), folder / "plain.txt"
    write_without_qid(part, plain)
    parameters = dict(objective="lambdarank", verbosity=-1, num_threads=1)
    features = []
    for source in part.matrix, str(plain):
        matrix = lightgbm.Dataset(source, part.labels, group=part.sizes, params=parameters)
        lightgbm.train(parameters, matrix, TREES).save_model(folder / "model.txt")
        features.append([[s.feature for s in tree.splits] for tree in models.read(folder / "model.txt")])
    assert features[0] == features[1], "LightGBM's reader numbers features otherwise than we do"


def write_without_qid(part: sets.Part, path: Path) -> None:
    with open(path, "w") as out:
        for label, row in zip(part.labels, part.matrix):
            values = " ".join(f"{i}:{float(row[i])!r}" for i in row.nonzero()[0])
            out.write(f"{label:g} {values}\n")


if __name__ == "__main__":
    main()
