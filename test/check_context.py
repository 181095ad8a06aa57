"""Checks query context against LightGBM, and against the formulas computed by numpy.

lambdamart transform writes data with columns of query context. They are compared with the formulas of
docs/objectives.md, computed here, and LightGBM's command line must read them as we do. We train a model on raw data
with query_context=. LightGBM loads it and scores the rows that transform wrote; its scores, and the scores of the C
code that we export, must equal our scores of the raw rows in every bit. A model that LightGBM trains on the columns
must have the same features, and we must score it as LightGBM does, in every bit.
"""

import tempfile
from pathlib import Path

import lightgbm
import numpy as np
import scipy.stats

import consumers
import ours
import sets
from report import Table

ROUNDS = 20
CHECKED = {  # by set: dense, small, and sparse
    "shipped": ["rank", "zscore", "linear", "max_ratio", "gap_to_best", "count"],
    "mq2008 fold 1": ["count", "rank"],
    "lightgbm example": ["zscore"],
}


def main() -> None:
    table = Table("set", "columns", "rows", "wrong", "bits: our model", "bits: theirs", "bits: by file", "bits: C")
    with tempfile.TemporaryDirectory() as folder:
        for data in sets.some():
            if data.name in CHECKED:
                check(table, data, Path(folder), CHECKED[data.name])
        check_onnx(table, Path(folder))
    table.exit()


def check_onnx(table: Table, folder: Path) -> None:
    """Compares the graph that computes the columns of a query with our scores, on ties, missing values, zeros of both
    signs, numbers whose difference overflows, features that are all missing, and queries of one document."""
    rng = np.random.default_rng(3)
    sizes = np.append(rng.integers(1, 25, size=400), rng.integers(100, 200, size=10))
    matrix = rng.integers(-4, 8, size=(sizes.sum(), 6)) / 3.0
    matrix[rng.random(matrix.shape) < 0.15] = np.nan
    matrix[rng.random(matrix.shape) < 0.1] = -0.0
    queries = np.repeat(np.arange(len(sizes)), sizes)
    matrix[queries % 7 == 0, 1] = np.nan
    matrix[:, 2] *= np.where(queries % 5 == 0, 6e307, 1)
    matrix[:, 3] = np.where(rng.random(len(matrix)) < 0.5, rng.normal(size=len(matrix)), matrix[:, 3])
    labels = rng.integers(0, 5, size=len(matrix))
    data, model, graph = folder / "queries.csv", folder / "m.txt", folder / "m.onnx"
    rows = "".join(f"{y},{q}," + ",".join(map(repr, map(float, x))) + "\n" for y, q, x in zip(labels, queries, matrix))
    data.write_text("label,qid," + ",".join("abcdef") + "\n" + rows)
    columns = dict(label_column="name:label", group_column="name:qid", header="true")
    kinds = "rank,zscore,linear,max_ratio,gap_to_best,count"
    ours.train(data, model, num_iterations=ROUNDS, num_leaves=63, min_data_in_leaf=3, query_context=kinds, **columns)
    mine = np.float32(ours.predict(data, model, folder / "scores.txt", **columns))
    ours.run("cmd/lambdamart", "export", str(model), *ours.arguments(to="onnx", number_type="float64", output=graph, vectors=100))
    scores = consumers.queries_from_onnxruntime(graph, np.column_stack([queries, matrix]), sizes)  # the query column is numbered too
    wrong = int(np.sum(mine.view(np.int32) != scores.view(np.int32)))
    table.row(wrong == 0, "ONNX: " + kinds, "", len(mine), wrong)


