"""Makes the golden models of this folder with real XGBoost.

    pip install xgboost==1.7.6 numpy==1.26.4 scipy   (then again with xgboost-cpu==3.2.0)
    python generate.py

Each case is a model VERSION-NAME.json and VERSION-NAME.ubj, the same model in both
forms of save_model; its dump VERSION-NAME.dump, with and without statistics; and
VERSION-NAME.golden, which holds rows of float64 and XGBoost's margins of them
(output_margin=True), float32 numbers written as float64. Rows have NaN, split
conditions and their float32 neighbours, and float64 values just beside the middle
of two float32. VERSION-refused-NAME are models that we do not read. VERSION-categories
is a model with categorical splits; check_xgboost.py scores such models.
"""

import json
import math
import pathlib

import numpy as np
import xgboost

HERE = pathlib.Path(__file__).parent
VERSION = xgboost.__version__
assert VERSION in ("1.7.6", "3.2.0")

QUERIES, DOCUMENTS, FEATURES = 20, 10, 4


def data(holes=True):
    rng = np.random.default_rng(5)
    x = np.round(rng.normal(size=(QUERIES * DOCUMENTS, FEATURES)), 1)
    x[:, 3] = rng.integers(0, 5, size=len(x))
    signal = x[:, 0] + np.sin(2 * x[:, 1]) + 0.4 * x[:, 3]
    if holes:
        x[rng.random(x.shape) < 0.2] = math.nan
    return x, signal + 0.3 * rng.normal(size=len(x))


def probes(booster, x):
    rows = x[:12].copy()
    rng = np.random.default_rng(9)
    conditions = [(node["split"], node["split_condition"]) for tree in booster.get_dump(dump_format="json") for node in splits(json.loads(tree))]
    for name, condition in conditions[:16]:
        c = np.float32(condition)
        below = np.nextafter(c, np.float32(-np.inf))
        middle = (float(below) + float(c)) / 2
        for value in float(c), float(below), middle, np.nextafter(middle, math.inf), np.nextafter(middle, -math.inf):
            row = x[rng.integers(len(x))].copy()
            row[int(name[1:])] = value
            rows = np.vstack((rows, row))
    return np.vstack((rows, np.full(FEATURES, math.nan), np.zeros(FEATURES)))


def splits(node):
    if "children" in node:
        yield node
        for child in node["children"]:
            yield from splits(child)


def number(v):
    """JSON has no NaN: it is a string."""
    return float(v) if math.isfinite(v) else repr(float(v))


def train(name, objective, rounds=4, holes=True, **parameters):
    x, signal = data(holes)
    if objective.startswith("rank:map"):
        y = signal > 1
    elif objective.startswith(("binary", "reg:logistic")):
        y = signal > 0.5
    elif objective.startswith("rank"):
        y = np.clip(np.round(signal + 0.5), 0, 4)
    elif objective in ("count:poisson", "reg:gamma", "reg:tweedie"):
        y = np.exp(signal / 2)
    else:
        y = signal
    matrix = xgboost.DMatrix(x, y)
    if objective.startswith("rank"):
        matrix.set_group([DOCUMENTS] * QUERIES)
    parameters = dict(dict(objective=objective, max_depth=3, tree_method="hist", nthread=1, seed=1), **parameters)
    booster = xgboost.train(parameters, matrix, rounds)
    stem = HERE / f"{VERSION}-{name}"
    booster.save_model(f"{stem}.json")
    booster.save_model(f"{stem}.ubj")
    dumps = [booster.get_dump(dump_format="json", with_stats=with_stats) for with_stats in (False, True)]
    for i, dump in enumerate(dumps):
        pathlib.Path(f"{stem}.dump{i}").write_text("[" + ",\n".join(dump) + "]\n")
    rows = probes(booster, x)
    margins = booster.predict(xgboost.DMatrix(rows), output_margin=True)
    golden = {"rows": [[number(v) for v in row] for row in rows], "margin": [float(m) for m in margins]}
    pathlib.Path(f"{stem}.golden").write_text(json.dumps(golden) + "\n")


def small(name, y=None, feature_types=None, **parameters):
    x, signal = data(holes=False)
    y = signal if y is None else y(signal)
    matrix = xgboost.DMatrix(x, y, feature_types=feature_types, enable_categorical=feature_types is not None)
    booster = xgboost.train(dict(dict(max_depth=2, nthread=1, tree_method="hist"), **parameters), matrix, 1)
    booster.save_model(HERE / f"{VERSION}-{name}.json")


train("ndcg", "rank:ndcg")
train("pairwise", "rank:pairwise")
train("map", "rank:map")
train("squarederror", "reg:squarederror", base_score=0.25)
train("pruned", "reg:squarederror", holes=False, tree_method="exact", gamma=4, max_depth=4)
train("logistic", "binary:logistic", base_score=0.3)
train("poisson", "count:poisson", base_score=0.7)
train("gamma", "reg:gamma", base_score=0.7)
train("forest", "reg:squarederror", num_parallel_tree=3, subsample=0.5)
train("dart", "reg:squarederror", rounds=8, booster="dart", rate_drop=0.5)

small("refused-linear", booster="gblinear", tree_method="auto")
small("refused-classes", y=lambda s: np.digitize(s, [-0.5, 0.5]), objective="multi:softprob", num_class=3)
small("refused-targets", y=lambda s: np.column_stack((s, -s)))
small("categories", feature_types=["q", "q", "q", "c"], max_cat_to_onehot=1)
if VERSION == "3.2.0":
    small("refused-vectors", y=lambda s: np.column_stack((s, -s)), multi_strategy="multi_output_tree")
