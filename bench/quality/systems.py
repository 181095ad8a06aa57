"""The systems of the comparison of quality: ours with its losses, mixes and contexts, and other trainers.

A system is a function of a split that returns the scores of its test part. All have the same number of leaves,
learning rate, share of features for a tree, bins, and least rows or Hessian of a leaf, as far as they have such a parameter;
the number of trees is that which is best for nDCG@10 on the validation part, 100 trees without a better one being the end.
CatBoost's trees are symmetric, with 6 levels, or 8 where others have 255 leaves; our symmetric trees have 6 levels. PerpetualBooster has no such
parameters: it has a budget of 1, and decides by itself when to stop.
"""

from pathlib import Path

import numpy as np
import scipy.stats

from context import MEAN
from splits import THREADS, Part, Set, Split

SHARE = 0.5  # of the features, for each tree
ROWS = 20  # least rows of a leaf
HESSIAN = 0.001  # least sum of Hessians of a leaf

CONTEXT = ["query_context=rank,zscore"]
SYMMETRIC = ["grow_policy=symmetric", "num_leaves=64"]

OURS = {
    "lambdarank": [],
    "rank_xendcg": ["objective=rank_xendcg"],
    "query_rmse": ["objective=query_rmse"],
    "rank_pairwise": ["objective=rank_pairwise"],
    "rank_map": ["objective=rank_map"],
    "listnet": ["objective=listnet"],
    "yetirank": ["objective=yetirank"],
    "yetirank, ndcg": ["objective=yetirank", "yetirank_mode=ndcg"],
    "lambdaloss": ["objective=lambdaloss"],
    "lambdarank + query_rmse": ["objective=lambdarank:1,query_rmse:0.2"],
    "lambdarank, symmetric": SYMMETRIC,
    "query_rmse, symmetric": ["objective=query_rmse", *SYMMETRIC],
    "yetirank, symmetric": ["objective=yetirank", *SYMMETRIC],
    "yetirank, ndcg, symmetric": ["objective=yetirank", "yetirank_mode=ndcg", *SYMMETRIC],
    "mean of four": MEAN,
    "lambdarank, context": CONTEXT,
    "rank_xendcg, context": ["objective=rank_xendcg", *CONTEXT],
    "mean of four, context": [*MEAN, *CONTEXT],
    "mean of four, symmetric": [*MEAN, *SYMMETRIC],
    "mean of four, context, symmetric": [*MEAN, *CONTEXT, *SYMMETRIC],
}

# The same loss of a peer, or in trees of our other kind, that each of ours is compared with.
COUNTERPARTS = {
    "lambdarank": ["LightGBM lambdarank", "XGBoost rank:ndcg"],
    "rank_xendcg": ["LightGBM rank_xendcg"],
    "rank_map": ["XGBoost rank:map"],
    "yetirank": ["CatBoost YetiRank"],
    "yetirank, ndcg": ["CatBoost YetiRank:mode=NDCG"],
    "query_rmse": ["CatBoost QueryRMSE"],
    "lambdarank, symmetric": ["lambdarank"],
    "query_rmse, symmetric": ["query_rmse", "CatBoost QueryRMSE"],
    "yetirank, symmetric": ["yetirank", "CatBoost YetiRank"],
    "yetirank, ndcg, symmetric": ["yetirank, ndcg", "CatBoost YetiRank:mode=NDCG"],
    "listnet": ["PerpetualBooster ListNet"],
}


def ours(parameters: list[str]):
    def scores(split: Split, folder: Path) -> np.ndarray:
        s = split.of
        settings = [f"num_leaves={s.leaves}", f"learning_rate={s.rate}", f"feature_fraction={SHARE}", f"min_data_in_leaf={ROWS}", f"num_iterations={s.iterations}"]
        if s.patience:
            settings += [f"valid={split.path('vali')}", f"patience={s.patience}", "metric=ndcg@10", "stop_metric=ndcg@10"]
        settings = [given for given in settings if given.split("=")[0] not in {p.split("=")[0] for p in parameters}]
        return split.trained(folder, "snapshot_seconds=0", *settings, *parameters)

    return scores


def lightgbm(objective: str, monotone: str | None = None, **more):
    """monotone is the method for constraining features that rise or fall with the training labels."""

    def scores(split: Split, folder: Path) -> np.ndarray:
        import lightgbm

        s, parts = split.of, split.parts
        given = dict(
            objective=objective, num_leaves=s.leaves, learning_rate=s.rate, feature_fraction=SHARE, min_data_in_leaf=ROWS, min_sum_hessian_in_leaf=HESSIAN,
            metric="ndcg", eval_at=10, seed=split.seed, num_threads=THREADS, verbosity=-1, deterministic=True, force_col_wise=True,
        ) | more  # fmt: skip
        if monotone:
            given |= dict(monotone_constraints=directions(parts["train"]), monotone_constraints_method=monotone)
        data = parts["train"].lightgbm(given)
        valid = parts["vali"].lightgbm(given, data)
        stop = [lightgbm.early_stopping(s.patience, verbose=False)] if s.patience else []
        return lightgbm.train(given, data, s.iterations, valid_sets=[valid] if stop else None, callbacks=stop).predict(parts["test"].matrix)

    return scores


