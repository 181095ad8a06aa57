"""Callbacks of training for other packages, which are imported only by what needs them.

    ranker.fit(..., callbacks=[OptunaPruning(trial, "ndcg@10"), MLflowMetrics()])
"""

from __future__ import annotations

from typing import Any

from ._train import Iteration


class OptunaPruning:
    """Reports a metric to a trial of Optuna after each iteration, and ends the trial if Optuna wants to prune it.

    metric: its name; None is the last one. set_name: the validation set; None is the first one.
    """

    def __init__(self, trial: Any, metric: str | None = None, set_name: str | None = None) -> None:
        self.trial, self.metric, self.set_name = trial, metric, set_name

    def __call__(self, iteration: Iteration) -> None:
        import optuna

        if not iteration.evaluation_result_list:
            return
        self.trial.report(self._value(iteration), step=iteration.iteration)
        if self.trial.should_prune():
            raise optuna.TrialPruned(f"pruned after {iteration.iteration + 1} iterations")

    def _value(self, iteration: Iteration) -> float:
        results = iteration.evaluation_result_list
        set_name = results[0].dataset_name if self.set_name is None else self.set_name
        of_set = [r for r in results if r.dataset_name == set_name and self.metric in (None, r.metric_name)]
        if not of_set:
            known = ", ".join(f"{r.metric_name} on {r.dataset_name}" for r in results)
            raise ValueError(f"{self.metric or 'a metric'} on {set_name} is not evaluated; there are {known}")
        return of_set[-1].metric_value


class MLflowMetrics:
    """Logs the parameters of a training, and the metrics of each iteration, to the active run of MLflow.

    A metric is called valid_0.ndcg_10: MLflow has no @ in names. prefix comes before it.
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self._begun = False

    def __call__(self, iteration: Iteration) -> None:
        import mlflow

        if not self._begun:
            self._begun = True
            mlflow.log_params({f"{self.prefix}{name}": value for name, value in iteration.params.items()})
        metrics = {f"{self.prefix}{r.dataset_name}.{r.metric_name.replace('@', '_')}": r.metric_value for r in iteration.evaluation_result_list}
        if metrics:
            mlflow.log_metrics(metrics, step=iteration.iteration)
