"""Replaces the parts of scikit-learn's BaseEstimator that LambdaMARTRanker needs, if scikit-learn is not installed."""

from __future__ import annotations

import inspect
from typing import Any


class NotFittedError(ValueError, AttributeError):
    """An estimator is used before fit. hasattr expects an AttributeError."""


class BaseEstimator:
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        names = [p.name for p in inspect.signature(type(self).__init__).parameters.values() if p.kind == p.KEYWORD_ONLY]
        return {name: getattr(self, name) for name in sorted(names)}

    def __repr__(self) -> str:
        defaults = type(self)().get_params()
        changed = {n: v for n, v in self.get_params().items() if n not in defaults or v != defaults[n]}
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in changed.items())})"
