"""Checks `lambdamart explain` against the package shap, within 1e-10: path-dependent and interventional contributions,
centerd within queries, differences of pairs, and interactions; on a model that LightGBM trained, with missing values.

shap is in an environment of its own, test/requirements-ecosystem.txt, in which this script runs itself again.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

INSIDE = "LAMBDAMART_ECOSYSTEM"
TOLERANCE = 1e-10
SINGLE = 1e-6  # shap's interventional values are exact to single precision only


def run_again() -> None:
    """Trains the model here, where LightGBM is, and runs this script in the environment that has shap."""
    import environment
    import ours

    with tempfile.TemporaryDirectory() as folder:
        train(Path(folder))
        environment.run_again("requirements-ecosystem.txt", {INSIDE: str(ours.built("cmd/lambdamart"))}, folder)


def train(folder: Path) -> None:
    import lightgbm
    import numpy as np

    rng = np.random.default_rng(1)
    sizes = [20] * 60
    X = np.round(rng.normal(size=(sum(sizes), 9)), 2)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.clip(np.round(np.nan_to_num(X[:, 0] + X[:, 1] * X[:, 2]) + 1), 0, 4)
    data = lightgbm.Dataset(X, y, group=sizes, feature_name=[f"f{i}" for i in range(9)])
    booster = lightgbm.train({"objective": "lambdarank", "num_leaves": 40, "min_data_in_leaf": 5, "verbose": -1, "num_threads": 2}, data, 60)
    booster.save_model(folder / "model.txt")
    np.save(folder / "X.npy", X[:100])
    with open(folder / "data.csv", "w") as file:
        print("label,qid," + ",".join(booster.feature_name()), file=file)
        for i, row in enumerate(X[:100]):
            print(int(y[i]), i // 20, *("" if np.isnan(v) else repr(float(v)) for v in row), sep=",", file=file)


def explain(folder: Path, *arguments: str) -> dict:
    command = [os.environ[INSIDE], "explain", f"data={folder / 'data.csv'}", f"input_model={folder / 'model.txt'}", "json=true", "verbosity=-1", *arguments]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def centerd(values):
    """Returns contributions minus their means within each query of 20 rows."""
    import numpy as np

    queries = values.reshape(5, 20, -1)
    return (queries - queries.mean(axis=1, keepdims=True)).reshape(values.shape) if len(values) == 100 else np.nan


def ours_of(folder: Path, names: list[str], *arguments: str):
    """Returns the shares of all documents, in the order of the data."""
    import numpy as np

    shares = np.zeros((100, len(names)))
    for query in range(5):
        for document in explain(folder, f"for_query={query}", *arguments)["query"]["documents"]:
            for share in document["shares"]:
                shares[int(document["id"]) - 1, names.index(share["feature"])] = share["share"]
    return shares


def by_definition(booster, row, background):
    """Returns the Shapley values of a row by their definition. The value of a set of features is the mean score of the
    background rows with the row's values for that set."""
    from math import comb

    import numpy as np

    n = len(row)
    sets = np.array([[s >> f & 1 for f in range(n)] for s in range(1 << n)], bool)
    mixed = np.where(sets[:, None, :], row, background)
    means = booster.predict(mixed.reshape(-1, n)).reshape(len(sets), -1).mean(axis=1)
    weight = np.array([1 / (n * comb(n - 1, k)) for k in range(n)])
    values = np.zeros(n)
    for f in range(n):
        without = np.flatnonzero(~sets[:, f])
        values[f] = np.sum(weight[sets[without].sum(axis=1)] * (means[without + (1 << f)] - means[without]))
    return values


def check(name: str, mine, theirs, tolerance: float = TOLERANCE) -> bool:
    import numpy as np

    difference = float(np.max(np.abs(mine - theirs)))
    right = np.isfinite(difference) and difference < tolerance and float(np.max(np.abs(theirs))) > 0.1
    print(f"{'ok    ' if right else 'FAILED'} {name}: {mine.size} numbers, largest difference {difference:.2g}")
    return right


def compare(folder: Path) -> bool:
    import lightgbm
    import numpy as np
    import shap

    X, booster = np.load(folder / "X.npy"), lightgbm.Booster(model_file=folder / "model.txt")
    names = booster.feature_name()
    paths, against = shap.TreeExplainer(booster, feature_perturbation="tree_path_dependent"), shap.TreeExplainer(booster, X, feature_perturbation="interventional")
    dependent = np.asarray(booster.predict(X, pred_contrib=True))[:, :-1]
    right = [
        check("path-dependent, LightGBM", ours_of(folder, names), centerd(dependent)),
        check("path-dependent, shap", ours_of(folder, names), centerd(paths.shap_values(X, check_additivity=False))),
    ]
    interventional = ours_of(folder, names, "background=1000")
    right.append(check("interventional, the definition", interventional[0] - interventional[1], by_definition(booster, X[0], X) - by_definition(booster, X[1], X)))
    right.append(check("interventional, shap", interventional, centerd(against.shap_values(X, check_additivity=False)), SINGLE))
    pair = explain(folder, "for_query=2", "document=45", "against=52")["pair"]
    mine = np.zeros(len(names))
    for share in pair["shares"]:
        mine[names.index(share["feature"])] = share["share"]
    right.append(check("a pair", mine, dependent[44] - dependent[51]))
    right.append(check("its sum", np.array([mine.sum()]), np.array([np.diff(booster.predict(X[[51, 44]]))[0]])))
    theirs = 2 * np.abs(paths.shap_interaction_values(X)).mean(axis=0)
    found = explain(folder, "permutations=1")["interactions"]
    mine = np.array([i["mean"] for i in found])
    right.append(check("interactions", mine, np.array([theirs[names.index(i["features"][0]), names.index(i["features"][1])] for i in found])))
    return all(right)


if __name__ == "__main__":
    if INSIDE not in os.environ:
        run_again()
    sys.exit(0 if compare(Path(sys.argv[1])) else 1)
