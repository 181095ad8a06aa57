"""Training in a separate process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from ._categories import check_same
from ._dataset import Dataset, Sent
from ._errors import Interrupted, StopTraining, TrainingFailed, TrainingPanic, counted
from ._features import in_params
from ._model import Model
from ._own import Functions
from ._process import WORKERS, Interrupt, Process, running
from ._progress import Silent, say, taken
from ._settings import RATE, absolute, as_settings, rounds


class Evaluated(NamedTuple):
    """A metric on a set after an iteration. As a tuple and by attributes, it looks like the values of LightGBM's callbacks."""

    dataset_name: str
    metric_name: str
    metric_value: float
    maximize: bool = True

    @property
    def metric_std_dev(self) -> None:
        return None

    def is_cv_result(self) -> bool:
        return False


@dataclass(frozen=True)
class Iteration:
    """The argument of callbacks after each iteration. It has the attributes of LightGBM's CallbackEnv."""

    iteration: int  # from 0; the trees of an initial model count
    begin_iteration: int  # number of trees of the initial model
    end_iteration: int
    evaluation_result_list: list[Evaluated]
    params: dict[str, str]
    model: None = None
    member: int = 0  # the model of an ensemble, from 1; 0 for the whole ensemble, which comes last, and for single models


Callback = Callable[[Iteration], Any]


@dataclass
class Training:
    """A finished training."""

    model: Model
    n_iter: int = 0  # number of completed iterations; the trees of an initial model count, here and in what follows
    best_iteration: int = 0  # number of trees of the model
    stopped: str = ""  # why training ended
    watched: str = ""  # metric and set of early stopping
    evals_result: dict[str, dict[str, list[float]]] = field(repr=False, default_factory=dict)
    evaluated: list[int] = field(repr=False, default_factory=list)  # iterations of the values in evals_result, from 1; of an ensemble, its number of trees
    ensemble: dict[str, dict[str, float]] = field(default_factory=dict)  # the metrics of an ensemble
    models_evaluated: dict[str, list[int]] = field(repr=False, default_factory=dict)  # like evaluated, for the models of an ensemble, by set
    position_biases: dict[str, float] = field(default_factory=dict)  # in units of the score; empty without positions
    trees_before: int = 0  # number of trees of the initial model

    def __str__(self) -> str:
        """Returns why training ended, and the metrics of the model."""
        lines = [f"training ended after {counted(self.n_iter, 'iteration')}: {self.stopped}; the model has {counted(self.model.num_trees, 'tree')}"]
        lines += [f"{name}  {'  '.join(f'{metric} {value:.4f}' for metric, value in metrics.items())}" for name, metrics in self.best_score.items()]
        return "\n".join(lines)

    @property
    def best_score(self) -> dict[str, dict[str, float]]:
        """The metrics at the best iteration, or at the last evaluated one before it; for an ensemble, those of the whole."""
        if self.ensemble:
            return self.ensemble
        done = [i for i, n in enumerate(self.evaluated) if n <= self.best_iteration]
        if not done:
            return {}
        return {s: {m: values[done[-1]] for m, values in metrics.items()} for s, metrics in self.evals_result.items()}


