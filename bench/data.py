"""The data sets of the comparison. They are generated once and kept in the user's cache folder."""

import os
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

MEAN_DOCUMENTS = 119


@dataclass(frozen=True)
class Files:
    """The three parts of one set."""

    folder: Path

    @property
    def train(self) -> Path:
        """With query ids."""
        return self.folder / "train.txt"

    @property
    def train_without_qid(self) -> Path:
        """The file for LightGBM's text reader. Its .query file lies beside it."""
        return self.folder / "train-without-qid.txt"

    @property
    def vali(self) -> Path:
        return self.folder / "vali.txt"

    @property
    def test(self) -> Path:
        """The file for programs that use a validation part. None here does."""
        return self.folder / "test.txt"


@dataclass(frozen=True)
class Judged:
    """The part that models are evaluated on."""

    matrix: np.ndarray  # float64; column n is feature n of the file
    labels: np.ndarray
    sizes: np.ndarray  # documents of each query


def make(queries: int, seed: int) -> Files:
    """Returns the files of a data set, and generates missing ones.

    The standard set has 6,000 training queries and seed 0. Other seeds draw other sets from the same distribution.
    """
    files = Files(cache_folder() / f"mslr-shaped-{queries}-{seed}")
    files.folder.mkdir(parents=True, exist_ok=True)
    third, first = max(1, queries // 3), 1
    parts = (files.train, queries), (files.vali, third), (files.test, third)
    for part, (path, count) in enumerate(parts, 1):
        if not path.exists():
            generate(path, count, 3 * seed + part, first)
        first += count
    if not files.train_without_qid.exists():
        strip_query_ids(files.train, files.train_without_qid)
    return files


def cache_folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "lambdamart" / "bench"


def generate(path: Path, queries: int, seed: int, first: int) -> None:
    program = Path(os.environ["LAMBDAMART_BIN"]) / "mslrgen"
    flags = ["-queries", queries, "-docs", MEAN_DOCUMENTS, "-seed", seed, "-first-qid", first]
    beside = path.with_suffix(".making")  # renamed at the end, so that path is never an incomplete file
    with open(beside, "wb") as out:
        subprocess.run([program, *map(str, flags)], stdout=out, check=True)
    beside.rename(path)


def strip_query_ids(source: Path, path: Path) -> None:
    beside, sizes, last = path.with_suffix(".making"), [], None
    with open(source, "rb") as lines, open(beside, "wb") as out:
        for line in lines:
            label, qid, rest = line.split(b" ", 2)
            out.write(label + b" " + rest)
            if qid != last:
                sizes.append(0)
                last = qid
            sizes[-1] += 1
    Path(f"{path}.query").write_text("".join(f"{n}\n" for n in sizes))
    beside.rename(path)


@lru_cache
def judged(files: Files) -> Judged:
    from sklearn.datasets import load_svmlight_file  # here, so that its memory does not count as that of training

    matrix, labels, ids = load_svmlight_file(str(files.vali), query_id=True, zero_based=True)
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    return Judged(matrix.toarray(), labels, np.diff(np.append(starts, len(ids))))
