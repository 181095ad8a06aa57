"""Checks that our objectives have the gradients of LightGBM, XGBoost and CatBoost.

The value of a leaf is -learning_rate · ΣG/ΣH over its rows. So leaf values test gradients and Hessians at
the scores of the earlier trees, whatever the splits are. For each objective, one function below computes
gradients and Hessians from the formulas. The leaf values of our trees and of the other program's trees must
follow from it, each with the random numbers that the program draws.

XGBoost's Hessians of pairs are twice those of the formula, so that its leaf values are half as large.
CatBoost's trees are compared at the first one only.
"""

import tempfile
from pathlib import Path

import catboost
import lightgbm
import numpy as np
import xgboost

import models
import ours
import sets
from report import Table

TREES, RATE, SEED, TRUNCATION = 4, 0.3, 5, 30
MASK, GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15
XENDCG_DRAWS = 1  # the purpose that keys these draws in package objective
VALUE = 1e-5  # relative difference of leaf values: other programs sum float32


def main() -> None:
    table = Table("objective", "program", "trees", "error")
    part = sets.load(sets.shipped().train)
    with tempfile.TemporaryDirectory() as folder:
        for check in (pointwise, xendcg, pairs, query_rmse):
            for objective, program, trees, error in check(part, Path(folder)):
                table.row(trees > 0 and error < VALUE, objective, program, trees, error)
    table.exit()


# Formulas. Each takes labels and scores of a query.


def squared(labels, scores, _):
    return scores - labels, np.ones(len(labels))


def logistic(labels, scores, _):
    z = 1 / (1 + np.exp(-scores))
    return z - labels, z * (1 - z)


def squared_in_query(labels, scores, _):
    difference = scores - labels
    return difference - difference.mean(), np.ones(len(labels))


def cross_entropy_of_gains(labels, scores, draws):
    if len(labels) < 2:
        return np.zeros(len(labels)), np.zeros(len(labels))
    rho = np.exp(scores - scores.max())
    rho /= rho.sum()
    phi = 2.0**labels - draws
    first = rho - phi / phi.sum()
    a = first / (1 - rho)
    second = rho * (a.sum() - a)
    b = second / (1 - rho)
    return first + second + rho * (b.sum() - b), rho * (1 - rho)


def of_pairs(weigh):
    def gradients(labels, scores, _):
        order = np.argsort(-scores, kind="stable")
        labels, scores = labels[order], scores[order]
        rank = np.arange(len(labels))
        pair = (labels[:, None] > labels) & (np.minimum.outer(rank, rank) < TRUNCATION)
        gap = np.subtract.outer(scores, scores)
        weight = weigh(labels) * pair
        if scores[0] != scores[-1]:
            weight = weight / (0.01 + np.abs(gap))
        wrong = 1 / (1 + np.exp(gap))
        force, curvature = weight * wrong, weight * wrong * (1 - wrong)
        total = 2 * force.sum()
        norm = np.log2(1 + total) / total if total > 0 else 1.0
        g, h = np.zeros(len(labels)), np.zeros(len(labels))
        g[order] = norm * (force.sum(axis=0) - force.sum(axis=1))
        h[order] = norm * (curvature.sum(axis=0) + curvature.sum(axis=1))
        return g, h

    return gradients


def alike(labels):
    return np.ones((len(labels), len(labels)))


def average_precision(labels):
    """Returns the change of average precision when two documents swap ranks, by the definition."""
    n = len(labels)
    relevant, change = labels > 0, np.zeros((n, n))
    if not relevant.any():
        return change
    places = np.arange(1, n + 1)
    precision = lambda r: (np.cumsum(r) / places)[r].sum() / r.sum()
    now = precision(relevant)
    for i in range(n):
        for j in range(i + 1, n):
            if relevant[i] != relevant[j]:
                swapped = relevant.copy()
                swapped[[i, j]] = relevant[[j, i]]
                change[i, j] = change[j, i] = abs(precision(swapped) - now)
    return change


# Draws.


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def our_draws(tree: int, query: int, documents: int) -> np.ndarray:
    """Returns the numbers of objective.Draws: package internal/random, purpose 13."""
    key = mix(SEED + GOLDEN & MASK)
    for level in 13, tree + 1, query, XENDCG_DRAWS:
        key = mix(key ^ (level + GOLDEN & MASK))
    return np.array([(mix(key + i * GOLDEN & MASK) >> 11) / 2**53 for i in range(documents)])


class LightGBMDraws:
    """The numbers of LightGBM's Random, with a generator for each query."""

    def __init__(self):
        self.states = {}

    def __call__(self, tree: int, query: int, documents: int) -> np.ndarray:
        state, drawn = self.states.get(query, SEED + query), []
        for _ in range(documents):
            state = (214013 * state + 2531011) & 0xFFFFFFFF
            drawn.append((state >> 16 & 0x7FFF) / 32768)
        self.states[query] = state
        return np.array(drawn)


def no_draws(tree: int, query: int, documents: int) -> None:
    return None


# Comparisons.


def leaves(part, formula, draws, trees, initial, factor=1.0) -> float:
    """Returns the largest error of the leaf values of trees, each a pair of leaf by row and value by row,
    in terms of their root mean square. Values of the first tree contain the initial score."""
    scores, error = np.full(len(part.labels), initial), 0.0
    starts = part.sizes.cumsum() - part.sizes
    for number, (leaf, value) in enumerate(trees):
        g, h = np.zeros(len(scores)), np.zeros(len(scores))
        for query, (start, size) in enumerate(zip(starts, part.sizes)):
            at = slice(start, start + size)
            g[at], h[at] = formula(part.labels[at], scores[at], draws(number, query, size))
        _, leaf = np.unique(leaf, return_inverse=True)
        want = factor * -RATE * (np.bincount(leaf, g) / np.bincount(leaf, h))[leaf]
        step = value - initial if number == 0 else value
        error = max(error, float(np.abs(step - want).max() / np.sqrt(np.mean(want**2))))
        scores += step
    return error


