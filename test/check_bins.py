"""Checks that bin bounds and missing types equal those of LightGBM.

All data here is smaller than bin_construct_sample_cnt, so both programs find bins from the same values.
Bounds must be equal in every bit. Forced bounds lie between neighboring values of one sign, so that no bin is
empty: LightGBM's tree would not show it.
"""

import tempfile
from pathlib import Path

import numpy as np

import holes
import ours
import sets
from bins_of_lightgbm import bins
from report import Table

SETTINGS = [
    dict(max_bin=255, min_data_in_bin=3), dict(max_bin=63, min_data_in_bin=3),
    dict(max_bin=15, min_data_in_bin=1), dict(max_bin=255, min_data_in_bin=50),
    dict(max_bin="by feature", min_data_in_bin=3),
]  # fmt: skip
OF_HOLES = [
    dict(max_bin=255, min_data_in_bin=3), dict(max_bin=15, min_data_in_bin=1), dict(max_bin=4, min_data_in_bin=3),
    dict(max_bin=63, min_data_in_bin=3, zero_as_missing="true"), dict(max_bin=63, min_data_in_bin=3, use_missing="false"),
]  # fmt: skip
WIDE = [  # for one of the sets: trees of 5,000 leaves take long
    dict(max_bin=1000, min_data_in_bin=3), *[dict(max_bin=5000, min_data_in_bin=1)] * sets.ALL,
]  # fmt: skip
WIDE_OF_HOLES = [
    dict(max_bin=1000, min_data_in_bin=1, zero_as_missing="true"),
]  # fmt: skip


def main() -> None:
    table = Table("set", "max_bin", "min_data", "missing", "features", "bins", "other")
    for data in sets.some():
        for parameters in SETTINGS + WIDE * (data.name == "shipped"):
            compare(table, data, parameters)
    with tempfile.TemporaryDirectory() as folder:
        for data in holes.made(Path(folder)):
            for parameters in OF_HOLES + WIDE_OF_HOLES * (data.name == "shipped, holes"):
                compare(table, data, parameters)
    table.exit()


def compare(table: Table, data: sets.Set, parameters: dict) -> None:
    """Compares the bins of all features, or, except with the first settings, of the first eight, which holes.py treats each in its
    way, and every third."""
    matrix = sets.load(data.train).matrix
    features = [f for f in range(matrix.shape[1]) if sets.ALL or parameters == SETTINGS[0] or f < 8 or f % 3 == 0]
    most = [parameters["max_bin"]] * matrix.shape[1]
    if parameters["max_bin"] == "by feature":
        most = [2 + 37 * f % 254 for f in range(matrix.shape[1])]
        mine = ours.bins(data.train, max_bin_by_feature=",".join(map(str, most)), min_data_in_bin=parameters["min_data_in_bin"])
    else:
        mine = ours.bins(data.train, **parameters)
    theirs = {f: bins(matrix[:, f], **parameters | dict(max_bin=most[f])) for f in features}
    judge(table, data, parameters, {f: b for f, b in mine.items() if f in theirs or f >= matrix.shape[1]}, theirs)


def judge(table: Table, data: sets.Set, parameters: dict, mine: dict, theirs: dict) -> None:
    theirs = {f: b for f, b in theirs.items() if b != ("None", [])}
    other = [f for f in sorted(mine.keys() | theirs.keys()) if mine.get(f) != theirs.get(f)]
    total = sum(len(b) + 1 + (missing == "NaN") for missing, b in theirs.values())
    rule = next((f"{k}={v}" for k, v in parameters.items() if k.endswith("missing")), "")
    table.row(not other, data.name, parameters["max_bin"], parameters["min_data_in_bin"], rule, len(theirs), total, len(other))
    for feature in other[:3]:
        print(f"  feature {feature}: {difference(mine.get(feature, ('constant', [])), theirs.get(feature, ('constant', [])))}")


def difference(mine: tuple[str, list[float]], theirs: tuple[str, list[float]]) -> str:
    if mine[0] != theirs[0]:
        return f"missing is {mine[0]}, for LightGBM {theirs[0]}"
    for i, (m, t) in enumerate(zip(mine[1], theirs[1])):
        if m != t:
            return f"bound {i} of {len(mine[1])} is {m!r}, LightGBM has {t!r} of {len(theirs[1])}"
    return f"{len(mine[1])} bounds, LightGBM has {len(theirs[1])}"


if __name__ == "__main__":
    main()
