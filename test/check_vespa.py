"""Checks that Vespa scores exported models as the model itself does, in every bit.

Vespa's own importer reads them, and its own classes evaluate them (com.yahoo.vespa:model-integration and
searchlib, 8.738.17). The rows are float64 and float32 values, values on thresholds and beside them, and NaN. The
expected score is LightGBM's. Without Java and Maven the exit status is 77: left out.
"""

import json
import sys
import tempfile
from pathlib import Path

import lightgbm
import numpy as np
import pandas

import consumers
import ours
from exports import Case, cases, export, same_bits
from report import Table


def check(table: Table, name: str, case: Case, folder: Path) -> None:
    rows = np.concatenate([case.rows, exactly_on_thresholds(case)])
    got = consumers.from_vespa(export(case, "lightgbm-json", folder, reader="vespa"), rows, case.booster.feature_name())
    other = same_bits(got, case.scores(rows))
    table.row(other == 0, name, "vespa", len(rows), other)


def exactly_on_thresholds(case: Case) -> np.ndarray:
    """Returns rows with a threshold, or the next float64, for each used feature."""
    rng = np.random.default_rng(3)
    rows = case.rows[rng.integers(len(case.rows), size=500)].copy()
    cuts: dict[int, list] = {}
    for t in case.trees:
        for s in t.splits:
            if np.isfinite(s.threshold) and abs(s.threshold) > 1e-30:
                cuts.setdefault(s.feature, []).append(s.threshold)
    for feature, thresholds in cuts.items():
        on = rng.choice(np.array(thresholds), len(rows))
        rows[:, feature] = np.where(rng.random(len(rows)) < 0.5, on, np.nextafter(on, np.inf))
    return rows


def check_deep(table: Table, folder: Path) -> None:
    """Vespa's parsers must load the deepest tree that we write."""
    leaf = {"leaf_value": 0.5}
    text = json.dumps(leaf)  # built as text, because json.dumps recurses
    for i in range(900):
        node = {"split_feature": 0, "threshold": float(i), "decision_type": "<", "default_left": bool(i % 2), "right_child": leaf}
        text = json.dumps(node)[:-1] + f', "left_child": {text}}}'
    path = folder / "deep.json"
    head = {"objective": "lambdarank", "feature_names": ["a"], "feature_infos": {}, "pandas_categorical": []}
    path.write_text(json.dumps(head)[:-1] + f', "tree_info": [{{"tree_structure": {text}}}]}}')
    got = consumers.from_vespa(path, np.array([[-1.0], [3.0], [np.nan]]), ["a"])
    table.row(list(got) == [0.5] * 3, "900 splits above a leaf", "vespa", 3, 0)


def check_categories(table: Table, folder: Path) -> None:
    """Checks a model with categories, whose texts a table has, on rows with known, unknown and missing ones."""
    rng, model = np.random.default_rng(4), folder / "categories.txt"
    words = ["red", "b,c", "été", "1", "x y", "a'b", *(f"w{i}" for i in range(40))]
    shop, price = rng.integers(len(words), size=3000), rng.random(3000)
    frame = pandas.DataFrame({"shop": pandas.Categorical.from_codes(shop, words), "price": price})
    frame.loc[rng.random(3000) < 0.1, "shop"] = np.nan
    labels = np.isin(shop, [0, 2, 3, 7, 30]) + price
    parameters = dict(objective="regression", verbosity=-1, min_data_in_leaf=5, cat_smooth=1, cat_l2=1, max_cat_to_onehot=1, num_threads=2)
    booster = lightgbm.train(parameters, lightgbm.Dataset(frame, labels), 20)
    booster.save_model(model)
    path = folder / "categories.json"
    ours.run("cmd/lambdamart", "export", str(model), *ours.arguments(to="lightgbm-json", reader="vespa", output=path))
    rows = np.column_stack([frame["shop"].cat.codes, price])
    got = consumers.from_vespa(path, rows, ["\t".join(["shop", *words]), "price"])
    other = same_bits(got, booster.predict(frame))
    table.row(other == 0, "categories", "vespa", len(rows), other)


def main() -> None:
    if not consumers.java_is_here():
        sys.exit(77)
    table = Table("model", "target", "rows", "other bits")
    with tempfile.TemporaryDirectory() as folder:
        check_deep(table, Path(folder))
        check_categories(table, Path(folder))
        for name, case, _, _ in cases(Path(folder)):
            check(table, name, case, Path(folder))
    table.exit()


if __name__ == "__main__":
    main()
