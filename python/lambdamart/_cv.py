"""Cross-validation, parameter search and feature selection, run by the commands cv, tune and select."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from . import _arrays
from ._command import Binned, execute
from ._dataset import Dataset
from ._errors import TrainingPanic, counted, without
from ._features import Features, in_order, in_params
from ._folder import work_folder
from ._model import Model, whole
from ._own import Functions
from ._progress import taken
from ._settings import as_settings, text_of

class Study:
    """The result of a study. As a string, it is what the command prints."""

    _text = ""

    def __str__(self) -> str:
        return self._text


Result = TypeVar("Result", bound=Study)


@dataclass
class CrossValidation(Study):
    """A finished cross-validation."""

    metric: str
    mean: float  # over all queries, at the best iteration
    interval: tuple[float, float]  # of the mean, over queries
    fold_sd: float  # standard deviation of the means of the folds
    best_iteration: int
    metrics: dict[str, float]  # all means at the best iteration
    folds: list[dict[str, Any]] = field(repr=False)  # name, rows, queries, value, iterations … of each
    scores: np.ndarray = field(repr=False)  # of each row, by the model that was trained without its fold
    curve: dict[str, np.ndarray] = field(repr=False)  # iteration, the mean, and the value of each fold
    model: Model | None = None  # trained on all data with the best number of iterations
    average: Model | None = None  # its scores are the mean scores of the models of all folds


@dataclass
class Tuning(Study):
    """A finished search."""

    metric: str
    best_params: dict[str, Any]  # with num_models and model_objectives, if the result is a mean of models (docs/settings.md)
    best_iteration: int  # of each of these models
    value: float  # of the model that was found
    beats_defaults: bool  # False: not proven; see interval
    p: float  # probability of such a difference by chance, corrected for the number of trials
    difference: float  # to the defaults
    interval: tuple[float, float]  # of the difference
    trials: list[dict[str, Any]] = field(repr=False, default_factory=list)  # the first one has the defaults
    model: Model | None = None


@dataclass
class Selection(Study):
    """A finished selection of features."""

    metric: str
    features: list[str]  # the chosen ones, in the order of the data
    best_iteration: int  # of a training run on them
    validation: dict[str, float]  # all, chosen, difference, difference_low, difference_high, p: on the queries used for the selection
    steps: list[dict[str, Any]] = field(repr=False, default_factory=list)  # the first one has all features
    all_features: list[dict[str, Any]] = field(repr=False, default_factory=list)  # that vary, the most important first
    model: Model | None = None  # trained on all data with the chosen features


def cv(params: Mapping[str, Any], data: Dataset, *, folds: Any = None, fold: Any = None, final: bool = False, average: bool = False) -> CrossValidation:
    """Divides the queries into folds and, for each fold, trains on all others, as `lambdamart cv` does.

    params: parameters of `train` and of the command, such as folds, fold_seed, fold_file and fold_column. With patience,
        all folds stop together.
    folds: how many random folds, by default 5; or scikit-learn's folds: pairs of the rows to train on and to test on,
        of which each row is tested once, or a splitter, which gets the queries as groups (GroupKFold(5)).
    fold: the fold of each row, in place of random folds; all rows of a query must be in the same fold.
    final: also train on all data. average: also compute the mean of the models of all folds.
    """
    with _Study("cv", params, data) as study:
        folder = study.folder
        given = study.folds(folds, fold, params)
        given += [f"{option}={folder}/{option}" for option, wanted in (("final_model", final), ("average_model", average)) if wanted]
        result = study.run(given)
        return study.told(CrossValidation(
            result["metric"], result["mean"], (result["interval_low"], result["interval_high"]), result["fold_sd"], result["best_iteration"], result["metrics"],
            result["folds"], np.loadtxt(Path(folder, "cv", "scores.txt"), ndmin=1), _table(Path(folder, "cv", "curve.tsv")),
            study.model("final_model") if final else None, study.model("average_model") if average else None,
        ))


@without(time_budget="use max_trainings=, which gives the same trials everywhere")
def tune(
    params: Mapping[str, Any],
    data: Dataset,
    valid: Dataset | Sequence[Dataset] | None = None,
    *,
    folds: Any = None,
    search: Mapping[str, Any] | None = None,
    max_trainings: int | None = None,
    final: bool = True,
) -> Tuning:
    """Searches for good parameters with a limited number of training runs, as `lambdamart tune` does.

    params: parameters of all trials, and those of the command, such as fold_seed.
    valid: the set that trials are evaluated on; by default, folds of the data.
    folds: as for `cv`.
    search: ranges or lists by name, such as {"num_leaves": "7..63 log", "max_depth": [4, 6]}; by default, a space that
        suits the size of the data.
    final: also train on all data with the best parameters.
    """
    if search is not None and not isinstance(search, Mapping):
        raise TypeError(f'search is of the type {type(search).__name__}; it is a dict of names and ranges or lists, such as {{"num_leaves": "7..63 log", "max_depth": [4, 6]}}')
    with _Study("tune", params, data, valid=_one(valid)) as study:
        given = study.folds(folds, None, params)
        given += [f"search={name}={_space(name, space, Features(data))}" for name, space in (search or {}).items()]
        given += [f"{n}={v}" for n, v in as_settings({"max_trainings": max_trainings})]
        given += [f"final_model={study.folder}/final_model"] if final else []
        result = study.run(given)
        found = {name: _value(v) for name, v in result["parameters"].items() if name != "num_iterations"}
        return study.told(Tuning(
            result["metric"], found, int(result["parameters"]["num_iterations"]), result["value"], result["beats_defaults"], result["p"],
            result["difference_to_defaults"], (result["difference_low"], result["difference_high"]), result["trials"], study.model("final_model") if final else None,
        ))


@without(
    holdout="train with the features that it chose, and compare the model with one of all features on this data",
    keep="choose more features by num_features=, and add yours to them",
)
def select(
    params: Mapping[str, Any],
    data: Dataset,
    valid: Dataset | Sequence[Dataset] | None = None,
    *,
    folds: Any = None,
    num_features: int | None = None,
    final: bool = True,
) -> Selection:
    """Finds the features that a ranker needs, as `lambdamart select` does (docs/settings.md).

    params: parameters of all training runs, and those of the command, such as fold_seed.
    valid: the set that sets of features are evaluated on; by default, folds of the data.
    folds: as for `cv`.
    num_features: how many to choose; by default, the smallest number that is as good as the best set.
    final: also train on all data with the chosen features.
    """
    with _Study("select", params, data, valid=_one(valid)) as study:
        given = study.folds(folds, None, params)
        given += [f"{n}={v}" for n, v in as_settings({"num_features": num_features})]
        given += [f"final_model={study.folder}/final_model"] if final else []
        r = study.run(given)
        model = study.model("final_model") if final else None
        return study.told(Selection(r["metric"], r["features"], r["best_iteration"], r["validation"], r["steps"], r["all_features"], model))


def _one(valid: Dataset | Sequence[Dataset] | None) -> Dataset | None:
    """Returns the validation set, which may be in a list as for `train`."""
    if valid is None or isinstance(valid, Dataset):
        return valid
    if not isinstance(valid, (list, tuple)):
        raise TypeError(f"valid is a Dataset, not {type(valid).__name__}")
    if len(valid) > 1:
        raise ValueError(f"valid has {counted(len(valid), 'set')}, and one decides; give one")
    return valid[0] if valid else None


def _space(name: str, space: Any, features: Features) -> str:
    """Returns the values to search as the command reads them."""
    values = space if isinstance(space, (list, tuple, set, range, np.ndarray)) else [space]
    choices = [text_of(name, features.resolved({name: v})[name]) for v in values]
    if not choices:
        raise ValueError(f"search: {name} has no values")
    return "|".join(in_order(space, choices))


class _Study:
    """A command with many training runs, its data and the folder of its results."""

    def __init__(self, name: str, params: Mapping[str, Any], data: Dataset, **others: Dataset | None) -> None:
        params = in_params(params, data) if isinstance(data, Dataset) else params
        self.name, self.data, settings = name, data, dict(params)
        self.shown = taken(settings).shows
        sets = {"training": data, **{parameter: other for parameter, other in others.items() if other is not None}}
        self.own = Functions(settings, list(sets.values()), list(sets), each=True)
        self.settings = _settings(settings)
        self.files = Binned(params)
        self.files.names["valid_1: "] = "valid: "
        self.given = self.files.add_all(data, **others)

    def __enter__(self) -> "_Study":
        self._stack = ExitStack()
        self.folder = self._stack.enter_context(work_folder())
        return self

    def __exit__(self, *error: object) -> None:
        self.own.close()
        self._stack.close()

    def folds(self, folds: Any, fold: Any, params: Mapping[str, Any]) -> list[str]:
        """Returns the parameter for the arguments folds and fold. Errors name the arguments."""
        self.files.names[f"{self.folder}/folds.txt"] = "folds" if fold is None else "fold"
        return _folds(folds, fold, params, self.data, self.folder)

    def run(self, given: list[str]) -> dict[str, Any]:
        """Runs the command, and returns its result."""
        output = f"{self.folder}/{self.name}"
        final = f"{self.folder}/final_model"
        try:
            printed = execute(self.name, [*self.given, f"output={output}", *given, *self.settings], self.files, self.shown, self.own, private=[output, final])
        except TrainingPanic as error:
            error.model = self.model("final_model") if os.path.exists(final) else None
            raise
        self.text = printed.text.replace(f"{self.folder}/", "")
        result: dict[str, Any] = json.loads(Path(output, "result.json").read_text())
        return result

    def told(self, result: Result) -> Result:
        """Gives a result the text that the command has printed."""
        result._text = self.text
        return result

    def model(self, name: str) -> Model:
        return Model(f"{self.folder}/{name}").with_categories(self.data.categories)


def _settings(params: Mapping[str, Any]) -> list[str]:
    """Returns parameters for the command line. Results are read from the folder that the command writes."""
    for name in ("data", "valid", "output", "final_model", "average_model", "config"):
        if name in params:
            raise ValueError(f"{name}={params[name]!r}: a file of the command line; cv, tune and select have arguments of their own for data and results")
    return [f"{n}={v}" for n, v in as_settings(params)]


def _folds(folds: Any, fold: Any, params: Mapping[str, Any], data: Dataset, folder: str) -> list[str]:
    """Returns the parameter for the arguments folds and fold; none if neither is given."""
    if data.in_memory and params.get("fold_column") is not None:
        raise ValueError("fold_column is for files: give the argument fold of cv, the fold of each row, or folds, with pairs of rows")
    if folds is None and fold is None:
        return []
    given = {"folds": folds, "fold": fold, **{f"params[{n!r}]": params.get(n) for n in FOLDS}}
    ways = [name for name, value in given.items() if value is not None]
    if len(ways) > 1:
        raise ValueError(f"{' and '.join(ways)} say how the folds are made; give one of them")
    if isinstance(folds, (int, float, str, np.generic)):
        return [f"folds={whole('folds', folds, 2)}"]
    return [f"fold_file={_fold_file(fold if folds is None else _tested(folds, data), data, folder)}"]


FOLDS = ("folds", "nfold", "n_folds", "fold_file", "fold_column")


def _tested(folds: Any, data: Dataset) -> np.ndarray:
    """Returns the fold of each row, from a splitter or pairs of rows to train on and rows to test on."""
    if not data.in_memory:
        raise ValueError("folds is a number for files; or give the parameter fold_file or fold_column")
    if hasattr(folds, "split"):
        folds = folds.split(np.empty((data.rows, 1)), data.label, np.repeat(np.arange(len(data.group)), data.group))
    try:
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in folds]
    except (TypeError, ValueError):
        raise TypeError("folds is a number, pairs of the rows to train on and to test on, or a splitter of scikit-learn; the fold of each row is the argument fold") from None
    tested = np.full(data.rows, -1)
    for i, (train, test) in enumerate(pairs):
        for rows in train, test:
            if rows.ndim != 1 or len(rows) and not (rows.dtype.kind in "iu" and 0 <= rows.min() <= rows.max() < data.rows):
                raise ValueError(f"folds: fold {i} has rows that are no numbers from 0 to {data.rows - 1}")
        if (again := test[tested[test] >= 0]).size:
            raise ValueError(f"folds: row {again[0]} is tested in fold {tested[again[0]]} and in fold {i}; each row is tested once")
        if len(np.setdiff1d(np.arange(data.rows), np.concatenate([train, test]))) or len(np.intersect1d(train, test)):
            raise ValueError(f"folds: fold {i} is not trained on all rows that it does not test; here each fold is")
        tested[test] = i
    if (tested < 0).any():
        raise ValueError(f"folds: row {int(np.argmax(tested < 0))} is tested in no fold; each row is tested once")
    return tested


def _fold_file(fold: Any, data: Dataset, folder: str) -> str:
    if not data.in_memory:
        raise ValueError("fold is for data in memory; for files, give the parameter fold_file or fold_column")
    _arrays.check_masks(fold, "fold")
    values = np.asarray(fold)
    if values.shape != (data.rows,):
        raise ValueError(f"fold has the shape {values.shape}; it has the fold of each of the {counted(data.rows, 'row')}")
    _arrays.check_missing(values, "fold")
    starts = np.cumsum(data.group) - data.group
    divided = np.flatnonzero(values != np.repeat(values[starts], data.group))
    if len(divided):
        raise ValueError(f"row {divided[0]} is in the fold {values[divided[0]]}, and the first row of its query in another one; a query is in one fold")
    names = [str(v) for v in values[starts]]
    bad = next((n for n in names if not n or n[0] == "#" or any(c.isspace() for c in n)), None)
    if bad is not None:
        raise ValueError(f"fold {bad!r}: the name of a fold is one word that does not begin with #, or a number")
    path = os.path.join(folder, "folds.txt")
    Path(path).write_text("".join(f"{n}\n" for n in names))
    return path


def _table(path: Path) -> dict[str, np.ndarray]:
    names = path.read_text().partition("\n")[0].split("\t")
    values = np.genfromtxt(path, delimiter="\t", skip_header=1, ndmin=2)
    return {name: values[:, i] for i, name in enumerate(names)}


def _value(text: str) -> Any:
    for kind in int, float:
        try:
            return kind(text)
        except ValueError:
            pass
    return text == "true" if text in ("true", "false") else text
