"""Runs our programs: the command, and those in test/ that print internal values."""

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from sets import ROOT

FILE_ORDER = {"lambdarank_ties": "file"}  # documents of equal scores are ranked as by LightGBM and XGBoost
THREADS = os.environ.get("LAMBDAMART_THREADS", "2")


@lru_cache
def built(package: str) -> Path:
    """Returns the program of a package. ./test.sh builds all programs in $LAMBDAMART_BIN; otherwise it is built here."""
    name = package.rsplit("/", 1)[-1]
    folder = os.environ.get("LAMBDAMART_BIN")
    if folder is None:
        folder = tempfile.mkdtemp(prefix="lambdamart-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        subprocess.run(["go", "build", "-o", folder, f"./{package}"], cwd=ROOT, check=True)
    return Path(folder) / name


def train(data: Path, model: Path, **parameters) -> None:
    run("cmd/lambdamart", "train", *arguments(data=data, output_model=model, num_threads=THREADS, **parameters))


def predict(data: Path, model: Path, scores: Path, **parameters) -> np.ndarray:
    """Returns one score for each row."""
    run("cmd/lambdamart", "predict", *arguments(data=data, input_model=model, output_result=scores, **parameters))
    return np.array([float(line) for line in scores.read_text().split()])


def bins(data: Path, **parameters) -> dict[int, tuple[str, list[float]]]:
    """Returns the missing type and the finite upper bounds of each feature that is not constant."""
    text = run("test/bins", *arguments(data=data, **parameters))
    lines = map(str.split, text.splitlines())
    return {int(feature): (missing, [float.fromhex(b) for b in bounds]) for feature, missing, *bounds in lines}


def run(package: str, *args: str) -> str:
    command = [str(built(package)), *args]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def arguments(**parameters) -> list[str]:
    return [f"{name}={value}" for name, value in parameters.items()]
