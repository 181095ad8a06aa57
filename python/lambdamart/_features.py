"""Parameters that name features. Whole numbers are places, from 0, and texts are names.

The binary takes a number for a place only if no feature has it as its name, so this module decides which of the two is meant.
A whole parameter that is text is written as on the command line, and passed unchanged.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Set
from typing import Any, Protocol

import numpy as np

from ._categories import Categories, model_name

CATEGORICAL = ("categorical_feature", "cat_feature", "categorical_column", "cat_column", "categorical_features", "cat_features")
# A number for each feature, or for those of a dictionary.
BY_FEATURE = ("monotone_constraints", "mc", "monotone_constraint", "monotonic_cst", "feature_contri", "feature_contrib", "fc", "fp", "feature_penalty", "max_bin_by_feature")
LISTS = ("interaction_constraints", "query_context_features")
NOT_NAMES = re.compile(r"[0-9]+(-[0-9]+)?|all")  # what query_context_features takes for places, or for all features
SEVERAL = (list, tuple, Set, np.ndarray)


class Columns(Protocol):
    """The columns of a Dataset, which this module needs to know."""

    path: str | None
    feature_names: list[str] | None
    columns: int
    categories: list[Categories]


def in_params(params: Mapping[str, Any], data: Columns) -> dict[str, Any]:
    """Returns parameters in which features are named as the binary does. Categorical features are the given ones and the
    categorical columns of a frame whose values are not ordered."""
    return _resolved(params, data, data.categories)


def in_command(params: Mapping[str, Any], data: Columns) -> dict[str, Any]:
    """The same for a command, which gets arrays as they are: only the given features are categorical."""
    return _resolved(params, data, [])


def _resolved(params: Mapping[str, Any], data: Columns, columns: list[Categories]) -> dict[str, Any]:
    features = Features(data)
    return {**features.resolved({n: v for n, v in params.items() if n not in CATEGORICAL}), **_categorical(params, columns, features)}


def _categorical(params: Mapping[str, Any], columns: list[Categories], features: "Features") -> dict[str, Any]:
    given = [n for n in CATEGORICAL if params.get(n) is not None]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} are two names of one parameter; give one of them")
    value = params[given[0]] if given else "auto"
    own = [c.column for c in columns if not c.ordered]
    if isinstance(value, str):
        if value not in ("auto", "") and not own:
            return {CATEGORICAL[0]: value}
        names = value.removeprefix("name:").split(",") if value not in ("auto", "") else []
        value = [int(n) if n.isdigit() and not value.startswith("name:") else n for n in names]
    value = listed_values(value)
    chosen = features.categorical(value if isinstance(value, SEVERAL) else [value], own)
    return {CATEGORICAL[0]: chosen} if chosen else {}


def listed_values(value: Any) -> Any:
    """Returns the values of an Index or a Series, such as the columns of a frame, as a list."""
    return value.tolist() if hasattr(value, "tolist") and np.ndim(value) == 1 else value


def in_order(given: Any, texts: list[Any]) -> list[Any]:
    """Returns texts that were made from what is given: sorted if that is a set, whose order differs from process to process."""
    return sorted(texts, key=str) if isinstance(given, Set) else texts


class Features:
    """The features of data, whose names are known unless the data is a file."""

    def __init__(self, data: Columns) -> None:
        self.of_file = data.path is not None
        self.names = data.feature_names
        self.count = None if self.of_file else data.columns

    def resolved(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Returns parameters with places and names as the binary reads them."""
        return {name: self._value(name, value) for name, value in params.items()}

    def _value(self, name: str, value: Any) -> Any:
        value = listed_values(value) if name in LISTS else value
        if name in BY_FEATURE and isinstance(value, Mapping):
            return self._numbers(name, value)
        if name in LISTS and isinstance(value, SEVERAL):
            features = [self._value(name, v) if isinstance(v, SEVERAL) else self.text(name, v, numbers_first=name == "query_context_features") for v in value]
            return in_order(value, features)
        return value

    def _numbers(self, parameter: str, given: Mapping[Any, Any]) -> dict[str, Any]:
        """Returns the number of each feature of a dictionary, which has a feature once, by its place or its name."""
        numbers: dict[str, Any] = {}
        for feature, number in given.items():
            text = self.text(parameter, feature)
            if text in numbers:
                raise ValueError(f"{parameter}: {feature!r} is the feature {text}, which the dictionary has already; give each feature once")
            numbers[text] = number
        return numbers

    def categorical(self, given: Any, own: list[str]) -> str:
        """Returns the parameter categorical_feature: names, with the prefix that says so, or places."""
        if self.of_file:
            texts = [isinstance(v, str) for v in given]
            if any(texts) and not all(texts):
                raise ValueError(f"{CATEGORICAL[0]}={list(given)!r}: of a file, give all features by name or all by number")
            return ("name:" if any(texts) else "") + ",".join(str(v) for v in given)
        if self.names is None:
            return ",".join(str(self.place(CATEGORICAL[0], v)) for v in given)
        chosen = [self.names[self.place(CATEGORICAL[0], v)] for v in given]
        chosen += [n for n in own if n not in chosen]
        return "name:" + ",".join(chosen) if chosen else ""

    def text(self, parameter: str, value: Any, numbers_first: bool = False) -> str:
        """Returns a feature as the binary reads it: a place by its number and a text by its name, unless the binary would
        take the number for a name or, with numbers_first, the name for a number."""
        if self.of_file:
            return str(value)
        place = self.place(parameter, value)
        if self.names is None:
            return value if isinstance(value, str) else str(place)
        if numbers_first:
            return self.names[place] if isinstance(value, str) and not NOT_NAMES.fullmatch(self.names[place]) else str(place)
        return self.names[place] if isinstance(value, str) or str(place) in self.names else str(place)

    def place(self, parameter: str, value: Any) -> int:
        """Returns the number of a feature."""
        if isinstance(value, str):
            return self._of_name(parameter, value)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{parameter}: {value!r} is of the type {type(value).__name__}; a feature is given by its number, from 0, or by its name, a text")
        assert self.count is not None
        if not 0 <= value < self.count:
            raise ValueError(f"{parameter}={value}: there is no such feature; numbers are places from 0 to {self.count - 1}, and names are texts")
        return int(value)

    def _of_name(self, parameter: str, value: str) -> int:
        names, name = self.names, model_name(value)
        if names is None:
            assert self.count is not None
            if name in (f"Column_{i}" for i in range(self.count)):  # as the model calls them
                return int(name.removeprefix("Column_"))
            raise ValueError(f"{parameter}={value}: the features have no names; give their numbers")
        if name in names:
            return names.index(name)
        nearest = difflib.get_close_matches(name, names, 1)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else f"; a text is a name, and the number {value} a place" if value.isdigit() else ""
        raise ValueError(f"{parameter}={value}: there is no such feature{hint}")
