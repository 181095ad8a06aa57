"""Models to export, rows to score with them, and the scores that engines should compute.

The oracle is LightGBM, which loads the model before it is exported.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import lightgbm
import numpy as np

import models
import ours
import sets
from report import Table

ROUNDS = 50
ROWS = 1000  # of each kind
WRITTEN = ("vespa", "elastic-ltr", "onnx", "go", "c", "java")  # only written, so engines check them


class Case:
    """A model and rows for it."""

    def __init__(self, model: Path, matrix: np.ndarray, seed: int = 1):
        self.path = model
        self.booster = lightgbm.Booster(model_file=model)
        self.trees = models.read(model)
        rng = np.random.default_rng(seed)
        self.test = matrix
        base = matrix[rng.permutation(len(matrix))[:ROWS]]
        holes = np.where(rng.random(base.shape) < 0.1, np.nan, base)
        self.rows = np.concatenate([base, self.on_thresholds(base, rng), holes])

    def on_thresholds(self, base: np.ndarray, rng) -> np.ndarray:
        """Replaces half of the values of used features by the largest float32 that is at most a threshold, or by the
        next float32. Thresholds of +Inf, with which LightGBM separates NaN, are left out; so are tiny ones, because
        LightGBM replaces values up to 1e-35 by zero before it compares."""
        cuts: dict[int, set] = {}
        for t in self.trees:
            for s in t.splits:
                if np.isfinite(s.threshold) and (s.threshold == 0 or abs(s.threshold) > 1e-30):
                    cuts.setdefault(s.feature, set()).add(s.threshold)
        rows = base.copy()
        for feature, thresholds in cuts.items():
            chosen = rng.choice(np.array(sorted(thresholds)), len(rows))
            on = chosen.astype(np.float32)
            on = np.where(on > chosen, np.nextafter(on, np.float32(-np.inf)), on)
            above = np.nextafter(on, np.float32(np.inf))
            value = np.where(rng.random(len(rows)) < 0.5, on, above).astype(np.float64)
            rows[:, feature] = np.where(rng.random(len(rows)) < 0.5, value, rows[:, feature])
        return rows

    def scores(self, rows: np.ndarray) -> np.ndarray:
        return self.booster.predict(rows, raw_score=True)

    def sums32(self, rows: np.ndarray) -> np.ndarray:
        """Returns the scores of an engine that adds float32 leaf values in order."""
        leaves = self.booster.predict(rows, pred_leaf=True).reshape(len(rows), -1).astype(int)
        total = np.zeros(len(rows), np.float32)
        for i, t in enumerate(self.trees):
            total += np.array(t.leaf_values, np.float32)[leaves[:, i]]
        return total


def rounded(rows: np.ndarray) -> np.ndarray:
    return rows.astype(np.float32).astype(np.float64)


def same_bits(a: np.ndarray, b: np.ndarray) -> int:
    """Returns the number of rows whose scores differ in a bit."""
    kind = {4: np.int32, 8: np.int64}[b.dtype.itemsize]
    return int(np.sum(a.astype(b.dtype).view(kind) != b.view(kind)))


def export(case: Case, to: str, folder: Path, **parameters) -> Path:
    form = parameters.get("reader", to)
    path = folder / f"exported-{form}"
    if to not in ("lightgbm", "ranklib", "onnx", "c", "go", "java"):
        path = path.with_suffix(".json")  # treelite recognizes the format by the extension
    ours.run("cmd/lambdamart", "export", str(case.path), *ours.arguments(to=to, output=path, vectors=50, **parameters))
    if form not in WRITTEN:
        ours.run("cmd/lambdamart", "check-export", str(path))
    return path


def train_lightgbm(matrix: np.ndarray, part: sets.Part, model: Path, categorical=(), **parameters) -> None:
    parameters |= dict(objective="lambdarank", verbosity=-1, num_threads=int(ours.THREADS), min_data_in_leaf=5, deterministic=True)
    data = lightgbm.Dataset(matrix, part.labels, group=part.sizes, params=parameters, categorical_feature=list(categorical))
    lightgbm.train(parameters, data, ROUNDS).save_model(model)


def punched(matrix: np.ndarray, seed: int) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(matrix.shape) < 0.2, np.nan, matrix)


def cases(folder: Path) -> Iterator[tuple[str, Case, sets.Part, bool]]:
    """Generates models trained by us, by LightGBM, and by LightGBM on data with NaN, each with the test part of
    the data and whether the model distinguishes NaN from 0."""
    model = folder / "model.txt"
    for data in sets.present():
        if data.name not in ("shipped", "mq2008 fold 1", "mslr sample"):
            continue
        train, test = sets.load(data.train), sets.load(data.test)
        ours.train(data.train, model, num_iterations=ROUNDS)
        yield f"{data.name}, us", case_of(model, test), test, False
        train_lightgbm(train.matrix, train, model)
        yield f"{data.name}, LightGBM", case_of(model, test), test, False
        train_lightgbm(punched(train.matrix, 2), train, model)
        yield f"{data.name}, NaN", case_of(model, test), test, True


def case_of(model: Path, test: sets.Part) -> Case:
    features = lightgbm.Booster(model_file=model).num_feature()
    return Case(model, test.widened(features)[:, :features])


def check_refused(table: Table, name: str, model: Path, folder: Path, to: str, words: str) -> None:
    """Checks that the export fails with the given words and writes no file."""
    path = folder / "refused"
    command = [str(ours.built("cmd/lambdamart")), "export", str(model), f"to={to}", f"output={path}"]
    done = subprocess.run(command, capture_output=True, text=True)
    refused = done.returncode == 1 and words in done.stderr and not path.exists()
    table.row(refused, name, f"{to} refused")
