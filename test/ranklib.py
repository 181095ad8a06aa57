"""Runs RankLib, which comes from Maven's repository."""

import hashlib
import os
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np

from environment import cache_folder

ARTIFACT = "com.o19s:RankyMcRankFace:0.1.1"
SHA256 = "50a55ef02ead9a9f1c0dd69dd324ca935fcb854c28cfdb857dcdd9e3575ae9b5"
MAVEN_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"


def is_here() -> bool:
    """Reports whether RankLib can run, and prints a notice if not. With CI=true that is a failure."""
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if missing:
        print(f"NOTICE: RankLib was left out: no {' and no '.join(missing)} here")
        if os.environ.get("CI") == "true":
            raise SystemExit("FAILED: with CI=true it must run")
    return not missing


@lru_cache
def jar() -> Path:
    """Returns the program, which is downloaded once."""
    folder = cache_folder() / f"ranklib-{SHA256[:16]}"
    path = folder / f"{ARTIFACT.split(':')[1]}-{ARTIFACT.split(':')[2]}.jar"
    if not path.exists():
        maven = ["mvn", "-q", "-B", "-C", MAVEN_GOAL, f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={folder}"]
        subprocess.run(maven, check=True, stdout=sys.stderr)  # with -q it writes only errors, to standard output
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{path} is not the file that it was; remove it")
    return path


def train(data: Path, model: Path, kind: int, trees: int, leaves: int) -> None:
    """Trains a model. kind is 6 for LambdaMART and 0 for MART."""
    run("-train", data, "-ranker", kind, "-tree", trees, "-leaf", leaves, "-save", model)


def scores(model: Path, rows: Path) -> np.ndarray:
    """Returns the scores of rows of one query. RankLib prints float32 numbers with the digits of their float64."""
    out = rows.with_suffix(".scores")
    run("-load", model, "-rank", rows, "-score", out)
    exact = np.array([float(line.split()[2]) for line in out.read_text().splitlines()])
    assert np.array_equal(exact, exact.astype(np.float32))
    return exact.astype(np.float32)


def run(*args) -> None:
    command = ["java", "-cp", str(jar()), "ciir.umass.edu.eval.Evaluator", *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or "Error" in done.stderr:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def write_rows(path: Path, labels: np.ndarray, queries: np.ndarray, matrix: np.ndarray) -> None:
    """Writes rows for RankLib, which needs all features in each row. Column i becomes feature i+1."""
    with open(path, "w") as out:
        for label, query, row in zip(labels, queries, matrix.tolist()):
            values = " ".join(f"{i}:{'NaN' if v != v else repr(v)}" for i, v in enumerate(row, 1))
            out.write(f"{label:g} qid:{query} {values}\n")
