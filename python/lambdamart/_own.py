"""Objectives and metrics that are Python functions. Each is called for all queries at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Arena, check_masks
from ._dataset import Dataset
from ._errors import counted, warn
from ._process import Process
from ._shared import Memory

OBJECTIVE = ("objective", "objective_type", "app", "application", "loss")
METRIC = ("metric", "metrics", "metric_types")
OF_PROBABILITIES = ("ece", "log_loss", "brier")  # metrics of the binary for which smaller values are better


@dataclass(frozen=True)
class Scored:
    """Rows and their scores: the argument of an objective or metric that takes a single one. Arrays have an entry for
    each row, except group and starts, which have one for each query."""

    y: np.ndarray  # relevance grades
    score: np.ndarray  # the sum of initial scores and all trees so far
    weight: np.ndarray | None
    qid: np.ndarray  # query ids as given, or the same as query
    query: np.ndarray  # number of the query of each row, from 0 and ascending
    group: np.ndarray  # number of rows of each query
    starts: np.ndarray  # first row of each query, for numpy.add.reduceat
    iteration: int  # for an objective, the number of the next tree, from 0; for a metric, the number of trees, or 0 in studies
    name: str  # of the set: training, valid_0 …


class Function:
    """A function that takes (y_true, y_pred), optionally followed by weight and group as in LightGBM, or one `Scored`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.called = getattr(function, "__name__", type(function).__name__)
        try:
            parameters = inspect.signature(function).parameters.values()
            self.arguments = sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
        except ValueError:  # a C function without a signature
            self.arguments = 2
        if not 1 <= self.arguments <= 4:
            raise TypeError(f"{self.called} takes {self.arguments} arguments; a function takes (y_true, y_pred), (y_true, y_pred, weight), (y_true, y_pred, weight, group), or one lambdamart.Scored")

    def call(self, data: "Rows", score: np.ndarray, iteration: int, name: str) -> Any:
        if self.arguments > 1:
            return self.function(*(data.label, score, data.weight, data.group)[: self.arguments])
        query = np.repeat(np.arange(len(data.group)), data.group)
        starts = np.cumsum(data.group) - data.group
        return self.function(Scored(data.label, score, data.weight, query if data.qid is None else data.qid, query, data.group, starts, iteration, name))


@dataclass
class Rows:
    """The rows of some queries of a set, as passed to functions."""

    label: np.ndarray
    weight: np.ndarray | None
    group: np.ndarray
    qid: np.ndarray | None

    def of(self, queries: np.ndarray) -> "Rows":
        """Returns the rows of the queries with the given numbers, one query after the other."""
        sizes = self.group[queries]
        first = np.cumsum(self.group)[queries] - sizes
        rows = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        return Rows(self.label[rows], None if self.weight is None else self.weight[rows], sizes, None if self.qid is None else self.qid[rows])


