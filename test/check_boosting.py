"""Checks the kinds of boosting and sampling against LightGBM's: dart, and bags of queries and rows.

Where no random draw matters, trees are compared split by split (check_trees.py): dart that drops nothing or
everything.

Quality: nDCG@10 on test data of five seeds each, ours and LightGBM's, whose draws differ. The means may differ by
three standard errors of their difference, plus 0.001 for sets on which the five hardly vary. This takes most of the
time, and shows gross faults alone, so it runs only where all cases are wanted.

LightGBM scores the written models as we do, in every bit.
"""

import tempfile
from pathlib import Path

import lightgbm
import numpy as np

import check_trees
import models
import ours
import sets
from report import Table

TREES = 10
ROUNDS = 40
SEEDS = 5
QUALITY = {
    "dart": dict(boosting="dart", drop_rate=0.1, skip_drop=0.3),
    "dart uniform xgboost": dict(boosting="dart", uniform_drop="true", xgboost_dart_mode="true"),
    "bags of queries": dict(bagging_freq=1, bagging_fraction=0.5, bagging_by_query="true"),
    "bags of rows": dict(bagging_freq=1, bagging_fraction=0.5, bagging_by_query="false"),
}
SAME = {
    "dart, drop_rate=0": dict(boosting="dart", drop_rate=0),
    "dart, skip_drop=1": dict(boosting="dart", skip_drop=1, drop_rate=1),
    "dart, drop_rate=1": dict(boosting="dart", skip_drop=0, drop_rate=1, uniform_drop="true", max_drop=-1),
    "dart, xgboost, drop 1": dict(boosting="dart", skip_drop=0, drop_rate=1, uniform_drop="true", max_drop=-1, xgboost_dart_mode="true"),
    "rates": dict(learning_rates="0.3,0.2,0.1,0.05"),
    "rates, dart, drop 1": dict(boosting="dart", skip_drop=0, drop_rate=1, uniform_drop="true", max_drop=-1, learning_rates="0.3,0.2,0.1"),
}


def main() -> None:
    table = Table("set", "what", "trees", "splits", "ours", "LightGBM", "3 errors", "ended by")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = sets.present()[:2]
        for d in data:
            for title, parameters in SAME.items():
                same_trees(table, d, folder, title, parameters)
        for title, parameters in QUALITY.items() if sets.ALL else ():
            quality(table, data[-1], folder, title, parameters)
    table.exit()


def dataset(data: sets.Set, parameters: dict) -> lightgbm.Dataset:
    part = sets.load(data.train)
    return lightgbm.Dataset(part.matrix, part.labels, group=part.sizes, params=parameters)


def same_trees(table: Table, data: sets.Set, folder: Path, title: str, parameters: dict) -> None:
    parameters = dict(data.parameters) | dict(min_data_in_leaf=1, num_leaves=15) | parameters
    theirs, mine = folder / "theirs.txt", folder / "mine.txt"
    theirs_parameters = parameters | dict(objective="lambdarank", verbosity=-1, num_threads=1)
    rates = [float(r) for r in theirs_parameters.pop("learning_rates", "").split(",") if r]
    schedule = [lightgbm.reset_parameter(learning_rate=rates + rates[-1:] * (TREES - len(rates)))] if rates else []
    lightgbm.train(theirs_parameters, dataset(data, theirs_parameters), TREES, callbacks=schedule).save_model(theirs)
    ours.train(data.train, mine, num_iterations=TREES, **parameters, **ours.FILE_ORDER)
    drops = parameters.get("skip_drop") == 0
    c = (Dropped if drops else check_trees.Comparison)(data, models.read(mine), models.read(theirs))
    c.run()
    same_weights = np.allclose(shrinkage(mine), shrinkage(theirs), rtol=1e-5)  # LightGBM writes six digits
    table.row(c.passed and same_weights, data.name, title, c.trees, c.splits, c.value_error, "", "", c.end if same_weights else "weights of trees")


def shrinkage(model: Path) -> list[float]:
    return [float(line.split("=")[1]) for line in model.read_text().splitlines() if line.startswith("shrinkage=")]


class Dropped(check_trees.Comparison):
    """Drops all trees, so that each is fitted to scores of almost 0. Their last bits break the ties of all documents:
    from the second tree on, splits may differ, but the weights of all trees must agree."""

    def run(self) -> None:
        self.compare_splits(self.mine[0], self.theirs[0])
        if self.splits == len(self.theirs[0].splits):
            self.compare_values(self.mine[0], self.theirs[0])
            self.trees = 1
        self.stop("the first tree", self.trees == 1 and len(self.mine) == len(self.theirs))


def quality(table: Table, data: sets.Set, folder: Path, title: str, parameters: dict) -> None:
    part, test = sets.load(data.train), sets.load(data.test)
    rows = test.widened(part.matrix.shape[1])
    common = dict(data.parameters) | dict(num_leaves=15) | parameters
    mine, theirs, bits = [], [], True
    for seed in range(1, SEEDS + 1):
        model = folder / "model.txt"
        ours.train(data.train, model, num_iterations=ROUNDS, seed=seed, **common, **ours.FILE_ORDER)
        scores = ours.predict(data.test, model, folder / "scores.txt")
        bits &= np.array_equal(scores, lightgbm.Booster(model_file=str(model)).predict(rows))
        mine.append(ndcg(test, scores))
        p = common | dict(objective="lambdarank", verbosity=-1, num_threads=1, seed=seed)
        theirs.append(ndcg(test, lightgbm.train(p, dataset(data, p), ROUNDS).predict(rows)))
    a, b = np.array(mine), np.array(theirs)
    allowed = 3 * np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / SEEDS) + 0.001
    table.row(bits and abs(a.mean() - b.mean()) <= allowed, data.name, title, ROUNDS, 0, float(a.mean()), float(b.mean()), float(allowed), "" if bits else "other bits")


def ndcg(part: sets.Part, scores: np.ndarray, k: int = 10) -> float:
    values, first = [], 0
    for size in part.sizes:
        labels, s = part.labels[first : first + size], scores[first : first + size]
        first += size
        gains, discounts = 2.0**labels - 1, 1 / np.log2(np.arange(2, k + 2))
        ideal = np.sort(gains)[::-1][:k]
        if ideal.sum() > 0:
            got = gains[np.argsort(-s, kind="stable")][:k]
            values.append((got * discounts[: len(got)]).sum() / (ideal * discounts[: len(ideal)]).sum())
    return float(np.mean(values))


if __name__ == "__main__":
    main()
