"""Ranking data: arrays, a file that the binary reads, or bins made from either."""

from __future__ import annotations

import copy
import json
import os
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Arena, Table
from ._categories import Categories, check_same, model_name
from ._errors import NAMED_LABELS, check_written, counted, warn, without
from ._features import in_params
from ._process import running, with_windows
from ._progress import say, taken
from ._settings import absolute, as_settings
from ._shared import File, Memory, Window, opened


class Dataset:
    """Ranking data with labels and queries.

    data: a matrix or data frame of features (numpy, pandas, polars, pyarrow, scipy.sparse), or the path of
        a file of LETOR text, CSV, TSV, Parquet or bins (`save`). Files are read by the binary, not by Python.
    label: relevance grade of each row.
    qid: query id of each row; the rows of a query must be consecutive. If neither qid nor group is given, a frame must
        have a column of query ids called qid, query_id, query or srch_id.
    group: number of rows of each query, in place of qid.
    weight: weight of each row, or of each query. init_score: score of each row from which training starts.
    labels: further labels by their names, each with a number per row: {"cart": added, "purchase": bought}. Objectives and
        metrics name them: objective="lambdarank:1,binary@cart:0.2", metric="ndcg@10@purchase".
    position: where the document of each row was shown when its label, such as a click, was observed: 1, 2, "sidebar" …
        Pairwise objectives then learn the bias of each position.
    pairs: an array of two columns of row numbers, from 0: the better document and the worse one, of the same query. Training with
        objective="pairs", or a sum with it, learns them, and metric="pair_agreement" judges validation sets by theirs. pairs_weight: weight of each pair.
    feature_names: names of the columns; by default those of a frame.

    Arrays are not copied before training and must not change until then. Each training run bins its data; to train on
    the same data several times, bin it once with `bin`.
    """

    @without(label2=NAMED_LABELS)
    def __init__(
        self,
        data: Any,
        label: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        weight: Any = None,
        init_score: Any = None,
        labels: Mapping[str, Any] | None = None,
        position: Any = None,
        pairs: Any = None,
        pairs_weight: Any = None,
        feature_names: list[str] | None = None,
    ) -> None:
        self.path: str | None = None
        self.feature_names: list[str] | None = None
        self.bins: File | None = None
        self.categories: list[Categories] = []  # the categorical columns of a frame
        if isinstance(data, (str, os.PathLike)):
            self.path = os.fspath(data)
            given = {"label": label, "qid": qid, "group": group, "weight": weight, "init_score": init_score, "labels": labels, "position": position, "pairs": pairs, "pairs_weight": pairs_weight, "feature_names": feature_names}
            extra = [name for name, value in given.items() if value is not None]
            if extra:
                raise ValueError(f"{self.path} is read by the binary: {', '.join(extra)} must be in the file or beside it (parameters label_column, group_column, weight_column, label_columns, position_column)")
            if not os.path.exists(self.path):
                raise FileNotFoundError(f"there is no file {self.path}")
            return
        if qid is not None and group is not None:
            raise ValueError("give qid or group, not both")
        if label is None:
            raise ValueError("training requires y to be passed, but the target y is None")
        labels = _named_labels(labels)
        _arrays.check_order(data, "X", {"y": label, "qid": qid, "weight": weight, "init_score": init_score, "position": position, **labels})
        if qid is None and group is None:
            data, qid = _arrays.split_query_column(data)
        elif (column := _arrays.query_column(data)) is not None:
            raise ValueError(f"the frame has a column {column}, which would be a feature beside {'qid' if group is None else 'group'}: leave the column or the argument out")
        self.table: Table = _arrays.table(data)
        self.table.check()
        self.rows, self.columns = self.table.rows, self.table.columns
        rows = self.rows
        self._label = _arrays.compact(_arrays.vector(label, "y", rows), label)
        self.group = query_sizes(qid, group, rows)
        self.weight = None if weight is None else _arrays.weights(weight, self.group, "weight (in fit, sample_weight)")
        if self.weight is not None and not self.weight.any():
            raise ValueError("all weights are zero: there is nothing to learn from")
        self.init_score = None if init_score is None else _arrays.vector(init_score, "init_score", rows)
        self.labels = {name: _arrays.vector(values, f"labels[{name!r}]", rows) for name, values in labels.items()}
        self.position: np.ndarray | None
        self.position_names: list[str] | None
        self.position, self.position_names = (None, None) if position is None else _arrays.places(position, rows)
        self.pairs, self.pairs_weight = _pairs(pairs, pairs_weight, self.group)
        self.qid = None if qid is None else np.asarray(qid)
        self.feature_names = _names(feature_names, self.table)
        self.categories = self.table.categories

    def named(self, names: Sequence[str]) -> "Dataset":
        """Returns the data with other names of its columns."""
        if not hasattr(self, "table"):
            raise ValueError("feature_name is for rows in memory that are not binned; a file and binned data have their names")
        result = copy.copy(self)
        result.feature_names = _names(names, self.table)
        return result

    def bin(self, params: Mapping[str, Any] | None = None, *, reference: "Dataset | None" = None) -> "Dataset":
        """Returns binned data, on which training gives models with the same bytes. The features are no longer needed.

        params: parameters of binning (max_bin, min_data_in_bin, bin_construct_sample_cnt, use_missing, zero_as_missing,
            seed) and of reading files, and num_threads.
        reference: for a validation set, the binned training data, whose bins are used.
        """
        if reference is not None and not reference.is_binned:
            raise ValueError("reference is not binned: give what bin has returned, or the path of a file that save has written")
        if self.is_binned:
            raise ValueError("the data is binned already")
        if getattr(self, "pairs", None) is not None:
            raise ValueError("the data has pairs, which binned data cannot hold: only train and fit learn from them")
        source = self if reference is None else self.like(reference, "the data")
        result = copy.copy(source)
        result.bins, info = _binned(in_params(params or {}, source), source, reference)
        result.path, result.rows, result.columns = None, info["rows"], len(info["features"])
        if self.path is not None:
            result.feature_names = info["features"]
        else:
            del result.table
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the binned data, as `lambdamart bin` does; Dataset(path) reads it. The file appears only when it is complete."""
        if self.bins is None:
            self.bin().save(path)
            return
        _write(self.bins, path)

    @property
    def is_binned(self) -> bool:
        if self.path is None:
            return self.bins is not None
        with open(self.path, "rb") as f:
            return f.read(4) == b"\x8bLMB"

    @property
    def in_memory(self) -> bool:
        """Whether labels and queries are in Python."""
        return hasattr(self, "_label")

    @property
    def label(self) -> np.ndarray:
        """The relevance grade of each row, as float64."""
        return self._label.astype(np.float64, copy=False)

    def __repr__(self) -> str:
        if self.path is not None:
            return f"<lambdamart.Dataset: {self.path}>"
        return f"<lambdamart.Dataset: {counted(self.rows, 'row')}, {counted(self.columns, 'feature')}{', binned' if self.is_binned else ''}>"

    def like(self, first: "Dataset", called: str) -> "Dataset":
        """Returns the data with the column order and the category numbers of another set. Columns without names must
        already be in this order."""
        return self._ordered(first, called)._numbered(first, called)

    def _numbered(self, first: "Dataset", called: str) -> "Dataset":
        wanted = [c.values for c in first.categories]
        check_same(wanted, [c.feature for c in first.categories], self.categories, called, first.feature_names)
        if [c.values for c in self.categories] == wanted:
            return self
        if self.bins is not None:
            raise ValueError(f"{called} has other categories than the training data, and is binned: bin it with reference=")
        return self.numbered(wanted, called)

    def numbered(self, values: list[list[Any]], called: str) -> "Dataset":
        """Returns the data, which must not be binned, with each category renumbered to its index in these lists."""
        result = copy.copy(self)
        result.table = self.table.numbered(values, called)
        result.categories = result.table.categories
        return result

    def _ordered(self, first: "Dataset", called: str) -> "Dataset":
        if self.path is not None or first.path is not None:
            return self
        if self.columns != first.columns:
            raise ValueError(f"{called} has {counted(self.columns, 'feature')}, and the training data has {first.columns}")
        if self.feature_names is None or self.feature_names == first.feature_names:
            return self
        ordered = copy.copy(self)
        if first.feature_names is not None:
            place = {n: i for i, n in enumerate(self.feature_names)}
            lacking = [n for n in first.feature_names if n not in place]
            if lacking:
                raise ValueError(f"{called} lacks columns that the training data has: {', '.join(lacking[:10])}")
            if self.bins is not None:
                raise ValueError(f"{called} has the columns of the training data in another order, and is binned: bin it with reference=")
            ordered.table = self.table.select([place[n] for n in first.feature_names])
            ordered.categories = ordered.table.categories
        ordered.feature_names = first.feature_names
        return ordered

    def query_names(self) -> list[str]:
        """Returns the ids of the queries, or their numbers if they have no ids."""
        if self.qid is None:
            return [str(i) for i in range(len(self.group))]
        return [str(q) for q in self.qid[np.cumsum(self.group) - self.group].tolist()]

    def memory(self) -> Memory:
        """Returns the arrays in memory that the binary reads as a file (package internal/arrays). A matrix stays where it
        is, and is read through a window."""
        window = self.table.window()
        memory: Memory | None = None
        try:
            memory = Memory(self.size(window))
            memory.window = window
            self.fill(memory)
        except BaseException:
            for some in memory, window:
                if some is not None:
                    some.close()
            raise
        return memory

    def size(self, window: Window | None = None) -> int:
        """Returns the largest number of bytes of the arrays and their description. window: has the matrix."""
        vectors = [self.group, self.weight, self.init_score, self.position, self.pairs, self.pairs_weight, *self.labels.values()]
        texts = len(json.dumps([self.feature_names, self.position_names, list(self.labels), [] if self.qid is None else self.query_names()]))
        matrix = self.table.size() if window is None else 8 * (self.table.rows + 1)  # the starts of sparse rows
        return matrix + 8 * self.table.rows + sum(v.nbytes for v in vectors if v is not None) + texts + 2048 + (Arena.ALIGNMENT + 64) * (14 + len(self.labels))

    def fill(self, memory: Memory) -> None:
        """Writes the arrays and their description. The matrix is written too, unless the memory has a window."""
        arena = Arena(memory.map)
        header = arena.take(24)
        described: dict[str, Any] = {"rows": self.table.rows, "features": self.table.columns, "names": self.feature_names}
        described.update(self.table.write(arena) if memory.window is None else {"windowed": {**memory.window.described, **self.table.beside(arena)}})
        described["labels"] = arena.put(self._label, np.float64)
        described["groups"] = arena.put(self.group, np.int64)
        described["queries"] = len(self.group)
        if self.qid is not None:
            described["query_names"] = self.query_names()
        if self.weight is not None:
            described["weights"] = arena.put(self.weight, np.float64)
        if self.init_score is not None:
            described["initial"] = arena.put(self.init_score, np.float64)
        described["more"] = [{"name": name, "values": arena.put(values, np.float64)} for name, values in self.labels.items()]
        if self.position is not None:
            described["positions"] = arena.put(self.position, np.int32)
            described["position_names"] = self.position_names
        if self.pairs is not None:
            described["pairs"] = {"n": len(self.pairs), "rows": arena.put(self.pairs.ravel(), np.int64)}
            if self.pairs_weight is not None:
                described["pairs"]["weights"] = arena.put(self.pairs_weight, np.float64)
        text = json.dumps(described).encode()
        offset = arena.put(np.frombuffer(text, dtype=np.uint8), np.uint8)
        arena.view(header, np.uint8, 24)[:] = np.frombuffer(b"\x8bLMA\r\n\x1a\n" + struct.pack("<QQ", offset, len(text)), dtype=np.uint8)


def _named_labels(labels: Any) -> Mapping[str, Any]:
    """Returns the further labels, or an error if they are not values by names."""
    if labels is None:
        return {}
    if not isinstance(labels, Mapping) or not all(isinstance(name, str) for name in labels):
        raise TypeError('labels is a dict of names, which are texts, and of values, one a row: {"cart": added} (in eval_labels, one for each set)')
    if "grade" in labels:
        raise ValueError("labels['grade']: grade stands for y, as in calibration_label='grade>=2'; give it another name")
    return labels


def _pairs(pairs: Any, weight: Any, group: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Returns the pairs of rows and their weights, or an error that names the first pair that is wrong."""
    if pairs is None:
        if weight is not None:
            raise ValueError("pairs_weight without pairs")
        return None, None
    _arrays.check_masks(pairs, "pairs")
    names = [name for name in getattr(pairs, "column_names", getattr(pairs, "columns", ())) if isinstance(name, str)]
    if {"better", "worse", "better_row", "worse_row"} & set(names) and names != ["better", "worse"]:
        raise ValueError(f"pairs is a frame with the columns {', '.join(names)}: give better and worse, in this order, as rows of the data from 0")
    rows = np.asarray(pairs)
    if rows.ndim != 2 or rows.shape[1] != 2 or not len(rows) or rows.dtype.kind not in "iu":
        raise ValueError(f"pairs has the shape {rows.shape} and the type {rows.dtype}: it is an array of at least one row and two columns, whole numbers of the better and the worse row")
    query = np.repeat(np.arange(len(group)), group)
    for wrong, what in (
        (lambda: ((rows < 0) | (rows >= len(query))).any(axis=1), f"there are the rows 0 to {len(query) - 1}"),
        (lambda: rows[:, 0] == rows[:, 1], "a row is not better than itself"),
        (lambda: query[rows[:, 0]] != query[rows[:, 1]], "its rows are of different queries"),
    ):
        if (bad := np.flatnonzero(wrong())).size:
            raise ValueError(f"pairs[{bad[0]}] is {rows[bad[0]].tolist()}: {what}")
    if weight is not None:
        weight = _arrays.vector(weight, "pairs_weight", len(rows), "pairs")
        if (bad := np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))).size:
            raise ValueError(f"pairs_weight[{bad[0]}] is {weight[bad[0]]}: weights are finite, and 0 or more")
        with np.errstate(over="ignore"):
            sums = np.cumsum(weight)
        if (bad := np.flatnonzero(~np.isfinite(sums))).size:
            raise ValueError(f"pairs_weight[{bad[0]}] is {weight[bad[0]]}: the weights of all pairs up to this one add up to more than a float64 can hold; divide all of them by a common factor")
    return np.ascontiguousarray(rows, dtype=np.int64), weight


