"""Errors and warnings."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any


class LambdaMARTError(RuntimeError):
    """The binary cannot be run, or has ended without an answer. What is wrong with data or parameters is a ValueError."""


class LambdaMARTWarning(UserWarning):
    """Something that was probably not intended."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C has ended a run. training: what it had until then, with the model of the iterations that were done."""

    def __init__(self, training: Any) -> None:
        super().__init__(f"the run was interrupted; the model has {training.model.num_trees} trees")
        self.training = training


class StopTraining(Exception):
    """A callback raises this to end training. The model has the trees up to the current iteration."""


def warn(text: str) -> None:
    """Warns of something, as the line of the caller's code that called this package."""
    here, frame, level = os.path.dirname(__file__), sys._getframe(1), 2
    while frame.f_back is not None and (os.path.dirname(frame.f_code.co_filename) == here or "contextlib" in frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, LambdaMARTWarning, stacklevel=level)


def check_written(result: dict[str, Any]) -> None:
    """Raises the error of the system with which writing a file ended, such as FileNotFoundError."""
    if "errno" in result:
        number = result["errno"]
        raise OSError(number, os.strerror(number), result["path"], number)
