"""Finds the bounds of LightGBM's bins.

LightGBM does not expose its bounds, but a fully grown tree has a split at every bound that lies between
two rows. So LightGBM grows one such tree on a single feature with random labels. Its rows are the data
without NaN, plus one zero that makes an empty bin of zero visible; bins are found without that zero.
"""

import lightgbm
import numpy as np

import models

MISSING = {0: "None", 4: "Zero", 8: "NaN"}  # by the bits of a decision


def bounds(values: np.ndarray, max_bin: int = 255, min_data_in_bin: int = 3) -> list[float]:
    """Returns the finite upper bounds of one column, ascending."""
    return bins(values, max_bin=max_bin, min_data_in_bin=min_data_in_bin)[1]


def bins(values: np.ndarray, **parameters) -> tuple[str, list[float]]:
    """Returns the missing type (None, Zero, NaN) and the finite upper bounds of one column, ascending.

    A column that holds only NaN has no bounds and the type None: LightGBM gives it two bins, one of them
    empty, so it is as constant as a column of one value.
    """
    if np.isnan(values).all():
        return "None", []
    missing, uppers, number = shown(values, parameters)
    if missing == "Zero":  # that tree does not split at some bounds next to zero, so take them from a tree without missing values
        some = set(uppers)
        _, uppers, _ = shown(values, parameters | dict(zero_as_missing="false", use_missing="false"))
        assert some <= set(uppers)
    of_nan = missing == "NaN" or not uppers and number == 2
    assert not uppers or number == len(uppers) + 1 + of_nan, "LightGBM's tree does not show all bins"
    return "NaN" if of_nan else missing, uppers


def shown(values: np.ndarray, parameters: dict) -> tuple[str, list[float], int]:
    """Returns the missing type and the bounds that a tree shows, and the number of bins."""
    given = dict(max_bin=255) | parameters
    parameters = given | dict(
        objective="regression", verbosity=-1, seed=1, num_threads=1, boost_from_average=False, feature_pre_filter=False,
        num_leaves=given["max_bin"] + 1, min_data_in_leaf=1, min_sum_hessian_in_leaf=0,
    )  # fmt: skip
    found = lightgbm.Dataset(values.reshape(-1, 1), np.zeros(len(values)), params=parameters)
    rows = np.append(values[~np.isnan(values)], 0).reshape(-1, 1)
    labels = np.random.default_rng(1).normal(size=len(rows))
    data = lightgbm.Dataset(rows, labels, params=parameters, reference=found)
    booster = lightgbm.train(parameters, data, num_boost_round=1, keep_training_booster=True)
    splits = models.parse(booster.model_to_string())[0].splits
    missing = MISSING[splits[0].missing()] if splits else "None"
    return missing, sorted({split.threshold for split in splits}), found.feature_num_bin(0)