def check(table: Table, data: sets.Set, folder: Path, kinds: list[str]) -> None:
    asked = dict(query_context=",".join(kinds))
    model, wide_train, wide_test = folder / "model.txt", folder / "train.txt", folder / "test.txt"
    ours.train(data.train, model, num_iterations=ROUNDS, **asked, **dict(data.parameters))
    transform(data.train, wide_train, **asked)
    transform(data.test, wide_test, input_model=model)
    mine = ours.predict(data.test, model, folder / "scores.txt")

    booster = lightgbm.Booster(model_file=model)
    wide = sets.load.__wrapped__(wide_test).widened(booster.num_feature())
    wrong = differing(wide, data, booster.num_feature(), kinds)
    others = bits(booster.predict(wide, raw_score=True), mine)
    by_file = bits(predict_file(booster, data, model, folder), mine)

    by_c = bits(exported(model, data, folder), mine)

    theirs = train_lightgbm(wide_train, booster.num_feature(), folder / "theirs.txt", data)
    backwards = bits(theirs.predict(wide, raw_score=True), ours.predict(wide_test, folder / "theirs.txt", folder / "scores.txt"))
    passed = wrong == others == by_file == backwards == by_c == 0 and booster.num_feature() > sets.load(data.train).matrix.shape[1]
    table.row(passed, data.name, booster.num_feature(), len(mine), wrong, others, backwards, by_file, by_c)


def transform(data: Path, output: Path, **parameters) -> None:
    ours.run("cmd/lambdamart", "transform", *ours.arguments(data=data, output=output, **parameters))


def predict_file(booster: lightgbm.Booster, data: sets.Set, model: Path, folder: Path) -> np.ndarray:
    """Returns the scores with LightGBM's own text reader, which rounds to the nearest number only with precise_float_parser."""
    path = folder / "for-lightgbm.txt"
    transform(data.test, path, input_model=model, output_format="lightgbm")
    return booster.predict(path, raw_score=True, precise_float_parser=True)


def exported(model: Path, data: sets.Set, folder: Path) -> np.ndarray:
    """Returns the scores of the C function for the documents of a query."""
    path = folder / "ranker.c"
    ours.run("cmd/lambdamart", "export", str(model), *ours.arguments(to="c", output=path, vectors=100))
    raw, part = sets.load(data.train).matrix.shape[1], sets.load(data.test)
    return consumers.queries_from_c(path, part.widened(raw)[:, :raw], part.sizes)


def train_lightgbm(path: Path, features: int, model: Path, data: sets.Set) -> lightgbm.Booster:
    part = sets.load.__wrapped__(path)
    parameters = dict(objective="lambdarank", verbosity=-1, num_threads=ours.THREADS, **dict(data.parameters))
    train = lightgbm.Dataset(part.widened(features), part.labels, group=part.sizes, params=parameters)
    return lightgbm.train(parameters, train, ROUNDS).save_model(model)


def bits(a: np.ndarray, b: np.ndarray) -> int:
    """Returns the number of values that differ."""
    return max(len(a), len(b)) if len(a) != len(b) else int(np.sum(a.view(np.int64) != b.view(np.int64)))


def differing(wide: np.ndarray, data: sets.Set, total: int, kinds: list[str]) -> int:
    """Returns the number of context values that differ from the formulas by more than rounding."""
    raw = sets.load(data.train).matrix.shape[1]
    part = sets.load(data.test)
    matrix = part.widened(raw)[:, :raw]
    want = [wide[:, :raw] * 0 + matrix]
    for kind in kinds:
        if kind == "count":
            want.append(np.repeat(part.sizes, part.sizes)[:, None].astype(float))
            continue
        columns, first = np.zeros((len(matrix), raw - 1)), 0
        for size in part.sizes:
            columns[first : first + size] = FORMULAS[kind](matrix[first : first + size, 1:])
            first += size
        want.append(columns)
    expected = np.hstack(want)
    assert expected.shape[1] == total, (expected.shape, total)
    return int(np.sum(~np.isclose(wide, expected, rtol=1e-9, atol=1e-9)))


def rank(x: np.ndarray) -> np.ndarray:
    return (scipy.stats.rankdata(x, axis=0) - 0.5) / len(x)


def divided(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Returns a / b, and 0 where b is 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=np.broadcast_to(b != 0, a.shape))


def zscore(x: np.ndarray) -> np.ndarray:
    spread = np.where(x.min(axis=0) == x.max(axis=0), 0, x.std(axis=0))
    return divided(x - x.mean(axis=0), spread)


FORMULAS = {
    "rank": rank,
    "zscore": zscore,
    "linear": lambda x: divided(x - x.min(axis=0), x.max(axis=0) - x.min(axis=0)),
    "max_ratio": lambda x: divided(x, np.abs(x).max(axis=0)),
    "gap_to_best": lambda x: x.max(axis=0) - x,
}


if __name__ == "__main__":
    main()
