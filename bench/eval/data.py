"""Writes rows of query, target and score as Parquet parts.

    python data.py FOLDER ROWS QUERIES grouped|shuffled
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PARTS = 4


def make(folder: Path, rows: int, queries: int, grouped: bool) -> None:
    """Writes parts as Spark does. The rows of a query follow each other (grouped) or are in random order.

    As in the notes, targets and scores are uniformly distributed, so that hardly any are equal.
    """
    if (folder / "_SUCCESS").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    query = np.arange(rows, dtype=np.int64) * queries // rows
    if not grouped:
        rng.shuffle(query)
    table = pa.table({"query": query, "target": rng.random(rows), "score": rng.random(rows)})
    for part in range(PARTS):
        begin, end = rows * part // PARTS, rows * (part + 1) // PARTS
        if grouped:  # a part holds whole queries
            begin, end = (int(np.searchsorted(query, query[at])) if at < rows else rows for at in (begin, end))
        pq.write_table(table.slice(begin, end - begin), folder / f"part-{part:05d}.snappy.parquet", compression="snappy")
    (folder / "_SUCCESS").touch()


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "grouped")
