"""Reads LETOR text. The arrays are cached in a file beside it, so the text is parsed only once."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Part:
    rows: np.ndarray  # float32, documents × features
    labels: np.ndarray
    sizes: np.ndarray  # documents of each query


def read(path: Path) -> Part:
    kept = path.with_suffix(".npz")
    if not kept.exists() or kept.stat().st_mtime < path.stat().st_mtime:
        part = parse(path)
        beside = path.with_suffix(".making.npz")
        np.savez(beside, rows=part.rows, labels=part.labels, sizes=part.sizes)
        beside.rename(kept)
    with np.load(kept) as arrays:
        return Part(arrays["rows"], arrays["labels"], arrays["sizes"])


def parse(path: Path) -> Part:
    rows, labels, ids = [], [], []
    with open(path) as lines:
        for line in lines:
            label, qid, *features = line.split("#")[0].split()
            columns, values = zip(*(f.split(":") for f in features))
            row = np.zeros(max(map(int, columns)), np.float32)
            row[np.array(columns, int) - 1] = np.array(values, np.float64)
            rows.append(row)
            labels.append(float(label))
            ids.append(qid)
    width = max(map(len, rows))
    starts = [i for i, qid in enumerate(ids) if i == 0 or qid != ids[i - 1]]
    return Part(
        rows=np.stack([np.pad(row, (0, width - len(row))) for row in rows]),
        labels=np.array(labels, np.float32),
        sizes=np.diff([*starts, len(ids)]),
    )
