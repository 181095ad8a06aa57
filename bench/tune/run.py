"""Compares systems with their defaults, presets and tuned, on the same training and validation queries.

Each system sees the training queries, and the validation queries for early stopping and for choosing. Test queries
choose nothing. The values of test queries are those of `lambdamart eval` for all systems.
"""

import argparse
import json
import pathlib
import subprocess
import time
import warnings

import catboost
import lightgbm
import numpy as np
import optuna
import scipy.stats
import xgboost
from sklearn.datasets import load_svmlight_file

METRIC, CUTOFF, ITERATIONS, PATIENCE = "ndcg@10", 10, 1000, 50
warnings.filterwarnings("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)


class Part:
    """Rows of a file: x (rows × features), y (labels), sizes of the queries."""

    def __init__(self, path):
        x, self.y, qid = load_svmlight_file(str(path), query_id=True, zero_based=True)
        self.path, self.x = path, x.toarray()
        change = np.flatnonzero(np.diff(qid)) + 1
        self.sizes = np.diff(np.concatenate([[0], change, [len(qid)]]))
        self.qid = np.repeat(np.arange(len(self.sizes)), self.sizes)

    def widened(self, features):
        missing = features - self.x.shape[1]
        self.x = np.pad(self.x, ((0, 0), (0, max(0, missing))))[:, :features]
        return self


def split_lightgbm(folder, out):
    """LightGBM's example has no validation part: the last fifth of its training queries is one."""
    out.mkdir(exist_ok=True)
    for source, parts in (("rank.train", (("train.txt", 0, 0.8), ("vali.txt", 0.8, 1))), ("rank.test", (("test.txt", 0, 1),))):
        sizes = [int(line) for line in (folder / f"{source}.query").read_text().split()]
        lines = (folder / source).read_text().splitlines()
        starts = np.concatenate([[0], np.cumsum(sizes)])
        for name, begin, end in parts:
            queries = range(int(begin * len(sizes)), int(end * len(sizes)))
            text = []
            for q in queries:
                for line in lines[starts[q]:starts[q + 1]]:
                    label, rest = line.split(" ", 1)
                    text.append(f"{label} qid:{q + 1} {rest}")
            (out / name).write_text("\n".join(text) + "\n")
    return out


def sets(data, results):
    found = {
        "MQ2008 Fold1": data / "mq2008/Fold1", "MQ2008 Fold2": data / "mq2008/Fold2", "MSLR sample": data / "mslr-web30k-sample",
    }
    if (data / "lightgbm-lambdarank").is_dir():
        found["LightGBM example"] = split_lightgbm(data / "lightgbm-lambdarank", results / "lightgbm-example")
    return {name: folder for name, folder in found.items() if folder.is_dir()}


def ours(program, folder, work, *settings):
    """Trains, and returns the model's path and the seconds."""
    model, start = work / "model.txt", time.time()
    subprocess.run([program, "train", f"data={folder}/train.txt", f"valid={folder}/vali.txt", f"stop_metric={METRIC}", f"output_model={model}",
                    "verbosity=-1", *settings], check=True, stdout=subprocess.DEVNULL)
    return model, time.time() - start


def scores_of_ours(program, folder, model):
    out = model.with_suffix(".scores")
    subprocess.run([program, "predict", f"data={folder}/test.txt", f"input_model={model}", f"output_result={out}", "verbosity=-1"], check=True)
    return np.loadtxt(out)


def our_systems(program, folder, work, seed, trials):
    early = [f"num_iterations={ITERATIONS}", f"patience={PATIENCE}", f"seed={seed}"]
    model, took = ours(program, folder, work, *early)
    yield "lambdamart", scores_of_ours(program, folder, model), took
    model, took = ours(program, folder, work, "preset=auto", f"seed={seed}")
    yield "lambdamart preset=auto", scores_of_ours(program, folder, model), took
    start = time.time()
    subprocess.run([program, "tune", f"data={folder}/train.txt", f"valid={folder}/vali.txt", f"stop_metric={METRIC}", f"max_trainings={trials}", f"seed={seed}",
                    f"output={work}/tune", f"final_model={work}/tuned.txt", "verbosity=-1"], check=True, stdout=subprocess.DEVNULL)
    yield "lambdamart tune", scores_of_ours(program, folder, work / "tuned.txt"), time.time() - start


def lightgbm_model(train, vali, seed, **params):
    p = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [CUTOFF], "verbosity": -1, "seed": seed, "deterministic": True, "num_threads": 2, **params}
    d = lightgbm.Dataset(train.x, train.y, group=train.sizes, free_raw_data=False)
    v = lightgbm.Dataset(vali.x, vali.y, group=vali.sizes, reference=d, free_raw_data=False)
    return lightgbm.train(p, d, ITERATIONS, [v], callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)])


