"""Checks that we grow the same trees as LightGBM.

With min_data_in_leaf=1, and documents of equal scores ranked as LightGBM ranks them, the first
trees are compared split by split, in the order of growth: which leaf is split, on which feature, at
which threshold. At the first difference both splits are judged by
exact gradients (lambdarank.py), and the comparison ends, because the following splits depend on it.

Data with holes is compared too: with NaN as missing and with zeros as missing. In features with missing
values LightGBM scans in both directions and adds floats in each. Rounding can then make one of two
equal gains larger, so that threshold and default side differ from ours although the same rows go left.
Such a split counts as equal; the table has their number.

The comparison passes if

- the exact gains of the two splits agree to 1e-4: LightGBM sums gradients as float32 and we sum
  integers, so the two may decide a tie differently; or
- our split has the larger gain, but LightGBM rejects it by its estimate of the number of rows, which is a sum
  over bins of rounded shares of the Hessian. After many bins it can leave no rows for the other side. LightGBM
  also skips a feature below a node where no split on it has both a gain and rows by that estimate; or
- after some trees, two documents of a query have scores so close that our order is not LightGBM's: the
  next gradients then differ.

Anything else fails. Leaf values must agree to 1e-4 of the root mean square in their tree, because values near
zero are differences of sums that are some hundred times larger.
"""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import lightgbm
import numpy as np

import holes
import models
import ours
import sets
from bins_of_lightgbm import bounds
from lambdarank import gradients
from report import Table

TREES = 10 if sets.ALL else 5  # most comparisons end before
TIE = 1e-4  # relative difference of the gains of two candidates that count as equal
VALUE = 1e-4  # relative difference of leaf values
MISSING_NAN = 8  # in the decision of a split


def main() -> None:
    table = Table("set", "leaves", "max_bin", "missing", "trees", "splits", "same rows", "gain error", "value error", "ended by")
    with tempfile.TemporaryDirectory() as folder:
        for data in sets.some():
            for leaves in 7, 31, 127:
                compare(table, data, Path(folder), num_leaves=leaves)
            compare(table, data, Path(folder), num_leaves=31, max_bin=5000, min_data_in_bin=1)
        for data in holes.made(Path(folder)):
            for leaves in 7, 31, 127:
                compare(table, data, Path(folder), num_leaves=leaves)
                compare(table, data, Path(folder), num_leaves=leaves, zero_as_missing="true")
            compare(table, data, Path(folder), num_leaves=31, max_bin=1000)
        files_are_read_alike(Path(folder))
    table.exit()


def compare(table: Table, data: sets.Set, folder: Path, **parameters) -> None:
    parameters = dict(data.parameters) | dict(min_data_in_leaf=1) | parameters
    theirs, mine = folder / "theirs.txt", folder / "mine.txt"
    train_lightgbm(data, theirs, parameters)
    ours.train(data.train, mine, num_iterations=TREES, **ours.FILE_ORDER, **parameters)
    c = Comparison(data, models.read(mine), models.read(theirs), parameters)
    c.run()
    missing = "zero" if "zero_as_missing" in parameters else ""
    table.row(c.passed, data.name, parameters["num_leaves"], parameters.get("max_bin", 255), missing, c.trees, c.splits, c.same_rows, c.gain_error, c.value_error, c.end)


def train_lightgbm(data: sets.Set, model: Path, parameters: dict) -> None:
    """LightGBM trains without bundles of features: it may bundle two that both have a value in some row, and loses one of these
    values (FixSampleIndices in dataset.cpp looks for such rows in values that FindBin has sorted before)."""
    part = sets.load(data.train)
    parameters = parameters | dict(objective="lambdarank", verbosity=-1, num_threads=1, enable_bundle=False)
    matrix = lightgbm.Dataset(part.matrix, part.labels, group=part.sizes, params=parameters)
    lightgbm.train(parameters, matrix, TREES).save_model(model)


