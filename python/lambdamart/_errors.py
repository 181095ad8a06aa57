"""Errors and warnings."""

from __future__ import annotations

import functools
import importlib
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


class LambdaMARTError(RuntimeError):
    """The binary cannot be run, or ended without an answer. Wrong data or parameters raise a ValueError instead."""


class TrainingPanic(LambdaMARTError):
    """Training met a defect. The text says what to report; model is that of the iterations before, or None."""

    def __init__(self, text: str, content: bytes = b"") -> None:
        super().__init__(text)
        self.content = content
        self.model: Any = None


class TrainingFailed(ValueError):
    """An iteration failed, for example because an objective returned NaN. model is that of the iterations before."""

    def __init__(self, text: str, content: bytes = b"") -> None:
        super().__init__(text)
        self.content = content
        self.model: Any = None


class LambdaMARTWarning(UserWarning):
    """Warns of something that was probably not intended."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a training run. training: the result so far, with the model of the completed iterations."""

    def __init__(self, training: Any) -> None:
        super().__init__(training)
        self.training = training

    def __str__(self) -> str:
        return f"the run was interrupted; the model has {counted(self.training.model.num_trees, 'tree')}"


class StopTraining(Exception):
    """Raise this in a callback to end training. The model has the trees up to the current iteration."""


#: What to do instead of giving label2=.
NAMED_LABELS = 'use labels={"purchase": bought} and objective="lambdarank:1,lambdarank@purchase:0.2"'


def without(**gone: str) -> Callable[[_Function], _Function]:
    """Makes a function refuse arguments that earlier versions had. gone says for each what to do instead."""

    def refusing(function: _Function) -> _Function:
        @functools.wraps(function)
        def checked(*args: Any, **given: Any) -> Any:
            for name in gone.keys() & given.keys():
                raise TypeError(f"{function.__qualname__.removesuffix('.__init__')} has no {name}= any more: {gone[name]}")
            return function(*args, **given)

        return cast(_Function, checked)

    return refusing


def agreeing(n: int, noun: str) -> str:
    """The noun, given in the singular, as it follows the number n: "query" after 1, "queries" after 2."""
    if n == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"


def counted(n: int, noun: str) -> str:
    """A number and the noun of what is counted, given in the singular: "1 query", "2 queries"."""
    return f"{n} {agreeing(n, noun)}"


def warn(text: str) -> None:
    """Issues a warning that points to the line outside this package that called it."""
    here, frame, level = os.path.dirname(__file__), sys._getframe(1), 2
    while frame.f_back is not None and (os.path.dirname(frame.f_code.co_filename) == here or "contextlib" in frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, LambdaMARTWarning, stacklevel=level)


def imported(module: str, for_what: str) -> Any:
    """Imports a module of a package that this one can do without."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{for_what} needs {package}, which cannot be imported ({error}): pip install {package}") from error


def check_written(result: dict[str, Any]) -> None:
    """Raises the operating system error that writing a file failed with, such as FileNotFoundError."""
    if "errno" in result:
        number = result["errno"]
        raise OSError(number, os.strerror(number), result["path"], number)


# What messages of the binary say for its command line, and what it is called in Python.
WORDS = {
    "needs a validation set: give valid=FILE": "needs a validation set, which is eval_set in fit and valid_sets in train",
    "needs validation data: give valid=FILE": "needs validation data, which is eval_set in fit and valid_sets in train",
    "objective=pairs needs pairs of documents: give pairs=FILE to train, which alone reads them": "objective=pairs needs pairs of documents: give pairs to fit or to Dataset; only training reads them",
    "or run lambdamart calibrate with other labeled data": "or call calibrate with other labeled data",
    "bin both with the same lambdamart bin (valid=), or with reference=": "bin it with reference=, the binned training data",
    "trials.tsv has the reasons": "trials of the result have the reasons",
    "are beside output_model, which must be a file then; or name their file: checkpoint=FILE": "need a file: give the argument checkpoint",
}


def in_python(text: str) -> str:
    """Returns a message of the binary with the names that its parts have in Python."""
    for words, here in WORDS.items():
        text = text.replace(words, here)
    return text
