"""Checks that we split categorical features as LightGBM does.

Columns of the data sets become categories: their ranks are divided into groups of unequal sizes, which get
random numbers, so that sets of numbers are informative and their order is not. There are columns with few
categories, which are tried one by one, with many, and with more than fit in a byte; and rare, missing and
negative values.

The first trees are compared split by split, as in check_trees.py: the sets of categories must be
equal. At the first difference both splits are judged by exact gradients: their gains must agree to 1e-4.
That holds for regression, whose Hessians are 1. The rows of a category are not counted but estimated, as
the rounded share of its Hessian. With LambdaRank's Hessians the share may be so near a half that the two programs
round differently, and only one of them tries a set; the comparison then ends there. It also ends where LightGBM did
not try our split: it does not try a feature below a node where the feature has no gain (is_splittable in
feature_histogram.hpp). This script repeats its search of categories to detect that. The test data has categories that
the training data lacks. On it, LightGBM gives our models the same scores as we do, in every bit, including a model of
symmetric trees, which LightGBM cannot train.
"""

import tempfile
from dataclasses import replace
from pathlib import Path

import lightgbm
import numpy as np
import pandas

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
BORDER = 1e-3  # distance of a share of the Hessian from where its rounding changes
SIZES = [2, 3, 4, 12, 60, 240, 700]  # numbers of categories; columns cycle through them
CHOSEN = "shipped", "mq2008 fold 1", "mslr sample"
POINTWISE = dict(objective="regression", boost_from_average="false")
SETTINGS = [
    POINTWISE,
    POINTWISE | dict(num_leaves=7, cat_smooth=1, cat_l2=0, min_data_per_group=10),
    POINTWISE | dict(num_leaves=63, max_cat_threshold=4, max_cat_to_onehot=16, lambda_l2=1),
    POINTWISE | dict(min_data_per_group=1, cat_smooth=0.5, lambda_l1=1, max_bin=63, min_data_in_leaf=30),
    dict(objective="lambdarank"),
    dict(objective="lambdarank", cat_smooth=30, min_data_per_group=300, max_cat_to_onehot=2, min_data_in_leaf=0),
]


def main() -> None:
    table = Table("set", "setting", "features", "trees", "splits", "of sets", "gain error", "value error", "ended by")
    with tempfile.TemporaryDirectory() as folder:
        for data in sets.some():
            if data.name in CHOSEN:
                graded, blurred, columns = with_categories(data, Path(folder))
                for i, setting in enumerate(SETTINGS):
                    made = graded if setting["objective"] == "lambdarank" else blurred
                    compare(table, made, columns, Path(folder), i, setting)
        texts_are_read_alike(Path(folder))
    table.exit()


def texts_are_read_alike(folder: Path) -> None:
    """Checks that we and LightGBM's Python package map texts to the same categories. Each model, ours and LightGBM's,
    stores its texts in pandas_categorical, and the other program reads them from there."""
    rng = np.random.default_rng(2)
    brands = np.array(["Ältere", "b,c", 'quo"te', "7", *(f"brand{i}" for i in range(40))])
    chosen, color = rng.integers(0, len(brands), 3000), rng.integers(0, 3, 3000)
    frame = pandas.DataFrame(dict(
        price=rng.normal(size=3000), brand=brands[chosen], shop=rng.integers(0, 9, 3000) * 5, color=np.array(["red", "green", "blue"])[color],
        query=np.repeat(np.arange(150), 20),
    ))  # fmt: skip
    frame["grade"] = np.clip(frame.price + rng.normal(size=len(brands))[chosen] + (color == 1) + 1, 0, 4).astype(int)
    frame.loc[rng.random(3000) < 0.05, "brand"] = None
    table, model = folder / "table.csv", folder / "model.txt"
    frame.to_csv(table, index=False)
    columns = dict(label_column="name:grade", group_column="name:query")
    ours.train(table, model, num_iterations=20, categorical_feature="name:brand,shop,color", **columns)
    typed = frame.assign(brand=frame.brand.astype("category"), color=frame.color.astype("category"))
    booster = lightgbm.Booster(model_file=model)
    theirs = booster.predict(typed[booster.feature_name()], raw_score=True)
    assert (theirs == ours.predict(table, model, folder / "scores.txt", **columns)).all(), "LightGBM reads the texts of our model otherwise"

    features = ["price", "brand", "color"]
    data = lightgbm.Dataset(typed[features], typed.grade, group=[20] * 150)
    booster = lightgbm.train(dict(objective="lambdarank", verbosity=-1), data, 20)
    booster.save_model(model)
    assert (booster.predict(typed[features], raw_score=True) == ours.predict(table, model, folder / "scores.txt", **columns)).all(), "we read the texts of LightGBM's model otherwise"


