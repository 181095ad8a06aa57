"""Parameters as the command line takes them: texts, and which there are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._process import WORKERS

RATE = ("learning_rate", "shrinkage_rate", "eta")


@dataclass(frozen=True)
class Parameter:
    """A parameter of training or of reading files, as on the command line and in docs/parameters.md."""

    name: str
    aliases: tuple[str, ...]
    group: str
    default: str
    type: str
    range: str
    help: str


def parameters() -> list[Parameter]:
    """Returns all parameters of `train`."""
    with WORKERS.taken() as worker:
        event, _ = worker.call("parameters")
    return [Parameter(p["name"], tuple(p["aliases"]), p["group"], p["default"], p["type"], p["range"], p["help"]) for p in event["parameters"]]


def as_settings(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns parameters as text, as on the command line. None stands for the default."""
    params = {str(name): value for name, value in params.items() if value is not None}
    for name in RATE:
        if not isinstance(params.get(name, ""), (str, int, float, np.generic)):
            params["learning_rates"] = _rates(params.pop(name), params)
    return [(name, text_of(name, value)) for name, value in params.items()]


def _rates(schedule: Any, params: Mapping[str, Any]) -> Any:
    """Returns the learning rates of a schedule, which is a list or a function of the iteration, from 0."""
    if not callable(schedule):
        return schedule
    return [_rate(schedule(i), i) for i in range(rounds(params, "learning_rate is a function"))]


def _rate(value: Any, iteration: int) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"learning_rate is a function that returns {value!r} for iteration {iteration}; it must return a number above 0") from None


def rounds(params: Mapping[str, Any], why: str) -> int:
    """Returns the number of iterations in parameters. why: the reason for errors."""
    rounds = next(p for p in parameters() if p.name == "num_iterations")
    given = next((params[n] for n in (rounds.name, *rounds.aliases) if params.get(n) is not None), None)
    if given is None and params.get("preset") not in (None, "none"):
        raise ValueError(f"{why}, and preset={params['preset']} chooses num_iterations: give num_iterations (n_estimators), which it needs")
    return int(rounds.default if given is None else given)


def absolute(name: str, path: Any) -> str:
    """Returns the absolute path of a file that an argument names."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"{name}={path!r}: the path of a file is a string or a pathlib.Path, not {type(path).__name__}")
    return os.path.abspath(os.fsdecode(path))


def text_of(name: str, value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return ",".join(f"[{text_of(name, v)}]" if isinstance(v, (list, tuple)) else text_of(name, v) for v in value)
    if isinstance(value, dict):  # numbers by feature
        return ",".join(f"{key}:{text_of(name, v)}" for key, v in value.items())
    raise TypeError(f"{name}={value!r}: a parameter is a number, a string, a switch, or a list or dictionary of them, not {type(value).__name__}")
