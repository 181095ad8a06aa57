"""Checks that XGBoost, the search engines and we give the same scores to the same model.

XGBoost's models: versions 1.7 and 3.x train rankers, with and without missing values. We read them in
both formats and score test rows and rows with values on split conditions. If we add in float32, tree
after tree, our scores equal XGBoost's in every bit. Our usual float64 sums differ by no more than that
rounding can cause (io/model/internal/xgboost).

Our models: both versions load models that we or LightGBM trained, written as JSON (save_model). Their scores
equal those of our reader of the file in every bit, and the model's within float32 rounding. So do models with categorical splits. A transcription
of the plugins' parsers (elasticsearch.py) scores the dump and the JSON model too, with the same bits.
"""

import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import lightgbm
import numpy as np

import elasticsearch
import environment
import models
import ours
import sets
from report import Table

ROUNDS = 20
ROWS = 1000  # maximum number to score
WITH_HOLES = "shipped", "mslr sample"  # sets that are also checked with missing values
ALL_OBJECTIVES = "rank:ndcg", "rank:pairwise", "rank:map", "reg:squarederror", "binary:logitraw"
ENGINE_ROWS = 100  # for the transcription, which is slow
SIDE = Path(__file__).parent / "xgboost_side.py"


def main() -> None:
    table = Table("set", "model by", "read by", "form", "trees", "rows", "other bits", "error", "allowed")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for data in sets.present():
            part, rows = sets.load(data.train), test_rows(data)
            changes = {data.name: lambda x: x}
            if data.name in WITH_HOLES:
                changes[f"{data.name}, holes"] = holes
            for title, change in changes.items():
                objectives = ALL_OBJECTIVES if title == "shipped" else ALL_OBJECTIVES[:1]
                for python in pythons():
                    theirs(table, title, python, objectives, change(part.matrix), part, change(rows), folder)
                mine(table, title, data, part, change, rows, folder)
        refused_by_engines(folder)
        categories(table, folder)
    table.exit()


@lru_cache
def pythons() -> list[tuple[str, str]]:
    """Returns pairs of a version of XGBoost and a Python interpreter that has it."""
    old = str(environment.python_with(SIDE.parent / "requirements-xgboost17.txt"))
    return [(run_side(p, "version").strip(), p) for p in (old, sys.executable)]


def run_side(python: str, *args) -> str:
    return subprocess.run([python, SIDE, *map(str, args)], check=True, stdout=subprocess.PIPE, text=True).stdout


def test_rows(data: sets.Set) -> np.ndarray:
    width = sets.load(data.train).matrix.shape[1]
    return sets.load(data.test).widened(width)[:ROWS, :width]


def holes(x: np.ndarray) -> np.ndarray:
    return np.where(np.random.default_rng(3).random(x.shape) < 0.15, np.nan, x)


def theirs(table: Table, title: str, python: tuple[str, str], objectives: tuple[str, ...], matrix: np.ndarray, part: sets.Part,
           rows: np.ndarray, folder: Path, categorical: tuple[int, ...] = ()) -> None:
    """Checks models that XGBoost trained."""
    version, interpreter = python
    types = ["c" if i in categorical else "float" for i in range(matrix.shape[1])]
    np.savez(folder / "data.npz", matrix=matrix, labels=part.labels, sizes=part.sizes, rows=rows, types=types)
    run_side(interpreter, "train", folder / "data.npz", folder, *objectives)
    for scores in sorted(folder.glob("*.scores.npy")):
        stem = folder / scores.name.removesuffix(".scores.npy")
        want, rows = np.load(scores), np.load(f"{stem}.rows.npy")
        for form in "json", "ubj":
            path = Path(f"{stem}.{form}")
            score, sum32 = score_rows(path, rows)
            write(path, "lightgbm", folder / "text.txt")
            report(table, (title, f"{version} {stem.name}", "us", form), folder / "text.txt", want, score, sum32)
        for file in folder.glob(f"{stem.name}.*"):
            file.unlink()


def categories(table: Table, folder: Path) -> None:
    """Checks models with categorical splits, by XGBoost and by LightGBM, in both directions. Rows have missing, unseen,
    negative and fractional categories, but none between -1 and 0, which is category 0 for us and none for XGBoost."""
    data = sets.shipped()
    part, rows = sets.load(data.train), test_rows(data).copy()
    matrix, rng = part.matrix.copy(), np.random.default_rng(5)
    for column, size in (5, 4), (6, 40), (7, 300):
        edges = np.quantile(matrix[:, column] + rng.normal(0, 1e-9, len(matrix)), np.linspace(0, 1, size)[1:-1])
        for x in matrix, rows:
            x[:, column] = np.searchsorted(edges, x[:, column] + rng.normal(0, 1e-9, len(x))) * 7 % size
            x[rng.random(len(x)) < 0.1, column] = np.nan
    odd = rng.random(len(rows)) < 0.2
    rows[odd, 6] = rng.choice([-1, -7, 41, 1e4, 2e7, 3.5], odd.sum())
    for python in pythons():
        theirs(table, "categories", python, ALL_OBJECTIVES[:1], matrix, part, rows, folder, (5, 6, 7))
    model = folder / "model.txt"
    train_lightgbm(matrix, part, data, model, categorical=[5, 6, 7])
    mine_by_xgboost(table, "categories", "LightGBM", model, rows.astype(np.float32).astype(np.float64), folder)