def optuna_lightgbm(train, vali, seed, trials):
    """The space is that of lambdamart tune, and the validation rule LightGBM's own early stopping."""

    def objective(trial):
        p = {
            "learning_rate": trial.suggest_float("learning_rate", 0.02, 0.2, log=True), "num_leaves": trial.suggest_int("num_leaves", 4, 63, log=True),
            "min_data_in_leaf": trial.suggest_int("min_data_in_leaf", 1, 100, log=True),
            "min_sum_hessian_in_leaf": trial.suggest_float("min_sum_hessian_in_leaf", 1e-3, 10, log=True),
            "feature_fraction": trial.suggest_float("feature_fraction", 0.2, 1), "bagging_fraction": trial.suggest_float("bagging_fraction", 0.4, 1), "bagging_freq": 1,
            "lambda_l2": trial.suggest_float("lambda_l2", 0.01, 30, log=True), "objective": trial.suggest_categorical("objective", ["lambdarank", "rank_xendcg"]),
        }
        model = lightgbm_model(train, vali, seed, **p)
        trial.set_user_attr("model", model.model_to_string(num_iteration=model.best_iteration))
        return model.best_score["valid_0"][f"ndcg@{CUTOFF}"]

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=trials)
    return lightgbm.Booster(model_str=study.best_trial.user_attrs["model"])


def peer_systems(folder, seed, trials):
    train, vali, test = (Part(folder / f"{part}.txt") for part in ("train", "vali", "test"))
    features = max(part.x.shape[1] for part in (train, vali, test))
    for part in (train, vali, test):
        part.widened(features)
    start = time.time()
    model = lightgbm_model(train, vali, seed)
    yield "LightGBM", model.predict(test.x), time.time() - start
    if trials > 0:
        start = time.time()
        yield "LightGBM, Optuna", optuna_lightgbm(train, vali, seed, trials).predict(test.x), time.time() - start
    start = time.time()
    model = xgboost.XGBRanker(n_estimators=ITERATIONS, eval_metric=METRIC, early_stopping_rounds=PATIENCE, random_state=seed, n_jobs=2)
    model.fit(train.x, train.y, qid=train.qid, eval_set=[(vali.x, vali.y)], eval_qid=[vali.qid], verbose=False)
    yield "XGBoost", model.predict(test.x), time.time() - start
    start = time.time()
    model = catboost.CatBoostRanker(iterations=ITERATIONS, early_stopping_rounds=PATIENCE, random_seed=seed, verbose=False, thread_count=2,
                                    eval_metric=f"NDCG:top={CUTOFF};type=Exp", allow_writing_files=False)
    model.fit(catboost.Pool(train.x, train.y, group_id=train.qid), eval_set=catboost.Pool(vali.x, vali.y, group_id=vali.qid))
    yield "CatBoost", model.predict(test.x), time.time() - start


def judged(program, folder, scores, work):
    """Values of all test queries by lambdamart eval."""
    np.savetxt(work / "scores.txt", scores, fmt="%.17g")
    out = work / "queries.csv"
    subprocess.run([program, "eval", f"data={folder}/test.txt", f"scores={work}/scores.txt", f"metric={METRIC}", f"per_query={out}", "verbosity=-1"],
                   check=True, stdout=subprocess.DEVNULL)
    lines = [line.split(",") for line in out.read_text().splitlines()]
    column = next(i for i, name in enumerate(lines[0]) if METRIC in name)
    return [float(line[column]) for line in lines[1:]]


def table(results):
    names = list(dict.fromkeys(r["system"] for r in results))
    found = list(dict.fromkeys(r["set"] for r in results))
    values = {}  # of each query, by system and set: the mean over seeds
    for name in names:
        for where in found:
            runs = [r["values"] for r in results if r["system"] == name and r["set"] == where]
            if runs:
                values[name, where] = np.mean(runs, axis=0)
    print("| system | " + " | ".join(found) + " | pooled | − lambdamart | p | seconds |")
    print("|:--|" + "--:|" * (len(found) + 4))
    complete = [w for w in found if all((n, w) in values for n in names)]
    pooled = {n: np.concatenate([values[n, w] for w in complete]) for n in names}
    for name in names:
        cells = [f"{values[name, w].mean():.4f}" if (name, w) in values else "" for w in found]
        d = pooled[name] - pooled["lambdamart"]
        p = scipy.stats.ttest_1samp(d, 0).pvalue if d.any() else float("nan")
        seconds = np.mean([r["seconds"] for r in results if r["system"] == name])
        print(f"| {name} | " + " | ".join(cells) + f" | {pooled[name].mean():.4f} | {d.mean():+.4f} | {p:.3f} | {seconds:.1f} |")


def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("--results", type=pathlib.Path, required=True)
    a.add_argument("--data", type=pathlib.Path, required=True)
    a.add_argument("--seeds", type=int, default=3)
    a.add_argument("--trials", type=int, default=30)
    a.add_argument("--optuna-trials", type=int, default=30, help="0 leaves Optuna out")
    o = a.parse_args()
    program, work, file = str(o.results / "lambdamart"), o.results / "work", o.results / "results.json"
    work.mkdir(exist_ok=True)
    results = json.loads(file.read_text()) if file.exists() else []
    for seed in range(1, o.seeds + 1):
        for where, folder in sets(o.data, o.results).items():
            if sum(r["set"] == where and r["seed"] == seed for r in results) >= 6 + (o.optuna_trials > 0):
                continue
            results = [r for r in results if (r["set"], r["seed"]) != (where, seed)]
            for systems in (our_systems(program, folder, work, seed, o.trials), peer_systems(folder, seed, o.optuna_trials)):
                for name, scores, seconds in systems:
                    results.append({"set": where, "seed": seed, "system": name, "seconds": seconds, "values": judged(program, folder, scores, work)})
            file.write_text(json.dumps(results))
            table(results)


main()
