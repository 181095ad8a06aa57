"""Training callbacks for other packages, which are imported only when a callback is made.

    ranker.fit(..., callbacks=[OptunaPruning(trial, "ndcg@10"), MLflowMetrics()])
    mlflow_autolog()    # logs all training runs from now on
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import _train
from ._errors import counted, imported
from ._train import Iteration, Training


class OptunaPruning:
    """Reports a metric to an Optuna trial after each iteration, and ends the trial if Optuna prunes it.

    metric: its name; None: the last one. set_name: the validation set; None: the first one. For an ensemble, only its
        final value is reported, unless set_name names one of its models ("model_1.valid_0").
    """

    def __init__(self, trial: Any, metric: str | None = None, set_name: str | None = None) -> None:
        imported("optuna", "OptunaPruning")
        self.trial, self.metric, self.set_name = trial, metric, set_name

    def __call__(self, iteration: Iteration) -> None:
        import optuna

        if not iteration.evaluation_result_list or iteration.member and self.set_name is None:
            return
        self.trial.report(self._value(iteration), step=iteration.iteration)
        if self.trial.should_prune():
            raise optuna.TrialPruned(f"pruned after {counted(iteration.iteration + 1, 'iteration')}")

    def _value(self, iteration: Iteration) -> float:
        results = iteration.evaluation_result_list
        set_name = results[0].dataset_name if self.set_name is None else self.set_name
        of_set = [r for r in results if r.dataset_name == set_name and self.metric in (None, r.metric_name)]
        if not of_set:
            known = ", ".join(f"{r.metric_name} on {r.dataset_name}" for r in results)
            raise ValueError(f"{self.metric or 'a metric'} on {set_name} is not evaluated; there are {known}")
        return of_set[-1].metric_value


class MLflowMetrics:
    """Logs the parameters of a training run, and the metrics of each iteration, to the active run of MLflow.

    A metric is called valid_0.ndcg_10, because MLflow does not allow @ in names. For an ensemble, valid_0.ndcg_10 is the
    value of the whole, and model_1.valid_0.ndcg_10 the curve of a model. prefix is put before these names. log_model
    applies to `end`.
    """

    def __init__(self, prefix: str = "", log_model: bool = True) -> None:
        imported("mlflow", "MLflowMetrics")
        self.prefix, self.log_model = prefix, log_model
        self._begun = False

    def __call__(self, iteration: Iteration) -> None:
        import mlflow

        if not self._begun:
            self._begun = True
            mlflow.log_params({f"{self.prefix}{name}": value for name, value in iteration.params.items()})
        metrics = {f"{self.prefix}{r.dataset_name}.{r.metric_name.replace('@', '_')}": r.metric_value for r in iteration.evaluation_result_list}
        if metrics:
            mlflow.log_metrics(metrics, step=iteration.iteration)

    def end(self, training: Training) -> None:
        """Logs the best iteration, its metrics, and the model as the artifact model.txt."""
        import mlflow

        best = {f"{self.prefix}best.{s}.{m.replace('@', '_')}": v for s, metrics in training.best_score.items() for m, v in metrics.items()}
        mlflow.log_metrics({**best, f"{self.prefix}best_iteration": training.best_iteration})
        if self.log_model:
            mlflow.log_text(training.model.text, f"{self.prefix}model.txt")


def mlflow_autolog(*, log_models: bool = True, disable: bool = False) -> None:
    """Makes every training run of this process log its parameters, metrics and model to MLflow, as MLflow's autolog does
    for other packages. disable: turn this off.

    The first training run within an active MLflow run logs to it, and further ones to nested runs. Without an active
    run, each gets a new run.
    """
    _train.OBSERVERS[:] = [o for o in _train.OBSERVERS if not isinstance(o, _Autolog)]
    if not disable:
        _train.OBSERVERS.append(_Autolog(log_models))


class _Autolog:
    def __init__(self, log_models: bool) -> None:
        imported("mlflow", "mlflow_autolog")
        self.log_models = log_models
        self.used: set[str] = set()  # ids of MLflow runs that already contain a training run

    @contextmanager
    def _run(self) -> Iterator[None]:
        import mlflow

        active = mlflow.active_run()
        if active is not None and active.info.run_id not in self.used:
            self.used.add(active.info.run_id)
            yield
            return
        with mlflow.start_run(nested=active is not None) as run:
            self.used.add(run.info.run_id)
            yield

    @contextmanager
    def __call__(self) -> Iterator[MLflowMetrics]:
        with self._run():
            yield MLflowMetrics(log_model=self.log_models)
