"""The data of the comparison of quality, divided into three parts.

A set is real data, or data that bench/mslrgen draws. Where real data has parts of its own and enough queries, all seeds
have these; small sets are divided at random by query, and generated ones are drawn anew, for each seed. The
documents of a query are in random order, so that no system gains by the order of equal scores.
"""

import io
import os
import random
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file

import context

DATA = context.DATA
THREADS = 1  # of every system
Values = dict[str, float]  # nDCG@10 by query


@dataclass(frozen=True)
class Set:
    """Data, and the parameters that all systems train on it with."""

    name: str
    paths: tuple[Path, ...] = ()  # of real data: training, validation and test part, or parts that are put together
    divided: bool = False  # at random, for each seed
    queries: int = 0  # of generated data: in the training part
    leaves: int = 15
    rate: float = 0.05
    iterations: int = 1000
    patience: int = 100  # 0: every model has all iterations
    # Seconds of the processor in which parameters are tuned, the same for every trainer. That of the larger sets is what a
    # day of computing allows for all seeds and trainers: 10 to 30 trainings of LightGBM or CatBoost.
    budget: float = field(default=20, repr=False)


def folds(number: int) -> tuple[Path, ...]:
    return tuple(DATA / "mq2008" / f"Fold{number}" / f"{part}.txt" for part in ("train", "vali", "test"))


SETS = [
    Set("MQ2008 fold 1", folds(1)),
    Set("MQ2008 fold 2", folds(2)),
    Set("MSLR sample", tuple(context.SETS["MSLR sample"]), divided=True),
    Set("LightGBM example", tuple(context.SETS["LightGBM example"]), divided=True),
    Set("MSLR-shaped, 1,500 queries", queries=1500, leaves=63, budget=200),
    Set("MSLR-shaped, 6,000 queries", queries=6000, leaves=255, rate=0.1, iterations=100, patience=0, budget=600),
]

PARTS = "train", "vali", "test"


class Part:
    """Rows for systems that are called from Python."""

    def __init__(self, matrix: np.ndarray, labels: np.ndarray, ids: np.ndarray):
        self.matrix, self.labels, self.ids = matrix, labels, ids
        starts = np.flatnonzero(np.concatenate(([True], self.ids[1:] != self.ids[:-1])))
        self.sizes = np.diff(np.append(starts, len(self.ids)))
        self.queries = self.ids[starts]

    @classmethod
    def read(cls, path: Path, features: int | None) -> "Part":
        matrix, labels, ids = load_svmlight_file(str(path), n_features=features, query_id=True, zero_based=True)
        return cls(matrix.toarray(), labels, ids)

    @classmethod
    def read_generated(cls, path: Path) -> "Part":
        """Does the same, much faster, for a file of bench/mslrgen, in which every row has every feature."""
        with open(path, "rb") as file:
            width = len(file.readline().split())
        separated = io.BytesIO(path.read_bytes().replace(b":", b" "))
        used = [0, *range(2, 2 * width - 1, 2)]  # label "qid" id number value number value ...
        values = pd.read_csv(separated, sep=" ", header=None, usecols=used, dtype=np.float64).to_numpy()
        labels, ids = values[:, 0].copy(), values[:, 1].astype(np.int64)
        values[:, 1] = 0  # feature 0, which no row has
        return cls(np.ascontiguousarray(values[:, 1:]), labels, ids)

    def __add__(self, other: "Part") -> "Part":
        """Returns the part with the queries of both."""
        return Part(*(np.concatenate(pair) for pair in ((self.matrix, other.matrix), (self.labels, other.labels), (self.ids, other.ids))))

    def lightgbm(self, parameters: dict, reference: "lightgbm.Dataset | None" = None) -> "lightgbm.Dataset":
        import lightgbm

        return lightgbm.Dataset(self.matrix, self.labels, group=self.sizes, params=parameters, reference=reference)

    def catboost(self) -> "catboost.Pool":
        import catboost

        return catboost.Pool(self.matrix, self.labels, group_id=np.repeat(np.arange(len(self.sizes)), self.sizes))

    def judged(self, scores: np.ndarray) -> Values:
        if len(scores) != len(self.labels) or not np.all(np.isfinite(scores)):
            raise SystemExit(f"{len(scores)} scores of {len(self.labels)} documents, some of which may not be finite")
        starts = np.cumsum(self.sizes)[:-1]
        parts = zip(self.queries, np.split(self.labels, starts), np.split(scores, starts))
        return {str(query): context.ndcg(labels, own) for query, labels, own in parts}


class Split:
    """The three parts for one seed, as files with query ids in a folder."""

    def __init__(self, of: Set, seed: int, folder: Path):
        self.of, self.seed, self.folder = of, seed, folder
        if of.queries:
            self._generate()
        else:
            self._divide()

    def path(self, part: str) -> Path:
        return self.folder / part

    @cached_property
    def parts(self) -> dict[str, Part]:
        if self.of.queries:
            return {part: Part.read_generated(self.path(part)) for part in PARTS}
        train = Part.read(self.path("train"), None)
        return {"train": train} | {p: Part.read(self.path(p), train.matrix.shape[1]) for p in PARTS[1:]}

    @cached_property
    def train_and_vali(self) -> Path:
        """The file of the training and the validation part as one."""
        path = self.folder / "train-and-vali"
        path.write_bytes(self.path("train").read_bytes() + self.path("vali").read_bytes())
        return path

    def trained(self, folder: Path, *settings: str) -> np.ndarray:
        """Returns the test part's scores by a model that our train writes from the training part."""
        run(folder, "train", f"data={self.path('train')}", "output_model=model", f"seed={self.seed}", *settings)
        return self.scored(folder)

    def scored(self, folder: Path) -> np.ndarray:
        """Returns the test part's scores by the model in a folder."""
        run(folder, "predict", f"data={self.path('test')}", "input_model=model", "output_result=scores")
        return np.loadtxt(folder / "scores")

    def _generate(self) -> None:
        """Draws queries; different seeds give different ids."""
        program, first = Path(os.environ["LAMBDAMART_BIN"]) / "mslrgen", 1 + 1_000_000 * self.seed
        for number, (part, count) in enumerate(zip(PARTS, (self.of.queries, 1000, 2000))):
            with open(self.path(part), "wb") as out:
                flags = ["-queries", count, "-seed", 1000 + 10 * self.seed + number, "-first-qid", first]
                subprocess.run([program, *map(str, flags)], stdout=out, check=True)
            first += count

    def _divide(self) -> None:
        if self.of.divided:
            queries = context.read(list(self.of.paths))
            chosen = [[(q, queries[q]) for q in part] for part in context.divided(len(queries), self.seed)]
        else:
            chosen = [list(enumerate(queries, 100_000 * number)) for number, queries in enumerate(context.read([path]) for path in self.of.paths)]
        shuffle = random.Random(1_000_003 * self.seed + 7).shuffle
        for part, queries in zip(PARTS, chosen):
            with open(self.path(part), "w") as out:
                for number, lines in queries:
                    shuffle(lines)
                    out.writelines(f"{context.labeled(without_id(line), number)}\n" for line in lines)


def run(folder: Path, *args: str) -> None:
    program = Path(os.environ["LAMBDAMART_BIN"]) / "lambdamart"
    subprocess.run([program, *args, f"num_threads={THREADS}", "verbosity=-1"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def without_id(line: str) -> str:
    label, _, rest = line.split(maxsplit=2)
    return f"{label} {rest}"