@dataclass
class Comparison:
    data: sets.Set
    mine: list[models.Tree]
    theirs: list[models.Tree]
    parameters: dict = field(default_factory=dict)  # of both training runs, where not the defaults

    trees: int = 0  # number of trees that are equal in all splits
    splits: int = 0  # number of equal splits
    same_rows: int = 0  # number of equal splits with another threshold or default side
    gain_error: float = 0.0  # largest relative difference of gains
    value_error: float = 0.0  # largest relative difference of leaf values
    end: str = ""
    passed: bool = True

    @property
    def binning(self) -> dict:
        return {name: value for name, value in self.parameters.items() if name in ("max_bin", "min_data_in_bin")}

    def run(self) -> None:
        for mine, theirs in zip(self.mine, self.theirs):
            self.compare_splits(mine, theirs)
            if self.end:
                return
            self.compare_values(mine, theirs)
            self.trees += 1
            if not self.same_order():
                return self.stop("order of documents", True)
        self.stop("all trees", len(self.mine) == len(self.theirs))

    def stop(self, end: str, passed: bool) -> None:
        self.end, self.passed = end, self.passed and passed

    def compare_splits(self, mine: models.Tree, theirs: models.Tree) -> None:
        matrix = sets.load(self.data.train).matrix
        rows = mine.rows(matrix)
        for i, (a, b) in enumerate(zip(mine.splits, theirs.splits)):
            if a.feature != b.feature or mine.parent(i) != theirs.parent(i):
                return self.judge(mine, theirs, i)
            if a.cut() != b.cut() or a.decision != b.decision:
                values = matrix[rows[i], a.feature]
                if a.missing() == 0 or a.missing() != b.missing() or (a.goes_left(values) != b.goes_left(values)).any():
                    return self.judge(mine, theirs, i)
                self.same_rows += 1
            self.gain_error = max(self.gain_error, abs(relative(a.gain, b.gain)))
            self.splits += 1
        if len(mine.splits) != len(theirs.splits):
            self.stop(f"{len(mine.leaf_values)} leaves, LightGBM has {len(theirs.leaf_values)}", False)

    def compare_values(self, mine: models.Tree, theirs: models.Tree) -> None:
        a, b = np.array(mine.leaf_values), np.array(theirs.leaf_values)
        self.value_error = max(self.value_error, float(np.max(np.abs(a - b)) / np.sqrt(np.mean(b**2))))
        self.passed &= self.value_error <= VALUE

    def same_order(self) -> bool:
        part = sets.load(self.data.train)
        query = np.repeat(np.arange(len(part.sizes)), part.sizes)
        orders = [np.lexsort((-self.scores(trees), query)) for trees in (self.mine, self.theirs)]
        return np.array_equal(*orders)

    def scores(self, trees: list[models.Tree]) -> np.ndarray:
        """Returns the scores of the training rows after the trees that agree."""
        matrix = sets.load(self.data.train).matrix
        return sum((t.scores(matrix) for t in trees[: self.trees]), np.zeros(len(matrix)))

    def judge(self, mine: models.Tree, theirs: models.Tree, node: int) -> None:
        """Ends the comparison at a node that the two programs split differently."""
        part = sets.load(self.data.train)
        exact = gradients(part, self.scores(self.theirs))
        a, b = (Candidate(part, *exact, tree, node) for tree in (mine, theirs))
        difference = relative(a.gain, b.gain)
        if abs(difference) <= TIE:
            self.stop(f"tie, {difference:.0e}", True)
        elif difference > 0 and (count := least_count(part, exact, mine, node, self.binning)) < 1:
            self.stop(f"LightGBM counts {count} rows", True)
        else:
            self.stop(f"{a} against {b}", False)


def relative(a: float, b: float) -> float:
    """Returns the difference of two gains, relative to the larger one."""
    return (a - b) / max(a, b) if a != b else 0.0


def least_count(part: sets.Part, exact: tuple, tree: models.Tree, node: int, binning: dict) -> int:
    """Returns the smaller of LightGBM's estimated row counts for the split of a node. It is 0 if LightGBM skips the
    feature because at a node above no split on it has both rows, by that estimate, and a gain (is_splittable in
    feature_histogram.hpp)."""
    above, rows = node, tree.rows(part.matrix)
    while (above := tree.parent(above)[0]) >= 0:
        if not is_splittable(part, *exact, rows[above], tree.splits[node], binning):
            return 0
    return Candidate(part, *exact, tree, node).lightgbm_count(binning)


