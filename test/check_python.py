"""Checks the Python package: python/lambdamart, with the binary that is built from this tree.

The package must give the same bytes as the command line, take all kinds of matrices, obey scikit-learn's
conventions, refuse bad input with an explanation, and survive what happens in notebooks and pools: forks,
threads, Ctrl-C, the death of either process, and missing shared memory. Each trap runs in a process of
its own with a time limit.
"""

import ast
import atexit
import contextlib
import copy
import csv
import fcntl
import graphlib
import inspect
import io
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np

import ours
import prepared
from sets import ALL, ROOT

os.environ["LAMBDAMART_BINARY"] = str(ours.built("cmd/lambdamart"))
PACKAGE = ROOT / "python"
sys.path.insert(0, str(PACKAGE))

import lambdamart  # noqa: E402
from lambdamart import Dataset, LambdaMARTRanker, Model  # noqa: E402

LIMIT = 3600  # seconds, against hanging

# scikit-learn's checks that do not suit a ranker.
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": "a document that is left out changes the ranks of the others, a weight of zero does not",
    "check_sample_weight_equivalence_on_sparse_data": "as above",
}

rng = np.random.default_rng(0)
SIZES = rng.integers(5, 30, 120)
QID = np.repeat(np.arange(len(SIZES)), SIZES)
X = rng.random((len(QID), 8))
X[rng.random(X.shape) < 0.05] = np.nan
Y = np.clip(np.round(3 * np.nan_to_num(X[:, 0]) + rng.normal(0, 0.5, len(QID))), 0, 4)
NAMES = list("abcdefgh")
CUT = int(SIZES[:100].sum())


def without_parameters(model: str) -> str:
    """Returns the text of a model without the parameters of its run."""
    return re.sub(r"\nparameters:\n.*?\nend of parameters\n", "", model, flags=re.DOTALL)


def ranker(**parameters) -> LambdaMARTRanker:
    return LambdaMARTRanker(**{"n_estimators": 12, "min_child_samples": 5, "n_jobs": 2, **parameters})


def frame(library: str):
    columns = {name: X[:, i] for i, name in enumerate(NAMES)}
    if library == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    import pyarrow

    return pyarrow.table(columns)


# The same bytes as the command line


def same_bytes_as_the_command_line() -> None:
    import pandas

    weights = 0.5 + rng.random(len(QID))
    for more in {}, {"bagging_fraction": 0.5, "bagging_freq": 1, "feature_fraction": 0.6, "seed": 7}, {"patience": 3, "metric": "ndcg", "eval_at": [3, 10], "weights": True}:
        more = dict(more)
        weighted = more.pop("weights", False)
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, part in ("train.csv", slice(0, CUT)), ("valid.csv", slice(CUT, None)):
                path = Path(folder, name)
                table = pandas.DataFrame({"label": Y[part], **{n: X[part, i] for i, n in enumerate(NAMES)}})
                table.to_csv(path, index=False, float_format="%.17g")
                np.savetxt(f"{path}.query", np.unique(QID[part], return_counts=True)[1], fmt="%d")
                if weighted:
                    np.savetxt(f"{path}.weight", weights[part], fmt="%.17g")
                paths.append(path)
            columns = {"header": "true", "label_column": "name:label"}
            given = {"num_iterations": 40, "min_data_in_leaf": 5, **more}
            text = {k: ",".join(map(str, v)) if isinstance(v, list) else v for k, v in given.items()}
            ours.train(paths[0], Path(folder, "model.txt"), valid=paths[1], **columns, **text)
            wanted = Path(folder, "model.txt").read_text()
            sets = [Dataset(X[p], Y[p], qid=QID[p], feature_names=NAMES, weight=weights[p] if weighted else None) for p in (slice(0, CUT), slice(CUT, None))]
            result = lambdamart.train(given, sets[0], sets[1:])
            equal(result.model.text, wanted, f"model of arrays with {more}")
            files = lambdamart.train({**given, **columns}, Dataset(paths[0]), [Dataset(paths[1])])
            equal(files.model.text, wanted, f"model of files with {more}")
            scores = ours.predict(paths[1], Path(folder, "model.txt"), Path(folder, "scores"))
            equal(result.model.predict(X[CUT:]), scores, "scores")
            equal(result.model.predict(paths[1], header=True, label_column="name:label"), scores, "scores of a file")
            for useless, why in ("categorical_feature", "a model knows which of its features"), ("num_leaves", "a parameter of training"), ("num_leavs", "unknown parameter"):
                refused(lambda useless=useless: result.model.predict(paths[1], header=True, label_column="name:label", **{useless: 3}), f"^{useless}=3: .*{why}")
            shown = lambdamart.evaluate(Y[CUT:], scores, qid=QID[CUT:], metrics="ndcg@10", sample_weight=weights[CUT:] if weighted else None)
            equal(evaluated(Path(folder), paths[1], columns), f"{shown[0].value:.4f}", "ndcg@10")


def evaluated(folder: Path, data: Path, columns: dict) -> str:
    given = ours.arguments(data=data, input_model=folder / "model.txt", metric="ndcg@10", **columns)
    out = ours.run("cmd/lambdamart", "eval", *given)
    return re.search(r"ndcg@10\s+(\d\.\d+)", out)[1]


# Inputs


def matrices_of_all_kinds() -> None:
    import scipy.sparse

    want = ranker().fit(X, Y, qid=QID).model_.text
    wide = np.repeat(X, 2, axis=1)
    kinds = {
        "Fortran order": np.asfortranarray(X),
        "strides": wide[:, ::2],
        "a step backwards": np.ascontiguousarray(X[::-1])[::-1],
        "big endian": X.astype(">f8"),
        "read only": readonly(X),
        "lists": X.tolist(),
        "objects": X.astype(object),
    }
    for name, x in kinds.items():
        r = ranker().fit(x, Y, qid=QID)
        equal(r.model_.text, want, name)
        equal(r.predict(x), r.predict(X), f"scores of {name}")
    for dtype in np.float32, np.float16, np.int64, np.int8, np.uint8, bool:
        x = np.nan_to_num(X * 50).astype(dtype)
        double = x.astype(np.float64)
        want_of_type = ranker().fit(double, Y, qid=QID)
        for order in "C", "F":
            r = ranker().fit(np.asarray(x, order=order), Y, qid=QID)
            equal(r.model_.text, want_of_type.model_.text, f"{np.dtype(dtype)} {order}")
            equal(r.predict(x), want_of_type.predict(double), f"scores of {np.dtype(dtype)}")
    zeros = np.where(np.isnan(X) | (X < 0.5), 0, X)
    want = ranker().fit(zeros, Y, qid=QID)
    for kind in scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_array:
        r = ranker().fit(kind(zeros), Y, qid=QID)
        equal(r.model_.text, want.model_.text, kind.__name__)
        equal(r.predict(kind(zeros)), want.predict(zeros), f"scores of {kind.__name__}")


def matrices_are_read_in_parts() -> None:
    """Through windows of some rows, and with bins of a sample, all matrices give the model of the file of the same values."""
    import pandas
    import pyarrow

    x = np.round(np.nan_to_num(X * 50)).astype(np.float32)
    names = [f"Column_{i}" for i in range(x.shape[1])]
    one_block, apart = pandas.DataFrame(x, columns=names), pandas.DataFrame({n: x[:, i] for i, n in enumerate(names)}, copy=False)
    types = dict(zip(names, ("float64", "Int64", "int8", "float32", "Float32", "uint8", "Int16", "int64")))
    half = len(x) // 2
    kinds = {
        "C": x, "F": np.asfortranarray(x), "float64": x.astype(np.float64), "int8": x.astype(np.int8), "strides": np.repeat(x, 2, axis=1)[:, ::2],
        "one block": one_block, "a block for each column": apart, "types": one_block.astype(types),
        "arrow": pyarrow.concat_tables([pyarrow.Table.from_pandas(one_block[:half]), pyarrow.Table.from_pandas(one_block[half:])]),
    }  # fmt: skip
    arrays = lambdamart._arrays
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.csv")
        pandas.DataFrame({"label": Y, **{n: one_block[n] for n in names}}).to_csv(path, index=False)
        np.savetxt(f"{path}.query", SIZES, fmt="%d")
        for more in {}, {"bin_construct_sample_cnt": 300}:
            given = {"num_iterations": 8, "min_data_in_leaf": 5, **more}
            wanted = lambdamart.train({**given, "header": True, "label_column": "name:label"}, Dataset(path))
            before = arrays.WINDOW, arrays.FEW
            arrays.WINDOW, arrays.FEW = 1, 0
            try:
                for name, matrix in kinds.items():
                    got = lambdamart.train(given, Dataset(matrix, Y, qid=QID, feature_names=names))
                    equal(without_parameters(got.model.text), without_parameters(wanted.model.text), f"{name} with {more}")
                    equal(got.model.predict(matrix), wanted.model.predict(x), f"scores of {name}")
            finally:
                arrays.WINDOW, arrays.FEW = before
    assert isinstance(arrays.table(one_block), arrays.Dense), "a frame of one block is not copied"


def readonly(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


def frames() -> None:
    import pandas

    want = ranker().fit(frame("pandas"), Y, qid=QID)
    equal(list(want.feature_names_in_), NAMES, "feature_names_in_")
    arrow = ranker().fit(frame("arrow"), Y, qid=QID)
    equal(arrow.model_.text, want.model_.text, "arrow")
    batch = frame("arrow").to_batches()[0]
    equal([ranker().fit(batch, Y, qid=QID).model_.text, ranker().fit(batch.append_column("qid", __import__("pyarrow").array(QID)), Y).model_.text], [want.model_.text] * 2, "a batch of arrow")
    with_qid = frame("pandas").assign(qid=[f"q{i}" for i in QID])
    r = ranker().fit(with_qid, Y)
    equal(r.model_.text, want.model_.text, "a column qid")
    equal(r.score(with_qid, Y), want.score(frame("pandas"), Y, qid=QID), "score by a column qid")
    equal(want.predict(frame("arrow")), want.predict(frame("pandas")), "scores of arrow")
    mixed = frame("pandas").astype({"b": "float32", "c": "Float64"}).assign(h=np.arange(len(QID)) % 7)
    mixed["g"] = pandas.array(np.where(np.arange(len(QID)) % 5 == 0, None, 3), dtype="Int64")
    plain = mixed.astype("float64")
    equal(ranker().fit(mixed, Y, qid=QID).model_.text, ranker().fit(plain, Y, qid=QID).model_.text, "columns of several types")
    turned = frame("pandas")[NAMES[::-1]]
    straight, across = (ranker().fit(frame("pandas"), Y, qid=QID, eval_set=[(x, Y)], eval_qid=[QID]) for x in (frame("pandas"), turned))
    equal(across.evals_result_, straight.evals_result_, "a validation set with its columns in another order")
    named = ranker().fit(X, Y, qid=QID, feature_name=NAMES)
    equal((trees_of(named), named.feature_name_, named.n_features_, named.n_estimators_), (trees_of(want), NAMES, 8, 12), "feature_name")
    equal(named.predict(X), want.predict(frame("pandas")), "scores of features that were named")
    refused(lambda: ranker().fit(X, Y, qid=QID, feature_name=NAMES[1:]), "7 names, and X has 8 columns")
    refused(lambda: ranker().fit(X, Y, qid=QID, feature_name="abcdefgh"), "a list of names", TypeError)
    other = frame("pandas").rename(columns={"a": "z"})
    refused(lambda: ranker().fit(frame("pandas"), Y, qid=QID, eval_set=[(other, Y)], eval_qid=[QID]), "lacks columns.*a$")
    equal(want.predict(turned), want.predict(frame("pandas")), "columns in another order")
    equal(want.model_.predict(turned), want.predict(frame("pandas")), "columns by name")


# Conventions


class OneQuery(LambdaMARTRanker):
    """All rows are one query, because scikit-learn's checks have no queries."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, y, group=None if y is None else [len(np.asarray(y))], sample_weight=sample_weight)

    def score(self, X, y, sample_weight=None):
        return super().score(X, y, group=[len(np.asarray(y))], sample_weight=sample_weight)


def the_estimator_is_checked_by_scikit_learn() -> None:
    from sklearn.utils.estimator_checks import check_estimator

    for parameters, expected in ({}, {}), (dict(n_estimators=3, min_child_samples=1, n_jobs=1), EXPECTED_FAILURES):
        results = check_estimator(OneQuery(**parameters), on_fail=None, on_skip=None)
        failed = {r["check_name"]: str(r["exception"]).splitlines()[0] if str(r["exception"]) else "" for r in results if r["status"] == "failed"}
        if set(failed) != set(expected):
            raise AssertionError(f"{parameters} failed: {json.dumps(failed, indent=1)}\nexpected: {sorted(expected)}")


def data_without_a_split_make_a_constant_model() -> None:
    few = slice(0, 12)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = LambdaMARTRanker().fit(X[few], Y[few], group=[12])
    assert any("gives all documents the same score: no tree can be grown" in str(w.message) for w in caught), [str(w.message) for w in caught]
    equal(set(fitted.predict(X)), {0.0}, "scores")
    refused(lambda: LambdaMARTRanker(allow_constant=False).fit(X[few], Y[few], group=[12]), "no tree can be grown: min_data_in_leaf")


def what_is_lost_or_half_given_is_said() -> None:
    """Initial scores of one set only, training data that decides early stopping, ids that are too large for their type, and weights of queries."""
    import pandas
    import pyarrow

    def said(call) -> list[str]:
        return [text for text in warned(call) if re.search("initial scores, and|decides when training stops", text)]

    train, valid = (X[:CUT], Y[:CUT]), (X[CUT:], Y[CUT:])
    sets = dict(qid=QID[:CUT], eval_set=[valid], eval_qid=[QID[CUT:]])
    first, other = np.linspace(0, 1, CUT), np.linspace(0, 1, len(Y) - CUT)
    for given, text in (
        (dict(init_score=first), "valid_0 has no initial scores, and the training data has"),
        (dict(eval_init_score=[other]), "valid_0 has initial scores, and the training data has none"),
        (dict(init_score=first, eval_init_score=[other]), None),
        ({}, None),
    ):
        found = said(lambda: ranker().fit(*train, **sets, **given))
        assert len(found) == (text is not None) and all(text in f for f in found), (given, found)
    both = dict(qid=QID[:CUT], eval_set=[train, valid], eval_qid=[QID[:CUT], QID[CUT:]])
    data, same = Dataset(*train, qid=QID[:CUT]), Dataset(train[0].copy(), train[1], group=SIZES[:100])
    for call, warns in (
        (lambda: ranker(early_stopping_rounds=3).fit(*train, **both), True),
        (lambda: ranker().fit(*train, **both), False),
        (lambda: ranker(early_stopping_rounds=3, stop_set="valid_1").fit(*train, **both), False),
        (lambda: ranker(early_stopping_rounds=3, first_metric_only=False).fit(*train, **both), False),
        (lambda: ranker(early_stopping_rounds=3).fit(*train, **sets), False),
        (lambda: lambdamart.train({"patience": 3, "num_iterations": 5, "min_data_in_leaf": 5}, data, [data]), True),
        (lambda: lambdamart.train({"patience": 3, "num_iterations": 5, "min_data_in_leaf": 5}, data.bin(), [same]), True),
    ):
        found = said(call)
        assert len(found) == warns and all("valid_0, which decides when training stops, is the training data" in f for f in found), found
    x, y = pandas.DataFrame(X[:, :3]), pandas.Series(Y)
    order, plain = np.random.default_rng(0).permutation(len(Y)), ranker(n_estimators=1).fit(X[:, :3], Y, qid=QID)
    levels = y.set_axis(pandas.MultiIndex.from_arrays([QID, y.index]))
    context = ranker(n_estimators=1, query_context="rank").fit(X[:, :3], Y, qid=QID)
    for values, warns in (y, 0), (y.set_axis(y.index + 1), 0), (y.set_axis(order), 1), (y.set_axis(order).to_numpy(), 0), (levels, 0):
        ids = values.mul(0).add(QID) if hasattr(values, "index") else QID
        for call in (
            lambda: plain.calibrate(x, values),
            lambda: plain.model_.calibrated(x, Y, qid=ids),
            lambda: lambdamart.evaluate(y, Y, qid=QID, by=ids),
            lambda: context.predict(x, qid=ids),
            lambda: context.model_.predict(x, qid=ids),
            lambda: Dataset(x, values, qid=QID),
            lambda: Dataset(x, Y, qid=QID, weight=values),
            lambda: plain.score(x, values, qid=QID),
            lambda: lambdamart.evaluate(y, values, qid=QID),
            lambda: lambdamart.compare(y, {"x": values, "y": Y}, qid=QID),
        ):
            equal(len([w for w in warned(call) if "another order, and rows are taken by position" in w]), warns, "an index in another order")

    large = (2.0**53 + QID, (2.0**24 + QID).astype(np.float32), (2.0**11 + QID).astype(np.float16), (2.0**60 + QID).astype(object), pandas.Series(2.0**53 + QID), pyarrow.array(2.0**53 + QID), -(2.0**53) - QID)
    for ids in large:
        for call in lambda: Dataset(X, Y, qid=ids), lambda: ranker().fit(X, Y, qid=ids), lambda: lambdamart.evaluate(Y, X[:, 1], qid=ids), lambda: Dataset(frame("pandas").assign(qid=np.asarray(ids)), Y):  # noqa: B023
            refused(call, r"qid \S+ in row 0 is too large for float\d\d, in which different ids may be one number: give ids as integers or texts")
    for ids in 2.0**52 + QID, 2**60 + QID, QID + 0.5, [f"{2**60 + q}" for q in QID], (2.0**23 + QID).astype(np.float32):
        equal(len(Dataset(X, Y, qid=ids).group), len(SIZES), "queries")

    of_queries = 0.5 + np.arange(len(SIZES)) % 4
    of_rows, score = np.repeat(of_queries, SIZES), np.nan_to_num(X[:, 1])
    fit = lambda w, v: ranker(eval_at=[5]).fit(*train, sample_weight=w, eval_sample_weight=[v], **sets)  # noqa: E731
    one, each = fit(of_queries[:100], of_queries[100:]), fit(of_rows[:CUT], of_rows[CUT:])
    equal([one.model_.text, one.evals_result_], [each.model_.text, each.evals_result_], "weights of queries")
    for judged in (
        lambda w: lambdamart.evaluate(Y, score, qid=QID, sample_weight=w)[0].value,
        lambda w: lambdamart.compare(Y, {"a": score, "b": -score}, qid=QID, sample_weight=w, trials=10, resamples=10).means,
        lambda w: one.score(X, Y, qid=QID, sample_weight=w),
        lambda w: Dataset(X, Y, qid=QID, weight=w).weight.tolist(),
    ):
        equal(judged(of_queries), judged(of_rows), "weights of queries")
    refused(lambda: Dataset(X, Y, qid=QID, weight=of_queries[1:]), r"^X has .* rows in 120 queries, and weight \(in fit, sample_weight\) has 119 entries; it has one for each row or for each query")
    refused(lambda: lambdamart.evaluate(Y, score, qid=QID, sample_weight=of_queries[1:]), "^y has .* rows in 120 queries, and sample_weight has 119 entries")


def rows_without_queries_are_refused() -> None:
    fitted = ranker().fit(X, Y, qid=QID)
    for call in (
        lambda: ranker().fit(X, Y),
        lambda: ranker().fit(X, Y, qid=QID, eval_set=[(X, Y)]),
        lambda: fitted.score(X, Y),
        lambda: Dataset(X, Y),
        lambda: lambdamart.evaluate(Y, -Y),
        lambda: lambdamart.compare(Y, {"a": Y, "b": -Y}),
    ):
        refused(call, r"pass qid, the query of each row, or group.*eval_qid or eval_group; group=\[\d+\] if all rows are one query")


def columns_of_queries_are_no_features() -> None:
    want = ranker().fit(X, Y, qid=QID)
    plain = frame("pandas")
    for library in "pandas", "pyarrow":
        for name in "qid", "query_id", "Query", "srch_id":
            given = plain.assign(**{name: QID})
            if library == "pyarrow":
                given = __import__("pyarrow").Table.from_pandas(given)
            got = ranker().fit(given, Y)
            equal(got.feature_name_, NAMES, f"features, {library}, {name}")
            equal(got.predict(given), want.predict(X), f"scores, {library}, {name}")
            equal(got.score(given, Y), want.score(X, Y, qid=QID), f"value, {library}, {name}")
    refused(lambda: ranker().fit(plain.assign(query_id=QID), Y, qid=QID), "has a column query_id, which would be a feature beside qid")
    refused(lambda: ranker().fit(plain.assign(query_id=QID, qid=QID), Y), "columns query_id and qid, of which one has the queries")


def search_with_queries() -> None:
    import sklearn
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    with sklearn.config_context(enable_metadata_routing=True):
        routed = ranker()
        search = GridSearchCV(routed, {"num_leaves": [4, 15], "lambdarank_truncation_level": [10]}, cv=GroupKFold(3), error_score="raise")
        search.fit(X, Y, qid=QID, groups=QID)
        assert 0.8 < search.best_score_ <= 1, search.best_score_
        assert search.best_estimator_.get_params()["lambdarank_truncation_level"] == 10
        scores = cross_val_score(routed, X, Y, cv=GroupKFold(3), params={"qid": QID, "groups": QID})
        one = next(GroupKFold(3).split(X, Y, groups=QID))
        alone = ranker().fit(X[one[0]], Y[one[0]], qid=QID[one[0]]).score(X[one[1]], Y[one[1]], qid=QID[one[1]])
        equal(scores[0], alone, "cross_val_score")
        make_pipeline(StandardScaler(), ranker()).fit(X, Y, qid=QID).predict(X)


def training_decides_how_models_are_judged() -> None:
    """score() has the gains and the convention of training, also for grades that the default gain refuses."""
    import sklearn
    from sklearn.model_selection import GridSearchCV, GroupKFold

    sets = dict(eval_set=[(X[CUT:], Y[CUT:])], eval_qid=[QID[CUT:]], eval_at=[10])
    plain = ranker().fit(X[:CUT], Y[:CUT], qid=QID[:CUT], **sets)
    for given in dict(label_gain=[0, 1, 1, 1, 100]), dict(label_gain="linear"), dict(metric_convention="sklearn"), dict(metric_convention="lightgbm", label_gain="linear"):
        r = ranker(**given).fit(X[:CUT], Y[:CUT], qid=QID[:CUT], **sets)
        want = r.evals_result_["valid_0"]["ndcg@10"][-1]
        model = pickle.loads(pickle.dumps(r)).model_
        for judged in model, Model(text=r.model_.text):
            got = lambdamart.evaluate(Y[CUT:], r.predict(X[CUT:]), qid=QID[CUT:], convention=judged.metric_convention, label_gain=judged.label_gain)[0]
            equal(round(got.value, 12), round(want, 12), f"evaluate with {given}")
        equal(round(r.score(X[CUT:], Y[CUT:], qid=QID[CUT:]), 12), round(want, 12), f"score with {given}")
        assert round(plain.score(X[CUT:], Y[CUT:], qid=QID[CUT:]), 6) != round(want, 6), given
        explained = lambdamart.explain(r, Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:]), sample_queries=1000, permutations=1)
        equal(round(1 - explained["losses"]["total"], 9), round(want, 9), f"explain with {given}")
    scores = {"a": plain.predict(X[CUT:]), "b": X[CUT:, 1]}
    found = lambdamart.compare(Y[CUT:], scores, qid=QID[CUT:], label_gain=[0, 1, 1, 1, 100], trials=10, resamples=10)
    equal(found.means["a"], lambdamart.evaluate(Y[CUT:], scores["a"], qid=QID[CUT:], label_gain="0,1,1,1,100")[0].value, "compare")
    steep = 10 * Y
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(ranker(label_gain="linear"), {"num_leaves": [4, 15]}, cv=GroupKFold(3), error_score="raise")
        search.fit(X, steep, qid=QID, groups=QID)
        assert 0.8 < search.best_score_ <= 1, search.best_score_
    refused(lambda: plain.score(X, steep, qid=QID), "labels up to 31")


def in_numpy(metric: str, y: np.ndarray, score: np.ndarray) -> float:
    """The value of a metric over all ranks, for a query whose scores all differ."""
    y = y[np.argsort(-score)]
    rank, relevant = np.arange(1, len(y) + 1), y > 0
    if metric == "map":
        return float((relevant * relevant.cumsum() / rank).sum() / relevant.sum()) if relevant.any() else 1.0
    if metric == "mrr":
        return float(1 / rank[relevant][0]) if relevant.any() else 0.0
    if metric == "rbp:0.8":
        return float((0.2 * 0.8 ** (rank - 1) * relevant).sum())
    stops = (2.0**y - 1) / 16
    return float((np.append(1, (1 - stops).cumprod()[:-1]) * stops / rank).sum())


def metrics_without_a_cutoff_have_all_ranks() -> None:
    """Every function and command that names metrics has the same value for "map", and all ranks count."""
    score = X[:, 1] + 1e-9 * np.arange(len(Y))
    score[np.isnan(score)] = np.arange(np.isnan(score).sum()) - 1000
    other = -score
    data, parts = Dataset(X, Y, qid=QID), [Dataset(X[:CUT], Y[:CUT], qid=QID[:CUT]), Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:])]
    starts = np.cumsum(SIZES)[:-1]
    few = dict(num_iterations=4, min_data_in_leaf=5, num_leaves=4)
    for metric in "map", "mrr", "err", "rbp:0.8":
        values = lambda s: np.array([in_numpy(metric, *query) for query in zip(np.split(Y, starts), np.split(s, starts))])  # noqa: B023, E731
        found = lambdamart.evaluate(Y, score, qid=QID, metrics=[metric])
        equal([f.metric for f in found], [metric], "evaluate")
        np.testing.assert_allclose(found[0].per_query, values(score), atol=1e-12)
        both = lambdamart.compare(Y, {"a": score, "b": other}, qid=QID, metric=metric, trials=10, resamples=10)
        equal(both.metric, metric, "compare")
        np.testing.assert_allclose([*both.means.values()], [values(score).mean(), values(other).mean()], atol=1e-12)
        params = {**few, "metric": metric}
        trained = lambdamart.train(params, *parts[:1], parts[1:])
        value = lambda model, n: lambdamart.evaluate(Y[CUT:], model.predict(X[CUT:], num_iteration=n), qid=QID[CUT:], metrics=metric)[0].value  # noqa: B023, E731
        curve = [value(trained.model, n) for n in range(1, 5)]
        np.testing.assert_allclose(trained.evals_result["valid_0"][metric], curve, atol=1e-12)
        fitted = ranker(n_estimators=4, num_leaves=4).fit(X[:CUT], Y[:CUT], qid=QID[:CUT], eval_set=[(X[CUT:], Y[CUT:])], eval_qid=[QID[CUT:]], eval_metric=metric)
        np.testing.assert_allclose(fitted.evals_result_["valid_0"][metric], curve, atol=1e-12)
        judged = lambdamart.command("eval", data=parts[1], input_model=trained.model, metric=metric, json=True).json()
        np.testing.assert_allclose([r["mean"] for r in judged["results"]], curve[-1], atol=1e-12)
        judged = lambdamart.command("compare", trained.model, trained.model, data=parts[1], metric=metric, json=True, trials=10, resamples=10).json()
        np.testing.assert_allclose([r["mean"] for r in judged["systems"]], [curve[-1]] * 2, atol=1e-12)
        if metric not in ("map", "rbp:0.8"):  # two are enough for studies, which train many times
            continue
        cv = lambdamart.cv(params, data, folds=2)
        equal(list(cv.metrics), [metric], "cv")
        np.testing.assert_allclose(cv.mean, lambdamart.evaluate(Y, cv.scores, qid=QID, metrics=metric)[0].value, atol=1e-12)
        tuned = lambdamart.tune({**params, "folds": 2}, data, search={"learning_rate": "0.1..0.2"}, max_trainings=4, final=False)
        np.testing.assert_allclose([tuned.trials[0]["value"]], [cv.mean], atol=1e-12)
        selected = lambdamart.select({**params, "folds": 2}, data, num_features=7, final=False)
        np.testing.assert_allclose([selected.validation["all"]], [cv.mean], atol=1e-12)
        with tempfile.TemporaryDirectory() as folder:
            shares = lambdamart.command("curve", data=parts[0], valid=parts[1], json=True, output=f"{folder}/curve", **params).json()["shares"]
        np.testing.assert_allclose([shares[-1][metric]], [max(curve)], atol=1e-12)
        with tempfile.TemporaryDirectory() as folder:
            sets = {"train": parts[0], "vali": parts[1], "test": parts[1]}
            judged = lambdamart.command("bench", data=sets, rankers="lambdamart", metric=metric, seeds=1, num_iterations=4, min_data_in_leaf=5, num_leaves=4, output=f"{folder}/bench").text
        assert f"mean {metric} of {max(curve):.4f}" in judged, judged
    several = lambdamart.compare(Y, {"a": score, "b": other}, qid=QID, metric=["map", "ndcg"], trials=10, resamples=10)
    equal((several.metric, [d.metric for d in several.metrics]), ("map", ["map", *(f"ndcg@{k}" for k in range(1, 6))]), "compare by several metrics")
    for d in several.metrics:
        alone = lambdamart.compare(Y, {"a": score, "b": other}, qid=QID, metric=d.metric, trials=10, resamples=10)
        equal((d.difference, d.interval, d.student_t.p), (alone.pairs[0].difference, alone.pairs[0].interval, alone.pairs[0].student_t.p), d.metric)
        equal(alone.metrics, alone.pairs, "one metric")
    by_p = sorted(several.metrics, key=lambda d: d.student_t.p)
    equal(by_p[0].student_t.p_holm, min(1, 6 * by_p[0].student_t.p), "Holm's correction is for all metrics")


def copies() -> None:
    from sklearn.base import clone

    r = ranker(lambdarank_truncation_level=20).fit(X, Y, qid=QID)
    for c in pickle.loads(pickle.dumps(r)), copy.deepcopy(r), copy.copy(r):
        equal(c.predict(X), r.predict(X), "scores of a copy")
    equal(clone(r).get_params(), r.get_params(), "parameters of a clone")
    assert not hasattr(clone(r), "model_")
    with tempfile.TemporaryDirectory() as folder:
        r.model_.save(Path(folder, "m.txt"))
        again = Model(Path(folder, "m.txt"))
        equal(again.text, r.model_.text, "a saved model")
        assert os.listdir(folder) == ["m.txt"], os.listdir(folder)
        again.export("xgboost", Path(folder, "m.json"))
        np.testing.assert_allclose(Model(Path(folder, "m.json")).predict(X), r.predict(X), rtol=1e-5, atol=1e-6)


def churn_of_rankings() -> None:
    """Churn is that of its definition, query by query."""
    x = np.nan_to_num(X)
    systems = {"a": x[:, 0], "b": np.round(x[:, 1], 1), "c": x[:, 0]}
    compared = lambdamart.compare(Y, systems, qid=QID, trials=10, resamples=10, all_pairs=True, churn_at=5, churn_persistence=0.8)
    equal([(c.a, c.b, c.queries) for c in compared.churn], [(p.a, p.b, compared.queries) for p in compared.pairs], "pairs")
    for c in compared.churn:
        figures = []
        for q in np.unique(QID):
            one, two = (list(np.argsort(-systems[n][q == QID], kind="stable")) for n in (c.a, c.b))
            shared = [len(set(one[:d]) & set(two[:d])) / d for d in range(1, len(one) + 1)]
            rbo = sum(0.2 * 0.8 ** (d - 1) * shared[min(d, len(one)) - 1] for d in range(1, 300))
            figures.append((shared[min(5, len(one)) - 1], rbo, one[0] != two[0]))
        np.testing.assert_allclose((c.overlap, c.rbo, c.first_changes), np.mean(figures, axis=0), atol=1e-12)
    equal((compared.churn[1].overlap, compared.churn[1].first_changes), (1.0, 0.0), "a and c are equal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        equal(lambdamart.compare(Y, {"a": X[:, 0], "b": np.where(np.arange(len(Y)) % 7, X[:, 1], np.nan)}, qid=QID, trials=10, resamples=10).churn, [], "a document without a score")


def trec_eval_on_real_qrels() -> None:
    """Values of every query are those of trec_eval, on real qrels, for runs with ties that lack judged documents and queries,
    and that have documents without a judgment."""
    import pytrec_eval

    import sets

    measures = ["map", "map_cut_10", "ndcg", "ndcg_cut_5", "ndcg_cut_10", "P_5", "P_10", "recall_10", "recip_rank", "Rprec", "bpref", "success_1", "success_5"]
    binary = [m for m in measures if not m.startswith("ndcg")]
    seen = []
    for name, judged, run in sets.judged_runs():
        with tempfile.TemporaryDirectory() as folder:
            qrels, ranked, values = *sets.write_run(Path(folder), judged, run), f"{folder}/values.csv"
            for level, chosen in (1, measures), (2, binary):
                lambdamart.command("eval", qrels=qrels, run=ranked, metric=chosen, metric_convention="trec_eval", absent_queries="leave_out", per_query=values, relevance_threshold=level if level > 1 else 0)
                rows = list(csv.reader(Path(values).read_text().splitlines()))
                want = pytrec_eval.RelevanceEvaluator(judged, set(chosen), relevance_level=level).evaluate(run)
                equal([row[0] for row in rows[1:]], list(run), name)
                for row in rows[1:]:
                    np.testing.assert_allclose([float(v) for v in row[2:]], [want[row[0]][m] for m in chosen], atol=1e-12, err_msg=f"{name} {row[0]} {rows[0]}")
        seen.append(name)
    if len(seen) < 3:
        print(f"NOTICE: compared with trec_eval on {seen} alone: the other data is not here")


def segments_of_queries() -> None:
    """Segments are those of scipy, and as the command has them; a wrong one is an error."""
    from scipy import stats

    scores, queries = X[:, 0], np.unique(QID, return_index=True)[1]
    device = np.where(QID % 3 == 0, "phone, old", "other")
    found = lambdamart.evaluate(Y, scores, qid=QID, metrics=["ndcg@5", "map"], by=device)
    equal([(s.metric, s.segment) for s in found.segments], [(m, d) for m in ("ndcg@5", "map") for d in ("other", "phone, old")], "segments")
    for s in found.segments:
        each = next(r.per_query for r in found if r.metric == s.metric)
        inside = device[np.sort(queries)] == s.segment
        test = stats.ttest_ind(each[inside], each[~inside], equal_var=False)
        np.testing.assert_allclose((s.value, s.difference, s.p), (each[inside].mean(), each[inside].mean() - each[~inside].mean(), test.pvalue), rtol=1e-9)
        assert s.queries == inside.sum() and s.interval[0] < s.value < s.interval[1] and s.p_holm >= s.p
    equal(lambdamart.evaluate(Y, scores, qid=QID, metrics=["ndcg@5", "map"], by=device[np.sort(queries)]).segments, found.segments, "one for each query")
    equal(lambdamart.evaluate(Y, scores, qid=QID).segments, [], "no segments")
    rare = np.where(QID == QID[0], "rare", "usual")
    assert any('segment "rare": 1 query is few' in text for text in warned(lambda: lambdamart.evaluate(Y, scores, qid=QID, by=rare)))
    refused(lambda: lambdamart.evaluate(Y, scores, qid=QID, by=np.arange(len(Y))), "by: row 1 is of the segment '1'")
    refused(lambda: lambdamart.evaluate(Y, scores, qid=QID, by=[1, 2]), r"by has the shape \(2,\)")
    refused(lambda: lambdamart.evaluate(Y, scores, qid=QID, by=np.ma.masked_equal(QID, 0)), "by has masked entries")
    for empty in (None, np.nan, ""):
        some = np.where(QID % 3 == 0, empty, device.astype(object))
        names = {s.segment for s in lambdamart.evaluate(Y, scores, qid=QID, by=some).segments}
        equal(names, {"(empty)", "other"}, f"{empty!r}, as in a table")


def evaluation_and_callbacks() -> None:
    sets = dict(eval_set=[(X[CUT:], Y[CUT:])], eval_qid=[QID[CUT:]])
    seen = []
    r = ranker(n_estimators=300, early_stopping_rounds=5).fit(X[:CUT], Y[:CUT], qid=QID[:CUT], eval_at=[5, 10], callbacks=[seen.append], **sets)
    equal(list(r.evals_result_), ["valid_0"], "names of sets")
    equal(list(r.evals_result_["valid_0"]), ["ndcg@5", "ndcg@10"], "metrics")
    for at, want in (None, ["map", "mrr", *(f"ndcg@{k}" for k in range(1, 6))]), ([3], ["map@3", "mrr@3", "ndcg@3"]):
        uncut = ranker().fit(X[:CUT], Y[:CUT], qid=QID[:CUT], eval_metric=["map", "mrr", "ndcg"], eval_at=at, **sets)
        equal(list(uncut.evals_result_["valid_0"]), want, f"metrics with eval_at={at}")
    values = r.evals_result_["valid_0"]["ndcg@10"]
    assert r.n_iter_ == len(values) < 300 and r.best_iteration_ == r.n_iter_ - 5, (r.n_iter_, r.best_iteration_)
    equal(values[r.best_iteration_ - 1], r.best_score_["valid_0"]["ndcg@10"], "best score")
    assert max(values) <= values[r.best_iteration_ - 1] + 1e-12
    equal(round(r.score(X[CUT:], Y[CUT:], qid=QID[CUT:]), 12), round(values[r.best_iteration_ - 1], 12), "score")
    equal([i.iteration for i in seen], list(range(r.n_iter_)), "iterations seen by the callback")
    import lightgbm

    history: dict = {}
    lgb = ranker(n_estimators=300).fit(X[:CUT], Y[:CUT], qid=QID[:CUT], eval_at=[10], callbacks=[lightgbm.early_stopping(5, verbose=False), lightgbm.record_evaluation(history)], **sets)
    equal(lgb.model_.text.split("\nparameters:")[0], r.model_.text.split("\nparameters:")[0], "LightGBM's callback")
    equal(list(history["valid_0"]["ndcg@10"]), lgb.evals_result_["valid_0"]["ndcg@10"], "LightGBM's record_evaluation")

    def fails(iteration) -> None:
        if iteration.iteration == 3:
            raise KeyError("mine")

    def stops(iteration) -> None:
        if iteration.iteration == 3:
            raise lambdamart.StopTraining

    refused(lambda: ranker().fit(X, Y, qid=QID, callbacks=[fails]), "mine", KeyError)
    equal(ranker(n_estimators=50).fit(X, Y, qid=QID, callbacks=[stops]).n_iter_, 4, "iterations after StopTraining")


def counts_include_the_trees_of_an_initial_model() -> None:
    """Iterations are counted as LightGBM counts them when training continues from a model."""
    import contextlib
    import io

    import lightgbm

    old = ranker(n_estimators=20).fit(X[:CUT], Y[:CUT], qid=QID[:CUT])
    sets = dict(qid=QID[:CUT], eval_set=[(X[CUT:], Y[CUT:])], eval_qid=[QID[CUT:]], eval_at=[10])
    theirs = lightgbm.LGBMRanker(n_estimators=2, min_child_samples=5, verbose=-1).fit(X[:CUT], Y[:CUT], group=SIZES[:100], init_model=old.booster_)
    steps = []
    squares = lambda s: steps.append(s.iteration) or (s.score - s.y, np.ones(len(s.y)))  # noqa: E731
    first = lambda s: ("trees", s.iteration, True)  # noqa: E731
    for objective in None, squares:
        seen, history = [], {}
        r = ranker(n_estimators=2, objective=objective).fit(X[:CUT], Y[:CUT], init_model=old, eval_metric=["ndcg", first], callbacks=[seen.append, lightgbm.record_evaluation(history)], **sets)
        equal([r.n_estimators_, r.n_iter_, r.best_iteration_, r.model_.num_trees, r.evaluated_], [22, 22, 22, 22, [21, 22]], "counts")
        equal([theirs.n_estimators_, theirs.n_iter_], [22, 22], "LightGBM's counts")
        equal([(i.iteration, i.begin_iteration, i.end_iteration) for i in seen], [(20, 20, 22), (21, 20, 22)], "iterations that callbacks see")
        equal(history["valid_0"]["trees"], [21.0, 22.0], "trees that metrics see")
        equal(r.predict(X, num_iteration=r.best_iteration_), r.predict(X), "scores at the best iteration")
        equal(r.evals_result_["valid_0"]["ndcg@10"][-1], r.best_score_["valid_0"]["ndcg@10"], "best_score_")
    equal(steps, [20, 21], "trees that objectives see")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "old.txt")
        old.model_.save(path)
        data, valid = Dataset(X[:CUT], Y[:CUT], qid=QID[:CUT]), [Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:])]
        params = {"num_iterations": 60, "min_data_in_leaf": 5, "learning_rate": 0.5, "patience": 4, "eval_at": [10]}
        stop = failing_at(22)
        refused(lambda: lambdamart.train({**params, "snapshot_freq": 1}, data, valid, init_model=path, checkpoint=Path(folder, "c"), callbacks=[stop]), "", KeyError)
        for given in dict(init_model=path), dict(init_model=old.model_), dict(init_model=path, checkpoint=Path(folder, "c")):
            again = {"snapshot_freq": 1, "resume": True} if "checkpoint" in given else {}
            done = lambdamart.train({**params, **again}, data, valid, **given)
            values = done.evals_result["valid_0"]["ndcg@10"]
            equal([done.model.num_trees, done.n_iter, done.evaluated], [done.best_iteration, 20 + len(values), list(range(21, 21 + len(values)))], "early stopping")
            assert done.best_iteration == 21 + int(np.argmax(values)) == done.n_iter - 4, (done.best_iteration, values)
        plain = lambdamart.train({**params, "input_model": path, "patience": 0, "num_iterations": 3}, data, valid)
        equal([plain.n_iter, plain.best_iteration, plain.trees_before], [23, 23, 20], "the parameter input_model")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        ranker(n_estimators=2, verbose=2).fit(X[:CUT], Y[:CUT], init_model=old, **sets)
    assert out.getvalue().startswith("[22]"), out.getvalue()


def training_continues_from_any_model() -> None:
    """init_model is a ranker, a Model, a Training, a path, or LightGBM's Booster or LGBMRanker, in fit and in train."""
    import lightgbm

    old = ranker().fit(X, Y, qid=QID)
    theirs = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=5, verbose=-1).fit(frame("pandas"), Y, group=SIZES)
    data, params = Dataset(frame("pandas"), Y, qid=QID), {"num_iterations": 2, "min_data_in_leaf": 5, "num_threads": 1}
    with tempfile.TemporaryDirectory() as folder:
        path, page = Path(folder, "m.txt"), Path(folder, "page.html")
        old.model_.save(path)
        want = ranker(n_estimators=2).fit(X, Y, qid=QID, init_model=path)
        for model in old, old.model_, str(path), lambdamart.Training(old.model_), old.booster_:  # LightGBM rounds the gains of its booster
            equal(ranker(n_estimators=2).fit(X, Y, qid=QID, init_model=model).predict(X), want.predict(X), f"fit from {type(model).__name__}")
            equal(lambdamart.train(params, Dataset(X, Y, qid=QID), init_model=model).model.predict(X), want.predict(X), f"train from {type(model).__name__}")
        theirs_saved = Path(folder, "theirs.txt")
        theirs.booster_.save_model(theirs_saved)
        want = lambdamart.train(params, data, init_model=theirs_saved).model
        for model in theirs, theirs.booster_:
            equal(lambdamart.train(params, data, init_model=model).model.predict(X), want.predict(X), f"from LightGBM's {type(model).__name__}")
            equal(ranker(n_estimators=2).fit(frame("pandas"), Y, qid=QID, init_model=model).n_estimators_, 7, "trees")
        ranker(n_estimators=2).fit(X, Y, qid=QID, report=page)
        assert "<!DOCTYPE html>" in page.read_text()
        page.unlink()
        lambdamart.train(params, data, report=page)
        assert "<!DOCTYPE html>" in page.read_text()
        stop = failing_at(1)
        for call in (
            lambda **more: ranker(n_estimators=4, snapshot_freq=1).fit(X, Y, qid=QID, checkpoint=Path(folder, "c"), **more),
            lambda **more: lambdamart.train({**params, "num_iterations": 4, "snapshot_freq": 1}, data, checkpoint=Path(folder, "c"), **more),
        ):
            seen = []
            refused(lambda: call(callbacks=[stop]), "", KeyError)  # noqa: B023
            call(resume=True, callbacks=[seen.append])
            assert len(seen) < 4, [s.iteration for s in seen]
            call(resume="auto")
    refused(lambda: ranker().fit(X, Y, qid=QID, init_model=3), "init_model is of the type int; it is a Model", TypeError)
    refused(lambda: ranker().fit(X, Y, qid=QID, init_model=ranker()), "not fitted")


