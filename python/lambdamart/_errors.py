"""Errors and warnings."""


class LambdaMARTError(RuntimeError):
    """The binary cannot be run, or has ended without an answer. What is wrong with data or parameters is a ValueError."""


class LambdaMARTWarning(UserWarning):
    """Something that was probably not intended."""


class StopTraining(Exception):
    """A callback raises this to end training. The model has the trees up to the current iteration."""
