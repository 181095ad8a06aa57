"""Measures constraints on one of two labels, and training on pairs, on drawn data.

    LAMBDAMART_BIN=FOLDER $(python3 test/environment.py bench/quality/requirements.txt) bench/quality/goals.py [--seeds 10]

A query has 20 documents with 10 features. A click depends on one utility of the features, and a purchase, of clicked
documents, on another. A judge prefers one of two documents with the probability sigmoid(2 · difference of the sums of
utilities): 5 random pairs a query. 1,000 queries train, 500 end training, and 2,000 are judged. 15 leaves, learning rate
.05, at most 500 trees. LAMBDAMART_BIN has the program lambdamart.
"""

import argparse
import os
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

PARTS = {"train": 1_000, "vali": 500, "test": 2_000}
DOCUMENTS, PAIRS = 20, 5
SETTINGS = "label_columns=purchase,click query_column=query num_leaves=15 learning_rate=0.05 num_iterations=500 num_threads=1".split()
METRICS = "ndcg@10@purchase,ndcg@10@click"
LABELS = {
    "purchase": "objective=lambdarank@purchase",
    "click": "objective=lambdarank@click",
    "purchase:1, click:1": "objective=lambdarank@purchase:1,lambdarank@click:1",
    "constraint 1/2": "objective=lambdarank@purchase:1,lambdarank@click:0.01",
    "constraint 9/10": "objective=lambdarank@purchase:1,lambdarank@click:0.01",
}
JUDGED = {
    "grades": "objective=lambdarank",
    "pairs": "objective=pairs pairs=train.pairs",
    "pairs, symmetric trees": "objective=pairs pairs=train.pairs grow_policy=symmetric num_leaves=16",
    "pairs:1, grades:.5": "objective=pairs:1,lambdarank:0.5 pairs=train.pairs",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    constrained, paired = [], []
    for seed in range(parser.parse_args().seeds):
        with tempfile.TemporaryDirectory() as folder:
            best = write(Path(folder), np.random.default_rng(seed))
            constrained.append(constraints(Path(folder)))
            paired.append(pairs(Path(folder)) | {"the utilities themselves": best})
    show(constrained, "purchase", ["purchase", "click", "click, validation", "asked for", "met"])
    show(paired, "pairs", ["agreement"])


def write(folder: Path, random: np.random.Generator) -> tuple[float]:
    """Writes all parts, and returns the agreement of the utilities with the pairs of the test part."""
    for part, queries in PARTS.items():
        x = random.normal(size=(queries, DOCUMENTS, 10))
        click, purchase = x[..., 0] * x[..., 1] + x[..., 2], np.maximum(x[..., 3], x[..., 4]) - 0.5 * x[..., 2]
        clicked = random.random(click.shape) < sigmoid(2 * click - 2)
        bought = clicked & (random.random(click.shape) < sigmoid(2 * purchase - 1))
        query = np.repeat(np.arange(queries), DOCUMENTS)
        rows = np.column_stack([bought.ravel(), clicked.ravel(), query, x.reshape(-1, 10)])
        head = ",".join(["purchase,click,query", *(f"f{i}" for i in range(10))])
        np.savetxt(folder / f"{part}.csv", rows, fmt="%.6g", delimiter=",", header=head, comments="")
        both = np.array([random.choice(DOCUMENTS, 2, replace=False) for _ in range(PAIRS * queries)])
        q = np.repeat(np.arange(queries), PAIRS)
        gap = (click + purchase)[q, both[:, 0]] - (click + purchase)[q, both[:, 1]]
        wrong = random.random(len(gap)) > sigmoid(2 * gap)
        both[wrong] = both[wrong, ::-1]
        np.savetxt(folder / f"{part}.pairs", np.column_stack([q, both + 1]), fmt="%d", delimiter=",", header="qid,better_row,worse_row", comments="")
        agreement = float(np.mean((gap > 0) != wrong))
    return (agreement,)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def run(folder: Path, *args: str) -> str:
    done = subprocess.run([Path(os.environ["LAMBDAMART_BIN"]) / "lambdamart", *args], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout + done.stderr


def judged(folder: Path, part: str, metrics: str, *more: str) -> list[float]:
    out = run(folder, "eval", f"data={part}.csv", "input_model=model.txt", *SETTINGS[:2], f"metric={metrics}", "metric_convention=default", *more)
    return [float(re.search(rf"{metric} +([\d.]+)", out)[1]) for metric in metrics.split(",")]


def own(objective: str) -> list[str]:
    """Returns the settings of an arm."""
    given = objective.split()
    names = {text.partition("=")[0] for text in given}
    return given + [text for text in SETTINGS if text.partition("=")[0] not in names]


def constraints(folder: Path) -> dict[str, tuple[float, ...]]:
    found, on = {}, {}
    for arm, objective in LABELS.items():
        least, more = float("nan"), ["patience=60", "stop_metric=ndcg@10@" + ("click" if arm == "click" else "purchase")]
        if arm.startswith("constraint"):  # of what clicks alone have above purchases alone
            share = {"1/2": 0.5, "9/10": 0.9}[arm.split()[1]]
            least = round(on["purchase"] + share * (on["click"] - on["purchase"]), 4)
            more += [f"constraint=ndcg@10@click>={least}"]
        run(folder, "train", "data=train.csv", "valid=vali.csv", "output_model=model.txt", f"metric={METRICS}", objective, *SETTINGS, *more)
        on[arm] = judged(folder, "vali", METRICS)[1]
        found[arm] = (*judged(folder, "test", METRICS), on[arm], least, float("nan") if np.isnan(least) else float(on[arm] >= least - 5e-5))
    return found


def pairs(folder: Path) -> dict[str, tuple[float]]:
    found = {}
    for arm, objective in JUDGED.items():
        run(folder, "train", "data=train.csv", "valid=vali.csv", "valid_pairs=vali.pairs", "metric=pair_agreement", "patience=60", *own(objective), "output_model=model.txt")
        found[arm] = (judged(folder, "test", "pair_agreement", "pairs=test.pairs")[0],)
    return found | {"CatBoost, PairLogit": (catboost(folder),)}


def catboost(folder: Path) -> float:
    """Returns the agreement of CatBoost's model, with equal scores as one half."""
    import catboost

    pools, rows, where = {}, {}, {}
    for part in PARTS:
        rows[part] = np.loadtxt(folder / f"{part}.csv", delimiter=",", skiprows=1)
        given = np.loadtxt(folder / f"{part}.pairs", delimiter=",", skiprows=1, dtype=int)
        where[part] = given[:, :1] * DOCUMENTS + given[:, 1:] - 1
        pools[part] = catboost.Pool(rows[part][:, 3:], rows[part][:, 0], group_id=rows[part][:, 2].astype(int), pairs=where[part])
    model = catboost.CatBoost({"loss_function": "PairLogit", "eval_metric": "PairAccuracy", "iterations": 500, "learning_rate": 0.05, "depth": 4, "thread_count": 1,
                               "verbose": 0, "allow_writing_files": False})
    model.fit(pools["train"], eval_set=pools["vali"], early_stopping_rounds=60)
    better, worse = model.predict(pools["test"])[where["test"]].T
    return float(np.mean((better > worse) + 0.5 * (better == worse)))


def show(found: list[dict[str, tuple[float, ...]]], reference: str, heads: list[str]) -> None:
    """Prints means, and differences from the reference with their standard errors over seeds."""
    compared = 2 if len(heads) > 1 else 1
    print(f"\n| {len(found)} seeds | " + " | ".join(heads + [f"{head} less that of {reference}" for head in heads[:compared]]) + " |\n" + "|---" * (1 + len(heads) + compared) + "|")
    for arm in found[0]:
        values, base = (np.array([seed[a] for seed in found]) for a in (arm, reference))
        cells = ["" if np.isnan(m) else f"{m:.4f}" for m in values.mean(axis=0)]
        for gain in (values - base).T[:compared]:
            cells.append("" if arm == reference else f"{gain.mean():+.4f} ± {gain.std(ddof=1) / len(gain) ** 0.5:.4f}")
        print(f"| {arm} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
