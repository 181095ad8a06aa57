"""Metrics of rankings, by the code that training has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _arrays
from ._arrays import Arena
from ._dataset import query_sizes
from ._errors import warn
from ._model import whole
from ._process import WORKERS


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

    A document whose score is NaN is judged but not ranked, with a warning.
    """
    label = _arrays.vector(y, "y")
    rows = len(label)
    score = _arrays.vector(scores, "scores", rows, "y")
    weight = None if sample_weight is None else _arrays.vector(sample_weight, "sample_weight", rows, "y")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names:
        raise ValueError('metrics is empty; name one or more, such as "ndcg@10"')
    columns = [score, label] if weight is None else [score, label, weight]
    event, payload = _judge("evaluate", columns, qid, group, weights=weight is not None, metrics=names, convention=convention)
    values = np.frombuffer(payload, dtype="<f8").reshape(len(event["results"]), -1).astype(np.float64)
    return [
        Evaluation(r["metric"], r["convention"], _float(r["value"]), r["queries"], r["empty"], v)
        for r, v in zip(event["results"], values)
    ]


class Test(NamedTuple):
    """A test of whether a difference could be chance."""

    statistic: float
    p: float
    p_holm: float  # after Holm's correction for the number of pairs


@dataclass(frozen=True)
class Difference:
    """System b against system a, query by query."""

    a: str
    b: str
    difference: float  # of the means, b - a
    interval: tuple[float, float]  # of the difference
    wins: int  # queries in which b is better
    ties: int
    losses: int
    effect: float  # Cohen's d of the paired values
    student_t: Test
    randomization: Test
    wilcoxon: Test  # nan where queries have different weights, which ranks cannot take in

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.b} - {self.a}  {self.difference:+.4f} [{low:+.4f}, {high:+.4f}]  randomization p = {self.randomization.p:.4g}"


@dataclass(frozen=True)
class Comparison:
    """Several systems on the same queries."""

    metric: str
    convention: str
    queries: int  # that are compared: those that the convention leaves out are not
    remark: str  # what a person should know of tests of so few queries, or empty
    means: dict[str, float]
    pairs: list[Difference]
    per_query: dict[str, np.ndarray]

    def __str__(self) -> str:
        means = [f"  {mean:.4f}  {name}" for name, mean in self.means.items()]
        return "\n".join([f"{self.metric} over {self.queries:,} queries", *means, *(f"  {pair}" for pair in self.pairs), *([self.remark] if self.remark else [])])


def compare(
    y: Any,
    systems: Mapping[str, Any],
    *,
    qid: Any = None,
    group: Any = None,
    sample_weight: Any = None,
    metric: str = "ndcg@10",
    convention: str = "default",
    all_pairs: bool = False,
    level: float = 0.95,
    resamples: int = 10_000,
    trials: int = 100_000,
    seed: int = 0,
) -> Comparison:
    """Compares systems by a metric, query by query, as `lambdamart compare` does.

    systems: the scores of each by its name. Every other one is compared with the first, or with all_pairs every one
        with every other one.
    sample_weight: of each row; queries weigh as docs/metrics.md says.
    level: of the interval, which takes this many resamples. trials: of the randomization test. seed: of both.
    """
    if not isinstance(systems, Mapping):
        raise TypeError(f"systems is of the type {type(systems).__name__}; it is a dict of names and their scores")
    resamples, trials, seed = whole("resamples", resamples, 1), whole("trials", trials, 1), whole("seed", seed)
    if not 0 < level < 1:
        raise ValueError(f"level={level!r}: a number between 0 and 1")
    if len(systems) < 2:
        raise ValueError(f"there is {len(systems)} system; give two or more to compare")
    label = _arrays.vector(y, "y")
    columns = [_arrays.vector(scores, f"the system {name}", len(label), "y") for name, scores in systems.items()]
    columns.append(label)
    if sample_weight is not None:
        columns.append(_arrays.vector(sample_weight, "sample_weight", len(label), "y"))
    event, payload = _judge(
        "compare", columns, qid, group, weights=sample_weight is not None, systems=list(systems), metrics=[metric], convention=convention,
        all_pairs=all_pairs, level=level, resamples=resamples, trials=trials, seed=seed,
    )
    values = np.frombuffer(payload, dtype="<f8").reshape(len(systems), -1).astype(np.float64)
    pairs = [_difference(p) for p in event["pairs"]]
    return Comparison(event["metric"], event["convention"], event["queries"], event["remark"], dict(zip(systems, map(_float, event["means"]))), pairs, dict(zip(systems, values)))


def _difference(pair: dict[str, Any]) -> Difference:
    tests: dict[str, Any] = {name: Test(*map(_float, pair.pop(name))) for name in ("student_t", "randomization", "wilcoxon")}
    low, high = map(_float, pair.pop("interval"))
    return Difference(**{n: pair[n] for n in ("a", "b", "wins", "ties", "losses")}, **tests, interval=(low, high), difference=_float(pair["difference"]), effect=_float(pair["effect"]))


def _float(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _judge(op: str, columns: list[np.ndarray], qid: Any, group: Any, **fields: Any) -> tuple[dict[str, Any], bytes]:
    """Puts columns of rows, and the numbers of rows of the queries, into shared memory, and returns the answer."""
    rows = len(columns[0])
    if qid is not None and group is not None:
        raise ValueError("give qid or group, not both")
    sizes = query_sizes(qid, group, rows)
    with WORKERS.taken() as worker:
        memory = worker.buffer(8 * rows * len(columns) + sizes.nbytes + Arena.ALIGNMENT)
        assert memory.map is not None
        numbers = np.frombuffer(memory.map, dtype=np.float64, count=rows * len(columns))
        counts = np.frombuffer(memory.map, dtype=np.int64, count=len(sizes), offset=8 * rows * len(columns))
        try:
            np.concatenate(columns, out=numbers)
            counts[:] = sizes
            event, payload = worker.call(op, rows=rows, queries=len(sizes), **fields)
        finally:
            del numbers, counts
    for text in event.pop("warnings", None) or ():
        warn(text)
    return event, payload