def is_splittable(part: sets.Part, gradient: np.ndarray, hessian: np.ndarray, rows: np.ndarray, split: models.Split, binning: dict) -> bool:
    """Reports whether LightGBM finds a split of a leaf on the feature of a split below it, as FindBestThresholdSequentially
    does: missing values on either side, rows estimated from the shares of the Hessian."""
    values = part.matrix[:, split.feature]
    uppers, known = bounds(values, **binning), rows[~split.is_missing(values[rows])]
    bins = np.searchsorted(uppers, values[known])
    g, h = (np.bincount(bins, v[known], len(uppers) + 1) for v in (gradient, hessian))
    total = gradient[rows].sum(), hessian[rows].sum()
    count = np.floor(h * len(rows) / total[1] + 0.5)
    missing = np.floor(hessian[rows[split.is_missing(values[rows])]].sum() * len(rows) / total[1] + 0.5)
    for order in slice(None), slice(None, None, -1):
        near = [np.cumsum(v[order]) for v in (g, h, count)]
        if order.step is None and is_rest_first(split, values, uppers):
            near[2] += len(rows) - count.sum() - missing
        far = [t - v for t, v in zip((*total, len(rows)), near)]
        fits = (np.minimum(near[2], far[2]) >= 1) & (np.minimum(near[1], far[1]) >= 1e-3)  # min_sum_hessian_in_leaf
        gains = sum(v[0][fits] ** 2 / v[1][fits] for v in (near, far)) - total[0] ** 2 / total[1]
        if (gains > 1e-12).any():
            return True
    return False


def is_rest_first(split: models.Split, values: np.ndarray, uppers: np.ndarray) -> bool:
    """Reports whether LightGBM, where NaN is missing, keeps no sums for the first bin. The scan from the left then begins with the
    rest: the leaf's sums minus all other bins, with a count that is the leaf's minus all rounded counts
    (FindBestThresholdSequentially, offset 1). This applies if the first bin contains zero, or 70 % of the values
    (most_freq_bin in bin.cpp)."""
    if split.missing() != MISSING_NAN:
        return False
    known = ~np.isnan(values)
    counts = np.append(np.bincount(np.searchsorted(uppers, values[known]), minlength=len(uppers) + 1), (~known).sum())
    frequent = np.argmax(counts)
    return (frequent if counts[frequent] >= 0.7 * len(values) else np.searchsorted(uppers, 0.0)) == 0


class Candidate:
    """A split of a leaf, judged by exact gradients."""

    def __init__(self, part: sets.Part, gradient: np.ndarray, hessian: np.ndarray, tree: models.Tree, node: int):
        self.split = tree.splits[node]
        rows = tree.rows(part.matrix)[node]
        self.all_values = part.matrix[:, self.split.feature]
        self.values, self.hessian = self.all_values[rows], hessian[rows]
        self.is_left = self.split.goes_left(self.values)
        sides = (gradient[rows[side]].sum() ** 2 / hessian[rows[side]].sum() for side in (self.is_left, ~self.is_left))
        self.gain = sum(sides) - gradient[rows].sum() ** 2 / self.hessian.sum()

    def lightgbm_count(self, binning: dict) -> int:
        """Returns the smaller of LightGBM's two estimates of the numbers of rows (feature_histogram.hpp,
        FindBestThresholdSequentially). The estimate of the side without missing values is the sum over
        bins of the rounded share of the Hessian; the other side gets the rest. Where the rest goes to the first
        bin (is_rest_first), it is the sum over the other side and the missing values that is rounded."""
        uppers = bounds(self.all_values, **binning)
        known = ~self.split.is_missing(self.values)
        bins = np.searchsorted(uppers, self.values[known])
        share = np.bincount(bins, self.hessian[known], len(uppers) + 1) * len(self.values) / self.hessian.sum()
        cut = np.searchsorted(uppers, self.split.threshold) + 1
        if self.split.decision & 2:
            scanned = share[cut:]
        elif is_rest_first(self.split, self.all_values, uppers):
            scanned = np.append(share[cut:], self.hessian[~known].sum() * len(self.values) / self.hessian.sum())
        else:
            scanned = share[:cut]
        count = int(np.floor(scanned + 0.5).sum())
        return min(count, len(self.values) - count)

    def __str__(self) -> str:
        return f"feature {self.split.feature} <= {self.split.threshold!r} (exact gain {self.gain:.6g}, reported {self.split.gain:.6g})"


def files_are_read_alike(folder: Path) -> None:
    """Checks that our columns are those of LightGBM's own text reader, which does not understand qid.

    Thresholds are not compared: that reader is wrong in the last bit of some values.
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
    assert features[0] == features[1], "LightGBM's reader numbers features differently"


def write_without_qid(part: sets.Part, path: Path) -> None:
    with open(path, "w") as out:
        for label, row in zip(part.labels, part.matrix):
            values = " ".join(f"{i}:{float(row[i])!r}" for i in row.nonzero()[0])
            out.write(f"{label:g} {values}\n")


if __name__ == "__main__":
    main()
