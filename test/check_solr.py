"""Does Solr score exported models as the model does, in every bit?

Solr's own class scores them (org.apache.solr:solr-ltr:8.11.2). The sum that it should
have is made of LightGBM's leaves, in float32. Without Java and Maven, status 77 says that
this was left out.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import consumers
from exports import Case, cases, check_refused, export, rounded, same_bits
from report import Table


def check(table: Table, name: str, case: Case, folder: Path, missing: bool) -> None:
    """Solr 8 fills absent values with 0: where the model tells the two apart, it is
    refused, and exported for rows that have no absent values."""
    if missing:
        check_refused(table, name, case.path, folder, "solr", "a split that sends missing values elsewhere")
    rows = rounded(case.rows)
    rows = rows[~np.isnan(rows).any(axis=1)] if missing else np.nan_to_num(rows, nan=0.0)
    path = export(case, "solr", folder, **({"no_missing": "true"} if missing else {}))
    listed = [f["name"] for f in json.loads(path.read_text())["features"]]
    columns = [case.booster.feature_name().index(n) for n in listed]
    rows = rows[~astray(case, rows)]
    got = consumers.from_solr(path, rows, columns)
    other = same_bits(got, case.sums32(rows))
    table.row(other == 0, name, "solr", len(rows), other, float(np.max(np.abs(got - case.scores(rows)))))


def astray(case: Case, rows: np.ndarray) -> np.ndarray:
    """Rows with a tiny value at which Solr's slack of 1e-6 leaves no choice; see the doc
    of io/model/solr. LightGBM's threshold just above zero, 1e-35, is the usual one."""
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
