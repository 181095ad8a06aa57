"""Categorical columns of data frames. Their values are numbered, and the model stores the values.

A model file stores them as LightGBM's Python package does, with a list for each categorical column of the frame:
pandas_categorical:[["red","green"],[1,2,5]]. This includes columns with ordered values and constant columns. Because
the lists alone do not say which columns they belong to, a line of the parameters contains the numbers of the columns:
[category_features: 0,3]. LightGBM ignores this line, and its own models lack it.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

LINE = b"\npandas_categorical:"
FEATURES = re.compile(rb"\n\[category_features: ([0-9,]*)\]")
END_OF_PARAMETERS = b"\nend of parameters"


class Categories:
    """The values of a categorical column, indexed by their number."""

    def __init__(self, column: str, values: list[Any], ordered: bool = False, feature: int = -1) -> None:
        bad = next((v for v in values if not isinstance(v, (str, int, float, bool))), None)
        if bad is not None:
            raise TypeError(f"the categories of the column {column} are of the type {type(bad).__name__}; categories are texts, numbers or switches")
        self.column, self.values, self.ordered, self.feature = column, values, ordered, feature

    def numbers_in(self, values: list[Any]) -> np.ndarray:
        """Returns the index of each value in another list, or NaN for values that it lacks. The last entry, NaN, stands for missing values."""
        place = {(type(v) is bool, v): float(i) for i, v in enumerate(values)}
        return np.array([place.get((type(v) is bool, v), np.nan) for v in self.values] + [np.nan])


def of_model(content: bytes) -> list[list[Any]]:
    """Returns the values that a model stores for categorical columns of frames."""
    _, found, rest = content.rpartition(LINE)
    line = rest.partition(b"\n")[0].strip()
    return (json.loads(line) or []) if found and line else []


def features_of_model(content: bytes) -> list[int] | None:
    """Returns the features that these values belong to, or None if the model does not say."""
    found = FEATURES.search(content)
    return [int(f) for f in found[1].split(b",")] if found else None


def with_values(content: bytes, categories: list[Categories]) -> bytes:
    """Returns a model's text with the values of the categorical columns."""
    head, found, rest = content.rpartition(LINE)
    tail = rest.partition(b"\n")[2]
    if not found:
        head, tail = content.rstrip(b"\n"), b""
    head = FEATURES.sub(b"", head)
    line = f"\n[category_features: {','.join(str(c.feature) for c in categories)}]".encode()
    before, section, after = head.rpartition(END_OF_PARAMETERS)
    head = before + line + section + after if section else head + b"\n\nparameters:" + line + END_OF_PARAMETERS
    values = json.dumps([c.values for c in categories], allow_nan=False)
    return head + LINE + values.encode() + b"\n" + tail


def model_name(name: str) -> str:
    """Returns the name of a feature in models: as in LightGBM, each blank becomes "_", and here each control character too."""
    return "".join("_" if c <= " " or c == "\x7f" else c for c in name)


def check_same(wanted: list[list[Any]], features: list[int] | None, have: list[Categories], called: str, names: list[str] | None) -> None:
    """Checks that a frame has as many categorical columns as a model or the training data, and the same columns if they are known,
    by place or by name. names: of the features that the numbers in features count; None if they have none."""
    known = features is not None and features != [c.feature for c in have]
    if len(wanted) == len(have) and not (known and [names[f] for f in features] != [model_name(c.column) for c in have] if names else known):
        return
    columns = ", ".join(c.column for c in have) or "none"
    if not wanted:
        raise TypeError(f"{called} has categorical columns ({columns}), and what was trained on had none; encode them as the numbers that training had")
    were = ""
    if features:
        were = f" ({', '.join(names[f] for f in features)})" if names else f": features {', '.join(map(str, features))}, counted from 0"
    raise ValueError(f"{called} has {len(have)} categorical columns ({columns}), and training had {len(wanted)}{were}; give the columns the types that they had")