# What LambdaMARTRanker lacks of LGBMRanker 4.7, or does differently: each is in the table of docs/python.md.
NOT_HERE = {"predict": {"kwargs"}}
OTHER_DEFAULTS = {"fit": {"y": None, "eval_at": None, "categorical_feature": None}}
NO_ATTRIBUTES_HERE = {"fitted_", "feature_names_in_"}  # of arrays


def signatures_are_those_of_lightgbm() -> None:
    """Every parameter and attribute of LGBMRanker exists here in the same position, or is one of the exceptions above."""
    import inspect

    import lightgbm

    for method in "__init__", "fit", "predict":
        theirs = dict(inspect.signature(getattr(lightgbm.LGBMRanker, method)).parameters)
        mine = inspect.signature(getattr(LambdaMARTRanker, method)).parameters
        for name in NOT_HERE.get(method, ()):
            assert name not in mine and theirs.pop(name)
        equal([n for n in theirs if n not in mine], [], f"{method}: parameters that are not here")
        positional = [n for n, p in theirs.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
        equal([n for n, p in mine.items() if p.kind is p.POSITIONAL_OR_KEYWORD], positional, f"{method}: order")
        for name, p in theirs.items():
            other = OTHER_DEFAULTS.get(method, {})
            equal(mine[name].default, other.get(name, None) if name in other else p.default, f"{method}: default of {name}")
    sets = dict(group=SIZES[:100], eval_X=X[CUT:], eval_y=Y[CUT:], eval_group=[SIZES[100:]])
    theirs = lightgbm.LGBMRanker(n_estimators=12, min_child_samples=5, verbose=-1).fit(X[:CUT], Y[:CUT], **sets)
    mine = ranker().fit(X[:CUT], Y[:CUT], **sets)
    attributes = {n for n in [*vars(theirs), *dir(type(theirs))] if n.endswith("_") and not n.startswith("_")}
    equal(sorted(n for n in attributes - NO_ATTRIBUTES_HERE if not hasattr(mine, n)), [], "attributes that are not here")
    for name in "n_features_", "n_features_in_", "n_estimators_", "n_iter_", "objective_", "feature_name_":
        equal(getattr(mine, name), getattr(theirs, name), name)
    for name in "best_score_", "evals_result_":
        equal({s: list(m) for s, m in getattr(mine, name).items()}, {s: list(m) for s, m in getattr(theirs, name).items()}, name)
    LambdaMARTRanker(**{**theirs.get_params(), "verbose": 0}).fit(X, Y, group=SIZES)
    refused(lambda: ranker(class_weight="balanced").fit(X, Y, group=SIZES), "give sample_weight")


def calls_of_lightgbm_work() -> None:
    """fit and predict are called as LGBMRanker's are."""
    import pandas

    weight = 0.5 + np.arange(len(Y)) % 3
    by_place = ranker().fit(X, Y, weight, None, SIZES).model_.text
    equal(by_place, ranker().fit(X, Y, qid=QID, sample_weight=weight).model_.text, "weights by place")
    rest, valid = dict(group=SIZES[:100]), (X[CUT:], Y[CUT:])
    want = ranker().fit(X[:CUT], Y[:CUT], eval_set=[valid], eval_group=[SIZES[100:]], **rest).evals_result_
    for x, y in (valid, ((valid[0],), (valid[1],))):
        equal(ranker().fit(X[:CUT], Y[:CUT], eval_X=x, eval_y=y, eval_group=[SIZES[100:]], **rest).evals_result_, want, "eval_X")
    two = ranker().fit(X[:CUT], Y[:CUT], eval_X=(X[CUT:], X), eval_y=(Y[CUT:], Y), eval_qid=[QID[CUT:], QID], **rest).evals_result_
    equal([list(two), two["valid_0"]], [["valid_0", "valid_1"], want["valid_0"]], "two sets")
    for given, pattern in [
        (dict(eval_X=valid[0]), "give both"),
        (dict(eval_y=valid[1]), "give both"),
        (dict(eval_X=(valid[0],), eval_y=valid[1]), "two tuples"),
        (dict(eval_X=(valid[0],), eval_y=(valid[1], valid[1])), "two tuples"),
        (dict(eval_X=valid[0], eval_y=valid[1], eval_set=[valid]), "not both"),
    ]:
        refused(lambda given=given: ranker().fit(X[:CUT], Y[:CUT], eval_group=[SIZES[100:]], **rest, **given), pattern)
    refused(lambda: ranker().fit(X[:CUT], Y[:CUT], eval_X=valid[0], eval_y=valid[1], **rest), "qid|group")

    named = ranker().fit(frame("pandas"), Y, group=SIZES)
    scores = named.predict(frame("pandas"), False, 0, None, False, False, True)
    equal(scores.tolist(), named.predict(X).tolist(), "validate_features")
    other: pandas.DataFrame = frame("pandas")[NAMES[::-1]]
    equal(named.predict(other).tolist(), scores.tolist(), "columns by name")
    refused(lambda: named.predict(other, validate_features=True), "column 0 of the frame is 'h', and feature 0 of the model is 'a'")
    refused(lambda: named.predict(frame("pandas").assign(z=1), validate_features=True), "9 columns")


def predictions_are_those_of_lightgbm() -> None:
    """predict gives probabilities with binary and cross_entropy, and what LightGBM's gives with its other objectives."""
    import lightgbm

    given = {"num_leaves": 7, "min_child_samples": 5, "verbose": -1, "num_threads": 1}
    objectives = {"binary": Y > 1, "cross_entropy": Y / 4, "cross_entropy_lambda": Y / 4, "poisson": Y, "gamma": Y + 1.0, "tweedie": Y, "regression": Y}
    for name, labels in objectives.items():
        params = {**given, "objective": name, **({"sigmoid": 0.7} if name == "binary" else {}), **({"reg_sqrt": True} if name == "regression" else {})}
        theirs = lightgbm.train(params, lightgbm.Dataset(X, labels, group=SIZES), 12)
        mine = lambdamart.Model.from_lightgbm(theirs)
        np.testing.assert_allclose(mine.predict(X), theirs.predict(X), rtol=1e-14)
        equal(mine.predict(X, raw_score=True).tolist(), theirs.predict(X, raw_score=True).tolist(), f"{name}: sums")
        if name in ("binary", "cross_entropy"):
            equal(mine.predict(X, probability=True).tolist(), mine.predict(X).tolist(), name)
        else:
            refused(lambda: mine.predict(X, probability=True), "not probabilities; lambdamart calibrate")  # noqa: B023
    for name, sigmoid in ("binary", 0.7), ("cross_entropy", 1):
        r = ranker(objective=name, sigmoid=sigmoid).fit(X, objectives[name], group=SIZES)
        theirs = r.model_.to_lightgbm()
        np.testing.assert_allclose(r.predict(X), theirs.predict(X), rtol=1e-14)
        equal(r.predict(X, raw_score=True).tolist(), theirs.predict(X, raw_score=True).tolist(), f"{name}: sums")
        equal(r.predict(X, num_iteration=2).tolist(), r.model_.predict(X.astype(np.float32), num_iteration=2).tolist(), "of a part, and of float32")
        equal(r.predict_proba(X)[:, 1].tolist(), r.predict(X).tolist(), "predict_proba")
        y = objectives[name]
        judged = ranker(objective=name, sigmoid=sigmoid, metric="log_loss").fit(X, y, group=SIZES, eval_set=[(X, y)], eval_group=[SIZES])
        loss = -(y * np.log(p := judged.predict(X)) + (1 - y) * np.log(1 - p)).mean()
        np.testing.assert_allclose(judged.evals_result_["valid_0"]["log_loss"][-1], loss, rtol=1e-9)
    assert not hasattr(ranker(), "predict_proba") and not hasattr(ranker().fit(X, Y, group=SIZES), "predict_proba")
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder, "data.tsv")).write_text("".join("\t".join(map(repr, [0.0, *row])) + "\n" for row in X.tolist()))
        equal(r.model_.predict(path, group_column="none").tolist(), r.predict(X).tolist(), "of a file")


def calibrated_models_have_probabilities() -> None:
    """calibrate gives probabilities, keeps scores, and LightGBM reads the model with its calibration."""
    r = ranker().fit(X[:CUT], Y[:CUT], group=SIZES[:100])
    scores = r.predict(X)
    refused(lambda: r.model_.predict(X, probability=True), "not probabilities")
    for kind, event in ("auto", 2), ("platt", np.float32(2)), ("isotonic", "grade>=2"):
        assert r.calibrate(X[CUT:], Y[CUT:], group=SIZES[100:], calibration=kind, calibration_label=event) is r
        equal(r.predict(X).tolist(), scores.tolist(), "scores")
        p = r.predict_proba(X)[:, 1]
        order = np.argsort(scores, kind="stable")
        assert (np.diff(p[order])[np.diff(scores[order]) > 0] > 0).all() and 0 < p.min() and p.max() < 1
        assert abs(p[CUT:].mean() - (Y[CUT:] >= 2).mean()) < 0.02, p[CUT:].mean()
        equal(pickle.loads(pickle.dumps(r)).predict_proba(X)[:, 1].tolist(), r.model_.predict(X, probability=True).tolist(), "pickled")
        equal(r.booster_.predict(X).tolist(), scores.tolist(), "LightGBM reads it")
    fitted = ranker(calibration="isotonic", calibration_label="grade>=2").fit(X[:CUT], Y[:CUT], group=SIZES[:100], eval_set=[(X[CUT:], Y[CUT:])], eval_group=[SIZES[100:]])
    equal(fitted.predict_proba(X).tolist(), r.predict_proba(X).tolist(), "calibration in training")
    refused(lambda: ranker(calibration="platt").fit(X, Y, group=SIZES), "calibration=platt: it needs a validation set")
    good = Y >= 2
    bins = np.array_split(np.argsort(p, kind="stable"), 15)  # of 15 sizes that may differ by one
    values = {e.metric: e.value for e in lambdamart.evaluate(Y, p, qid=QID, metrics=["log_loss", "ece", "brier"], calibration_label=2)}
    want = {"log_loss": -np.where(good, np.log(p), np.log(1 - p)).mean(), "brier": ((p - good) ** 2).mean(), "ece": sum(abs(p[b].sum() - good[b].sum()) for b in bins) / len(p)}
    assert list(values) == ["log_loss", "ece", "brier"]
    for name, value in want.items():
        assert abs(values[name] - value) < (1e-12 if name != "ece" else 0.01), (name, values[name], value)
    refused(lambda: lambdamart.evaluate(Y, scores, qid=QID, metrics="ece"), "judge probabilities, from 0 to 1; lambdamart calibrate")
    refused(lambda: lambdamart.evaluate(Y, p, qid=QID, calibration_label="grade>=2"), "is for metric=ece")
    refused(lambda: r.calibrate(X, Y, calibration_label=9), "both outcomes")
    for event in (np.nan, np.inf, "grade>2", None):
        refused(lambda: r.calibrate(X, Y, calibration_label=event), "the smallest grade of the event")
    refused(lambda: r.calibrate(X, Y, calibration="beta"), "auto, isotonic or platt")
    refused(lambda: r.calibrate(X, Y[:-1]), f"X has {len(Y)} rows, and y has {len(Y) - 1}")
    refused(lambda: r.calibrate(X, Y, sample_weight=np.ma.masked_equal(Y, 0)), "sample_weight has masked entries")
    weight = 0.5 + np.arange(len(SIZES) - 100)
    each, whole = (r.model_.calibrated(X[CUT:], Y[CUT:], group=SIZES[100:], sample_weight=w).text for w in (weight, np.repeat(weight, SIZES[100:])))
    equal(each, whole, "weights of queries")
    refused(lambda: r.calibrate(X, np.where(Y > 1, np.nan, Y)), r"the label of row \d+ is NaN")
    refused(lambda: r.calibrate(X, Y, sample_weight=np.where(Y > 1, -1.0, 1)), r"the weight of row \d+ is -1")


