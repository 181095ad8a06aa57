"""The systems of the comparison of defaults, presets and tuning: ours and other trainers.

A system is a function of a split that returns the scores of its test part. All have at most 1,000 trees, of which those
that are best for nDCG@10 on the validation part count, 50 trees without a better one being the end. What tunes has the
time that the set allows (Set.budget, in seconds of a clock), one thread, the validation part to choose by, and spaces
of the same width as that of lambdamart tune; Optuna's TPE sampler tunes the other trainers, and ends with the trial in
which the time ran out.
"""

import importlib
import resource
import time
from pathlib import Path

import numpy as np

from splits import THREADS, Part, Set, Split, run

ITERATIONS, PATIENCE = 1000, 50
METRIC = "ndcg@10"


def validated(split: Split) -> list[str]:
    return [f"valid={split.path('vali')}", f"stop_metric={METRIC}"]


def trained(*settings: str):
    return lambda split, folder: split.trained(folder, *validated(split), *settings)


def lightgbm_model(train: Part, vali: Part | None, seed: int, trees: int = ITERATIONS, **given):
    """Trains this many trees; with a validation part, keeps those up to the best one."""
    import lightgbm

    p = dict(objective="lambdarank", metric="ndcg", eval_at=[10], verbosity=-1, seed=seed, deterministic=True, force_col_wise=True, num_threads=THREADS) | given
    data = train.lightgbm(p)
    stopping = dict(valid_sets=[vali.lightgbm(p, data)], callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)]) if vali else {}
    model = lightgbm.train(p, data, trees, **stopping)
    return model, model.best_iteration


def lightgbm_space(trial) -> dict:
    return dict(
        learning_rate=rate(trial), num_leaves=leaves(trial), min_data_in_leaf=trial.suggest_int("rows", 1, 100, log=True),
        min_sum_hessian_in_leaf=hessian(trial), feature_fraction=share(trial), bagging_fraction=sampled(trial), bagging_freq=1, lambda_l2=l2(trial),
        objective=trial.suggest_categorical("objective", ["lambdarank", "rank_xendcg"]),
    )  # fmt: skip


def xgboost_model(train: Part, vali: Part | None, seed: int, trees: int = ITERATIONS, **given):
    import xgboost

    stopping = dict(early_stopping_rounds=PATIENCE) if vali else {}
    model = xgboost.XGBRanker(n_estimators=trees, eval_metric=METRIC, random_state=seed, n_jobs=THREADS, **stopping, **given)
    judged = dict(eval_set=[(vali.matrix, vali.labels)], eval_group=[vali.sizes]) if vali else {}
    model.fit(train.matrix, train.labels, group=train.sizes, verbose=False, **judged)
    return model, model.best_iteration + 1 if vali else trees


def xgboost_space(trial) -> dict:
    return dict(
        learning_rate=rate(trial), grow_policy="lossguide", max_depth=0, max_leaves=leaves(trial), min_child_weight=hessian(trial), colsample_bytree=share(trial),
        subsample=sampled(trial), reg_lambda=l2(trial), objective=trial.suggest_categorical("objective", ["rank:ndcg", "rank:pairwise"]),
    )  # fmt: skip


def catboost_model(train: Part, vali: Part | None, seed: int, trees: int = ITERATIONS, **given):
    import catboost

    model = catboost.CatBoostRanker(
        iterations=trees, random_seed=seed, verbose=False, thread_count=THREADS, eval_metric="NDCG:top=10;type=Exp", allow_writing_files=False, **given,
    )  # fmt: skip
    stopping = dict(eval_set=vali.catboost(), early_stopping_rounds=PATIENCE) if vali else {}
    model.fit(train.catboost(), **stopping)
    return model, model.tree_count_