def train(
    params: Mapping[str, Any],
    train_set: Dataset,
    valid_sets: Dataset | Sequence[Dataset] | None = None,
    valid_names: Sequence[str] | None = None,
    callbacks: Sequence[Callback] | None = None,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool | str | None = None,
    report: str | os.PathLike[str] | None = None,
    init_model: Any = None,
    _defaults: Mapping[str, Any] | None = None,
) -> Training:
    """Trains a model.

    params: parameters under the names and aliases of the command line, which `parameters()` lists. Among them are
        preset="auto" or "best", which chooses the parameters of trees that are not given; report="page.html", which
        writes a report on the model; and verbose (verbosity): 0 shows nothing, 1 a line of progress in terminals and
        notebooks, n > 1 the metrics after every n iterations.
        objective may be a function that returns two arrays, the first and second derivatives of the loss with respect
        to the scores. metric may be a function, or a list of names and functions; a function returns (name, value,
        whether higher is better). These functions take (y_true, y_pred), (y_true, y_pred, weight) or (y_true, y_pred,
        weight, group) as in LightGBM, or one `Scored`. An exception in them ends training and is raised here.
        learning_rate may be a list of the rates of each tree, whose last entry holds for all later trees, or a
        function of the iteration, from 0.
    valid_sets: sets, or one, that are evaluated after each iteration, called valid_0, valid_1 … unless valid_names is given.
        With patience (early_stopping_rounds), training stops when the first set no longer improves.
    callbacks: functions that are called with an `Iteration` after each iteration. An exception ends training and is
        raised here, except `StopTraining`, after which the model so far is returned.
    checkpoint: a file that stores the state of training every ten minutes, or as snapshot_freq and snapshot_seconds
        say. After an interruption, the same call with resume=True, or "auto", continues to the same model. Callbacks
        are not called for restored iterations. The file is removed when training is complete.
    resume, report: also as parameters in params, which these replace.
    init_model: a Model, a fitted ranker, a lightgbm.Booster, a fitted LGBMRanker, or the path of a model to continue
        from: training starts from its scores, and the result contains its trees before the new ones. The parameter
        input_model, a path, does the same.
    """
    if isinstance(valid_sets, Dataset):
        valid_sets = [valid_sets]
    if not isinstance(valid_sets, (Sequence, type(None))):
        raise TypeError(f"valid_sets is a list of Datasets, not {type(valid_sets).__name__}; num_boost_round is a parameter of params")
    valid_sets = valid_sets or []
    params = {**params, **{name: value for name, value in {"resume": resume, "report": report}.items() if value is not None}}
    if init_model is not None and not isinstance(init_model, (str, os.PathLike)):
        with _as_model(init_model).as_file() as file:
            return train(params, train_set, valid_sets, valid_names, callbacks, checkpoint=checkpoint, init_model=file, _defaults=_defaults)
    with ExitStack() as stack:
        observers = [stack.enter_context(observe()) for observe in OBSERVERS]
        result = _train(params, train_set, valid_sets, valid_names, [*_functions(callbacks), *observers], checkpoint, init_model, _defaults or {})
        for observer in observers:
            observer.end(result)
    return result


def _as_model(given: Any) -> Model:
    """Returns the model to continue from."""
    model = getattr(given, "model_", getattr(given, "model", given))
    if isinstance(model, Model):
        return model
    try:
        return Model.from_lightgbm(given)
    except TypeError:
        raise TypeError(f"init_model is of the type {type(given).__name__}; it is a Model, a fitted ranker, a lightgbm.Booster, a fitted LGBMRanker, or the path of a model") from None


class Observer(Protocol):
    """Watches all training runs, for automatic logging: a callback that also receives the result."""

    def __call__(self, iteration: Iteration) -> None: ...

    def end(self, training: Training) -> None: ...


OBSERVERS: list[Callable[[], AbstractContextManager[Observer]]] = []


