"""Makes the golden models of this folder with real LightGBM.

Each case is a model file NAME.txt and NAME.json, which holds rows, and what
LightGBM predicts for them from that file: raw scores ("score"; for the random
forest the average, that is predict() without raw_score), leaf numbers and SHAP
contributions. Numbers are written with repr, so they read back to the same bits.
NAME.dump is what dump_model() gives for the file.

    pip install lightgbm==4.7.0 numpy scipy
    python generate.py
"""

import json
import math
import pathlib

import lightgbm
import numpy as np

HERE = pathlib.Path(__file__).parent
assert lightgbm.__version__ == "4.7.0"

QUERIES, DOCUMENTS, FEATURES = 40, 12, 6
BASE = dict(
    objective="lambdarank", num_leaves=7, learning_rate=0.15, min_data_in_leaf=5, min_data_in_bin=1,
    verbosity=-1, num_threads=1, deterministic=True, force_row_wise=True, seed=1,
)


def rows(rng, n):
    """Six columns: two real, one of small integers, one mostly zero, one of categories, one constant."""
    x = rng.normal(size=(n, FEATURES))
    x[:, 2] = np.floor(x[:, 2] * 3)
    x[:, 3] *= rng.random(n) < 0.4
    x[:, 4] = rng.integers(0, 70, size=n)
    x[:, 5] = 1.5
    return x


def labels(rng, x):
    signal = x[:, 0] + np.sin(2 * x[:, 1]) + 0.3 * x[:, 2] + x[:, 3] + (x[:, 4] % 7 < 3)
    return np.clip(np.round(signal + 0.5 * rng.normal(size=len(x))), 0, 4)


def probes(rng):
    """Rows to be scored: ordinary ones, and values that missing types and categories treat in their own way."""
    x = rows(rng, 24)
    odd = [math.nan, 0.0, -0.0, 1e-36, -1e-36, 1.0000000180025095e-35, float(np.nextafter(np.float32(1e-35), np.float32(1))),
           math.inf, -math.inf, 1e300]
    for i, v in enumerate(odd):
        x[i, i % 4] = v
        x[i + 10, (i + 1) % 4] = v
    x[:8, 4] = [math.nan, -1, -0.5, 3.7, 69, 1000, 3e9, math.inf]
    x[23] = math.nan
    return x


def number(v):
    """JSON has no NaN and no infinities: they are strings."""
    v = float(v)
    return v if math.isfinite(v) else repr(v)


def save(name, booster, x):
    path = HERE / f"{name}.txt"
    booster.save_model(path)
    booster = lightgbm.Booster(model_file=path)
    averages = "\naverage_output\n" in path.read_text()
    golden = {
        "rows": [[number(v) for v in row] for row in x],
        "score": [number(v) for v in booster.predict(x, raw_score=not averages)],
        "score_first_3": [number(v) for v in booster.predict(x, raw_score=not averages, num_iteration=3)],
        "leaf": booster.predict(x, pred_leaf=True).reshape(len(x), -1).astype(int).tolist(),
    }
    if "is_linear=1" not in path.read_text():
        golden["contribution"] = [[number(v) for v in row] for row in booster.predict(x, pred_contrib=True)]
    (HERE / f"{name}.json").write_text(json.dumps(golden) + "\n")
    (HERE / f"{name}.dump").write_text(json.dumps(booster.dump_model()) + "\n")


def train(name, change=lambda x: x, rounds=6, categorical=(), **params):
    rng = np.random.default_rng(7)
    x = change(rows(rng, QUERIES * DOCUMENTS))
    y = labels(rng, np.nan_to_num(x))
    data = lightgbm.Dataset(x, y, group=[DOCUMENTS] * QUERIES, categorical_feature=list(categorical),
                            feature_name=[f"f{i}" for i in range(FEATURES)],
                            params=dict(BASE, **params))
    booster = lightgbm.train(dict(BASE, **params), data, num_boost_round=rounds)
    save(name, booster, probes(rng))


def holes(x):
    x = x.copy()
    x[np.random.default_rng(3).random(x.shape) < 0.2] = math.nan
    return x


train("lambdarank")
train("nan_missing", holes)
train("zero_as_missing", zero_as_missing=True)
train("categorical", categorical=[4], max_cat_to_onehot=4, min_data_per_group=5, cat_smooth=1)
train("linear", objective="regression", linear_tree=True, linear_lambda=0.01)
train("one_leaf", min_data_in_leaf=100000)
train("dart", boosting="dart", drop_rate=0.5)
train("random_forest", boosting="rf", bagging_freq=1, bagging_fraction=0.6)
train("monotone", monotone_constraints=[1, 0, -1, 0, 0, 0])
