"""The checks of differential.py: each takes a case and a folder, and raises AssertionError if two tools differ.

  ours_in_lightgbm   our models: LightGBM and leaves (Go) score as we do, in every bit; contributions
                     of features to 1e-9
  lightgbm_in_ours   models that LightGBM trained with random parameters: we score as it does, in every bit,
                     and so does LightGBM after we have written them again
  xgboost_in_ours    models that XGBoost trained: our sum of its leaves in float32 is its score, in every bit
  engines            our models, exported: ONNX Runtime within the tolerance that the test vectors state,
                     XGBoost in every bit
  metrics            random rankings: LightGBM, XGBoost, scikit-learn, trec_eval
  first_trees        the first trees are LightGBM's, as check_trees.py compares them
  formats            LETOR text, CSV and Parquet (pyarrow) give the same model and scores

A model that is refused with a reason counts as refused, not as a difference.
"""

import json
import subprocess
import sys
from pathlib import Path

import lightgbm
import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import xgboost

import check_trees
import consumers
import models
import ours
import sets
from lambdarank import gradients

sys.path.append(str(sets.ROOT / "metric" / "testdata"))
import generate  # noqa: E402  the other tools' metrics

xgboost.set_config(verbosity=0)


class Refused(Exception):
    """A tool refused a case, with a reason."""


def command(*arguments) -> str:
    """Runs our command. Its refusal of data or a model is Refused; anything else but success is a difference."""
    return program("cmd/lambdamart", *arguments)


