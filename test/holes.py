"""Makes data with missing values from the data of the checks.

A fixed seed chooses the cells that become NaN: in each column at one of several rates, or where its
values are small; in two columns in one file only; and in one column in all rows. Zeros stay absent in the
files, and NaN is written as "nan".
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

import sets

RATES = [0, 0.01, 0.1, 0.5, 0.9]  # columns cycle through them
ONLY = {2: "train", 3: "test"}  # columns with holes in one file
CHOSEN = "shipped", "mq2008 fold 1", "mslr sample"
EMPTY = 4  # column without any value


def made(folder: Path) -> list[sets.Set]:
    """Returns some sets, with missing values."""
    return [with_holes(data, folder) for data in sets.some() if data.name in CHOSEN]


def with_holes(data: sets.Set, folder: Path) -> sets.Set:
    name = f"{data.name}, holes"
    parts = {kind: sets.load(getattr(data, kind)) for kind in ("train", "test")}
    used = np.flatnonzero(np.ptp(parts["train"].matrix, axis=0) > 0)
    paths = {}
    for seed, (kind, part) in enumerate(parts.items()):
        matrix = blanked(part.matrix, used, kind, np.random.default_rng(seed))
        paths[kind] = folder / f"{name}, {kind}.txt".replace(" ", "-")
        write(replace(part, matrix=matrix), paths[kind])
    return sets.Set(name, paths["train"], paths["test"], parameters=data.parameters)


def blanked(matrix: np.ndarray, used: np.ndarray, kind: str, rng: np.random.Generator) -> np.ndarray:
    matrix = matrix.copy()
    for i, column in enumerate(used):
        values, chance = matrix[:, column], rng.random(len(matrix))
        if i in ONLY:
            holes = (chance < 0.3) & (ONLY[i] == kind)
        elif i % 7 == 6:  # here a missing value carries information
            holes = (values <= np.median(values)) & (chance < 0.8)
        else:
            holes = chance < (1 if i == EMPTY else RATES[i % len(RATES)])
        values[holes] = np.nan
    return matrix


def write(part: sets.Part, path: Path) -> None:
    query = np.repeat(np.arange(len(part.sizes)), part.sizes)
    with open(path, "w") as out:
        for label, number, row in zip(part.labels, query, part.matrix):
            cells = " ".join(f"{i}:{float(row[i])!r}" for i in row.nonzero()[0])
            out.write(f"{label:.17g} qid:{number} {cells}\n")
