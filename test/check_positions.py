"""Compares the biases of positions with those that LightGBM learns.

LightGBM and we train on the same data and positions, with equal scores ranked in file order. LightGBM
does not return its biases; it logs them after each iteration if verbosity is 2, with six digits. It computes
lambdas as float32 and with a table of rounded sigmoids, so that biases agree to about 1e-5 as long as the
trees are equal.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

import lightgbm
import numpy as np

import holes
import ours
import sets
from report import Table

TREES = 8
ERROR = 2e-4  # relative to the largest bias


def main() -> None:
    table = Table("set", "penalty", "positions", "largest bias", "error")
    with tempfile.TemporaryDirectory() as folder:
        for data in sets.some():
            for penalty in 0.0, 0.5:
                compare(table, data, Path(folder), penalty)
    table.exit()


def compare(table: Table, data: sets.Set, folder: Path, penalty: float) -> None:
    part = sets.load(data.train)
    positions = np.concatenate([np.arange(size) % 12 for size in part.sizes])
    path = folder / "train.txt"
    holes.write(part, path)
    Path(f"{path}.position").write_text("".join(f"{p + 1}\n" for p in positions))
    parameters = dict(num_leaves=7, min_data_in_leaf=1, learning_rate=0.1, lambdarank_position_bias_regularization=penalty)
    mine = {b["position"]: b["bias"] for b in learned(path, **parameters)["biases"]}
    theirs = lightgbm_biases(part, positions, parameters)
    order = [str(p) for p in sorted({int(p) + 1 for p in positions})]
    a, b = np.array([mine[p] for p in order]), np.array([theirs[str(int(p) - 1)] for p in order])
    error = float(np.max(np.abs(a - b)) / np.max(np.abs(b)))
    table.row(error < ERROR, data.name, penalty, len(order), float(np.max(np.abs(b))), error)


def learned(path: Path, **parameters) -> dict:
    """Trains, and returns the event of positions."""
    command = ours.arguments(
        data=path, output_model=path.with_name("m.txt"), num_iterations=TREES, num_threads=ours.THREADS, log_json="true", **ours.FILE_ORDER, **parameters
    )  # fmt: skip
    done = subprocess.run([str(ours.built("cmd/lambdamart")), "train", *command], capture_output=True, text=True, check=True)
    for line in (done.stderr + done.stdout).splitlines():
        if line.startswith("{") and '"positions"' in line:
            return json.loads(line)
    raise SystemExit("there is no event of positions")


def lightgbm_biases(part, positions, parameters: dict) -> dict[str, float]:
    """Returns what LightGBM logs after the last iteration."""
    lines = []

    class Logger:
        def info(self, text):
            lines.append(text)

        warning = info

    lightgbm.register_logger(Logger())
    parameters = parameters | dict(objective="lambdarank", verbosity=2, num_threads=1)
    matrix = lightgbm.Dataset(part.matrix, part.labels, group=part.sizes, position=positions, params=parameters)
    lightgbm.train(parameters, matrix, TREES)
    found = {}
    for line in "".join(lines).split("[LightGBM] "):
        if match := re.fullmatch(r"\[Debug\]\s+(\d+)\s+(-?[\d.e+-]+)\s*", line):
            found[match[1]] = float(match[2])
    return found


if __name__ == "__main__":
    main()
