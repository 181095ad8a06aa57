"""Are our bin bounds those of real LightGBM?

LightGBM shows no bounds, but a tree that is grown to the end has a split at
every bound between two rows: for each feature alone it is given one such tree to
grow, on random labels. Its rows are those of the data and one zero, which no bin
was found from, so that an empty bin of zero shows too. All data here is smaller than bin_construct_sample_cnt, so that both
programs see the same values. Bounds must be equal in every bit.
"""

import lightgbm
import numpy as np

import ours
import sets
from report import Table

# max_bin, min_data_in_bin
SETTINGS = [(255, 3), (63, 3), (15, 1), (255, 50)]


def main() -> None:
    table = Table("set", "max_bin", "min_data", "features", "bins", "other")
    for data in sets.present():
        for max_bin, min_data_in_bin in SETTINGS:
            mine = ours.bins(data.train, max_bin=max_bin, min_data_in_bin=min_data_in_bin)
            matrix = sets.load(data.train).matrix
            theirs = {f: bounds(matrix[:, f], max_bin, min_data_in_bin) for f in range(matrix.shape[1])}
            theirs = {f: b for f, b in theirs.items() if b}
            other = [f for f in sorted(mine.keys() | theirs.keys()) if mine.get(f) != theirs.get(f)]
            total = sum(len(b) + 1 for b in theirs.values())
            table.row(not other, data.name, max_bin, min_data_in_bin, len(theirs), total, len(other))
            for feature in other[:3]:
                print(f"  feature {feature}: {difference(mine.get(feature, []), theirs.get(feature, []))}")
    table.exit()


def bounds(values: np.ndarray, max_bin: int, min_data_in_bin: int) -> list[float]:
    """LightGBM's finite upper bounds for one column."""
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
    bounds = sorted(set(thresholds(dump["tree_info"][0]["tree_structure"])))
    assert len(bounds) + 1 == max(1, found.feature_num_bin(0)), "LightGBM's tree does not show all bins"
    return bounds


def thresholds(node: dict):
    if "threshold" in node:
        yield node["threshold"]
        yield from thresholds(node["left_child"])
        yield from thresholds(node["right_child"])


def difference(mine: list[float], theirs: list[float]) -> str:
    for i, (m, t) in enumerate(zip(mine, theirs)):
        if m != t:
            return f"bound {i} of {len(mine)} is {m!r}, LightGBM has {t!r} of {len(theirs)}"
    return f"{len(mine)} bounds, LightGBM has {len(theirs)}"


if __name__ == "__main__":
    main()
