"""The systems of the comparison of defaults, presets and tuning: ours and other trainers.

A system is a function of a split that returns the scores of its test part. All have at most 1,000 trees, of which those
that are best for nDCG@10 on the validation part count, 50 trees without a better one being the end. What tunes has the
time that the set allows (Set.budget, in seconds of a clock), one thread, the validation part to choose by, and spaces
of the same width as that of lambdamart tune; Optuna's TPE sampler tunes the other trainers, and ends with the trial in
which the time ran out.
"""

import time
from pathlib import Path

import numpy as np

from splits import THREADS, Set, Split

ITERATIONS, PATIENCE = 1000, 50
METRIC = "ndcg@10"


def validated(split: Split) -> list[str]:
    return [f"valid={split.path('vali')}", f"stop_metric={METRIC}"]


def trained(*settings: str):
    def scores(split: Split, folder: Path) -> np.ndarray:
        return split.trained(folder, "train", *validated(split), *settings)

    return scores


def tuned(split: Split, folder: Path) -> np.ndarray:
    return tuned_for(split, folder, split.of.budget)


def tuned_for(split: Split, folder: Path, seconds: float) -> np.ndarray:
    return split.trained(folder, "tune", *validated(split), f"time_budget={seconds}", "max_trainings=1000", "output=tune")


def tuned_in_one_training(split: Split, folder: Path) -> np.ndarray:
    """Tunes for as long as one training of LightGBM with 500 iterations takes on the same machine at the same time."""
    start = time.monotonic()
    lightgbm_model(split, 500, patience=0)
    return tuned_for(split, folder, time.monotonic() - start)


def lightgbm_model(split: Split, iterations: int = ITERATIONS, patience: int = PATIENCE, **given):
    import lightgbm

    p = dict(objective="lambdarank", metric="ndcg", eval_at=[10], verbosity=-1, seed=split.seed, deterministic=True, force_col_wise=True, num_threads=THREADS) | given
    data = split.parts["train"].lightgbm(p)
    valid = split.parts["vali"].lightgbm(p, data)
    stop = [lightgbm.early_stopping(patience, verbose=False)] if patience else []
    return lightgbm.train(p, data, iterations, [valid], callbacks=stop)


def lightgbm_trial(split: Split, trial):
    return lightgbm_model(
        split, learning_rate=rate(trial), num_leaves=leaves(trial), min_data_in_leaf=trial.suggest_int("rows", 1, 100, log=True),
        min_sum_hessian_in_leaf=hessian(trial), feature_fraction=share(trial), bagging_fraction=sampled(trial), bagging_freq=1, lambda_l2=l2(trial),
        objective=trial.suggest_categorical("objective", ["lambdarank", "rank_xendcg"]),
    )  # fmt: skip


def xgboost_model(split: Split, **given):
    import xgboost

    train, vali = split.parts["train"], split.parts["vali"]
    model = xgboost.XGBRanker(n_estimators=ITERATIONS, eval_metric=METRIC, early_stopping_rounds=PATIENCE, random_state=split.seed, n_jobs=THREADS, **given)
    return model.fit(train.matrix, train.labels, group=train.sizes, eval_set=[(vali.matrix, vali.labels)], eval_group=[vali.sizes], verbose=False)


def xgboost_trial(split: Split, trial):
    return xgboost_model(
        split, learning_rate=rate(trial), grow_policy="lossguide", max_depth=0, max_leaves=leaves(trial), min_child_weight=hessian(trial), colsample_bytree=share(trial),
        subsample=sampled(trial), reg_lambda=l2(trial), objective=trial.suggest_categorical("objective", ["rank:ndcg", "rank:pairwise"]),
    )  # fmt: skip


def catboost_model(split: Split, **given):
    import catboost

    model = catboost.CatBoostRanker(
        iterations=ITERATIONS, early_stopping_rounds=PATIENCE, random_seed=split.seed, verbose=False, thread_count=THREADS, eval_metric="NDCG:top=10;type=Exp",
        allow_writing_files=False, **given,
    )  # fmt: skip
    return model.fit(split.parts["train"].catboost(), eval_set=split.parts["vali"].catboost())


def catboost_trial(split: Split, trial):
    return catboost_model(
        split, learning_rate=rate(trial), depth=trial.suggest_int("depth", 2, 8), l2_leaf_reg=l2(trial), rsm=share(trial), bootstrap_type="Bernoulli", subsample=sampled(trial),
        loss_function=trial.suggest_categorical("loss", ["YetiRank", "QueryRMSE"]),
    )  # fmt: skip


def rate(trial) -> float:
    return trial.suggest_float("rate", 0.02, 0.2, log=True)


def leaves(trial) -> int:
    return trial.suggest_int("leaves", 4, 63, log=True)


def hessian(trial) -> float:
    return trial.suggest_float("hessian", 1e-3, 10, log=True)


def share(trial) -> float:
    return trial.suggest_float("share", 0.2, 1)


def sampled(trial) -> float:
    return trial.suggest_float("sampled", 0.4, 1)


def l2(trial) -> float:
    return trial.suggest_float("l2", 0.01, 30, log=True)


def default(model):
    """The system that has a trainer's own defaults; model trains it."""
    return lambda split, folder: model(split).predict(split.parts["test"].matrix)


def by_optuna(of_trial, trials: int | None = None):
    """The system that has the best trial of the set's time, or of a number of trials. of_trial returns a model."""

    def scores(split: Split, folder: Path) -> np.ndarray:
        import optuna

        best = {"value": -1.0, "scores": None}

        def objective(trial):
            model = of_trial(split, trial)
            vali = split.parts["vali"]
            value = float(np.mean(list(vali.judged(model.predict(vali.matrix)).values())))
            if value > best["value"]:
                best.update(value=value, scores=model.predict(split.parts["test"].matrix))
            return value

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=split.seed))
        study.optimize(objective, n_trials=trials, timeout=None if trials else split.of.budget)
        print(f"{len(study.trials)} trials", flush=True)
        return best["scores"]

    return scores


OURS = {
    "lambdamart": trained(f"num_iterations={ITERATIONS}", f"patience={PATIENCE}"),
    "lambdamart preset=auto": trained("preset=auto"),
    "lambdamart tune": tuned,
    "lambdamart tune, time of one LightGBM": tuned_in_one_training,
}

PEERS = {
    "LightGBM": default(lightgbm_model),
    "XGBoost": default(xgboost_model),
    "CatBoost": default(catboost_model),
    "LightGBM, Optuna": by_optuna(lightgbm_trial),
    "XGBoost, Optuna": by_optuna(xgboost_trial),
    "CatBoost, Optuna": by_optuna(catboost_trial),
    "LightGBM, Optuna, 30 trials": by_optuna(lightgbm_trial, 30),
}

# What each of ours has to be compared with.
COUNTERPARTS = {
    "lambdamart": ["LightGBM"],
    "lambdamart preset=auto": ["LightGBM", "XGBoost", "CatBoost", "lambdamart"],
    "lambdamart tune": ["LightGBM, Optuna", "XGBoost, Optuna", "CatBoost, Optuna", "lambdamart"],
    "lambdamart tune, time of one LightGBM": ["LightGBM, Optuna, 30 trials"],
}

SYSTEMS = PEERS | OURS
REFUSED = {}


def settings_of(name: str, s: Set) -> str:
    """Returns what a result depends on besides the data and the seed."""
    return f"{name} {ITERATIONS} {PATIENCE} {THREADS} {s.budget}"