def callbacks_of_lightgbm() -> None:
    """LightGBM's callbacks work in fit and train as in LightGBM, or are refused by name."""
    import lightgbm

    rates = [0.3, 0.2, 0.1, 0.05]
    sets = dict(group=SIZES[:100], eval_X=(X[CUT:], X), eval_y=(Y[CUT:], Y), eval_group=[SIZES[100:], SIZES])

    def shrinkages(text: str) -> list[str]:
        return re.findall(r"shrinkage=(\S+)", text)

    for rate in rates, lambda i: rates[i]:
        mine, theirs = {"old": 1}, {"old": 1}
        reset = lambda into: [lightgbm.reset_parameter(learning_rate=rate), lightgbm.record_evaluation(into)]  # noqa: B023, E731
        r = ranker(n_estimators=4, eval_at=[3, 10]).fit(X[:CUT], Y[:CUT], callbacks=reset(mine), **sets)
        g = lightgbm.LGBMRanker(n_estimators=4, min_child_samples=5, verbose=-1).fit(X[:CUT], Y[:CUT], eval_at=[3, 10], callbacks=reset(theirs), **sets)
        equal(shrinkages(r.model_.text), [f"{s:g}" for s in rates], "rates")
        equal({s: {m: len(v) for m, v in ms.items()} for s, ms in mine.items()}, {s: {m: len(v) for m, v in ms.items()} for s, ms in theirs.items()}, "record_evaluation")
        equal([(s, list(ms)) for s, ms in mine.items()], [(s, list(ms)) for s, ms in theirs.items()], "order of record_evaluation")
        equal(mine, r.evals_result_, "record_evaluation and evals_result_")
        assert g.booster_.num_trees() == r.booster_.num_trees() == 4
    data, valid = Dataset(X[:CUT], Y[:CUT], qid=QID[:CUT]), [Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:])]
    history: dict = {}
    params = {"num_iterations": 6, "min_data_in_leaf": 5, "learning_rate": 0.7}
    given = [lightgbm.reset_parameter(eta=lambda i: 0.1), lightgbm.record_evaluation(history)]
    done = lambdamart.train(params, data, valid, callbacks=given)
    equal(shrinkages(done.model.text), ["0.1"] * 6, "train with a schedule")
    with tempfile.TemporaryDirectory() as folder:  # restored iterations are recorded too
        kept = dict(checkpoint=Path(folder, "c"))
        stop = failing_at(3)
        refused(lambda: lambdamart.train({**params, "learning_rate": 0.1, "snapshot_freq": 1}, data, valid, callbacks=[stop], **kept), "", KeyError)
        resumed: dict = {}
        lambdamart.train({**params, "learning_rate": 0.1, "resume": True}, data, valid, callbacks=[lightgbm.record_evaluation(resumed)], **kept)
        equal(resumed, history, "record_evaluation from a checkpoint")
    several = dict(eval_metric=["ndcg", "map"], eval_at=[5], **sets)
    early = ranker(n_estimators=60).fit(X[:CUT], Y[:CUT], callbacks=[lightgbm.early_stopping(5, verbose=False)], **several)
    equal(early.model_.text, ranker(n_estimators=60, early_stopping_rounds=5, first_metric_only=False).fit(X[:CUT], Y[:CUT], **several).model_.text, "any metric stops")
    off = ranker(n_estimators=9).fit(X[:CUT], Y[:CUT], callbacks=[lightgbm.early_stopping(0), lightgbm.log_evaluation(0)], **sets)
    equal(off.n_iter_, 9, "early_stopping(0)")
    fit = lambda c, **more: ranker(n_estimators=4, **more).fit(X, Y, group=SIZES, callbacks=[c])  # noqa: E731
    refused(lambda: fit(lightgbm.reset_parameter(learning_rate=rates[:3])), "3 rates for 4 iterations")
    refused(lambda: fit(lightgbm.reset_parameter(bagging_fraction=[1] * 4)), "reset_parameter.bagging_fraction=")
    refused(lambda: fit(lightgbm.reset_parameter(learning_rate=0.1)), "a list or a function")
    refused(lambda: fit(lightgbm.early_stopping(5, min_delta=[0.1, 0.2])), "min_delta")
    refused(lambda: fit(lightgbm.early_stopping), "early_stopping")

    class Before:
        before_iteration = True

        def __call__(self, env) -> None: ...

    refused(lambda: fit(Before()), "Before wants to be called before iterations")
    order: list = []
    late, soon = lambda i: order.append("late"), lambda i: order.append("soon")  # noqa: E731
    late.order = 40
    ranker(n_estimators=1).fit(X, Y, group=SIZES, callbacks=[late, soon])
    equal(order, ["soon", "late"], "LightGBM's order of callbacks")
    refused(lambda: lambdamart.train(params, data, 100), "num_boost_round is a parameter", TypeError)
    lambdamart.train(params, data, None)


def ensembles_report_their_own_value() -> None:
    """best_score_ and callbacks have the value of the ensemble, and evals_result_ the curve of each model."""
    import lightgbm

    seen, history = [], {}
    sets = dict(qid=QID[:CUT], eval_set=[(X[CUT:], Y[CUT:])], eval_qid=[QID[CUT:]], eval_at=[3, 10])
    two = dict(num_models=2, feature_fraction=0.5, n_estimators=9, early_stopping_rounds=4)
    r = ranker(**two).fit(X[:CUT], Y[:CUT], callbacks=[seen.append, lightgbm.record_evaluation(history)], **sets)
    value = lambdamart.evaluate(Y[CUT:], r.predict(X[CUT:]), qid=QID[CUT:], metrics=["ndcg@10"])[0].value
    assert abs(r.best_score_["valid_0"]["ndcg@10"] - value) < 1e-12, (r.best_score_, value)
    equal(list(r.best_score_), ["valid_0"], "sets of best_score_")
    equal(list(r.evals_result_), ["valid_0", "model_1.valid_0", "model_2.valid_0"], "sets")
    equal(r.evals_result_["valid_0"]["ndcg@10"], [r.best_score_["valid_0"]["ndcg@10"]], "the ensemble")
    alone = ranker(**{**two, "num_models": 1}).fit(X[:CUT], Y[:CUT], **sets)
    equal(r.evals_result_["model_1.valid_0"], alone.evals_result_["valid_0"], "the first model is trained as if alone")
    equal(history, r.evals_result_, "record_evaluation")
    equal(r.evaluated_, [r.best_iteration_], "evaluated_")
    rare = ranker(**{**two, "early_stopping_rounds": None}, metric_freq=2).fit(X[:CUT], Y[:CUT], **sets)
    equal(rare.models_evaluated_["model_2.valid_0"][:3], [2, 4, 6], "models_evaluated_")
    equal(len(lambdamart.plot_metric(rare, "ndcg@10").lines), 3, "curves")
    equal(sorted({i.member for i in seen}), [0, 1, 2], "models that callbacks see")
    last = {(e.dataset_name, e.metric_name): e.metric_value for e in seen[-1].evaluation_result_list}
    equal([seen[-1].member, last["valid_0", "ndcg@10"]], [0, r.best_score_["valid_0"]["ndcg@10"]], "the last call")
    assert all(e.dataset_name == f"model_{i.member}.valid_0" for i in seen[:-1] for e in i.evaluation_result_list)
    error = lambda y, score: ("off", float(np.abs(y - score).mean()), False)  # noqa: E731
    own = ranker(**two).fit(X[:CUT], Y[:CUT], eval_metric=[error], **{**sets, "eval_at": None})
    equal(own.best_score_["valid_0"]["off"], error(Y[CUT:], own.predict(X[CUT:]))[1], "a metric that falls")
    equal(ranker(**{**two, "early_stopping_rounds": None}).fit(X, Y, qid=QID).best_score_, {}, "without validation")


def lambdarank_in_numpy(s: lambdamart.Scored) -> tuple[np.ndarray, np.ndarray]:
    """LambdaRank of all queries at once, with lambdarank_ties=file: queries are rows of padded matrices."""
    longest, there = s.group.max(), np.arange(s.group.max()) < s.group[:, None]
    padded = lambda values, fill: np.where(there, np.append(values, fill)[np.where(there, s.starts[:, None] + np.arange(longest), -1)], fill)  # noqa: E731
    order = np.argsort(-padded(s.score, -np.inf), axis=1, kind="stable")
    sort = lambda x: np.take_along_axis(x, order, axis=1)  # noqa: E731
    gain, score, there_sorted = sort(padded(2.0**s.y - 1, 0)), sort(padded(s.score, 0)), sort(there)
    discount = 1 / np.log2(2 + np.arange(longest))
    best = (np.sort(padded(2.0**s.y - 1, 0), axis=1)[:, ::-1][:, :30] * discount[:30]).sum(axis=1)
    rank = np.arange(longest)
    pairs = (gain[:, :, None] > gain[:, None, :]) & (np.minimum.outer(rank, rank) < 30) & there_sorted[:, :, None] & there_sorted[:, None, :]
    gap = score[:, :, None] - score[:, None, :]
    delta = (gain[:, :, None] - gain[:, None, :]) * np.abs(np.subtract.outer(discount, discount)) / np.maximum(best, 1e-300)[:, None, None] * pairs
    last = np.take_along_axis(score, (s.group - 1)[:, None], axis=1)
    delta = np.where((score[:, :1] != last)[:, :, None], delta / (float(np.float32(0.01)) + np.abs(gap)), delta)
    wrong = 1 / (1 + np.exp(np.where(pairs, gap, 0)))
    force, curvature = delta * wrong, delta * wrong * (1 - wrong)
    total = 2 * force.sum(axis=(1, 2))
    norm = np.where(total > 0, np.log2(1 + total) / np.where(total > 0, total, 1), 1)[:, None]
    unsort = lambda x: np.take_along_axis(x, np.argsort(order, axis=1), axis=1)[there]  # noqa: E731
    return unsort(norm * (force.sum(axis=1) - force.sum(axis=2))), unsort(norm * (curvature.sum(axis=1) + curvature.sum(axis=2)))


def trees_of(r: LambdaMARTRanker) -> str:
    """Returns the trees of a model as text, without its names and parameters."""
    text = r.model_.text
    return text[text.index("Tree=0") : text.index("end of trees")]


def own_objectives_and_metrics() -> None:
    squares = lambda y, score: (score - y, np.ones(len(y)))  # noqa: E731
    weighted = lambda y, score, weight, group: ((score - y) * weight, np.ones(len(y)) * weight)  # noqa: E731
    weights = 0.5 + rng.random(len(QID))

    def query_rmse(s: lambdamart.Scored):
        error = s.score - s.y
        return error - (np.add.reduceat(error, s.starts) / s.group)[s.query], np.ones(len(s.y))

    plain = dict(objective="regression", boost_from_average=False)
    for bagged in {}, dict(subsample=0.6, subsample_freq=1, random_state=3):
        want = ranker(**plain, **bagged).fit(X, Y, qid=QID)
        equal(trees_of(ranker(objective=squares, **bagged).fit(X, Y, qid=QID)), trees_of(want), "squared errors in NumPy")
    want = ranker(**plain).fit(X, Y, qid=QID, sample_weight=weights)
    equal(trees_of(ranker(objective=weighted).fit(X, Y, qid=QID, sample_weight=weights)), trees_of(want), "weighted squared errors in NumPy")
    equal(ranker(objective=squares).fit(X, Y, qid=QID).model_.text.split("\n")[6], "objective=custom", "objective of the model")
    mine, theirs = ranker(objective=query_rmse).fit(X, Y, qid=QID), ranker(objective="query_rmse").fit(X, Y, qid=QID)
    np.testing.assert_allclose(mine.predict(X), theirs.predict(X), atol=1e-9)
    mine, theirs = ranker(objective=lambdarank_in_numpy, n_estimators=30).fit(X, Y, qid=QID), ranker(n_estimators=30, lambdarank_ties="file").fit(X, Y, qid=QID)
    np.testing.assert_allclose(mine.predict(X), theirs.predict(X), atol=1e-9)

    kept = []

    def rmse(y, score):
        kept.append((score, score.copy()))
        return "rmse", float(np.sqrt(np.mean((score - y) ** 2))), False

    def several(s: lambdamart.Scored):
        assert s.name in ("training", "valid_0") and len(s.qid) == len(s.y) and (np.diff(s.query) >= 0).all() and s.group.sum() == len(s.y)
        return [("first", s.score.mean(), True), ("trees", s.iteration, True)]

    sets = dict(eval_set=[(X[CUT:], Y[CUT:])], eval_qid=[[f"q{i}" for i in QID[CUT:]]])
    ndcg = lambda s: lambdamart.evaluate(s.y, s.score, group=s.group, metrics="ndcg@3")[0].value  # noqa: E731
    r = ranker(n_estimators=200, early_stopping_rounds=5, is_training_metric=True, objective=squares)
    r.fit(X[:CUT], Y[:CUT], qid=QID[:CUT], eval_metric=[rmse, several, "ndcg@3", ndcg], **sets)
    values = r.evals_result_["valid_0"]
    equal(list(values), ["ndcg@3", "rmse", "first", "trees", "lambda"], "names of metrics")
    equal([round(v, 12) for v in values["ndcg@3"]], [round(v, 12) for v in values["lambda"]], "nDCG from Python and from the trainer")
    equal(values["trees"], list(map(float, range(1, r.n_iter_ + 1))), "trees that metrics see")
    assert r.best_iteration_ == int(np.argmin(values["rmse"])) + 1 == r.n_iter_ - 5 < 195, (r.best_iteration_, r.n_iter_)
    np.testing.assert_allclose(values["rmse"][r.best_iteration_ - 1], np.sqrt(np.mean((r.predict(X[CUT:]) - Y[CUT:]) ** 2)), rtol=1e-12)
    assert all((now == then).all() for now, then in kept), "scores that a function kept have changed"
    builtin = ranker().fit(X[:CUT], Y[:CUT], qid=QID[:CUT], eval_metric=several, **sets)
    equal(builtin.evals_result_["valid_0"]["trees"], list(map(float, range(1, 13))), "trees that metrics see with a built-in objective")
    binned = Dataset(X[:CUT], Y[:CUT], qid=QID[:CUT]).bin()
    fit = dict(eval_set=[Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:]).bin(reference=binned)], eval_metric=rmse)
    equal(trees_of(ranker(n_estimators=200, early_stopping_rounds=5, objective=squares).fit(binned, **fit)), trees_of(r), "on binned data")

    def broken(y, score):
        return {"shape": (y[:-1], y), "one": y, "nan": (np.where(np.arange(len(y)) == 17, np.nan, score - y), np.ones(len(y))), "minus": (y, -np.ones(len(y))), "masked": (np.ma.array(score - y, mask=y > 1), np.ones(len(y))), "complex": (score - y, np.ones(len(y)) + 1j), "texts": (["1"] * len(y), np.ones(len(y)))}[how]

    for how, words in {"shape": r"shape \(\d+,\) for \d+ rows", "one": "returned ndarray", "nan": "broken.*NaN|NaN.*broken", "minus": "broken", "masked": "broken returned first.* masked", "complex": "broken returned second derivatives of the type complex", "texts": "broken returned first derivatives of the type <U1"}.items():
        refused(lambda: ranker(objective=broken).fit(X, Y, qid=QID), words)
    refused(lambda: ranker(objective=lambda y, s: 1 / 0).fit(X, Y, qid=QID), "division", ZeroDivisionError)
    refused(lambda: ranker(objective=lambda a, b, c, d, e: 0).fit(X, Y, qid=QID), "takes 5 arguments", TypeError)
    fit = lambda metric, **more: ranker(**more).fit(X[:CUT], Y[:CUT], qid=QID[:CUT], eval_metric=metric, **sets)  # noqa: E731
    refused(lambda: fit(lambda y, s: {}["x"]), "x", KeyError)
    refused(lambda: fit(lambda y, s: ("a b", 1.0, True)), "'a b' has commas or white space")
    refused(lambda: fit(lambda y, s: ("a", float("nan"), True)), "metric a is nan on valid_0")
    for higher in np.int64(1), 1.0, np.array(True):
        fit(lambda y, s: ("a", 1.0, higher))
    for returned in None, [], np.ones(2), ("a", 1.0), ("a", 1.0, "no"), ("a", None, True), ("a", 1j, True), [("a", 1.0, True), None]:
        refused(lambda: fit(lambda y, s: returned), r"the metric <lambda> returned .*; it returns \(name, value, whether higher is better\)")
    calls = iter(range(100))
    try:
        ranker(objective=lambda y, s: (s - y, np.full(len(y), 1.0 if next(calls) < 4 else np.nan))).fit(X, Y, qid=QID)
    except lambdamart.TrainingFailed as error:
        equal(pickle.loads(pickle.dumps(error)).model.num_trees, 4, "trees before a wrong objective")
        assert "with it as init_model, num_iterations=8 continues" in str(error), error
    else:
        raise AssertionError("NaN is no error")
    refused(lambda: fit([rmse, rmse]), 'name "rmse"')
    refused(lambda: fit(rmse, early_stopping_rounds=3, stop_metric="rmsee"), "rmsee")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranker(objective=squares, sigmoid=2).fit(X, Y, qid=QID, eval_metric=rmse)
    assert [re.search("is not evaluated|sigmoid=2 has no effect with an objective of your own", str(w.message)) is not None for w in caught] == [True, True], [str(w.message) for w in caught]
    equal({w.filename for w in caught}, {__file__}, "files that warnings name")


def categorical_columns() -> None:
    """Categories are numbered, the model stores their values, and LightGBM reads them."""
    import pandas
    import pyarrow

    rng = np.random.default_rng(5)
    colors = np.array([f"c{i}" for i in range(12)])
    color, size = rng.integers(0, 12, len(QID)), rng.integers(0, 3, len(QID))
    y = np.clip(np.round(rng.normal(0, 1, 12)[color] + 2 * np.nan_to_num(X[:, 0]) + (size == 2)), 0, 4)
    missing = rng.random(len(QID)) < 0.05
    data = pandas.DataFrame({
        "a": X[:, 0],
        "color": pandas.Categorical(np.where(missing, None, colors[color])),
        "number": pandas.Categorical(10 * size),
        "size": pandas.Categorical(np.array(["S", "M", "L"])[size], categories=["S", "M", "L"], ordered=True),
    })
    given = dict(n_estimators=15, min_child_samples=5, min_data_per_group=5, n_jobs=2)
    fit = lambda x=data, **more: LambdaMARTRanker(**given).fit(x, y, qid=QID, **more)  # noqa: E731
    r = fit()
    numbers = np.column_stack([data["a"], *(np.where(c.cat.codes < 0, np.nan, c.cat.codes) for c in (data["color"], data["number"], data["size"]))])
    equal(trees_of(fit(numbers, categorical_feature=[1, 2])), trees_of(r), "a matrix of the numbers")
    equal(trees_of(fit(pandas.DataFrame(numbers, columns=list(data)), categorical_feature=["number", "color"])), trees_of(r), "a frame of the numbers, and features by name")
    assert re.search("num_cat=[1-9]", r.model_.text), "no split of categories"
    assert trees_of(fit(numbers)) != trees_of(r), "the categories make no difference"
    equal(r.model_.categories, [sorted(colors), [0, 10, 20], ["S", "M", "L"]], "categories of the model")
    turned = data.assign(color=pandas.Categorical(data["color"].astype(object), categories=["new", *colors[::-1]]))
    scores = r.predict(data)
    equal(r.predict(numbers), scores, "scores of the numbers")
    equal(r.predict(turned), scores, "categories in another order")
    equal(r.booster_.predict(turned), scores, "categories in another order, in LightGBM")
    equal(r.model_.predict(turned.assign(other="x")[["other", *data.columns[::-1]]].astype({"other": "category"})), scores, "categories and columns in another order")
    unknown = data.assign(color=pandas.Categorical(["new"] * len(QID)))
    equal(r.predict(unknown), r.predict(data.assign(color=pandas.Categorical([None] * len(QID), categories=["c1"]))), "an unknown category is missing")
    arrow = pyarrow.table({"a": X[:, 0], **{n: pyarrow.array(data[n].astype(object).where(data[n].notna(), None).tolist()).dictionary_encode() for n in ("color", "number", "size")}})
    equal(r.predict(arrow), scores, "scores of arrow")
    again = LambdaMARTRanker(**given).fit(arrow, y, qid=QID)  # numbers its categories by where they first come
    equal(again.predict(data.astype({"size": pandas.CategoricalDtype(["S", "M", "L"])})), again.predict(arrow), "a model of arrow")
    with tempfile.TemporaryDirectory() as folder:
        r.model_.save(Path(folder, "m.txt"))
        for again in Model(Path(folder, "m.txt")), pickle.loads(pickle.dumps(r.model_)), copy.deepcopy(r).model_:
            equal(again.predict(turned), scores, "a copy of the model")
        table = pandas.DataFrame(numbers, columns=list(data)).assign(label=y)
        table.to_csv(Path(folder, "data.csv"), index=False, float_format="%.17g")
        np.savetxt(Path(folder, "data.csv.query"), SIZES, fmt="%d")
        ours.train(Path(folder, "data.csv"), Path(folder, "cli.txt"), header="true", label_column="name:label", categorical_feature="name:color,number", num_iterations=15, min_data_in_leaf=5, min_data_per_group=5)
        equal(trees_of(r), (t := Path(folder, "cli.txt").read_text())[t.index("Tree=0") : t.index("end of trees")], "the command line")
    sets = dict(eval_set=[(turned.iloc[CUT:], y[CUT:])], eval_qid=[QID[CUT:]])
    straight = dict(eval_set=[(data.iloc[CUT:], y[CUT:])], eval_qid=[QID[CUT:]])
    equal(fit(**sets).evals_result_, fit(**straight).evals_result_, "a validation set with its categories in another order")
    binned = Dataset(data, y, qid=QID).bin()
    params = {"num_iterations": 15, "min_data_in_leaf": 5, "min_data_per_group": 5}
    trained = lambdamart.train(params, binned, [Dataset(turned, y, qid=QID), Dataset(turned, y, qid=QID).bin(reference=binned)])
    equal(trained.model.predict(turned), scores, "binned data")
    equal(*trained.evals_result.values(), "validation sets, binned or not")
    whole = lambdamart.cv(params, Dataset(data, y, qid=QID), folds=3, final=True).model
    equal(whole.predict(turned), whole.predict(data), "the final model of a cross-validation")
    more = fit(turned.assign(color=turned["color"].cat.remove_categories("new")), init_model=r)
    equal(more.predict(turned), more.booster_.predict(data), "a training that continues")
    equal(more.model_.categories, r.model_.categories, "its categories")
    refused(lambda: fit(turned, init_model=r), "color has the category 'new', which the initial model does not know")
    refused(lambda: r.predict(data.assign(color=0.0)), "X has 2 categorical columns .number, size., and training had 3")
    refused(lambda: ranker().fit(X[:, :4], Y, qid=QID).model_.predict(data.set_axis(["Column_0", "Column_1", "Column_2", "Column_3"], axis=1)), "training|trained", TypeError)
    refused(lambda: fit(eval_set=[(numbers, y)], eval_qid=[QID]), "validation set 0 has 0 categorical columns .none., and training had 3")
    refused(lambda: fit(categorical_feature=["shade"]), "categorical_feature=shade")
    refused(lambda: fit(numbers, categorical_feature=["color"]), "have no names; give their numbers")
    refused(lambda: LambdaMARTRanker(cat_feature="0", **given).fit(numbers, y, qid=QID, categorical_feature=[1]), "cat_feature.*two names")


