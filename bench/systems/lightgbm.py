"""LightGBM, through its Python package. Its text reader does not support query ids."""

import time
from pathlib import Path

import lightgbm
import numpy as np

from data import Files, judged
from systems import Costs, Settings

CONFIGURATIONS = {
    "LightGBM": {},
    "LightGBM quantized": dict(use_quantized_grad=True),
    "LightGBM GOSS 0.1/0.1": dict(data_sample_strategy="goss", top_rate=0.1, other_rate=0.1),
    "LightGBM bagging 0.3": dict(bagging_by_query=True, bagging_fraction=0.3, bagging_freq=1),
}


def train(files: Files, parameters: dict, settings: Settings, model: Path) -> Costs:
    costs, start = Costs(), time.perf_counter()
    everything = common(settings) | parameters
    data = lightgbm.Dataset(str(files.train_without_qid), params=everything).construct()
    costs.load = time.perf_counter() - start
    last = time.perf_counter()

    def note(_) -> None:
        nonlocal last
        now = time.perf_counter()
        costs.iterations.append(now - last)
        last = now

    lightgbm.train(everything, data, settings.iterations, callbacks=[note]).save_model(model)
    return costs


def common(settings: Settings) -> dict:
    return dict(
        objective="lambdarank",
        verbosity=-1,
        num_threads=settings.threads,
        num_leaves=settings.leaves,
        learning_rate=settings.learning_rate,
        min_sum_hessian_in_leaf=settings.min_sum_hessian,
        min_data_in_leaf=0,
        max_bin=settings.bins,
        lambdarank_truncation_level=settings.truncation,
    )


def scores(files: Files, model: Path, stages: list[int]):
    booster = lightgbm.Booster(model_file=model)
    matrix = judged(files).matrix
    total, done = np.zeros(len(matrix)), 0
    for stage in stages:
        total += booster.predict(matrix, start_iteration=done, num_iteration=stage - done)
        done = stage
        yield stage, total
