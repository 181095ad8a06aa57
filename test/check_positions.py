"""Compares the biases of positions with those that LightGBM learns, and the ratios of positions with XGBoost's.

LightGBM and we train on the same data and positions, with equal scores ranked in file order. LightGBM
does not return its biases; it logs them after each iteration if verbosity is 2, with six digits. It computes
lambdas as float32 and with a table of rounded sigmoids, so that biases agree to about 1e-5 as long as the
trees are equal.

XGBoost's ratios are in the configuration of its model. The learning rate of this comparison is tiny, so that both
programs compute ratios at practically the initial scores; those of an iteration depend on those of the previous one.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

import lightgbm
import numpy as np
import xgboost

import holes
import ours
import sets
from report import Table

TREES = 8
ERROR = 2e-4  # relative to the largest bias
RATIO_ERROR = 1e-5  # relative to each ratio; XGBoost's are float32
SHOWN = 12  # documents of a query


def main() -> None:
    table = Table("set", "penalty", "positions", "largest bias", "error")
    with tempfile.TemporaryDirectory() as folder:
        for data in sets.present():
            for penalty in 0.0, 0.5:
                compare(table, data, Path(folder), penalty)
        ratios = Table("set", "objective", "bias norm", "least ratio", "error")
        for data in sets.present():
            for name, theirs in ("lambdarank", "rank:ndcg"), ("rank_pairwise", "rank:pairwise"):
                for norm in 0.0, 1.0:
                    compare_ratios(ratios, data, Path(folder), name, theirs, norm)
    ratios.rows, ratios.failed = ratios.rows + table.rows, ratios.failed + table.failed
    ratios.exit()


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


def compare_ratios(table: Table, data: sets.Set, folder: Path, name: str, theirs: str, norm: float) -> None:
    """Compares ratios after TREES iterations at the same scores."""
    part = first_documents(sets.load(data.train))
    scores = np.float32(np.random.default_rng(7).normal(size=len(part.labels)))
    path = folder / "ratios.txt"
    holes.write(part, path)
    Path(f"{path}.position").write_text("".join(f"{p + 1}\n" for size in part.sizes for p in range(size)))
    Path(f"{path}.init").write_text("".join(f"{float(s)!r}\n" for s in scores))
    parameters = dict(objective=name, learning_rate=1e-9, num_leaves=3, min_data_in_leaf=1, lambdarank_unbiased="true", lambdarank_bias_norm=norm)
    mine = {r["position"]: (r["clicked"], r["unclicked"]) for r in learned(path, **parameters)["ratios"]}
    given = dict(
        objective=theirs, eta=1e-9, max_leaves=3, grow_policy="lossguide", tree_method="hist", nthread=1, lambdarank_unbiased=True, lambdarank_bias_norm=norm,
        lambdarank_num_pair_per_sample=SHOWN, lambdarank_pair_method="topk", base_score=0,
    )  # fmt: skip
    model = xgboost.train(given, xgboost.DMatrix(part.matrix, part.labels, group=part.sizes, base_margin=scores), TREES)
    config = json.loads(model.save_config())["learner"]["objective"]
    a = np.array([mine[str(p + 1)] for p in range(SHOWN)])
    b = np.array([config["ti+"], config["tj-"]], dtype=float).T
    error = float(np.max(np.abs(a - b) / b))
    table.row(error < RATIO_ERROR, data.name, name, norm, float(b.min()), error)


def first_documents(part: sets.Part) -> sets.Part:
    """Returns the queries that have SHOWN documents or more, without the documents after these."""
    starts = np.cumsum(part.sizes) - part.sizes
    rows = np.concatenate([np.arange(first, first + SHOWN) for first, size in zip(starts, part.sizes) if size >= SHOWN])
    return sets.Part(part.matrix[rows], part.labels[rows], np.full(len(rows) // SHOWN, SHOWN))


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