def tables_of_categorical_columns() -> None:
    """The command and LightGBM score a table as Python scores the frame, whatever the types of its categories are."""
    import lightgbm
    import pandas

    rng = np.random.default_rng(3)
    n = 1000
    size, shop = rng.integers(0, 3, n), rng.integers(0, 4, n)
    brand = np.where(rng.random(n) < 0.05, None, np.array(["b", "a", "c"])[rng.integers(0, 3, n)])
    data = pandas.DataFrame({
        "price": rng.normal(size=n),
        "flag": rng.integers(0, 2, n),
        "rating": pandas.Categorical(np.array([5, 10, 20])[size], ordered=True),
        "size": pandas.Categorical(np.array(["S", "M", "L"])[size], categories=["L", "M", "S"], ordered=True),
        "shop": pandas.Categorical(np.array([7, 3, 9, 1])[shop]),
        "brand": pandas.Categorical(brand),
        "constant": pandas.Categorical(["x"] * n),
        "switch": pandas.Categorical(rng.random(n) < 0.5),
        "holes": pandas.Categorical(np.where(rng.random(n) < 0.05, None, shop)),
        "float": pandas.Categorical(np.array([0.5, 1.0, 2.25])[rng.integers(0, 3, n)]),
        "group": np.repeat(np.arange(n // 20), 20),
    })  # fmt: skip
    data["grade"] = np.clip(2 * (size == 1) + (shop == 2) + (brand == "c"), 0, 4)
    known = [["rating"], ["rating", "size"], ["price", "rating"], ["size", "price"], ["price", "brand", "flag"], ["price", "shop"], ["price", "switch"], ["holes", "price"], ["price", "float"],
             ["price", "rating", "shop"], ["price", "rating", "brand"], ["price", "constant", "brand"], ["shop", "price", "brand", "rating", "float"]]  # fmt: skip
    unknown = [["flag", "shop", "rating"], ["flag", "price", "rating", "brand"]]  # flag may be of an ordered column too
    with tempfile.TemporaryDirectory() as folder:
        model, scores = Path(folder, "model.txt"), Path(folder, "scores.txt")
        for names in known + unknown + [list(data.columns[:-2])]:
            x, table = data[names], data[[*names, "grade", "group"]]
            table.to_csv(Path(folder, "t.csv"), index=False)
            table.to_parquet(Path(folder, "t.parquet"))
            r = ranker(n_estimators=20).fit(x, data.grade, qid=data.group)
            theirs = lightgbm.train({"objective": "lambdarank", "verbosity": -1}, lightgbm.Dataset(x, data.grade, group=[20] * (n // 20)), 20)
            equal(r.booster_.predict(x), r.predict(x), f"{names}: our model in LightGBM")
            equal(Model.from_lightgbm(theirs).predict(x), theirs.predict(x), f"{names}: LightGBM's model")
            for m, want in (r.model_, r.predict(x)), (Model.from_lightgbm(theirs), theirs.predict(x)):
                m.save(model)
                for file in "t.csv", "t.parquet":
                    score = lambda: ours.predict(Path(folder, file), model, scores, label_column="name:grade", group_column="name:group")  # noqa: B023, E731
                    if m is not r.model_ and names not in known:
                        refused(score, "cannot be known", SystemExit)
                        continue
                    equal(score(), want, f"{names}, {file}: {m}")
                    equal(m.predict(Path(folder, file), label_column="name:grade", group_column="name:group"), want, f"{names}, {file}, from Python")
        numbered = model.read_text().replace("\nparameters:\n", "\nparameters:\n[category_features: 2,3,4,5,6,7,8,9]\n")
        model.write_text(numbered)
        equal(ours.predict(Path(folder, "t.csv"), model, scores, label_column="name:grade", group_column="name:group"), want, "features that the user has named")
        data[["grade", "group", "brand", "price"]].to_csv(Path(folder, "t.csv"), index=False)
        columns = {"label_column": "name:grade", "group_column": "name:group"}
        of_file = lambdamart.train({**columns, "num_iterations": 5, "categorical_feature": "name:brand"}, Dataset(Path(folder, "t.csv"))).model
        x = data[["price", "brand"]]
        for m in of_file, ranker().fit(x, data.grade, qid=data.group, init_model=of_file).model_:
            equal(m.predict(Path(folder, "t.csv"), **columns), m.predict(x), "the texts of a file and of a frame, in other orders")
        swapped = data.assign(price=data.shop, shop=data.price)[["price", "shop"]]
        r = ranker().fit(data[["price", "shop"]], data.grade, qid=data.group)
        refused(lambda: r.model_.predict(swapped), "X has 1 categorical columns .price., and training had 1 .shop.;")
        refused(lambda: ranker().fit(data[["price", "shop"]], data.grade, qid=data.group, eval_set=[(swapped, data.grade)], eval_qid=[data.group]), "validation set 0 has 1 categorical")
        refused(lambda: ranker().fit(data[["price", "shop"]].astype(float), data.grade, qid=data.group, init_model=r), "the training data has 0 categorical columns .none., and training had 1")


def categories_that_the_model_does_not_know_are_said() -> None:
    """Integers in training and texts later, or the reverse: all values would be missing without a word."""
    import pandas
    import pyarrow
    import scipy.sparse

    rng = np.random.default_rng(5)
    codes = rng.integers(0, 6, len(Y))
    y = np.clip(np.round(rng.normal(1, 1, 6)[codes] + np.nan_to_num(X[:, 0])), 0, 4)
    table = lambda values: pandas.DataFrame({"a": X[:, 0], "kind": pandas.Categorical(values)})  # noqa: E731
    numbers, texts = table(codes), table(codes.astype(str))
    given = dict(n_estimators=5, min_child_samples=5, min_data_per_group=5, n_jobs=1)

    def said(call) -> list[str]:
        return [text for text in warned(call) if "occurred in training" in text]

    for trained, other, examples in (numbers, texts, "'0', '1', '2'"), (texts, numbers, "0, 1, 2"):
        r = LambdaMARTRanker(**given).fit(trained, y, qid=QID)
        arrow = pyarrow.Table.from_pandas(other)
        calls = {
            "predict": lambda: r.predict(other), "leaves": lambda: r.predict(other, pred_leaf=True), "score": lambda: r.score(other, y, qid=QID),
            "Model.predict": lambda: r.model_.predict(other), "arrow": lambda: r.predict(arrow),
            "eval_set": lambda: LambdaMARTRanker(**given).fit(trained, y, qid=QID, eval_set=[(other, y)], eval_qid=[QID]),
            "command": lambda: lambdamart.command("eval", data=Dataset(other, y, qid=QID), input_model=r),
            "explain": lambda: lambdamart.explain(r, Dataset(other, y, qid=QID), query=0),
        }  # fmt: skip
        for name, call in calls.items():
            found = said(call)
            assert len(found) == 1 and f"none of the categories of the column kind occurred in training, and all its values count as missing: it has {examples}" in found[0], (name, found)
        assert "validation set 0" in said(calls["eval_set"])[0]
        equal(said(lambda: r.predict(trained)), [], "the same type")
        some = trained.assign(kind=trained["kind"].cat.rename_categories({trained["kind"].cat.categories[0]: "new"}))
        equal(said(lambda: r.predict(some)), [], "a category that is new")
        equal(said(lambda: r.predict(trained.assign(kind=pandas.Categorical([None] * len(Y), categories=["x"])))), [], "missing values")
        both = pandas.Categorical(other["kind"], categories=[*other["kind"].cat.categories, *trained["kind"].cat.categories])
        equal(len(said(lambda: r.predict(trained.assign(kind=both)))), 1, "known categories that no row has")

    def unknown(call) -> int:
        return len([text for text in warned(call) if "none of its categories" in text])

    matrix = np.column_stack([X[:, 0], codes])
    other = matrix + np.array([0, 100])
    fitted = lambda x=None: LambdaMARTRanker(**given, categorical_feature=[1]).fit(matrix, y, qid=QID, **({} if x is None else {"eval_set": [(x, y)], "eval_qid": [QID]}))  # noqa: E731
    r = fitted()
    calls = {
        "predict": r.predict, "float32": lambda x: r.predict(x.astype(np.float32)), "leaves": lambda x: r.predict(x, pred_leaf=True),
        "contributions": lambda x: r.predict(x, pred_contrib=True), "sparse": lambda x: r.predict(scipy.sparse.csr_matrix(np.nan_to_num(x))),
        "score": lambda x: r.score(x, y, qid=QID), "calibrated": lambda x: r.model_.calibrated(x, y, qid=QID),
        "frame": lambda x: r.model_.predict(pandas.DataFrame(x)), "explain": lambda x: lambdamart.explain(r, Dataset(x, y, qid=QID)),
        "command": lambda x: lambdamart.command("eval", data=Dataset(x, y, qid=QID), input_model=r),
    }  # fmt: skip
    for name, call in calls.items():
        equal(unknown(lambda: call(other)), 1, f"numbers, {name}")
        equal(unknown(lambda: call(matrix)), 0, f"known numbers, {name}")
    assert any("bins for none of its categories" in text for text in warned(lambda: fitted(other)))
    assert not any("none of its categories" in text for text in warned(lambda: fitted(matrix)))
    equal(unknown(lambda: r.predict(other[:99])), 0, "few rows")
    with mock.patch.object(lambdamart._model, "SCORES", 24 * 50):  # chunks of 50 rows
        equal(unknown(lambda: r.predict(other)), 1, "chunks")
        equal(unknown(lambda: r.predict(np.concatenate([matrix[:1], other]))), 0, "chunks, of which one has a known category")


def columns_are_found_by_name() -> None:
    """Names with blanks are stored as in LightGBM and found by either form; columns of frames may be in any order."""
    import lightgbm
    import pandas
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    named = dict(zip(NAMES, ["page rank", "a=b", "tab\there", "d", "e", "f", "g", "two  blanks"]))
    x = frame("pandas").rename(columns=named)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        r = ranker(categorical_feature=["d"], monotone_constraints={"page rank": 1}).fit(x.assign(d=SIZES[QID]), Y, qid=QID)
    equal([str(w.message) for w in caught if "blanks" in str(w.message)], ["names of features have blanks, which models hold as _: 'page rank' → page_rank, 'tab\\there' → tab_here, 'two  blanks' → two__blanks; frames with either name are scored"], "warnings")
    r = ranker().fit(x, Y, qid=QID)
    equal(list(r.feature_names_in_), list(x.columns), "names of the frame")
    equal(r.feature_name_, ["page_rank", "a=b", "tab_here", "d", "e", "f", "g", "two__blanks"], "names of the model")
    straight = lightgbm.train({"objective": "lambdarank", "verbosity": -1}, lightgbm.Dataset(x.drop(columns="tab\there"), Y, group=SIZES), 2)
    equal(straight.feature_name(), [n for n in r.feature_name_ if n != "tab_here"], "LightGBM's names")
    scores = r.predict(X)
    turned = x.assign(other="text")[["other", *x.columns[::-1]]]
    for what, y in {"the frame": x, "another order": turned, "names of the model": turned.rename(columns=lambda n: re.sub(r"\s", "_", n))}.items():
        equal(r.predict(y), scores, what)
        equal(r.model_.predict(y), scores, f"{what}, by the model")
        equal(r.predict(y, pred_leaf=True), r.booster_.predict(X, pred_leaf=True), f"leaves of {what}, in LightGBM")
    renamed = ranker().fit(x, Y, qid=QID, feature_name=NAMES)
    equal(renamed.predict(turned), scores, "names of the frame beside those of feature_name")
    equal(renamed.predict(frame("pandas")), scores, "names of feature_name")
    equal(r.model_.predict(x.rename(columns={"d": "page_rank"}).assign(d=X[:, 3])), r.model_.predict(x.assign(**{"page rank": X[:, 3]})), "a name as the model has it comes first")
    few = ranker().fit(x.assign(**{"e": 1.0, x.columns[7]: 0.0}), Y, qid=QID)  # as a search of features leaves them: constant, and not used
    equal(few.predict(x.drop(columns=["e", x.columns[7]])), few.predict(x), "columns that the model does not use")
    refused(lambda: r.predict(x.drop(columns=["page rank"])), "the frame lacks columns that are features of the model: page_rank")
    refused(lambda: r.predict(x.rename(columns={"d": "page\trank"})), "'page rank' and 'page\\\\trank' are one name, page_rank, for a model")
    refused(lambda: ranker().fit(x.rename(columns={"d": "page_rank"}), Y, qid=QID), "several features are called 'page_rank'")
    for bad in "a,b", "[0", 'x"', "":
        refused(lambda: ranker(n_estimators=10**9).fit(x.rename(columns={"d": bad}), Y, qid=QID), "cannot be written to a model file")  # noqa: B023
    brands = x.assign(brand=np.array(["Acme Inc", "B & C", "x=y"])[QID % 3], shop=np.array(["on line", "high street"])[SIZES[QID] % 2])
    encoder = ColumnTransformer([("one hot", OneHotEncoder(sparse_output=False), ["brand", "shop"])], remainder="passthrough").set_output(transform="pandas")
    pipeline = make_pipeline(encoder, ranker()).fit(brands, Y, lambdamartranker__qid=QID)
    assert "one_hot__brand_Acme_Inc" in pipeline[-1].feature_name_, pipeline[-1].feature_name_
    equal(pipeline.predict(brands), pipeline[-1].predict(encoder.transform(brands).to_numpy()), "a pipeline that encodes brands")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "t.csv")
        x.rename(columns={"tab\there": "tab here"}).assign(label=Y, qid=QID).to_csv(table, index=False, float_format="%.17g")
        equal(r.model_.predict(table, label_column="name:label"), scores, "a table")


def data_is_binned_once() -> None:
    parts = slice(0, CUT), slice(CUT, None)
    weights = 0.5 + rng.random(len(QID))
    train_set, valid_set = (Dataset(frame("pandas").iloc[p], Y[p], qid=QID[p], weight=weights[p], init_score=X[p, 1] > 0.5) for p in parts)
    given = {"num_iterations": 20, "min_data_in_leaf": 5, "max_bin": 31, "patience": 5}
    want = lambdamart.train(given, train_set, [valid_set])
    binned = train_set.bin({"max_bin": 31})
    valid = Dataset(frame("pandas")[NAMES[::-1]].iloc[parts[1]], Y[parts[1]], qid=QID[parts[1]], weight=weights[parts[1]], init_score=X[parts[1], 1] > 0.5)
    equal(repr(binned), f"<lambdamart.Dataset: {CUT} rows, 8 features, binned>", "repr")
    assert not hasattr(binned, "table"), "binned data keeps the features"
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, "train.bin"), Path(folder, "valid.bin")]
        binned.save(paths[0])
        valid.bin(reference=binned).save(paths[1])
        equal(sorted(os.listdir(folder)), ["train.bin", "valid.bin"], "files")
        files = [Dataset(p) for p in paths]
        for name, (first, second) in {
            "binned": (binned, valid.bin(reference=binned)),
            "binned, valid in memory": (binned, valid),
            "files": files,
            "a file, valid in memory": (files[0], valid_set),
            "a file, valid binned": (files[0], valid_set.bin(reference=files[0])),
            "pickled": (pickle.loads(pickle.dumps(binned)), copy.deepcopy(valid)),
        }.items():
            for _ in range(2):
                got = lambdamart.train(given, first, [second])
                equal(got.model.text, want.model.text, name)
                equal(got.evals_result, want.evals_result, name)
        r = LambdaMARTRanker(n_estimators=20, min_child_samples=5, max_bin=31, early_stopping_rounds=5)
        equal(r.fit(binned, eval_set=[valid]).model_.text.split("\nparameters:")[0], want.model.text.split("\nparameters:")[0], "an estimator on a Dataset")
        equal(list(r.feature_names_in_), NAMES, "names of binned features")
        csv = Path(folder, "valid.csv")
        frame("pandas").iloc[parts[1]].assign(label=Y[parts[1]]).to_csv(csv, index=False, float_format="%.17g")
        for suffix, values in (".query", np.unique(QID[parts[1]], return_counts=True)[1]), (".weight", weights[parts[1]]), (".init", (X[parts[1], 1] > 0.5).astype(float)):
            np.savetxt(f"{csv}{suffix}", values, fmt="%.17g")
        reading = {"header": True, "label_column": "name:label"}
        for name, second in {"valid a table": Dataset(csv), "valid a table, binned": Dataset(csv).bin(reading, reference=binned)}.items():
            got = lambdamart.train({**given, **(reading if second.path else {})}, binned, [second])
            equal(got.evals_result, want.evals_result, name)
        refused(lambda: Dataset(csv).bin({**reading, "num_leaves": 3}), "num_leaves.*decide how data is binned")
        refused(lambda: lambdamart.train({"max_bin": 63}, binned), "max_bin=63: training was binned with max_bin=31")
        refused(lambda: lambdamart.train({"max_bin": 63}, files[0]), "train.bin was binned with max_bin=31")
        refused(lambda: lambdamart.train(given, binned, [valid_set.bin()]), "valid_0: feature 0 has .* bins instead of .*: it has other bins")
        refused(lambda: binned.bin(), "binned already")
        refused(lambda: valid.bin(reference=valid), "reference is not binned")
        refused(lambda: binned.save(Path(folder, "no", "x")), "No such file", FileNotFoundError)
        refused(lambda: want.model.save(Path(folder, "no", "x")), "No such file.*no/x", FileNotFoundError)
        refused(lambda: want.model.save(folder), "it is a directory")
        for write in binned.save, want.model.save, lambda path: want.model.export("xgboost", path):
            refused(lambda: write(Path(folder, "x.gz")), "x.gz: the file would not be compressed; leave .gz out")
        other = Dataset(frame("pandas").rename(columns={"a": "z"}), Y, qid=QID)
        refused(lambda: other.bin(reference=binned), "lacks columns.*a$")
        refused(lambda: lambdamart.train(given, files[0], [other]), "columns are not the features that are wanted")


def pairs_are_learned() -> None:
    """Pairs in arrays train the model of a file of pairs, on any number of threads, and rank as CatBoost's PairLogit does."""
    import catboost
    import pandas

    order = np.array([3, 7, 0, 5, 1, 6, 2, 4])  # the best value of the feature first
    x, qid, y = np.tile(np.arange(8.0), 40)[:, None], np.repeat(np.arange(40), 8), np.tile([0.0, 1], 160)
    pairs = np.array([[8 * q + order[a], 8 * q + order[b]] for q in range(40) for a in range(8) for b in range(a + 1, 8)])
    params = {"objective": "pairs", "num_iterations": 60, "min_data_in_leaf": 1, "verbose": 0}
    data = Dataset(x, y, qid=qid, pairs=pairs, pairs_weight=np.full(len(pairs), 0.5))
    one, two = (lambdamart.train({**params, "num_threads": n}, data).model for n in (1, 2))
    equal(str(one), str(two), "threads")
    theirs = catboost.CatBoost({"loss_function": "PairLogit", "iterations": 100, "depth": 3, "verbose": 0, "thread_count": 1, "allow_writing_files": False})
    theirs.fit(catboost.Pool(x, y, group_id=qid, pairs=pairs))
    ranker = LambdaMARTRanker(objective="pairs", n_estimators=60, min_child_samples=1).fit(x, y, qid=qid, pairs=pairs)
    for scores in ranker.predict(x[:8]), theirs.predict(x[:8]):
        equal(list(np.argsort(-scores)), list(order), "order")
    few = {"eval_set": [(x[:16], y[:16])], "eval_qid": [qid[:16]], "eval_pairs": [[[3, 7], [7, 0], [12, 11]]], "eval_metric": "pair_agreement"}
    ranker.fit(x, y, qid=qid, pairs=pairs, **few)
    both = warned(lambda: lambdamart.train(params, Dataset(x, y, qid=qid, pairs=np.concatenate([pairs, pairs[:2, ::-1]]))))
    assert any("training: 2 pairs of documents are given in both orders" in text for text in both), both
    judged = lambdamart.evaluate(y[:16], ranker.predict(x[:16]), qid=qid[:16], metrics="pair_agreement", pairs=few["eval_pairs"][0], pairs_weight=[1, 1, 2])
    equal(ranker.best_score_["valid_0"]["pair_agreement"], 0.5, "the pairs of the first query, and not that of the second")
    equal(judged[0].value, 0.5, "evaluate")
    refused(lambda: ranker.fit(x, y, qid=qid, pairs=pairs, **{**few, "eval_metric": "ndcg"}), "valid_0 has pairs: no metric judges by them")
    refused(lambda: lambdamart.evaluate(y, x[:, 0], qid=qid, metrics="pair_agreement"), "there are none; give pairs=")
    refused(lambda: lambdamart.evaluate(y, x[:, 0], qid=qid, pairs=pairs), "pairs without a metric that judges by them")
    refused(lambda: ranker.set_params(objective="lambdarank").fit(x, y, qid=qid, pairs=pairs), "only objective=pairs")
    for bad, says in ([[0, 8]], r"pairs\[0\] is \[0, 8\]: its rows are of different queries"), ([[0, 1], [2, 2]], r"pairs\[1\] is \[2, 2\]: a row is not"), ([[0, 320]], "the rows 0 to 319"), (np.empty((0, 2), int), "at least one row"):
        refused(lambda: Dataset(x, y, qid=qid, pairs=bad), says)
    for bad in -1, np.nan, np.inf:
        refused(lambda: Dataset(x, y, qid=qid, pairs=pairs, pairs_weight=np.full(len(pairs), bad)), "weights are finite, and 0 or more")
    refused(lambda: Dataset(x, y, qid=qid, pairs=np.ma.masked_equal(pairs, pairs[0])), "pairs has masked entries")
    frame = pandas.DataFrame(pairs, columns=["better", "worse"])
    equal(str(lambdamart.train(params, Dataset(x, y, qid=qid, pairs=frame, pairs_weight=np.full(len(pairs), 0.5))).model), str(one), "pairs in a frame")
    for wrong in frame[["worse", "better"]], frame.set_axis(["better_row", "worse_row"], axis=1), frame.assign(weight=1):
        refused(lambda: Dataset(x, y, qid=qid, pairs=wrong), "give better and worse, in this order")
    refused(lambda: Dataset(x, y, qid=qid, pairs=pairs, pairs_weight=np.full(len(pairs), 1e308)), r"pairs_weight\[1\] is 1e\+308: the weights .* divide all")
    refused(data.bin, "the data has pairs, which binned data cannot hold")
    refused(lambda: lambdamart.cv(params, data), "has pairs")
    ranker = LambdaMARTRanker(n_estimators=3, min_child_samples=1).fit(x, y, qid=qid)
    with tempfile.TemporaryDirectory() as folder:
        out = {name: os.path.join(folder, name) for name in ("output_model", "output_result")}
        for name, call in {
            "explain": lambda d: lambdamart.explain(ranker, d), "eval": lambda d: lambdamart.command("eval", data=d, input_model=ranker, metric="ndcg@5"),
            "compare": lambda d: lambdamart.command("compare", ranker, ranker, data=d), "predict": lambda d: lambdamart.command("predict", data=d, input_model=ranker, output_result=out["output_result"]),
            **{name: lambda d, name=name: lambdamart.command(name, data=d, input_model=ranker, output_model=out["output_model"]) for name in ("refit", "calibrate")},
        }.items():
            refused(lambda: call(data), "^(input_model: )?data: it has pairs of documents, which only training")
            begun = warned(lambda: call(Dataset(x, y, qid=qid, init_score=x[:, 0])))
            equal(any("data: has initial scores, which are not part of the model" in text for text in begun), name != "refit", f"{name}: {begun}")
            call(Dataset(x, y, qid=qid))
    agreed = lambdamart.command("eval", data=data, input_model=ranker, metric="pair_agreement", json=True).json()
    equal(agreed["results"][0]["mean"], lambdamart.evaluate(y, ranker.predict(x), qid=qid, metrics="pair_agreement", pairs=pairs, pairs_weight=np.full(len(pairs), 0.5))[0].value, "eval judges by the pairs of the data")
    for call in ranker.predict, ranker.model_.predict, lambda d: ranker.score(d, y), lambda d: ranker.calibrate(d, y):
        refused(lambda: call(data), "X is of the type Dataset", TypeError)


def goals_and_positions_are_learned() -> None:
    """Further labels and positions in arrays train the same model as in columns of a file."""
    import pandas

    second, place = np.round(np.nan_to_num(X[:, 1])), np.concatenate([np.arange(n) % 7 for n in SIZES])
    words = np.array(["p%d" % p for p in place])
    given = {"num_iterations": 12, "min_data_in_leaf": 5, "objective": "lambdarank:1,query_rmse@buy:0.5", "lambdarank_position_bias_regularization": 0.5}
    data = Dataset(X, Y, qid=QID, feature_names=NAMES, labels={"buy": second}, position=words)
    want = lambdamart.train(given, data)
    equal(list(want.position_biases), [f"p{i}" for i in range(7)], "positions")
    assert len({round(b, 9) for b in want.position_biases.values()}) == 7, want.position_biases
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        columns = {"label": Y, **{n: X[:, i] for i, n in enumerate(NAMES)}}
        pandas.DataFrame({**columns, "buy": second}).to_csv(path, index=False, float_format="%.17g")
        for suffix, values in (".query", SIZES), (".position", words):
            np.savetxt(f"{path}{suffix}", values, fmt="%s")
        reading = {"label_columns": "label,buy", "metric": "ndcg@3@buy"}
        equal(lambdamart.train({**given, **reading}, Dataset(path), [Dataset(path)]).evals_result, lambdamart.train({**given, "metric": "ndcg@3@buy"}, data, [data]).evals_result, "labels of a file")
        frame = pandas.DataFrame({**columns, "qid": QID, "buy": second, "where": words})
        frame.to_csv(path, index=False, float_format="%.17g")
        reading = {"label_columns": "label,buy", "group_column": "qid", "position_column": "where"}
        for suffix in ".query", ".position":
            os.remove(f"{path}{suffix}")
        got = lambdamart.train({**given, **reading}, Dataset(path))
        equal(got.position_biases, want.position_biases, "biases of columns")
        equal(got.model.predict(np.hstack([X, np.zeros((len(X), 3))])), want.model.predict(X), "scores of columns")
    for same in data.bin(), Dataset(X, Y, qid=QID, feature_names=NAMES, labels={"buy": list(second)}, position=pandas.Series(words, dtype="category")):
        equal(lambdamart.train(given, same).model.text, want.model.text, "binned, or of other types")
    numbered = [lambdamart.train(given, Dataset(X, Y, qid=QID, labels={"buy": second}, position=p)) for p in (place, place.astype(float), [str(p) for p in place])]
    assert numbered[0].position_biases == numbered[1].position_biases == numbered[2].position_biases, "numbers are words"
    fitted = ranker(objective=given["objective"]).fit(X, Y, qid=QID, labels={"buy": second}, position=words)
    equal(len(fitted.position_biases_), 7, "biases of an estimator")
    judged = ranker(objective=given["objective"]).fit(X, Y, qid=QID, labels={"buy": second}, eval_set=[(X, Y)], eval_qid=[QID], eval_labels=[{"buy": second}], eval_metric="ndcg@3@buy")
    alike = ranker(objective=given["objective"]).fit(X, Y, qid=QID, labels={"buy": second}, eval_set=[(Dataset(X, Y, qid=QID, labels={"buy": second}), None)], eval_metric="ndcg@3@buy")
    equal(judged.evals_result_, alike.evals_result_, "labels of arrays and of a Dataset")
    refused(lambda: Dataset(X, Y, qid=QID, labels={"grade": second}), "grade stands for y")
    for labels in ([second], {1: second}):
        refused(lambda labels=labels: Dataset(X, Y, qid=QID, labels=labels), "labels is a dict of names", TypeError)
    refused(lambda: ranker().fit(X, Y, qid=QID, eval_set=[(X, Y)], eval_qid=[QID], eval_labels={"buy": second}), r"eval_set\[0\]: labels is a dict", TypeError)
    refused(lambda: lambdamart.evaluate(Y, X[:, 1], qid=QID, metrics="ndcg@5@buy"), "or y of evaluate")
    refused(lambda: ranker().fit(X, Y, qid=QID, eval_labels=[{"buy": second}]), "eval_labels without eval_set")
    refused(lambda: ranker().fit(X, Y, qid=QID, eval_set=[(X, Y)], eval_qid=[QID], eval_labels=[{"buy": second[1:]}]), r"eval_set\[0\]: .*labels\[.buy.\] has")
    for more, pattern in {
        "short": (dict(position=words[1:]), "position has the shape"),
        "missing": (dict(position=[None, *words[1:]]), "position is missing in row 0"),
        "missing text": (dict(position=pandas.Series([None, *words[1:]], dtype="string")), "position is missing in row 0"),
        "missing day": (dict(position=np.where(place == place[0], np.datetime64("NaT", "D"), place.astype("datetime64[D]"))), "position is missing in row 0"),
        "half": (dict(position=place + 0.5), "numbers of places are whole"),
        "infinite": (dict(position=np.where(place == place[0], np.inf, place)), "position inf in row 0 is too large"),
        "blank": (dict(position=["a b", *words[1:]]), "one word without blanks"),
        "labels": (dict(labels={"buy": second[1:]}), "labels\\[.buy.\\] has"),
    }.values():
        refused(lambda: Dataset(X, Y, qid=QID, **more), pattern)
    refused(lambda: lambdamart.train(given, Dataset(X, Y, qid=QID)), "label buy: the data has no such label")
    refused(lambda: ranker().fit(data, labels={"buy": second}), "labels beside a Dataset")
    said = warned(lambda: ranker(objective="query_rmse").fit(X, Y, qid=QID, labels={"buy": second}, position=words))
    assert [re.search("labels that are not trained on: buy|positions of the documents are not used", text) is not None for text in said] == [True, True], said


def query_context_is_computed() -> None:
    """Scores equal the command line's on the same rows, and need the queries."""
    import pandas

    with tempfile.TemporaryDirectory() as folder:
        path, model = Path(folder, "data.csv"), Path(folder, "model.txt")
        pandas.DataFrame({"label": Y, **{n: X[:, i] for i, n in enumerate(NAMES)}}).to_csv(path, index=False, float_format="%.17g")
        np.savetxt(f"{path}.query", SIZES, fmt="%d")
        columns = {"header": "true", "label_column": "name:label"}
        ours.train(path, model, query_context="rank,zscore", num_iterations=12, min_data_in_leaf=5, **columns)
        ours.run("cmd/lambdamart", "predict", *ours.arguments(data=path, input_model=model, output_result=Path(folder, "scores.txt"), **columns))
        wanted = np.loadtxt(Path(folder, "scores.txt"))

        fitted = ranker(query_context=["rank", "zscore"]).fit(pandas.DataFrame(X, columns=NAMES), Y, qid=QID)
        equal(fitted.model_.text, model.read_text(), "model of a frame")
        equal((fitted.n_features_in_, fitted.model_.num_inputs, fitted.model_.num_features), (8, 8, 24), "numbers of features")
        equal(fitted.predict(X, qid=QID).tobytes(), wanted.tobytes(), "scores by qid")
        equal(fitted.predict(X, group=SIZES).tobytes(), wanted.tobytes(), "scores by group")
        with_column = pandas.DataFrame(X, columns=NAMES).assign(qid=QID)
        equal(fitted.predict(with_column).tobytes(), wanted.tobytes(), "scores by a column qid")
        equal(Model(model).predict(path, **columns).tobytes(), wanted.tobytes(), "scores of a file")
        chunk, lambdamart._model.CHUNK = lambdamart._model.CHUNK, 5000
        try:
            equal(fitted.predict(X, qid=QID).tobytes(), wanted.tobytes(), "scores in chunks of whole queries")
        finally:
            lambdamart._model.CHUNK = chunk
        total = fitted.predict(X, qid=QID, pred_contrib=True)
        equal(total.shape, (len(X), 25), "shape of contributions")
        assert np.allclose(total.sum(axis=1), wanted)
        assert fitted.score(X, Y, qid=QID) > 0.5
        loaded = pickle.loads(pickle.dumps(fitted.model_))
        equal(loaded.predict(X, qid=QID).tobytes(), wanted.tobytes(), "scores of a copy")
        data = Dataset(X, Y, qid=QID, feature_names=NAMES)
        again = lambdamart.train({"query_context": "rank,zscore", "num_iterations": 12, "min_data_in_leaf": 5}, data)
        equal(again.model.text, model.read_text(), "model of a Dataset")
        valid = Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:], feature_names=NAMES)
        binned = Dataset(X, Y, qid=QID, feature_names=NAMES).bin({"query_context": "rank,zscore"})
        again = lambdamart.train({"num_iterations": 12, "min_data_in_leaf": 5}, binned, [valid, valid.bin(reference=binned)])
        equal(without_parameters(again.model.text), without_parameters(model.read_text()), "model of binned data, which brings its context")
        equal(*(again.evals_result[n] for n in again.evals_result), "values on a validation set, binned or not")
        refused(lambda: lambdamart.train({"query_context": "rank"}, binned), "query_context of 8;rank=0-7;zscore=0-7")
        for call in lambda: fitted.predict(X), lambda: fitted.model_.predict(X), lambda: fitted.predict(X, qid=QID, group=SIZES):
            refused(call, "give qid or group")
        refused(lambda: fitted.predict(X[:-1], group=SIZES), "add up to")
        refused(lambda: fitted.predict(X[:, :7], qid=QID), "7 features")
        refused(lambda: fitted.predict(np.roll(X, 1, axis=0), qid=np.roll(QID, 1)), "not consecutive")
        refused(lambda: ranker(query_context=["best"]).fit(X, Y, qid=QID), "rank, zscore")
        refused(lambda: fitted.model_.export("onnx", Path(folder, "m.onnx")), "context=precomputed")
        fitted.model_.export("onnx", Path(folder, "m.onnx"), context="precomputed")


