"""Checks the metrics of pairs, auc and pair_accuracy: scikit-learn's roc_auc_score of each query, and CatBoost's QueryAUC of
both types, with and without equal scores. Queries without a pair are left out: each program has its own value for them."""

import os
import sys

import catboost.utils
import numpy as np
from sklearn.metrics import roc_auc_score

import ours
import sets
from report import Table

os.environ["LAMBDAMART_BINARY"] = str(ours.built("cmd/lambdamart"))
sys.path.insert(0, str(sets.ROOT / "python"))

import lambdamart  # noqa: E402


def main() -> None:
    table = Table("set", "scores", "metric", "by", "ours", "theirs")
    rng = np.random.default_rng(1)
    for data in sets.present():
        part = keep(sets.load(data.test))
        for title, digits in ("distinct", 9), ("equal", 0):
            scores = np.round(part.labels + rng.normal(0, 2, len(part.labels)), digits)
            check(table, data.name, title, part, scores)
    table.exit()


def keep(part: sets.Part) -> sets.Part:
    """Returns the queries with documents of grade 0 and of others, and of two other grades."""
    starts = np.cumsum([0, *part.sizes])
    kept = [range(a, b) for a, b in zip(starts, starts[1:]) if 0 < (part.labels[a:b] > 0).sum() < b - a]
    rows = np.concatenate([list(r) for r in kept])
    return sets.Part(part.matrix[rows], part.labels[rows], np.array([len(r) for r in kept]))


def check(table: Table, name: str, title: str, part: sets.Part, scores: np.ndarray) -> None:
    query = np.repeat(np.arange(len(part.sizes)), part.sizes)
    mine = evaluate(part.labels, scores, query)
    per_query = [roc_auc_score(part.labels[query == q] > 0, scores[query == q]) for q in range(len(part.sizes))]
    row(table, name, title, "auc", "scikit-learn", mine["auc"], float(np.mean(per_query)))
    for metric, kind in ("auc", "Classic"), ("pair_accuracy", "Ranking"):
        labels = np.minimum(part.labels, 1) if kind == "Classic" else part.labels
        value = catboost.utils.eval_metric(list(labels), list(scores), f"QueryAUC:type={kind}", group_id=list(query))[0]
        row(table, name, title, metric, "CatBoost", mine[metric], value)


def evaluate(labels: np.ndarray, scores: np.ndarray, query: np.ndarray) -> dict[str, float]:
    return {m: lambdamart.evaluate(labels, scores, qid=query, metrics=[m])[0].value for m in ("auc", "pair_accuracy")}


def row(table: Table, name: str, title: str, metric: str, by: str, a: float, b: float) -> None:
    table.row(abs(a - b) < 1e-9, name, title, metric, by, a, b)


if __name__ == "__main__":
    main()
