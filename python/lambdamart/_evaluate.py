"""Ranking metrics, computed by the same code as in training."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from . import _arrays
from ._dataset import Dataset, query_sizes
from ._errors import counted, warn
from ._model import event_grade, whole
from ._process import WORKERS
from ._shared import opened
from ._settings import as_settings


@dataclass(frozen=True)
class Evaluation:
    """The value of a metric."""

    metric: str
    convention: str  # the rules in words: gain, ties, queries without a relevant document
    value: float  # mean over the queries; NaN if none counts
    queries: int
    empty: int  # queries without a relevant document
    per_query: np.ndarray = field(repr=False)  # NaN for queries that are left out of the mean

    def __str__(self) -> str:
        return f"{self.metric} {self.value:.4f} ({self.convention}; {counted(self.queries, 'query')}, {self.empty} without a relevant document)"


@dataclass(frozen=True)
class Segment:
    """The value of a metric for a part of the queries."""

    metric: str
    segment: str
    queries: int
    value: float  # mean over the queries of the segment
    interval: tuple[float, float]  # at the level .95; NaN for fewer than two queries
    difference: float  # value less the mean of all other queries
    p: float  # of Welch's t test of the difference
    p_holm: float  # after Holm's correction for all segments and metrics


class Evaluations(list[Evaluation]):
    """The values of metrics. As a string, it is what the command eval prints."""

    text = ""
    segments: list[Segment]  # empty without `by`

    def __str__(self) -> str:
        return self.text


def evaluate(
    y: Any,
    scores: Any,
    *,
    qid: Any = None,
    group: Any = None,
    metrics: str | Sequence[str] = ("ndcg@10",),
    convention: str = "default",
    label_gain: str | Sequence[float] = "exp2",
    relevance_threshold: float = 0,
    by: Any = None,
    sample_weight: Any = None,
    calibration_label: float | str | None = None,
    pairs: Any = None,
    pairs_weight: Any = None,
) -> Evaluations:
    """Returns the value of each metric for rankings by scores, the highest first.

    metrics: names such as "ndcg@10", "map", "mrr", "err@20", as docs/metrics.md lists them.
    convention: the tool whose rules are used, such as "default", "lightgbm" or "trec_eval". label_gain: what each grade
        is worth, from 0: "exp2" (2^grade - 1), "linear", or a list; for the conventions default and lightgbm. Those of
        a model's training are model.metric_convention and model.label_gain.
    relevance_threshold: the smallest grade of a relevant document, for metrics that ask for one; 0: by the convention.
    by: the segment of each query, or of each row, such as the device: `segments` of the result has the values of each, with
        a test against all other queries.

    calibration_label: for the metrics "ece", "log_loss" and "brier" of scores that are probabilities: the event, such as
        "grade>=2" or 2; by default "grade>=1".
    pairs, pairs_weight: for the metric "pair_agreement", pairs of rows, the better one first, as for `Dataset`.

    A document with the score NaN is judged but not ranked, with a warning.
    """
    _arrays.check_order(y, "y", {"scores": scores, "qid": qid, "sample_weight": sample_weight, "by": by})
    label = _arrays.vector(y, "y")
    rows = len(label)
    score = _arrays.vector(scores, "scores", rows, "y")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names:
        raise ValueError('metrics is empty; name one or more, such as "ndcg@10"')
    given = {"metric": names, "metric_convention": convention, "label_gain": label_gain, "relevance_threshold": relevance_threshold}
    if calibration_label is not None:
        given["calibration_label"] = f"grade>={event_grade(calibration_label)!r}"
    found, queries, text = _judged("eval", label, {"scores": score}, qid, group, sample_weight, given, by, pairs, pairs_weight)
    values = _columns(queries, len(found["results"]))
    result = Evaluations(
        Evaluation(r["metric"], r["rules"], _float(r["mean"]), r["queries"], r["empty_queries"], v)
        for r, v in zip(found["results"], values)
    )
    if probable := found.get("probabilities"):
        if {name.lower() for name in names} <= {r["metric"] for r in probable}:
            result.clear()  # a ranking is judged in any case
        result.extend(Evaluation(r["metric"], f"{counted(rows, 'document')}, {r['event']}", _float(r["value"]), len(queries) - 1, 0, np.full(len(queries) - 1, np.nan)) for r in probable)
    result.text = text
    result.segments = [_segment(s) for s in found.get("segments", [])]
    return result


def _segment(s: Mapping[str, Any]) -> Segment:
    low, high = map(_float, s["interval"] or (None, None))
    return Segment(s["metric"], s["segment"], s["queries"], _float(s["mean"]), (low, high), _float(s["difference"]), _float(s["p"]), _float(s["p_holm"]))


class Test(NamedTuple):
    """A test of whether a difference could be due to chance."""

    statistic: float
    p: float
    p_holm: float  # after Holm's correction for the number of pairs


@dataclass(frozen=True)
class Difference:
    """A comparison of system b with system a, query by query."""

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
    wilcoxon: Test  # NaN if queries have different weights, which the test does not support
    metric: str

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.b} - {self.a}  {self.difference:+.4f} [{low:+.4f}, {high:+.4f}]  randomization p = {self.randomization.p:.4g}"


@dataclass(frozen=True)
class Churn:
    """How many results change from system a to system b, for better or worse: means over the queries."""

    a: str
    b: str
    queries: int
    overlap: float  # share of the documents at the first ranks (churn_at) that both have there
    rbo: float  # rank-biased overlap: 1 for equal rankings
    first_changes: float  # share of the queries whose first document changes


@dataclass(frozen=True)
class Comparison:
    """Several systems on the same queries. All but `metrics` and `churn` is by the first metric. As a string, it is what the
    command compare prints."""

    metric: str
    convention: str
    queries: int  # number of compared queries, without those that the convention leaves out
    remark: str  # a remark if there are too few queries for reliable tests, or empty
    means: dict[str, float]
    pairs: list[Difference]
    per_query: dict[str, np.ndarray]
    metrics: list[Difference]  # of all pairs by every metric; p_holm is corrected for all of these
    churn: list[Churn]  # of each pair; empty if a score is NaN, which leaves documents without a rank
    text: str = field(repr=False, default="")

    def __str__(self) -> str:
        return self.text + (f"{self.remark}\n" if self.remark else "")


def compare(
    y: Any,
    systems: Mapping[str, Any],
    *,
    qid: Any = None,
    group: Any = None,
    sample_weight: Any = None,
    metric: str | Sequence[str] = "ndcg@10",
    convention: str = "default",
    label_gain: str | Sequence[float] = "exp2",
    relevance_threshold: float = 0,
    all_pairs: bool = False,
    level: float = 0.95,
    resamples: int = 10_000,
    trials: int = 100_000,
    seed: int = 1,
    churn_at: int = 10,
    churn_persistence: float = 0.9,
) -> Comparison:
    """Compares systems query by query, as `lambdamart compare` does.

    metric: one name, or several: see Comparison.
    systems: the scores of each system, by its name. Each is compared with the first, or with all_pairs, with each other.
    convention, label_gain, relevance_threshold: as for `evaluate`.
    sample_weight: weight of each row, or of each query; docs/metrics.md explains the weights of queries.
    level, resamples: of the interval. trials: of the randomization test. seed: of both.
    churn_at: ranks of the overlap. churn_persistence: of rank-biased overlap. See Churn.
    """
    if not isinstance(systems, Mapping):
        raise TypeError(f"systems is of the type {type(systems).__name__}; it is a dict of names and their scores")
    resamples, trials, seed = whole("resamples", resamples, 1), whole("trials", trials, 1), whole("seed", seed)
    churn_at = whole("churn_at", churn_at, 1)
    if not 0 < level < 1:
        raise ValueError(f"level={level!r}: a number between 0 and 1")
    if len(systems) < 2:
        raise ValueError(f"there is {len(systems)} system; give two or more to compare")
    _arrays.check_order(y, "y", {**systems, "qid": qid, "sample_weight": sample_weight})
    label = _arrays.vector(y, "y")
    columns = {name: _arrays.vector(scores, f"the system {name}", len(label), "y") for name, scores in systems.items()}
    given = {"metric": metric, "metric_convention": convention, "label_gain": label_gain, "relevance_threshold": relevance_threshold, "pairs": "all" if all_pairs else "first", "interval": level, "resamples": resamples, "trials": trials, "test_seed": seed, "churn_at": churn_at, "churn_persistence": churn_persistence}
    found, queries, text = _judged("compare", label, columns, qid, group, sample_weight, given)
    called, _, rules = found["metric"].partition(" (")
    names = {_place_of(i): name for i, name in enumerate(systems)}
    means = {names[s["system"]]: _float(s["mean"]) for s in found["systems"]}
    pairs = [_difference(p, names, called) for p in found["pairs"]]
    all_metrics = [_difference(p, names, p["metric"]) for p in found.get("metrics", [])] or pairs
    churn = [Churn(names[c["a"]], names[c["b"]], c["queries"], c["overlap"], c["rbo"], c["first_changes"]) for c in found.get("churn", [])]
    remark = next(iter(found["warnings"]), "").removesuffix(".")
    return Comparison(called, rules[:-1], found["queries"], remark, means, pairs, dict(zip(systems, _columns(queries, len(systems)))), all_metrics, churn, text)


def _difference(pair: dict[str, Any], names: Mapping[str, str], metric: str) -> Difference:
    student, randomization, wilcoxon = (Test(*(_float(pair[test][n]) for n in ("statistic", "p", "p_holm"))) for test in ("t", "randomization", "wilcoxon"))
    low, high = map(_float, pair["interval"])
    return Difference(names[pair["a"]], names[pair["b"]], _float(pair["difference"]), (low, high), pair["wins"], pair["ties"], pair["losses"], _float(pair["effect"]), student, randomization, wilcoxon, metric)


def _float(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _judged(name: str, label: np.ndarray, systems: Mapping[str, np.ndarray], qid: Any, group: Any, sample_weight: Any, given: Mapping[str, Any], by: Any = None, pairs: Any = None, pairs_weight: Any = None) -> tuple[dict[str, Any], list[list[str]], str]:
    """Runs a command on the scores of systems, and returns its result, the lines of its file of queries, and the text that
    the command prints.

    The systems are called by their places, because names may contain any characters.
    """
    weight = None if sample_weight is None else _arrays.weights(sample_weight, query_sizes(qid, group, len(label)), "sample_weight", "y")
    data = Dataset(np.array(list(systems.values())).T, label, qid=qid, group=group, weight=weight, feature_names=[_place_of(i) for i in range(len(systems))], pairs=pairs, pairs_weight=pairs_weight)
    if pairs is not None and "pair_agreement" not in given["metric"]:
        raise ValueError('pairs without a metric that judges by them: add "pair_agreement" to metrics')
    with WORKERS.taken() as worker, _segments_file(by, data) as segments:
        memory = worker.buffer(data.size())
        data.fill(memory)
        called = [str(name) for name in systems]

        def named(text: str) -> str:
            return PLACE.sub(lambda place: called[int(place[1])], text.replace(opened(memory), "y"))

        settings = {**given, **segments, "data": opened(memory), "score_field": data.feature_names, "json": True}
        try:
            event, values, warnings = worker.run(name, *(f"{n}={v}" for n, v in as_settings(settings)), judges=True)
        except ValueError as error:
            raise ValueError(named(str(error))) from None
    for text in warnings:
        warn(named(text))
    return json.loads(event["printed"]), list(csv.reader(values.decode().splitlines())), named(event["text"])


PLACE = re.compile("<system_([0-9]+)>")


def _place_of(system: int) -> str:
    return f"<system_{system}>"


@contextmanager
def _segments_file(by: Any, data: Dataset) -> Iterator[dict[str, str]]:
    """Gives the parameter that names a file with the segment of each query, given one for each query or row."""
    if by is None:
        yield {}
        return
    _arrays.check_masks(by, "by")
    values = np.asarray(by)
    values = np.where(_arrays.missing(values), "", values.astype(str))
    first = np.cumsum(data.group) - data.group
    if values.shape == (len(data.label),):
        if (moved := np.flatnonzero(values != np.repeat(values[first], data.group))).size:
            raise ValueError(f"by: row {moved[0]} is of the segment {str(values[moved[0]])!r}, and the first row of its query of another one: a query is of one")
        values = values[first]
    elif values.shape != (len(data.group),):
        raise ValueError(f"by has the shape {values.shape}; it is a segment for each of the {counted(len(data.group), 'query')}, or of the {counted(len(data.label), 'row')}")
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([("query", "segment"), *zip(data.query_names(), values.tolist())])
        out.flush()
        yield {"by": out.name}


def _columns(queries: list[list[str]], n: int) -> list[np.ndarray]:
    """Returns the last n columns of a file of queries."""
    return list(np.array([[float(cell or "nan") for cell in line[-n:]] for line in queries[1:]]).reshape(-1, n).T)
