"""Checks that scores are monotone where they are constrained to be, in the programs that load exported models.

The two rows of a pair differ only in one monotone feature, and their scores must not be in the wrong order. Half of
the pairs have values on or next to thresholds. Each program scores 10,000 pairs; with LAMBDAMART_LONG 100,000, also
in Vespa, Solr and RankLib.
"""

import shutil
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import consumers
import ours
import ranklib
import sets
from exports import Case, case_of, export, rounded
from report import Table

RISING = {4: 1, 9: 1, 17: -1, 33: 1, 52: -1, 105: 1, 110: 1, 134: 1}  # features of the shipped set: 1 if scores rise with them, -1 if they fall


def trained(folder: Path, method: str) -> Case:
    """Returns a model of the shipped set, and rows near its thresholds."""
    data, model = sets.shipped(), folder / "model.txt"
    directions = ",".join(f"{f}:{d}" for f, d in RISING.items())
    ours.train(data.train, model, num_iterations=40, num_leaves=31, min_data_in_leaf=5, monotone_constraints=directions, monotone_constraints_method=method)
    return case_of(model, sets.load(data.test))


def pairs_of(case: Case, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns rows, the same rows with a larger value of a monotone feature, and the directions."""
    rng = np.random.default_rng(5)
    base = case.rows[: 2 * len(case.rows) // 3]  # those without missing values
    low = rounded(base[rng.integers(0, len(base), count)])
    low[:, 1:] = rounded(np.where(rng.random(low[:, 1:].shape) < 0.3, base[rng.integers(0, len(base), count), 1:], low[:, 1:]))  # mixtures reach places without data
    features = rng.choice(list(RISING), count)
    each = np.arange(count)
    values = rounded(np.stack([base[rng.integers(0, len(base), count), features], base[rng.integers(0, len(base), count), features]]))
    high = low.copy()
    low[each, features], high[each, features] = values.min(axis=0), values.max(axis=0)
    return low, high, np.array([RISING[f] for f in features])


Scores = Callable[[Path, np.ndarray], np.ndarray]


def engines(case: Case, full: bool) -> Iterator[tuple[str, dict, Scores]]:
    """Returns the targets, their parameters, and functions that score rows with the exported file."""
    yield "lightgbm", {}, consumers.from_lightgbm
    yield "c", {}, consumers.from_c
    yield "go", {}, consumers.from_go
    yield "onnx", {"number_type": "float32"}, consumers.from_onnxruntime
    yield "onnx", {"number_type": "float64"}, lambda path, rows: consumers.from_onnxruntime(path, rows, np.float64)
    yield "xgboost", {}, lambda path, rows: consumers.from_treelite(path, rows.astype(np.float32), "load_xgboost_model")
    if shutil.which("javac"):
        yield "java", {}, consumers.from_java
    if full and consumers.java_is_here():
        names = case.booster.feature_name()
        yield "lightgbm-json", {"reader": "vespa"}, lambda path, rows: consumers.from_vespa(path, rows, names)
        yield "solr", {"no_missing": "true"}, lambda path, rows: consumers.from_solr(path, rows, names)
        yield "ranklib", {}, from_ranklib


def from_ranklib(path: Path, rows: np.ndarray) -> np.ndarray:
    """Column n of the model is RankLib's feature n, as in LETOR text; there is no feature 0."""
    text = path.with_suffix(".rows")
    ranklib.write_rows(text, np.zeros(len(rows)), np.ones(len(rows), int), rows[:, 1:])
    return ranklib.scores(path, text).astype(float)


def main() -> None:
    full = "LAMBDAMART_LONG" in os.environ
    table = Table("method", "target", "pairs", "score moves", "wrong order")
    for method in "basic", "intermediate":
        with tempfile.TemporaryDirectory() as folder:
            case = trained(Path(folder), method)
            low, high, directions = pairs_of(case, 100_000 if full else 10_000)
            for to, parameters, scores in engines(case, full):
                path = export(case, to, Path(folder), **parameters)
                both = scores(path, np.concatenate([low, high])).astype(float)
                rise = (both[len(low) :] - both[: len(low)]) * directions
                moved, wrong = int(np.sum(rise != 0)), int(np.sum(rise < 0))
                table.row(wrong == 0 and moved > len(low) // 10, method, " ".join([to, *parameters.values()]), len(low), moved, wrong)
    table.exit()


if __name__ == "__main__":
    main()
