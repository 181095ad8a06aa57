"""Checks the Python package with the packages that it is used with: SHAP, Optuna, MLflow, PyTerrier, ir-measures, polars and
Jupyter.

They are installed in an environment of their own, test/requirements-ecosystem.txt, in which this script runs itself again.
"""

import csv
import os
import re
import sys
import tempfile
import time
import traceback
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
INSIDE = "LAMBDAMART_ECOSYSTEM"


if __name__ == "__main__" and INSIDE not in os.environ:
    import environment
    import ours

    binary = str(ours.built("cmd/lambdamart"))
    environment.run_again("requirements-ecosystem.txt", {INSIDE: "1", "LAMBDAMART_BINARY": binary, "PYTHONPATH": str(FOLDER.parent / "python")})

import numpy as np  # noqa: E402

rng = np.random.default_rng(0)
SIZES = rng.integers(5, 30, 120)
QID = np.repeat(np.arange(len(SIZES)), SIZES)
X = rng.random((len(QID), 8))
Y = np.clip(np.round(3 * X[:, 0] + rng.normal(0, 0.5, len(QID))), 0, 4)
TRAIN, VALID = QID < 80, QID >= 80


def ranker(**parameters):
    from lambdamart import LambdaMARTRanker

    return LambdaMARTRanker(**{"n_estimators": 20, "min_child_samples": 5, "n_jobs": 2, **parameters})


