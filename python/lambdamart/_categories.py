"""Categorical columns of data frames. Their values are numbered, and the model keeps the values by which they are.

A model file has them where LightGBM's Python package has them too, as a list for each categorical column of the
frame, in the order of the columns: pandas_categorical:[["red","green"],[1,2,5]]. Columns whose values have an order
are among them, and constant ones, so that a line of the parameters has the numbers of these columns:
[category_features: 0,3]. LightGBM ignores it, and its own models do not have it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._dataset import Dataset

PARAMETER = "categorical_feature"
NAMES = (PARAMETER, "cat_feature", "categorical_column", "cat_column", "categorical_features", "cat_features")
LINE = b"\npandas_categorical:"
FEATURES = re.compile(rb"\n\[category_features: ([0-9,]*)\]")
END_OF_PARAMETERS = b"\nend of parameters"


class Categories:
    """The values of a categorical column, by the number that stands for each."""

    def __init__(self, column: str, values: list[Any], ordered: bool = False, feature: int = -1) -> None:
        bad = next((v for v in values if not isinstance(v, (str, int, float, bool))), None)
        if bad is not None:
            raise TypeError(f"the categories of the column {column} are of the type {type(bad).__name__}; categories are texts, numbers or switches")
        self.column, self.values, self.ordered, self.feature = column, values, ordered, feature

    def numbers_in(self, values: list[Any]) -> np.ndarray:
        """Returns the number of each value in another list, and NaN for those that it lacks, and last for what is missing."""
        place = {(type(v) is bool, v): float(i) for i, v in enumerate(values)}
        return np.array([place.get((type(v) is bool, v), np.nan) for v in self.values] + [np.nan])


def of_model(content: bytes) -> list[list[Any]]:
    """Returns the values of the categorical columns of frames that a model knows."""
    _, found, rest = content.rpartition(LINE)
    line = rest.partition(b"\n")[0].strip()
    return (json.loads(line) or []) if found and line else []


def features_of_model(content: bytes) -> list[int] | None:
    """Returns the features to which these values belong; None if the model does not say it."""
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


def in_params(params: Mapping[str, Any], data: "Dataset") -> dict[str, Any]:
    """Returns parameters that name the categorical features: those that were given, and categorical columns of a frame
    whose values have no order."""
    given = [n for n in NAMES if params.get(n) is not None]
    own = [c.column for c in data.categories if not c.ordered]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} are two names of one parameter; give one of them")
    value = params[given[0]] if given else "auto"
    rest = {n: v for n, v in params.items() if n not in NAMES}
    if isinstance(value, str):
        if value not in ("auto", "") and own:
            value = value.removeprefix("name:").split(",")
        elif value not in ("auto", ""):
            return {**rest, PARAMETER: value}
        else:
            value = []
    names = data.feature_names
    chosen = [_feature(v, names) for v in (value if isinstance(value, (list, tuple, set, np.ndarray)) else [value])]
    chosen += [n for n in own if n not in chosen]
    if not chosen:
        return rest
    return {**rest, PARAMETER: ("" if names is None else "name:") + ",".join(map(str, chosen))}


def _feature(value: Any, names: list[str] | None) -> Any:
    """Returns a feature by its name, or by its number where features have no names."""
    text = model_name(str(value))
    if names is None:
        if not isinstance(value, (int, np.integer)) and not text.isdigit():
            raise ValueError(f"categorical_feature={text}: the features have no names; give their numbers")
        return text
    if text in names:
        return text
    if isinstance(value, (int, np.integer)) or text.isdigit():
        if 0 <= int(value) < len(names):
            return names[int(value)]
    raise ValueError(f"categorical_feature={text}: there is no such feature")


def model_name(name: str) -> str:
    """Returns the name of a feature as models hold it: with "_" for each blank, as in LightGBM, and each control character."""
    return "".join("_" if c <= " " or c == "\x7f" else c for c in name)


def check_same(wanted: list[list[Any]], features: list[int] | None, have: list[Categories], called: str) -> None:
    """Checks that a frame has as many categorical columns as a model or the training data, and the same if these are known."""
    if len(wanted) == len(have) and (features is None or features == [c.feature for c in have]):
        return
    columns = ", ".join(c.column for c in have) or "none"
    if not wanted:
        raise TypeError(f"{called} has categorical columns ({columns}), and what was trained on had none; encode them as the numbers that training had")
    were = f": features {', '.join(map(str, features))}, counted from 0" if features else ""
    raise ValueError(f"{called} has {len(have)} categorical columns ({columns}), and training had {len(wanted)}{were}; give the columns the types that they had")
