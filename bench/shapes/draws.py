"""Draws of the shapes, which are kept in the user's cache folder as arrays.

    bench/shapes/draws.sh [--size small] [--shapes smooth,narrow] [--draws 1,2] [--letor]

makes them and prints their folders: train, valid and test, an .npz each (README.md lists the arrays). With
--letor, LETOR text lies beside it. Draws 1 to 9 are for development, and 101 and higher for tests: what is
chosen on the first is judged on the others.
"""

import argparse
import fcntl
import hashlib
import shutil
from pathlib import Path

import numpy as np
from scipy import sparse

import data
from shapes.ingredients import Rows
from shapes.recipes import SHAPES, SIZES, draw

PARTS = "train", "valid", "test"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/shapes/draws.sh")
    add_arguments(parser, draws="1")
    parser.add_argument("--letor", action="store_true", help="write LETOR text too")
    options = parser.parse_args()
    for name in options.shapes:
        for number in options.draws:
            folder = kept(name, options.size, number)
            if options.letor:
                write_texts(folder)
            print(folder, flush=True)


def add_arguments(parser: argparse.ArgumentParser, draws: str) -> None:
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--shapes", type=known_shapes, default=list(SHAPES), help="a list; all by default")
    draws_help = "1 to 9: development; 101 and higher: tests"
    parser.add_argument("--draws", type=numbers, default=numbers(draws), help=draws_help)


def known_shapes(text: str) -> list[str]:
    for name in (names := text.split(",")):
        if name not in SHAPES:
            raise argparse.ArgumentTypeError(f"no shape {name!r}; there are {', '.join(SHAPES)}")
    return names


def numbers(text: str) -> list[int]:
    found = [int(n) for n in text.split(",")]
    for number in found:
        kind_of_draw(number)
    return found


def kind_of_draw(number: int) -> str:
    if 1 <= number <= 9:
        return "development"
    if number > 100:
        return "test"
    raise argparse.ArgumentTypeError(f"draw {number}: 1 to 9 are for development, 101 and higher for tests")


def kept(name: str, size: str, number: int) -> Path:
    """Returns the folder of a draw, which is made if it is not there. Programs may ask at the same time."""
    folder = data.cache_folder() / "shapes" / f"{name}-{size}-{number}-{recipes()}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            make(folder, draw(name, size, number))
    return folder


def make(folder: Path, parts: dict[str, Rows]) -> None:
    making = folder.with_name(folder.name + ".making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    for part, rows in parts.items():
        save(making / f"{part}.npz", rows)
    making.rename(folder)


def recipes() -> str:
    """Returns a digest of the programs that draw, so that no draw of an older recipe is taken for today's."""
    texts = [Path(__file__).with_name(f).read_bytes() for f in ("ingredients.py", "recipes.py")]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:8]


def save(path: Path, rows: Rows) -> None:
    categorical = np.array(rows.categorical, dtype=np.int64)
    arrays = dict(labels=rows.labels, sizes=rows.sizes, categorical=categorical)
    for name, column in dict(positions=rows.positions, grades=rows.grades).items():
        if column is not None:
            arrays[name] = column
    if sparse.issparse(rows.matrix):
        m = rows.matrix
        columns = m.indices.astype(np.int32)
        np.savez(path, values=m.data, columns=columns, starts=m.indptr, shape=m.shape, **arrays)
    else:
        np.savez(path, matrix=rows.matrix, **arrays)


def load(folder: Path, part: str) -> Rows:
    with np.load(folder / f"{part}.npz") as stored:
        s = {name: stored[name] for name in stored}
    if "matrix" in s:
        matrix = s["matrix"]
    else:
        matrix = sparse.csr_matrix((s["values"], s["columns"], s["starts"]), shape=s["shape"])
    categorical = tuple(s["categorical"].tolist())
    return Rows(matrix, s["labels"], s["sizes"], categorical, s.get("positions"), s.get("grades"))


def write_texts(folder: Path) -> None:
    """Writes LETOR text: columns count from 1, zeros are left out, and missing values are nan."""
    for part in PARTS:
        path = folder / f"{part}.txt"
        if not path.exists():
            making = path.with_suffix(".making")
            write_letor(making, load(folder, part))
            making.rename(path)


def write_letor(path: Path, rows: Rows) -> None:
    matrix = sparse.csr_matrix(rows.matrix)
    query = np.repeat(np.arange(len(rows.sizes)), rows.sizes)
    with open(path, "w") as out:
        for row, label in enumerate(rows.labels):
            cut = slice(matrix.indptr[row], matrix.indptr[row + 1])
            pairs = zip((matrix.indices[cut] + 1).tolist(), matrix.data[cut])
            out.write(f"{label} qid:{query[row] + 1} " + " ".join(f"{c}:{v!s}" for c, v in pairs) + "\n")
    if rows.positions is not None:
        Path(f"{path.with_suffix('.txt')}.position").write_text("".join(f"{p}\n" for p in rows.positions))


if __name__ == "__main__":
    main()