def directions(part: Part) -> list[int]:
    """Returns the sign of each feature's rank correlation with the labels, or 0 if that is less than .1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations = np.nan_to_num(np.corrcoef(scipy.stats.rankdata(part.matrix, axis=0).T, scipy.stats.rankdata(part.labels))[-1, :-1])
    return [int(np.sign(c)) if abs(c) >= 0.1 else 0 for c in correlations]


def xgboost(objective: str, **more):
    def scores(split: Split, folder: Path) -> np.ndarray:
        import xgboost

        def data(name: str) -> "xgboost.DMatrix":
            part = split.parts[name]
            labels = np.minimum(part.labels, 1) if objective == "rank:map" and name == "train" else part.labels  # it takes no others
            return xgboost.DMatrix(part.matrix, labels, group=part.sizes)

        s = split.of
        given = dict(
            objective=objective, tree_method="hist", grow_policy="lossguide", max_depth=0, max_leaves=s.leaves, eta=s.rate, colsample_bytree=SHARE, max_bin=255,
            min_child_weight=HESSIAN, lambdarank_pair_method="topk", lambdarank_num_pair_per_sample=30, eval_metric="ndcg@10", seed=split.seed, nthread=THREADS,
        ) | more  # fmt: skip
        stopping = dict(evals=[(data("vali"), "vali")], early_stopping_rounds=s.patience, verbose_eval=False) if s.patience else {}
        model = xgboost.train(given, data("train"), s.iterations, **stopping)
        trees = (0, model.best_iteration + 1) if s.patience else (0, 0)
        return model.predict(data("test"), iteration_range=trees)

    return scores


def catboost(loss: str):
    def scores(split: Split, folder: Path) -> np.ndarray:
        import catboost

        s = split.of
        model = catboost.CatBoost(dict(
            loss_function=loss, eval_metric="NDCG:top=10;type=Exp", iterations=s.iterations, learning_rate=s.rate, depth=8 if s.leaves > 127 else 6, rsm=SHARE,
            random_seed=split.seed, thread_count=THREADS, logging_level="Silent", allow_writing_files=False,
        ))  # fmt: skip
        if s.patience:
            model.fit(split.parts["train"].catboost(), eval_set=split.parts["vali"].catboost(), early_stopping_rounds=s.patience, use_best_model=True)
        else:
            model.fit(split.parts["train"].catboost())
        return model.predict(split.parts["test"].catboost())

    return scores


def perpetual(split: Split, folder: Path) -> np.ndarray:
    from perpetual import PerpetualBooster

    train = split.parts["train"]
    model = PerpetualBooster(objective="ListNetLoss", budget=1.0, num_threads=THREADS, seed=split.seed)
    model.fit(train.matrix, train.labels, group=train.sizes.astype(np.uint64))
    return np.asarray(model.predict(split.parts["test"].matrix))


PEERS = {
    "LightGBM lambdarank": lightgbm("lambdarank"),
    "LightGBM rank_xendcg": lightgbm("rank_xendcg"),
    "XGBoost rank:ndcg": xgboost("rank:ndcg"),
    "XGBoost rank:map": xgboost("rank:map"),
    "XGBoost rank:ndcg, unbiased": xgboost("rank:ndcg", lambdarank_unbiased=True),
    "CatBoost YetiRank": catboost("YetiRank"),
    "CatBoost YetiRank:mode=NDCG": catboost("YetiRank:mode=NDCG"),
    "CatBoost QueryRMSE": catboost("QueryRMSE"),
    "PerpetualBooster ListNet": perpetual,
}

SYSTEMS = PEERS | {name: ours(parameters) for name, parameters in OURS.items()}

# What is trained only if --systems names it: parameters of LightGBM that we refuse because of these figures, and what they
# are compared with.
REFUSED = {
    "LightGBM lambdarank, linear_tree": lightgbm("lambdarank", linear_tree=True),
    "LightGBM lambdarank, linear_tree, linear_lambda=1": lightgbm("lambdarank", linear_tree=True, linear_lambda=1),
    "LightGBM lambdarank, monotone basic": lightgbm("lambdarank", monotone="basic"),
    "LightGBM lambdarank, monotone intermediate": lightgbm("lambdarank", monotone="intermediate"),
    "LightGBM lambdarank, monotone advanced": lightgbm("lambdarank", monotone="advanced"),
}


def settings_of(name: str, s: Set) -> str:
    """Returns everything that a result depends on except the data and the seed."""
    return f"{name} {OURS.get(name, '')} {SHARE} {ROWS} {HESSIAN}"
