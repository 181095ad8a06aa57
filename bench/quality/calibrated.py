"""Measures how well scores are probabilities, and how well they rank, on clicks.

    $(python3 test/environment.py bench/requirements.txt) bench/quality/calibrated.py BINARY [--seeds 10] [--shapes ecommerce]

Trains on 3,000 queries of the recipes ecommerce and positions (bench/shapes), stops by nDCG@10 on 1,500, and judges on
18,000: the expected calibration error over 15 bins of equally many documents, and nDCG@10 of clicks over the queries that
have one. Probabilities are the sigmoids of scores, or those that a calibration fits on the validation queries. 15 leaves,
learning rate .05.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from shapes import recipes  # noqa: E402

TRAIN, VALID, TEST = 3_000, 1_500, 18_000
ARMS = {
    "binary": "objective=binary",
    "lambdarank": "objective=lambdarank",
    "lambdarank, calibrated": "objective=lambdarank calibration=auto",
    "rank_calibrated": "objective=rank_calibrated",
    "rank_calibrated, share .75": "objective=rank_calibrated rank_calibrated_share=0.75",
    "rank_calibrated, share .9": "objective=rank_calibrated rank_calibrated_share=0.9",
    "rank_calibrated, share .75, rate .025": "objective=rank_calibrated rank_calibrated_share=0.75 learning_rate=0.025 num_iterations=800",
    "rank_calibrated, share .75, calibrated": "objective=rank_calibrated rank_calibrated_share=0.75 calibration=isotonic",
    "binary + lambdarank": "objective=binary:1,lambdarank:1",
}
SETTINGS = "num_leaves=15 learning_rate=0.05 min_data_in_leaf=50 num_iterations=400 patience=60 stop_metric=ndcg@10 num_threads=1 verbosity=-1".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--shapes", default="ecommerce,positions")
    options = parser.parse_args()
    for shape in options.shapes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            found = {arm: [] for arm in ARMS}
            for seed in range(4, 4 + options.seeds):
                parts = write(shape, seed, Path(folder))
                for arm in ARMS:
                    found[arm].append(judged(options.binary.resolve(), Path(folder), arm, seed, parts))
        report(shape, {arm: np.array(values) for arm, values in found.items()})


def write(shape: str, seed: int, folder: Path) -> recipes.Rows:
    """Writes the data of a seed, and returns the test queries."""
    sizes = np.full(TRAIN + VALID + TEST, recipes.SHAPES[shape].documents[0])
    rows = recipes.SHAPES[shape].recipe(np.random.default_rng(seed), sizes)
    parts = {"train": rows.queries(0, TRAIN), "vali": rows.queries(TRAIN, VALID), "test": rows.queries(TRAIN + VALID, TEST)}
    for name, part in parts.items():
        query = np.repeat(np.arange(len(part.sizes)), part.sizes)
        head = "\t".join(["label", "qid", *(f"f{i}" for i in range(part.matrix.shape[1]))])
        np.savetxt(folder / f"{name}.tsv", np.column_stack([part.labels, query, part.matrix]), fmt="%.6g", delimiter="\t", header=head, comments="")
    return parts["test"]


def judged(binary: Path, folder: Path, arm: str, seed: int, test: recipes.Rows) -> tuple[float, float]:
    """Returns the calibration error and nDCG@10 of a model."""
    kind = "probability" if "calibration=" in ARMS[arm] else "predict_raw_score"
    for command in (
        ["train", "data=train.tsv", "valid=vali.tsv", "output_model=model.txt", f"seed={seed}", *own(arm)],
        ["predict", "data=test.tsv", "input_model=model.txt", "output_result=scores.txt", f"{kind}=true", "verbosity=-1"],
    ):
        subprocess.run([binary, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    scores, clicks = np.loadtxt(folder / "scores.txt"), test.labels.astype(float)
    p = scores if kind == "probability" else 1 / (1 + np.exp(-scores))
    error = sum(abs(p[b].sum() - clicks[b].sum()) for b in np.array_split(np.argsort(p, kind="stable"), 15)) / len(p)
    return error, ndcg(scores, clicks, test.sizes)


def own(arm: str) -> list[str]:
    """Returns the settings of an arm."""
    given = ARMS[arm].split()
    names = {text.partition("=")[0] for text in given}
    return given + [text for text in SETTINGS if text.partition("=")[0] not in names]


def ndcg(scores: np.ndarray, clicks: np.ndarray, sizes: np.ndarray) -> float:
    ends, values, discount = np.cumsum(sizes), [], 1 / np.log2(np.arange(2, 12))
    for end, size in zip(ends, sizes):
        s, y = scores[end - size : end], clicks[end - size : end]
        if y.any():
            k = discount[: min(10, size)]
            values.append((y[np.argsort(-s, kind="stable")[:10]] * k).sum() / (np.sort(y)[::-1][:10] * k).sum())
    return float(np.mean(values))


def report(shape: str, found: dict[str, np.ndarray]) -> None:
    print(f"\n| {shape}, {len(found['binary'])} seeds | ECE | less binary's | nDCG@10 | less lambdarank's |\n|---|---|---|---|---|")
    for arm, values in found.items():
        error, gain = values[:, 0] - found["binary"][:, 0], values[:, 1] - found["lambdarank"][:, 1]
        print(f"| `{arm}` | {values[:, 0].mean():.4f} | {mean(error)} | {values[:, 1].mean():.4f} | {mean(gain)} |")


def mean(values: np.ndarray) -> str:
    if not values.any():
        return ""  # the reference itself
    return f"{values.mean():+.4f} ± {values.std(ddof=1) / len(values) ** 0.5:.4f}"


if __name__ == "__main__":
    main()