def row_sampling_is_said() -> None:
    """Above 40,000 rows, fit logs once how many rows each tree is grown on."""
    script = """
import logging, sys
logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s", stream=sys.stdout)
import numpy as np; from lambdamart import LambdaMARTRanker
x = np.random.default_rng(0).random((50_000, 2))
for more in {}, {"active_fraction": 1}:
    LambdaMARTRanker(n_estimators=1, **more).fit(x, x[:, 0] > 0.5, group=[50] * 1000); print("|")"""
    said = run(script).split("|")
    line = "lambdamart trees grow on every row, or on fewer down to 1 row of 12.5 where"
    equal([part.count(line) for part in said], [1, 0, 0], "the line on sampled rows")


def interrupted_trainings_go_on() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.checkpoint")
        sets = dict(eval_set=[(X[CUT:], Y[CUT:])], eval_qid=[QID[CUT:]])
        fit = lambda callbacks=(), **more: ranker(n_estimators=30, snapshot_freq=4, subsample=0.7, subsample_freq=1, **more).fit(  # noqa: E731
            X[:CUT], Y[:CUT], qid=QID[:CUT], checkpoint=path, callbacks=callbacks, **sets
        )
        whole = fit()
        equal(os.listdir(folder), [], "files after a complete training")

        def stop(iteration) -> None:
            if iteration.iteration == 12:
                raise lambdamart.StopTraining

        def fail(iteration) -> None:
            if iteration.iteration == 12:
                raise KeyError("mine")

        refused(lambda: fit([fail]), "mine", KeyError)
        assert path.exists(), "no checkpoint after an exception"
        for interrupt in (lambda: fit([stop]), lambda: refused(lambda: fit([fail]), "mine", KeyError)):
            interrupt()
            seen = []
            r = fit([seen.append], resume=True, n_jobs=1)
            equal(r.model_.text, whole.model_.text, "the model of a resumed training")
            equal(r.evals_result_, whole.evals_result_, "the metrics of a resumed training")
            assert seen and seen[0].iteration >= 12 and len(seen) < 20, [s.iteration for s in seen]
            equal(os.listdir(folder), [], "files after a resumed training")
        fit(resume="auto")
        refused(lambda: fit(resume=True), "no checkpoint")
        with open(Path(folder, ".run.checkpoint.lock.0.tmp"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            refused(fit, "another run is writing")
        fit()
        equal(os.listdir(folder), [], "files after another run had the checkpoint")
        fit([stop])
        refused(lambda: fit(resume=True, num_leaves=7), "num_leaves is 7, and was 31")
        refused(lambda: ranker(resume=True).fit(X, Y, qid=QID), "need a file: give the argument checkpoint")
        refused(lambda: ranker().fit(X, Y, qid=QID, checkpoint=Path(folder, "no", "c")), "no such file or directory")


def progress_is_shown() -> None:
    body = """
for value in VALUES:
    print('|'); sys.stdout.flush()
    m = LambdaMARTRanker(n_estimators=6, n_jobs=1, min_child_samples=5, verbose=value)
    m.fit(X, y, group=g, eval_set=[(X, y)], eval_group=[g], eval_at=[5]); print('|\\n#')"""
    values = "-1", "None", "1", "2", "True"
    written = run(PREAMBLE + body.replace("VALUES", f"({', '.join(values)})"))
    shown = dict(zip(values, (text.strip() for text in written.split("#")[:-1]), strict=True))
    equal({shown[v] for v in ("-1", "None")}, {"|\n|"}, "output of verbose=-1 and None")
    for v in "1", "True":
        assert re.fullmatch(r"\|\n6/6  valid_0 ndcg@5 0\.\d{5}( \(best 0\.\d{5} at \d\))?\n\|", shown[v]), shown[v]
    every = re.sub(r"\tvalid_0's ndcg@5: 0\.\d{5}", "", shown["2"])
    equal(every, "|\n[2]\n[4]\n[6]\n|", "output of verbose=2")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        lambdamart.train({"verbose": 5, "metric_freq": 7, "num_iterations": 20, "metric": "map"}, Dataset(X, Y, qid=QID), [Dataset(X, Y, qid=QID)])
    equal(re.findall(r"\[\d+\]", out.getvalue()), ["[7]", "[14]", "[20]"], "metrics that are not computed each time")
    refused(lambda: ranker(verbose="loud").fit(X, Y, qid=QID), "verbose='loud'", TypeError)
    refused(lambda: ranker(verbose=1, verbosity=3).fit(X, Y, qid=QID), "two names of one parameter")
    refused(lambda: ranker(silent=True).fit(X, Y, qid=QID), "silent")
    terminal = in_terminal(PREAMBLE + body.replace("VALUES", "(1,)"))
    assert re.search(r"\r\x1b\[K6/6  valid_0 ndcg@5 0\.\d{5}[^\r\n]*\r\n", terminal), repr(terminal)


def in_terminal(code: str) -> str:
    """Runs Python in a new terminal, and returns everything that it wrote."""
    import pty

    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.py")
        script.write_text(code)
        ours_end, theirs = pty.openpty()
        done = prepared.Process(script, theirs, theirs, PYTHONPATH=str(PACKAGE), COLUMNS="100")
        os.close(theirs)
        text = b""
        try:
            while data := os.read(ours_end, 1 << 16):
                text += data
        except OSError:  # the other end is closed
            pass
        os.close(ours_end)
        equal(done.wait(), 0, "exit status in a terminal")
    return text.decode()


def progress_ends_without_a_guess() -> None:
    """The last text shows no remaining time for the iterations that early stopping skipped."""
    shown = []
    live = lambdamart._progress.Live(shown.append, lambda: None, 0)
    for n in (60, 61):
        live.iteration({"iteration": n, "of": 200, "restored": False, "evaluations": [["valid", "ndcg@5", 0.5]]})
    assert shown[-1].endswith(" left"), shown
    live.close()
    equal(shown[-1], "61/200  valid ndcg@5 0.50000 (best 0.50000 at 60)", "the last text")


def cross_validation_and_tuning() -> None:
    data = Dataset(frame("pandas"), Y, qid=QID)
    given = {"num_iterations": 15, "min_data_in_leaf": 5, "max_bin": 63, "metric": "ndcg", "eval_at": 5}
    fold = QID % 3
    c = lambdamart.cv(given, data, fold=fold, final=True, average=True)
    equal(len(c.curve["iteration"]), 15, "iterations of the curve")
    binned = data.bin({"max_bin": 63})
    equal(lambdamart.cv(given, binned, fold=fold).mean, c.mean, "on binned data")
    alone = []
    for f in range(3):  # bins are found from all data
        chosen = fold != f
        one = ranker(n_estimators=c.best_iteration, max_bin=63).fit(X[chosen], Y[chosen], qid=QID[chosen])
        alone.append(np.corrcoef(one.predict(X[~chosen]), c.scores[~chosen])[0, 1])
    assert min(alone) > 0.95, alone
    judged = lambdamart.evaluate(Y, c.scores, qid=QID, metrics="ndcg@5")[0].value
    np.testing.assert_allclose(c.mean, judged, rtol=1e-12)
    assert c.interval[0] < c.mean < c.interval[1] and len(c.folds) == 3 and c.average is not None
    equal(c.model.text.split("\nparameters:")[0], lambdamart.train({**given, "num_iterations": c.best_iteration}, data).model.text.split("\nparameters:")[0], "the final model")
    refused(lambda: lambdamart.cv(given, data, fold=np.ma.masked_equal(QID % 3, 0)), "fold has masked entries")
    for missing in np.where(QID == QID[0], np.nan, QID % 3), np.where(QID == QID[0], None, QID % 3):
        refused(lambda: lambdamart.cv(given, data, fold=missing), "fold is missing in row 0; give all rows one")
    for name in "fold 1", "", "a\n", "#a":
        refused(lambda: lambdamart.cv(given, data, fold=np.where(QID == QID[0], name, "b")), re.escape(f"fold {name!r}: the name of a fold is one word"))
    refused(lambda: lambdamart.cv(given, data, fold=np.arange(len(QID)) % 3), "row 1 is in the fold 1, and the first row of its query in another")
    refused(lambda: lambdamart.cv({"num_leafs": 3}, data), "did you mean num_leaves")
    refused(lambda: lambdamart.cv(given, data, folds=1000), "folds")
    parts = [Dataset(X[p], Y[p], qid=QID[p]) for p in (slice(0, CUT), slice(CUT, None))]
    found = [lambdamart.tune({**given, "num_threads": n}, *parts, search={"num_leaves": "3..15", "learning_rate": "0.02..0.3 log"}, max_trainings=5) for n in (1, 2)]
    equal(found[0].trials[1]["parameters"], found[1].trials[1]["parameters"], "trials for other numbers of threads")
    best = found[0]
    assert set(best.best_params) == {"num_leaves", "learning_rate"} and len(best.trials) > 1 and best.model.num_trees == best.best_iteration, best
    again, defaults = (
        lambdamart.train({**given, **p}, parts[0], parts[1:]).evals_result["valid_0"]["ndcg@5"][t - 1]
        for p, t in ((best.best_params, best.best_iteration), ({}, best.trials[0]["best_iteration"]))
    )
    np.testing.assert_allclose(again - defaults, best.difference, atol=1e-12)
    refused(lambda: lambdamart.tune({}, parts[0], search={"num_leafs": "3..5"}, max_trainings=3), "num_leaves")
    refused(lambda: lambdamart.tune({"output": "x"}, parts[0]), "output='x'")
    features_are_selected(given, parts)


def folds_and_spaces_may_be_given_in_any_form() -> None:
    """Folds as a number, a file, a column, an array, pairs and a splitter; ranges as texts and lists; one validation set or a list."""
    import pandas
    from sklearn.model_selection import GroupKFold, KFold

    data, params = Dataset(X, Y, qid=QID), {"num_iterations": 3, "min_data_in_leaf": 5}
    fold = np.arange(len(SIZES)) % 3
    rows = fold[QID]
    pairs = [(np.flatnonzero(rows != i), np.flatnonzero(rows == i)) for i in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        names, path = Path(folder, "folds.txt"), Path(folder, "data.csv")
        names.write_text("".join(f"{f}\n" for f in fold))
        pandas.DataFrame({"label": Y, "qid": QID, "part": rows, **{n: X[:, i] for i, n in enumerate(NAMES)}}).to_csv(path, index=False, float_format="%.17g")
        of_file = {**params, "header": True, "label_column": "name:label", "group_column": "name:qid", "fold_column": "name:part"}
        want = lambdamart.cv({**params, "fold_file": names}, data)
        for found in lambdamart.cv(params, data, fold=rows), lambdamart.cv(params, data, folds=pairs), lambdamart.cv(params, data, folds=iter(pairs)), lambdamart.cv(of_file, Dataset(path)):
            equal([found.mean, found.scores.tolist()], [want.mean, want.scores.tolist()], "the same folds")
        for study in lambdamart.tune, lambdamart.select:
            more = dict(search={"num_leaves": [3, 7]}, max_trainings=2) if study is lambdamart.tune else dict(num_features=7)
            found = [study({**params, **way}, data, final=False, **given, **more) for way, given in (({"fold_file": names}, {}), ({}, {"folds": pairs}))]
            equal(str(found[1]), str(found[0]), "the same folds of a study")
    splitter = GroupKFold(4)
    equal(len(lambdamart.cv(params, data, folds=splitter).folds), 4, "a splitter")
    equal(lambdamart.cv(params, data, folds=splitter).mean, lambdamart.cv(params, data, folds=list(splitter.split(X, Y, QID))).mean, "its pairs")
    equal([len(f.folds) for f in (lambdamart.cv({**params, "folds": 3}, data), lambdamart.cv({**params, "nfold": 3}, data), lambdamart.cv(params, data, folds=3), lambdamart.cv(params, data))], [3, 3, 3, 5], "numbers of folds")
    cv = lambda more=None, **given: lambdamart.cv({**params, **(more or {})}, data, **given)  # noqa: E731
    refused(lambda: cv({"folds": 3}, folds=4), r"folds and params.'folds'. say how the folds are made")
    refused(lambda: cv({"fold_file": "x"}, fold=rows), "fold and params.'fold_file'. say")
    refused(lambda: cv(folds=pairs[:2]), "^folds: row .{1,60} is tested in no fold; each row is tested once$")
    refused(lambda: cv(folds=[*pairs, pairs[0]]), "^folds: row .{1,60} is tested in fold 0 and in fold 3")
    refused(lambda: cv(folds=[(train[1:], test) for train, test in pairs]), "^folds: fold 0 is not trained on all rows")
    refused(lambda: cv(folds=[(rows, rows == i) for i in range(3)]), "^folds: fold 0 has rows that are no numbers")
    refused(lambda: cv(folds=rows), "^folds is a number, pairs of", TypeError)
    refused(lambda: cv(folds=KFold(3)), "a query is in one fold")
    for few in 0, 1, True:
        refused(lambda few=few: cv(folds=few), f"^folds={few}: a whole number, at least 2")
    for study in lambdamart.cv, lambdamart.tune, lambdamart.select:
        refused(lambda study=study: study({**params, "fold_column": "name:part"}, data), "^fold_column is for files: give the argument fold")

    parts = Dataset(X[:CUT], Y[:CUT], qid=QID[:CUT]), Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:])
    for leaves, valid in ([3, 7], parts[1]), ((3, 7), [parts[1]]), (np.array([3, 7]), (parts[1],)):
        found = lambdamart.tune(params, parts[0], valid, search={"num_leaves": leaves, "learning_rate": "0.1..0.2"}, max_trainings=3, final=False)
        assert found.best_params.get("num_leaves", 31) in (3, 7, 31), found.best_params
    lambdamart.tune(params, parts[0], parts[1], search={"extra_trees": [True, False]}, max_trainings=2, final=False)
    lambdamart.tune(params, parts[0], parts[1], search={"objective": ["rank_xendcg", "lambdarank:1,query_rmse:0.5"], "mc": ["0:1,1:1"]}, max_trainings=2, final=False)
    for name, values, text in ("eval_at", [[1, 3], 5], "=1,3|5 (search): this space cannot be searched"), ("cat_feature", [[1], [2]], "=1|2 (search): this space cannot be searched: bins are made once"), ("num_leaves", [], " has no values"):
        refused(lambda name=name, values=values: lambdamart.tune(params, data, search={name: values}), re.escape(f"{name}{text}"))
    equal(len({run_interpreter(SETS, PYTHONHASHSEED=seed) for seed in "1234"}), 1, "what is made of sets, whose order differs from process to process")
    lambdamart.select(params, parts[0], [parts[1]], num_features=7, final=False)
    refused(lambda: lambdamart.tune(params, parts[0], parts, search={"num_leaves": [3]}), "valid has 2 sets, and one decides; give one")
    equal(lambdamart.train(params, parts[0], parts[1]).evals_result, lambdamart.train(params, parts[0], [parts[1]]).evals_result, "one validation set of train")


SETS = """
import warnings; warnings.simplefilter('ignore')
import numpy as np, lambdamart
from lambdamart import Dataset
rng = np.random.default_rng(0); X = rng.random((200, 5)); y = rng.integers(0, 4, 200)
data = Dataset(X, y, group=[20] * 10, feature_names=list('abcde'))
params = {'num_iterations': 2, 'min_data_in_leaf': 5}
for sets in [{'a', 'b', 'c'}, {'d', 'e'}], {frozenset('abc'), frozenset('de')}:
    print(lambdamart.train({**params, 'interaction_constraints': sets}, data).model.text)
space = {'objective': {'lambdarank', 'rank_xendcg', 'query_rmse', 'yetirank'}, 'num_leaves': {3, 5, 9}}
found = lambdamart.tune({**params, 'folds': 2}, data, search=space, max_trainings=5, final=False)
print([(t['parameters'], t['value']) for t in found.trials])
"""


def features_are_selected(given: dict, parts: list[Dataset]) -> None:
    """The model of the chosen features uses no others, and its value is that of evaluate."""
    selected = lambdamart.select({**given, "patience": 5}, *parts, num_features=3)
    assert len(selected.features) == 3 and len(selected.steps) == 2, selected
    used = set(np.array(selected.model.feature_names)[selected.model.feature_importance() > 0])
    assert used and used <= set(selected.features), (used, selected.features)
    judged = lambdamart.evaluate(Y[CUT:], selected.model.predict(X[CUT:]), qid=QID[CUT:], metrics="ndcg@5")[0].value
    np.testing.assert_allclose(selected.validation["chosen"], judged, rtol=1e-12)
    by_folds = lambdamart.select({**given, "folds": 3}, parts[0], final=False)
    assert by_folds.model is None and set(by_folds.features) < {f"Column_{i}" for i in range(8)}, by_folds


def functions_in_studies() -> None:
    """cv, tune, select and curve train by an objective and judge by a metric that are functions of Python."""
    data, seen = Dataset(X, Y, qid=QID), []

    def squares(y, score):
        seen.append(len(y))
        return score - y, np.ones(len(y))

    def near(y, score, weight, group):
        return "near", -float(((y - score) ** 2).mean()), True

    given = {"objective": squares, "metric": near, "num_iterations": 8, "min_data_in_leaf": 5}
    r = lambdamart.cv(given, data, folds=3)
    ends = np.cumsum(data.group)
    by_query = [-((Y[e - n : e] - r.scores[e - n : e]) ** 2).mean() for e, n in zip(ends, data.group)]
    equal(r.metric, "near", "the metric that decides")
    assert abs(r.mean - np.mean(by_query)) < 1e-12, (r.mean, np.mean(by_query))
    equal(set(seen), {len(Y) - f["rows"] for f in r.folds}, "rows that the objective has seen")
    tuned = lambdamart.tune(given, data, max_trainings=2)
    equal(tuned.metric, "near", "the metric of tune")
    assert tuned.value > -1 and "objective" not in tuned.best_params, tuned
    chosen = lambdamart.select(given, data, num_features=7)
    equal(chosen.metric, "near", "the metric of select")
    with tempfile.TemporaryDirectory() as folder:
        out = lambdamart.command("curve", data=data, shares="0.5,1", folds=2, json=True, output=os.path.join(folder, "curve"), **given).json()
    assert out["shares"][0]["near"] < 0, out["shares"]
    refused(lambda: lambdamart.cv({**given, "metric": lambda y, s: ("mse", 1.0, False)}, data), "return its negative")
    refused(lambda: lambdamart.cv({**given, "metric": lambda y, s: ("half", float("nan"), True)}, data), "the metric half is nan")
    refused(lambda: lambdamart.tune({**given}, data, search={"objective": "lambdarank|query_rmse"}, max_trainings=2), "leave one out")
    refused(lambda: lambdamart.command("predict", data=data, metric=near), "predict takes no functions")

    def fails(y, score):
        raise KeyError("mine")

    refused(lambda: lambdamart.cv({**given, "objective": fails}, data), "mine", KeyError)


def rankers_are_compared_in_memory() -> None:
    """bench takes Datasets for the files of its folder."""
    sets = {name: Dataset(np.nan_to_num(X), Y, qid=QID) for name in ("train", "vali", "test")}
    with tempfile.TemporaryDirectory() as folder:
        out = lambdamart.command("bench", data=sets, rankers="lambdamart,listnet", seeds=1, num_iterations=2, epochs=2, output=os.path.join(folder, "bench"))
    assert "lambdamart" in out.text and "listnet" in out.text, out.text


def rankings_are_explained() -> None:
    """Explanations of arrays equal the command line's on the same rows."""
    r = ranker().fit(frame("pandas"), Y, qid=QID)
    data = Dataset(frame("pandas")[NAMES[::-1]], Y, qid=[f"q{i}" for i in QID])  # columns are chosen by name
    rows = np.flatnonzero(QID == 3)
    with tempfile.TemporaryDirectory() as folder:
        path, page = Path(folder, "data.csv"), Path(folder, "why.html")
        frame("pandas").assign(label=Y, query=[f"q{i}" for i in QID], docid=np.arange(len(QID))).to_csv(path, index=False, float_format="%.17g")
        columns = {"header": True, "label_column": "name:label", "group_column": "name:query", "ignore_column": "name:docid"}
        order = lambdamart.explain(r, data, query="q3")
        total = sum(s["share"] for s in order["query"]["documents"][0]["shares"])
        np.testing.assert_allclose(total, order["query"]["documents"][0]["score"] - order["query"]["mean_score"], atol=1e-12)
        equal(sorted(int(d["id"]) for d in order["query"]["documents"]), rows.tolist(), "documents are rows")
        file = lambdamart.explain(r.model_, path, query="q3", **columns)
        for name in "score", "label", "shares":
            equal([d[name] for d in order["query"]["documents"]], [d[name] for d in file["query"]["documents"]], f"{name} of a file")
        pair = lambdamart.explain(r, data, query="q3", document=int(rows[0]), against=int(rows[1]), report=page)["pair"]
        np.testing.assert_allclose(sum(s["share"] for s in pair["shares"]), r.predict(frame("pandas"))[rows[0]] - r.predict(frame("pandas"))[rows[1]], atol=1e-12)
        assert page.read_text().startswith("<!DOCTYPE html>"), page.read_text()[:100]
        asked = {"sample_queries": 20, "test_seed": 3, "explain_at": 5}
        equal(lambdamart.explain(r, data, **asked)["importance"], lambdamart.explain(r, path, **asked, **columns)["importance"], "importance")
    refused(lambda: lambdamart.explain(r, data, query="q999"), "no such query; its first one is q0")
    refused(lambda: lambdamart.explain(r, data.bin()), "binned")
    refused(lambda: lambdamart.explain(3, data), "of the type int", TypeError)
    refused(lambda: lambdamart.explain(r, data, query="q3", document=10**6, against=int(rows[0])), "no document")
    refused(lambda: lambdamart.explain(r, data, query="q3", document=int(rows[0])), "belong together")
    refused(lambda: lambdamart.explain(r, data, explain_att=3), "explain_at")
    refused(lambda: lambdamart.explain(r, data, label_column="x"), "the data is arrays")


def results_are_shown_as_commands_print_them() -> None:
    """As strings, results are what the commands print without json=true, and are short."""
    r, data = ranker().fit(X, Y, qid=QID), Dataset(X, Y, qid=QID)
    few = dict(sample_queries=20, permutations=1)
    for given, asked in (few, few), (dict(query=3), dict(for_query="3")), (dict(query=3, document=40, against=41), dict(for_query="3", document=40, against=41)):
        if "document" in given:
            rows = [int(i) for i in np.flatnonzero(QID == 3)[:2]]
            given, asked = {**given, "document": rows[0], "against": rows[1]}, {**asked, "document": rows[0], "against": rows[1]}
        found = lambdamart.explain(r, data, **given)
        want = lambdamart.command("explain", input_model=r, data=data, **asked)
        equal(str(found), want.text, "explain")
        equal([str(want), str(lambdamart.command("explain", input_model=r, data=data, json=True, **asked))], [want.text] * 2, "command")
        assert isinstance(found, dict) and found == json.loads(json.dumps(found)) and len(repr(found)) < 200 and 100 < len(str(found)) < 10_000, len(str(found))
        equal(pickle.loads(pickle.dumps(found)).text, str(found), "a copy")
    assert len(str(r.model_.trees()[0])) < 500, "the root of a tree"
    with tempfile.TemporaryDirectory() as folder:
        told = lambdamart.command("train", data=data, num_iterations=2, output_model=f"{folder}/model.txt").messages
        assert told and "/proc/" not in str(told), told
    params = {"num_iterations": 3, "min_data_in_leaf": 5, "num_leaves": 4}
    evaluated = lambdamart.evaluate(Y, r.predict(X), qid=QID, metrics=["ndcg@10", "map"])
    equal(str(evaluated), lambdamart.command("eval", data=data, input_model=r, metric="ndcg@10,map").text, "evaluate")
    assert str(evaluated).startswith(str(evaluated[0]).partition(" (")[0]) and len(repr(evaluated[0])) < 300
    other = ranker(n_estimators=2).fit(X, Y, qid=QID)
    for metric, pairs in ("ndcg@10", "first"), (["ndcg@10", "map"], "all"):
        compared = lambdamart.compare(Y, {"compare 1": r.predict(X), "compare 2": other.predict(X)}, qid=QID, metric=metric, all_pairs=pairs == "all")
        equal(str(compared), lambdamart.command("compare", r, other, data=data, metric=metric, pairs=pairs).text, "compare")
    named = lambdamart.compare(Y, {"a: 1, \"b\"": r.predict(X), 3: other.predict(X)}, qid=QID)
    assert 'a: 1, "b"\n' in str(named) and "\n3 minus a: 1, \"b\": " in str(named) and len(repr(named)) < 5000, str(named)
    with tempfile.TemporaryDirectory() as folder:
        cv = lambdamart.cv(params, data, folds=3)
        timeless = lambda text: re.sub(r"[\d.e-]+$", "", text, flags=re.MULTILINE).split()  # noqa: E731
        equal(timeless(str(cv)), timeless(lambdamart.command("cv", data=data.bin(), folds=3, output=f"{folder}/cv", **params).text), "cv")
    for result in cv, lambdamart.tune(params, data, search={"learning_rate": [0.1, 0.2]}, max_trainings=2), lambdamart.select({**params, "folds": 2}, data, num_features=7):
        assert "ndcg@5" in str(result) and 100 < len(str(result)) < 5000 and "lambdamart-work" not in str(result) and len(repr(result)) < 1500, repr(result)
    trained = lambdamart.train({**params, "num_iterations": 200}, Dataset(X[:CUT], Y[:CUT], qid=QID[:CUT]), [Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:])])
    assert re.fullmatch(r"training ended after 200 iterations: .*; the model has 200 trees\nvalid_0  ndcg@1 .*", str(trained)) and len(repr(trained)) < 500, str(trained)


def arguments_of_earlier_versions_are_refused_with_a_remedy() -> None:
    data, params = Dataset(X, Y, qid=QID), {"num_iterations": 2}
    for call, words in (
        (lambda: Dataset(X, Y, qid=QID, label2=Y), "Dataset has no label2= any more: use labels="),
        (lambda: ranker().fit(X, Y, qid=QID, label2=Y), "fit has no label2= any more: use labels="),
        (lambda: lambdamart.tune(params, data, time_budget=5), "tune has no time_budget= any more: use max_trainings="),
        (lambda: lambdamart.select(params, data, holdout=data), "select has no holdout= any more: .*compare"),
        (lambda: lambdamart.select(params, data, keep=[1]), "select has no keep= any more: .*num_features="),
    ):
        refused(call, words, TypeError)
    assert "label2" not in inspect.signature(Dataset).parameters and "qid" in inspect.signature(LambdaMARTRanker.fit).parameters