class Sent:
    """Sets of data that are passed to a process of the binary: their parameters and files.

    parameter: parameter of the command for the first set. The others are validation sets.
    pairs: the command reads pairs.
    """

    def __init__(self, sets: Sequence[Dataset], names: Sequence[str], parameter: str = "data", pairs: bool = False) -> None:
        for data, name in zip(sets, names):
            if getattr(data, "pairs", None) is not None and not pairs:
                raise ValueError(f"{name} has pairs: only train, fit and evaluate read them")
        self.parameter = parameter
        self.arguments: list[str] = []  # parameters of a command
        self.files: list[Memory | File] = []
        self.arrays: list[int] = []  # descriptors of files that are read once
        self.private: dict[str, str] = {}  # names of sets by path, for messages
        self._memories: list[Memory] = []
        self._windows: list[Window] = []
        try:
            for data, name in zip(sets, names):
                self._add(data, name)
        except BaseException:
            self.close()
            raise

    def _add(self, data: Dataset, name: str) -> None:
        parameter = "valid" if self.arguments else self.parameter
        if data.path is not None:
            path = os.path.abspath(data.path)
            if parameter == "valid" and "," in path:
                raise ValueError(f"{name}: {path} has a comma, which separates validation sets; rename the file")
            self.arguments.append(f"{parameter}={path}")
            return
        file: Memory | File = data.bins if data.bins is not None else data.memory()
        if isinstance(file, Memory):
            self._memories.append(file)
            self._windows += [] if file.window is None else [file.window]
            self.arrays += [f.fd for f in with_windows([file]) if not f.path]
        self.files.append(file)
        self.private[opened(file)] = name
        self.arguments.append(f"{parameter}={opened(file)}")

    def named(self, text: str) -> str:
        """Returns a message with paths replaced by the names of sets."""
        for path, name in self.private.items():
            text = text.replace(path, name)
        return text

    def begun(self) -> None:
        """Must be called when the process has received the files. Files with a name are opened later."""
        if not any(m.path for m in self._memories):
            self._close(self._memories)

    def close(self) -> None:
        self._close(self._memories)
        self._close(self._windows)

    def _close(self, memories: Sequence[Memory]) -> None:
        for memory in memories:
            memory.close()


