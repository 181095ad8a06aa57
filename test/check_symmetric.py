"""Checks symmetric trees (grow_policy=symmetric) against CatBoost's, level by level.

Features are replaced by the ranks of their values among at most 100 bins, and missing values are left out, so that
both programs cut between the same whole numbers. CatBoost trains with score_function=L2 and without anything that is
random. Levels must have the same feature and threshold, and training rows the same scores; an empty leaf of CatBoost
is none of ours. At the first difference the sums of gains of both splits, computed here from scores before the
tree, decide whether it is a tie.
"""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import catboost
import numpy as np

import holes
import models
import ours
import sets
from report import Table

TREES = 8
MOST_BINS = 100
TIE = 1e-6  # difference of two sums of gains, as a part of them
OBJECTIVES = {"regression": "RMSE", "query_rmse": "QueryRMSE"}


def main() -> None:
    table = Table("set", "objective", "depth", "l2", "trees", "levels", "largest error", "ended by")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for data in sets.present()[:4:3]:
            part = ranked(sets.load(data.train))
            file = folder / "ranked.txt"
            holes.write(part, file)
            for objective, depth, l2 in ("regression", 3, 0), ("regression", 6, 3), ("query_rmse", 4, 0), ("query_rmse", 5, 20):
                c = Comparison(part, objective, depth, l2)
                c.run(file, folder)
                table.row(c.passed, data.name, objective, depth, l2, c.trees, c.levels, c.error, c.end)
    table.exit()


def ranked(part: sets.Part) -> sets.Part:
    """Returns a part with the ranks of the values of each feature, in float64."""
    columns = []
    for values in part.matrix.T:
        cuts = np.unique(np.quantile(values, np.linspace(0, 1, MOST_BINS), method="higher"))
        columns.append(np.searchsorted(cuts, values))
    return sets.Part(np.column_stack(columns).astype(float), part.labels, part.sizes)


@dataclass
class Level:
    feature: int
    below: int  # the largest whole number that goes left


@dataclass
class Comparison:
    part: sets.Part
    objective: str
    depth: int
    l2: float
    trees: int = 0  # that are equal
    levels: int = 0
    error: float = 0.0  # of a row's score
    end: str = "all trees"
    passed: bool = True

    def run(self, file: Path, folder: Path) -> None:
        mine, theirs = self.mine(file, folder), self.theirs(folder)
        scores = [np.zeros(len(self.part.labels))] * 2
        for number, (tree, (levels, values)) in enumerate(zip(mine, theirs, strict=True)):
            self.compare(levels_of(tree), levels, scores[1])
            if self.end != "all trees":
                return
            scores = [scores[0] + tree.scores(self.part.matrix), scores[1] + values[self.leaves(levels)]]
            if number == 0:  # our first tree has the mean of the labels
                scores[0] -= self.start()
            self.error = max(self.error, float(abs(scores[0] - scores[1]).max()))
            self.trees += 1
        self.passed = self.error < 1e-6

    def start(self) -> float:
        return float(self.part.labels.mean()) if self.objective == "regression" else 0.0

    def mine(self, file: Path, folder: Path) -> list[models.Tree]:
        ours.train(file, folder / "mine.txt", objective=self.objective, grow_policy="SymmetricTree", depth=self.depth, num_leaves=2**self.depth,
                   lambda_l2=self.l2, min_data_in_leaf=0, min_sum_hessian_in_leaf=0, num_iterations=TREES, min_data_in_bin=1, active_fraction=1)
        return models.read(folder / "mine.txt")

    def theirs(self, folder: Path) -> list[tuple[list[Level], np.ndarray]]:
        """Returns the levels of CatBoost's trees, and the values of their leaves by number."""
        queries = np.repeat(np.arange(len(self.part.sizes)), self.part.sizes)
        model = catboost.CatBoost(dict(
            loss_function=OBJECTIVES[self.objective], iterations=TREES, depth=self.depth, l2_leaf_reg=self.l2, learning_rate=0.1,
            score_function="L2", random_strength=0, bootstrap_type="No", boosting_type="Plain", leaf_estimation_iterations=1,
            leaf_estimation_backtracking="No", border_count=254, feature_border_type="Uniform", thread_count=2, allow_writing_files=False, verbose=False,
        ))
        model.fit(catboost.Pool(self.part.matrix, self.part.labels, group_id=queries))
        model.save_model(str(folder / "theirs.json"), format="json")
        trees = json.loads((folder / "theirs.json").read_text())["oblivious_trees"]
        level = lambda split: Level(split["float_feature_index"], int(np.floor(split["border"])))
        return [(list(map(level, tree["splits"])), np.array(tree["leaf_values"])) for tree in trees]

    def leaves(self, levels: list[Level]) -> np.ndarray:
        """Returns the number of the leaf of each row: bit i says on which side of level i it is."""
        return sum((self.part.matrix[:, l.feature] > l.below).astype(int) << i for i, l in enumerate(levels))

    def compare(self, mine: list[Level], theirs: list[Level], scores: np.ndarray) -> None:
        for i, (a, b) in enumerate(zip(mine + [None] * self.depth, theirs)):
            if a is None or not np.array_equal(*(self.part.matrix[:, l.feature] > l.below for l in (a, b))):
                gains = [self.gain(scores, mine[:i] + [l]) if l else 0.0 for l in (a, b)]
                self.end = f"tree {self.trees + 1}, level {i + 1}: gains {gains[0]:.7g}, {gains[1]:.7g}"
                self.passed = abs(gains[0] - gains[1]) <= TIE * (self.gain(scores, mine[:1]) + 1)
                return
            self.levels += 1

    def gain(self, scores: np.ndarray, levels: list[Level]) -> float:
        """Returns what the last of the levels gains, before our gradients or theirs are rounded."""
        gradient = scores + self.start() - self.part.labels
        if self.objective == "query_rmse":
            queries = np.repeat(np.arange(len(self.part.sizes)), self.part.sizes)
            gradient -= (np.bincount(queries, gradient) / self.part.sizes)[queries]
        return self.score(gradient, levels) - self.score(gradient, levels[:-1])

    def score(self, gradient: np.ndarray, levels: list[Level]) -> float:
        leaves = self.leaves(levels) if levels else np.zeros(len(gradient), int)
        g, n = np.bincount(leaves, gradient), np.bincount(leaves)
        return float((g[n > 0] ** 2 / (n[n > 0] + self.l2)).sum())


def levels_of(tree: models.Tree) -> list[Level]:
    """Returns the levels of our tree, whose nodes come level by level."""
    return [Level(f, below) for f, below in dict.fromkeys((s.feature, int(np.floor(s.threshold))) for s in tree.splits)]


if __name__ == "__main__":
    main()