def shap() -> None:
    import shap

    r = ranker(n_estimators=50).fit(X, Y, qid=QID)
    explainer = shap.TreeExplainer(r.booster_)
    values, mine = explainer.shap_values(X), r.predict(X, pred_contrib=True)
    np.testing.assert_allclose(values.sum(axis=1) + explainer.expected_value, r.predict(X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(values, mine[:, :-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(explainer.expected_value, mine[0, -1], rtol=0, atol=1e-12)


def optuna() -> None:
    import optuna
    from lambdamart import Dataset
    from lambdamart.callbacks import OptunaPruning

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    data = Dataset(X[TRAIN], Y[TRAIN], qid=QID[TRAIN]).bin()
    valid = Dataset(X[VALID], Y[VALID], qid=QID[VALID]).bin(reference=data)

    def objective(trial) -> float:
        r = ranker(num_leaves=trial.suggest_int("num_leaves", 2, 31), learning_rate=trial.suggest_float("learning_rate", 1e-3, 0.5, log=True), n_jobs=1)
        r.fit(data, eval_set=[valid], callbacks=[OptunaPruning(trial, "ndcg@5")])
        return r.evals_result_["valid_0"]["ndcg@5"][-1]

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1), pruner=optuna.pruners.MedianPruner(n_startup_trials=3))
    study.optimize(objective, n_trials=15)
    states = [t.state.name for t in study.trials]
    assert set(states) == {"COMPLETE", "PRUNED"} and len(states) == 15, states
    pruned = next(t for t in study.trials if t.state.name == "PRUNED")
    assert len(pruned.intermediate_values) < 20, "a pruned trial ran all iterations"
    equal(study.best_value, ranker(**study.best_params).fit(data, eval_set=[valid]).evals_result_["valid_0"]["ndcg@5"][-1], "the best trial again")
    trial = optuna.create_study().ask()
    refused(lambda: ranker().fit(data, eval_set=[valid], callbacks=[OptunaPruning(trial, "ndcg@7")]), "ndcg@7 on valid_0 is not evaluated; there are ndcg@1")


def mlflow() -> None:
    import logging

    import mlflow
    from lambdamart.callbacks import MLflowMetrics

    for name in "mlflow", "alembic":
        logging.getLogger(name).setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri(f"sqlite:///{folder}/db")
        mlflow.set_experiment(experiment_id=mlflow.create_experiment("check", artifact_location=Path(folder, "artifacts").as_uri()))
        with mlflow.start_run() as run:
            sets = dict(eval_set=[(X[VALID], Y[VALID])], eval_qid=[QID[VALID]])
            r = ranker().fit(X[TRAIN], Y[TRAIN], qid=QID[TRAIN], callbacks=[MLflowMetrics()], **sets)
            whole = mlflow.sklearn.log_model(r, name="ranker", serialization_format="cloudpickle", pip_requirements=["lambdamart"])
            booster = mlflow.lightgbm.log_model(r.booster_, name="booster", pip_requirements=["lightgbm"])
        equal(mlflow.sklearn.load_model(whole.model_uri).predict(X), r.predict(X), "the estimator from MLflow")
        for info in whole, booster:
            equal(mlflow.pyfunc.load_model(info.model_uri).predict(X), r.predict(X), "a model of MLflow")
        client = mlflow.MlflowClient()
        history = client.get_metric_history(run.info.run_id, "valid_0.ndcg_5")
        equal([m.value for m in history], r.evals_result_["valid_0"]["ndcg@5"], "the logged metric")
        equal(client.get_run(run.info.run_id).data.params["num_leaves"], "31", "a logged parameter")
        with mlflow.start_run() as run:
            two = ranker(num_models=2, feature_fraction=0.5).fit(X[TRAIN], Y[TRAIN], qid=QID[TRAIN], callbacks=[MLflowMetrics()], **sets)
        of = lambda name: [m.value for m in client.get_metric_history(run.info.run_id, name)]  # noqa: E731
        equal(of("valid_0.ndcg_5"), [two.best_score_["valid_0"]["ndcg@5"]], "the logged metric of an ensemble")
        equal(of("model_2.valid_0.ndcg_5"), two.evals_result_["model_2.valid_0"]["ndcg@5"], "the logged curve of its second model")
        mlflow_logs_by_itself(sets)


def mlflow_logs_by_itself(sets: dict) -> None:
    import mlflow
    from lambdamart.callbacks import mlflow_autolog

    mlflow_autolog()
    mlflow_autolog()  # twice is once
    fit = lambda **more: ranker(**more).fit(X[TRAIN], Y[TRAIN], qid=QID[TRAIN], **sets)  # noqa: E731
    with mlflow.start_run() as run:
        first, second = fit(), fit(num_leaves=7)
    third = fit(num_leaves=3)
    mlflow_autolog(disable=True)
    fit(num_leaves=5)
    client = mlflow.MlflowClient()
    runs = {r.data.params["num_leaves"]: r for r in client.search_runs([run.info.experiment_id]) if "best_iteration" in r.data.metrics}
    equal(sorted(runs), ["3", "31", "7"], "leaves of the trainings that were logged")
    equal(runs["31"].info.run_id, run.info.run_id, "the active run")
    equal(runs["7"].data.tags.get("mlflow.parentRunId"), run.info.run_id, "the run within it")
    assert mlflow.active_run() is None and "mlflow.parentRunId" not in runs["3"].data.tags, runs["3"].data.tags
    for leaves, r in ("31", first), ("7", second), ("3", third):
        history = client.get_metric_history(runs[leaves].info.run_id, "valid_0.ndcg_5")
        equal([m.value for m in history], r.evals_result_["valid_0"]["ndcg@5"], "metrics that were logged")
        equal(mlflow.artifacts.load_text(f"runs:/{runs[leaves].info.run_id}/model.txt"), r.model_.text, "the model that was logged")


def pyterrier() -> None:
    import pandas
    import pyterrier as pt

    def results(chosen) -> tuple:
        rows = np.flatnonzero(chosen)
        ids = {"qid": [f"q{QID[i]}" for i in rows], "docno": [f"d{i}" for i in rows]}
        return pandas.DataFrame({**ids, "query": "x", "rank": 0, "score": 0.0, "features": list(X[rows])}), pandas.DataFrame({**ids, "label": Y[rows].astype(int)})

    (train, train_qrels), (valid, valid_qrels) = results(TRAIN), results(VALID)
    learned = pt.ltr.apply_learned_model(ranker(n_estimators=50, early_stopping_rounds=5), form="ltr")
    learned.fit(train, train_qrels, valid, valid_qrels)
    scored = learned.transform(valid)
    # PyTerrier sorts by query, which changes the order of the documents of a query too.
    sorts = [r.merge(q, on=["qid", "docno"]).sort_values("qid") for r, q in ((train, train_qrels), (valid, valid_qrels))]
    (a, b), (a_qid, b_qid) = [(np.stack(s["features"].values), s["label"]) for s in sorts], [s["qid"] for s in sorts]
    direct = ranker(n_estimators=50, early_stopping_rounds=5).fit(*a, qid=a_qid, eval_set=[b], eval_qid=[b_qid])
    scored = scored.set_index("docno").loc[valid["docno"], "score"].to_numpy()
    equal(scored, direct.predict(X[VALID]), "scores of the pipeline")


def ir_measures() -> None:
    """Values of every query are those of ir-measures, by its names of measures, on real qrels. Of documents of equal scores,
    trec_eval has the last id first, but ir-measures' own RR@k and Judged@k another one: they get a run without ties."""
    import ir_measures as theirs
    import lambdamart
    import sets

    measures = "AP AP@10 AP(rel=2) nDCG nDCG@10 P@5 P(rel=2)@5 R@10 R(rel=2)@10 RR RR(rel=2) Rprec Rprec(rel=2) Bpref Success@5 RR@10 Judged@10".split()
    seen = []
    for name, judged, run in sets.judged_runs():
        without_ties = {q: {d: i for i, (_, d) in enumerate(sorted((s, d) for d, s in scores.items()))} for q, scores in run.items()}
        want = {
            (v.query_id, str(v.measure)): v.value
            for chosen, ranking in ((measures[:-2], run), (measures[-2:], without_ties))
            for v in theirs.iter_calc([theirs.parse_measure(m) for m in chosen], judged, ranking)
        }
        with tempfile.TemporaryDirectory() as folder:
            qrels, ranked = sets.write_run(Path(folder), judged, run)
            lambdamart.command("eval", qrels=qrels, run=ranked, metric=measures, metric_convention="trec_eval", absent_queries="leave_out", per_query=f"{folder}/values.csv")
            rows = list(csv.reader(Path(folder, "values.csv").read_text().splitlines()))[1:]
        equal([row[0] for row in rows], list(run), name)
        for row in rows:
            np.testing.assert_allclose([float(v) for v in row[2:]], [want[row[0], m] for m in measures], atol=1e-12, err_msg=f"{name} {row[0]} {measures}")
        seen.append(name)
    if len(seen) < 3:
        print(f"NOTICE: compared with ir-measures on {seen} alone: the other data is not here")


def polars() -> None:
    import pandas
    import polars

    columns = {name: X[:, i] for i, name in enumerate("abcdefgh")}
    frame = polars.DataFrame({**columns, "h": np.arange(len(QID)) % 5}, schema_overrides={"b": polars.Float32})
    plain = np.column_stack([frame[c].cast(polars.Float64).to_numpy() for c in frame.columns])
    want = ranker().fit(plain, Y, qid=QID)
    for name, x in {"a frame": frame, "a lazy frame": frame.lazy()}.items():
        r = ranker().fit(x, Y, qid=QID)
        equal(list(r.feature_names_in_), frame.columns, "names")
        equal(r.predict(x), want.predict(plain), name)
        with_qid = x.with_columns(polars.Series("qid", [f"q{q}" for q in QID]))
        equal(ranker().fit(with_qid, polars.Series(Y)).predict(x), want.predict(plain), f"{name} with a column qid")
        equal(r.predict(with_qid), want.predict(plain), f"{name} with a column qid, in predict")
    nulls = frame.with_columns(polars.when(polars.col("a") > 0.5).then(polars.col("a")))
    missing = np.where(plain[:, :1] > 0.5, plain[:, :1], np.nan)
    equal(ranker().fit(nulls, Y, qid=QID).predict(nulls), ranker().fit(np.hstack([missing, plain[:, 1:]]), Y, qid=QID).predict(np.hstack([missing, plain[:, 1:]])), "nulls")
    colors = np.array([f"c{int(7 * v)}" for v in X[:, 1]])
    kinds = {"Categorical": polars.Categorical, "Enum": polars.Enum(sorted(set(colors)))}
    scores = {}
    for name, kind in kinds.items():
        coded = frame.with_columns(polars.Series("b", colors, dtype=kind))
        r = ranker(min_data_per_group=5).fit(coded, Y, qid=QID)
        equal(r.model_.categories, [sorted(set(colors))], f"categories of {name}")
        scores[name] = r.predict(coded)
        plain = pandas.DataFrame({c: coded[c].to_numpy() for c in coded.columns if c != "b"})
        plain.insert(1, "b", pandas.Categorical(colors))
        equal(r.predict(plain), scores[name], f"{name}, scored by pandas")
    equal(scores["Categorical"], scores["Enum"], "scores of both kinds")
    refused(lambda: ranker().fit(frame.with_columns(polars.lit("x").alias("a")), Y, qid=QID), "numbers: a .String.; .*polars.Categorical", TypeError)


def the_notebook_runs() -> None:
    import nbclient
    import nbformat

    path = FOLDER.parent / "docs" / "python.ipynb"
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    assert not any(cell.get("outputs") for cell in book.cells), "the notebook is stored with outputs; clear them"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JUPYTER_RUNTIME_DIR"] = os.environ["IPYTHONDIR"] = os.environ["MPLCONFIGDIR"] = folder
        os.environ["LAMBDAMART_TESTDATA"] = str(FOLDER.parent / "testdata")
        nbclient.NotebookClient(book, timeout=3600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
        assert Path(folder, "model.json").exists(), "the notebook exports no model"
    outputs = [o for cell in book.cells for o in cell.get("outputs", [])]
    pictures = [o for o in outputs if "image/png" in o.get("data", {})]
    shown = "".join(str(o.get("text", "")) + str(o.get("data", {}).get("text/plain", "")) for o in outputs)
    assert len(pictures) >= 3, f"{len(pictures)} pictures"
    assert re.search(r"\d+/\d+  valid_0 ndcg@10 0\.\d{5}", shown), f"no progress: {shown[:2000]}"
    assert "p, randomization" in shown and "all scores are equal" in shown, shown[:2000]
    said = [line for o in outputs if o.get("name") == "stderr" for line in o["text"].splitlines()]
    assert all(line.startswith("trees have LightGBM's defaults; preset=auto would be") for line in said), said


def equal(got, want, what: str) -> None:
    same = np.array_equal(got, want) if isinstance(got, np.ndarray) or isinstance(want, np.ndarray) else got == want
    if not same:
        raise AssertionError(f"{what}: {str(got)[:300]!r}, wanted {str(want)[:300]!r}")


def refused(call, pattern: str, kind: type = ValueError) -> None:
    try:
        call()
    except kind as error:
        assert re.search(pattern, str(error)), f"{error}; wanted {pattern}"
        return
    raise AssertionError(f"no error; wanted {kind.__name__}: {pattern}")


CHECKS = [shap, optuna, mlflow, pyterrier, ir_measures, polars, the_notebook_runs]


def main() -> None:
    failed = 0
    for check in CHECKS:
        if sys.argv[1:] and check.__name__ not in sys.argv[1:]:
            continue
        began = time.monotonic()
        try:
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
