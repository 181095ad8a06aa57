"""Objectives and metrics that are functions of Python. Each is called for all queries at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Arena
from ._errors import warn
from ._shared import Memory

if TYPE_CHECKING:
    from ._dataset import Dataset

OBJECTIVE = ("objective", "objective_type", "app", "application", "loss")
METRIC = ("metric", "metrics", "metric_types")


@dataclass(frozen=True)
class Scored:
    """Rows and their scores, as an objective or a metric of one argument gets them. Arrays have an entry for each row,
    except group and starts, which have one for each query."""

    y: np.ndarray  # relevance grades
    score: np.ndarray  # initial scores and trees so far
    weight: np.ndarray | None
    qid: np.ndarray  # query ids as they were given; without them, the numbers in query
    query: np.ndarray  # number of the query of each row, from 0 and ascending
    group: np.ndarray  # number of rows of each query
    starts: np.ndarray  # first row of each query, as numpy.add.reduceat takes it
    iteration: int  # number of the tree that gradients are for, from 0; of a metric: number of trees
    name: str  # of the set: training, valid_0 …


class Function:
    """A function that takes (y_true, y_pred), and weight and group after them, as LightGBM's, or one `Scored`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.called = getattr(function, "__name__", type(function).__name__)
        try:
            parameters = inspect.signature(function).parameters.values()
            self.arguments = sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
        except ValueError:  # a function of C without a signature
            self.arguments = 2
        if not 1 <= self.arguments <= 4:
            raise TypeError(f"{self.called} takes {self.arguments} arguments; a function takes (y_true, y_pred), (y_true, y_pred, weight), (y_true, y_pred, weight, group), or one lambdamart.Scored")

    def call(self, data: "Dataset", score: np.ndarray, iteration: int, name: str) -> Any:
        if self.arguments > 1:
            return self.function(*(data.label, score, data.weight, data.group)[: self.arguments])
        query = np.repeat(np.arange(len(data.group)), data.group)
        starts = np.cumsum(data.group) - data.group
        return self.function(Scored(data.label, score, data.weight, query if data.qid is None else data.qid, query, data.group, starts, iteration, name))