def _train(
    params: Mapping[str, Any],
    train_set: Dataset,
    valid_sets: Sequence[Dataset],
    valid_names: Sequence[str] | None,
    callbacks: list[Callback],
    checkpoint: str | os.PathLike[str] | None,
    init_model: str | os.PathLike[str] | None,
    defaults: Mapping[str, Any],
) -> Training:
    train_set = _checked([train_set])[0]
    if init_model is not None:
        params = {**params, "input_model": os.path.abspath(init_model)}
        if train_set.categories or getattr(train_set, "table", None) is not None and train_set.table.names is not None:
            train_set = _continued(train_set, init_model)
    params = in_params(params, train_set)
    settings, callbacks, records = _of_lightgbm(dict(params), callbacks)
    shown = taken(settings)
    sets = _checked([train_set, *valid_sets])
    names = ["training", *_valid_names(len(sets) - 1, valid_names)]
    own = Functions(settings, sets, names)
    given = as_settings({**_checked_settings(settings), "checkpoint": checkpoint and absolute("checkpoint", checkpoint)})
    sent = Sent(sets, names, pairs=True)
    try:
        with running([*sent.files, *own.files]) as process:
            sent.begun()
            asked = bool(callbacks or own)
            process.send("run", args=["train", *sent.arguments, "output_model=-", "verbosity=2", *(f"{n}={v}" for n, v in given)],
                         strict=True, trains=True, ask=asked, own=own.passed, reading=shown.shows, names=names, private=list(sent.private), arrays=sent.arrays)
            with process.interruptible() as interrupt:
                try:
                    result, content = _follow(process, callbacks, dict(as_settings(defaults) + given), shown, own, records, interrupt, sent)
                except (TrainingFailed, TrainingPanic) as error:
                    error.model = Model(text=error.content).with_categories(train_set.categories) if error.content else None
                    raise
        result.model = Model(text=content).with_categories(train_set.categories)  # in another process, after this one has ended
        if interrupt.pressed:
            raise Interrupted(result)
        return result
    finally:
        sent.close()
        own.close()
        shown.close()


FILES = ("data", "valid", "output_model", "config", "log_json", "profile", "ranker", "checkpoint", "pairs", "valid_pairs")


