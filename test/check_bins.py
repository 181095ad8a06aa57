"""Are our bin bounds those of real LightGBM?

All data here is smaller than bin_construct_sample_cnt, so that both programs see
the same values. Bounds must be equal in every bit.
"""

import ours
import sets
from bins_of_lightgbm import bounds
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


def difference(mine: list[float], theirs: list[float]) -> str:
    for i, (m, t) in enumerate(zip(mine, theirs)):
        if m != t:
            return f"bound {i} of {len(mine)} is {m!r}, LightGBM has {t!r} of {len(theirs)}"
    return f"{len(mine)} bounds, LightGBM has {len(theirs)}"


if __name__ == "__main__":
    main()