class Functions:
    """The functions of a training, and the memory by which they get scores from the process that trains."""

    def __init__(self, settings: dict[str, Any], sets: Sequence["Dataset"], names: Sequence[str]) -> None:
        """Takes the functions out of the settings."""
        self.sets, self.names = sets, names
        self.objective = _take_objective(settings)
        self.metrics, first = _take_metrics(settings)
        self.memory: Memory | None = None
        self.of_metrics: list[tuple[int, str, float]] = []  # function, name and sign of each value
        self._values: dict[int, list[float]] = {}  # by set: values of the function that was called last
        self._checked: set[tuple[int, int]] = set()  # sets and metrics that were asked for scores of zero, before training
        self._done = 0  # iterations
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
        """Names of the metrics of which a smaller value is better. Their values are negated for the binary."""
        return {name for _, name, sign in self.of_metrics if sign < 0}

    def _check_data(self, settings: dict[str, Any]) -> None:
        for data, name in zip(self.sets, self.names):
            if not data.in_memory:
                raise ValueError(f"{name} is a file ({data.path}): functions as objective or metric need its labels in memory; give arrays")
        if self.metrics and len(self.sets) == 1 and not settings.get("is_provide_training_metric", settings.get("is_training_metric")):
            warn(f"the metric {self.metrics[0].called} is not evaluated: there is no validation set")

    def _learn_names(self) -> None:
        data, name = self.sets[-1], self.names[-1]
        for i, metric in enumerate(self.metrics):
            for result_name, _, higher in self._results(metric, data, np.zeros(data.rows), 0, name):
                self.of_metrics.append((i, result_name, 1.0 if higher else -1.0))
        all_names = [name for _, name, _ in self.of_metrics]
        bad = next((n for n in all_names if not n or any(c.isspace() or c == "," for c in n)), None)
        if bad is not None:
            raise ValueError(f"the metric's name {bad!r} has commas or white space, or is empty; choose another one")

    def _results(self, metric: Function, data: "Dataset", score: np.ndarray, trees: int, name: str) -> list[tuple[str, float, bool]]:
        """Calls a metric. It returns (name, value, whether higher is better), a list of these, or a value alone."""
        result = metric.call(data, score, trees, name)
        results = result if isinstance(result, list) else [result]
        checked = []
        for r in results:
            if not isinstance(r, tuple):
                r = (metric.called.strip("<>"), r, True)
            if len(r) != 3:
                raise ValueError(f"the metric {metric.called} returned {r!r}; it returns (name, value, whether higher is better), a list of these, or a value")
            value = float(r[1])
            if not np.isfinite(value):
                raise ValueError(f"the metric {r[0]} is {value} on {name}")
            checked.append((str(r[0]), value, bool(r[2])))
        return checked

    def _share(self) -> None:
        arena = Arena(None)
        rows = [data.rows for data in self.sets]
        self._scores = [arena.take(8 * n) for n in rows]
        self._lambda = arena.take(16 * rows[0]) if self.objective else 0
        self.memory = Memory(arena.used)

    @property
    def passed(self) -> dict[str, Any] | None:
        """What the binary is told."""
        if self.memory is None:
            return None
        return {
            "objective": "" if self.objective is None else self.objective.called.strip("<>"),
            "metrics": [name for _, name, _ in self.of_metrics],
            "file": {**self.memory.passed, "size": self.memory.size},
            "lambda": self._lambda,
            "scores": self._scores,
        }

    def _view(self, offset: int, count: int) -> np.ndarray:
        assert self.memory is not None and self.memory.map is not None
        return np.frombuffer(self.memory.map, dtype=np.float64, count=count, offset=offset)

    def _score(self, number: int) -> np.ndarray:
        """Returns a copy of the scores of a set: a function may keep it."""
        return self._view(self._scores[number], self.sets[number].rows).copy()

    def gradients(self, iteration: int) -> None:
        """Calls the objective, and writes what it returns to the memory. iteration counts from 1."""
        assert self.objective is not None
        data = self.sets[0]
        result = self.objective.call(data, self._score(0), iteration - 1, self.names[0])
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise ValueError(f"the objective {self.objective.called} returned {type(result).__name__}; it returns the first and the second derivatives, an array each")
        target = self._view(self._lambda, 2 * data.rows).reshape(2, data.rows)
        for row, values, what in zip(target, result, ("first", "second")):
            values = np.asarray(values)
            if values.shape != (data.rows,):
                raise ValueError(f"the objective {self.objective.called} returned {what} derivatives of the shape {values.shape} for {data.rows} rows")
            row[:] = values

    def value(self, number: int, metric: int) -> float:
        """Returns a value of a metric on a set, as the binary takes it: a larger one is better."""
        function, name, sign = self.of_metrics[metric]
        same = [n for f, n, _ in self.of_metrics if f == function]
        if name == same[0]:
            trees = self._done + 1 if (number, function) in self._checked else 0
            self._checked.add((number, function))
            results = self._results(self.metrics[function], self.sets[number], self._score(number), trees, self.names[number])
            if [r[0] for r in results] != same:
                raise ValueError(f"the metric {self.metrics[function].called} returned {', '.join(r[0] for r in results)}, and before {', '.join(same)}")
            self._values[number] = [r[1] for r in results]
        return sign * self._values[number][same.index(name)]

    def see(self, event: dict[str, Any]) -> dict[str, Any]:
        """Returns the event of an iteration with the values as the functions have returned them."""
        self._done = event["iteration"]
        if lower := self.lower:
            event["evaluations"] = [[s, m, -v if m in lower and v is not None else v] for s, m, v in event["evaluations"]]
            event["lower"] = lower
        return event

    def close(self) -> None:
        if self.memory is not None:
            self.memory.close()


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