def program(package: str, *arguments) -> str:
    done = subprocess.run([str(ours.built(package)), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode == 1 and "goroutine " not in done.stderr and "please report" not in done.stderr:
        raise Refused(done.stderr.strip()[:300])
    assert done.returncode == 0, f"{arguments}: status {done.returncode}\n{done.stderr[-3000:]}"
    return done.stdout


def write_letor(case, path: Path) -> Path:
    query = np.repeat(np.arange(len(case.sizes)), case.sizes)
    with open(path, "w") as out:
        for label, number, row in zip(case.labels, query, case.matrix):
            out.write(f"{label:g} qid:{number} " + " ".join(f"{i}:{float(v)!r}" for i, v in enumerate(row) if i > 0 and not v == 0) + "\n")
    if case.weights is not None:
        np.savetxt(f"{path}.weight", case.weights, "%.17g")
    return path


def draw_ours(rng) -> dict:
    return {
        "objective": rng.choice(["lambdarank", "rank_xendcg", "regression", "query_rmse", "listnet", "rank_pairwise"]),
        "num_leaves": rng.integers(2, 40), "min_data_in_leaf": rng.integers(0, 8), "min_sum_hessian_in_leaf": rng.choice([0, 1e-3, 0.1]),
        "max_depth": rng.choice([-1, 1, 3, 8]), "learning_rate": rng.choice([0.01, 0.1, 1]), "max_bin": rng.choice([2, 16, 255]),
        "min_data_in_bin": rng.integers(1, 5), "lambda_l1": rng.choice([0, 0.1]), "lambda_l2": rng.choice([0, 1, 10]), "zero_as_missing": str(rng.random() < 0.2).lower(),
        "use_missing": str(rng.random() < 0.8).lower(), "feature_fraction": rng.choice([1, 0.5]), "bagging_fraction": rng.choice([1, 0.7]), "bagging_freq": rng.integers(0, 3),
        "active_fraction": rng.choice(["auto", "1", "0.5"]), "seed": rng.integers(1000),
    }  # fmt: skip


def draw_lightgbm(rng) -> dict:
    return {
        "objective": rng.choice(["lambdarank", "rank_xendcg", "regression", "binary", "poisson", "huber"]), "boosting": rng.choice(["gbdt", "gbdt", "dart", "rf"]),
        "num_leaves": int(rng.integers(2, 40)), "min_data_in_leaf": int(rng.integers(1, 8)), "min_sum_hessian_in_leaf": float(rng.choice([0, 1e-3])), "max_depth": int(rng.choice([-1, 2, 6])),
        "max_bin": int(rng.choice([2, 15, 255])), "min_data_in_bin": int(rng.integers(1, 5)), "lambda_l1": float(rng.choice([0, 0.1])), "lambda_l2": float(rng.choice([0, 1])),
        "zero_as_missing": bool(rng.random() < 0.2), "use_missing": bool(rng.random() < 0.8), "extra_trees": bool(rng.random() < 0.2), "path_smooth": float(rng.choice([0, 1])),
        "linear_tree": bool(rng.random() < 0.15), "bagging_fraction": 0.7, "bagging_freq": 1, "categorical_feature": "1" if rng.random() < 0.3 else "", "seed": int(rng.integers(1000)),
        "max_cat_to_onehot": int(rng.integers(1, 6)), "cat_smooth": 1.0, "min_data_per_group": 1, "data_sample_strategy": rng.choice(["bagging", "bagging", "goss"]),
        "monotone_constraints": rng.choice(["", "1"]),
    }  # fmt: skip


def draw_xgboost(rng) -> dict:
    return {
        "objective": rng.choice(["rank:ndcg", "rank:pairwise", "reg:squarederror", "binary:logitraw"]), "tree_method": rng.choice(["hist", "exact", "approx"]), "max_depth": int(rng.integers(0, 8)),
        "grow_policy": rng.choice(["depthwise", "lossguide"]), "max_leaves": int(rng.integers(0, 20)), "max_bin": int(rng.choice([2, 16, 256])), "min_child_weight": float(rng.choice([0, 1])),
        "eta": float(rng.choice([0.1, 1])), "reg_lambda": float(rng.choice([0, 1])), "base_score": float(rng.choice([0, 0.5, 2.25])), "num_parallel_tree": int(rng.choice([1, 1, 3])),
        "subsample": float(rng.choice([1, 0.7])), "seed": int(rng.integers(1000)),
    }  # fmt: skip


def parameter_names() -> frozenset:
    """Returns the names of all parameters that are drawn."""
    rng = np.random.default_rng(0)
    return frozenset(name for draw in (draw_ours, draw_lightgbm, draw_xgboost) for name in draw(rng)) - {"objective"}


def train_ours(case, folder: Path) -> Path:
    parameters = case.parameters(draw_ours)
    if parameters.get("objective") == "lambdarank":
        parameters |= ours.FILE_ORDER
    model = folder / "ours.txt"
    command("train", *ours.arguments(data=write_letor(case, folder / "train.txt"), output_model=model, num_threads=2, num_iterations=case.rounds, **parameters))
    return model


def rows_to_score(case, cuts: list[tuple[int, float]]) -> np.ndarray:
    """Returns the rows of the case, some with more holes, and some with values on and beside thresholds."""
    rng = np.random.default_rng([case.seed, 8])
    rows = case.matrix
    holes = np.where((rng.random(rows.shape) < 0.2) & (np.arange(rows.shape[1]) > 0), np.nan, rows)
    more = [rows, holes]
    for feature, cut in cuts[:60]:
        if feature == 0 or feature >= rows.shape[1] or not 1e-30 < abs(cut) < 1e300:
            continue
        beside = rows[rng.integers(len(rows), size=3)].copy()
        beside[:, feature] = np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf)
        more.append(beside)
    return np.vstack(more)


def cuts_of(model: Path) -> list[tuple[int, float]]:
    """Returns features and thresholds in LightGBM's text."""
    cuts, features = [], []
    for line in model.read_text().splitlines():
        if line.startswith("split_feature="):
            features = [int(f) for f in line.split("=")[1].split()]
        elif line.startswith("threshold="):
            cuts += list(zip(features, map(float, line.split("=")[1].split())))
    return cuts


def scored(program_name: str, mode: str, model: Path, rows: np.ndarray) -> np.ndarray:
    values = model.parent / "rows.bin"
    np.ascontiguousarray(rows, np.float64).tofile(values)
    lines = program(program_name, mode, model, values).splitlines()
    return np.array([[float.fromhex(word) for word in line.split()] for line in lines])


def assert_bits(name: str, got: np.ndarray, want: np.ndarray) -> None:
    kind = {4: np.int32, 8: np.int64}[want.dtype.itemsize]
    wrong = np.flatnonzero(got.astype(want.dtype).view(kind) != want.view(kind))
    assert len(got) == len(want) and len(wrong) == 0, f"{name}: {len(wrong)} of {len(want)} scores differ: row {wrong[:1]}: {got[wrong[:1]]!r}, not {want[wrong[:1]]!r}"


def fitted(rows: np.ndarray, features: int) -> np.ndarray:
    """Returns rows with as many columns as a model has features."""
    return np.pad(rows, ((0, 0), (0, max(0, features - rows.shape[1]))))[:, :features]


def ours_in_lightgbm(case, folder: Path) -> None:
    model = train_ours(case, folder)
    booster = lightgbm.Booster(model_file=model)
    rows = fitted(rows_to_score(case, cuts_of(model)), booster.num_feature())
    mine = scored("test/foreign", "score", model, rows)[:, 0]
    assert_bits("LightGBM", booster.predict(rows, raw_score=True), mine)
    assert_bits("leaves", scored("test/foreign", "leaves", model, rows)[:, 0], mine)
    assert_bits("predict", ours.predict(folder / "train.txt", model, folder / "scores", predict_raw_score="true"), mine[: len(case.labels)])
    compare_contributions(case, booster, model, folder)


def compare_contributions(case, booster, model: Path, folder: Path) -> None:
    command("predict", *ours.arguments(data=folder / "train.txt", input_model=model, output_result=folder / "contributions", predict_contrib="true"))
    mine = np.loadtxt(folder / "contributions", ndmin=2)
    theirs = booster.predict(fitted(case.matrix, booster.num_feature()), pred_contrib=True)
    scale = 1 + np.max(np.abs(theirs))
    assert mine.shape == theirs.shape and np.max(np.abs(mine - theirs)) <= 1e-9 * scale, f"contributions differ by {np.max(np.abs(mine - theirs))}"


def lightgbm_in_ours(case, folder: Path) -> None:
    p = case.parameters(draw_lightgbm) | dict(verbosity=-1, num_threads=1, deterministic=True)
    p = consistent(p, case.matrix.shape[1])
    objective = p.setdefault("objective", "lambdarank")
    labels = np.minimum(case.labels, 1) if objective == "binary" else case.labels
    matrix = case.matrix.copy()
    categories = [1] if p.pop("categorical_feature", "") and matrix.shape[1] > 1 else []
    for c in categories:
        matrix[:, c] = np.mod(np.abs(np.nan_to_num(np.round(matrix[:, c] * 3), nan=5, posinf=5, neginf=5)), 70)
    try:
        data = lightgbm.Dataset(matrix, labels, group=case.sizes, weight=case.weights, params=p, categorical_feature=categories)
        booster = lightgbm.train(p, data, case.rounds)
    except lightgbm.basic.LightGBMError as error:
        raise Refused(f"LightGBM: {error}")
    model = folder / "theirs.txt"
    booster.save_model(model)
    booster = lightgbm.Booster(model_file=model)
    rows = fitted(rows_to_score(case, cuts_of(model)), booster.num_feature())
    for c in categories:
        rows[:, c] = np.random.default_rng(case.seed).choice([0, 1, 2, 5, 33, 69, 70, 1000, -1, 2.5, np.nan], len(rows))
    raw = booster.predict(rows, raw_score=True)
    average = "\naverage_output\n" in model.read_text()  # of which raw_score=True gives the sum
    want = raw / booster.num_trees() if average else raw
    assert_bits("us", scored("test/foreign", "score", model, rows)[:, 0], want)
    for form in "lightgbm", "lightgbm-json":
        program("test/foreign", "write", form, model, folder / "again")
        assert_bits(f"us, from {form}", scored("test/foreign", "score", folder / "again", rows)[:, 0], want)
        if form == "lightgbm":
            assert_bits("LightGBM, written again", lightgbm.Booster(model_file=folder / "again").predict(rows, raw_score=True), raw)


def consistent(p: dict, features: int) -> dict:
    """Leaves out parameters that exclude each other."""
    if p.get("linear_tree"):
        p |= {"objective": "regression", "boosting": "gbdt"}
        for name in "zero_as_missing", "monotone_constraints", "path_smooth", "extra_trees":
            p.pop(name, None)
    if p.get("boosting") == "rf" or p.get("objective") not in ("regression", "binary"):
        p.pop("monotone_constraints", None)
    if p.get("monotone_constraints"):
        p["monotone_constraints"] = [0] * (features - 1) + [1]
        p.pop("categorical_feature", None)
    else:
        p.pop("monotone_constraints", None)
    if p.get("boosting") == "rf":
        p |= {"bagging_fraction": 0.7, "bagging_freq": 1}
        p.pop("data_sample_strategy", None)
    if p.get("data_sample_strategy") == "goss":
        p.pop("bagging_fraction", None)
        p.pop("bagging_freq", None)
    return p


def xgboost_in_ours(case, folder: Path) -> None:
    p = case.parameters(draw_xgboost) | dict(nthread=1)
    if p.get("tree_method") == "exact":
        p.pop("grow_policy", None), p.pop("max_leaves", None)
    if p.get("max_depth") == 0 and p.get("tree_method") == "exact":
        p["max_depth"] = 6
    labels = np.minimum(case.labels, 1) if p["objective"] == "binary:logitraw" else case.labels
    if p["objective"] == "binary:logitraw":
        p["base_score"] = 0.5
    data = xgboost.DMatrix(np.float32(case.matrix), labels)
    if p["objective"].startswith("rank"):
        data.set_group(case.sizes)
    try:
        booster = xgboost.train(p, data, case.rounds)
    except xgboost.core.XGBoostError as error:
        raise Refused(f"XGBoost: {str(error)[:200]}")
    cuts = []
    for form in "json", "ubj":
        path = folder / f"theirs.{form}"
        booster.save_model(path)
        if not cuts:
            program("test/foreign", "write", "lightgbm", path, folder / "text")
            cuts = cuts_of(folder / "text")
        rows = np.float32(fitted(rows_to_score(case, cuts), case.matrix.shape[1])).astype(np.float64)
        rows[np.isinf(rows)] = 1
        want = booster.predict(xgboost.DMatrix(np.float32(rows)), output_margin=True)
        assert_bits(f"us, {form}", scored("test/foreign", "score", path, rows)[:, 1].astype(np.float32), want)


def engines(case, folder: Path) -> None:
    model = train_ours(case, folder)
    booster = lightgbm.Booster(model_file=model)
    rows = fitted(rows_to_score(case, cuts_of(model)), booster.num_feature())
    single = np.float32(np.clip(rows, -3e38, 3e38)).astype(np.float64)
    refusals = []
    for check in (lambda: in_onnx(model, booster, single, "float32"), lambda: in_onnx(model, booster, rows, "float64"),
                  lambda: in_xgboost(model, single)):
        try:
            check()
        except Refused as refused:
            refusals.append(str(refused))
    if len(refusals) == 3:
        raise Refused(refusals[0])


def in_onnx(model: Path, booster, rows: np.ndarray, kind: str) -> None:
    path = model.parent / f"{kind}.onnx"
    command("export", model, *ours.arguments(to="onnx", output=path, number_type=kind, vectors=20))
    got, want = consumers.from_onnxruntime(path, rows, np.dtype(kind)), booster.predict(rows, raw_score=True)
    leaves = booster.predict(rows, pred_leaf=True).reshape(len(rows), -1)
    magnitudes = np.array([sum(abs(booster.get_leaf_output(tree, leaf)) for tree, leaf in enumerate(row)) for row in leaves])
    # The tolerance in the file is that of its own rows; this is the same bound for others (orderBound in io/model).
    bounds = magnitudes * (leaves.shape[1] * 2.0**-23 if kind == "float32" else leaves.shape[1] * 2.0**-52 + 2.0**-23)  # the sum is a float32
    if (wrong := np.flatnonzero(np.abs(got - want) > bounds)).size:
        row = wrong[0]
        raise AssertionError(f"ONNX Runtime, {kind}: differs by {abs(got - want)[row]}, allowed are {bounds[row]}; row {rows[row].tolist()}")


def in_xgboost(model: Path, rows: np.ndarray) -> None:
    path = model.parent / "xgboost.json"
    command("export", model, *ours.arguments(to="xgboost", output=path))
    booster = xgboost.Booster(model_file=str(path))
    theirs = booster.predict(xgboost.DMatrix(np.float32(rows)), output_margin=True, validate_features=False)
    exported, own = scored("test/foreign", "score", path, rows), scored("test/foreign", "score", model, rows)
    assert_bits("xgboost", exported[:, 1].astype(np.float32), theirs)
    worst = np.max(np.abs(exported[:, 0] - own[:, 0]))  # leaves are float32 in the file
    assert worst <= 1e-6 * (1 + np.max(np.abs(own))), f"xgboost: the file and the model differ by {worst}"


CUTOFFS = generate.CUTOFFS


def metrics(case, folder: Path) -> None:
    rng = np.random.default_rng([case.seed, 9])
    starts = np.cumsum([0, *case.sizes])
    scores = np.round(rng.normal(size=len(case.labels)) * 4) / 8 if rng.random() < 0.7 else np.float32(rng.normal(size=len(case.labels))).astype(float)
    top = 1 if rng.random() < 0.5 else 4
    queries = [
        {"labels": [int(min(top, v)) for v in case.labels[a:b]], "scores": scores[a:b].tolist(), "docs": [f"d{d:02d}" for d in rng.permutation(100)[: b - a]], "weight": 1}
        for a, b in zip(starts, starts[1:])
    ]
    mine = judged(queries, folder, "lightgbm,xgboost,xgboost-,sklearn")
    compare_means(mine, "lightgbm", generate.lightgbm(queries, False), ("ndcg", "map"), 1e-9)
    for minus in False, True:
        theirs = generate.xgboost(queries, False, minus, top == 1)
        compare_means(mine, "xgboost-" if minus else "xgboost", theirs, ("ndcg", "map") if top == 1 else ("ndcg",), 2e-6)  # XGBoost prints this many digits
    several = [q for q in queries if len(q["labels"]) > 1]
    if several:
        found = {k: float(np.mean(v)) for k, v in generate.sklearn(several).items()}
        compare_means(judged(several, folder, "sklearn"), "sklearn", found, ("ndcg", "dcg"), 1e-9)
    compare_trec(queries, folder)


def judged(queries: list[dict], folder: Path, conventions: str) -> dict:
    with open(folder / "table.csv", "w") as out:
        out.write("query,target,score\n")
        for i, q in enumerate(queries):
            out.writelines(f"{i:03d},{label},{score!r}\n" for label, score in zip(q["labels"], q["scores"]))
    text = command("eval", *ours.arguments(data=folder / "table.csv", metric="ndcg,dcg,map", eval_at=",".join(map(str, CUTOFFS)), metric_convention=conventions, json="true"))
    return {(r["convention"], r["metric"]): r["mean"] for r in json.loads(text)["results"]}


def compare_means(mine: dict, convention: str, theirs: dict, kinds: tuple, allowed: float) -> None:
    for name, value in theirs.items():
        got = mine.get((convention, name))
        if got is not None and name.split("@")[0] in kinds:
            assert abs(got - value) <= allowed * max(1, abs(value)), f"{convention}: {name} is {got}, theirs {value}"


def compare_trec(queries: list[dict], folder: Path) -> None:
    qrel, run = generate.by_number(queries, "labels"), generate.by_number(queries, "scores")
    theirs = generate.trec_eval(qrel, run)
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {v}\n" for q, docs in qrel.items() for d, v in docs.items()))
    (folder / "run").write_text("".join(f"{q} Q0 {d} 1 {v!r} x\n" for q, docs in run.items() for d, v in docs.items()))
    text = command("eval", *ours.arguments(qrels=folder / "qrels", run=folder / "run", metric=",".join(theirs), metric_convention="trec_eval", json="true"))
    mine = {r["metric"]: r["mean"] for r in json.loads(text)["results"]}
    for name, values in theirs.items():
        assert abs(mine[name] - np.mean(values)) <= 1e-9, f"trec_eval: {name} is {mine[name]}, theirs {np.mean(values)}"


class Row:
    """Takes the row that check_trees.compare prints."""

    def row(self, passed: bool, *cells) -> None:
        self.passed, self.cells = passed, cells


def first_trees(case, folder: Path) -> None:
    rng = np.random.default_rng([case.seed, 10])
    if len(set(case.labels)) < 2:
        raise Refused("all labels are equal")
    case.weights = None
    path = write_letor(case, folder / "train.txt")
    row = Row()
    sets.load.cache_clear()
    try:
        check_trees.compare(row, sets.Set("case", path, path), folder, num_leaves=int(rng.integers(2, 20)), min_sum_hessian_in_leaf=1e-3)
    except SystemExit as refused:
        if "goroutine" in str(refused):
            raise
        raise Refused(str(refused)[-200:])
    if not row.passed:
        mine, theirs = (models.read(folder / name) for name in ("mine.txt", "theirs.txt"))
        if row.cells[-1] in ("all trees", "order of documents"):
            trees = row.cells[4]
            row.passed = have_values(path, mine[:trees], False) and have_values(path, theirs[:trees], True)
        else:
            row.passed = ends_as_explained(path, mine, theirs)
    assert row.passed, str(row.cells)


def have_values(path: Path, trees: list, table: bool) -> bool:
    """Reports whether leaves have the values of exact gradients or of gradients with LightGBM's table of sigmoids, whose
    errors accumulate over trees where gradients nearly cancel. LightGBM adds float32 gradients, so a leaf may be off
    by their rounding."""
    part = sets.load(path)
    scores = np.zeros(len(part.matrix))
    for tree in trees:
        g, h = gradients(part, scores, table)
        rows = tree.rows(part.matrix)
        leaves = [rows[~leaf] for leaf in range(len(tree.leaf_values))]
        want = np.array([-0.1 * g[leaf].sum() / h[leaf].sum() for leaf in leaves])
        rounding = np.array([0.1 * 2**-24 * np.abs(g[leaf]).sum() / h[leaf].sum() for leaf in leaves])
        slack = 1e-5 * np.sqrt(np.mean(want**2)) + rounding if table else 1e-9 * np.sqrt(np.mean(want**2))
        if not np.all(np.abs(tree.leaf_values - want) <= slack):  # nor if one is NaN
            return False
        scores += tree.scores(part.matrix)
    return True


def ends_as_explained(path: Path, mine: list, theirs: list) -> bool:
    """Reports whether the first split that differs gains nothing but rounding (LightGBM sums float32, we sum integers),
    or is one that LightGBM rejects because of its estimate of the number of rows (see check_trees.py)."""
    for tree in range(max(len(mine), len(theirs))):
        a, b = (trees[tree].splits if tree < len(trees) else [] for trees in (mine, theirs))
        splits = list(zip(a, b)) + [(s, None) for s in a[len(b) :]] + [(None, s) for s in b[len(a) :]]
        for node, (x, y) in enumerate(splits):
            if x and y and x.feature == y.feature and x.threshold == y.threshold:
                continue
            if max(s.gain for s in (x, y) if s) < 1e-6 * max(s.gain for s in (mine or theirs)[0].splits):
                return True
            if x and y and x.feature == y.feature:
                continue  # perhaps the same rows
            return y is None and is_estimate(path, mine, theirs, tree, node)
    return False


def is_estimate(path: Path, mine: list, theirs: list, tree: int, node: int) -> bool:
    """Reports whether LightGBM estimates that a side of our split has no rows."""
    part = sets.load(path)
    before = sum((t.scores(part.matrix) for t in theirs[:tree]), np.zeros(len(part.matrix)))
    return check_trees.least_count(part, gradients(part, before), mine[tree], node, {}) < 1


def formats(case, folder: Path) -> None:
    rng = np.random.default_rng([case.seed, 11])
    names = [f"Column_{i}" for i in range(1, case.matrix.shape[1])]
    frame = pandas.DataFrame(case.matrix[:, 1:], columns=names)
    query = np.repeat([f"q{i}" for i in range(len(case.sizes))], case.sizes)
    frame.insert(0, "grade", case.labels.astype(int))
    frame.insert(1, "Column_0", query)
    text, parquet = folder / "t.csv", folder / "t.parquet"
    frame.to_csv(text, index=False, float_format=lambda v: repr(float(v)))
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    pyarrow.parquet.write_table(table, parquet, compression=str(rng.choice(["none", "snappy", "gzip", "zstd"])), use_dictionary=bool(rng.random() < 0.5),
        data_page_version=str(rng.choice(["1.0", "2.0"])), row_group_size=int(rng.choice([7, 100, 10**6])), data_page_size=int(rng.choice([64, 4096, 1 << 20])),
        column_encoding={n: "BYTE_STREAM_SPLIT" for n in names} if rng.random() < 0 else None)  # fmt: skip
    parameters = case.parameters(draw_ours) | dict(num_iterations=case.rounds, num_threads=2)
    case.weights = None
    letor = write_letor(case, folder / "t.txt")
    trees, scores = {}, {}
    for path in letor, text, parquet:
        columns = {} if path == letor else dict(label_column="name:grade", query_column="name:Column_0")
        command("train", *ours.arguments(data=path, output_model=f"{path}.model", **parameters, **columns))
        model = Path(f"{path}.model").read_text()
        trees[path.name] = model[model.index("\nTree=0") : model.index("end of trees")]
        scores[path.name] = ours.predict(path, Path(f"{path}.model"), folder / "scores")
    for name in "t.csv", "t.parquet":
        assert trees[name] == trees["t.txt"], f"{name}: another model than from t.txt"
        assert_bits(name, scores[name], scores["t.txt"])


CHECKS = {f.__name__: f for f in (ours_in_lightgbm, lightgbm_in_ours, xgboost_in_ours, engines, metrics, first_trees, formats)}
