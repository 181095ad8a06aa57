"""CatBoost, through its Python package. Its trees are symmetric: depth 8, which has 256 leaves, stands
for 255 leaves."""

import time
from pathlib import Path

import catboost

from data import Files
from systems import Costs, Settings

CONFIGURATIONS = {"CatBoost YetiRank": dict(loss_function="YetiRank", depth=8)}


def train(files: Files, parameters: dict, settings: Settings, model: Path) -> Costs:
    start = time.perf_counter()
    data = read(files.train, settings.threads)
    data.quantize(border_count=settings.bins - 1)
    costs = Costs(load=time.perf_counter() - start)
    everything = dict(
        iterations=settings.iterations,
        learning_rate=settings.learning_rate,
        thread_count=settings.threads,
        logging_level="Silent",
        allow_writing_files=False,
    )
    booster = catboost.CatBoost(everything | parameters)
    booster.fit(data, callbacks=[Note(costs)])
    booster.save_model(str(model.with_suffix(".cbm")))
    return costs


def read(path: Path, threads: int) -> catboost.Pool:
    return catboost.Pool(f"libsvm://{path}", thread_count=threads)


class Note:
    def __init__(self, costs: Costs):
        self.costs, self.last = costs, time.perf_counter()

    def after_iteration(self, _) -> bool:
        now = time.perf_counter()
        self.costs.iterations.append(now - self.last)
        self.last = now
        return True


def scores(files: Files, model: Path, stages: list[int]):
    booster = catboost.CatBoost().load_model(str(model.with_suffix(".cbm")))
    data = read(files.vali, -1)
    for stage in stages:
        yield stage, booster.predict(data, ntree_end=stage)
