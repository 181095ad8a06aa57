"""Explanations of rankings, by the command explain."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._command import command
from ._dataset import Dataset
from ._model import Model
from ._settings import absolute


class Explanation(dict[str, Any]):
    """What the command explain prints with json=true, as a dict. As a string, it is what the command prints without."""

    text = ""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<lambdamart.Explanation: {', '.join(self)}>"


def explain(
    model: Any,
    data: Dataset | str | os.PathLike[str],
    *,
    query: Any = None,
    document: int | str | None = None,
    against: int | str | None = None,
    report: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Explanation:
    """Explains the order of a query, why one document is above another, or which features a model depends on (docs/guide.md).

    model: a Model, or a fitted ranker. data: rows with labels and queries, not binned, or the path of a file.
    query: id of the query to explain; without it, the model is explained, on a sample of the queries.
    document, against: two documents of the query to compare, as row numbers in the data from 0, or ids for a file.
    report: an HTML page to write. options: those of the command, such as explain_at, sample_queries or background.

    The result is a dict, what the command prints with json=true; print(…) shows the text.
    """
    model = getattr(model, "model_", model)
    if not isinstance(model, Model):
        raise TypeError(f"model is of the type {type(model).__name__}; it is a Model or a fitted ranker")
    given = {**options, "document": document, "against": against, "report": None if report is None else absolute("report", report)}
    if not isinstance(data, Dataset):
        data = Dataset(data)
    given["for_query"] = query if data.path is not None or query is None else str(query)
    if data.bins is not None:
        raise ValueError("the data is binned, and has no values of features any more; give it as it was")
    if data.path is None and query is not None and str(query) not in (names := data.query_names()):
        raise ValueError(f"query={query!r}: the data has no such query; its first one is {names[0]}" + ("" if data.qid is not None else ", by number: there are no ids"))
    if data.path is None and query is not None:
        for name, row in ("document", document), ("against", against):
            _check_row(name, row, data, str(query))
    printed = command("explain", input_model=model, data=data, json=True, **given)
    result = Explanation(printed.json())
    result.text = str(printed)
    return result


def _check_row(name: str, row: Any, data: Dataset, query: str) -> None:
    """Refuses a document that is a row of another query."""
    if isinstance(row, (int, np.integer)) and 0 <= row < data.rows:
        of = data.query_names()[int(np.searchsorted(np.cumsum(data.group), row, side="right"))]
        if of != query:
            raise ValueError(f"{name}={row}: this row is of query {of}, and query={query} is explained; documents are rows of the data, from 0")