def errors_name_what_python_calls_things() -> None:
    """Rows are counted from 0, sets have their names, and arguments are Python's."""
    bad = lambda values, row, value: np.where(np.arange(len(Y)) == row, value, values)  # noqa: E731
    infinite = X.copy()
    infinite[7, 1] = np.inf
    valid = lambda x=X, y=Y: dict(qid=QID, eval_set=[(x, y)], eval_qid=[QID])  # noqa: E731
    refused(lambda: ranker().fit(infinite, Y, qid=QID), "^training: row 7, feature")
    refused(lambda: ranker().fit(X, Y, **valid(infinite)), "^valid_0: row 7, feature")
    refused(lambda: ranker().fit(X, bad(Y, 7, np.nan), qid=QID), "^training: .*label of row 7 is NaN")
    refused(lambda: ranker().fit(X, bad(Y, 7, 40), qid=QID), "label 40 of row 7 ")
    refused(lambda: ranker().fit(X, Y, **valid(y=bad(Y, 7, 40))), "^valid_0: label 40 in row 7 ")
    refused(lambda: lambdamart.evaluate(bad(Y, 7, 40), X[:, 1], qid=QID), "label 40 in row 7 ")
    refused(lambda: lambdamart.evaluate(bad(Y, 7, np.nan), X[:, 1], qid=QID), "^y: .*label of row 7 is NaN")
    late = len(Y) - 1  # in each study, the last row of the data is another one of a fold
    data, query = Dataset(X, bad(Y, late, 40), qid=QID), QID[late]
    for study in lambdamart.cv, lambdamart.tune, lambdamart.select:
        refused(lambda study=study: study({"num_iterations": 3}, data), f"^label 40 in row {late} of query {query},")
    refused(lambda: lambdamart.compare(data.label, {"a": X[:, 1], "b": X[:, 2]}, qid=QID), f"label 40 in row {late} of query {query},")
    refused(lambda: lambdamart.command("eval", input_model=ranker().fit(X, Y, qid=QID), data=data), f"^label 40 in row {late} of query {query}, by")
    refused(lambda: ranker().fit(X, Y, qid=QID, sample_weight=bad(np.ones(len(Y)), 7, 1e20)), f"weight 1e\\+20 of row 7 \\(query {QID[7]}\\) is")
    sets = lambda **given: lambda: ranker().fit(X, Y, qid=QID, **{"eval_set": [(X, Y), (X, Y)], "eval_qid": [QID, QID], **given})  # noqa: E731
    refused(sets(eval_set=[(X, Y), (X, Y[1:])]), r"^eval_set\[1\]: X has \d+ rows, and y has")
    refused(sets(eval_qid=[QID, QID % 7]), r"^eval_set\[1\]: the rows of a query are not consecutive")
    refused(sets(eval_qid=None, eval_group=[SIZES, SIZES[1:]]), r"^eval_set\[1\]: group: the numbers of rows")
    refused(sets(eval_set=[(X.astype(str).astype(object) + "x", Y), (X, Y)]), r"^eval_set\[0\]: X has the type object")
    refused(sets(eval_sample_weight=[None, [1, 2]]), r"^eval_set\[1\]: .* weight \(in fit, sample_weight\) has 2 entries")
    refused(lambda: lambdamart.evaluate(Y, X[:, 1], qid=QID, metrics="ndgc"), '^no metric "ndgc"')
    refused(lambda: lambdamart.compare(Y[: SIZES[0]], {"a": X[: SIZES[0], 1], "b": X[: SIZES[0], 2]}, group=SIZES[:1]), "^1 query judged: want at least 2")
    assert any(text.startswith("y: no query has a relevant") for text in warned(lambda: lambdamart.evaluate(0 * Y, X[:, 1], qid=QID)))
    refused(lambda: ranker(objective="pairs").fit(X, Y, qid=QID), "give pairs to fit or to Dataset")
    parts = Dataset(X[:CUT], Y[:CUT], qid=QID[:CUT]), Dataset(X[CUT:], bad(Y, CUT + 7, 40)[CUT:], qid=QID[CUT:])
    for study, more in (lambdamart.tune, {"search": {"num_leaves": [3, 5]}}), (lambdamart.select, {}):
        refused(lambda study=study, more=more: study({"num_iterations": 3}, *parts, **more), "^valid: label 40 in row 7 of query")
        same = Dataset(X[:CUT], Y[:CUT], qid=7000 + 3 * QID[:CUT])
        refused(lambda study=study, more=more: study({"num_iterations": 3}, same, same, **more), "^valid: 100 of 100 validation queries are training queries")  # noqa: B023
    for given in dict(fold=np.zeros(len(Y))), dict(folds=[([], range(len(Y)))]):
        refused(lambda given=given: lambdamart.cv({"num_iterations": 3}, Dataset(X, Y, qid=QID), **given), f"^{next(iter(given))}: these folds cannot be used: there must be at least 2")
    binned = parts[0].bin({"max_bin": 15})
    refused(lambda: lambdamart.train({"num_iterations": 3}, binned, parts[0].bin()), "bin it with reference=, the binned training data$")
    refused(lambda: lambdamart.train({"num_iterations": 3}, binned, init_model=ranker().fit(X, Y, qid=QID)), "give the data that it was made from")
    refused(lambda: lambdamart.train({"calibration": "platt"}, parts[0]), "eval_set in fit and valid_sets in train, or call calibrate with other labeled data")
    refused(lambda: lambdamart.explain(ranker().fit(X, Y, qid=QID), Dataset(X, Y, qid=QID), query=3, document=late, against=0), f"^document={late}: this row is of query {query}, and query=3 is explained")
    tried = lambda: lambdamart.tune({"num_iterations": 3}, parts[0], Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:]), search={"min_sum_hessian_in_leaf": [1e-3, 1e9]}, max_trainings=4, final=False)  # noqa: E731
    assert any("could not be trained; trials of the result have the reasons" in text for text in warned(tried)), warned(tried)
    refused(lambda: ranker(objective="lambdarank@cart").fit(X, Y, qid=QID), "in Python, labels of fit and Dataset")
    for call in lambda: ranker(early_stopping_rounds=3).fit(X, Y, qid=QID), lambda: lambdamart.train({"patience": 3}, Dataset(X, Y, qid=QID)):
        refused(call, "needs a validation set, which is eval_set in fit and valid_sets in train$")
    for name in "report", "checkpoint":
        refused(lambda name=name: ranker().fit(X, Y, qid=QID, **{name: True}), f"^{name}=True: the path of a file is a string", TypeError)
    refused(lambda: ranker().fit(X, Y, qid=QID).model_.save(3), "^path=3: the path of a file is a string", TypeError)
    refused(lambda: ranker().fit(X, Y, qid=QID, resume=True), "need a file: give the argument checkpoint$")


def any_command_takes_frames() -> None:
    """Commands without a Python function: networks, refit, transform, predict, eval, compare, on frames, arrays and sparse rows."""
    import scipy.sparse

    with tempfile.TemporaryDirectory() as folder:
        path = {name: os.path.join(folder, name) for name in ("net", "refit", "wide.csv", "scores", "trees", "page.html", "sparse", "dense")}
        x = frame("pandas")
        data = lambdamart.Dataset(x, Y, qid=QID)
        turned = lambdamart.Dataset(x[list(reversed(list(x.columns)))], Y, qid=QID)
        ranker = lambdamart.LambdaMARTRanker(n_estimators=5).fit(x, Y, qid=QID)
        lambdamart.command("predict", data=turned, input_model=ranker, output_result=path["scores"])
        equal(np.loadtxt(path["scores"]), ranker.predict(x), "columns are found by name")
        lambdamart.command("train", data=data, valid=turned, num_iterations=5, output_model=path["trees"])
        trained = lambdamart.train({"num_iterations": 5}, data, [turned]).model
        equal(lambdamart.Model(path["trees"]).text, trained.text, "the command's model")
        sparse = lambdamart.Dataset(scipy.sparse.csr_matrix(np.nan_to_num(X)), Y, qid=QID)
        dense = lambdamart.Dataset(np.nan_to_num(X), Y, qid=QID)
        for form, d in ("sparse", sparse), ("dense", dense):
            lambdamart.command("train", data=d, num_iterations=2, output_model=path[form])
        equal(Path(path["sparse"]).read_text(), Path(path["dense"]).read_text(), "models of sparse and dense rows")
        lambdamart.command("train", data=dense, ranker="listnet", epochs=2, output_model=path["net"])
        equal((network := lambdamart.Model(path["net"])).ranker, "listnet", "a network")
        raw = network.predict(filled := np.nan_to_num(X))
        p = network.calibrated(filled, Y, qid=QID, calibration="platt").predict(filled, probability=True)
        assert (np.diff(p[np.argsort(raw)]) >= 0).all() and abs(p.mean() - (Y >= 1).mean()) < 0.05, "a calibrated network"
        filled[300, 5] = np.nan
        for chunk in 24 * 400, 24 * 50:  # more than a batch of the worker, and fewer rows
            with mock.patch.object(lambdamart._model, "SCORES", chunk * 3):
                refused(lambda: network.predict(filled), r"feature 5 \(\S+\) of row 300 is NaN")
        lambdamart.command("refit", data=turned, input_model=ranker, refit_decay_rate=0.5, output_model=path["refit"])
        assert lambdamart.Model(path["refit"]).text != ranker.model_.text
        lambdamart.command("transform", data=data, query_context="rank", output=path["wide.csv"])
        header = Path(path["wide.csv"]).read_text().partition("\n")[0].split(",")
        equal(header[2 : 2 + len(x.columns)], list(x.columns), "names of columns")
        compared = lambdamart.command("compare", ranker, path["trees"], data=data, report=path["page.html"])
        assert "randomization" in compared.text and "/proc/" not in compared.text + Path(path["page.html"]).read_text(), compared.text
        curve = lambdamart.command("curve", data=data, folds=2, shares=[0.5, 1], num_iterations=5, output=os.path.join(folder, "curve"), json=True)
        equal([s["share"] for s in curve.json()["shares"]], [0.5, 1], "shares of a learning curve")
        equal([m["share"] for m in curve.messages if m["event"] == "share"], [0.5, 1], "events of a study")
        judged = lambdamart.command("eval", data=data, input_model=ranker, eval_at=5, metric="ndcg")
        value = lambdamart.evaluate(Y, ranker.predict(x), qid=QID, metrics="ndcg@5")[0].value
        assert f"{value:.4f}" in judged.text, judged.text
        printed = {name: lambdamart.command(name, *words, **given).text for name, words, given in (
            ("predict", (), {"data": data, "input_model": ranker}), ("export", (ranker,), {"to": "go"}), ("version", (), {}),
            ("help", ("train", "all"), {}), ("completion", ("bash",), {}), ("train", (), {"data": data, "valid": turned, "num_iterations": 5, "output_model": "-"}))}
        equal(printed["predict"].split(), [repr(float(v)) for v in ranker.predict(x)], "scores that are printed")
        equal(printed["train"], trained.text, "a model that is printed")
        for name, begin in ("export", "// Code generated"), ("version", "lambdamart v"), ("help", "Train a model"), ("completion", "# bash completion"):
            assert printed[name].startswith(begin), printed[name][:200]
    refused(lambda: lambdamart.command("bin", data=data, output="-"), "bin prints what is not text; name a file")
    refused(lambda: lambdamart.command("eval", data="-", input_model=ranker), "there are no rows")
    refused(lambda: lambdamart.command("train", data=data, num_leafs=3), "did you mean num_leaves")
    refused(lambda: lambdamart.command("train", data=data, group_column="x"), "the data is arrays")
    refused(lambda: lambdamart.command("trian", data=data), "did you mean train")
    lacking = lambdamart.Dataset(x.drop(columns=[x.columns[ranker.model_.used_features[0]]]), Y, qid=QID)
    refused(lambda: lambdamart.command("eval", data=lacking, input_model=ranker), "lacks columns")


def systems_are_compared() -> None:
    import scipy.stats

    systems = {"grades": Y + 0.0, "first": np.nan_to_num(X[:, 0]), "second": np.nan_to_num(X[:, 1])}
    c = lambdamart.compare(Y, systems, qid=QID, metric="ndcg@5", all_pairs=True, seed=3)
    for name, scores in systems.items():
        alone = lambdamart.evaluate(Y, scores, qid=QID, metrics="ndcg@5")[0]
        equal(c.means[name], alone.value, f"mean of {name}")
        equal(c.per_query[name], alone.per_query, f"values of {name}")
    equal([(p.a, p.b) for p in c.pairs], [("grades", "first"), ("grades", "second"), ("first", "second")], "pairs")
    pair = c.pairs[2]
    differences = c.per_query["second"] - c.per_query["first"]
    oracle = scipy.stats.ttest_rel(c.per_query["second"], c.per_query["first"])
    np.testing.assert_allclose([pair.difference, pair.student_t.statistic, pair.student_t.p], [differences.mean(), oracle.statistic, oracle.pvalue], rtol=1e-6)
    equal((pair.wins, pair.ties, pair.losses), tuple(int((np.sign(differences) == s).sum()) for s in (1, 0, -1)), "wins")
    assert pair.interval[0] < pair.difference < pair.interval[1] and pair.wilcoxon.p <= pair.wilcoxon.p_holm
    equal(len(lambdamart.compare(Y, systems, qid=QID).pairs), 2, "pairs with the first")
    weight = np.repeat(rng.integers(1, 9, len(SIZES)), SIZES)
    weighted = lambdamart.compare(Y, systems, qid=QID, sample_weight=weight, metric="ndcg@5")
    of_query, by_query = weight[np.cumsum(SIZES) - 1], list(weighted.per_query.values())
    difference = np.average(by_query[1] - by_query[0], weights=of_query)
    assert abs(weighted.pairs[0].difference - difference) < 1e-9, weighted
    assert np.isnan(weighted.pairs[0].wilcoxon.p) and weighted.remark == "", weighted
    few = QID < 8
    assert "8 queries are few" in str(lambdamart.compare(Y[few], {n: s[few] for n, s in systems.items()}, qid=QID[few])), "few queries"
    refused(lambda: lambdamart.compare(Y, {"a": Y}, qid=QID), "two or more")
    refused(lambda: lambdamart.compare(Y, {"a": Y, "b": Y[1:]}, qid=QID), "the system b")
    refused(lambda: lambdamart.compare(Y, {"a": Y, "b": Y}, qid=QID, level=2), "level|Level")


def trees_exports_and_pictures() -> None:
    import matplotlib
    import pandas

    matplotlib.use("Agg")
    sets = dict(eval_set=[(X[CUT:], Y[CUT:])], eval_qid=[QID[CUT:]])
    r = ranker(n_estimators=100, early_stopping_rounds=5, metric_freq=2).fit(X[:CUT], Y[:CUT], qid=QID[:CUT], **sets)
    pandas.testing.assert_frame_equal(r.model_.trees_to_dataframe(), r.booster_.trees_to_dataframe(), check_dtype=False)
    leaf = ranker(n_estimators=1, num_leaves=2).fit(X, Y, qid=QID).model_.trees()[0].left
    assert leaf is not None and leaf.left is None and leaf.count > 0, leaf
    with tempfile.TemporaryDirectory() as folder:
        for target, options in ("onnx", {}), ("solr", {"model_name": "m"}), ("elasticsearch", {}):
            r.model_.export(target, Path(folder, target), vectors=50, **options)
            if target == "onnx":
                refused(lambda: lambdamart.check_export(Path(folder, "onnx")), "ONNX is not read here.*ONNX Runtime")
            else:
                assert "all scores are equal" in lambdamart.check_export(Path(folder, target)), target
        refused(lambda: r.model_.export("solr", Path(folder, "s"), engine="solr-9.2"), "engine.*newest versions")
        refused(lambda: lambdamart.check_export(Path(folder, "solr"), Path(folder, "nothing")), "no such file")
    for draw, words in (lambdamart.plot_importance, "splits"), (lambdamart.plot_metric, "iteration"), (lambdamart.plot_tree, ""):
        ax = draw(r)
        ax.figure.canvas.draw()
        equal(ax.get_xlabel(), words, draw.__name__)
    equal(list(lambdamart.plot_metric(r, "ndcg@5").lines[0].get_xydata()[:, 0]), [float(i) for i in r.evaluated_], "iterations in the picture")
    equal(lambdamart.plot_importance(r.model_, importance_type="gain").get_xlabel(), "gain", "gain")
    refused(lambda: lambdamart.plot_metric(r, "map"), "was not evaluated")
    refused(lambda: lambdamart.plot_metric(ranker().fit(X, Y, qid=QID)), "no metrics")
    refused(lambda: lambdamart.plot_tree(r, 1000), "tree_index=1000", IndexError)
    code = "import sys\nfor name in 'matplotlib', 'matplotlib.pyplot', 'pandas', 'lightgbm', 'mlflow', 'optuna': sys.modules[name] = None\n"
    calls = "lambdamart.plot_importance(m)", "m.model_.trees_to_dataframe()", "m.model_.to_lightgbm()", "mlflow_autolog()", "MLflowMetrics()", "OptunaPruning(None)"
    tries = "".join(f"\ntry: {call}\nexcept ImportError as e: print(str(e).partition(' (')[0] + str(e).rpartition(')')[2])" for call in calls)
    said = run(PREAMBLE.replace("\n", f"\n{code}", 1) + f"import lambdamart\nfrom lambdamart.callbacks import *\nm = fit(){tries}\nfit()")
    needs = {"a picture": "matplotlib", "trees_to_dataframe": "pandas", "to_lightgbm": "lightgbm", "mlflow_autolog": "mlflow", "MLflowMetrics": "mlflow", "OptunaPruning": "optuna"}
    equal(said.splitlines(), [f"{what} needs {package}, which cannot be imported: pip install {package}" for what, package in needs.items()], "without other packages")


def models_of_lightgbm() -> None:
    import lightgbm

    theirs = lightgbm.LGBMRanker(n_estimators=10, min_child_samples=5, verbose=-1, n_jobs=1).fit(X, Y, group=SIZES)
    model = Model.from_lightgbm(theirs)
    equal(model.predict(X), theirs.predict(X), "LightGBM's model")
    equal(model.feature_importance("split"), theirs.booster_.feature_importance("split"), "importance")
    mine = ranker().fit(X, Y, qid=QID)
    equal(mine.booster_.predict(X), mine.predict(X), "our model in LightGBM")
    equal(mine.booster_.predict(X, pred_leaf=True), mine.predict(X, pred_leaf=True), "leaves")
    contributions = mine.predict(X, pred_contrib=True)
    np.testing.assert_allclose(contributions, mine.booster_.predict(X, pred_contrib=True), atol=1e-9)
    np.testing.assert_allclose(contributions.sum(axis=1), mine.predict(X), atol=1e-12)
    equal(mine.booster_.predict(X, start_iteration=2, num_iteration=5), mine.predict(X, start_iteration=2, num_iteration=5), "a part of the trees")
    large = np.tile(X, (600, 1))  # more than one chunk
    equal(mine.predict(large), np.tile(mine.predict(X), 600), "scores in chunks")


def dumps_of_xgboost_may_lack_weights() -> None:
    path = ROOT / "io/model/internal/xgboost/testdata/1.7.6-dart.dump1"
    for arguments in {"path": path}, {"text": path.read_text()}:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            loaded = Model(**arguments)
            copy.deepcopy(loaded).predict(np.zeros((1, 4)))
        equal([str(w.message)[:58] for w in caught], ["a dump of XGBoost does not tell whether it is of dart, and"], "warnings")


def parameters_have_the_defaults_of_the_command_line() -> None:
    table = {name: p for p in lambdamart.parameters() for name in (p.name, *p.aliases)}
    for name, value in LambdaMARTRanker().get_params().items():
        if value is not None and name not in ("boosting_type", "importance_type"):
            assert float(table[name].default) == value, f"{name}: {value}, and the command line has {table[name].default}"


def aliases_take_the_place_of_defaults() -> None:
    plain = dict(subsample=0.6, subsample_freq=1, colsample_bytree=0.5, random_state=3, n_estimators=9)
    aliased = dict(bagging_fraction=0.6, bagging_freq=1, feature_fraction=0.5, seed=3, num_iterations=9)
    fit = lambda **more: LambdaMARTRanker(min_child_samples=5, **more).fit(X, Y, qid=QID)  # noqa: E731
    equal(fit(**aliased, num_threads=1).model_.text, fit(**plain, n_jobs=2).model_.text, "aliases")
    equal(fit(boosting="dart").model_.text, fit(boosting_type="dart").model_.text, "boosting")
    refused(lambda: fit(subsample=0.6, bagging_fraction=0.7), "bagging_fraction is already given by subsample=0.6")


def presets_choose_parameters() -> None:
    """A preset chooses the parameters with default values, as on the command line, also with custom objectives and metrics."""
    chosen = dict(num_iterations=4, seed=3)
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(path := Path(folder, "train.csv"), np.column_stack([Y, X]), delimiter=",", fmt="%.17g", header=",".join(["label", *NAMES]), comments="")
        np.savetxt(f"{path}.query", SIZES, fmt="%d")
        given = ours.arguments(data=path, output_model=Path(folder, "model.txt"), label_column="name:label", preset="auto", **chosen)
        ours.run("cmd/lambdamart", "train", *given)
        text = Path(folder, "model.txt").read_text()
    data = Dataset(frame("pandas"), Y, qid=QID)
    equal(lambdamart.train({"preset": "auto", **chosen}, data).model.text, text, "preset in train")
    equal(LambdaMARTRanker(preset="auto", n_estimators=4, random_state=3).fit(frame("pandas"), Y, qid=QID).model_.text, text, "preset in fit")
    assert LambdaMARTRanker(preset="none").fit(X, Y, qid=QID).model_.text == LambdaMARTRanker().fit(X, Y, qid=QID).model_.text
    few = LambdaMARTRanker(preset="auto", num_leaves=4).fit(X[:CUT], Y[:CUT], qid=QID[:CUT], eval_set=[(X[CUT:], Y[CUT:])], eval_qid=[QID[CUT:]])
    assert set(re.findall(r"num_leaves=(\d+)", few.model_.text)) == {"4"} and few.n_iter_ > few.best_iteration_, "patience is chosen"
    top = lambda y, score: ("top", float(y[np.argmax(score)]), True)  # noqa: E731
    push = lambda y, score: (score - y, np.ones_like(y))  # noqa: E731
    valid = Dataset(X[CUT:], Y[CUT:], qid=QID[CUT:])
    assert "top" in lambdamart.train({"preset": "auto", "metric": top, "patience": 2}, data, [valid]).best_score["valid_0"]
    assert lambdamart.train({"preset": "auto", "objective": push, "num_iterations": 3}, data).n_iter == 3
    refused(lambda: lambdamart.train({"preset": "32-16"}, data), "preset")


def the_best_preset_has_query_context() -> None:
    """preset=best has four times the trees of auto, and columns of context, so that scores need the queries."""
    shifted = np.column_stack([X[:, 0] + np.repeat(100 * rng.random(len(SIZES)), SIZES), X[:, 1:]])
    best = LambdaMARTRanker(preset="best", n_estimators=5).fit(shifted, Y, qid=QID)
    parts = dict(query_context=["rank", "zscore"])
    auto = LambdaMARTRanker(preset="auto", n_estimators=5, **parts).fit(shifted, Y, qid=QID).model_
    equal(list(best.model_.feature_names), list(auto.feature_names), "columns of context")
    equal(best.model_.num_trees, 4 * auto.num_trees, "16 models and 4")
    assert best.model_.num_features > best.model_.num_inputs == 8 and best.score(shifted, Y, qid=QID) > 0.6
    refused(lambda: best.predict(shifted), "qid")
    import pandas

    names = [f"f{i}" for i in range(8)]
    frame = pandas.DataFrame(shifted, columns=names)
    with tempfile.TemporaryDirectory() as folder:
        data, text = Path(folder, "train.csv"), Path(folder, "model.txt")
        frame.assign(query=QID, doc="text", grade=Y)[["query", "doc", "grade", *names]].to_csv(data, index=False)
        ours.train(data, text, label_column="name:grade", query_column="name:query", ignore_column="name:doc", query_context="rank", num_iterations=3)
        model, scores = Model(text), ours.predict(data, text, Path(folder, "scores"))
    equal(model.predict(frame, qid=QID).tolist(), scores.tolist(), "a frame without the columns that are no features")
    needed = model.feature_names[model.used_features[0]]
    refused(lambda: model.predict(frame.drop(columns=needed), qid=QID), f"lacks columns that are features of the model: {needed}$")
    refused(lambda: model.predict(frame.values, qid=QID), r"X has 8 features, and the model has 10: .*f7. Give a frame with names of columns, which needs only .*f0.*in this order$")
    refused(lambda: best.model_.export("xgboost", "/dev/null"), "context")
    refused(lambda: LambdaMARTRanker(preset="best").fit(Dataset(X, Y, qid=QID).bin()), "preset=best: query_context=rank,zscore: training was binned")
    refused(lambda: lambdamart.cv({"preset": "best"}, Dataset(X, Y, qid=QID)), "preset=best is the mean of 16 models")


def the_defaults_are_named_once() -> None:
    """The first fit without tree parameters logs one line with what preset=auto would choose; verbose=0 or a preset logs nothing."""
    program = (
        "import numpy as np; from lambdamart import LambdaMARTRanker as R; x = np.random.default_rng(1).random((200, 3)); y = (x[:, 0] > 0.5) * 1; q = np.repeat(np.arange(20), 10)\n"
        "fit = lambda **more: R(n_estimators=2, **more).fit(x, y, qid=q)\n"
    )
    said = run(program + "fit(verbose=-1, num_leaves=7); fit(preset='auto'); fit(preset='none'); fit(); fit(); fit(verbose=1)")
    equal(said.count("LightGBM's defaults; preset=auto would be, for data of this size, num_models=4"), 1, said)
    for more in "verbose=0", "num_leaves=7", "preset='none'":
        equal(run(f"{program}fit({more})"), "", f"the log of fit({more})")


def learning_rates_follow_a_schedule() -> None:
    """A list or a function by iteration gives the bytes of the command's list, alone, from a checkpoint and in cv; nothing is ignored."""
    rates = [0.3, 0.2, 0.1, 0.05, 0.05, 0.05]
    fit = lambda **more: LambdaMARTRanker(n_estimators=6, min_child_samples=5, **more).fit(X, Y, qid=QID).model_.text  # noqa: E731
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(path := Path(folder, "train.csv"), np.column_stack([Y, X]), delimiter=",", fmt="%.17g", header=",".join(["label", *NAMES]), comments="")
        np.savetxt(f"{path}.query", SIZES, fmt="%d")
        given = ours.arguments(data=path, output_model=Path(folder, "model.txt"), label_column="name:label", learning_rates="0.3,0.2,0.1,0.05", num_iterations=6, min_data_in_leaf=5)
        ours.run("cmd/lambdamart", "train", *given)
        text = Path(folder, "model.txt").read_text()
    named = LambdaMARTRanker(n_estimators=6, min_child_samples=5, learning_rate=rates[:4]).fit(frame("pandas"), Y, qid=QID)
    equal(named.model_.text, text, "a list")
    equal([float(s) for s in re.findall(r"shrinkage=(\S+)", text)], rates, "the rates of trees")
    for schedule in rates, tuple(rates), np.array(rates), lambda i: rates[i], "0.3,0.2,0.1,0.05":
        name = "learning_rates" if isinstance(schedule, str) else "eta" if isinstance(schedule, tuple) else "learning_rate"
        equal(without_parameters(fit(**{name: schedule})), without_parameters(fit(learning_rate=rates)), str(schedule))
    data = Dataset(X, Y, qid=QID)
    halving = {"learning_rate": lambda i: 0.2 * 0.9**i, "num_boost_round": 20, "min_data_in_leaf": 5}
    whole = lambdamart.train(halving, data).model.text
    assert len(set(re.findall(r"shrinkage=(\S+)", whole))) == 20
    with tempfile.TemporaryDirectory() as folder:
        kept = dict(checkpoint=Path(folder, "c"))
        stop = failing_at(7)
        refused(lambda: lambdamart.train({**halving, "snapshot_freq": 1}, data, callbacks=[stop], **kept), "", KeyError)
        equal(lambdamart.train({**halving, "resume": True}, data, **kept).model.text, whole, "from a checkpoint")
    assert lambdamart.cv({**halving, "patience": 3}, data, folds=3, final=True).model.text.startswith("tree")
    refused(lambda: lambdamart.tune(halving, data, max_trainings=4), "learning_rates")
    refused(lambda: fit(learning_rate=[0.1, -1]), "learning_rates=0.1,-1")
    refused(lambda: fit(learning_rate=rates, eta=0.2), "leave one of them out")
    refused(lambda: LambdaMARTRanker(preset="auto", learning_rate=lambda i: 0.1).fit(X, Y, qid=QID), "give num_iterations")
    for rate in ("x", None, [0.1, 0.2]):
        refused(lambda: LambdaMARTRanker(learning_rate=lambda i: rate).fit(X, Y, qid=QID), "for iteration 0; it must return a number")
    auto = LambdaMARTRanker(preset="auto", n_estimators=5, learning_rate=lambda i: 0.1 + i).fit(X, Y, qid=QID)
    assert auto.n_iter_ == 20, "four models"