def of_file(part, path: Path) -> list:
    """Returns leaf and value by row for each tree of a model in LightGBM's format."""
    found = []
    for tree in models.read(path):
        leaf = np.zeros(len(part.labels), int)
        for node, rows in tree.rows(part.matrix).items():
            if node < 0:
                leaf[rows] = ~node
        found.append((leaf, np.array(tree.leaf_values)[leaf]))
    return found


def compare(part, folder: Path, objective: str, formula, initial=0.0, draws=None, **more) -> list:
    """Returns rows of the table: ours, and LightGBM's, for an objective of the same name."""
    data, mine, theirs = folder / "data.txt", folder / "mine.txt", folder / "theirs.txt"
    write(part, data)
    parameters = dict(num_iterations=TREES, learning_rate=RATE, num_leaves=15, seed=SEED)
    ours.train(data, mine, objective=objective, **parameters, **more)
    rows = [of_ours(part, mine, objective, formula, initial, our_draws if draws else no_draws)]
    if draws is not None or objective in ("regression", "binary", "cross_entropy"):
        settings = dict(objective=objective, learning_rate=RATE, num_leaves=15, objective_seed=SEED, verbosity=-1, num_threads=1)
        matrix = lightgbm.Dataset(part.matrix, part.labels, group=part.sizes, params=settings)
        lightgbm.train(settings, matrix, TREES).save_model(theirs)
        trees = of_file(part, theirs)
        rows.append((objective, "lightgbm", len(trees), leaves(part, formula, draws or no_draws, trees, initial)))
        raw = lightgbm.Booster(model_file=mine).predict(part.matrix, raw_score=True)
        error = float(np.abs(raw - sum(value for _, value in of_file(part, mine))).max())
        rows.append((objective, "ours read", TREES, error))
    return rows


def of_ours(part, path: Path, objective: str, formula, initial, draws) -> tuple:
    trees = of_file(part, path)
    return objective, "ours", len(trees), leaves(part, formula, draws, trees, initial)


def write(part, path: Path) -> None:
    query = np.repeat(np.arange(len(part.sizes)), part.sizes)
    with open(path, "w") as out:
        for label, q, row in zip(part.labels, query, part.matrix):
            values = " ".join(f"{i}:{float(row[i])!r}" for i in row.nonzero()[0])
            out.write(f"{float(label)!r} qid:{q + 1} {values}\n")


def with_labels(part, labels):
    return sets.Part(part.matrix, labels, part.sizes)


def pointwise(part, folder: Path):
    yield from compare(part, folder, "regression", squared, part.labels.mean())
    good = with_labels(part, np.minimum(part.labels, 1))
    share = good.labels.mean()
    yield from compare(good, folder, "binary", logistic, np.log(share / (1 - share)))
    parts = with_labels(part, part.labels / 4)
    share = parts.labels.mean()
    yield from compare(parts, folder, "cross_entropy", logistic, np.log(share / (1 - share)))


def xendcg(part, folder: Path):
    yield from compare(part, folder, "rank_xendcg", cross_entropy_of_gains, draws=LightGBMDraws())


def pairs(part, folder: Path):
    good = with_labels(part, np.minimum(part.labels, 1))
    for objective, theirs, formula in (
        ("rank_pairwise", "rank:pairwise", of_pairs(alike)),
        ("rank_map", "rank:map", of_pairs(average_precision)),
    ):
        yield from compare(good, folder, objective, formula, **ours.FILE_ORDER)
        trees = xgboost_trees(good, theirs)
        yield objective, "xgboost", len(trees), leaves(good, formula, no_draws, trees, 0.0, factor=0.5)


def xgboost_trees(part, objective: str) -> list:
    parameters = dict(
        objective=objective, eta=RATE, max_depth=4, reg_lambda=0, base_score=0, nthread=1,
        lambdarank_pair_method="topk", lambdarank_num_pair_per_sample=TRUNCATION,
    )
    matrix = xgboost.DMatrix(part.matrix, part.labels)
    matrix.set_group(part.sizes)
    booster = xgboost.train(parameters, matrix, TREES)
    leaf = booster.predict(matrix, pred_leaf=True).reshape(len(part.labels), -1)
    sums = [booster.predict(matrix, output_margin=True, iteration_range=(0, k + 1)) for k in range(TREES)]
    steps = np.diff(np.array([np.zeros(len(part.labels)), *sums], dtype=float), axis=0)
    return [(leaf[:, k], steps[k]) for k in range(TREES)]


def query_rmse(part, folder: Path):
    yield from compare(part, folder, "query_rmse", squared_in_query)
    pool = catboost.Pool(part.matrix, part.labels, group_id=np.repeat(np.arange(len(part.sizes)), part.sizes))
    model = catboost.CatBoost(dict(
        loss_function="QueryRMSE", iterations=1, learning_rate=RATE, depth=4, l2_leaf_reg=0, bootstrap_type="No", random_strength=0,
        boosting_type="Plain", leaf_estimation_iterations=1, leaf_estimation_backtracking="No", verbose=False,
        allow_writing_files=False, thread_count=1,
    ))
    model.fit(pool)
    leaf = model.calc_leaf_indexes(pool)[:, 0]
    yield "query_rmse", "catboost", 1, leaves(part, squared_in_query, no_draws, [(leaf, model.predict(pool))], 0.0)


if __name__ == "__main__":
    main()