def _binned(params: dict[str, Any], data: Dataset, reference: Dataset | None) -> tuple[File, dict[str, Any]]:
    """Returns binned data, its numbers of rows and queries, and the names of its features."""
    shown = taken(params)
    stored = File()
    sent = Sent([data], ["the data"])
    bins = Sent([] if reference is None else [reference], ["the reference"], "reference")
    try:
        with running([*sent.files, *bins.files, stored]) as process:
            sent.begun()
            settings = [f"{name}={value}" for name, value in as_settings(params)]
            process.send("run", args=["bin", *sent.arguments, *bins.arguments, "output=-", *settings],
                         names=["the data"], arrays=sent.arrays, strict=True, store=stored.passed, reading=shown.shows)
            while True:
                try:
                    event, _ = process.receive()
                except ValueError as error:
                    text = bins.named(sent.named(str(error)))
                    if "unknown parameter" in text:
                        text += " (of the parameters, those of bins and of reading files decide how data is binned)"
                    raise ValueError(text) from None
                if event["event"] == "result":
                    return stored, event
                say({**event, "message": sent.named(event["message"])}, shown)
    finally:
        sent.close()
        shown.close()


def _write(content: File, path: str | os.PathLike[str]) -> None:
    """Copies a file without a name to a path. The file appears there only when it is complete."""
    with running([content]) as process:
        process.send("write", path=absolute("path", path), store=content.passed)
        written, _ = process.receive()
    check_written(written)


