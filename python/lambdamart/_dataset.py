"""Ranking data: arrays, or a file that the binary reads."""

from __future__ import annotations

import copy
import os
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Arena, Table
from ._shared import Memory


class Dataset:
    """Ranking data with labels and queries.

    data: a matrix or data frame of features (numpy, pandas, polars, pyarrow, scipy.sparse), or the path of
        a file of LETOR text, CSV, TSV or Parquet, which the binary reads, never Python.
    label: relevance grade of each row.
    qid: query id of each row; the rows of a query follow each other. A column "qid" of a frame is taken
        if neither qid nor group is given.
    group: instead of qid, the number of rows of each query. Without both, all rows are one query.
    weight: weight of each row. init_score: score of each row from which training begins.
    feature_names: names of the columns; those of a frame if None.

    Arrays are not copied before training, and must not change until then.
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        weight: Any = None,
        init_score: Any = None,
        feature_names: list[str] | None = None,
    ) -> None:
        self.path: str | None = None
        if isinstance(data, (str, os.PathLike)):
            self.path = os.fspath(data)
            given = {"label": label, "qid": qid, "group": group, "weight": weight, "init_score": init_score, "feature_names": feature_names}
            extra = [name for name, value in given.items() if value is not None]
            if extra:
                raise ValueError(f"{self.path} is read by the binary: {', '.join(extra)} must be in the file or beside it (parameters label_column, group_column, weight_column)")
            if not os.path.exists(self.path):
                raise FileNotFoundError(f"there is no file {self.path}")
            return
        if qid is not None and group is not None:
            raise ValueError("give qid or group, not both")
        if label is None:
            raise ValueError("training requires y to be passed, but the target y is None")
        if qid is None and group is None:
            data, qid = _arrays.split_query_column(data)
        self.table: Table = _arrays.table(data)
        rows = self.table.rows
        self.label = _arrays.vector(label, "y", rows)
        self.weight = None if weight is None else _arrays.vector(weight, "the weights", rows)
        if self.weight is not None and not self.weight.any():
            raise ValueError("all weights are zero: there is nothing to learn from")
        self.init_score = None if init_score is None else _arrays.vector(init_score, "init_score", rows)
        self.group = query_sizes(qid, group, rows)
        self.feature_names = _names(feature_names, self.table)

    def like(self, first: "Dataset", called: str) -> "Dataset":
        """Returns the data with its columns in the order of another set's. Without names, the order is theirs."""
        if self.path is not None or first.path is not None:
            return self
        if self.table.columns != first.table.columns:
            raise ValueError(f"{called} has {self.table.columns} features, and the training data has {first.table.columns}")
        if self.feature_names is None or first.feature_names is None or self.feature_names == first.feature_names:
            return self
        place = {n: i for i, n in enumerate(self.feature_names)}
        lacking = [n for n in first.feature_names if n not in place]
        if lacking:
            raise ValueError(f"{called} lacks columns that the training data has: {', '.join(lacking[:10])}")
        ordered = copy.copy(self)
        ordered.table = self.table.select([place[n] for n in first.feature_names])
        ordered.feature_names = first.feature_names
        return ordered

    def write(self, name: str) -> tuple[dict[str, Any], Memory | None]:
        """Returns the description for the binary, and the memory with the arrays, which the caller closes."""
        if self.path is not None:
            return {"name": name, "data_file": os.path.abspath(self.path)}, None
        vectors = [self.label, self.group, self.weight, self.init_score]
        size = self.table.size() + sum(v.nbytes for v in vectors if v is not None) + Arena.ALIGNMENT * 8
        memory = Memory(size)
        try:
            return self._fill(name, memory), memory
        except BaseException:
            memory.close()
            raise

    def _fill(self, name: str, memory: Memory) -> dict[str, Any]:
        arena = Arena(memory.map)
        described = {"name": name, "rows": self.table.rows, "features": self.table.columns, "names": self.feature_names}
        described.update(self.table.write(arena))
        described["labels"] = arena.put(self.label, np.float64)
        described["groups"] = arena.put(self.group, np.int64)
        described["queries"] = len(self.group)
        if self.weight is not None:
            described["weights"] = arena.put(self.weight, np.float64)
        if self.init_score is not None:
            described["initial"] = arena.put(self.init_score, np.float64)
        described["file"] = {**memory.passed, "size": memory.size}
        return described


def query_sizes(qid: Any, group: Any, rows: int) -> np.ndarray:
    """Returns the number of rows of each query. Without qid and group all rows are one."""
    if qid is not None:
        return _arrays.sizes_of_qid(qid, rows)
    if group is not None:
        return _arrays.group_sizes(group, rows)
    return np.array([rows], dtype=np.int64)


def _names(given: list[str] | None, table: Table) -> list[str] | None:
    names = table.names if given is None else [str(n) for n in given]
    if names is None:
        return None
    if len(names) != table.columns:
        raise ValueError(f"feature_names has {len(names)} names, and X has {table.columns} columns")
    double = {n for n in names if names.count(n) > 1} if len(set(names)) < len(names) else set()
    if double:
        raise ValueError(f"several features are called {sorted(double)[0]!r}; give each a name of its own")
    bad = next((n for n in names if not n or any(c.isspace() or c in '",:[]{}' for c in n)), None)
    if bad is not None:
        raise ValueError(f"the feature name {bad!r} cannot be written to a model file: names have no white space and none of the characters \" , : [ ] {{ }}; rename the column")
    return names