def mine(table: Table, title: str, data: sets.Set, part: sets.Part, change, rows: np.ndarray, folder: Path) -> None:
    """Checks models that LightGBM trained and, on data without missing values, models that we trained."""
    model = folder / "model.txt"
    trainers = {"LightGBM": lambda: train_lightgbm(change(part.matrix), part, data, model)}
    if title == data.name:
        trainers["us"] = lambda: ours.train(data.train, model, num_iterations=ROUNDS, **dict(data.parameters))
    for trainer, train in trainers.items():
        train()
        exact = change(rows).astype(np.float32).astype(np.float64)  # as XGBoost reads them
        exact = np.vstack([exact, on_thresholds(model, exact)])[:, : features_of(model)]
        score, sum32 = mine_by_xgboost(table, title, trainer, model, exact, folder)
        path = folder / "written.json"
        few = np.linspace(0, len(exact) - 1, ENGINE_ROWS).astype(int)
        names = [f"Column_{i}" for i in range(features_of(model))]
        for form, parse in ("xgboost-dump", elasticsearch.parse_dump), ("xgboost-raw", elasticsearch.parse_raw):
            write(model, form, path)
            want = elasticsearch.scores(parse(path.read_text(), names), exact[few])
            report(table, (title, trainer, "plugins", form), model, want, score[few], sum32[few])


def mine_by_xgboost(table: Table, title: str, trainer: str, model: Path, exact: np.ndarray, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Checks that XGBoost scores a written model as we score the file, and as the model up to float32; returns both scores."""
    score, _ = score_rows(model, exact)
    path = folder / "written.json"
    write(model, "xgboost-raw", path)
    _, sum32 = score_rows(path, exact)
    np.save(folder / "rows.npy", exact)
    for version, interpreter in pythons():
        run_side(interpreter, "predict", folder / "rows.npy", path)
        report(table, (title, trainer, version, "xgboost-raw"), model, np.load(f"{path}.npy"), score, sum32)
    return score, sum32


def train_lightgbm(matrix: np.ndarray, part: sets.Part, data: sets.Set, model: Path, categorical: list[int] | str = "auto") -> None:
    parameters = dict(data.parameters) | dict(objective="lambdarank", verbosity=-1, num_threads=ours.THREADS)
    dataset = lightgbm.Dataset(matrix, part.labels, group=part.sizes, params=parameters, categorical_feature=categorical)
    lightgbm.train(parameters, dataset, ROUNDS).save_model(model)


def features_of(model: Path) -> int:
    return lightgbm.Booster(model_file=model).num_feature()


def on_thresholds(model: Path, rows: np.ndarray) -> np.ndarray:
    """Returns copies of some rows with other values: thresholds rounded to float32, their neighbors, 0 and NaN."""
    splits = [split for tree in models.read(model) for split in tree.splits]
    more = []
    for i, split in enumerate(splits[:: max(1, len(splits) // 200)]):
        nearest = np.float32(np.clip(split.threshold, -3e38, 3e38))  # XGBoost rejects infinities
        for value in nearest, np.nextafter(nearest, np.float32(np.inf)), np.nextafter(nearest, np.float32(-np.inf)), 0.0, np.nan:
            row = rows[i % len(rows)].copy()
            row[split.feature] = value
            more.append(row)
    return np.array(more).reshape(len(more), rows.shape[1])


def score_rows(model: Path, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns our scores, and the sums of the leaves in float32."""
    values = model.parent / "rows.bin"
    np.ascontiguousarray(rows, np.float64).tofile(values)
    lines = ours.run("test/foreign", "score", str(model), str(values)).splitlines()
    scores = np.array([[float.fromhex(word) for word in line.split()] for line in lines])
    return scores[:, 0], scores[:, 1].astype(np.float32)


def write(model: Path, form: str, path: Path) -> None:
    ours.run("test/foreign", "write", form, str(model), str(path))


def report(table: Table, names: tuple, text: Path, want: np.ndarray, score: np.ndarray, sum32: np.ndarray) -> None:
    trees = models.read(text)
    allowed = (len(trees) + 1) * 2.0**-24 * sum(max(map(abs, tree.leaf_values)) for tree in trees)
    other = int(np.sum(want.view(np.int32) != sum32.view(np.int32)))
    error = float(np.max(np.abs(want - score)))
    table.row(other == 0 and error <= allowed, *names, len(trees), len(want), other, error, allowed)


def refused_by_engines(folder: Path) -> None:
    """Checks that the transcription rejects what the plugin rejects."""
    path = folder / "written.json"
    write(folder / "model.txt", "xgboost-dump", path)
    text, names = path.read_text(), [f"Column_{i}" for i in range(features_of(folder / "model.txt"))]
    elasticsearch.parse_dump(text, names)
    for old, new in ('"missing"', '"mising"'), ('"depth":0', '"depth":0,"gain":1'), ('"yes":1', '"yes":2'), ('"split":"C', '"split":"D'):
        assert old in text
        try:
            elasticsearch.parse_dump(text.replace(old, new, 1), names)
        except elasticsearch.Refused:
            continue
        raise SystemExit(f"taken with {new}")


if __name__ == "__main__":
    main()
