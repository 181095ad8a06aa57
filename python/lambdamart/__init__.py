"""LambdaMART: gradient-boosted trees for ranking.

    from lambdamart import LambdaMARTRanker

    ranker = LambdaMARTRanker(n_estimators=300).fit(X, y, qid=qid)
    scores = ranker.predict(X_test)

Training runs in a separate process, which executes the binary of this package on arrays in shared memory.
Scoring uses a second process that keeps running. `LambdaMARTRanker` is a scikit-learn estimator built on
`train`, `Dataset`, `Model` and `evaluate`. `parameters()` lists all parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from ._cv import CrossValidation, Selection, Tuning, cv, select, tune
    from ._command import Output, command
    from ._dataset import Dataset
    from ._errors import Interrupted, LambdaMARTError, LambdaMARTWarning, StopTraining, TrainingFailed, TrainingPanic
    from ._evaluate import Churn, Comparison, Difference, Evaluation, Segment, compare, evaluate
    from ._explain import explain
    from ._model import Model, check_export
    from ._own import Scored
    from ._plot import plot_importance, plot_metric, plot_tree
    from ._ranker import LambdaMARTRanker
    from ._settings import Parameter, parameters
    from ._train import Iteration, Training, train

__all__ = [
    "Churn",
    "Comparison",
    "CrossValidation",
    "Dataset",
    "Difference",
    "Evaluation",
    "Iteration",
    "LambdaMARTError",
    "LambdaMARTRanker",
    "LambdaMARTWarning",
    "Model",
    "Output",
    "Parameter",
    "Scored",
    "Segment",
    "Selection",
    "Interrupted",
    "TrainingFailed",
    "TrainingPanic",
    "StopTraining",
    "Training",
    "Tuning",
    "__version__",
    "check_export",
    "command",
    "compare",
    "cv",
    "evaluate",
    "explain",
    "parameters",
    "plot_importance",
    "plot_metric",
    "plot_tree",
    "select",
    "train",
    "tune",
]

_MODULES = {
    "CrossValidation": "_cv",
    "Selection": "_cv",
    "Tuning": "_cv",
    "cv": "_cv",
    "select": "_cv",
    "tune": "_cv",
    "Churn": "_evaluate",
    "Comparison": "_evaluate",
    "Difference": "_evaluate",
    "check_export": "_model",
    "compare": "_evaluate",
    "plot_importance": "_plot",
    "plot_metric": "_plot",
    "plot_tree": "_plot",
    "Output": "_command",
    "command": "_command",
    "Dataset": "_dataset",
    "Evaluation": "_evaluate",
    "Iteration": "_train",
    "LambdaMARTError": "_errors",
    "LambdaMARTRanker": "_ranker",
    "LambdaMARTWarning": "_errors",
    "Model": "_model",
    "Parameter": "_settings",
    "Scored": "_own",
    "Segment": "_evaluate",
    "Interrupted": "_errors",
    "TrainingFailed": "_errors",
    "TrainingPanic": "_errors",
    "StopTraining": "_errors",
    "Training": "_train",
    "evaluate": "_evaluate",
    "explain": "_explain",
    "parameters": "_settings",
    "train": "_train",
}


def __getattr__(name: str) -> Any:
    """Imports a module when it is first needed, because importing scikit-learn takes most of a second."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
