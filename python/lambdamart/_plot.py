"""Plots made with matplotlib, which is imported when it is first needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import agreeing, imported
from ._model import Model
from ._trees import Node


def plot_importance(model: Any, *, importance_type: str = "split", max_num_features: int = 20, ax: Any = None) -> Any:
    """Plots the most important features as bars, and returns the axes.

    model: a Model or a fitted estimator. importance_type: "split", the number of splits, or "gain", the sum of gains.
    """
    model = _model(model)
    importance = model.feature_importance(importance_type)
    top = [i for i in np.argsort(-importance, kind="stable")[:max_num_features] if importance[i] > 0][::-1]
    ax = _axes(ax, (7, 1 + 0.25 * len(top)))
    ax.barh(range(len(top)), importance[top], height=0.6)
    ax.set_yticks(range(len(top)), [model.feature_names[i] for i in top])
    ax.set_xlabel("splits" if importance_type == "split" else "gain")
    return ax


def plot_metric(trained: Any, metric: str | None = None, *, ax: Any = None) -> Any:
    """Plots a metric of all sets against iterations, with the best iteration, and returns the axes.

    trained: a result of `train`, or a fitted estimator. metric: its name; by default the last one.
    """
    results = getattr(trained, "evals_result_", None) or getattr(trained, "evals_result", None)
    if not results:
        raise ValueError("there are no metrics: train with validation sets")
    known = list(next(iter(results.values())))
    metric = known[-1] if metric is None else metric
    if metric not in known:
        raise ValueError(f"metric={metric!r} was not evaluated; there are {', '.join(known)}")
    ax = _axes(ax, (7, 4))
    iterations = trained.evaluated_ if hasattr(trained, "evaluated_") else trained.evaluated
    of_models = getattr(trained, "models_evaluated_", None) or getattr(trained, "models_evaluated", {})
    for name, metrics in results.items():
        if of_models and name not in of_models:
            ax.axhline(metrics[metric][-1], color="black", linewidth=0.8, label=f"{name}, the ensemble")
        else:
            ax.plot(of_models.get(name, iterations), metrics[metric], label=name)
    best = getattr(trained, "best_iteration_", None) or getattr(trained, "best_iteration", 0)
    if best < iterations[-1] and not of_models:
        ax.axvline(best, color="gray", linewidth=0.8, linestyle="--", label=f"best: {best}")
    ax.set_xlabel("iteration")
    ax.set_ylabel(metric)
    ax.legend()
    return ax


def plot_tree(model: Any, tree_index: int = 0, *, precision: int = 3, ax: Any = None) -> Any:
    """Plots a tree, and returns the axes. Rows that satisfy a condition go left."""
    model = _model(model)
    roots = model.trees()
    if not 0 <= tree_index < len(roots):
        raise IndexError(f"tree_index={tree_index}: the model has the trees 0 to {len(roots) - 1}")
    places: dict[str, tuple[float, int]] = {}
    leaves = _place(roots[tree_index], 0, places)
    depth = -min(y for _, y in places.values())
    ax = _axes(ax, (min(40, 1 + 1.2 * leaves), 1.2 * (depth + 1)))
    _draw(roots[tree_index], places, model.feature_names, precision, ax)
    ax.set_xlim(-0.7, leaves - 0.3)
    ax.set_ylim(-depth - 0.5, 0.5)
    ax.axis("off")
    return ax


def _model(model: Any) -> Model:
    model = getattr(model, "model_", None) or getattr(model, "model", model)
    if not isinstance(model, Model):
        raise TypeError(f"a Model or a fitted estimator is needed, not {type(model).__name__}")
    return model


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    if ax is not None:
        return ax
    return imported("matplotlib.pyplot", "a picture").subplots(figsize=size, layout="constrained")[1]


def _place(node: Node, first: int, places: dict[str, tuple[float, int]]) -> int:
    """Places leaves side by side, and nodes above the middle of their children. Returns the number of leaves."""
    if node.left is None or node.right is None:
        places[node.name] = first, 1 - node.depth
        return 1
    left = _place(node.left, first, places)
    right = _place(node.right, first + left, places)
    places[node.name] = (places[node.left.name][0] + places[node.right.name][0]) / 2, 1 - node.depth
    return left + right


def _draw(node: Node, places: dict[str, tuple[float, int]], names: list[str], precision: int, ax: Any) -> None:
    x, y = places[node.name]
    if node.left is None or node.right is None or node.feature is None:
        text, color = f"{node.value:.{precision}g}\n{node.count:,} {agreeing(node.count, 'row')}", "#e4f0e4"
    else:
        threshold = node.threshold if isinstance(node.threshold, str) else f"{node.threshold:.{precision}g}"
        text, color = f"{names[node.feature]}\n{node.decision} {threshold}", "#e4e8f4"
        for child in node.left, node.right:
            to = places[child.name]
            ax.plot([x, to[0]], [y, to[1]], color="gray", linewidth=0.8, zorder=1)
            _draw(child, places, names, precision, ax)
    ax.text(x, y, text, ha="center", va="center", fontsize=8, zorder=2, bbox={"boxstyle": "round", "facecolor": color, "edgecolor": "gray"})
