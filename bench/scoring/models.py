"""The models of the comparison. lambdamart and LightGBM train them on MSLR-shaped data; they are kept in
the user's cache folder."""

import hashlib
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import lightgbm
import numpy as np

import data  # of bench/

SHAPES = (500, 255), (1000, 64)


@dataclass(frozen=True)
class Model:
    name: str  # without spaces
    path: Path  # LightGBM's text

    @property
    def key(self) -> str:
        """Identifies the content."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]


def make(files: data.Files, most_trees: int | None) -> list[Model]:
    folder = data.cache_folder() / "scoring" / files.folder.name
    folder.mkdir(parents=True, exist_ok=True)
    models = []
    for trees, leaves in SHAPES:
        trees = min(trees, most_trees or trees)
        for trainer, train in dict(LightGBM=train_lightgbm, lambdamart=train_ours).items():
            model = Model(f"{trainer}-{trees}x{leaves}", folder / f"{trainer}-{trees}x{leaves}.txt")
            if not model.path.exists():
                print(f"training {model.name}", flush=True)
                beside = model.path.with_suffix(".making")
                train(files, parameters(trees, leaves), beside)
                beside.rename(model.path)
            models.append(model)
    return models


def parameters(trees: int, leaves: int) -> dict:
    """Returns parameters that allow leaves of few rows, so that every tree gets all its leaves."""
    return dict(
        num_iterations=trees,
        num_leaves=leaves,
        learning_rate=0.05,
        min_data_in_leaf=5,
        min_sum_hessian_in_leaf=1e-3,
        num_threads=os.cpu_count(),
    )


def train_ours(files: data.Files, chosen: dict, path: Path) -> None:
    command = [Path(os.environ["LAMBDAMART_BIN"]) / "lambdamart", "train", f"data={files.train}", f"output_model={path}", "verbosity=-1"]
    subprocess.run(command + [f"{name}={value}" for name, value in chosen.items()], check=True)


def train_lightgbm(files: data.Files, chosen: dict, path: Path) -> None:
    everything = dict(objective="lambdarank", verbosity=-1) | chosen
    everything.pop("num_iterations")
    source = lightgbm.Dataset(str(files.train_without_qid), params=everything)
    text = lightgbm.train(everything, source, chosen["num_iterations"]).model_to_string()
    path.write_text(text.replace("version=v4", "version=v3", 1))  # leaves reads no other version; both versions write such trees in the same way


@dataclass(frozen=True)
class Tree:
    """A tree as in LightGBM's text: a child c >= 0 is node c, and a child c < 0 is leaf ~c."""

    feature: np.ndarray
    threshold: np.ndarray  # float64; left if value <= threshold
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray  # of leaves


def trees(path: Path) -> list[Tree]:
    """Reads a model whose nodes are all plain comparisons."""
    result = []
    for block in re.split(r"\n(?=Tree=)", path.read_text().split("\nend of trees")[0])[1:]:
        field = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if set(field["decision_type"].split()) - {"0", "2"}:
            raise ValueError(f"{path}: has missing values or categories, which this comparison leaves out")
        ints = [np.array(field[key].split(), dtype=np.int64) for key in ("left_child", "right_child", "split_feature")]
        left, right, feature = ints
        floats = [np.array(field[key].split(), dtype=np.float64) for key in ("threshold", "leaf_value")]
        result.append(Tree(feature, floats[0], left, right, floats[1]))
    return result


def float32_threshold(threshold: np.ndarray) -> np.ndarray:
    """Returns the greatest float32 that is at most the threshold. It sends every float32 value to the same side."""
    near = threshold.astype(np.float32)
    return np.where(near > threshold, np.nextafter(near, np.float32(-np.inf)), near)


def rows(files: data.Files, most: int) -> np.ndarray:
    """Returns the first rows of the validation part. Values are float64, but rounded to float32, so that all systems get equal values."""
    matrix = []
    with open(files.vali) as lines:
        for line, _ in zip(lines, range(most)):
            row = np.zeros(137)
            for entry in line.split()[2:]:
                column, value = entry.split(":")
                row[int(column)] = float(value)
            matrix.append(row)
    return np.array(matrix).astype(np.float32).astype(np.float64)
