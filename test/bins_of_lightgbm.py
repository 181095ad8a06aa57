"""The bounds of LightGBM's bins.

LightGBM shows no bounds, but a tree that is grown to the end has a split at
every bound between two rows: a feature alone is given one such tree to grow, on
random labels. Its rows are those of the data and one zero, which no bin was found
from, so that an empty bin of zero shows too.
"""

import lightgbm
import numpy as np


def bounds(values: np.ndarray, max_bin: int = 255, min_data_in_bin: int = 3) -> list[float]:
    """The finite upper bounds for one column, ascending."""
    parameters = dict(
        objective="regression", verbosity=-1, seed=1, num_threads=1, boost_from_average=False,
        max_bin=max_bin, min_data_in_bin=min_data_in_bin, feature_pre_filter=False,
        num_leaves=max_bin + 1, min_data_in_leaf=1, min_sum_hessian_in_leaf=0,
    )  # fmt: skip
    found = lightgbm.Dataset(values.reshape(-1, 1), np.zeros(len(values)), params=parameters)
    rows = np.append(values, 0).reshape(-1, 1)
    labels = np.random.default_rng(1).normal(size=len(rows))
    data = lightgbm.Dataset(rows, labels, params=parameters, reference=found)
    dump = lightgbm.train(parameters, data, num_boost_round=1).dump_model()
    uppers = sorted(set(thresholds(dump["tree_info"][0]["tree_structure"])))
    assert len(uppers) + 1 == max(1, found.feature_num_bin(0)), "LightGBM's tree does not show all bins"
    return uppers


def thresholds(node: dict):
    if "threshold" in node:
        yield node["threshold"]
        yield from thresholds(node["left_child"])
        yield from thresholds(node["right_child"])