def catboost_space(trial) -> dict:
    return dict(
        learning_rate=rate(trial), depth=trial.suggest_int("depth", 2, 8), l2_leaf_reg=l2(trial), rsm=share(trial), bootstrap_type="Bernoulli", subsample=sampled(trial),
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
    """The system with a trainer's own defaults; model trains it."""

    def scores(split: Split, folder: Path) -> np.ndarray:
        fitted, _ = model(split.parts["train"], split.parts["vali"], split.seed)
        return fitted.predict(split.parts["test"].matrix)

    return scores


ALL = ", all queries"


def by_optuna(name: str, model, space, trials: int | None = None):
    """The two systems that have the best parameters of the set's time, or of a number of trials: name, and name + ALL."""

    def scores(split: Split, folder: Path) -> dict[str, np.ndarray]:
        import optuna

        importlib.import_module(name.split(",")[0].lower())  # loading a program is no part of the time
        train, vali, test = (split.parts[p] for p in ("train", "vali", "test"))
        best, began = {"value": -1.0}, time.process_time()

        def objective(trial) -> float:
            given = space(trial)
            fitted, trees = model(train, vali, split.seed, **given)
            value = float(np.mean(list(vali.judged(fitted.predict(vali.matrix)).values())))
            if value > best["value"]:
                best.update(value=value, scores=fitted.predict(test.matrix), given=given, trees=trees)
            return value

        def stop(study, trial) -> None:
            if trials is None and time.process_time() - began >= split.of.budget:
                study.stop()

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=split.seed))
        study.optimize(objective, n_trials=trials, callbacks=[stop])
        print(f"{len(study.trials)} trials in {time.process_time() - began:.1f} s of the processor", flush=True)
        fitted, _ = model(train + vali, None, split.seed, best["trees"], **best["given"])
        return {name: best["scores"], name + ALL: fitted.predict(test.matrix)}

    return {name: scores, name + ALL: scores}


def processor_seconds() -> float:
    """Returns the CPU time of the processes started from here."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


FIRST, BRACKET = 4, 9  # trials that tune begins with, and of each bracket after them


def tuned(split: Split, folder: Path) -> np.ndarray:
    """Tunes by folds of all queries that are not for testing, as long as another bracket ends within the set's time."""
    settings = [f"data={split.train_and_vali}", "folds=3", f"stop_metric={METRIC}", f"seed={split.seed}", "output=tune"]
    began, spent, trainings = processor_seconds(), 0.0, FIRST
    while True:
        run(folder, "tune", *settings, f"max_trainings={trainings}")  # goes on from the trials before
        before, spent = spent, processor_seconds() - began
        if spent + (spent - before) > split.of.budget:
            break
        trainings += BRACKET
    run(folder, "tune", *settings, f"max_trainings={trainings}", "final_model=model")
    print(f"{trainings} trials in {spent:.1f} s of the processor, and the final model in {processor_seconds() - began - spent:.1f} s", flush=True)
    return split.scored(folder)


def tuned_briefly(split: Split, folder: Path) -> np.ndarray:
    """Tunes by the validation part with the fewest trials, and prints the time beside that of one training of LightGBM."""
    importlib.import_module("lightgbm")
    began = time.process_time()
    lightgbm_model(split.parts["train"], None, split.seed, 500)
    one, began = time.process_time() - began, processor_seconds()
    run(folder, "tune", f"data={split.path('train')}", *validated(split), f"seed={split.seed}", f"max_trainings={FIRST}", "output=tune", "final_model=model")
    print(f"one training of LightGBM: {one:.1f} s of the processor; tune: {processor_seconds() - began:.1f} s", flush=True)
    return split.scored(folder)


OURS = {
    "lambdamart": trained(f"num_iterations={ITERATIONS}", f"patience={PATIENCE}"),
    "lambdamart preset=auto": trained("preset=auto"),
    "lambdamart tune": tuned,
    "lambdamart tune, 4 trials": tuned_briefly,
}

PEERS = {
    "LightGBM": default(lightgbm_model),
    "XGBoost": default(xgboost_model),
    "CatBoost": default(catboost_model),
    **by_optuna("LightGBM, Optuna", lightgbm_model, lightgbm_space),
    **by_optuna("XGBoost, Optuna", xgboost_model, xgboost_space),
    **by_optuna("CatBoost, Optuna", catboost_model, catboost_space),
    **by_optuna("LightGBM, Optuna, 30 trials", lightgbm_model, lightgbm_space, trials=30),
}

# What each of ours has to be compared with.
BUDGETED = ["LightGBM, Optuna", "XGBoost, Optuna", "CatBoost, Optuna"]
COUNTERPARTS = {
    "lambdamart": ["LightGBM"],
    "lambdamart preset=auto": ["LightGBM", "XGBoost", "CatBoost", "lambdamart"],
    "lambdamart tune": [*BUDGETED, *(name + ALL for name in BUDGETED), "lambdamart"],
    "lambdamart tune, 4 trials": ["LightGBM, Optuna, 30 trials", "LightGBM, Optuna, 30 trials" + ALL],
}

SYSTEMS = PEERS | OURS
REFUSED = {}


def settings_of(name: str, s: Set) -> str:
    """Returns everything that a result depends on except the data and the seed."""
    return f"{name} {ITERATIONS} {PATIENCE} {THREADS} {s.budget} s of the processor"
