"""Models. A process that keeps running reads, scores, explains, exports and writes them."""

from __future__ import annotations

import math
import os
import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Arena, Sparse, Table
from ._categories import Categories, check_same, features_of_model, of_model, with_values
from ._errors import LambdaMARTError, check_written, counted, imported, warn
from ._folder import work_folder
from ._process import WORKERS, Worker, run
from ._progress import log
from ._settings import absolute, as_settings
from ._trees import Node, nodes, records

CHUNK = 32 << 20  # bytes of rows that go through shared memory at once
RAW, PROBABILITIES = 1, 2  # kinds of scores (cmd/lambdamart/internal/worker); 0 is what LightGBM's predict gives
SCORES = 4 << 20  # the same for scores; small enough for the cache, because scoring is fast


def are_numbers(names: Sequence[str]) -> bool:
    """Reports whether features have no names except those by number, as LightGBM, XGBoost and pandas make them up."""
    return any(list(names) == [f"{prefix}{i}" for i in range(len(names))] for prefix in ("Column_", "f", ""))


class Model:
    """A model that scores documents.

    path: a model file of any format that `lambdamart model` reads: LightGBM, XGBoost, RankLib,
        Solr, and networks.
    text: the content of such a file, in place of path.

    metric_convention and label_gain are the parameters by which training judged the model, and the defaults if it
    does not say: `evaluate` and `compare` take them.

    Models can be pickled and copied. They are stored as LightGBM's model text, which LightGBM's tools can load.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, text: str | bytes | None = None) -> None:
        if (path is None) == (text is None):
            raise ValueError("give the path of a model file, or its text")
        self._reset()
        with WORKERS.taken() as worker:
            info = self._read(worker, path, text)
        if info["remark"]:
            warn(info["remark"])
        self.categories: list[list[Any]] = of_model(self._content)  # values of the categorical columns of frames, in their order
        self.category_features = features_of_model(self._content)  # the features that these columns are; None if unknown
        self.feature_names: list[str] = info["features"]
        self.num_features: int = len(self.feature_names)
        self.num_trees: int = info["trees"]
        self.used_features: list[int] = info["used"]  # columns of the rows to score that scores depend on
        self.ranker: str = info["ranker"]
        self.metric_convention: str = info["convention"]
        self.label_gain: str = info["gain"]
        self.query_context: str = info["context"]  # the columns of query context, which are computed from all rows of a query
        self._single: bool = info["single"]  # float32 rows are scored without conversion
        self._watched: int = info["watched"]  # number of rows from which unknown categories are looked for; 0: it has none
        self.num_inputs: int = info["raw"]  # number of columns of the rows to score: the features without query context

    def _read(self, worker: Worker, path: str | os.PathLike[str] | None, text: str | bytes | None) -> dict[str, Any]:
        """Sets the content: the given text if it is LightGBM's model text, otherwise its conversion."""
        content = text.encode() if isinstance(text, str) else Path(path).read_bytes() if text is None else bytes(text)  # type: ignore[arg-type]
        self._content = content
        if content.startswith((b"tree\n", b"tree\r\n")):
            return self._load(worker)
        info = self._load(worker, b"", path=os.path.abspath(path)) if path is not None else self._load(worker)
        _, self._content = worker.call("text", model=info["model"])
        return info

    def _reset(self) -> None:
        self._loaded: dict[int, int] = {}  # handles by generation of workers
        self._booster: Any = None  # the lightgbm.Booster, once it was asked for

    def _load(self, worker: Worker, content: bytes | None = None, **fields: Any) -> dict[str, Any]:
        info, _ = worker.call("load", self._content if content is None else content, **fields)
        self._loaded[worker.generation] = info["model"]
        weakref.finalize(self, worker.unused.append, (worker.generation, info["model"])).atexit = False
        return info

    def _handle(self, worker: Worker) -> int:
        """Returns the handle of the model in a process."""
        worker.buffer(0)  # starts the process
        if worker.generation not in self._loaded:
            self._load(worker)
        return self._loaded[worker.generation]

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_loaded", "_booster")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def __repr__(self) -> str:
        what = counted(self.num_trees, "tree") if self.num_trees else self.ranker
        return f"<lambdamart.Model: {what}, {counted(self.num_features, 'feature')}>"

    @property
    def text(self) -> str:
        """The model as LightGBM's model text, or a network in its own format."""
        return self._content.decode()

    def predict(self, data: Any, *, qid: Any = None, group: Any = None, output: str = "scores", start_iteration: int = 0, num_iteration: int | None = None, num_threads: int = 0, raw_score: bool = False, probability: bool = False, **reading: Any) -> np.ndarray:
        """Returns the score of each row, as LightGBM's predict does: the sum of the trees or, of models of
        objective="binary" and "cross_entropy", a probability.

        data: a matrix or frame, or the path of a data file. If a frame has all features of the model by name,
            its columns are found by name; otherwise they must be the features in order.
        qid, group: the query of each row, or the number of rows of each query. A model with query context needs one
            of them for rows in memory; other models only check their length.
        output: "scores"; "leaves", the number of the leaf in each tree; or "contributions", the Shapley value of
            each feature, followed by the mean score.
        start_iteration, num_iteration: the range of trees to use. start_iteration beyond the last tree is a ValueError.
        raw_score: the sum of the trees, whatever the objective.
        probability: the probability that a document is good, of a model that has probabilities; others are a ValueError.
        reading: parameters of reading files, such as label_column.
        """
        if output not in ("scores", "leaves", "contributions"):
            raise ValueError(f"output={output!r}: scores, leaves or contributions")
        if probability and (raw_score or output != "scores"):
            raise ValueError("probability=True excludes raw_score and other outputs than scores")
        part = part_of(start_iteration, num_iteration, num_threads, raw_score, probability)
        if isinstance(data, (str, os.PathLike)):
            if qid is not None or group is not None:
                raise TypeError("qid and group are for rows in memory; a file has its queries")
            if output != "scores":
                raise ValueError(f"output={output!r} needs rows in memory; lambdamart predict does it for files")
            return self._predict_file(os.fspath(data), part, reading)
        if reading:
            raise TypeError(f"predict got unexpected arguments: {', '.join(reading)} (parameters of reading files)")
        table = _arrays.table(data)
        return self.predict_table(self.matched(table), output, part, self.sizes_of(data, qid, group, table.rows))

    def sizes_of(self, X: Any, qid: Any, group: Any, rows: int) -> np.ndarray | None:
        """Returns the number of rows of each query for a model with query context, and None for other models.

        Other models score each row by itself, so queries need not be consecutive, but qid and group must fit the rows.
        """
        if not self.query_context:
            if qid is not None:
                _arrays.query_of_rows(qid, rows)
            if group is not None:
                _arrays.group_sizes(group, rows)
            return None
        if (qid is None) == (group is None):
            raise ValueError("the model has query context, so that scores depend on all documents of a query: give qid or group")
        _arrays.check_order(X, "X", {"qid": qid})
        return _arrays.sizes_of_qid(qid, rows) if group is None else _arrays.group_sizes(group, rows)

    def matched(self, table: Table, given: Sequence[str] | None = None) -> Table:
        """Returns a table with the features of the model, found by name if the table has names. given: other names of the features."""
        names, wanted = table.names, self.feature_names[: self.num_inputs]
        if names is not None and names != wanted:
            place = _arrays.by_name(names)
            found = [place.get(old, place.get(n)) for n, old in zip(wanted, wanted if given is None else given)]
            needed = self.used_features if any(i is not None for i in found) else range(len(found))
            if all(found[feature] is not None for feature in needed):
                return self.numbered(table.select([_arrays.ABSENT if i is None else i for i in found]))
            if not are_numbers(wanted) or any(i is not None for i in found):
                lacking = [wanted[feature] for feature in needed if found[feature] is None]
                raise ValueError(f"the frame lacks columns that are features of the model: {', '.join(lacking[:10])}")
        if table.columns != self.num_inputs:
            raise ValueError(self._other_columns(table.columns))
        if names is not None and names != wanted and not are_numbers(names):
            warn(f"the names of the model's features are only numbers ({wanted[0]}, ...), so the columns are taken in their order ({_some(names)}), which must be that of the training data")
        return self.numbered(table)

    def _other_columns(self, given: int) -> str:
        """Returns the message for a matrix with another number of columns than the training data had."""
        wanted, used = self.feature_names[: self.num_inputs], [self.feature_names[i] for i in self.used_features]
        text = f"X has {counted(given, 'feature')}, and the model has {self.num_inputs}: {_some(wanted)}. Give "
        if not are_numbers(wanted):
            text += f"a frame with names of columns, which needs only those that scores depend on ({_some(used)}), or "
        return f"{text}all of the model's columns in this order"

    def numbered(self, table: Table) -> Table:
        """Returns a table with the category numbers of the model. Columns without names already contain these numbers."""
        if table.names is None:
            return table
        check_same(self.categories, self.category_features, table.categories, "X", self.feature_names)
        return table.numbered(self.categories, "X") if self.categories else table

    def with_categories(self, categories: list[Categories]) -> "Model":
        """Returns the model with the values of the categorical columns that it was trained on."""
        return Model(text=with_values(self._content, categories)) if categories else self

    def predict_table(self, table: Table, output: str, part: dict[str, int], sizes: np.ndarray | None = None) -> np.ndarray:
        """Scores rows in chunks through shared memory. If the process has died, it is restarted once.

        sizes: the number of rows of each query, if whole queries must be scored; None if rows are independent.
        """
        scores = output == "scores"
        width = 1 if scores else self.num_features + 1 if output == "contributions" else self._trees_of(part)
        dtype = np.float32 if scores and self._single and table.single else np.float64
        result = np.empty((table.rows, width))
        if scores and sizes is None and isinstance(table, Sparse):
            return self._scores_of_sparse(table, part, result)
        step = (min(CHUNK, SCORES) if scores else CHUNK) // (8 * (self.num_inputs + width)) or 1
        warnings: list[str] = []
        with WORKERS.taken() as worker:
            for first, end, queries in _chunks(table.rows, step, sizes):
                warnings = _with_restart(self._predict_chunk, worker, table, dtype, output, part, result, first, end, queries)
        for text in warnings:
            warn(text)
        if output == "leaves":
            return result.astype(np.int32)
        return result[:, 0] if scores else result

    def _scores_of_sparse(self, table: Sparse, part: dict[str, int], result: np.ndarray) -> np.ndarray:
        step = max(1, CHUNK * table.rows // max(1, table.size()))
        warnings: list[str] = []
        with WORKERS.taken() as worker:
            for first in range(0, table.rows, step):
                warnings = _with_restart(self._predict_sparse, worker, table.between(first, first + step), part, result, first)
        for text in warnings:
            warn(text)
        return result[:, 0]

    def _watch(self, rows: int, first: int) -> int:
        """Returns whether a chunk of so many rows is watched for unknown categories: 1 from the first row on, 2 from an earlier chunk on."""
        return 0 if not 0 < self._watched <= rows else 2 if first else 1

    def _trees_of(self, part: dict[str, int]) -> int:
        rest = max(0, self.num_trees - part["from"])
        return rest if part["n"] < 1 else min(rest, part["n"])

    def _predict_sparse(self, worker: Worker, table: Sparse, part: dict[str, int], result: np.ndarray, first: int) -> list[str]:
        """Scores the rows of a sparse matrix, of which only stored values are passed. Returns warnings about all rows so far."""
        handle = self._handle(worker)
        behind = -(-table.size() // 8) * 8
        memory = worker.buffer(behind + 8 * table.rows)
        assert memory.map is not None
        described = table.write(Arena(memory.map))
        try:
            answer, _ = worker.call("score", model=handle, output="scores", rows=table.rows, numbers=behind, watch=self._watch(len(result), first), **described, **part)
        except ValueError as error:
            raise ValueError(_in_whole(str(error), first)) from None
        result[first : first + table.rows, 0] = np.frombuffer(memory.map, dtype=np.float64, count=table.rows, offset=behind)
        return answer["warnings"]

    def _predict_chunk(self, worker: Worker, table: Table, dtype: Any, output: str, part: dict[str, int], result: np.ndarray, first: int, end: int, queries: list[int]) -> list[str]:
        rows, inputs, outputs = end - first, self.num_inputs, result.shape[1]
        single, watch = dtype is np.float32, self._watch(table.rows, first)
        behind = -(-rows * inputs * (4 if single else 8) // 8) * 8
        memory = worker.buffer(behind + 8 * rows * outputs)  # starts the process
        assert memory.map is not None
        handle = self._loaded.get(worker.generation) or self._handle(worker)
        values: np.ndarray = np.ndarray((rows, inputs), dtype, memory.map)
        numbers: np.ndarray = np.ndarray((rows, outputs), np.float64, memory.map, behind)
        try:
            table.copy_rows(values, first, end)
            try:
                if output == "scores" and not queries:
                    warnings = worker.score(handle, rows, part, behind, single, watch)
                else:
                    warnings = worker.call("score", model=handle, output=output, rows=rows, single=single, numbers=behind, sizes=queries, watch=watch, **part)[0]["warnings"]
            except ValueError as error:
                raise ValueError(_in_whole(str(error), first)) from None
            result[first:end] = numbers
        finally:
            del values, numbers
        return warnings

    def _predict_file(self, path: str, part: dict[str, int], reading: dict[str, Any]) -> np.ndarray:
        with WORKERS.taken() as worker:
            event, payload = worker.call("scorefile", model=self._handle(worker), path=os.path.abspath(path), params=[{"name": n, "value": v} for n, v in as_settings(reading)], **part)
        for text in event["warnings"]:
            warn(text)
        for text in event["notes"]:
            log.info("%s", text)
        return np.frombuffer(payload, dtype="<f8").astype(np.float64)

    def calibrated(self, X: Any, y: Any, *, qid: Any = None, group: Any = None, sample_weight: Any = None, calibration: str = "auto", calibration_label: float | str = 1) -> "Model":
        """Returns the model with probabilities that a document has at least the grade calibration_label, fitted on labeled
        rows, which should not be those of training, as `lambdamart calibrate` does. Scores and order stay as they are.

        qid, group: queries, which calibration="auto" holds out in turn; by default each row is one. sample_weight: of
            each row, or of each query.
        calibration: "isotonic", "platt", or "auto": the one with the lower log loss on queries that it was not fitted on.
        """
        if calibration not in ("auto", "isotonic", "platt"):
            raise ValueError(f"calibration={calibration!r}: auto, isotonic or platt")
        grade = event_grade(calibration_label)
        _arrays.check_order(X, "X", {"y": y, "qid": qid, "sample_weight": sample_weight})
        scores = self.predict(X, qid=qid, group=group, raw_score=True)
        labels = _arrays.vector(y, "y", len(scores))
        sizes = _arrays.group_sizes(group, len(scores)) if group is not None else _arrays.sizes_of_qid(qid, len(scores)) if qid is not None else np.ones(len(scores), dtype=np.int64)
        weights = np.ones(len(scores)) if sample_weight is None else _arrays.weights(sample_weight, sizes, "sample_weight")
        payload = np.concatenate((scores, labels, weights, sizes.astype(np.float64))).astype("<f8").tobytes()
        with WORKERS.taken() as worker:
            event, text = worker.call("calibrate", payload, model=self._handle(worker), rows=len(scores), calibration=calibration, event=grade)
        for warning in event["warnings"]:
            warn(warning)
        return Model(text=text)

    def feature_importance(self, importance_type: str = "split") -> np.ndarray:
        """Returns the importance of each feature: the number of its splits, or the sum of their gains ("gain")."""
        if importance_type not in ("split", "gain"):
            raise ValueError(f"importance_type={importance_type!r}: split or gain")
        with WORKERS.taken() as worker:
            _, payload = worker.call("importance", model=self._handle(worker))
        splits, gains = np.frombuffer(payload, dtype="<f8").reshape(2, -1)
        return splits.astype(np.int32) if importance_type == "split" else gains.astype(np.float64)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as LightGBM's model text, or a network in its own format. The file appears only when it is complete."""
        with WORKERS.taken() as worker:
            written, _ = worker.call("write", self._content, path=absolute("path", path))
        check_written(written)

    @contextmanager
    def as_file(self) -> Iterator[str]:
        """Writes the model to a temporary file for a command, and returns its path."""
        with work_folder() as folder:
            path = os.path.join(folder, "model.txt")
            Path(path).write_bytes(self._content)
            yield path

    def export(self, to: str, output: str | os.PathLike[str], **options: Any) -> list[str]:
        """Writes the model for another program, as `lambdamart export` does, and returns the notes.

        to: the target, such as "solr" or "onnx". options: options of the target, and vectors, the number of test vectors
            to write beside the file for `check_export`.
        """
        with self.as_file() as model:
            given = [f"{n}={v}" for n, v in as_settings(options)]
            try:
                messages: list[dict[str, Any]] = []
                run("export", f"input_model={model}", f"to={to}", f"output={absolute('output', output)}", *given, answer=lambda _, message: messages.append(message))
            except ValueError as error:
                raise ValueError(str(error).removeprefix(model + ": ")) from None
        return [m["message"] for m in messages if m.get("event") in ("note", "warning")]

    def trees(self) -> list[Node]:
        """Returns the root of each tree."""
        if not self.num_trees:
            raise ValueError(f"the model is a network ({self.ranker}); it has no trees")
        return nodes(self.text)

    def trees_to_dataframe(self) -> Any:
        """Returns a pandas.DataFrame with a row for each node and the columns of LightGBM's Booster.trees_to_dataframe."""
        return imported("pandas", "trees_to_dataframe").DataFrame(records(self.trees(), self.feature_names))

    def to_lightgbm(self) -> Any:
        """Returns the model as a lightgbm.Booster, whose scores are equal in every bit."""
        return imported("lightgbm", "to_lightgbm").Booster(model_str=self.text)

    def booster(self) -> Any:
        """Returns what `to_lightgbm` returns, the same object at each call."""
        if self._booster is None:
            self._booster = self.to_lightgbm()
        return self._booster

    @classmethod
    def from_lightgbm(cls, booster: Any) -> "Model":
        """Returns the model of a lightgbm.Booster or of an estimator that contains one."""
        booster = getattr(booster, "booster_", booster)
        if not hasattr(booster, "model_to_string"):
            raise TypeError(f"{type(booster).__name__} is neither a lightgbm.Booster nor an estimator that has one")
        return cls(text=booster.model_to_string(num_iteration=-1))


def check_export(path: str | os.PathLike[str], vectors: str | os.PathLike[str] | None = None) -> str:
    """Scores the test vectors that `Model.export` wrote beside a file, as the program that loads the file does.

    Returns the output of `lambdamart check-export`. Raises a ValueError if a score differs.
    """
    given = [f"vectors_file={absolute('vectors', vectors)}"] if vectors is not None else []
    return run("check-export", f"input_model={absolute('path', path)}", *given)[0].decode()


def _with_restart(ask: Callable[..., list[str]], *arguments: Any) -> list[str]:
    """Asks a process. If it has died, it is restarted and asked once more."""
    try:
        return ask(*arguments)
    except LambdaMARTError:
        return ask(*arguments)


def _some(names: Sequence[str]) -> str:
    """Returns the first names, for messages."""
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")


def _chunks(rows: int, step: int, sizes: np.ndarray | None) -> Iterator[tuple[int, int, list[int]]]:
    """Divides rows into chunks of about step rows, without splitting queries. Each chunk has the sizes of its queries."""
    if sizes is None:
        for first in range(0, rows, step):
            yield first, min(rows, first + step), []
        return
    ends = np.cumsum(sizes)
    query = first = 0
    while query < len(sizes):
        last = max(query + 1, int(np.searchsorted(ends, first + step, side="right")))
        yield first, int(ends[last - 1]), sizes[query:last].tolist()
        first, query = int(ends[last - 1]), last


def part_of(start: Any, count: Any, threads: Any, raw: Any = False, probability: bool = False) -> dict[str, int]:
    """Returns the range of trees, the number of threads and the kind of scores for the binary."""
    kind = PROBABILITIES if probability else RAW if raw else 0
    return {"from": whole("start_iteration", start), "n": -1 if count is None else whole("num_iteration", count, -1), "threads": whole("num_threads", threads), "kind": kind}


def event_grade(label: Any) -> float:
    """Returns the smallest grade of an event such as 2 or "grade>=2"."""
    try:
        grade = float(str(label).replace(" ", "").removeprefix("grade>="))
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise ValueError(f"calibration_label={label!r}: the smallest grade of the event, a finite number such as 1; y chooses the label")
    return grade


def whole(name: str, value: Any, least: int = 0) -> int:
    """Checks a whole number."""
    try:
        number = int(value)
        if number == value and least <= number < 2**31:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{name}={value!r}: a whole number, at least {least}")


def _in_whole(message: str, first: int) -> str:
    """Changes the row number in a message about a chunk to that in the whole data."""
    return re.sub(r"(?:(?<=^row )|(?<= of row ))\d+(?=, | is )", lambda found: str(int(found[0]) + first), message, count=1)
