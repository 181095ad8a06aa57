"""Makes golden models of version v2 with LightGBM 2.2.3 and 2.0.10, which wrote it.

    pip install lightgbm==2.2.3 numpy==1.23.5 scipy==1.10.1 scikit-learn==1.2.2
    python generate.py    (then again with lightgbm==2.0.10, whose files have no end mark, for first.*)

Files are as those of the folder above: NAME.txt, NAME.json with rows, raw scores and
leaf numbers that the LightGBM which wrote it gives for it, and NAME.dump.
"""

import json
import math
import pathlib

import lightgbm
import numpy as np

HERE = pathlib.Path(__file__).parent
VERSION = lightgbm.__version__
assert VERSION in ("2.0.10", "2.2.3")

QUERIES, DOCUMENTS, FEATURES = 30, 10, 4
BASE = dict(objective="lambdarank", num_leaves=6, learning_rate=0.15, min_data_in_leaf=5, min_data_in_bin=1, verbosity=-1, num_threads=1)


def number(v):
    """JSON has no NaN and no infinities: they are strings."""
    v = float(v)
    return v if math.isfinite(v) else repr(v)


def rows(rng, n):
    x = rng.normal(size=(n, FEATURES))
    x[:, 2] *= rng.random(n) < 0.5
    x[:, 3] = rng.integers(0, 40, size=n)
    return x


def train(name, holes=False, categorical=(), **params):
    rng = np.random.default_rng(7)
    x = rows(rng, QUERIES * DOCUMENTS)
    if holes:
        x[rng.random(x.shape) < 0.2] = math.nan
    full = np.nan_to_num(x)
    y = np.clip(np.round(full[:, 0] + np.sin(full[:, 1]) + full[:, 2] + (full[:, 3] % 5 < 2)), 0, 4)
    params = dict(BASE, **params)
    data = lightgbm.Dataset(x, y, group=[DOCUMENTS] * QUERIES, categorical_feature=list(categorical), params=params)
    booster = lightgbm.train(params, data, num_boost_round=5)
    booster.save_model(str(HERE / f"{name}.txt"))
    booster = lightgbm.Booster(model_file=str(HERE / f"{name}.txt"))
    probes = rows(rng, 24)
    for i, v in enumerate([math.nan, 0.0, -0.0, 1e-36, -1e-36, math.inf, -math.inf, 1e300]):
        probes[i, i % 3] = v
        probes[i + 8, (i + 1) % 3] = v
    probes[:5, 3] = [-1, 3.7, 39, 1000, -0.5]
    golden = {
        "rows": [[number(v) for v in row] for row in probes],
        "score": [number(v) for v in booster.predict(probes, raw_score=True)],
        "leaf": booster.predict(probes, pred_leaf=True).reshape(len(probes), -1).astype(int).tolist(),
    }
    (HERE / f"{name}.json").write_text(json.dumps(golden) + "\n")
    (HERE / f"{name}.dump").write_text(json.dumps(booster.dump_model()) + "\n")


if VERSION == "2.0.10":
    train("first", holes=True)
else:
    train("lambdarank")
    train("nan_missing", holes=True)
    train("zero_as_missing", zero_as_missing=True)
    train("categorical", categorical=[3], max_cat_to_onehot=4, min_data_per_group=5, cat_smooth=1)
    train("dart", boosting="dart", drop_rate=0.5)
