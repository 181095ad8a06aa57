"""The systems that are compared, each with what a person gets who sets nothing but the size of the trees.

Rows lie in memory, and all are called from Python. `fit` trains as a person does, `scores` scores other rows,
and `timed` trains once more with binning and training apart. XGBoost does not use positions.
"""

import json
import os
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from shapes.ingredients import Rows


@dataclass(frozen=True)
class Settings:
    leaves: int = 31
    iterations: int = 100
    threads: int = 1
    parameters: dict = field(default_factory=dict)  # further ones, of ours and of LightGBM

    def common(self) -> dict:
        sizes = dict(num_leaves=self.leaves, num_iterations=self.iterations, learning_rate=0.1)
        return sizes | dict(num_threads=self.threads) | self.parameters


BINNING = ("num_threads", "max_bin", "min_data_in_bin", "bin_construct_sample_cnt", "use_missing", "zero_as_missing")


class Ours:
    def __init__(self, own: dict, settings: Settings):
        import lambdamart  # here, so that no process imports all three, and none in its measured time

        self.make, self.train = lambdamart.Dataset, lambdamart.train  # their modules are loaded here too
        self.parameters = settings.common() | own
        if "preset" in self.parameters:  # it chooses the sizes
            self.parameters = dict(num_threads=settings.threads) | settings.parameters | own

    def bin(self, rows: Rows):
        return self.dataset(rows).bin(self.binning(rows))

    def binning(self, rows: Rows) -> dict:
        categorical = dict(categorical_feature=list(rows.categorical)) if rows.categorical else {}
        return categorical | {n: self.parameters[n] for n in BINNING if n in self.parameters}

    def dataset(self, rows: Rows):
        return self.make(rows.matrix, rows.labels, group=rows.sizes, position=rows.positions)

    def fit(self, rows: Rows) -> dict:
        self.model = self.train(self.parameters | self.binning(rows), self.dataset(rows)).model
        return dict(share=mean_share(self.model.text))

    def scores(self, rows: Rows) -> np.ndarray:
        return self.model.predict(rows.matrix, group=rows.sizes)

    def timed(self, rows: Rows) -> dict:
        """Trains on stored bins by the command, which says how long each phase took."""
        result, binned = timed("bin", lambda: self.bin(rows))
        with tempfile.TemporaryDirectory() as folder:
            binned.save(f"{folder}/bins")
            given = dict(data=f"{folder}/bins", output_model=f"{folder}/model") | self.parameters
            command = [os.environ["LAMBDAMART_BINARY"], "train", *(f"{n}={v}" for n, v in given.items())]
            trained, times = timed("train", lambda: phases(command))
        return result | trained | dict(phases=times)


class LightGBM:
    def __init__(self, own: dict, settings: Settings):
        import lightgbm

        self.library = lightgbm
        self.parameters = dict(objective="lambdarank", verbosity=-1) | settings.common() | own

    def bin(self, rows: Rows):
        given = dict(group=rows.sizes, position=rows.positions, params=self.parameters)
        if rows.categorical:
            given["categorical_feature"] = list(rows.categorical)
        return self.library.Dataset(rows.matrix, rows.labels, **given).construct()

    def train(self, binned) -> None:
        self.model = self.library.train(self.parameters, binned)

    def scores(self, rows: Rows) -> np.ndarray:
        return self.model.predict(rows.matrix)

    def fit(self, rows: Rows) -> dict:
        self.train(self.bin(rows))
        return {}

    def timed(self, rows: Rows) -> dict:
        result, binned = timed("bin", lambda: self.bin(rows))
        return result | timed("train", lambda: self.train(binned))[0]


class XGBoost(LightGBM):
    def __init__(self, own: dict, settings: Settings):
        import xgboost

        self.library = xgboost
        trees = dict(tree_method="hist", grow_policy="lossguide", max_depth=0, eta=0.1)
        trees["max_leaves"] = settings.leaves
        self.parameters = dict(objective="rank:ndcg", nthread=settings.threads) | trees | own
        self.iterations, self.threads = settings.iterations, settings.threads

    def bin(self, rows: Rows):
        query = np.repeat(np.arange(len(rows.sizes)), rows.sizes)
        given = dict(qid=query, nthread=self.threads) | self.kinds(rows)
        return self.library.QuantileDMatrix(rows.matrix, rows.labels, **given)

    def kinds(self, rows: Rows) -> dict:
        if not rows.categorical:
            return {}
        types = ["c" if column in rows.categorical else "q" for column in range(rows.matrix.shape[1])]
        return dict(enable_categorical=True, feature_types=types)

    def train(self, binned) -> None:
        self.model = self.library.train(self.parameters, binned, self.iterations)

    def scores(self, rows: Rows) -> np.ndarray:
        matrix = self.library.DMatrix(rows.matrix, nthread=self.threads, **self.kinds(rows))
        return self.model.predict(matrix, output_margin=True)


def mean_share(model: str) -> float:
    """Returns the mean share of rows that trees grew on, if training chose it, such as .125,.42,1*20; else 1."""
    chosen = re.search(r"active_shares=([^;\]]*)", model)
    runs = [run.partition("*") for run in chosen[1].split(",")] if chosen else [("1", "", "")]
    counts = [int(count or 1) for _, _, count in runs]
    return sum(float(share) * n for (share, _, _), n in zip(runs, counts)) / sum(counts)


def phases(command: list[str]) -> dict[str, float]:
    """Runs a training command and returns the milliseconds of each phase."""
    done = subprocess.run([*command, "profile=true", "log_json=true"], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr[-1000:]}")
    total: dict[str, float] = {}
    for event in map(json.loads, done.stderr.splitlines()):
        for phase in event["phases"] if event["event"] == "profile" else []:
            total[phase["phase"]] = total.get(phase["phase"], 0) + phase["milliseconds"]
    return total


SYSTEMS: dict[str, tuple[Callable, dict]] = {
    "default": (Ours, {}),
    "every": (Ours, dict(active_fraction=1)),
    "auto": (Ours, dict(preset="auto")),
    "fast": (Ours, dict(preset="fast")),
    "lightgbm": (LightGBM, {}),
    "xgboost": (XGBoost, {}),
}


def system(name: str, settings: Settings):
    make, own = SYSTEMS[name]
    return make(own, settings)


def user_seconds() -> float:
    return sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def timed(what: str, work: Callable) -> tuple[dict, object]:
    """Returns user CPU seconds, also of child processes, and wall seconds; and what the work returns."""
    cpu, wall = user_seconds(), time.perf_counter()
    result = work()
    return {f"{what}_cpu": user_seconds() - cpu, f"{what}_wall": time.perf_counter() - wall}, result