class Functions:
    """The functions of a training run, and the memory through which the training process passes scores.

    In a study, each run has some queries of a set, and metrics are called for single queries (each).
    """

    def __init__(self, settings: dict[str, Any], sets: Sequence[Dataset], names: Sequence[str], each: bool = False) -> None:
        """Takes the functions out of the settings."""
        self.sets, self.names, self.each = sets, names, each
        self.objective = _take_objective(settings)
        self.metrics, first = _take_metrics(settings)
        self.memory: Memory | None = None
        self.of_metrics: list[tuple[int, str, float]] = []  # function, name and sign of each value
        self._values: dict[Part, list[np.ndarray]] = {}  # results of the last function that was called
        self._rows: dict[Part, Rows] = {}
        self._queries: dict[Part, list[Rows]] = {}
        self._checked: set[tuple[Part, int]] = set()  # sets and metrics that were asked for scores of zero, before training
        self.done = 0  # iterations, including the trees of an initial model
        if not self:
            return
        self._check_data(settings)
        if self.metrics:
            self._learn_names()
            if first and not settings.get("stop_metric"):
                settings["stop_metric"] = self.of_metrics[0][1]
        self._share()

    def __bool__(self) -> bool:
        return self.objective is not None or bool(self.metrics)

    @property
    def lower(self) -> set[str]:
        """Names of the metrics for which smaller values are better. Their values are negated for the binary."""
        return {name for _, name, sign in self.of_metrics if sign < 0}

    def _check_data(self, settings: dict[str, Any]) -> None:
        for data, name in zip(self.sets, self.names):
            if not data.in_memory:
                raise ValueError(f"{name} is a file ({data.path}): functions as objective or metric need its labels in memory; give arrays")
        if self.metrics and not self.each and len(self.sets) == 1 and not settings.get("is_provide_training_metric", settings.get("is_training_metric")):
            warn(f"the metric {self.metrics[0].called} is not evaluated: there is no validation set")

    def _learn_names(self) -> None:
        data, name = self.sets[-1], self.names[-1]
        for i, metric in enumerate(self.metrics):
            for result_name, _, higher in self._results(metric, rows_of(data), np.zeros(data.rows), 0, name):
                self.of_metrics.append((i, result_name, 1.0 if higher else -1.0))
                if self.each and not higher:
                    raise ValueError(f"of the metric {result_name}, smaller values are better: in studies, return its negative, of which larger ones are")
        all_names = [name for _, name, _ in self.of_metrics]
        bad = next((n for n in all_names if not n or any(c.isspace() or c == "," for c in n)), None)
        if bad is not None:
            raise ValueError(f"the metric's name {bad!r} has commas or white space, or is empty; choose another one")

    def _results(self, metric: Function, data: "Rows", score: np.ndarray, trees: int, name: str) -> list[tuple[str, float, bool]]:
        """Calls a metric, which returns (name, value, whether higher is better), a list of these, or a value."""
        result = metric.call(data, score, trees, name)
        results = result if isinstance(result, list) and result else [result]
        checked = []
        for r in results:
            if not isinstance(r, tuple):
                r = (metric.called.strip("<>"), r, True)
            try:
                result_name, value, higher = r
                if np.ndim(higher) or np.asarray(higher).dtype.kind not in "biuf":
                    raise TypeError
                value = float(value)
            except (TypeError, ValueError, OverflowError):
                raise ValueError(
                    f"the metric {metric.called} returned {result!r}; it returns (name, value, whether higher is better), a list of these, or a value"
                ) from None
            if not np.isfinite(value):
                raise ValueError(f"the metric {result_name} is {value} on {name}")
            checked.append((str(result_name), value, bool(higher)))
        return checked

    def _share(self) -> None:
        arena = Arena(None)
        rows = [data.rows for data in self.sets]
        self._scores = [arena.take(8 * n) for n in rows]
        self._lambda = arena.take(16 * rows[0]) if self.objective else 0
        self.memory = Memory(arena.used)

    @property
    def passed(self) -> dict[str, Any] | None:
        """The description for the binary."""
        if self.memory is None:
            return None
        return {
            "each": self.each,
            "objective": "" if self.objective is None else self.objective.called.strip("<>"),
            "metrics": [name for _, name, _ in self.of_metrics],
            "file": {**self.memory.passed, "size": self.memory.size},
            "lambda": self._lambda,
            "scores": self._scores,
        }

    def _view(self, offset: int, count: int) -> np.ndarray:
        assert self.memory is not None and self.memory.map is not None
        return np.frombuffer(self.memory.map, dtype=np.float64, count=count, offset=offset)

    @property
    def files(self) -> list[Memory]:
        """The files for the process."""
        return [] if self.memory is None else [self.memory]

    def answer(self, process: Process, event: dict[str, Any]) -> bool:
        """Answers an event that requests a call of a function. Returns whether it was one."""
        if event["event"] == "objective":
            self._gradients(event)
            process.send("go")
        elif event["event"] == "metric":
            process.send("go", value=self._value(event))
        else:
            return False
        return True

    def _asked(self, event: dict[str, Any]) -> tuple["Part", Rows, np.ndarray]:
        """Returns the part of a set that an event is about, its rows, and a copy of the scores, which a function may keep."""
        part = event["set"], tuple(event["queries"]) if "queries" in event else None
        if part not in self._rows:
            rows = rows_of(self.sets[part[0]])
            self._rows[part] = rows if part[1] is None else rows.of(np.array(part[1], dtype=np.int64))
        rows = self._rows[part]
        return part, rows, self._view(self._scores[part[0]], len(rows.label)).copy()

    def _gradients(self, event: dict[str, Any]) -> None:
        """Calls the objective and writes its derivatives to the shared memory."""
        assert self.objective is not None
        _, data, score = self._asked(event)
        n = len(score)
        result = self.objective.call(data, score, event["iteration"] - 1, self.names[0])
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise ValueError(f"the objective {self.objective.called} returned {type(result).__name__}; it returns the first and the second derivatives, an array each")
        target = self._view(self._lambda, 2 * n).reshape(2, n)
        for row, values, what in zip(target, result, ("first", "second")):
            called = f"the objective {self.objective.called} returned {what} derivatives"
            check_masks(values, f"{called}: the array")
            values = np.asarray(values)
            if values.shape != (n,):
                raise ValueError(f"{called} of the shape {values.shape} for {counted(n, 'row')}")
            if values.dtype.kind in "cmMSUT":  # bfloat16 and its like are of the kind V
                raise ValueError(f"{called} of the type {values.dtype}; give numbers")
            row[:] = values

    def _value(self, event: dict[str, Any]) -> float:
        """Returns the value of a metric for the binary, for which larger is better. Values of single queries go to the shared memory."""
        function, name, sign = self.of_metrics[event["metric"]]
        same = [n for f, n, _ in self.of_metrics if f == function]
        part, data, score = self._asked(event)
        if name == same[0]:
            self._values[part] = self._judged(function, same, part, data, score)
        values = sign * self._values[part][same.index(name)]
        if "each" not in event:
            return float(values[0])
        self._view(self._scores[part[0]], len(values))[:] = values
        return 0.0

    def _split(self, part: "Part") -> list[Rows]:
        """Returns the rows of each query of a part."""
        if part not in self._queries:
            rows = self._rows[part]
            self._queries[part] = [rows.of(np.array([query])) for query in range(len(rows.group))]
        return self._queries[part]

    def _judged(self, function: int, names: list[str], part: "Part", data: Rows, score: np.ndarray) -> list[np.ndarray]:
        """Calls a metric for all rows or, in a study, for each query. Returns an array for each of its values."""
        trees = self.done + 1 if (part, function) in self._checked and not self.each else 0
        self._checked.add((part, function))
        values, end = [], 0
        for some in self._split(part) if self.each else [data]:
            first, end = end, end + len(some.label)
            results = self._results(self.metrics[function], some, score[first:end], trees, self.names[part[0]])
            if [r[0] for r in results] != names:
                raise ValueError(f"the metric {self.metrics[function].called} returned {', '.join(r[0] for r in results)}, and before {', '.join(names)}")
            values.append([r[1] for r in results])
        return list(np.array(values).T)

    def see(self, event: dict[str, Any]) -> dict[str, Any]:
        """Returns the event of an iteration with the values that the functions returned, and the metrics for which smaller ones are better."""
        self.done = event["iteration"]
        if lower := self.lower:
            event["evaluations"] = [[s, m, -v if m in lower and v is not None else v] for s, m, v in event["evaluations"]]
        event["lower"] = {*lower, *OF_PROBABILITIES}
        return event

    def close(self) -> None:
        if self.memory is not None:
            self.memory.close()


Part = tuple[int, "tuple[int, ...] | None"]  # a set by its number, and the numbers of its queries; None: all


def rows_of(data: Dataset) -> Rows:
    return Rows(data.label, data.weight, data.group, data.qid)


def _take_objective(settings: dict[str, Any]) -> Function | None:
    given = [name for name in OBJECTIVE if callable(settings.get(name))]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} are two names of one parameter; give one of them")
    return Function(settings.pop(given[0])) if given else None


def _take_metrics(settings: dict[str, Any]) -> tuple[list[Function], bool]:
    """Returns the metrics that are functions, and whether the first metric is one."""
    functions: list[Function] = []
    first = False
    for key in METRIC:
        value = settings.get(key)
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        found = [v for v in values if callable(v)]
        if found:
            first = callable(values[0])
            functions += [Function(f) for f in found]
            settings[key] = ",".join(str(v) for v in values if not callable(v))
    return functions, first
