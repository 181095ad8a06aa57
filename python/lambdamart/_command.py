"""Runs any command of the binary on data and models in memory."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._dataset import Dataset
from ._errors import warn
from ._features import in_command
from ._folder import work_folder
from ._model import Model
from ._own import Functions
from ._process import Process, run
from ._progress import log, taken
from ._settings import as_settings, parameters
from ._shared import File, Memory, opened


@dataclass
class Output:
    """What a command printed, and its messages, which are the events of `log_json=true`."""

    text: str
    messages: list[dict[str, Any]]
    shown: str = ""  # with json=true, the text without it

    def __str__(self) -> str:
        return self.shown or self.text

    def json(self) -> Any:
        """Returns the text as JSON, for commands that have json=true."""
        return json.loads(self.text)


def command(name: str, /, *words: Any, **given: Any) -> Output:
    """Runs `lambdamart NAME`, such as refit, transform, bench, or train with a neural ranker, and waits for its end.

    words: positional arguments of the command, such as the models of compare.
    given: parameters of the command (`lambdamart help NAME`). Pass a Dataset in place of a data file, a Model or a
        fitted ranker in place of a model file, and a list of models in place of several files. A dict of Datasets
        replaces the folder of bench: {"train": …, "vali": …, "test": …}. Outputs such as output_model are files. For
        commands that train (cv, tune, select, curve), objective and metric may be functions, as in `train`.

    Columns of frames are found by the names in the model or in the first Dataset. If the command fails, a ValueError
    contains its message. Its warnings become Python warnings, and with verbose=1 its progress is printed.
    """
    shown = taken(given).shows
    if isinstance(given.get("data"), Dataset):
        given = in_command(given, given["data"])
    with ExitStack() as stack:
        own = Functions(given, *_sets(given), each=name != "train")
        stack.callback(own.close)
        files = Files(stack, next((m for m in map(_as_model, (*given.values(), *words)) if m is not None), None))
        arguments = [str(files.text(f"{name} {i + 1}", word)) for i, word in enumerate(words)]
        arguments += [f"{n}={v}" for n, v in as_settings({parameter: files.text(parameter, value) for parameter, value in given.items()})]
        output = execute(name, arguments, files, shown, own)
        if (report := given.get("report")) is not None:  # a page names files
            page = Path(report)
            page.write_text(files.named(page.read_text(encoding="utf-8")), encoding="utf-8")
        return output


def _sets(given: Mapping[str, Any]) -> tuple[list[Dataset], list[str]]:
    """Returns the sets that a command trains on and evaluates, in order, and their names."""
    sets: list[tuple[str, Dataset]] = []
    for parameter in "data", "valid":
        value = given.get(parameter)
        several = value if isinstance(value, (list, tuple)) else [value]
        sets += [(parameter, v) for v in several if isinstance(v, Dataset)]
    return [s for _, s in sets], [name for name, _ in sets]


def execute(name: str, arguments: list[str], files: "Passed", shown: bool, own: Functions | None = None, private: Sequence[str] = ()) -> Output:
    """Runs a command on files. shown: print its progress. own: the objective and metrics that are Python functions. private:
    paths that messages do not name."""
    messages: list[dict[str, Any]] = []

    def see(process: Process, message: dict[str, Any]) -> None:
        if own is not None and own.answer(process, message):
            return
        message = {key: files.named(value) if isinstance(value, str) else value for key, value in message.items()}
        messages.append(message)
        text = message["message"]
        if message["event"] == "warning":
            warn(text)
            return
        log.info("%s", text)
        if shown:
            print(text, flush=True)

    try:
        held = [*files.held.values(), *(own.files if own else [])]
        printed, shown_text = run(name, *arguments, files=held, answer=see, own=own.passed if own else None, private=list(private))
        return Output(files.named(printed.decode()), messages, files.named(shown_text))
    except UnicodeDecodeError:
        raise ValueError(f"{name} prints what is not text; name a file for it") from None
    except ValueError as error:
        raise ValueError(files.named(str(error))) from None


class Passed:
    """Data that a command gets as files."""

    def __init__(self) -> None:
        self.held: dict[str, File | Memory] = {}  # by path
        self.names: dict[str, str] = {}  # of the sets, by path

    def hold(self, name: str, file: File | Memory) -> str:
        """Returns the path under which a command opens a file."""
        path = opened(file)
        self.held[path], self.names[path] = file, name
        return path

    def named(self, text: str) -> str:
        """Returns a message with paths, and parameters that are paths, replaced by the names of sets."""
        for path, name in self.names.items():
            text = text.replace(f"{name}={path}", name).replace(path, name)
        return text


class Files(Passed):
    """Data and models for any command. Arrays are passed unchanged."""

    def __init__(self, stack: ExitStack, model: Model | None) -> None:
        super().__init__()
        self.stack, self.model = stack, model
        self.first: Dataset | None = None

    def text(self, parameter: str, value: Any) -> Any:
        """Returns the value of a parameter with data and models replaced by paths."""
        if isinstance(value, Dataset):
            return self._data(parameter, value)
        if isinstance(value, (list, tuple)) and any(_as_model(v) is not None or isinstance(v, Dataset) for v in value):
            return [self.text(f"{parameter} {i + 1}", v) for i, v in enumerate(value)]
        if isinstance(value, Mapping) and value and all(isinstance(v, Dataset) for v in value.values()):
            return self._folder(parameter, value)
        model = _as_model(value)
        if model is None:
            return value
        path: str = self.stack.enter_context(model.as_file())
        self.names[path] = parameter
        return path

    def _folder(self, parameter: str, sets: Mapping[str, Dataset]) -> str:
        """Returns a folder whose files are named after the sets."""
        folder = os.path.join(self.stack.enter_context(work_folder()), parameter)
        os.mkdir(folder)
        for name, data in sets.items():
            os.symlink(self._data(f"{parameter} {name}", data), os.path.join(folder, name))
        self.names[folder] = parameter
        return folder

    def _data(self, parameter: str, data: Dataset) -> str:
        if data.path is not None:
            return os.path.abspath(data.path)
        if data.bins is not None:
            return self.hold(parameter, data.bins)
        if self.model is not None:
            data = of_model(self.model, data)
        elif self.first is not None:
            data = data.like(self.first, parameter)
        self.first = self.first or data
        memory = data.memory()
        for some in memory, memory.window:
            if some is not None:
                self.stack.callback(some.close)
        return self.hold(parameter, memory)


def of_model(model: Model, data: Dataset) -> Dataset:
    """Returns rows with the columns of a model."""
    matched = copy.copy(data)
    matched.table = model.matched(data.table)
    matched.feature_names = model.feature_names[: model.num_inputs]
    return matched


def _as_model(value: Any) -> Model | None:
    model = getattr(value, "model_", value)
    return model if isinstance(model, Model) else None


BINS = ("max_bin", "max_bin_by_feature", "min_data_in_bin", "bin_construct_sample_cnt", "use_missing", "zero_as_missing", "categorical_feature", "query_context", "query_context_features")


def _of_bins(params: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parameters that decide how data is binned."""
    names = {alias: p.name for p in parameters() if p.name in BINS for alias in (p.name, *p.aliases)}
    return {names[name]: value for name, value in params.items() if name in names}


class Binned(Passed):
    """Training data of a long-running command: arrays are binned first, which needs less memory."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        super().__init__()
        self.params = params

    def add(self, parameter: str, data: Dataset, reference: Dataset | None = None) -> str:
        """Returns a set as a parameter."""
        if not isinstance(data, Dataset):
            raise TypeError(f"{parameter} is a Dataset, not {type(data).__name__}")
        if data.path is not None:
            return f"{parameter}={os.path.abspath(data.path)}"
        if data.bins is None:
            data = data.bin(reference=reference) if reference is not None else data.bin(_of_bins(self.params))
        assert data.bins is not None
        return f"{parameter}={self.hold(parameter, data.bins)}"

    def add_all(self, data: Dataset, **others: Dataset | None) -> list[str]:
        """Returns the training data and the other given sets as parameters. If the training data is an array, the other sets use its bins."""
        sets = {parameter: other for parameter, other in others.items() if other is not None}
        if sets and data.path is None and data.bins is None:
            data = data.bin(_of_bins(self.params))
        return [self.add("data", data), *(self.add(parameter, other, data if data.is_binned else None) for parameter, other in sets.items())]
