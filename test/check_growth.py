"""Checks the rules for splits and leaf values against LightGBM's: path_smooth, max_delta_step, feature_contri,
extra_trees, feature_fraction_bynode, monotone_constraints and interaction_constraints.

Where no random draw matters, trees are compared split by split as in check_trees.py. At the first difference the
gains that both programs report, which obey the rules, decide whether it is a tie. Two things differ from LightGBM's
trees, and are not compared: leaf values of smoothed trees of lambdarank, because we smooth by the number of rows and
LightGBM by an estimate from Hessians, which is exact for regression; and thresholds that are drawn. Where every
feature has two values, extra_trees has nothing to draw.

Quality: nDCG@10 on test data of five seeds each, as in check_boosting.py, with LightGBM scoring our models in every
bit.
"""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import lightgbm
import numpy as np

import check_boosting
import check_trees
import models
import ours
import sets
from bins_of_lightgbm import bounds
from report import Table

TREES = 10 if sets.ALL else 5  # most comparisons end before
SAME = {
    "max_delta_step": dict(max_delta_step=0.4),
    "max_delta_step, l1, l2": dict(max_delta_step=0.2, lambda_l1=0.5, lambda_l2=2),
    "path_smooth": dict(path_smooth=20, min_data_in_leaf=2),
    "path_smooth, max_delta_step": dict(path_smooth=5, max_delta_step=1.5, min_data_in_leaf=2),
    "feature_contri": dict(feature_contri=""),  # see lists
    "monotone basic": dict(monotone_constraints=""),
    "monotone basic, penalty": dict(monotone_constraints="", monotone_penalty=1.6),
    "monotone intermediate": dict(monotone_constraints="", monotone_constraints_method="intermediate"),
    "monotone, steps, l2": dict(monotone_constraints="", max_delta_step=2, lambda_l2=1),
    "interaction_constraints": dict(interaction_constraints=""),
}
REGRESSION = {
    "regression, path_smooth": dict(path_smooth=50, min_data_in_leaf=2),
    "regression, smooth, l1": dict(path_smooth=5, lambda_l1=1, min_data_in_leaf=5),
    "regression, monotone": dict(monotone_constraints="", min_data_in_leaf=5),
    "regression, intermediate": dict(monotone_constraints="", monotone_constraints_method="intermediate", min_data_in_leaf=5),
    "regression, steps": dict(max_delta_step=0.3, lambda_l2=1, min_data_in_leaf=5),
}
QUALITY = {
    "extra_trees": dict(extra_trees="true"),
    "extra, bynode, smooth": dict(extra_trees="true", feature_fraction_bynode=0.6, path_smooth=10),
}


def main() -> None:
    table = Table("set", "what", "trees", "splits", "ours", "LightGBM", "3 errors", "ended by")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = sets.present()[:4:3]
        for d in data:
            for title, parameters in SAME.items():
                same_trees(table, d, folder, title, parameters)
            for title, parameters in REGRESSION.items():
                same_trees(table, d, folder, title, parameters | dict(objective="regression"))
            same_trees(table, two_values(d, folder), folder, "extra_trees, two values", dict(extra_trees="true"))
        for title, parameters in QUALITY.items() if sets.ALL else ():
            check_boosting.quality(table, data[-1], folder, title, parameters)
    table.exit()


def same_trees(table: Table, data: sets.Set, folder: Path, title: str, parameters: dict) -> None:
    parameters = dict(data.parameters) | dict(min_data_in_leaf=1, num_leaves=31) | parameters
    part = sets.load(data.train)
    parameters = lists(parameters, part.matrix.shape[1])
    theirs, mine = folder / "theirs.txt", folder / "mine.txt"
    check_trees_parameters = dict(objective="lambdarank", verbosity=-1, num_threads=1) | parameters
    matrix = lightgbm.Dataset(part.matrix, part.labels, group=part.sizes, params=check_trees_parameters)
    lightgbm.train(check_trees_parameters, matrix, TREES).save_model(theirs)
    ranks = parameters.get("objective") != "regression"
    ours.train(data.train, mine, num_iterations=TREES, **parameters, **(ours.FILE_ORDER if ranks else {}))
    c = Comparison(data, models.read(mine), models.read(theirs), parameters=parameters, first_only=ranks and "path_smooth" in parameters)
    c.run()
    scores = ours.predict(data.train, mine, folder / "scores.txt")
    bits = np.array_equal(scores, lightgbm.Booster(model_file=str(mine)).predict(part.matrix))
    table.row(c.passed and bits, data.name, title, c.trees, c.splits, c.value_error, "", "", c.end if bits else "other bits")


def lists(parameters: dict, features: int) -> dict:
    """Returns the parameters with lists by feature in full."""
    of = {
        "feature_contri": ",".join(f"{0.5 + 0.5 * ((7 * f) % 11) / 10:g}" for f in range(features)),
        "monotone_constraints": ",".join(str((5 * f) % 3 - 1 if f % 4 == 1 else 0) for f in range(features)),
        "interaction_constraints": ",".join(str([f for f in range(features) if f % 4 == k or f % 7 == k]) for k in range(4)).replace(" ", ""),
    }
    return parameters | {name: of[name] for name in of if name in parameters}


