"""XGBoost, through its Python package. It finds bins in the first iteration."""

import time
from pathlib import Path

import numpy as np
import xgboost

from data import Files
from systems import Costs, Settings

CONFIGURATIONS = {"XGBoost": {}}


def train(files: Files, parameters: dict, settings: Settings, model: Path) -> Costs:
    start = time.perf_counter()
    everything = common(settings) | parameters
    with xgboost.config_context(verbosity=0):
        data = read(files.train, settings.threads)
        costs = Costs(load=time.perf_counter() - start)
        booster = xgboost.train(everything, data, settings.iterations, callbacks=[Note(costs)])
    booster.save_model(model.with_suffix(".ubj"))
    return costs


def read(path: Path, threads: int) -> xgboost.DMatrix:
    return xgboost.DMatrix(f"{path}?format=libsvm", nthread=threads)


def common(settings: Settings) -> dict:
    return dict(
        objective="rank:ndcg",
        lambdarank_pair_method="topk",
        lambdarank_num_pair_per_sample=settings.truncation,
        tree_method="hist",
        grow_policy="lossguide",
        max_depth=0,
        nthread=settings.threads,
        max_leaves=settings.leaves,
        eta=settings.learning_rate,
        min_child_weight=settings.min_sum_hessian,
        max_bin=settings.bins,
    )


class Note(xgboost.callback.TrainingCallback):
    def __init__(self, costs: Costs):
        self.costs, self.last = costs, time.perf_counter()

    def after_iteration(self, *_) -> bool:
        now = time.perf_counter()
        self.costs.iterations.append(now - self.last)
        self.last = now
        return False


def scores(files: Files, model: Path, stages: list[int]):
    booster = xgboost.Booster(model_file=model.with_suffix(".ubj"))
    with xgboost.config_context(verbosity=0):
        data = read(files.vali, 0)
    for stage in stages:
        yield stage, np.asarray(booster.predict(data, output_margin=True, iteration_range=(0, stage)), dtype=float)
