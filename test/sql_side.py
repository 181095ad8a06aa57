"""The part of check_sql.py that uses DuckDB.

    sql_side.py ROWS.npz STATEMENT... writes the scores to STATEMENT.npy, and prints the seconds of each statement

ROWS.npz holds names, columns (rows by features) and null, which of the missing values are NULL. The others are NaN.
Needs only numpy and duckdb.
"""

import sys
import time
from pathlib import Path

import duckdb
import numpy as np


def main(rows: Path, statements: list[Path]) -> None:
    arrays = np.load(rows)
    connection = duckdb.connect()
    columns = {f"c{i}": column.copy() for i, column in enumerate(arrays["columns"].T)}
    nulls = {f"n{i}": column.copy() for i, column in enumerate(arrays["null"].T)}
    wide = {"id": np.arange(len(arrays["columns"])), **columns, **nulls}
    connection.register("wide", wide)
    named = (f"CASE WHEN n{i} THEN NULL ELSE c{i} END AS " + '"' + name.replace('"', '""') + '"' for i, name in enumerate(arrays["names"]))
    connection.execute(f"CREATE TABLE documents AS SELECT id, {', '.join(named)} FROM wide")
    for path in statements:
        began = time.process_time()
        table = connection.execute(path.read_text())
        names = [column[0] for column in table.description]
        values = table.fetchnumpy()
        assert names[0] == "id" and names[-1] == "score" and len(names) == len(arrays["names"]) + 2, names
        scores = np.asarray(values["score"])[np.argsort(values["id"])]
        print(time.process_time() - began)
        np.save(f"{path}.npy", scores)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(a) for a in sys.argv[2:]])
