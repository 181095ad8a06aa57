"""Metrics of rankings, by the code that training has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Arena
from ._dataset import query_sizes
from ._process import WORKER


@dataclass(frozen=True)
class Evaluation:
    """The value of a metric."""

    metric: str
    convention: str  # the rules in words: gain, ties, queries without a relevant document
    value: float  # mean over the queries; NaN if none counts
    queries: int
    empty: int  # queries without a relevant document
    per_query: np.ndarray  # NaN for queries that are left out of the mean


def evaluate(
    y: Any,
    scores: Any,
    *,
    qid: Any = None,
    group: Any = None,
    metrics: str | Sequence[str] = ("ndcg@10",),
    convention: str = "default",
    sample_weight: Any = None,
) -> list[Evaluation]:
    """Returns the value of each metric for rankings by scores, the highest first.

    metrics: names such as "ndcg@10", "map", "mrr", "err@20", as docs/metrics.md lists them.
    convention: the rules of the tool whose numbers are wanted, such as "default", "lightgbm" or "trec_eval".
    """
    label = _arrays.vector(y, "y")
    rows = len(label)
    score = _arrays.vector(scores, "scores", rows)
    weight = None if sample_weight is None else _arrays.vector(sample_weight, "sample_weight", rows)
    if qid is not None and group is not None:
        raise ValueError("give qid or group, not both")
    sizes = query_sizes(qid, group, rows)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    columns = [score, label] if weight is None else [score, label, weight]
    with WORKER.lock:
        memory = WORKER.buffer(8 * rows * len(columns) + sizes.nbytes + Arena.ALIGNMENT)
        numbers = np.frombuffer(memory.map, dtype=np.float64, count=rows * len(columns))
        counts = np.frombuffer(memory.map, dtype=np.int64, count=len(sizes), offset=8 * rows * len(columns))
        try:
            numbers[:] = np.concatenate(columns)
            counts[:] = sizes
            event, payload = WORKER.call(
                "evaluate", rows=rows, queries=len(sizes), weights=weight is not None, metrics=names, convention=convention
            )
        finally:
            del numbers, counts
    values = np.frombuffer(payload, dtype="<f8").reshape(len(event["results"]), -1).astype(np.float64)
    return [
        Evaluation(r["metric"], r["convention"], float("nan") if r["value"] is None else r["value"], r["queries"], r["empty"], v)
        for r, v in zip(event["results"], values)
    ]
