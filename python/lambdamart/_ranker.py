"""LambdaMARTRanker, an estimator of scikit-learn that also works without it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _arrays
from ._arrays import Table
from ._dataset import Dataset
from ._errors import NAMED_LABELS, Interrupted, counted, warn, without
from ._evaluate import evaluate
from ._model import Model, part_of
from ._train import Callback, Training, train

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
else:
    try:
        from sklearn.base import BaseEstimator
    except ImportError:
        from ._plain import BaseEstimator


Metrics = Union[str, Callable[..., Any], Sequence[Union[str, Callable[..., Any]]]]


class LambdaMARTRanker(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Gradient-boosted trees for ranking.

    The parameters are those of LightGBM's LGBMRanker. Every other parameter that `lambdamart.parameters()`
    lists is accepted too, under its name or an alias, and checked by fit.

    early_stopping_rounds: stop when the metric on the first validation set has not improved for this many
        iterations, and keep the trees up to the best one. metric, eval_at: what is evaluated, by default "ndcg" at 1 to
        5 ("map" and "mrr" use all ranks unless eval_at is given). stop_metric, stop_set: what early stopping watches.
    preset: "auto" chooses the parameters of trees by the size of the data; parameters that you changed from their
        defaults keep their values. "best" has four times the models and query_context; predict and score then need the queries.
        "fast" grows few trees with large steps, for large data. Without a preset and parameters of trees, the logger
        lambdamart says once in a process what the preset would choose, unless verbose=0 is given.
    report: the path of an HTML report on the model, which fit writes.
    random_state: a number, or a numpy generator, from which fit draws one. The same number and data give the same
        model on every machine and for every n_jobs.
    n_jobs: number of threads; None or -1 is all processors.
    importance_type: "split" or "gain", for feature_importances_.
    verbose: 0 (default): nothing; 1: a line of progress in terminals and notebooks; n > 1: the metrics after every n
        iterations. Warnings are Python warnings.

    Attributes after fit: model_, n_features_in_, feature_names_in_ (of a frame), n_iter_, best_iteration_,
    best_score_, evals_result_, evaluated_ (the iterations of its values, from 1), feature_importances_, booster_ (a lightgbm.Booster).

    Pass queries to fit and score as qid, the query id of each row; as group, the number of rows of each query; or as a
    column qid, query_id, query or srch_id of a frame. With scikit-learn's metadata routing, GridSearchCV and
    cross_val_score pass qid and sample_weight to fit and score.
    """

    _estimator_type = "ranker"

    # What scikit-learn routes by default.
    __metadata_request__fit = {"qid": True, "sample_weight": True}
    __metadata_request__score = {"qid": True, "sample_weight": True}

    model_: Model
    n_features_in_: int

    def __init__(
        self,
        *,
        boosting_type: str = "gbdt",
        num_leaves: int = 31,
        max_depth: int = -1,
        learning_rate: float | Sequence[float] | Callable[[int], float] = 0.1,
        n_estimators: int = 100,
        subsample_for_bin: int = 200000,
        objective: str | Callable[..., Any] | None = None,
        class_weight: None = None,
        min_split_gain: float = 0.0,
        min_child_weight: float = 1e-3,
        min_child_samples: int = 20,
        subsample: float = 1.0,
        subsample_freq: int = 0,
        colsample_bytree: float = 1.0,
        reg_alpha: float = 0.0,
        reg_lambda: float = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        importance_type: str = "split",
        early_stopping_rounds: int | None = None,
        metric: Metrics | None = None,
        eval_at: Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        self.boosting_type = boosting_type
        self.num_leaves = num_leaves
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample_for_bin = subsample_for_bin
        self.objective = objective
        self.class_weight = class_weight
        self.min_split_gain = min_split_gain
        self.min_child_weight = min_child_weight
        self.min_child_samples = min_child_samples
        self.subsample = subsample
        self.subsample_freq = subsample_freq
        self.colsample_bytree = colsample_bytree
        self.reg_alpha = reg_alpha
        self.reg_lambda = reg_lambda
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.importance_type = importance_type
        self.early_stopping_rounds = early_stopping_rounds
        self.metric = metric
        self.eval_at = eval_at
        if kwargs:
            self._more = tuple(sorted(kwargs))
            for name, value in kwargs.items():
                setattr(self, name, value)

    # scikit-learn's conventions

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns all parameters, including those passed as **kwargs."""
        params: dict[str, Any] = super().get_params(deep=deep)
        params.update((name, getattr(self, name)) for name in getattr(self, "_more", ()))
        return params

    def set_params(self, **params: Any) -> "LambdaMARTRanker":
        """Sets parameters. fit checks new names, as it does for the constructor."""
        known = super().get_params(deep=False)
        more = set(getattr(self, "_more", ()))
        for name, value in params.items():
            if name not in known:
                more.add(name)
            setattr(self, name, value)
        if more:
            self._more = tuple(sorted(more))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "ranker"
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__

    def _check_fitted(self) -> None:
        if "model_" in self.__dict__:
            return
        message = "This LambdaMARTRanker instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
        try:
            from sklearn.exceptions import NotFittedError
        except ImportError:
            from ._plain import NotFittedError
        raise NotFittedError(message)

    def __dir__(self) -> list[str]:
        """Returns all names. scikit-learn's form asks for the value of each, which would convert the model for booster_."""
        return list(object.__dir__(self))

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Is asked by scikit-learn for the fitted attributes of a display, which has no booster_: nothing is converted for it."""
        self._displayed = True
        try:
            return super()._get_fitted_attr_html(doc_link)
        finally:
            del self._displayed

    def _check_features(self, x: Any, table: Table, reset: bool) -> None:
        """Stores or checks the number and the names of the features."""
        frame = _pandas_like(x)
        names = getattr(self, "feature_names_in_", None)
        if not reset and names is not None and table.names is not None:
            return  # columns are found by name, in any order and among other columns
        if not reset and not frame and table.names is None and names is None and table.columns == self.n_features_in_:
            return  # scikit-learn's check would take as long as scoring
        if not reset and names is None and table.names is not None and table.columns == self.n_features_in_:
            return  # the model says what becomes of columns with names
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:
            validate_data = None
        if validate_data is not None and (frame or table.names is None):
            validate_data(self, x if frame else np.empty((1, table.columns)), reset=reset, skip_check_array=True)
            return
        if reset:
            self.n_features_in_ = table.columns
            self.__dict__.pop("feature_names_in_", None)
            if table.names is not None:
                self.feature_names_in_ = np.array(table.names, dtype=object)
            return
        if table.columns != self.n_features_in_:
            raise ValueError(f"X has {table.columns} features, but LambdaMARTRanker is expecting {self.n_features_in_} features as input.")

    # Parameters

    def _parameters(self) -> dict[str, Any]:
        """Returns the parameters for training. Defaults, which training has too, are left out in favor of presets and aliases."""
        defaults = LambdaMARTRanker.__init__.__kwdefaults__ or {}
        more = getattr(self, "_more", ())
        params = {n: v for n, v in self.get_params(deep=False).items() if n in more or not _same(v, defaults[n])}
        params.pop("importance_type", None)
        if "class_weight" in params:
            raise ValueError("class_weight weights the classes of classifiers: give sample_weight to fit, a weight for each row")
        if "random_state" in params:
            params["random_state"] = _seed(params["random_state"])
        if "n_jobs" in params:
            params["n_jobs"] = _threads(params["n_jobs"])
        return params

    def _unnamed(self, params: dict[str, Any]) -> dict[str, Any]:
        """Returns the defaults that callbacks see in addition to the given parameters, without those that a preset or an alias may replace."""
        defaults = LambdaMARTRanker.__init__.__kwdefaults__ or {}
        if getattr(self, "_more", ()):
            return {}
        return {n: v for n, v in defaults.items() if v is not None and n not in params and n not in ("importance_type", "class_weight")}

    # Training

    @without(label2=NAMED_LABELS)
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        init_score: Any = None,
        group: Any = None,
        eval_set: Any = None,
        eval_names: Sequence[str] | None = None,
        eval_sample_weight: Sequence[Any] | None = None,
        eval_init_score: Sequence[Any] | None = None,
        eval_group: Sequence[Any] | None = None,
        eval_metric: Metrics | None = None,
        eval_at: Sequence[int] | None = None,
        feature_name: Any = "auto",
        categorical_feature: Any = None,
        callbacks: Sequence[Callback] | None = None,
        init_model: Any = None,
        *,
        eval_X: Any = None,
        eval_y: Any = None,
        qid: Any = None,
        labels: Mapping[str, Any] | None = None,
        position: Any = None,
        pairs: Any = None,
        pairs_weight: Any = None,
        eval_qid: Sequence[Any] | None = None,
        eval_pairs: Sequence[Any] | None = None,
        eval_labels: Sequence[Mapping[str, Any] | None] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool | str | None = None,
        report: str | os.PathLike[str] | None = None,
    ) -> "LambdaMARTRanker":
        """Trains on rows X with grades y. The rows of a query must be consecutive.

        X may be the path of a data file, or a Dataset; then it contains y and everything else.
        eval_set: a list of (X, y), whose queries are in eval_qid or eval_group. eval_X and eval_y are an alternative:
            one set, or a tuple of several.
        eval_metric, eval_at: replace the parameters metric and eval_at.
        checkpoint: a file from which interrupted training continues with resume=True or "auto"; see `train`.
        report: the path of an HTML report to write. resume and report are parameters too, which these replace.
        labels: further labels of the rows by their names, {"cart": added}, for objectives and metrics that name one:
            "lambdarank:1,binary@cart:0.2". eval_labels: those of each set of eval_set, which metrics such as "ndcg@cart" need.
        position: where the document of each row was shown. Pairwise objectives learn the bias of each position, in
            position_biases_. Validation sets need no positions.
        pairs: an array of two columns of row numbers, the better document and the worse one, which objective="pairs" learns.
            pairs_weight: weight of each pair. eval_pairs: pairs of each set of eval_set, by which eval_metric="pair_agreement" judges.
        feature_name: names of the columns; "auto": those of a frame.
        categorical_feature: names (texts) or numbers (places, from 0) of categorical features. In any case, also for "auto" and None,
            categorical columns of a frame whose values are not ordered are categorical features.
        init_model: a fitted ranker, a Model, a lightgbm.Booster, a fitted LGBMRanker, or the path of a model; its trees come
            before the new ones.
        """
        if self.importance_type not in ("split", "gain"):
            raise ValueError(f"importance_type={self.importance_type!r}: split or gain")
        params = self._parameters()
        if eval_metric is not None:
            params["metric"] = eval_metric
        if eval_at is not None:
            params["eval_at"] = eval_at
        if categorical_feature is not None:
            params["categorical_feature"] = categorical_feature
        data = self._dataset(X, y, qid, group, sample_weight, init_score, labels, position, pairs, pairs_weight)
        if not (isinstance(feature_name, str) and feature_name == "auto"):
            data = data.named(feature_name)
        if not isinstance(X, Dataset) and data.path is None:
            self._check_features(_without_qid(X, qid, group), data.table, reset=True)
        eval_set = _of_x_and_y(eval_set, eval_X, eval_y)
        if not eval_set:
            _warn_of_metrics(params, eval_metric, eval_at)
        given = {"eval_qid": eval_qid, "eval_group": eval_group, "eval_sample_weight": eval_sample_weight, "eval_init_score": eval_init_score, "eval_labels": eval_labels, "eval_pairs": eval_pairs}
        valid = self._eval_sets(eval_set, given)
        if isinstance(init_model, LambdaMARTRanker):
            init_model._check_fitted()
        names = data if isinstance(X, Dataset) or data.path is not None else None
        try:
            result = train(params, data, valid, eval_names, callbacks, checkpoint=checkpoint, resume=resume, report=report, init_model=init_model, _defaults=self._unnamed(params))
        except Interrupted as interrupted:
            self._take(interrupted.training, params, names)
            raise
        return self._take(result, params, names)

    def _take(self, result: Training, params: dict[str, Any], data: Dataset | None) -> "LambdaMARTRanker":
        """Sets the attributes from the result of training. data: the training data if it is a Dataset or a file."""
        if data is not None:
            self.n_features_in_ = result.model.num_inputs
            self.__dict__.pop("feature_names_in_", None)
            if data.feature_names is not None:
                self.feature_names_in_ = np.array(data.feature_names[: self.n_features_in_], dtype=object)
        self._objective = next((params[name] for name in OBJECTIVE if params.get(name) is not None), None)
        self.model_ = result.model
        self.n_iter_ = result.n_iter
        self.best_iteration_ = result.best_iteration
        self.evals_result_ = result.evals_result
        self.evaluated_ = result.evaluated
        self.models_evaluated_ = result.models_evaluated
        self.best_score_ = result.best_score
        self.position_biases_ = result.position_biases
        return self

    def _dataset(self, x: Any, y: Any, qid: Any, group: Any, weight: Any, init: Any, labels: Mapping[str, Any] | None = None, position: Any = None, pairs: Any = None, pairs_weight: Any = None) -> Dataset:
        if isinstance(x, Dataset):
            given = {"y": y, "qid": qid, "group": group, "sample_weight": weight, "init_score": init, "labels": labels, "position": position, "pairs": pairs, "pairs_weight": pairs_weight}
            extra = [n for n, v in given.items() if v is not None]
            if extra:
                raise ValueError(f"{', '.join(extra)} beside a Dataset, which has its own")
            return x
        if isinstance(x, (str, os.PathLike)):
            return Dataset(x, y, qid=qid, group=group, weight=weight, init_score=init, labels=labels, position=position, pairs=pairs, pairs_weight=pairs_weight)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        return Dataset(x, _column(y), qid=qid, group=group, weight=weight, init_score=init, labels=labels, position=position, pairs=pairs, pairs_weight=pairs_weight)

    def _eval_sets(self, eval_set: Any, given: dict[str, Any]) -> list[Dataset]:
        """Returns the validation sets. given: what fit got for them, by the name of its argument."""
        if eval_set is None:
            extra = [n for n, v in given.items() if v is not None]
            if extra:
                raise ValueError(f"{', '.join(extra)} without eval_set")
            return []
        if isinstance(eval_set, tuple):
            eval_set = [eval_set]
        eval_set = [_pair(s, i) for i, s in enumerate(eval_set)]
        each = [_each(n, v, len(eval_set)) for n, v in given.items()]
        return [self._eval_set(i, *given) for i, given in enumerate(zip(eval_set, *each))]

    def _eval_set(self, number: int, pair: tuple[Any, Any], qid: Any, group: Any, weight: Any, init: Any, labels: Any, pairs: Any) -> Dataset:
        try:
            return self._dataset(*pair, qid, group, weight, init, labels, pairs=pairs)
        except (TypeError, ValueError) as error:
            error.args = (f"eval_set[{number}]: {error}",)
            raise

    # Use

    def predict(
        self,
        X: Any,
        raw_score: bool = False,
        start_iteration: int = 0,
        num_iteration: int | None = None,
        pred_leaf: bool = False,
        pred_contrib: bool = False,
        validate_features: bool = False,
        *,
        qid: Any = None,
        group: Any = None,
    ) -> np.ndarray:
        """Returns the score of each row: within a query, the highest is the most relevant. It is a probability with
        objective="binary" and "cross_entropy", as in LightGBM.

        raw_score: the sum of the trees, whatever the objective.
        validate_features: require that the columns of a frame are the features of the model in order; by default,
            columns are found by name.
        pred_leaf, pred_contrib: return the leaf in each tree, or the contribution of each feature to the score.
        qid, group: needed with query_context, where scores depend on all documents of a query (a frame may have a
            column qid); otherwise only their length is checked.
        """
        self._check_fitted()
        if pred_leaf and pred_contrib:
            raise ValueError("pred_leaf or pred_contrib, not both")
        output = "leaves" if pred_leaf else "contributions" if pred_contrib else "scores"
        return self._scores(X, output, validate_features, qid, group, start_iteration=start_iteration, num_iteration=num_iteration, raw_score=raw_score)

    def calibrate(self, X: Any, y: Any, *, qid: Any = None, group: Any = None, sample_weight: Any = None, calibration: str = "auto", calibration_label: float | str = 1) -> LambdaMARTRanker:
        """Fits probabilities that a document has at least the grade calibration_label, on labeled rows that did not train
        the model. `predict_proba` then gives them; `predict` and the order of documents stay as they are."""
        self._check_fitted()
        X, column = _arrays.split_query_column(X, self.model_.feature_names)
        if qid is None and group is None:
            qid = column
        self.model_ = self.model_.calibrated(X, y, qid=qid, group=group, sample_weight=sample_weight, calibration=calibration, calibration_label=calibration_label)
        return self

    @property
    def predict_proba(self) -> Callable[..., np.ndarray]:
        """predict_proba(X) returns two columns, as scikit-learn's classifiers do: the probabilities that each document is
        not good, and that it is. It exists after `calibrate`, and with objective="binary" or "cross_entropy"."""
        objective = self._objective_line().partition(" ")[0] if hasattr(self, "model_") else self.objective
        if objective not in ("binary", "cross_entropy") and not (hasattr(self, "model_") and "\n[calibration: " in self.model_.text):
            raise AttributeError(f"predict_proba: with objective={self.objective!r}, scores are not probabilities; call calibrate(X, y), or train with objective='binary'")
        return self._probabilities

    def _probabilities(self, X: Any, *, start_iteration: int = 0, num_iteration: int | None = None, qid: Any = None, group: Any = None) -> np.ndarray:
        self._check_fitted()
        good = self._scores(X, "scores", False, qid, group, start_iteration=start_iteration, num_iteration=num_iteration, probability=True)
        return np.column_stack((1 - good, good))

    def _scores(self, X: Any, output: str, validate_features: bool, qid: Any, group: Any, **options: Any) -> np.ndarray:
        """Returns the scores, or another output; options are those of Model.predict."""
        options["num_threads"] = _threads(self.n_jobs)
        if isinstance(X, (str, os.PathLike)):
            if validate_features:
                raise ValueError("validate_features=True is for frames and matrices; the columns of a file are found by name")
            return self.model_.predict(X, qid=qid, group=group, output=output, **options)
        X, column = _arrays.split_query_column(X, self.model_.feature_names)
        if qid is None and group is None:
            qid = column
        table = _arrays.table(X)
        self._check_features(X, table, reset=False)
        if validate_features and table.names is not None:
            self._check_order(table.names)
        part = part_of(*(options.get(name, False) for name in ("start_iteration", "num_iteration", "num_threads", "raw_score", "probability")))
        return self.model_.predict_table(self.model_.matched(table, getattr(self, "feature_names_in_", None)), output, part, self.model_.sizes_of(X, qid, group, table.rows))

    def _objective_line(self) -> str:
        """Returns the objective in the model text."""
        lines = self.model_.text.split("\n\n", 1)[0].splitlines()
        return next((line.removeprefix("objective=") for line in lines if line.startswith("objective=")), "")

    def _check_order(self, names: Sequence[str]) -> None:
        """Refuses columns that are not the features of the model in order."""
        given = getattr(self, "feature_names_in_", self.model_.feature_names)
        wanted = [str(n) for n in given][: self.n_features_in_]
        if len(names) != len(wanted):
            raise ValueError(f"validate_features: the frame has {counted(len(names), 'column')}, and the model has {counted(len(wanted), 'feature')}")
        for i, (name, want, held) in enumerate(zip(names, wanted, self.model_.feature_names)):
            if name not in (want, held):
                raise ValueError(f"validate_features: column {i} of the frame is {name!r}, and feature {i} of the model is {want!r}")

    def score(self, X: Any, y: Any, *, qid: Any = None, group: Any = None, sample_weight: Any = None) -> float:
        """Returns nDCG@10 by the gains and the convention of training (label_gain, metric_convention).
        `lambdamart.evaluate` computes other metrics."""
        self._check_fitted()
        _arrays.check_order(X, "X", {"y": y, "qid": qid, "sample_weight": sample_weight})
        if qid is None and group is None:
            _, qid = _arrays.split_query_column(X)
        model, scores = self.model_, self.predict(X, raw_score=True, qid=qid, group=group)
        return evaluate(_column(y), scores, qid=qid, group=group, sample_weight=sample_weight, convention=model.metric_convention, label_gain=model.label_gain)[0].value

    @property
    def feature_importances_(self) -> np.ndarray:
        self._check_fitted()
        return self.model_.feature_importance(self.importance_type)

    @property
    def feature_name_(self) -> list[str]:
        self._check_fitted()
        return list(self.model_.feature_names)

    @property
    def n_features_(self) -> int:
        self._check_fitted()
        return self.n_features_in_

    @property
    def n_estimators_(self) -> int:
        self._check_fitted()
        return self.n_iter_

    @property
    def objective_(self) -> Any:
        """The given objective, a name or a function; otherwise the one in the model text."""
        self._check_fitted()
        return self._objective or self._objective_line().partition(" ")[0]

    @property
    def booster_(self) -> Any:
        """The model as lightgbm.Booster, for tools that take one, such as SHAP's TreeExplainer. It is converted once."""
        self._check_fitted()
        if hasattr(self, "_displayed"):
            raise AttributeError("booster_ is not displayed")
        try:
            return self.model_.booster()
        except ImportError as error:  # hasattr, which displays and tab completion call, expects an AttributeError
            raise AttributeError("booster_ is a lightgbm.Booster, and LightGBM cannot be imported: pip install lightgbm, or use model_") from error


TRAINING_METRIC = ("is_provide_training_metric", "is_training_metric", "training_metric", "train_metric")
OBJECTIVE = ("objective", "objective_type", "app", "application", "loss")


def _of_x_and_y(eval_set: Any, x: Any, y: Any) -> Any:
    """Returns eval_set, or eval_X and eval_y in this form, as for LGBMRanker."""
    if x is None and y is None:
        return eval_set
    if eval_set is not None:
        raise ValueError("eval_set or eval_X and eval_y, not both")
    if x is None or y is None:
        raise ValueError("eval_X and eval_y go together; give both")
    if not isinstance(x, tuple) and not isinstance(y, tuple):
        return [(x, y)]
    if not isinstance(x, tuple) or not isinstance(y, tuple) or len(x) != len(y):
        raise ValueError("eval_X and eval_y are two tuples of the same length for several sets, and none is a tuple for one")
    return list(zip(x, y))


def _warn_of_metrics(params: dict[str, Any], metric: Any, at: Any) -> None:
    """Warns of arguments of fit that have no effect without validation sets. `train` warns of functions among the metrics."""
    functions = callable(metric) or isinstance(metric, (list, tuple)) and any(callable(m) for m in metric)
    given = {"eval_metric": None if functions else metric, "eval_at": at}
    unused = [name for name, value in given.items() if value is not None]
    on_training = any(str(params.get(name)).lower() in ("true", "1") for name in TRAINING_METRIC)
    if unused and not on_training:
        warn(f"{', '.join(unused)} without eval_set: there is no validation set to evaluate")


def _same(value: Any, default: Any) -> bool:
    """Reports whether a parameter has its default value."""
    return value is default or isinstance(value, (str, int, float)) and value == default


def _seed(state: Any) -> int | None:
    """Returns the seed of a random_state."""
    if state is None or isinstance(state, (int, np.integer)):
        return None if state is None else int(state)
    if hasattr(state, "randint"):
        return int(state.randint(2**31 - 1))
    if hasattr(state, "integers"):
        return int(state.integers(2**31 - 1))
    raise ValueError(f"random_state={state!r}: a whole number, or a generator of numpy")


def _threads(jobs: Any) -> int:
    """Returns the number of threads, 0 for all processors. Negative numbers count from the end, as in joblib."""
    if jobs is None:
        return 0
    if isinstance(jobs, bool) or not isinstance(jobs, (int, np.integer)):
        raise TypeError(f"n_jobs={jobs!r}: a whole number of threads, or None or -1 for all processors")
    if jobs == -1:
        return 0
    return int(jobs) if jobs >= 0 else max(1, (os.cpu_count() or 1) + 1 + int(jobs))


def _column(y: Any) -> Any:
    """Warns about a column vector, as scikit-learn does."""
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        try:
            from sklearn.exceptions import DataConversionWarning as Kind
        except ImportError:
            from ._errors import LambdaMARTWarning as Kind
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, ), for example using ravel().", Kind, stacklevel=4)
    return y


def _pair(entry: Any, number: int) -> tuple[Any, Any]:
    """Returns an entry of eval_set as (X, y). A Dataset or a file contains its labels."""
    if isinstance(entry, (Dataset, str, os.PathLike)):
        return entry, None
    if not isinstance(entry, (tuple, list)) or len(entry) != 2:
        what = f"has {len(entry)} parts" if isinstance(entry, (tuple, list)) else f"is of the type {type(entry).__name__}"
        raise ValueError(f"entry {number} of eval_set {what}; it is (X, y), a Dataset, or the path of a file, and queries are in eval_qid or eval_group")
    return entry[0], entry[1]


def _each(name: str, values: Any, n: int) -> list[Any]:
    if values is None:
        return [None] * n
    each = list(values)
    if len(each) != n:
        raise ValueError(f"{name} has {counted(len(each), 'entry')} for {counted(n, 'set')} of eval_set")
    return each


def _pandas_like(x: Any) -> bool:
    return type(x).__module__.partition(".")[0] == "pandas"


def _without_qid(x: Any, qid: Any, group: Any) -> Any:
    """Returns X in the form that Dataset takes."""
    return x if qid is not None or group is not None else _arrays.split_query_column(x)[0]