def with_categories(data: sets.Set, folder: Path) -> tuple[sets.Set, sets.Set, list[int]]:
    """Returns the set with categories, the same set with fractional labels, and the categorical columns.
    With whole numbers many categories have the same mean, and rounding would decide their order."""
    train, test = sets.load(data.train), sets.load(data.test)
    width = train.matrix.shape[1]
    parts = [train.matrix.copy(), test.widened(width)[:, :width].copy()]
    rng = np.random.default_rng(1)
    columns = [int(c) for c in np.flatnonzero(np.ptp(train.matrix, axis=0) > 0)[::2]]
    for i, column in enumerate(columns):
        to_categories(parts, column, SIZES[i % len(SIZES)], rng)
    made = []
    for name, blur in ("graded", 0), ("blurred", 0.5):
        paths = []
        for kind, part, matrix in zip(("train", "test"), (train, test), parts):
            paths.append(folder / f"{data.name}-{name}-{kind}.txt".replace(" ", "-"))
            holes.write(replace(part, matrix=matrix, labels=part.labels + blur * rng.random(len(matrix))), paths[-1])
        made.append(sets.Set(f"{data.name}, {name}", *paths, parameters=data.parameters))
    return *made, columns


def to_categories(parts: list[np.ndarray], column: int, size: int, rng: np.random.Generator) -> None:
    """Turns a column into categories by the quantiles of the first part."""
    edges = np.sort(np.quantile(parts[0][:, column] + rng.normal(0, 1e-9), np.sort(rng.random(size - 1)) ** 2))
    numbers = rng.permutation(2 * size)[:size]
    for matrix in parts:
        jitter = rng.random(len(matrix)) * 0.2 * parts[0][:, column].std()
        category = numbers[np.searchsorted(edges, matrix[:, column] + jitter)].astype(float)
        chance = rng.random(len(matrix))
        category[chance < 0.02] = np.nan
        category[chance > 0.998] = -3
        if matrix is parts[1]:
            category[(chance > 0.5) & (chance < 0.52)] = 2 * size + 5  # unseen
        matrix[:, column] = category


def compare(table: Table, data: sets.Set, columns: list[int], folder: Path, number: int, setting: dict) -> None:
    parameters = dict(data.parameters) | dict(min_data_in_leaf=0, min_sum_hessian_in_leaf=1e-3) | setting
    theirs, mine = folder / "theirs.txt", folder / "mine.txt"
    part = sets.load(data.train)
    matrix = lightgbm.Dataset(part.matrix, part.labels, group=part.sizes, categorical_feature=columns, params=parameters | dict(verbosity=-1))
    common = parameters | dict(verbosity=-1, num_threads=1)
    lightgbm.train(common, matrix, TREES).save_model(theirs)
    ours.train(data.train, mine, num_iterations=TREES, categorical_feature=",".join(map(str, columns)), **parameters, **(ours.FILE_ORDER if setting["objective"] == "lambdarank" else {}))
    c = Comparison(part, parameters, infos(mine), models.read(mine), models.read(theirs))
    c.passed = c.same_bins(infos(theirs))
    c.run()
    c.passed &= same_scores(data, mine, folder)
    ours.train(data.train, mine, num_iterations=TREES, categorical_feature=",".join(map(str, columns)), grow_policy="symmetric", **parameters | dict(num_leaves=32))
    c.passed &= same_scores(data, mine, folder)
    table.row(c.passed, data.name, number, len(columns), c.trees, c.splits, c.sets, c.gain_error, c.value_error, c.end)


def infos(model: Path) -> list[str]:
    line = next(line for line in model.read_text().splitlines() if line.startswith("feature_infos="))
    return line.removeprefix("feature_infos=").split()


def same_scores(data: sets.Set, model: Path, folder: Path) -> bool:
    """Reports whether LightGBM gives our model's scores in every bit."""
    booster = lightgbm.Booster(model_file=model)
    matrix = sets.load(data.test).widened(booster.num_feature())
    return bool((booster.predict(matrix, raw_score=True) == ours.predict(data.test, model, folder / "scores.txt")).all())


