"""Checks that LightGBM and we give the same scores, in every bit, to the same model.

LightGBM loads the model that we trained, scores the test rows as we do, and explains them by finite
contributions whose sum is the score (pred_contrib, which needs the counts in the file). It lists the features of our model
with the gains that our file lists. We score LightGBM's models as it does. In the data with holes some features have missing values only in training,
others only in the test part.
"""

import tempfile
from pathlib import Path

import lightgbm
import numpy as np

import holes
import ours
import sets
from report import Table

ROUNDS = 50 if sets.ALL else 25


def main() -> None:
    table = Table("set", "model by", "missing", "rows", "features", "trees", "other bits", "contrib error")
    with tempfile.TemporaryDirectory() as folder:
        for data in sets.some():
            both_ways(table, data, Path(folder))
        for data in holes.made(Path(folder)):
            both_ways(table, data, Path(folder))
            both_ways(table, data, Path(folder), zero_as_missing="true")
    table.exit()


def both_ways(table: Table, data: sets.Set, folder: Path, **parameters) -> None:
    for trainer, train in ("us", ours.train), ("LightGBM", train_lightgbm):
        model = folder / "model.txt"
        train(data.train, model, num_iterations=ROUNDS, saved_feature_importance_type=1, **dict(data.parameters), **parameters)
        compare(table, data, trainer, model, folder / "scores.txt", "zero" if parameters else "")


def train_lightgbm(path: Path, model: Path, num_iterations: int, **parameters) -> None:
    part = sets.load(path)
    parameters |= dict(objective="lambdarank", verbosity=-1, num_threads=ours.THREADS)
    data = lightgbm.Dataset(part.matrix, part.labels, group=part.sizes, params=parameters)
    lightgbm.train(parameters, data, num_iterations).save_model(model)


def compare(table: Table, data: sets.Set, trainer: str, model: Path, scores: Path, missing: str) -> None:
    booster = lightgbm.Booster(model_file=model)
    matrix = sets.load(data.test).widened(booster.num_feature())
    theirs = booster.predict(matrix, raw_score=True)
    mine = ours.predict(data.test, model, scores)
    other = len(mine) if len(mine) != len(theirs) else int(np.sum(mine.view(np.int64) != theirs.view(np.int64)))
    contributions = booster.predict(matrix[::4], pred_contrib=True)  # they take most of the time
    error = float(np.max(np.abs(contributions.sum(axis=1) - theirs[::4])))  # NaN if any is not finite
    passed = other == 0 and np.isfinite(contributions).all() and error < 1e-9
    if trainer == "us":
        passed &= importances(model.read_text()) == importances(booster.model_to_string(importance_type="gain"))
    table.row(passed, data.name, trainer, missing, len(theirs), matrix.shape[1], booster.num_trees(), other, error)


def importances(model: str) -> str:
    return model.split("feature_importances:")[1].split("\n\n")[0]


if __name__ == "__main__":
    main()