def query_sizes(qid: Any, group: Any, rows: int) -> np.ndarray:
    """Returns the number of rows of each query."""
    if qid is not None:
        return _arrays.sizes_of_qid(qid, rows)
    if group is not None:
        return _arrays.group_sizes(group, rows)
    raise ValueError(
        f"Should set the queries for ranking: pass qid, the query of each row, or group, the number of rows of each query (for eval_set, eval_qid or eval_group; "
        f"group=[{rows}] if all rows are one query). In scikit-learn's searches, set_config(enable_metadata_routing=True) passes qid on to fit and score"
    )


def _names(given: Sequence[str] | None, table: Table) -> list[str] | None:
    if isinstance(given, str):
        raise TypeError(f"feature_names={given!r}: a list of names, one for each column")
    raw = table.names if given is None else [str(n) for n in given]
    if raw is None:
        return None
    if len(raw) != table.columns:
        raise ValueError(f"feature_names has {counted(len(raw), 'name')}, and X has {counted(table.columns, 'column')}")
    names = [model_name(n) for n in raw]
    if changed := [f"{old!r} → {new}" for old, new in zip(raw, names) if old != new]:
        warn(f"names of features have blanks, which models hold as _: {_arrays.listed(changed)}; frames with either name are scored")
    double = {n for n in names if names.count(n) > 1} if len(set(names)) < len(names) else set()
    if double:
        raise ValueError(f"several features are called {sorted(double)[0]!r}; give each a name of its own")
    bad = next((n for n in names if not n or any(c in '",:[]{}' for c in n)), None)
    if bad is not None:
        raise ValueError(f"the feature name {bad!r} cannot be written to a model file: names are not empty and have none of the characters \" , : [ ] {{ }}; rename the column")
    return names
