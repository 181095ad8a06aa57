"""Output during a training run: a line of progress in terminals and notebooks, or lines of metrics."""

from __future__ import annotations

import logging
import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from ._errors import warn

NAMES = ("verbose", "verbosity")

log = logging.getLogger("lambdamart")
TOLD = threading.Event()  # the message about defaults appears once in a process


class Silent:
    """Shows nothing."""

    shows = False
    wanted = False  # the caller asked for silence

    def reading(self, event: dict[str, Any]) -> None:
        """Called while files are read."""

    def continues(self, trees: int) -> None:
        """Called when training continues from a model with this number of trees, before its iterations."""

    def iteration(self, event: dict[str, Any]) -> None:
        """Called after each iteration, and for those restored from a checkpoint."""

    def close(self) -> None:
        """Called when training ends in any way."""


class Lines(Silent):
    """Prints the metrics every `period` iterations, or at the next one with metrics, in the format of LightGBM's log_evaluation."""

    shows = True

    def __init__(self, period: int) -> None:
        self.period = period
        self.due = False  # metrics are printed as soon as there are some

    def iteration(self, event: dict[str, Any]) -> None:
        if event["restored"]:
            return
        n = event["iteration"]
        self.due |= n % self.period == 0 or n == event["of"]
        if not self.due or not event["evaluations"]:
            return
        self.due = False
        values = "\t".join(f"{name}'s {metric}: {_number(value)}" for name, metric, value in event["evaluations"])
        print(f"[{n}]\t{values}", flush=True)


class Live(Silent):
    """Shows one line that is updated. write replaces the text, and end keeps it."""

    shows = True

    def __init__(self, write: Callable[[str], None], end: Callable[[], None], pause: float) -> None:
        self.write, self.end, self.pause = write, end, pause
        self.began = self.last = time.monotonic()
        self.first = 0  # number of iterations restored from a checkpoint, and of trees of an initial model
        self.best: tuple[float, int] | None = None
        self.name = ""  # of the set of best
        self.text = ""
        self.written = ""
        self.done = ""  # the text of the last iteration, without the time left

    def reading(self, event: dict[str, Any]) -> None:
        part = f"{100 * event['read'] / event['of']:.0f} %" if event["of"] > 0 else f"{event['read'] / 1e6:.0f} MB"
        self._show(f"reading {event['path']}: {part}")
        self.began = time.monotonic()

    def continues(self, trees: int) -> None:
        self.first = trees

    def iteration(self, event: dict[str, Any]) -> None:
        n, of = event["iteration"], event["of"]
        if event["restored"]:
            self.first, self.began = n, time.monotonic()
        each = (time.monotonic() - self.began) / max(1, n - self.first)
        left = "" if n == of or event["restored"] else f"  {_duration(each * (of - n))} left"
        self.done = f"{n}/{of}{self._metric(event, n)}"
        self._show(self.done + left, now=n == of)

    def _metric(self, event: dict[str, Any], n: int) -> str:
        """Returns the value of the last metric of the first validation set, and its best value so far."""
        first = [e for e in event["evaluations"] if e[0] == event["evaluations"][0][0]]
        if not first:
            return ""
        name, metric, value = first[-1]
        if name != self.name:  # the next model of an ensemble
            self.name, self.best = name, None
        sign = -1 if metric in event.get("lower", ()) else 1
        if value is not None and (self.best is None or sign * value > sign * self.best[0]):
            self.best = value, n
        best = f" (best {self.best[0]:.5f} at {self.best[1]})" if self.best is not None and self.best[1] != n else ""
        return f"  {name} {metric} {_number(value)}{best}"

    def _show(self, text: str, now: bool = False) -> None:
        self.text = text
        if now or time.monotonic() - self.last >= self.pause:
            self.last = time.monotonic()
            self.write(text)
            self.written = text

    def close(self) -> None:
        last = self.done or self.text
        if last != self.written:
            self.write(last)
        if last:
            self.end()


def progress(verbose: Any) -> Silent:
    """Returns the display of a training run: none for n < 1, a line of progress for 1, metrics every n iterations for n > 1."""
    if isinstance(verbose, (bool, type(None))):
        verbose = int(verbose or 0)
    if not isinstance(verbose, int):
        raise TypeError(f"verbose={verbose!r}: 0 shows nothing, 1 a line of progress, n > 1 the metrics of every n iterations")
    if verbose < 1:
        return Silent()
    if verbose > 1:
        return Lines(verbose)
    if _in_notebook():
        return _notebook()
    if sys.stderr is not None and sys.stderr.isatty():
        return _terminal()
    return Live(lambda text: print(text, file=sys.stderr, flush=True), lambda: None, 10)


def taken(params: dict[str, Any]) -> Silent:
    """Removes verbose from parameters."""
    given = {name: params.pop(name) for name in NAMES if name in params}
    values = {name: v for name, v in given.items() if v is not None}
    if len(values) > 1 and len(set(values.values())) > 1:
        raise ValueError(", ".join(f"{n}={v!r}" for n, v in values.items()) + ": two names of one parameter; give one of them")
    shown = progress(next(iter(values.values()), 0))
    shown.wanted = bool(values) and not shown.shows
    return shown


def _number(value: float | None) -> str:
    return "nan" if value is None else f"{value:.5f}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes}:{seconds:02d} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d} h"


def _terminal() -> Live:
    out = sys.stderr

    def write(text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        out.write(f"\r\x1b[K{text[:width]}")
        out.flush()

    def end() -> None:
        out.write("\n")
        out.flush()

    return Live(write, end, 0.1)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _notebook() -> Live:
    from IPython.display import display

    shown = display({"text/plain": "…"}, raw=True, display_id=True)
    return Live(lambda text: shown.update({"text/plain": text}, raw=True), lambda: None, 0.25)


def say(event: dict[str, Any], shown: Silent) -> None:
    """Handles events that are not part of a result."""
    kind = event["event"]
    if kind == "reading":
        shown.reading(event)
    elif kind == "warning":
        warn(event["message"])
    elif kind != "defaults":
        log.info("%s", event["message"])
    else:
        told = shown.wanted or TOLD.is_set()
        TOLD.set()
        log.log(logging.INFO if told else logging.WARNING, "%s", event["message"])