def reports_are_written() -> None:
    """fit and train write the report of the command line; for binned data it has no document values, and if it cannot be written, the model is kept."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        ranker(report=page).fit(frame("pandas"), Y, qid=QID, eval_set=[(frame("pandas"), Y)], eval_qid=[QID])
        text = page.read_text()
        assert "valid_0" in text and "Contributions" in text and "Learning" in text, text[:2000]
        data = Dataset(X, Y, qid=QID)
        said = warned(lambda: lambdamart.train({"report": str(page), "num_iterations": 3}, data.bin()))
        assert any("training is stored as bins" in text for text in said), said
        refused(lambda: lambdamart.train({"report": f"{folder}/none/page.html"}, data), "none")
        refused(lambda: lambdamart.train({"report": "-"}, data), "standard output has what the command prints")
        saved = lambdamart.train({"num_iterations": 3}, data).model
        saved.save(Path(folder, "model.txt"))
        refused(lambda: lambdamart.train({"report": f"{folder}/model.txt"}, data, init_model=f"{folder}/model.txt"), "model.txt")
        assert Path(folder, "model.txt").read_text() == saved.text


def constraints_by_feature() -> None:
    """Lists and dictionaries by feature mean the same as on the command line, and scores rise with a monotone feature."""
    fit = lambda **more: ranker(**more).fit(frame("pandas"), Y, qid=QID)  # noqa: E731
    text = fit(monotone_constraints="1,0,0,0,0,0,0,-1").model_.text
    equal(fit(monotone_constraints=[1, 0, 0, 0, 0, 0, 0, -1]).model_.text, text, "list")
    model = fit(monotone_constraints={"a": 1, "h": -1}, monotone_constraints_method="intermediate")
    rows = X[:200].copy()
    before = None
    for value in np.linspace(0, 1, 11):
        rows[:, 0] = value
        scores = model.predict(rows)
        assert before is None or (scores >= before).all()
        before = scores
    equal(fit(interaction_constraints=[["a", "b"], ["c", 3]]).model_.text, fit(interaction_constraints="[a,b],[c,3]").model_.text, "sets")
    refused(lambda: fit(monotone_constraints={"aa": 1}), "did you mean 'a'")
    refused(lambda: fit(monotone_constraints=[1, 0]), "8 features")


def with_letters(given):
    """Returns a parameter that names the columns "0" to "3", with the names that these have in another frame."""
    if isinstance(given, dict):
        return {with_letters(name): value for name, value in given.items()}
    if not isinstance(given, str):
        return [with_letters(v) for v in given]
    return {"0": "c", "1": "b", "2": "d", "3": "a", "name:2": "name:d"}[given]


def numbers_are_places_and_texts_are_names() -> None:
    """In a frame whose columns are called 3, 1, 0, 2, whole numbers are places and texts are names, for every parameter that names features."""
    import pandas

    names = [3, 1, 0, 2]
    rng = np.random.default_rng(7)
    x = np.column_stack([rng.random(len(Y)), rng.integers(0, 9, len(Y)), rng.integers(0, 9, len(Y)), rng.random(len(Y))])
    y = np.clip(np.round(rng.normal(0, 1, 9)[x[:, 1].astype(int)] + rng.normal(0, 1, 9)[x[:, 2].astype(int)] + x[:, 0]), 0, 4)
    frames = [pandas.DataFrame(x, columns=columns) for columns in (names, np.array(names), [str(n) for n in names])]
    plain = pandas.DataFrame(x, columns=list("abcd"))
    few = dict(n_estimators=4, min_child_samples=5, n_jobs=1, min_data_per_group=5)
    trees = lambda x, **more: trees_of(LambdaMARTRanker(**few, **more).fit(x, y, qid=QID))  # noqa: E731
    # what is given for the columns at places 1 and 2, and for the columns called "1" and "2", which are at 1 and 3
    cases = [
        ("categorical_feature", [1, 2], ["1", "2"], "name:1,2", "1,2"),
        ("categorical_feature", (np.int64(2), 1), {"2", "1"}, "name:2,1", "2,1"),
        ("cat_feature", 2, "name:2", ["2"], "2"),
        ("cat_features", pandas.Index([1, 2]), pandas.Series(["1", "2"]), pandas.Index(["1", "2"]), pandas.Series([1, 2])),
        ("interaction_constraints", [[1, 2]], [["1", "2"]], None, None),
        ("monotone_constraints", {1: 1, 2: -1}, {"1": 1, "2": -1}, None, [0, 1, -1, 0]),
        ("mc", {2: -1}, {"2": -1}, None, "0,0,-1,0"),
        ("feature_contri", {2: 0.1}, {"2": 0.1}, None, [1, 1, 0.1, 1]),
        ("max_bin_by_feature", {2: 3}, {"2": 3}, None, None),
    ]
    for number, (parameter, places, texts, same_texts, same_places) in enumerate(cases):
        want, other = trees(plain, **{parameter: places}), trees(plain, **{parameter: with_letters(texts)})
        equal(trees(x, **{parameter: places}), want, f"{parameter} of an array")
        assert want != other, parameter
        for frame in frames if number == 0 else frames[number % 3 :][:1]:
            for given in places, same_places:
                if given is not None:
                    equal(trees(frame, **{parameter: given}), want, f"{parameter}={given}")
            for given in texts, same_texts:
                if given is not None:
                    equal(trees(frame, **{parameter: given}), other, f"{parameter}={given}")
        data = Dataset(frames[0], y, qid=QID)
        params = {"num_iterations": 4, "min_data_in_leaf": 5, "min_data_per_group": 5, "num_threads": 1}
        with tempfile.TemporaryDirectory() as folder:
            lambdamart.command("train", data=data, output_model=Path(folder, "m.txt"), **params, **{parameter: places})
            text = Path(folder, "m.txt").read_text()
        equal(text[text.index("Tree=0") : text.index("end of trees")], want, f"the command with {parameter}={places}")
        if parameter == "max_bin_by_feature":
            binned = data.bin({parameter: places})
            equal(lambdamart.train(params, binned).model.predict(x), lambdamart.train({**params, parameter: places}, data).model.predict(x), "bins")
    def tried(x, parameter: str, values: list) -> list[float]:
        found = lambdamart.tune({"num_iterations": 2, "min_data_in_leaf": 5, "folds": 2}, Dataset(x, y, qid=QID), search={parameter: values}, max_trainings=2, final=False)
        return sorted(t["value"] for t in found.trials)

    for parameter, places, texts in ("mc", [{1: -1}, {2: -1}], [{"1": -1}, {"2": -1}]), ("interaction_constraints", [[[1, 2]], [[0, 3]]], [[["1", "2"]], [["3", "0"]]]), ("fc", ({2: 0.1}, {0: 0.1}), ({"2": 0.1}, {"0": 0.1})):
        want, other = tried(plain, parameter, places), tried(plain, parameter, [with_letters(v) for v in texts])
        assert want != other, parameter
        equal([tried(frames[0], parameter, values) for values in (places, texts)], [want, other], f"a search of {parameter}")
    context = lambda given: ranker(n_estimators=2, query_context="rank", query_context_features=given).fit(frames[0], y, qid=QID).feature_name_[4:]  # noqa: E731
    equal([context([2]), context(["2"]), context([2, "3"])], [["rank(0)"], ["rank(2)"], ["rank(3)", "rank(0)"]], "query_context_features")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        plain.assign(label=y).to_csv(path, index=False, float_format="%.17g")
        np.savetxt(f"{path}.query", SIZES, fmt="%d")
        of_file = lambda given: lambdamart.train({"num_iterations": 4, "min_data_in_leaf": 5, "min_data_per_group": 5, "header": True, "label_column": "name:label", "categorical_feature": given}, Dataset(path)).model.predict(x)  # noqa: E731
        equal(of_file(["b", "c"]), of_file([1, 2]), "categorical features of a file by name")
        refused(lambda: of_file(["b", 2]), "all features by name or all by number")
    refused(lambda: trees(plain, categorical_feature=["2"]), "categorical_feature=2: there is no such feature; a text is a name, and the number 2 a place")
    refused(lambda: trees(x, categorical_feature=["2"]), "the features have no names; give their numbers")
    refused(lambda: trees(plain, categorical_feature=[4]), "numbers are places from 0 to 3")
    refused(lambda: trees(plain, interaction_constraints=[["a", "bb"]]), "did you mean 'b'")
    for parameter in "mc", "feature_contri", "max_bin_by_feature":
        refused(lambda parameter=parameter: trees(frames[0], **{parameter: {1: 1, "1": 0}}), f"^{parameter}: '1' is the feature 1, which the dictionary has already")
    refused(lambda: trees(plain, categorical_feature=[1.0]), "a feature is given by its number", TypeError)
    refused(lambda: trees(plain, categorical_feature=[True]), "a feature is given by its number", TypeError)


# Bad input


def bad_input_is_explained() -> None:
    import pandas

    order = np.argsort(Y, kind="stable")
    fit = lambda **more: ranker().fit(**{"X": X, "y": Y, "qid": QID, **more})  # noqa: E731
    refused(lambda: fit(qid=QID[order], X=X[order], y=Y[order]), r"row \d+ belongs to query \d+, whose rows ended with row \d+; sort")
    refused(lambda: fit(qid=QID[:-1]), "rows")
    refused(lambda: fit(y=Y[:-1]), "inconsistent")
    refused(lambda: fit(y=np.where(QID == 3, np.nan, Y)), "label")
    refused(lambda: fit(X=np.where(X > 0.99, np.inf, X)), "infinite")
    refused(lambda: fit(sample_weight=np.where(QID == 3, np.nan, 1)), "weight")
    refused(lambda: fit(sample_weight=-np.ones(len(Y))), "weight")
    refused(lambda: fit(group=SIZES), "not both")
    refused(lambda: fit(qid=None, group=SIZES[:-1]), "add up")
    refused(lambda: fit(qid=np.where(QID == 3, np.nan, QID)), "missing in row")
    refused(lambda: fit(X=frame("pandas").assign(a="x")), r"a \(", TypeError)
    refused(lambda: fit(X=frame("pandas").assign(a=pandas.Categorical(pandas.date_range("2020", periods=len(Y))))), "categories of the column a are of the type Timestamp", TypeError)
    refused(lambda: fit(X=frame("pandas").assign(a=pandas.Timestamp("2026-11-26"))), "make times numbers", TypeError)
    refused(lambda: fit(X=frame("pandas").astype({"b": object})), r"b \(object\); make numbers of the type object floats", TypeError)
    refused(lambda: fit(X=type("Relation", (), {"__module__": "duckdb"})()), r"X\.df\(\) of pandas", TypeError)
    kinds = frame("pandas").assign(kind=pandas.Categorical(Y))
    refused(lambda: fit(X=kinds).predict(kinds.assign(kind=Y)), r"training had 1 \(kind\)")
    refused(lambda: fit(X=X * 1j), "Complex")
    refused(lambda: ranker(num_leafs=3).fit(X, Y, qid=QID), "did you mean num_leaves")
    refused(lambda: ranker(num_leaves=1).fit(X, Y, qid=QID), "num_leaves=1")
    refused(lambda: ranker(num_leaves=7, max_leaves=9).fit(X, Y, qid=QID), "num_leaves|max_leaves")
    refused(lambda: ranker(early_stopping_rounds=3).fit(X, Y, qid=QID), "validation set")
    refused(lambda: ranker(output_model="x").fit(X, Y, qid=QID), "output_model")
    refused(lambda: ranker(label_column="a").fit(X, Y, qid=QID), "label_column=a: how a file is read")
    refused(lambda: fit(sample_weight=np.zeros(len(Y))), "weights are zero")
    refused(lambda: fit(eval_qid=[QID]), "without eval_set")
    for unused in dict(eval_metric="map"), dict(eval_at=[3]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit(**unused)
            ranker(is_training_metric=True).fit(X, Y, qid=QID, **unused)
        equal([str(w.message) for w in caught], [f"{next(iter(unused))} without eval_set: there is no validation set to evaluate"], "warnings")
    refused(lambda: fit(eval_set=[(X[:, :7], Y)], eval_qid=[QID]), "7 features, and the training data has 8")
    refused(lambda: ranker(boosting_type="plain").fit(X, Y, qid=QID), "plain")
    refused(lambda: ranker(allow_constant=False).fit(X, np.zeros(len(Y)), qid=QID), "label|learn|split|equal")
    refused(lambda: fit(X=frame("pandas").rename(columns={"a": "a,b"})), "'a,b' cannot be written")
    model = fit().model_
    refused(lambda: model.predict(X[:, :7]), "7 features")
    with tempfile.TemporaryDirectory() as folder:
        present = ranker().fit(np.nan_to_num(X), Y, qid=QID).model_
        refused(lambda: present.export("ranklib", Path(folder, "r.xml")), "feature_base=1 makes column 0 ordinal 1")
        present.export("ranklib", Path(folder, "r.xml"), feature_base=1)
    equal(model.predict(np.where(X > 0.99, np.inf, X)), model.predict(np.where(X > 0.99, 1e300, X)), "scores of infinite values")
    equal(model.predict(np.where(X > 0.99, -np.inf, X), output="leaves"), model.predict(np.where(X > 0.99, -1e300, X), output="leaves"), "leaves of infinite values")
    refused(lambda: model.predict(X, num_iteration=2.5), "num_iteration")
    refused(lambda: Model(text="nonsense"), "model")
    refused(lambda: lambdamart.evaluate(Y, Y, qid=QID, metrics="ndcgg@10"), "ndcg")
    refused(lambda: model.export("solar", "/tmp/never"), "solr")
    named = fit(X=frame("pandas"))
    refused(lambda: named.model_.predict(frame("pandas").rename(columns={"a": "z"})), "lacks columns.* a")
    plain, numbered = fit(), frame("pandas").set_axis(range(X.shape[1]), axis=1)
    for call in plain.predict, plain.model_.predict, lambda x: lambdamart.explain(plain, Dataset(x, Y, qid=QID)), lambda x: fit(X=x, init_model=plain):
        for kind in "pandas", "pyarrow":
            texts = [w for w in warned(lambda: call(frame(kind))) if "only numbers (Column_0, ...)" in w]
            assert len(texts) == 1 and "their order (a, " in texts[0], texts
        assert not any("only numbers" in w for w in warned(lambda: call(numbered))), "names by number are no names"
    refused(lambda: plain.predict(numbered.rename(columns={0: "Column_1"})), "lacks columns.*Column_0")
    refused(lambda: named.predict(X[:, :7]), "features")
    for data, what in (X[:, 0], "1D array"), (X[:, :, None], "dim 3"), (X[:0], "0 sample"), (X[:, :0], "0 feature"), (3, "scalar"), (sparse_vector(), "sparse array of the shape"):
        refused(lambda: fit(X=data), what)
        refused(lambda: model.predict(data), what)
    import pandas
    import pyarrow

    texts = frame("pandas").assign(a="x", b="y", c=pandas.Timestamp(0))
    for data in texts, pyarrow.Table.from_pandas(texts):
        refused(lambda: fit(X=data), r"numbers: a \(\w+\), b \(\w+\), c \(.*make texts categories \(in pandas .astype\(.category", TypeError)
    for data, what in ({"a": 1}, "of the type dict"), (None, "of the type NoneType"), (np.full((len(Y), 2), np.datetime64("2020")), "datetime64"):
        refused(lambda: fit(X=data), what, TypeError)
    refused(lambda: fit(y=np.c_[Y, Y]), "one number for each row")
    refused(lambda: fit(y=np.full(len(Y), np.datetime64("2020"))), "y has the type datetime64", TypeError)
    first = np.arange(len(Y)) == 0
    for name, values in {"y": Y, "qid": QID, "sample_weight": Y + 1.0, "position": QID}.items():
        refused(lambda: fit(**{name: np.ma.masked_array(values, first)}), f"{name}.* has masked entries")
    refused(lambda: ranker().fit(X, Y, group=np.ma.masked_array(SIZES, np.arange(len(SIZES)) == 0)), "group has masked entries")
    refused(lambda: fit(qid=np.where(first, np.datetime64("NaT", "D"), QID.astype("datetime64[D]"))), "qid is missing in row 0")
    refused(lambda: fit(y=np.where(np.arange(len(Y)) == 7, np.inf, Y)), r"label of row 7 is \+Inf")
    refused(lambda: fit(sample_weight=np.where(np.arange(len(Y)) == 7, np.inf, 1)), r"weight of row 7 is \+Inf")
    refused(lambda: fit(init_score=np.full(len(Y), np.nan)), "initial score of row 0 is NaN")
    refused(lambda: fit(sample_weight=np.ones(3)), r"and weight \(in fit, sample_weight\) has 3")
    for group, what in ([2**62] * 4 + [len(Y)], "query 0 has 4611686018427387904 rows"), ([-1, len(Y) + 1], "negative"), ([np.inf], "whole numbers"), ([0.5] * (2 * len(Y)), "whole numbers"), ([], "add up to 0"), ([[len(Y)]], "one dimension"), (["9"], "whole numbers"):
        refused(lambda: fit(qid=None, group=group), what)
    refused(lambda: fit(qid=np.c_[QID, QID]), "query id of each row")
    refused(lambda: fit(eval_set=[(X,)]), "entry 0 of eval_set has 1 parts")
    refused(lambda: fit(eval_set=[X]), "entry 0 of eval_set is of the type ndarray")
    refused(lambda: fit(eval_set=[(X, Y)], eval_qid=[np.roll(QID, 3)]), "not consecutive")
    refused(lambda: fit(callbacks=[3]), "callbacks are functions; 3 is of the type int", TypeError)
    refused(lambda: fit(callbacks=print), r"give \[it\]", TypeError)
    refused(lambda: ranker(n_jobs=1.5).fit(X, Y, qid=QID), "n_jobs=1.5", TypeError)
    refused(lambda: ranker(n_jobs="2").fit(X, Y, qid=QID), "n_jobs='2'", TypeError)
    refused(lambda: ranker(learning_rate=float("nan")).fit(X, Y, qid=QID), "learning_rate=nan")
    refused(lambda: Dataset(X, Y, qid=QID, feature_names="abcdefgh"), "a list of names", TypeError)
    for r in fit(), model:
        refused(lambda: r.predict(X, start_iteration=-3), "start_iteration=-3")
        refused(lambda: r.predict(X, start_iteration=10**30), "start_iteration=1")
        refused(lambda: r.predict(X, start_iteration=12), "start_iteration=12: the model has 12 trees")
        refused(lambda: r.predict(X, qid=QID[:-1]), "qid has")
        refused(lambda: r.predict(X, group=SIZES[:-1]), "add up")
        equal(r.predict(X[::-1], qid=np.roll(QID, 3)), r.predict(X)[::-1], "scores of rows whose queries are not consecutive")
        refused(lambda: r.predict(X, num_iteration="all"), "num_iteration='all'")
    refused(lambda: Model.from_lightgbm(3), "int is neither", TypeError)
    refused(lambda: lambdamart.evaluate(Y, Y[:-1], qid=QID), r"y has \d+ rows, and scores has")
    refused(lambda: lambdamart.evaluate(Y, Y, qid=QID, metrics=[]), "metrics is empty")
    some = np.where(np.arange(len(Y)) % 7 == 0, np.nan, X[:, 0])
    for judge in lambda: lambdamart.evaluate(Y, some, qid=QID)[0].value, lambda: lambdamart.compare(Y, {"a": some, "b": X[:, 0]}, qid=QID).means["a"]:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            value = judge()
        assert any("scores are NaN: they are judged but not ranked" in str(w.message) for w in said), said
        assert value < lambdamart.evaluate(Y, X[:, 0], qid=QID)[0].value, value
    refused(lambda: lambdamart.compare(Y, [Y, Y], qid=QID), "a dict of names", TypeError)
    for option in {"seed": -1}, {"resamples": 1.5}, {"trials": 0}, {"level": float("nan")}:
        refused(lambda: lambdamart.compare(Y, {"a": Y, "b": Y}, qid=QID, **option), next(iter(option)))
    refused(lambda: lambdamart.cv({}, Dataset(X, Y, qid=QID), folds="five"), "folds='five'")
    refused(lambda: lambdamart.tune({}, Dataset(X, Y, qid=QID), search=["num_leaves"]), "a dict of names and ranges", TypeError)
    refused(lambda: fit(X=frame("pandas").assign(qid=QID)), "a column qid, which would be a feature beside qid")
    masked = np.ma.masked_array(X, X > 0.9)
    equal(fit(X=masked).model_.text, fit(X=np.where(X > 0.9, np.nan, X)).model_.text, "what is masked is missing")
    equal(model.predict(X), model.predict(X), "scores after errors")


def sparse_vector():
    import scipy.sparse

    return scipy.sparse.coo_array(X[:, 0])


# Traps, each in a process of its own

PREAMBLE = """
import os, signal, sys, threading, time, warnings
import numpy as np
from lambdamart import LambdaMARTRanker
rng = np.random.default_rng(0); g = np.full(100, 20); n = 2000
X = rng.random((n, 10)); y = rng.integers(0, 4, n).astype(float)
def fit(trees=10, **k): return LambdaMARTRanker(n_estimators=trees, n_jobs=1, min_child_samples=5, **k).fit(X, y, group=g)
def text(_=0): return fit().model_.text
def scores(_=0): return hash(model.predict(X).tobytes())
def children():
    return [p for p in os.listdir('/proc') if p.isdigit() and parent(p) == os.getpid() and state(p) != 'Z']
def stat(p):
    try: return open(f'/proc/{p}/stat').read().rsplit(')', 1)[1].split()
    except OSError: return ['X', '0']
def parent(p): return int(stat(p)[1])
def state(p): return stat(p)[0]
def busy(p): return len(stat(p)) > 12 and sum(map(int, stat(p)[11:13])) / os.sysconf('SC_CLK_TCK') > .5
def at_work(): return [p for p in children() if busy(p)]  # have used half a second of CPU, so that a training run has trees
def press(): os.kill(os.getpid(), signal.SIGINT)
def press_when(ready):
    def wait():
        while not ready(): time.sleep(.02)
        press()
    threading.Thread(target=wait, daemon=True).start()
"""

TRAPS = {
    "fork pool after import": "import multiprocessing as m\nwith m.get_context('fork').Pool(2) as p: print(len(set(p.map(text, range(4)))))",
    "fork pool after training and scoring": """
import multiprocessing as m
a = text(); model = fit(); b = scores()
with m.get_context('fork').Pool(2) as p: print(int(set(p.map(text, range(4))) == {a} and set(p.map(scores, range(6))) == {b} and scores() == b))""",
    "fork while another thread scores": """
warnings.simplefilter("ignore")  # Python's own, of a fork beside threads
model = fit(); b = scores(); stop = []
def run():
    while not stop: model.predict(X)
t = threading.Thread(target=run); t.start(); ok = 0
for _ in range(5):
    pid = os.fork()
    if pid == 0: os._exit(0 if scores() == b else 3)
    ok += os.waitpid(pid, 0)[1] == 0
stop.append(1); t.join(); print(int(ok == 5))""",
    "loky": "from joblib import Parallel, delayed\nmodel = fit(); a = text()\nprint(int(set(Parallel(n_jobs=2)(delayed(lambda m: m.fit(X, y, group=g).model_.text)(model) for _ in range(4))) == {a}))",
    "8 threads fit and score at once": """
a = text(); r = []
def one():
    m = fit(); r.append(m.model_.text == a and (m.predict(X) == m.predict(X)).all())
ts = [threading.Thread(target=one) for _ in range(8)]; [t.start() for t in ts]; [t.join() for t in ts]; print(int(all(r) and len(r) == 8))""",
    "threads score side by side, one thread by one process": """
models = [fit(trees) for trees in (5, 10, 15)]; want = [m.predict(X) for m in models]; before = len(children()); wrong = []
barrier = threading.Barrier(8)
def run(i):
    barrier.wait()
    for k in range(40): wrong.extend(np.flatnonzero(models[(i + k) % 3].predict(X) != want[(i + k) % 3]))
ts = [threading.Thread(target=run, args=(i,)) for i in range(8)]; [t.start() for t in ts]; [t.join() for t in ts]
cores = len(os.sched_getaffinity(0)); print(int(before == 1 and not wrong and min(2, cores) <= len(children()) <= cores))""",
    "Ctrl-C in fit": """
press_when(at_work)
m = LambdaMARTRanker(n_estimators=10**6, min_child_samples=5)
try: m.fit(X, y, group=g)
except KeyboardInterrupt: print(int(m.model_.num_trees > 0 and m.n_iter_ == m.model_.num_trees and m.predict(X).shape == (n,) and fit().predict(X).shape == (n,)))""",
    "Ctrl-C before there is a tree": """
m = LambdaMARTRanker(min_child_samples=5); big = np.tile(X, (4000, 1))
press_when(children)
try: m.fit(big, np.tile(y, 4000), group=list(g) * 4000)
except KeyboardInterrupt: print(int(not hasattr(m, "model_") and fit().predict(X).shape == (n,)))""",
    "Ctrl-C beside callbacks, and twice": """
import lambdamart, pickle
seen, done = [], 0
def slowly(e): seen.append(e.iteration); time.sleep(.05)
data = lambdamart.Dataset(X, y, group=g)
press_when(lambda: len(seen) > 2)
try: lambdamart.train({"num_iterations": 10**6, "min_data_in_leaf": 5}, data, callbacks=[slowly])
except lambdamart.Interrupted as e: done += pickle.loads(pickle.dumps(e)).training.model.num_trees == len(seen) > 0
start = []
def hanging(e): press(); start.append(time.time()); threading.Timer(.2, press).start(); time.sleep(600)
try: lambdamart.train({"min_data_in_leaf": 5}, data, callbacks=[hanging])
except lambdamart.Interrupted: pass
except KeyboardInterrupt: done += time.time() - start[0] < 500 and len(children()) <= 1
print(int(done == 2))""",
    "Ctrl-C in predict": """
model = fit(300); a = scores(); big = np.tile(X, (300, 1)); done = 0
for delay in (.05, .3, .6):
    timer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        timer.start()
        while True: model.predict(big)
    except KeyboardInterrupt: done += scores() == a
print(int(done == 3))""",
    "Ctrl-C in cv and tune": """
import lambdamart
data, done = lambdamart.Dataset(X, y, group=g), 0
for work in lambdamart.cv, lambda *a: lambdamart.tune(*a, max_trainings=10**5):
    press_when(at_work)
    try: work({'num_iterations': 10**6, 'min_data_in_leaf': 5, 'num_threads': 1}, data)
    except KeyboardInterrupt: done += len(children()) <= 1
