"""Checks symmetric trees (grow_policy=symmetric) against CatBoost's, level by level.

Feature values are replaced by bin numbers, at most 100, and there are no missing values, so that both programs cut
between the same whole numbers. In half of the settings most features are instead categorical, with seven randomly
numbered categories, and both programs split off one category at a time. CatBoost trains with score_function=L2 and
without randomness. Levels must divide the rows in the same way, and training rows must have the same scores; leaves
that are empty in CatBoost do not exist in our trees. At the first difference the gains of both splits, computed here
from the scores before the tree, decide whether it is a tie. CatBoost does not split by sets of several categories;
booster's tests check these by brute force.
"""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import catboost
import numpy as np
import pandas

import holes
import models
import ours
import sets
from report import Table

TREES = 8
MOST_BINS = 100
CATEGORIES = 7
TIE = 1e-6  # relative difference of two sums of gains
OBJECTIVES = {"regression": "RMSE", "query_rmse": "QueryRMSE"}


def main() -> None:
    table = Table("set", "objective", "depth", "l2", "categorical", "trees", "levels", "by categories", "largest error", "ended by")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for data in sets.present()[:4:3]:
            part = ranked(sets.load(data.train))
            for columns in [], [c for c in range(1, part.matrix.shape[1]) if c % 8]:
                made = with_categories(part, columns)
                file = folder / "ranked.txt"
                holes.write(made, file)
                for objective, depth, l2 in ("regression", 3, 0), ("regression", 6, 3), ("query_rmse", 4, 0), ("query_rmse", 5, 20):
                    c = Comparison(made, columns, objective, depth, l2)
                    c.run(file, folder)
                    table.row(c.passed, data.name, objective, depth, l2, len(columns), c.trees, c.levels, c.sets, c.error, c.end)
    table.exit()


def ranked(part: sets.Part) -> sets.Part:
    """Returns a part with the ranks of the values of each feature, in float64."""
    columns = []
    for values in part.matrix.T:
        cuts = np.unique(np.quantile(values, np.linspace(0, 1, MOST_BINS), method="higher"))
        columns.append(np.searchsorted(cuts, values))
    return sets.Part(np.column_stack(columns).astype(float), part.labels, part.sizes)