def _checked_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Refuses parameters of the command line that are arguments here."""
    for name in FILES:
        if settings.get(name) is not None:
            raise ValueError(f"{name}={settings[name]!r}: a parameter of the command line; train has arguments of its own for data, models and checkpoints, and lambdamart.command(\"train\", ...) takes all of them")
    if settings.get("report") not in (None, "", "-"):
        settings["report"] = absolute("report", settings["report"])
    return settings


def _checked(sets: list[Dataset]) -> list[Dataset]:
    """Checks that sets fit together. Columns of validation sets are put into the order of the training set."""
    for s in sets:
        if not isinstance(s, Dataset):
            raise TypeError(f"train_set and valid_sets are Datasets, not {type(s).__name__}")
    return sets[:1] + [s.like(sets[0], f"validation set {i}") for i, s in enumerate(sets[1:])]


def _continued(data: Dataset, path: str | os.PathLike[str]) -> Dataset:
    """Returns data with the category numbers of the model that training continues from."""
    model = Model(path)
    known = model.categories
    check_same(known, model.category_features, data.categories, "the training data", model.feature_names)
    for have, values in zip(data.categories, known):
        if new := [v for v in have.values if v not in values]:
            raise ValueError(f"the column {have.column} has the category {new[0]!r}, which the initial model does not know; leave the category or the model out")
    if data.bins is None:
        return data.numbered(known, "the training data")
    if [c.values for c in data.categories] != known:
        raise ValueError("the binned data has its categories in another order than the initial model; give the data as it is")
    return data


def _functions(callbacks: Any) -> list[Callback]:
    """Checks callbacks before training starts."""
    if callbacks is None:
        return []
    if callable(callbacks):
        raise TypeError("callbacks is a list of functions; this is one: give [it]")
    for c in callbacks:
        if not callable(c):
            raise TypeError(f"callbacks are functions; {c!r} is of the type {type(c).__name__}")
    return list(callbacks)


def _valid_names(n: int, names: Sequence[str] | None) -> list[str]:
    if names is None:
        return [f"valid_{i}" for i in range(n)]
    names = [str(s) for s in names]
    if len(names) != n:
        raise ValueError(f"{counted(n, 'validation set')} and {counted(len(names), 'name')}")
    if len(set(names)) < n or "training" in names:
        raise ValueError(f"each validation set has a name of its own, and the training data is called training: {', '.join(names)}")
    return names


def _of_lightgbm(params: dict[str, Any], callbacks: list[Any]) -> tuple[dict[str, Any], list[Callback], list[dict[str, Any]]]:
    """Translates the callbacks of LightGBM's package.

    Returns the parameters, including those that replace callbacks; the callbacks to call; and the dictionaries of
    record_evaluation, which receive every iteration, including those restored from a checkpoint.
    """
    called: list[Any] = []
    records: list[dict[str, Any]] = []
    for c in callbacks:
        kind = _kind(c)
        if kind == "_EarlyStoppingCallback":
            _take_early_stopping(params, c)
        elif kind == "_ResetParameterCallback":
            _take_rates(params, c.kwargs)
        elif kind == "_RecordEvaluationCallback":
            c.eval_result.clear()
            records.append(c.eval_result)
        elif kind not in ("", "_LogEvaluationCallback"):
            raise ValueError(f"the callback {kind} of LightGBM has no meaning here; those that are taken are early_stopping, log_evaluation, record_evaluation and reset_parameter(learning_rate=...)")
        elif getattr(c, "before_iteration", False):
            raise ValueError(f"the callback {type(c).__name__} wants to be called before iterations (before_iteration); callbacks are called after them, and a learning rate by iteration is learning_rate=LIST OR FUNCTION")
        else:
            called.append(c)
    return params, sorted(called, key=lambda c: getattr(c, "order", -1)), records


def _kind(callback: Any) -> str:
    """Returns the name of the LightGBM class or function that a callback comes from, or an empty string."""
    for kind in type(callback).__mro__:
        if kind.__module__.partition(".")[0] == "lightgbm":
            return kind.__name__
    if (getattr(callback, "__module__", None) or "").partition(".")[0] == "lightgbm":
        return str(getattr(callback, "__qualname__", callback))
    return ""


def _take_early_stopping(params: dict[str, Any], c: Any) -> None:
    """Translates lightgbm.early_stopping into parameters."""
    if c.stopping_rounds <= 0:
        return  # not enabled
    delta = c.min_delta or 0.0
    if isinstance(delta, list) and len(delta) == 1:
        delta = delta[0]
    if isinstance(delta, list):
        raise ValueError("early_stopping with a list of min_delta: give one number")
    params["patience"] = c.stopping_rounds
    if delta:
        params["min_delta"] = delta
    if not c.first_metric_only and not {"first_metric_only", "stop_metric", "stop_set"} & {n for n, v in params.items() if v is not None}:
        params["first_metric_only"] = False


def _take_rates(params: dict[str, Any], kwargs: dict[str, Any]) -> None:
    """Translates lightgbm.reset_parameter into a learning rate for each iteration."""
    if others := [name for name in kwargs if name not in RATE]:
        raise ValueError(f"reset_parameter({others[0]}=...): only learning_rate can change from iteration to iteration; leave {others[0]} out of it")
    for rates in kwargs.values():
        if isinstance(rates, list):
            if len(rates) != (n := rounds(params, "reset_parameter has a list")):
                raise ValueError(f"reset_parameter(learning_rate=...) has {counted(len(rates), 'rate')} for {counted(n, 'iteration')}; learning_rate=LIST, a parameter, may have fewer")
        elif not callable(rates):
            raise ValueError("reset_parameter(learning_rate=...) takes a list or a function of the iteration")
        for name in RATE:
            params.pop(name, None)
        params["learning_rate"] = rates


def _follow(
    process: Process, callbacks: list[Callback], params: dict[str, str], shown: Silent, own: Functions, records: list[dict[str, Any]], interrupt: Interrupt, sent: Sent
) -> tuple[Training, bytes]:
    """Receives the events of a run until its end. Returns its result and the content of the model."""
    result = Training(None)  # type: ignore[arg-type]  # the model comes last
    asked = bool(callbacks or own)
    while True:
        try:
            event, payload = process.receive()
        except ValueError as error:
            if interrupt.pressed:  # there is no model yet
                raise KeyboardInterrupt from error
            error.args = (sent.named(str(error)),)
            raise
        kind = event["event"]
        if kind in ("objective", "metric") or kind == "iteration" and asked:
            if interrupt.pressed and not interrupt.asked:
                continue  # the process does not wait for an answer
            interrupt.asked = asked
        if own.answer(process, event):
            continue
        if kind == "iteration":
            event["iteration"], event["of"] = event["iteration"] + result.trees_before, event["of"] + result.trees_before
            event = _seen(event, result, own, records, shown)
            if asked and not event["restored"]:
                goes_on = _call(callbacks, event, params, result.trees_before) and not interrupt.pressed
                process.send("go" if goes_on else "stop")
        elif kind == "stopped":
            result.n_iter, result.best_iteration, result.stopped = event["iterations"] + result.trees_before, event.get("kept", 0) + result.trees_before, event["reason"]
            if event.get("evaluations"):
                _add_ensemble(event, result, own, records, shown, callbacks, params)
        elif kind == "continuing":
            result.trees_before = own.done = event["trees"]
            shown.continues(event["trees"])
            say({**event, "message": sent.named(event["message"])}, shown)
        elif kind == "best":
            result.watched = event["watched"]
        elif kind == "positions" and not result.position_biases:  # the next model of an ensemble
            result.position_biases = {p["position"]: p["bias"] for p in event.get("biases", ())}
        elif kind == "result":
            if not payload:
                raise KeyboardInterrupt if interrupt.pressed else ValueError("no tree was grown")
            return result, payload
        else:
            say({**event, "message": sent.named(event.get("message", ""))}, shown)


def _seen(event: dict[str, Any], result: Training, own: Functions, records: list[dict[str, Any]], shown: Silent) -> dict[str, Any]:
    """Stores the values of an iteration, and returns its event with the values that functions returned."""
    event = {"restored": False, **event, "evaluations": [[e["set"], e["metric"], e["value"]] for e in event["evaluations"]]}
    event = _named(own.see(event))
    for record in [result.evals_result, *records]:
        _record(event, record)
    for s in {s for s, _, _ in event["evaluations"]} if event.get("model") else ():
        result.models_evaluated.setdefault(s, []).append(event["iteration"])
    if event["evaluations"] and not event.get("model"):
        result.evaluated.append(event["iteration"])
    shown.iteration(event)
    return event


def _add_ensemble(event: dict[str, Any], result: Training, own: Functions, records: list[dict[str, Any]], shown: Silent, callbacks: list[Callback], params: dict[str, str]) -> None:
    """Stores the values of a whole ensemble like those of a last iteration."""
    whole = _seen({"iteration": event["kept"], "of": event["kept"], "evaluations": event["evaluations"]}, result, own, records, shown)
    values = result.evals_result
    result.ensemble = {s: {m: v[-1] for m, v in values[s].items()} for s, _, _ in whole["evaluations"]}
    result.evals_result = {**{s: values[s] for s in result.ensemble}, **values}
    _call(callbacks, whole, params)


def _named(event: dict[str, Any]) -> dict[str, Any]:
    """Returns the event of an iteration with the number of the model in the names of sets: model_1.valid_0."""
    if model := event.get("model"):
        event["evaluations"] = [[f"model_{model}.{s}", m, v] for s, m, v in event["evaluations"]]
    return event


def _record(event: dict[str, Any], results: dict[str, dict[str, list[float]]]) -> None:
    for name, metric, value in event["evaluations"]:
        results.setdefault(name, {}).setdefault(metric, []).append(float("nan") if value is None else float(value))


def _call(callbacks: list[Callback], event: dict[str, Any], params: dict[str, str], before: int = 0) -> bool:
    """Calls the callbacks, and reports whether training continues."""
    evaluations = [Evaluated(s, m, float("nan") if v is None else float(v), m not in event["lower"]) for s, m, v in event["evaluations"]]
    iteration = Iteration(event["iteration"] - 1, before, event["of"], evaluations, params, member=event.get("model", 0))
    goes_on = True
    for callback in callbacks:
        try:
            callback(iteration)
        except StopTraining:
            goes_on = False
    return goes_on
