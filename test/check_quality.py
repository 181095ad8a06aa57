"""Checks that our models rank as well as LightGBM's with the same parameters.

The measure is nDCG@10 under LightGBM's convention (gain 2^label - 1, discount 1/log2(1 + rank), ties in
file order, a query without a relevant document counts 1) on the test part and, if there is one, the
validation part, which no training here uses.

A single training is one random draw: even a negligible lambda_l2 of 0.0001 moves LightGBM's own figures
by up to 0.02 on the smaller sets. The order of the training queries alone moves neither program. So a
seed shuffles the queries and leaves a tenth of them out, for both programs, and figures are means over
the model's first 20, 40, 60, 80 and 100 trees. The table has the standard error of the difference over
the seeds.
"""

import sys
import tempfile
from pathlib import Path

import lightgbm
import numpy as np

import ours
import sets
from report import Table

SEEDS = range(5)
KEPT = 0.9  # share of the training queries
STAGES = 20, 40, 60, 80, 100  # trees
CUTOFF = 10
WORSE_ON_A_SET = 0.005
WORSE_ON_AVERAGE = 0.001  # over sets

# Small sets need small trees. A minimum Hessian limits, in both programs, the leaf values of documents
# that are far from their right place.
PARAMETERS = dict(num_leaves=15, min_sum_hessian_in_leaf=5.0)


def main() -> None:
    """Arguments of the command line, such as active_fraction=auto, apply to our training only."""
    extra = dict(argument.split("=", 1) for argument in sys.argv[1:])
    table = Table("set", "queries", "LightGBM", "ours", "difference", "std error")
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        for data in [generated(Path(folder)), *sets.present()[1:]]:
            theirs, mine = np.transpose([run(data, seed, extra, Path(folder)) for seed in SEEDS])
            difference = mine - theirs
            mean, error = difference.mean(), difference.std(ddof=1) / np.sqrt(len(SEEDS))
            queries = sum(len(part.sizes) for part in judged(data))
            table.row(mean >= -WORSE_ON_A_SET, data.name, queries, theirs.mean(), mine.mean(), mean, error)
            differences.append(mean)
    table.row(np.mean(differences) >= -WORSE_ON_AVERAGE, "mean of the sets", "", "", "", np.mean(differences), "")
    table.exit()


def generated(folder: Path) -> sets.Set:
    """Generates an MSLR-shaped set of 600 training queries."""
    data = sets.Set("mslr-shaped", folder / "generated-train.txt", folder / "generated-test.txt")
    for path, queries, seed in (data.train, 600, 11), (data.test, 200, 12):
        path.write_text(ours.run("bench/mslrgen", "-queries", str(queries), "-seed", str(seed)))
    return data


def judged(data: sets.Set) -> list[sets.Part]:
    return [sets.load(path) for path in (data.test, data.vali) if path]


def run(data: sets.Set, seed: int, extra: dict, folder: Path) -> tuple[float, float]:
    """Returns the quality of LightGBM and of ours, trained on the queries that the seed chooses, in its order."""
    train = sets.load(data.train)
    count = len(train.sizes)
    queries = np.random.default_rng(seed).permutation(count)[: round(KEPT * count)]
    documents = np.split(np.arange(len(train.labels)), train.sizes.cumsum()[:-1])
    rows, sizes = np.concatenate([documents[q] for q in queries]), train.sizes[queries]

    parameters = PARAMETERS | dict(data.parameters)
    theirs = train_lightgbm(train.matrix[rows], train.labels[rows], sizes, parameters)
    write_rows(data.train, folder / "train.txt", rows, sizes)
    ours.train(folder / "train.txt", folder / "model.txt", num_iterations=STAGES[-1], **parameters | extra)
    mine = lightgbm.Booster(model_file=folder / "model.txt")  # check_scores.py checks that it scores as we do
    return quality(theirs, judged(data)), quality(mine, judged(data))


def train_lightgbm(matrix: np.ndarray, labels: np.ndarray, sizes: np.ndarray, parameters: dict) -> lightgbm.Booster:
    parameters = parameters | dict(objective="lambdarank", verbosity=-1, num_threads=ours.THREADS)
    return lightgbm.train(parameters, lightgbm.Dataset(matrix, labels, group=sizes, params=parameters), STAGES[-1])


def write_rows(source: Path, path: Path, rows: np.ndarray, sizes: np.ndarray) -> None:
    lines = source.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[row] for row in rows))
    sidecar = Path(f"{path}.query")
    sidecar.unlink(missing_ok=True)
    if Path(f"{source}.query").exists():
        np.savetxt(sidecar, sizes, fmt="%d")


def quality(booster: lightgbm.Booster, parts: list[sets.Part]) -> float:
    """Returns the mean nDCG over stages and queries."""
    values = []
    for part in parts:
        matrix = part.widened(booster.num_feature())
        for stage in STAGES:
            values += query_ndcgs(part, booster.predict(matrix, num_iteration=stage))
    return float(np.mean(values))


def query_ndcgs(part: sets.Part, scores: np.ndarray) -> list[float]:
    starts = part.sizes.cumsum()[:-1]
    return [ndcg(labels, s) for labels, s in zip(np.split(part.labels, starts), np.split(scores, starts))]


def ndcg(labels: np.ndarray, scores: np.ndarray) -> float:
    best = dcg(np.sort(labels)[::-1])
    return dcg(labels[np.argsort(-scores, kind="stable")]) / best if best > 0 else 1.0


def dcg(ranked: np.ndarray) -> float:
    top = ranked[:CUTOFF]
    return float(np.sum((2.0**top - 1) / np.log2(np.arange(2, len(top) + 2))))


if __name__ == "__main__":
    main()