class Comparison:
    def __init__(self, part: sets.Part, parameters: dict, ranges: list[str], mine: list[models.Tree], theirs: list[models.Tree]):
        self.part, self.parameters, self.ranges, self.mine, self.theirs = part, parameters, ranges, mine, theirs
        self.trees = self.splits = self.sets = 0
        self.gain_error = self.value_error = 0.0
        self.end, self.passed = "", True

    def same_bins(self, theirs: list[str]) -> bool:
        """Reports whether categories have LightGBM's bins."""
        pairs = [(a.split(":"), b.split(":")) for a, b in zip(self.ranges, theirs) if "[" not in a]
        return len(pairs) > 5 and all(a == b for a, b in pairs)

    def run(self) -> None:
        for mine, theirs in zip(self.mine, self.theirs):
            if not self.compare_tree(mine, theirs):
                return
            self.trees += 1
            if self.parameters["objective"] == "lambdarank" and not self.same_order():
                self.end = "order of documents"
                return
        self.end = "all trees"
        self.passed &= len(self.mine) == len(self.theirs)

    def compare_tree(self, mine: models.Tree, theirs: models.Tree) -> bool:
        for i, (a, b) in enumerate(zip(mine.splits, theirs.splits)):
            if a.cut() != b.cut() or a.decision != b.decision or mine.parent(i) != theirs.parent(i):
                self.judge(mine, theirs, i)
                return False
            self.gain_error = max(self.gain_error, abs(a.gain - b.gain) / b.gain)
            self.splits += 1
            self.sets += a.categories is not None
        a, b = np.array(mine.leaf_values), np.array(theirs.leaf_values)
        if len(a) != len(b):
            self.end, self.passed = f"{len(a)} leaves, LightGBM has {len(b)}", False
            return False
        self.value_error = max(self.value_error, float(np.max(np.abs(a - b)) / np.sqrt(np.mean(b**2))))
        self.passed &= self.value_error <= VALUE
        return True

    def scores(self, trees: list[models.Tree]) -> np.ndarray:
        return sum((t.scores(self.part.matrix) for t in trees[: self.trees]), np.zeros(len(self.part.matrix)))

    def same_order(self) -> bool:
        query = np.repeat(np.arange(len(self.part.sizes)), self.part.sizes)
        return np.array_equal(*(np.lexsort((-self.scores(trees), query)) for trees in (self.mine, self.theirs)))

    def judge(self, mine: models.Tree, theirs: models.Tree, node: int) -> None:
        """Ends the comparison at a node that the two programs split differently."""
        exact = self.gradients(self.scores(self.theirs))
        gains = [self.gain(tree, node, *exact) for tree in (mine, theirs)]
        difference = (gains[0] - gains[1]) / max(gains)
        self.end = f"tie, {difference:.0e}"
        if abs(difference) <= TIE:
            return
        if difference > 0 and not self.tried(mine, node, *exact):
            self.end = f"not tried by LightGBM, {difference:.0e}"
            return
        if mine.splits[node].categories is theirs.splits[node].categories is None and self.parameters["objective"] == "lambdarank":
            self.end = f"two numeric splits, {difference:.0e}"  # check_trees.py is about these
            return
        self.end = f"rounded rows, {difference:.0e}"
        if not any(self.at_border(tree, node, exact[1]) for tree in (mine, theirs)) or self.parameters["objective"] == "regression":
            a, b = mine.splits[node], theirs.splits[node]
            self.end = f"{a.cut()} exact {gains[0]:.6g} reported {a.gain:.6g} against {b.cut()} exact {gains[1]:.6g} reported {b.gain:.6g}"
            self.passed = False

    def gradients(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.parameters["objective"] == "regression":
            return scores - self.part.labels, np.ones(len(scores))
        return gradients(self.part, scores)

    def l2(self, split: models.Split) -> float:
        bins = len(self.ranges[split.feature].split(":"))
        is_set = split.categories is not None and bins > self.parameters.get("max_cat_to_onehot", 4)
        return self.parameters.get("lambda_l2", 0) + is_set * self.parameters.get("cat_l2", 10)

    def gain(self, tree: models.Tree, node: int, gradient: np.ndarray, hessian: np.ndarray) -> float:
        split, rows = tree.splits[node], tree.rows(self.part.matrix)[node]
        left = split.goes_left(self.part.matrix[rows, split.feature])
        sides = (self.fall(gradient[rows[side]].sum(), hessian[rows[side]].sum() + self.l2(split)) for side in (left, ~left))
        return sum(sides) - self.fall(gradient[rows].sum(), hessian[rows].sum() + self.parameters.get("lambda_l2", 0))

    def tried(self, tree: models.Tree, node: int, gradient: np.ndarray, hessian: np.ndarray) -> bool:
        """Reports whether LightGBM found a gain in the feature of a node at all nodes above it."""
        feature, rows = tree.splits[node].feature, tree.rows(self.part.matrix)
        while (node := tree.parent(node)[0]) >= 0:
            here = rows[node]
            search = self.best_cut if "[" in self.ranges[feature] else self.best_set
            if search(feature, self.part.matrix[here, feature], gradient[here], hessian[here]) <= 0:
                return False
        return True

    def best_cut(self, feature: int, values: np.ndarray, gradient: np.ndarray, hessian: np.ndarray) -> float:
        """Returns the largest gain of a numeric column, by the cuts between its bins."""
        bins = np.searchsorted(bounds(self.part.matrix[:, feature]), values)
        left = [np.cumsum(np.bincount(bins, x))[:-1] for x in (gradient, hessian)]
        l1, l2 = (self.parameters.get(name, 0) for name in ("lambda_l1", "lambda_l2"))
        g, h = gradient.sum(), hessian.sum()
        enough = (np.minimum(left[1], h - left[1]) >= 1e-3) & (np.minimum(*self.estimates(bins, hessian)) >= self.parameters["min_data_in_leaf"])
        sides = zip((left[0], g - left[0]), (left[1], h - left[1]))
        gains = sum(np.maximum(np.abs(a) - l1, 0) ** 2 / (b + l2 + 1e-15) for a, b in sides)
        return float(gains[enough].max(initial=-np.inf)) - self.fall(g, h + l2)

    def estimates(self, bins: np.ndarray, hessian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns LightGBM's estimates of the rows on both sides of each cut, summed from the right as LightGBM does."""
        rows = np.floor(np.bincount(bins, hessian) * len(bins) / hessian.sum() + 0.5)
        right = np.cumsum(rows[::-1])[::-1][1:]
        return right, len(bins) - right

    def best_set(self, feature: int, values: np.ndarray, gradient: np.ndarray, hessian: np.ndarray) -> float:
        """Returns the largest gain of a categorical column, as LightGBM searches it (FindBestThresholdCategoricalInner)."""
        categories = list(map(int, self.ranges[feature].split(":")))[1:]
        ids = np.trunc(np.nan_to_num(values, nan=-1)).astype(int)
        sums = [(gradient[ids == c].sum(), hessian[ids == c].sum()) for c in categories]
        total, p = (gradient.sum(), hessian.sum()), {"max_cat_to_onehot": 4, "cat_l2": 10, "cat_smooth": 10, "max_cat_threshold": 32, "min_data_per_group": 100} | self.parameters
        floor = self.fall(total[0], total[1] + p.get("lambda_l2", 0))

        def rows(h: float) -> int:
            return int(h * len(values) / total[1] + 0.5)

        def gain(g: float, h: float, l2: float) -> float:
            return self.fall(g, h + l2) + self.fall(total[0] - g, total[1] - h + l2) - floor

        if len(categories) + 1 <= p["max_cat_to_onehot"]:
            enough = [(g, h) for g, h in sums if min(rows(h), len(values) - rows(h)) >= p["min_data_in_leaf"] and min(h, total[1] - h) >= 1e-3]
            return max((gain(g, h, p.get("lambda_l2", 0)) for g, h in enough), default=-np.inf)
        order = sorted((s for s in sums if rows(s[1]) >= p["cat_smooth"]), key=lambda s: s[0] / (s[1] + p["cat_smooth"]))
        best = -np.inf
        for direction in order, order[::-1]:
            g = h = left = group = 0
            for more in direction[: min(p["max_cat_threshold"], (len(order) + 1) // 2)]:
                g, h, left, group = g + more[0], h + more[1], left + rows(more[1]), group + rows(more[1])
                if left < p["min_data_in_leaf"] or h < 1e-3:
                    continue
                if len(values) - left < max(p["min_data_in_leaf"], p["min_data_per_group"]) or total[1] - h < 1e-3:
                    break
                if group >= p["min_data_per_group"]:
                    group, best = 0, max(best, gain(g, h, p.get("lambda_l2", 0) + p["cat_l2"]))
        return best

    def fall(self, gradient: float, hessian: float) -> float:
        return max(0, abs(gradient) - self.parameters.get("lambda_l1", 0)) ** 2 / hessian

    def at_border(self, tree: models.Tree, node: int, hessian: np.ndarray) -> bool:
        """Reports whether the estimate of the rows of a category of the split's feature is about to change."""
        split, rows = tree.splits[node], tree.rows(self.part.matrix)[node]
        if split.categories is None:
            return False
        _, category = np.unique(self.part.matrix[rows, split.feature], return_inverse=True)
        share = np.bincount(category, hessian[rows]) * len(rows) / hessian[rows].sum()
        return bool((np.abs(share % 1 - 0.5) < BORDER).any())


if __name__ == "__main__":
    main()
