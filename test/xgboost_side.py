"""The part of check_xgboost.py that uses XGBoost. check_xgboost.py runs it with several versions.

    xgboost_side.py version
    xgboost_side.py train DATA.npz FOLDER OBJECTIVE...    trains a model for each objective, saves it in all
                                                          formats and scores rows with it
    xgboost_side.py predict ROWS.npy MODEL...    writes MODEL.npy, the scores

DATA.npz holds matrix, labels, sizes, rows and types, those of the features. Needs only numpy and xgboost.
"""

import json
import sys
from pathlib import Path

import numpy as np
import xgboost

ROUNDS = 20


def train(data: Path, folder: Path, objectives: list[str]) -> None:
    arrays = np.load(data)
    for objective in objectives:
        labels = arrays["labels"] > 1 if objective in ("rank:map", "binary:logitraw") else arrays["labels"]
        matrix = typed(arrays["matrix"], list(arrays["types"]), labels)
        if objective.startswith("rank"):
            matrix.set_group(arrays["sizes"])
        parameters = dict(objective=objective, max_depth=6, tree_method="hist", nthread=1, seed=1, max_cat_to_onehot=3)
        booster = xgboost.train(parameters, matrix, ROUNDS)
        stem = folder / objective.replace(":", "-")
        for form in "json", "ubj":
            booster.save_model(f"{stem}.{form}")
        stem.with_suffix(".dump").write_text("[" + ",\n".join(booster.get_dump(dump_format="json")) + "]")
        rows = on_thresholds(booster, arrays["rows"])
        np.save(f"{stem}.rows.npy", rows)
        np.save(f"{stem}.scores.npy", booster.predict(typed(rows, list(arrays["types"]))))


def typed(rows: np.ndarray, types: list[str], labels: np.ndarray | None = None) -> xgboost.DMatrix:
    return xgboost.DMatrix(rows, labels, feature_types=[str(t) for t in types], enable_categorical="c" in types)


def on_thresholds(booster: xgboost.Booster, rows: np.ndarray) -> np.ndarray:
    """Returns the rows, and some of them again with other values: split conditions, the float32 before a condition, the
    middle between the two, and the float64 on each side of that middle."""
    splits = [split for tree in booster.get_dump(dump_format="json") for split in splits_of(json.loads(tree)) if not isinstance(split["split_condition"], list)]
    more = []
    for i, split in enumerate(splits[:: max(1, len(splits) // 200)]):
        condition = np.float32(split["split_condition"])
        before = np.nextafter(condition, np.float32(-np.inf))
        middle = (float(before) + float(condition)) / 2
        for value in condition, before, middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf):
            row = rows[i % len(rows)].copy()
            row[int(split["split"][1:])] = value
            more.append(row)
    return np.vstack([rows, *more])


def splits_of(node: dict) -> list[dict]:
    if "children" not in node:
        return []
    return [node] + [split for child in node["children"] for split in splits_of(child)]


def predict(rows: str, models: list[str]) -> None:
    for model in models:
        booster = xgboost.Booster({"nthread": 1}, model_file=model)
        types = booster.feature_types
        matrix = xgboost.DMatrix(np.load(rows), feature_names=booster.feature_names, feature_types=types, enable_categorical="c" in types)
        np.save(f"{model}.npy", booster.predict(matrix))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["version"]:
            print(xgboost.__version__)
        case ["train", data, folder, *objectives]:
            train(Path(data), Path(folder), objectives)
        case ["predict", rows, *models]:
            predict(rows, models)
        case _:
            sys.exit(__doc__)
