"""Checks that RankLib and we give the same scores to the same model.

RankLib trains LambdaMART and MART, and we read its models; RankLib loads models that we trained. If we
round to float32 after each tree, our scores equal RankLib's in every bit. Our usual float64 sums differ
by no more than that rounding can cause (io/model/internal/ranklib). Rows include values on thresholds and
absent values (NaN).
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import models
import ours
import ranklib
import sets
from check_xgboost import features_of, on_thresholds, score_rows, write
from report import Table

TREES = 10
ROWS = 500  # maximum number to score
TRAINING_ROWS = 3000  # maximum for RankLib, which is slow


def main() -> None:
    if not ranklib.is_here():
        sys.exit(77)  # left out
    table = Table("set", "model by", "read by", "trees", "rows", "other bits", "error", "allowed")
    with tempfile.TemporaryDirectory() as name:
        for data in sets.present():
            theirs(table, data, Path(name))
            mine(table, data, Path(name))
    table.exit()


def first_ordinal(data: sets.Set) -> int:
    """Returns RankLib's number for column 0. In sets that count from 1 it is 0: there is no such feature."""
    return int(sets.load(data.train).matrix[:, 0].any())


def theirs(table: Table, data: sets.Set, folder: Path) -> None:
    part, first = sets.load(data.train), 1 - first_ordinal(data)
    ends = np.cumsum(part.sizes)
    n = ends[ends <= TRAINING_ROWS][-1]
    queries = np.repeat(np.arange(len(part.sizes)), part.sizes)[:n]
    ranklib.write_rows(folder / "train.txt", part.labels[:n], queries, part.matrix[:n, first:])
    rows = test_rows(data)[:, first:]
    for name, kind in ("LambdaMART", 6), ("MART", 0):
        model = folder / "theirs.txt"
        ranklib.train(folder / "train.txt", model, kind, TREES, 10)
        columns = np.pad(rows, ((0, 0), (1, 0)))  # feature n is column n
        columns = np.vstack([columns, on_thresholds(as_text(model, folder), columns)])
        report(table, (data.name, name, "us"), model, columns, model, columns[:, 1:], folder)


def mine(table: Table, data: sets.Set, folder: Path) -> None:
    model, written = folder / "model.txt", folder / "written.txt"
    ours.train(data.train, model, num_iterations=TREES, **dict(data.parameters))
    rows = test_rows(data).astype(np.float32).astype(np.float64)  # as RankLib reads them
    columns = np.vstack([rows, on_thresholds(model, rows)])
    write(model, f"ranklib-{first_ordinal(data)}", written)
    report(table, (data.name, "us", "RankLib"), model, columns, written, columns[:, 1 - first_ordinal(data) :], folder)


def test_rows(data: sets.Set) -> np.ndarray:
    width = sets.load(data.train).matrix.shape[1]
    return sets.load(data.test).widened(width)[:ROWS, :width]


def report(table: Table, names: tuple, model: Path, columns: np.ndarray, file: Path, features: np.ndarray, folder: Path) -> None:
    """Compares scores: we score columns with model, RankLib scores features, which count from 1, with file, the same model in its format."""
    ranklib.write_rows(folder / "rows.txt", np.zeros(len(features)), np.ones(len(features), int), features)
    want = ranklib.scores(file, folder / "rows.txt")
    _, sum32 = score_rows(file, fitting(file, columns, folder))
    score, _ = score_rows(model, fitting(model, columns, folder))
    trees = models.read(as_text(file, folder))
    allowed = (len(trees) + 1) * 2.0**-24 * sum(max(map(abs, tree.leaf_values)) for tree in trees)
    other, error = int(np.sum(want.view(np.int32) != sum32.view(np.int32))), float(np.max(np.abs(want - score)))
    table.row(other == 0 and error <= allowed, *names, len(trees), len(want), other, error, allowed)


def as_text(model: Path, folder: Path) -> Path:
    """Writes the model as we read it in LightGBM's format."""
    write(model, "lightgbm", folder / "text.txt")
    return folder / "text.txt"


def fitting(model: Path, columns: np.ndarray, folder: Path) -> np.ndarray:
    """Returns the columns of the model. RankLib's files do not mention features after the last used one."""
    return columns[:, : features_of(as_text(model, folder))]


if __name__ == "__main__":
    main()
