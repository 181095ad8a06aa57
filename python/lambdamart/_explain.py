"""Why a ranking is as it is, by the command explain."""

from __future__ import annotations

import copy
import json
import os
from typing import Any

import numpy as np

from ._dataset import Dataset
from ._model import Model, run
from ._train import _process, as_settings, given_as, log


def explain(
    model: Any,
    data: Dataset | str | os.PathLike[str],
    *,
    query: Any = None,
    document: int | str | None = None,
    against: int | str | None = None,
    report: str | os.PathLike[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Explains the order of a query, why one document is above another, or what a model rests on (docs/explain.md).

    model: a Model, or a fitted ranker. data: rows with labels and queries, not binned, or the path of a file.
    query: the query id whose order is explained; without it, what the model rests on is, over a sample of the queries.
    document, against: two documents of the query that are compared: their rows in the data, from 0; of a file, their ids.
    report: an HTML page to write. options: those of the command, such as explain_at, sample_queries or background.

    It returns what the command prints with json=true.
    """
    model = getattr(model, "model_", model)
    if not isinstance(model, Model):
        raise TypeError(f"model is of the type {type(model).__name__}; it is a Model or a fitted ranker")
    given = {**options, "document": document, "against": against, "report": None if report is None else os.path.abspath(report)}
    if not isinstance(data, Dataset):
        data = Dataset(data)
    if data.path is not None:
        return _of_file(model, data.path, {**given, "for_query": query})
    if data.bins is not None:
        raise ValueError("the data is binned, and has no values of features any more; give it as it was")
    names = _names(data)
    if query is not None and str(query) not in names:
        raise ValueError(f"query={query!r}: the data has no such query; its first one is {names[0]}" + ("" if data.qid is not None else ", by number: there are no ids"))
    given["for_query"] = None if query is None else str(query)
    matched = copy.copy(data)
    matched.table = model.matched(data.table)
    matched.feature_names = model.feature_names[: model.num_inputs]
    with _process([matched], ["the data"]) as (process, described):
        process.send("explain", model.text.encode(), params=given_as(as_settings(given)), sets=described, names=names)
        event, payload = process.receive()
    for note in event["notes"]:
        log.info("%s", note)
    result: dict[str, Any] = json.loads(payload)
    return result


def _of_file(model: Model, path: str, given: dict[str, Any]) -> dict[str, Any]:
    with model.as_file() as file:
        arguments = [f"{n}={v}" for n, v in as_settings(given)]
        printed, _ = run("explain", f"data={os.path.abspath(path)}", f"input_model={file}", "json=true", "log_json=true", *arguments)
    result: dict[str, Any] = json.loads(printed)
    return result


def _names(data: Dataset) -> list[str]:
    """Returns the ids of the queries, or their numbers if they have no ids."""
    if data.qid is None:
        return [str(i) for i in range(len(data.group))]
    return [str(q) for q in data.qid[np.cumsum(data.group) - data.group].tolist()]
