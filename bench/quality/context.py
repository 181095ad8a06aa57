"""Quality with and without query context, on random splits by query.

    $(python3 test/environment.py test/requirements.txt) bench/quality/context.py [--splits 20] [--arms …] [--output FILE.json]

All queries of a set are divided at random into 60 % to train on, 20 % to choose the iteration by (early
stopping) and 20 % to test on, once for each split; every arm gets the same splits. An arm is the parameters
of query context, and nothing else differs. Nothing is chosen on test queries. --first-split gives splits that have chosen
nothing yet. With --iterations N every model has N trees and is trained on 80 % of the queries, so that no choice adds noise. With --lightgbm it is LightGBM that
trains, at the same settings, on the columns that `lambdamart transform` writes: what then differs from our figures is the
trainer's part, and what does not is that of the data and the splits. The arm "catboost" is CatBoost with its defaults.

Printed is, for each set and arm, the mean test nDCG@10 over splits, and the difference from "raw" with its standard error and
the probability of a paired test, once by splits and once by queries. By splits, a split counts once: that says what another
division of these queries would give, but not what other queries would, because splits share queries. By queries, a query counts
once, with the mean of its differences over the splits in which it was tested: that is about other queries of the same kind. The
pooled lines give every set the same weight.
"""

import argparse
import csv
import json
import os
import random
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import scipy.stats

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("LAMBDAMART_DATA") or ROOT.parent / "shared" / "data")
SETS = {
    "MSLR sample": [DATA / "mslr-web30k-sample" / f"{part}.txt" for part in ("train", "vali", "test")],
    "MQ2008": [DATA / "mq2008" / "Fold1" / f"{part}.txt" for part in ("train", "vali", "test")],
    "LightGBM example": [DATA / "lightgbm-lambdarank" / f"rank.{part}" for part in ("train", "test")],
    "TREC News": [DATA / "trecnews2018" / f"trec_news_2018.{part}" for part in ("train", "test")],
}
MEAN = ["model_objectives=lambdarank,rank_xendcg,query_rmse,yetirank", "num_models=4"]
ARMS = {
    "raw": [],
    "rank": ["query_context=rank"],
    "zscore": ["query_context=zscore"],
    "both": ["query_context=rank,zscore"],
}
# With --objective preset, in which the arms above are of preset=auto.
ARMS |= {"best": ["preset=best"], "best raw": ["preset=best", "query_context="]}
SETTINGS = ["num_leaves=15", "learning_rate=0.05", "feature_fraction=0.5", "min_data_in_leaf=20", "num_threads=1", "verbosity=-1"]
JUDGED = ["valid=vali", "metric=ndcg@10", "stop_metric=ndcg@10"]
STOPPING = [*JUDGED, "num_iterations=1000", "patience=100"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--first-split", type=int, default=0)
    parser.add_argument("--arms", default="raw,rank,zscore,both")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--objective", default="lambdarank", help='the name of a loss, "mean": the mean of four losses, or "preset": preset=auto and preset=best')
    parser.add_argument("--iterations", type=int, help="of every model; early stopping decides if it is not given")
    parser.add_argument("--lightgbm", action="store_true", help="train LightGBM instead")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--binary", type=Path, help="built from this checkout if it is not given")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    arms = options.arms.split(",")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        binary = options.binary or built(Path(folder))
        for name in options.sets.split(","):
            if not SETS[name][0].exists():
                print(f"left out: {name}: no {SETS[name][0]} (set LAMBDAMART_DATA to the folder that has it)")
                continue
            results[name] = measured(name, arms, options, binary, Path(folder))
            report(name, results[name])
    pooled(results)
    if options.output:
        options.output.write_text(json.dumps({"settings": SETTINGS, "objective": options.objective, "splits": options.splits, "first_split": options.first_split, "iterations": options.iterations, "values": results}, indent=1))


def built(folder: Path) -> Path:
    subprocess.run(["go", "build", "-o", folder / "lambdamart", "./cmd/lambdamart"], cwd=ROOT, check=True)
    return folder / "lambdamart"


def measured(name: str, arms: list[str], options: argparse.Namespace, binary: Path, folder: Path) -> dict[str, list[dict[str, float]]]:
    """Returns nDCG@10 of each test query: a dict for each split of each arm."""
    queries = read(SETS[name])
    with ThreadPoolExecutor(options.jobs) as pool:
        splits = pool.map(lambda split: of_split(queries, arms, split, options, binary, folder), range(options.first_split, options.first_split + options.splits))
        return {arm: list(values) for arm, values in zip(arms, zip(*splits))}


def read(paths: list[Path]) -> list[list[str]]:
    """Returns the lines of each query. Every query gets a unique id."""
    queries = []
    for part, path in enumerate(paths):
        lines = path.read_text().splitlines()
        counts = Path(f"{path}.query")
        if counts.exists():
            for n in map(int, counts.read_text().split()):
                queries.append([labeled(line, len(queries)) for line in lines[:n]])
                del lines[:n]
            continue
        before = None
        for line in lines:
            label, qid, rest = line.split("#")[0].split(maxsplit=2)
            if qid != before:
                queries.append([])
                before = qid
            queries[-1].append(labeled(f"{label} {rest}", len(queries) - 1))
    return queries


def labeled(line: str, query: int) -> str:
    label, rest = line.split(maxsplit=1)
    return f"{label} qid:{query} {rest}"


def of_split(queries: list[list[str]], arms: list[str], split: int, options: argparse.Namespace, binary: Path, folder: Path) -> list[dict[str, float]]:
    with tempfile.TemporaryDirectory(dir=folder) as work:
        for part, chosen in zip(("train", "vali", "test"), divided(len(queries), split, 80 if options.iterations else 60)):
            write(Path(work) / part, [queries[q] for q in chosen])
        trained = judged_lightgbm if options.lightgbm else judged
        return [(judged_catboost if arm == "catboost" else trained)(arm, split, options, binary, Path(work)) for arm in arms]


def divided(queries: int, split: int, first: int = 60) -> list[list[int]]:
    """Returns the numbers of the queries of the training, the validation and the test part: first %, what is left to 80 %, and 20 %."""
    order = random.Random(split).sample(range(queries), queries)
    cuts = [0, queries * first // 100, queries * 80 // 100, queries]
    return [sorted(order[a:b]) for a, b in zip(cuts, cuts[1:])]


def write(path: Path, queries: list[list[str]]) -> None:
    path.write_text("".join(f"{line}\n" for lines in queries for line in lines))


def judged(arm: str, seed: int, options: argparse.Namespace, binary: Path, work: Path) -> dict[str, float]:
    def run(*args: str) -> None:
        subprocess.run([binary, *args], cwd=work, check=True, stdout=subprocess.DEVNULL)

    stopping = [f"num_iterations={options.iterations}"] if options.iterations else STOPPING
    match options.objective:
        case "mean":
            given = MEAN + SETTINGS
        case "preset":
            given, stopping = ["num_threads=1", "verbosity=-1"], stopping if options.iterations else JUDGED
            given += [] if arm.startswith("best") else ["preset=auto"]
        case loss:
            given = [f"objective={loss}", *SETTINGS]
    run("train", "data=train", "output_model=model", f"seed={seed}", *given, *stopping, *ARMS[arm])
    return evaluated(run, work)


def evaluated(run: Callable[..., None], work: Path) -> dict[str, float]:
    """Returns nDCG@10 of each query of the test part by the model in a folder, in which run runs our command."""
    run("eval", "data=test", "input_model=model", "metric=ndcg@10", "per_query=values.csv", "verbosity=-1")
    with open(work / "values.csv") as file:
        rows = list(csv.reader(file))
    return {row[0]: float(row[-1]) for row in rows[1:]}


def judged_lightgbm(arm: str, seed: int, options: argparse.Namespace, binary: Path, work: Path) -> dict[str, float]:
    """Like judged, with LightGBM."""
    import lightgbm
    from splits import Part  # here, because it imports this file

    def part(name: str, features: int | None = None) -> Part:
        path = work / name
        if ARMS[arm]:
            path = work / f"{name}.wide.txt"
            subprocess.run([binary, "transform", f"data={name}", f"output={path}", *ARMS[arm], "verbosity=-1"], cwd=work, check=True, stdout=subprocess.DEVNULL)
        return Part.read(path, features)

    given = dict(setting.split("=") for setting in SETTINGS) | dict(objective=options.objective, seed=seed, metric="ndcg", eval_at=10, deterministic=True, force_col_wise=True)
    train = part("train")
    features, data = train.matrix.shape[1], train.lightgbm(given)
    if options.iterations:
        model = lightgbm.train(given, data, options.iterations)
    else:
        valid = part("vali", features).lightgbm(given, data)
        model = lightgbm.train(given, data, 1000, valid_sets=[valid], callbacks=[lightgbm.early_stopping(100, verbose=False)])
    test = part("test", features)
    return test.judged(model.predict(test.matrix))


def judged_catboost(arm: str, seed: int, options: argparse.Namespace, binary: Path, work: Path) -> dict[str, float]:
    """Like judged, with CatBoost's defaults and early stopping, on raw columns."""
    import catboost
    from splits import Part

    train = Part.read(work / "train", None)
    vali, test = (Part.read(work / name, train.matrix.shape[1]) for name in ("vali", "test"))
    model = catboost.CatBoostRanker(eval_metric="NDCG:top=10;type=Exp", random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False)
    model.fit(train.catboost(), eval_set=vali.catboost(), early_stopping_rounds=50)
    return test.judged(model.predict(test.matrix))


def ndcg(labels: np.ndarray, scores: np.ndarray, top: int = 10) -> float:
    """Returns nDCG with gain 2^grade - 1, equal scores in the order of the rows; 1 without a relevant document."""
    gains = 2.0**labels - 1
    discounts = 1 / np.log2(np.arange(2, min(top, len(gains)) + 2))
    best = np.sort(gains)[::-1][:top] @ discounts
    return float(gains[np.argsort(-scores, kind="stable")][:top] @ discounts / best) if best > 0 else 1.0


def report(name: str, values: dict[str, list[dict[str, float]]]) -> None:
    raw = values["raw"]
    print(f"{name}: raw {np.mean(means(raw)):.4f}, {len(raw)} splits of {len({query for split in raw for query in split})} queries")
    for arm in values:
        if arm != "raw":
            compared(arm, [means(values[arm]) - means(raw)], [of_queries(values[arm], raw)])


def pooled(results: dict[str, dict[str, list[dict[str, float]]]]) -> None:
    print("pooled")
    for arm in next(iter(results.values()), {}):
        if arm != "raw":
            sets = [(values[arm], values["raw"]) for values in results.values()]
            compared(arm, [means(a) - means(raw) for a, raw in sets], [of_queries(a, raw) for a, raw in sets])


def compared(arm: str, by_split: list[np.ndarray], by_query: list[np.ndarray]) -> None:
    """Prints the difference of an arm from raw. Arguments: the differences of each set."""
    columns = (f"by {unit} {mean:+.4f} ± {error:.4f}, p = {p:.2g}" for unit, (mean, error, p) in (("splits", paired(by_split)), ("queries", paired(by_query))))
    print(f"  {arm:8} " + "   ".join(columns), flush=True)


def paired(sets: list[np.ndarray]) -> tuple[float, float, float]:
    """Returns the mean of differences over sets, each with the same weight, its standard error, and the probability of a mean
    that is as far from zero by chance, by Welch's t-test."""
    variances = np.array([d.var(ddof=1) / len(d) for d in sets])
    mean, error = float(np.mean([d.mean() for d in sets])), float(np.sqrt(variances.sum())) / len(sets)
    if error == 0:
        return mean, error, 1.0
    freedom = variances.sum() ** 2 / sum(v**2 / (len(d) - 1) for v, d in zip(variances, sets))
    return mean, error, float(2 * scipy.stats.t.sf(abs(mean / error), freedom))


def means(splits: list[dict[str, float]]) -> np.ndarray:
    return np.array([np.mean(list(values.values())) for values in splits])


def of_queries(a: list[dict[str, float]], b: list[dict[str, float]]) -> np.ndarray:
    """Returns the mean difference of each query over the splits in which it was tested."""
    differences: dict[str, list[float]] = {}
    for x, y in zip(a, b):
        for query in x:
            differences.setdefault(query, []).append(x[query] - y[query])
    return np.array([np.mean(d) for d in differences.values()])


if __name__ == "__main__":
    main()
