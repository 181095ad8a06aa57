"""Checks that Solr scores exported models as the model itself does, in every bit.

Solr's own class scores them (org.apache.solr:solr-ltr:8.11.2). The expected score is the sum of
LightGBM's leaves in float32. Without Java and Maven the exit status is 77: left out.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import consumers
from exports import Case, cases, export, rounded, same_bits
from report import Table


def check(table: Table, name: str, case: Case, folder: Path, missing: bool) -> None:
    """Checks one model. Solr 8 replaces absent values by 0, and does not load a model that distinguishes the two, so
    such a model is exported for rows without absent values."""
    rows = rounded(case.rows)
    rows = rows[~np.isnan(rows).any(axis=1)] if missing else np.nan_to_num(rows, nan=0.0)
    path = export(case, "solr", folder, **({"no_missing": "true"} if missing else {}))
    rows = rows[~indistinguishable(case, rows)]
    got = consumers.from_solr(path, rows, case.booster.feature_name())
    other = same_bits(got, case.sums32(rows))
    table.row(other == 0, name, "solr", len(rows), other, float(np.max(np.abs(got - case.scores(rows)))))


def indistinguishable(case: Case, rows: np.ndarray) -> np.ndarray:
    """Marks the rows with a tiny value that Solr cannot distinguish from the threshold, because it adds 1e-6 to
    thresholds; the documentation of io/model/internal/search explains it. The usual such threshold is LightGBM's 1e-35, just above zero."""
    used = sorted({s.feature for t in case.trees for s in t.splits})
    return np.any((rows[:, used] != 0) & (np.abs(rows[:, used]) < 1e-9), axis=1)


def main() -> None:
    if not consumers.java_is_here():
        sys.exit(77)
    table = Table("model", "target", "rows", "other bits", "difference")
    with tempfile.TemporaryDirectory() as folder:
        for name, case, _, missing in cases(Path(folder)):
            check(table, name, case, Path(folder), missing)
    table.exit()


if __name__ == "__main__":
    main()