@dataclass
class Comparison(check_trees.Comparison):
    first_only: bool = False  # later trees have other gradients

    def run(self) -> None:
        if not self.first_only:
            return super().run()
        self.compare_splits(self.mine[0], self.theirs[0])
        if not self.end:
            self.trees = 1
            self.stop("the first tree", True)

    def judge(self, mine: models.Tree, theirs: models.Tree, node: int) -> None:
        a, b = mine.splits[node], theirs.splits[node]
        difference = (a.gain - b.gain) / max(a.gain, b.gain)
        self.stop(f"gains {a.gain:.6g}, {b.gain:.6g}", abs(difference) <= check_trees.TIE)
        if self.passed or difference <= 0:
            return
        exact = self.gradients()
        if (count := check_trees.least_count(sets.load(self.data.train), exact, mine, node, self.binning)) < 2:
            self.passed, self.end = True, f"LightGBM counts {count} rows"
        elif self.given_up(mine, node, *exact):
            self.passed, self.end = True, "not tried by LightGBM below a node without gain"

    def gradients(self) -> tuple[np.ndarray, np.ndarray]:
        part = sets.load(self.data.train)
        if self.parameters.get("objective") != "regression":
            return check_trees.gradients(part, self.scores(self.theirs))
        start = 0 if self.trees else part.labels.mean()
        return start + self.scores(self.theirs) - part.labels, np.ones(len(part.labels))

    def given_up(self, tree: models.Tree, node: int, gradient: np.ndarray, hessian: np.ndarray) -> bool:
        """Reports whether the feature of our split has no gain at a node above: LightGBM then does not try the feature
        below that node (is_splittable in feature_histogram.hpp). With max_delta_step this is common."""
        part, rows = sets.load(self.data.train), tree.rows(sets.load(self.data.train).matrix)
        feature, above = tree.splits[node].feature, tree.parent(node)[0]
        values = part.matrix[:, feature]
        bins = np.searchsorted(bounds(values, **self.binning), values)
        while above >= 0:
            r = rows[above]
            g, h = (np.bincount(bins[r], x[r], bins.max() + 1) for x in (gradient, hessian))
            gl, hl = g.cumsum()[:-1], h.cumsum()[:-1]
            low, high = self.bounds(tree, above, rows, gradient, hessian)
            wl, wr = (np.clip(self.value(*sums), low, high) for sums in ((gl, hl), (g.sum() - gl, h.sum() - hl)))
            whole = self.gain(g.sum(), h.sum(), self.value(g.sum(), h.sum()))
            gain = self.gain(gl, hl, wl) + self.gain(g.sum() - gl, h.sum() - hl, wr) - whole
            left = len(r) - np.floor(h * len(r) / h.sum() + 0.5)[::-1].cumsum()[::-1][1:]  # rows, as LightGBM estimates them
            least = self.parameters["min_data_in_leaf"]
            inside = (self.direction(feature) * (wr - wl) >= 0) & (hl > 1e-3) & (h.sum() - hl > 1e-3) & (left >= least) & (len(r) - left >= least)
            if not (gain[inside] > 1e-9 * abs(whole)).any():
                return True
            above = tree.parent(above)[0]
        return False

    def direction(self, feature: int) -> int:
        directions = self.parameters.get("monotone_constraints")
        return int(directions.split(",")[feature]) if directions else 0

    def bounds(self, tree: models.Tree, node: int, rows: dict, gradient: np.ndarray, hessian: np.ndarray) -> tuple[float, float]:
        """Returns the bounds that monotone_constraints_method=basic gives the children of a node, or wider ones."""
        low, high, path = -np.inf, np.inf, []
        while node > 0:
            node, side = tree.parent(node)
            path.append((node, side))
        if self.parameters.get("monotone_constraints_method"):
            return low, high
        for above, side in reversed(path):
            direction = self.direction(tree.splits[above].feature)
            both = (rows[child] for child in (tree.splits[above].left, tree.splits[above].right))
            values = [np.clip(self.value(gradient[r].sum(), hessian[r].sum()), low, high) for r in both]
            if direction * (1 if side == "left" else -1) > 0:
                high = min(high, sum(values) / 2)
            elif direction:
                low = max(low, sum(values) / 2)
        return low, high

    def value(self, g, h):
        l1, l2, step = (self.parameters.get(name, 0) for name in ("lambda_l1", "lambda_l2", "max_delta_step"))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.clip(np.nan_to_num(-self.shrunk(g) / (h + l2)), -step or -np.inf, step or np.inf)

    def gain(self, g, h, value):
        with np.errstate(over="ignore", invalid="ignore"):
            return -(2 * self.shrunk(g) * value + (h + self.parameters.get("lambda_l2", 0)) * value**2)

    def shrunk(self, g):
        return np.sign(g) * np.maximum(0, np.abs(g) - self.parameters.get("lambda_l1", 0))


def two_values(data: sets.Set, folder: Path) -> sets.Set:
    """Returns the training data with 0 and 1 for values up to the median of their column and above it."""
    part = sets.load(data.train)
    path = folder / f"{data.name.replace(' ', '-')}-two.txt"
    if not path.exists():
        rows = part.matrix > np.median(part.matrix, axis=0)
        query = np.repeat(np.arange(len(part.sizes)), part.sizes)
        with open(path, "w") as out:
            for label, q, row in zip(part.labels, query, rows):
                values = " ".join(f"{f}:1" for f in row.nonzero()[0])
                last = f" {len(row) - 1}:0" if len(row) else ""
                out.write(f"{label:g} qid:{q}{' ' + values if values else ''}{last if not (len(row) and row[-1]) else ''}\n")
    return replace(data, train=path)


if __name__ == "__main__":
    main()