def with_categories(part: sets.Part, columns: list[int]) -> sets.Part:
    """Returns a part in which columns have categories, each frequent enough for a bin."""
    matrix, rng = part.matrix.copy(), np.random.default_rng(4)
    for column in columns:
        order = np.argsort(matrix[:, column] + rng.random(len(matrix)))
        matrix[order, column] = rng.permutation(3 * CATEGORIES)[np.arange(len(matrix)) * CATEGORIES // len(matrix)]
    return replace(part, matrix=matrix)


@dataclass
class Level:
    right: np.ndarray  # by row: whether it goes right; the sides may be exchanged
    categorical: bool = False

    def divides_as(self, other: "Level") -> bool:
        return np.array_equal(self.right, other.right) or np.array_equal(self.right, ~other.right)


@dataclass
class Comparison:
    part: sets.Part
    columns: list[int]  # of categories
    objective: str
    depth: int
    l2: float
    trees: int = 0  # equal trees
    levels: int = 0
    sets: int = 0  # of these, by categories
    error: float = 0.0  # of a row's score
    end: str = "all trees"
    passed: bool = True

    def run(self, file: Path, folder: Path) -> None:
        mine, theirs = self.mine(file, folder), self.theirs()
        scores = [np.zeros(len(self.part.labels))] * 2
        for number, (tree, (levels, added)) in enumerate(zip(mine, theirs, strict=True)):
            self.compare(self.levels_of(tree), levels, scores[1])
            if self.end != "all trees":
                return
            scores = [scores[0] + tree.scores(self.part.matrix), scores[1] + added]
            if number == 0:  # our first tree has the mean of the labels
                scores[0] -= self.start()
            self.error = max(self.error, float(abs(scores[0] - scores[1]).max()))
            self.trees += 1
        self.passed = self.error < 1e-6 and (self.sets > 0) == (self.columns != [])

    def start(self) -> float:
        return float(self.part.labels.mean()) if self.objective == "regression" else 0.0

    def mine(self, file: Path, folder: Path) -> list[models.Tree]:
        categories = dict(categorical_feature=",".join(map(str, self.columns)), max_cat_to_onehot=CATEGORIES + 1) if self.columns else {}
        ours.train(file, folder / "mine.txt", objective=self.objective, grow_policy="SymmetricTree", depth=self.depth, num_leaves=2**self.depth,
                   lambda_l2=self.l2, min_data_in_leaf=0, min_sum_hessian_in_leaf=0, num_iterations=TREES, min_data_in_bin=1, active_fraction=1, **categories)
        return models.read(folder / "mine.txt")

    def theirs(self) -> list[tuple[list[Level], np.ndarray]]:
        """Returns the levels of CatBoost's trees, and what the trees add to the scores of rows."""
        queries = np.repeat(np.arange(len(self.part.sizes)), self.part.sizes)
        model = catboost.CatBoost(dict(
            loss_function=OBJECTIVES[self.objective], iterations=TREES, depth=self.depth, l2_leaf_reg=self.l2, learning_rate=0.1,
            score_function="L2", random_strength=0, bootstrap_type="No", boosting_type="Plain", leaf_estimation_iterations=1,
            leaf_estimation_backtracking="No", border_count=254, feature_border_type="Uniform", thread_count=2, allow_writing_files=False, verbose=False,
            one_hot_max_size=CATEGORIES,
        ))
        frame = pandas.DataFrame(self.part.matrix).astype({column: int for column in self.columns})
        pool = catboost.Pool(frame, self.part.labels, group_id=queries, cat_features=self.columns)
        model.fit(pool)
        leaves, counts = model.calc_leaf_indexes(pool), model.get_tree_leaf_counts()
        values = np.split(model.get_leaf_values(), np.cumsum(counts)[:-1])
        levels = lambda numbers, count: [Level((numbers >> bit & 1).astype(bool)) for bit in range(int(count).bit_length() - 1)]
        return [(levels(numbers, count), added[numbers]) for numbers, count, added in zip(leaves.T, counts, values)]

    def levels_of(self, tree: models.Tree) -> list[Level]:
        """Returns the levels of our tree, whose nodes come level by level."""
        splits = {split.cut(): split for split in reversed(tree.splits)}
        levels = dict.fromkeys(split.cut() for split in tree.splits)
        return [Level(~splits[cut].goes_left(self.part.matrix[:, cut[0]]), cut[0] in self.columns) for cut in levels]

    def compare(self, mine: list[Level], theirs: list[Level], scores: np.ndarray) -> None:
        for i, (a, b) in enumerate(zip(mine + [None] * self.depth, theirs)):
            if a is None or not a.divides_as(b):
                gains = [self.gain(scores, mine[:i] + [l]) if l else 0.0 for l in (a, b)]
                self.end = f"tree {self.trees + 1}, level {i + 1}: gains {gains[0]:.7g}, {gains[1]:.7g}"
                self.passed = abs(gains[0] - gains[1]) <= TIE * (self.gain(scores, mine[:1]) + 1)
                return
            self.levels += 1
            self.sets += a.categorical

    def gain(self, scores: np.ndarray, levels: list[Level]) -> float:
        """Returns the gain of the last level, computed without rounding of gradients."""
        gradient = scores + self.start() - self.part.labels
        if self.objective == "query_rmse":
            queries = np.repeat(np.arange(len(self.part.sizes)), self.part.sizes)
            gradient -= (np.bincount(queries, gradient) / self.part.sizes)[queries]
        return self.score(gradient, levels) - self.score(gradient, levels[:-1])

    def score(self, gradient: np.ndarray, levels: list[Level]) -> float:
        leaves = sum((level.right.astype(int) << i for i, level in enumerate(levels)), np.zeros(len(gradient), int))
        g, n = np.bincount(leaves, gradient), np.bincount(leaves)
        return float((g[n > 0] ** 2 / (n[n > 0] + self.l2)).sum())


if __name__ == "__main__":
    main()