print(int(done == 2))""",
    "SIGTERM of the worker while it is idle": """
model = fit(); a = scores()
for p in children(): os.kill(int(p), signal.SIGTERM)
while children(): time.sleep(.05)
print(int(scores() == a))""",
    "SIGKILL of the worker": """
model = fit(); a = scores()
for p in children(): os.kill(int(p), signal.SIGKILL)
while children(): time.sleep(.05)
print(int(scores() == a))""",
    "SIGKILL of the trainer": """
from lambdamart import LambdaMARTError
def kill():
    while not at_work(): time.sleep(.1)
    for p in at_work(): os.kill(int(p), signal.SIGKILL)
threading.Thread(target=kill).start()
try: fit(10**6)
except LambdaMARTError as e: print(int('signal 9' in str(e)))""",
    "no anonymous memory: a file, and a warning": """
def refuse(*a): raise OSError(38, 'not here')
a = text(); os.memfd_create = refuse
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always'); b = text()
print(int(a == b and 'temporary file' in str(w[0].message) and not [f for f in os.listdir(__import__('tempfile').gettempdir()) if f.startswith('lambdamart-') and f.endswith(str(os.getpid()))]))""",
    "memory and disk full": """
import lambdamart._shared as s; from lambdamart import LambdaMARTError
def full(*a): raise OSError(28, 'No space left on device')
s.reserve = full; warnings.simplefilter('ignore')
try: fit()
except LambdaMARTError as e: print(int('No space left' in str(e)))""",
    "read-only home, no temporary folder": """
os.environ['HOME'] = '/proc'; os.environ['TMPDIR'] = '/nowhere'; model = fit(); print(int(len(model.predict(X)) == n))""",
    "Ctrl-C in an objective": """
called = []
def slow(y, score): called.append(1); time.sleep(.05); return score - y, np.ones(len(y))
press_when(lambda: len(called) > 5)
m = LambdaMARTRanker(n_estimators=10**6, min_child_samples=5, objective=slow)
try: m.fit(X, y, group=g)
except KeyboardInterrupt: print(int(m.model_.num_trees > 0))""",
    "file descriptors do not leak": """
model = fit(); scores(); before = len(os.listdir('/proc/self/fd'))
for _ in range(5): fit(); scores()
print(int(len(os.listdir('/proc/self/fd')) == before))""",
    "no output of its own": "model = fit(); scores(); print(1)",
    "warnings as errors": "warnings.simplefilter('error'); model = fit(); scores(); print(1)",
}


def traps() -> None:
    names = [name for name in TRAPS if os.environ.get("TRAP", "") in name]
    if not ALL and "TRAP" not in os.environ:
        names = names[1::3]  # a third, always the same
    with ThreadPoolExecutor(3) as pool:  # they mostly wait
        results = list(pool.map(lambda name: run(PREAMBLE + TRAPS[name]), names))
    failures = [f"{name}: {result}" for name, result in zip(names, results) if result != "1"]
    if failures:
        raise AssertionError("\n".join(failures))


def run(code: str) -> str:
    """Runs Python in a process of its own, and returns what it printed to standard output and error."""
    status, printed = prepared.run(code, PYTHONPATH=str(PACKAGE))
    return printed.strip() if status == 0 else f"exit status {status}: {printed}"


def run_interpreter(code: str, **variables: str) -> str:
    """Runs Python as run does, in an interpreter that has imported nothing, with environment variables."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.py")
        script.write_text(code)
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE), **variables}
        done = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, env=environment)
    return done.stdout.strip() if done.returncode == 0 else f"exit status {done.returncode}: {done.stdout}"


def the_worker_ends_with_its_parent() -> None:
    """SIGKILL of the parent, also while a fork of it lives that holds the pipes."""
    body = """
model = fit(); scores()
fork = os.fork()
if fork == 0: time.sleep(3600); os._exit(0)
t = threading.Thread(target=lambda: fit(10**6), daemon=True); t.start()
def workers(): return [p for p in children() if 'worker' in open(f'/proc/{p}/cmdline').read()]
while len(workers()) < 2: time.sleep(.1)
print(fork, *workers(), flush=True); time.sleep(3600)"""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.py")
        script.write_text(PREAMBLE + body)
        fork, *pids = killed_after_a_line(script)
    equal(len(pids), 2, "processes of the binary")
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline and any(lives(p) for p in pids):
        time.sleep(0.1)
    os.kill(int(fork), signal.SIGKILL)
    assert not any(lives(p) for p in pids), "a worker outlives its parent"


def killed_after_a_line(program: Path, **environment: str) -> list[str]:
    """Kills a program that has printed its processes, which it must have, and returns them."""
    printed, out = os.pipe()
    process = prepared.Process(program, out, 2, PYTHONPATH=str(PACKAGE), **environment)
    os.close(out)
    with open(printed) as lines:
        pids = lines.readline().split()
        alive = all(lives(p) for p in pids)
        process.kill()
        process.wait()
    assert pids and alive, f"no process of the binary: {program.read_text()}"
    return pids


def every_work_ends_with_its_parent() -> None:
    """SIGKILL of Python ends fit, cv, tune and select, and leaves no temporary files."""
    works = {
        "fit": "fit(10**6)",
        "cv": "lambdamart.cv({'num_iterations': 10**6, 'min_data_in_leaf': 5, 'num_threads': 1}, lambdamart.Dataset(X, y, group=g))",
        "tune": "lambdamart.tune({'num_iterations': 10**6, 'min_data_in_leaf': 5, 'num_threads': 1}, lambdamart.Dataset(X, y, group=g), max_trainings=10**5)",
        "select": "lambdamart.select({'num_iterations': 10**6, 'min_data_in_leaf': 5, 'num_threads': 1}, lambdamart.Dataset(X, y, group=g))",
    }
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ends_with_its_parent, works, works.values()))


def ends_with_its_parent(name: str, work: str) -> None:
    body = f"""
import lambdamart
t = threading.Thread(target=lambda: {work}, daemon=True); t.start()
while not at_work(): time.sleep(0.1)
print(' '.join(at_work()), flush=True); time.sleep(3600)"""
    with tempfile.TemporaryDirectory() as folder:
        script, temporary = Path(folder, "script.py"), Path(folder, "temporary")
        script.write_text(PREAMBLE + body)
        temporary.mkdir()
        pids = killed_after_a_line(script, TMPDIR=str(temporary))
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline and any(lives(p) for p in pids):
            time.sleep(0.1)
        assert not any(lives(p) for p in pids), f"{name} outlives its parent"
        left = sum(p.stat().st_size for p in temporary.rglob("*") if p.is_file() and "trials" not in p.parts)  # data, not results of tune
        assert left < 100_000, f"{name} leaves {left} bytes"
        used_and_abandoned(temporary, name)


def used_and_abandoned(temporary: Path, name: str) -> None:
    """The next call removes the folders of killed processes, and no others."""
    kept = [temporary / "lambdamart-work-file", temporary / "other"]
    kept[0].touch()
    kept[1].mkdir()
    code = """
import sys
from lambdamart._folder import work_folder
with work_folder():
    print(flush=True); sys.stdin.read()"""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "TMPDIR": str(temporary)}
    first, second = (subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) for _ in range(2))
    for process in first, second:
        process.stdout.readline()
    assert len(os.listdir(temporary)) == 4, f"{name}: {os.listdir(temporary)} beside two folders that are used"
    for process in first, second:
        process.communicate()
    equal(sorted(os.listdir(temporary)), sorted(p.name for p in kept), f"what is left after {name}")


def lives(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def import_takes_little_time() -> None:
    """CPU time in addition to numpy's, the smallest of three imports: other programs do not influence it."""
    code = "import time, numpy; t = time.process_time(); import lambdamart; print(time.process_time() - t)"
    fastest = min(float(run_interpreter(code)) for _ in range(3))
    assert fastest < 0.05, f"{fastest * 1000:.0f} ms"
    code = "import sys, lambdamart; lambdamart.Model; lambdamart.train; lambdamart.evaluate; print('sklearn' in sys.modules)"
    equal(run_interpreter(code), "False", "scikit-learn is imported without need")


def modules_import_one_way() -> None:
    """No module of the package imports one that needs it, not even within a function or for types alone. The package itself
    imports all of them when they are first used."""
    graph = {}
    for file in (PACKAGE / "lambdamart").glob("*.py"):
        imports = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom) and node.level == 1]
        graph[file.stem] = {name for node in imports for name in ([node.module] if node.module else [a.name for a in node.names])}
    graphlib.TopologicalSorter(graph).prepare()  # a CycleError names the modules of a circle


def without_scikit_learn() -> None:
    code = """
import sys
sys.modules['sklearn'] = None
import numpy as np
from lambdamart import LambdaMARTRanker
rng = np.random.default_rng(0); X = rng.random((200, 5)); y = rng.integers(0, 4, 200)
r = LambdaMARTRanker(n_estimators=5, min_child_samples=5).fit(X, y, group=[20] * 10)
assert r.predict(X).shape == (200,) and r.score(X, y, group=[20] * 10) > 0.5 and r.get_params()['n_estimators'] == 5, repr(r)
try: LambdaMARTRanker().predict(X)
except ValueError as e: assert 'not fitted' in str(e)
try: r.predict(X[:, :4])
except ValueError as e: print(e)"""
    equal(run_interpreter(code), "X has 4 features, but LambdaMARTRanker is expecting 5 features as input.", "without scikit-learn")


DISPLAYS = """
import copy, inspect, pickle
import numpy as np, lambdamart
from lambdamart import LambdaMARTRanker
rng = np.random.default_rng(0); X = rng.random((200, 5)); y = rng.integers(0, 4, 200)
new = LambdaMARTRanker(n_estimators=5, min_child_samples=5)
r = copy.deepcopy(new).fit(X, y, group=[20] * 10)
for some in new, r:
    assert 'n_iter_' in dir(r) and 'booster_' in dir(r) and 'LambdaMARTRanker(' in repr(some)
    inspect.getmembers(some), pickle.loads(pickle.dumps(some)), copy.copy(some)
    assert not hasattr(some, 'booster_') and hasattr(some, 'feature_importances_') == (some is r)
try: r.booster_
except AttributeError as e: assert 'pip install lightgbm' in str(e), e
inspect.getmembers(lambdamart), inspect.getmembers(r.model_)
assert (pickle.loads(pickle.dumps(r)).predict(X) == r.predict(X)).all()
"""

PAGES = """
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
for some in new, r, make_pipeline(StandardScaler(), r), make_pipeline(StandardScaler(), new):
    assert 'LambdaMARTRanker' in some._repr_html_() and some._repr_mimebundle_()
assert 'best_iteration_' in r._repr_html_()
"""

NOTEBOOK = """
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(); shell.user_ns['r'] = r
for jedi in True, False:
    shell.Completer.use_jedi = jedi
    with provisionalcompleter():
        found = [c.text for c in shell.Completer.completions('r.bes', 5)]
    assert any(c.endswith('best_iteration_') for c in found), (jedi, found)
assert shell.run_cell('r').success and shell.run_cell('r?').success
"""


def displays_need_no_other_package() -> None:
    """A fitted ranker is listed, displayed, copied and pickled without LightGBM, and without scikit-learn."""
    block = "import sys\nfor name in {}: sys.modules[name] = None\n"
    for absent, code in (["lightgbm", "pandas"], DISPLAYS + PAGES), (["lightgbm", "sklearn", "scipy", "pandas"], DISPLAYS):
        equal(run_interpreter(block.format(absent) + code), "", f"displays without {', '.join(absent)}")
    r, converted = ranker().fit(X, Y, qid=QID), []
    before = Model.to_lightgbm
    Model.to_lightgbm = lambda model: converted.append(model) or before(model)
    try:
        for _ in range(2):
            dir(r), repr(r), r._repr_html_()
        equal(len(converted), 0, "conversions for displays")
        assert r.booster_ is r.booster_ and hasattr(r, "booster_")
        equal(len(converted), 1, "conversions for booster_")
        assert pickle.loads(pickle.dumps(r)).booster_ is not r.booster_ and "_displayed" not in vars(r)
        r.set_params(n_estimators=7).fit(X, Y, qid=QID)
        equal(r.booster_.num_trees(), 7, "booster_ after another fit")
        equal(len(converted), 3, "conversions after a copy and another fit")
    finally:
        Model.to_lightgbm = before


def notebooks_in_a_fresh_environment() -> None:
    """A real IPython, with numpy and scikit-learn and nothing else that the package could use."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder, "bin", "python")
        try:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
            pip = [python, "-m", "pip", "--disable-pip-version-check", "-q", "install", "numpy", "scikit-learn", "ipython"]
            subprocess.run(pip, check=True, capture_output=True, timeout=LIMIT)
        except (subprocess.SubprocessError, OSError) as error:  # no packages can be had
            print(f"    left out: {error}")
            return
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "IPYTHONDIR": folder}
        done = subprocess.run([python, "-c", DISPLAYS + PAGES + NOTEBOOK], capture_output=True, text=True, env=environment, cwd=folder)
        equal(done.returncode, 0, f"a notebook: {done.stderr}")


@cache
def host_wheel() -> Path:
    """Builds the wheel of this machine, which several checks use."""
    import build_backend

    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return build_backend.wheel(build_backend.host(), Path(folder))


def the_wheel_works() -> None:
    """The wheel and the source distribution are built, and the wheel is installed outside of this tree."""
    with tempfile.TemporaryDirectory() as folder:
        import build_backend

        wheel = host_wheel()
        place = Path(folder, "installed")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--target", place, wheel]
        subprocess.run(pip, check=True)
        code = """
import numpy as np, lambdamart, os
from lambdamart import _binary
rng = np.random.default_rng(0); X = rng.random((200, 5)); y = rng.integers(0, 4, 200)
r = lambdamart.train({'num_iterations': 5, 'min_data_in_leaf': 5}, lambdamart.Dataset(X, y, group=[20] * 10))
print(lambdamart.__file__, r.model.num_trees, os.path.dirname(_binary.path()) == os.path.join(os.path.dirname(lambdamart.__file__), 'bin'))"""
        environment = {k: v for k, v in os.environ.items() if k != "LAMBDAMART_BINARY"} | {"PYTHONPATH": str(place)}
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=folder)
        equal(out.stdout.split()[1:] + [out.stderr], ["5", "True", ""], "training from the wheel")
        said = subprocess.run([sys.executable, "-m", "lambdamart", "version"], capture_output=True, text=True, env=environment, cwd=folder).stdout
        assert said.startswith(f"lambdamart v{lambdamart.__version__},"), said
        sources = build_backend.go_sources()
        assert "cmd/lambdamart/main.go" in sources and "internal/arrays/map_windows.go" in sources, sources


def wheels_of_all_systems() -> None:
    """One command builds the wheels of all systems and the source distribution. Each is opened."""
    import build_backend
    from packaging.metadata import Metadata

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, PACKAGE / "build_backend.py", folder], capture_output=True, text=True)
        equal(done.returncode, 0, f"building all wheels: {done.stderr}")
        for target, tags in build_backend.TARGETS.items():
            open_wheel(target, Path(folder, f"lambdamart-{lambdamart.__version__}-py3-none-{'.'.join(tags)}.whl"))
        base = f"lambdamart-{lambdamart.__version__}"
        equal(len(list(Path(folder).iterdir())), len(build_backend.TARGETS) + 1, "files")
        with tarfile.open(Path(folder, f"{base}.tar.gz")) as z:
            names = {name.removeprefix(f"{base}/") for name in z.getnames()}
            described = Metadata.from_email(z.extractfile(f"{base}/PKG-INFO").read())
        wanted = {"README.md", "pyproject.toml", "build_backend.py", "lambdamart/py.typed", "go/go.sum", *described.license_files}
        equal(wanted - names, set(), "files of the source distribution that are missing")


def open_wheel(target: str, path: Path) -> None:
    """Checks the name, the tags, the metadata, the record and the program of the wheel of a target."""
    import build_backend
    from packaging.metadata import Metadata
    from packaging.utils import parse_wheel_filename

    name, version, _, tags = parse_wheel_filename(path.name)
    with zipfile.ZipFile(path) as z:
        files = {entry.filename: (z.read(entry), entry.external_attr >> 16 & 0o777) for entry in z.infolist()}
    info = f"lambdamart-{lambdamart.__version__}.dist-info/"
    written = {n.removeprefix(info): text.decode() for n, (text, _) in files.items() if n.startswith(info)}
    equal((name, str(version)), ("lambdamart", lambdamart.__version__), path.name)
    equal({f"Tag: {tag}" for tag in tags}, {line for line in written["WHEEL"].splitlines() if line.startswith("Tag: ")}, f"{target}: tags")
    m = Metadata.from_email(written["METADATA"])  # an error if a field is missing or wrong
    equal((m.name, m.version, m.license_expression, str(m.requires_python)), ("lambdamart", version, "Apache-2.0", ">=3.10"), f"{target}: metadata")
    equal([str(r) for r in m.requires_dist], ["numpy>=1.24"], f"{target}: what it needs")
    equal((m.description, m.description_content_type), ((PACKAGE / "README.md").read_text(), "text/markdown"), f"{target}: description")
    equal([n for n in m.license_files if f"licenses/{n}" not in written], [], f"{target}: licenses that are missing")
    others = written["licenses/LICENSES.txt"]
    equal([s for s in ("The Go Authors", "github.com/spf13/cobra@v", "gonum.org/v1/gonum@v") if s not in others], [], f"{target}: licenses of others")
    assert "lambdamart = lambdamart._binary:main" in written["entry_points.txt"]
    record = dict(line.split(",", 1) for line in written["RECORD"].splitlines())
    equal(record, {n: "," if n == info + "RECORD" else f"sha256={build_backend.digest(text)},{len(text)}" for n, (text, _) in files.items()}, f"{target}: RECORD")
    equal({p.name for p in (PACKAGE / "lambdamart").glob("*.py")} | {"py.typed"}, {n[11:] for n in files if re.fullmatch(r"lambdamart/[^/]+", n)}, f"{target}: modules")
    program, mode = files["lambdamart/bin/lambdamart" + (".exe" if target.startswith("windows") else "")]
    equal((system_of(program), mode), (target, 0o755), f"{target}: the program")


def system_of(program: bytes) -> str:
    """Returns what a program runs on, from its first bytes: ELF, Mach-O or PE."""
    if program[:5] == b"\x7fELF\x02":
        return {62: "linux/amd64", 183: "linux/arm64"}[int.from_bytes(program[18:20], "little")]
    if program[:4] == b"\xcf\xfa\xed\xfe":
        return {0x01000007: "darwin/amd64", 0x0100000C: "darwin/arm64"}[int.from_bytes(program[4:8], "little")]
    at = int.from_bytes(program[60:64], "little")
    assert program[:2] == b"MZ" and program[at : at + 4] == b"PE\0\0", program[:64]
    return {0x8664: "windows/amd64", 0xAA64: "windows/arm64"}[int.from_bytes(program[at + 4 : at + 6], "little")]


def wheels_in_fresh_environments() -> None:
    """The wheel is installed by pip for each supported Python that the machine has, without Go, where nothing can be written."""
    wheel = host_wheel()
    with tempfile.TemporaryDirectory() as folder:
        with ThreadPoolExecutor(3) as pool:
            for line in pool.map(lambda python: in_fresh_environment(python, wheel, Path(folder)), pythons()):
                print(f"    {line}")


def in_fresh_environment(python: str, wheel: Path, folder: Path) -> str:
    place = folder / python.replace("/", "_")
    try:
        subprocess.run([python, "-m", "venv", place], check=True, capture_output=True)
        pip = [place / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "-q", "install", wheel]
        environment = {k: v for k, v in os.environ.items() if k not in ("LAMBDAMART_BINARY", "PYTHONPATH")} | {"PATH": str(place / "bin")}
        subprocess.run(pip, check=True, capture_output=True, timeout=LIMIT, env=environment)
    except (subprocess.SubprocessError, OSError) as error:  # no venv module, or no wheel of numpy can be had
        return f"left out: {python}: {error}"
    protect(place)
    assert shutil.which("go", path=environment["PATH"]) is None
    out = subprocess.run([place / "bin" / "python", "-c", FRESH], capture_output=True, text=True, env=environment, cwd=folder)
    assert re.fullmatch(r"nDCG 0\.9\d\d\n", out.stdout) and not out.stderr, f"{python} -c …: {out}"
    said = subprocess.run([place / "bin" / "lambdamart", "version"], capture_output=True, text=True, env=environment).stdout
    assert said.startswith(f"lambdamart v{lambdamart.__version__},"), said
    return f"{subprocess.run([python, '--version'], capture_output=True, text=True).stdout.strip()}: ok"


# The program of the package's page, and displays.
FRESH = re.search(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)[1] + DISPLAYS


def pythons() -> list[str]:
    """Returns an interpreter of each supported version: those on the path, and those of pyenv."""
    found: dict[str, str] = {}
    places = [*os.environ.get("PATH", "").split(os.pathsep), *Path.home().glob(".pyenv/versions/*/bin")]
    for version in range(10, 15):
        for place in places:
            path = Path(place, f"python3.{version}")
            if f"3.{version}" in found or not path.exists() or "shims" in str(path):
                continue
            if subprocess.run([path, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0:
                found[f"3.{version}"] = str(path)
    return list(found.values())


def protect(folder: Path) -> None:
    """Removes the permission to write beside the package."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o555)


def the_binary_needs_no_library() -> None:
    """The wheel is as it must be. Its program has neither an interpreter nor a dynamic section, so that it runs with glibc, musl or none: it
    is run in an empty root."""
    binary = Path(os.environ["LAMBDAMART_BINARY"]).read_bytes() if sys.platform == "linux" else b""
    if binary[:5] != b"\x7fELF\x02":
        print("    left out: not a Linux binary of 64 bits")
        return
    with tempfile.TemporaryDirectory() as folder:
        open_wheel(system_of(binary), host_wheel())
        with zipfile.ZipFile(host_wheel()) as z:
            binary = z.read("lambdamart/bin/lambdamart")
        Path(folder, "lambdamart").write_bytes(binary)
        Path(folder, "lambdamart").chmod(0o755)
        first, size, count = int.from_bytes(binary[32:40], "little"), int.from_bytes(binary[54:56], "little"), int.from_bytes(binary[56:58], "little")
        kinds = {int.from_bytes(binary[first + i * size :][:4], "little") for i in range(count)}
        assert not kinds & {2, 3}, f"program headers {sorted(kinds)}: the binary is not static"
        if os.geteuid() != 0:
            print("    left out: an empty root needs root")
            return
        said = subprocess.run(["/lambdamart", "version"], capture_output=True, text=True, preexec_fn=lambda: os.chroot(folder), cwd="/").stdout
        assert said.startswith("lambdamart v"), said


def two_versions_side_by_side() -> None:
    """Two copies of the package, each with its own binary, in one process."""
    with tempfile.TemporaryDirectory() as folder:
        for name in "first", "second":
            shutil.copytree(PACKAGE / "lambdamart", Path(folder, name), ignore=shutil.ignore_patterns("__pycache__", "bin"))
            Path(folder, name, "bin").mkdir()
            shutil.copy(os.environ["LAMBDAMART_BINARY"], Path(folder, name, "bin", "lambdamart"))
        code = f"""
import os, sys
sys.path.insert(0, {folder!r}); os.environ.pop('LAMBDAMART_BINARY')
import numpy as np, first, second
from first import _binary as a; from second import _binary as b
rng = np.random.default_rng(0); X = rng.random((200, 5)); y = rng.integers(0, 4, 200)
rs = [m.LambdaMARTRanker(n_estimators=5, min_child_samples=5).fit(X, y, group=[20] * 10) for m in (first, second)]
scores = [r.predict(X) for r in rs + rs[::-1]]
print(int(a.path() != b.path() and all((s == scores[0]).all() for s in scores)))"""
        equal(run(code), "1", "two copies")


# The frame


def equal(got, want, what: str) -> None:
    same = np.array_equal(got, want) if isinstance(got, np.ndarray) or isinstance(want, np.ndarray) else got == want
    if not same:
        raise AssertionError(f"{what}: {str(got)[:300]!r}, wanted {str(want)[:300]!r}")


def failing_at(iteration: int):
    """Returns a callback that raises a KeyError at an iteration."""

    def callback(seen) -> None:
        if seen.iteration == iteration:
            raise KeyError

    return callback


def warned(call) -> list[str]:
    """Returns the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in caught]


def refused(call, pattern: str, kind: type = ValueError) -> None:
    try:
        call()
    except kind as error:
        if not re.search(pattern, str(error)):
            raise AssertionError(f"{kind.__name__}: {error}; wanted {pattern}") from error
        return
    raise AssertionError(f"no error; wanted {kind.__name__}: {pattern}")


CHECKS = [
    same_bytes_as_the_command_line,
    matrices_of_all_kinds,
    matrices_are_read_in_parts,
    frames,
    the_estimator_is_checked_by_scikit_learn,
    data_without_a_split_make_a_constant_model,
    what_is_lost_or_half_given_is_said,
    rows_without_queries_are_refused,
    columns_of_queries_are_no_features,
    search_with_queries,
    training_decides_how_models_are_judged,
    metrics_without_a_cutoff_have_all_ranks,
    copies,
    churn_of_rankings,
    trec_eval_on_real_qrels,
    segments_of_queries,
    evaluation_and_callbacks,
    counts_include_the_trees_of_an_initial_model,
    training_continues_from_any_model,
    signatures_are_those_of_lightgbm,
    calls_of_lightgbm_work,
    predictions_are_those_of_lightgbm,
    calibrated_models_have_probabilities,
    callbacks_of_lightgbm,
    ensembles_report_their_own_value,
    own_objectives_and_metrics,
    categorical_columns,
    tables_of_categorical_columns,
    categories_that_the_model_does_not_know_are_said,
    columns_are_found_by_name,
    data_is_binned_once,
    goals_and_positions_are_learned,
    pairs_are_learned,
    query_context_is_computed,
    row_sampling_is_said,
    interrupted_trainings_go_on,
    progress_is_shown,
    cross_validation_and_tuning,
    folds_and_spaces_may_be_given_in_any_form,
    functions_in_studies,
    rankers_are_compared_in_memory,
    rankings_are_explained,
    results_are_shown_as_commands_print_them,
    arguments_of_earlier_versions_are_refused_with_a_remedy,
    errors_name_what_python_calls_things,
    any_command_takes_frames,
    systems_are_compared,
    trees_exports_and_pictures,
    models_of_lightgbm,
    dumps_of_xgboost_may_lack_weights,
    parameters_have_the_defaults_of_the_command_line,
    aliases_take_the_place_of_defaults,
    presets_choose_parameters,
    the_best_preset_has_query_context,
    the_defaults_are_named_once,
    learning_rates_follow_a_schedule,
    reports_are_written,
    constraints_by_feature,
    numbers_are_places_and_texts_are_names,
    bad_input_is_explained,
    the_worker_ends_with_its_parent,
    every_work_ends_with_its_parent,
    import_takes_little_time,
    modules_import_one_way,
    without_scikit_learn,
    displays_need_no_other_package,
    notebooks_in_a_fresh_environment,
    the_wheel_works,
    wheels_of_all_systems,
    wheels_in_fresh_environments,
    the_binary_needs_no_library,
    two_versions_side_by_side,
    traps,
    progress_ends_without_a_guess,
]

LONG = [notebooks_in_a_fresh_environment, the_wheel_works, wheels_of_all_systems, wheels_in_fresh_environments]  # they install or build packages


def main() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has it ignored in what it runs in the background, and children inherit that
    failed = 0
    only = sys.argv[1:]  # names of checks
    for check in CHECKS:
        if check.__name__ not in only and (only or check in LONG and "LAMBDAMART_LONG" not in os.environ):
            continue
        began = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check()
            verdict = "ok"
        except Exception:
            traceback.print_exc()
            verdict, failed = "FAILED", failed + 1
        print(f"{check.__name__.replace('_', ' ')}: {verdict} ({time.monotonic() - began:.1f} s)", flush=True)
    if failed:
        sys.exit(f"{failed} failed")


if __name__ == "__main__":
    main()
