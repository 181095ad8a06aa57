"""The data sets of the checks, and functions that load them.

A matrix has one column for each feature number of the file, from 0. In files that count from 1, column 0
holds zeros. LightGBM reads files in the same way.
"""

import gzip
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("LAMBDAMART_DATA") or ROOT.parent / "shared" / "data")

ALL = bool({"LAMBDAMART_ALL", "LAMBDAMART_LONG"} & os.environ.keys())  # all cases are wanted, as in .ci/run

Judgments = dict[str, dict[str, int]]  # the grade of each judged document of each query


@dataclass(frozen=True)
class Set:
    """Files and the parameters that suit them."""

    name: str
    train: Path
    test: Path
    vali: Path | None = None
    parameters: tuple[tuple[str, float], ...] = ()  # that differ from the defaults, which LightGBM and we share


@dataclass(frozen=True)
class Part:
    """The content of one file."""

    matrix: np.ndarray  # rows × features, float64
    labels: np.ndarray  # one for each row
    sizes: np.ndarray  # documents of each query, in file order

    def widened(self, features: int) -> np.ndarray:
        """Returns the matrix with zero columns appended. A file has no columns beyond the last feature in its rows."""
        missing = max(0, features - self.matrix.shape[1])
        return np.pad(self.matrix, ((0, 0), (0, missing)))


def shipped() -> Set:
    return in_folder("shipped", ROOT / "testdata" / "mslr-small", ".txt.gz")


def in_folder(name: str, folder: Path, ending: str = ".txt") -> Set:
    return Set(name, *(folder / f"{part}{ending}" for part in ("train", "test", "vali")))


def real() -> list[Set]:
    """Returns the sets in $LAMBDAMART_DATA. They are not part of this repository."""
    example = DATA / "lightgbm-lambdarank"
    conf = (("min_data_in_leaf", 50), ("min_sum_hessian_in_leaf", 5.0))  # as in its train.conf
    return [
        in_folder("mq2008 fold 1", DATA / "mq2008" / "Fold1"),
        in_folder("mq2008 fold 2", DATA / "mq2008" / "Fold2"),
        in_folder("mslr sample", DATA / "mslr-web30k-sample"),
        Set("lightgbm example", example / "rank.train", example / "rank.test", parameters=conf),
    ]


def present() -> list[Set]:
    """Returns the shipped set and the real sets that are present. Prints which are not."""
    found = [shipped()]
    for s in real():
        if s.train.exists() and s.test.exists():
            found.append(s)
        else:
            print(f"left out: {s.name}: no {s.train} (set LAMBDAMART_DATA to the folder that has it)")
    return found


def some() -> list[Set]:
    """Returns the sets of a check that takes long: all that are present, or two where not all cases are wanted."""
    return present() if ALL else present()[:2]


@lru_cache
def load(path: Path) -> Part:
    opened = gzip.open(path) if path.suffix == ".gz" else open(path, "rb")
    with opened as file:
        matrix, labels, query_ids = load_svmlight_file(file, query_id=True, zero_based=True)
    sidecar = Path(f"{path}.query")
    sizes = np.loadtxt(sidecar, dtype=int) if sidecar.exists() else run_lengths(query_ids)
    return Part(matrix.toarray(), labels, sizes)


def run_lengths(ids: np.ndarray) -> np.ndarray:
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    return np.diff(np.append(starts, len(ids)))


def judged_runs() -> Iterator[tuple[str, Judgments, dict[str, dict[str, float]]]]:
    """Generates real qrels, those of TREC's background linking with entities and the grades of LETOR and MSLR, each with a
    run that has ties, lacks judged documents and queries, and has documents without a judgment."""
    draw = np.random.default_rng(7)
    for name, judged in judgments():
        yield name, judged, {
            query: {document: float(draw.integers(12)) for document in [*(d for d in grades if draw.random() < 0.7), *(f"new{i}" for i in range(draw.integers(1, 9)))]}
            for query, grades in judged.items()
            if draw.random() < 0.9
        }


def judgments() -> Iterator[tuple[str, Judgments]]:
    track: Judgments = {}
    path = DATA / "trecnews2018" / "newsir18-entity.qrel"
    for line in path.read_text().splitlines() if path.exists() else []:
        query, _, document, grade = line.split()
        track.setdefault(query, {})[document] = int(grade)
    if track:
        yield "newsir18-entity", track
    for data in present():
        if data.name in ("mq2008 fold 1", "mslr sample"):
            part = load(data.test)
            starts = np.cumsum(part.sizes) - part.sizes
            yield data.name, {f"q{q}": {f"d{i:04}": int(y) for i, y in enumerate(part.labels[first : first + size])} for q, (first, size) in enumerate(zip(starts, part.sizes))}


def write_run(folder: Path, judged: Judgments, run: dict[str, dict[str, float]]) -> tuple[Path, Path]:
    """Writes qrels and a run in TREC's formats, and returns their paths."""
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {grade}\n" for q, grades in judged.items() for d, grade in grades.items()))
    (folder / "run").write_text("".join(f"{q} Q0 {d} 0 {score} r\n" for q, scores in run.items() for d, score in scores.items()))
    return folder / "qrels", folder / "run"
