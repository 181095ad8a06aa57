"""Checks that training continues from models, and that leaf values are fitted again, as in LightGBM.

Continuing: LightGBM and we continue from the same model of LightGBM's. The new trees are compared split by split
(check_trees.py); the old ones must be in the file as they were. We continue from models of XGBoost too; LightGBM
then scores the written model as we do, in every bit, and the old part as XGBoost does, up to its float32 sums.

Refit: leaf values after LightGBM's refit and ours, of LightGBM's model and new data. LightGBM holds gradients
as float32.

Edits: LightGBM scores parts, joined and shuffled models as we do, in every bit.

Python: init_model gives the bytes of the command line.
"""

import os
import sys
import tempfile
from pathlib import Path

import lightgbm
import numpy as np
import xgboost

import check_trees
import models
import ours
import sets
from report import Table

os.environ["LAMBDAMART_BINARY"] = str(ours.built("cmd/lambdamart"))
sys.path.insert(0, str(sets.ROOT / "python"))

import lambdamart  # noqa: E402

OLD, NEW = 5, 5
VALUE = 1e-4  # difference of leaf values, relative to their root mean square in the tree, that float32 gradients explain
BASE = dict(objective="lambdarank", verbosity=-1, num_threads=1, min_data_in_leaf=1, num_leaves=15)


def main() -> None:
    table = Table("set", "what", "trees", "splits", "error", "ended by")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for data in sets.some():
            going_on(table, data, folder)
            refit(table, data, folder)
        of_xgboost(table, sets.shipped(), folder)
        edits(table, sets.shipped(), folder)
        python(table, sets.shipped(), folder)
    table.exit()


def dataset(data: sets.Set, **more) -> lightgbm.Dataset:
    part = sets.load(data.train)
    return lightgbm.Dataset(part.matrix, part.labels, group=part.sizes, params=BASE | dict(data.parameters), free_raw_data=False, **more)


def going_on(table: Table, data: sets.Set, folder: Path) -> None:
    parameters = BASE | dict(data.parameters) | dict(min_data_in_leaf=1)
    old, theirs, mine = folder / "old.txt", folder / "theirs.txt", folder / "mine.txt"
    first = lightgbm.train(parameters, dataset(data), OLD)
    first.save_model(old)
    lightgbm.train(parameters, dataset(data), NEW, init_model=str(old)).save_model(theirs)
    ours.train(data.train, mine, input_model=old, num_iterations=NEW, **ours.FILE_ORDER, **{k: v for k, v in parameters.items() if k not in ("num_threads", "verbosity")})
    c = check_trees.Comparison(data, models.read(mine), models.read(theirs))
    c.run()
    passed = c.passed and c.trees >= OLD and len(c.mine) == OLD + NEW
    table.row(passed, data.name, "continuing", c.trees, c.splits, c.value_error, c.end)


def refit(table: Table, data: sets.Set, folder: Path) -> None:
    """Refits the model of the training data to the test data, whose gradients are very different."""
    test = sets.load(data.test)
    old, theirs = folder / "old.txt", folder / "theirs.txt"
    first = lightgbm.train(BASE, dataset(data), OLD)
    first.save_model(old)
    matrix = test.widened(first.num_feature())[:, : first.num_feature()]
    for decay, l1, l2 in (0.9, 0, 0), (0.0, 0, 0), (0.4, 0.1, 3):
        more = dict(lambda_l1=l1, lambda_l2=l2)
        again = lightgbm.Booster(model_file=str(old))
        again.params = BASE | more
        again = again.refit(matrix, test.labels, decay_rate=decay, group=test.sizes, **more)
        again.save_model(theirs)
        mine = folder / "refit.txt"
        ours.run("cmd/lambdamart", "refit", *ours.arguments(data=data.test, input_model=old, output_model=mine, refit_decay_rate=decay, **ours.FILE_ORDER, **more))
        error = 0.0
        for a, b in zip(models.read(mine), models.read(theirs), strict=True):
            x, y = np.array(a.leaf_values), np.array(b.leaf_values)
            error = max(error, float(np.max(np.abs(x - y)) / np.sqrt(np.mean(y**2))))
        table.row(error <= VALUE, data.name, f"refit, decay {decay}", OLD, 0, error, "")


def of_xgboost(table: Table, data: sets.Set, folder: Path) -> None:
    part, test = sets.load(data.train), sets.load(data.test)
    matrix = xgboost.DMatrix(part.matrix, part.labels, missing=np.nan)
    matrix.set_group(part.sizes)
    booster = xgboost.train(dict(objective="rank:ndcg", max_depth=4), matrix, OLD)
    old, mine = folder / "old.json", folder / "mine.txt"
    booster.save_model(old)
    ours.train(data.train, mine, input_model=old, num_iterations=NEW)
    rows = test.widened(part.matrix.shape[1])
    theirs = lightgbm.Booster(model_file=str(mine))
    scores = ours.predict(data.test, mine, folder / "scores.txt")
    table.row(np.array_equal(scores, theirs.predict(rows)), data.name, "of XGBoost, LightGBM's bits", theirs.num_trees(), 0, 0.0, "")
    before = theirs.predict(rows, num_iteration=theirs.num_trees() - NEW)
    error = float(np.max(np.abs(before - booster.predict(xgboost.DMatrix(rows), output_margin=True))))
    table.row(error < 1e-5, data.name, "of XGBoost, old part", theirs.num_trees() - NEW, 0, error, "")


def edits(table: Table, data: sets.Set, folder: Path) -> None:
    model, rows = folder / "model.txt", sets.load(data.test).matrix
    ours.train(data.train, model, num_iterations=12)
    width = lightgbm.Booster(model_file=str(model)).num_feature()
    rows = sets.load(data.test).widened(width)
    for title, arguments in {
        "part": dict(start_iteration_predict=3, num_iteration_predict=5),
        "dropped": dict(drop_trees="0-3,7"),
        "scaled": dict(scale=0.3),
        "joined": dict(join=model),
        "shuffled": dict(shuffle_trees="true", shuffle_seed=5),
    }.items():
        edited = folder / "edited.txt"
        ours.run("cmd/lambdamart", "model", str(model), *ours.arguments(output=edited, **arguments))
        theirs = lightgbm.Booster(model_file=str(edited))
        scores = ours.predict(data.test, edited, folder / "scores.txt")
        table.row(np.array_equal(scores, theirs.predict(rows)), data.name, title, theirs.num_trees(), 0, 0.0, "")


def python(table: Table, data: sets.Set, folder: Path) -> None:
    part = sets.load(data.train)
    old, mine = folder / "old.txt", folder / "mine.txt"
    ours.train(data.train, old, num_iterations=OLD)
    ours.train(data.train, mine, num_iterations=NEW, input_model=old)
    rows = lambdamart.Dataset(part.matrix, part.labels, group=part.sizes)
    for init in old, lambdamart.Model(old):
        got = lambdamart.train(dict(num_iterations=NEW), rows, init_model=init).model
        table.row(got.text == mine.read_text(), data.name, f"Python, {type(init).__name__}", got.num_trees, 0, 0.0, "")
    first = lambdamart.LambdaMARTRanker(n_estimators=OLD).fit(part.matrix, part.labels, group=part.sizes)
    more = lambdamart.LambdaMARTRanker(n_estimators=NEW).fit(part.matrix, part.labels, group=part.sizes, init_model=first)
    table.row(more.model_.text == mine.read_text(), data.name, "Python, ranker", more.model_.num_trees, 0, 0.0, "")


if __name__ == "__main__":
    main()
