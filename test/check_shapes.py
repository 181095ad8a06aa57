"""Checks the data of bench/shapes: the same bytes for the same key, the properties that its page claims, and
a small run of the whole bench."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
from scipy import sparse

import ours
from report import Table
from sets import ALL, ROOT

os.environ["LAMBDAMART_BINARY"] = str(ours.built("cmd/lambdamart"))
os.environ["LAMBDAMART_BIN"] = str(ours.built("bench/mslrgen").parent)
sys.path.insert(0, str(ROOT / "bench"))

import memory  # noqa: E402
from shapes.ingredients import Rows  # noqa: E402
from shapes.recipes import SHAPES, draw  # noqa: E402
from shapes.systems import mean_share  # noqa: E402


def main() -> None:
    table = Table("shape", "property", "wanted", "found")
    for name in SHAPES:
        first, again, other = draw(name, "tiny", 1), draw(name, "tiny", 1), draw(name, "tiny", 2)
        found = digest(first) == digest(again), digest(first) == digest(other)
        row(table, name, "the same bytes: again, another draw", (True, False), found)
        whole = all(p.matrix.shape[0] == len(p.labels) == p.sizes.sum() for p in first.values())
        row(table, name, "rows, labels and queries agree", True, whole)
        fewest, most = SHAPES[name].documents
        within = all(fewest <= p.sizes.min() and p.sizes.max() <= most for p in first.values())
        row(table, name, "documents of a query", True, within or name == "mslr")
    for name, properties in CLAIMS.items():
        rows = draw(name, "tiny", 1)["train"]
        for claim, (wanted, tolerance, measure) in properties.items():
            row(table, name, claim, wanted, measure(rows), tolerance)
    watching(table)
    bench(table)
    table.exit()


def row(table: Table, name: str, claim: str, wanted, found, tolerance: float = 0) -> None:
    good = found == wanted if tolerance == 0 else abs(found - wanted) <= tolerance
    table.row(bool(good), name, claim, wanted, found)


def digest(parts: dict[str, Rows]) -> str:
    """Returns a digest of all arrays."""
    total = hashlib.sha256()
    for p in parts.values():
        m = p.matrix
        arrays = [m.data, m.indices, m.indptr] if sparse.issparse(m) else [m]
        for a in (*arrays, p.labels, p.sizes, p.judged, np.array(p.categorical), p.positions):
            total.update(b"" if a is None else np.ascontiguousarray(a).tobytes())
    return total.hexdigest()


def zeros(rows: Rows) -> float:
    return float((rows.labels == 0).mean())


def constant(rows: Rows) -> int:
    """Counts the columns that are the same in all documents of each query."""
    starts = np.cumsum(rows.sizes) - rows.sizes
    same = np.maximum.reduceat(rows.matrix, starts) == np.minimum.reduceat(rows.matrix, starts)
    return int(same.all(axis=0).sum())


def exponent(counts: np.ndarray) -> float:
    """Estimates the exponent of Zipf's law from the most frequent value and the tenth."""
    ordered = np.sort(counts)[::-1]
    return float(np.log10(ordered[0] / ordered[9]))


def exponent_of_ids(rows: Rows) -> float:
    return exponent(np.unique(rows.matrix[:, 12], return_counts=True)[1])


def exponent_of_words(rows: Rows) -> float:
    return exponent(np.asarray(rows.matrix.sum(axis=0)).ravel())


def missing(rows: Rows) -> float:
    return float(np.isnan(rows.matrix).mean())


def blocks(rows: Rows) -> int:
    """Counts the patterns of missing columns."""
    return len(np.unique(np.isnan(rows.matrix), axis=0))


def clicks_above(rows: Rows) -> float:
    """Returns the clicks of the first position over those of the tenth, at grades above 1."""
    first, tenth = (rows.labels[(rows.positions == p) & (rows.grades > 1)].mean() for p in (1, 10))
    return float(first / tenth)


def distinct(rows: Rows) -> int:
    return max(len(np.unique(column)) for column in rows.matrix.T)


def beyond_float32(rows: Rows) -> bool:
    return bool((rows.matrix != rows.matrix.astype(np.float32)).any())


def words(rows: Rows) -> float:
    return float(np.diff(rows.matrix.indptr).max())


# The value of each property, how far it may be off in a draw this small, and how it is measured.
CLAIMS = {
    "smooth": {"share of zeros": (0.5, 0.02, zeros), "columns of the query": (5, 0, constant)},
    "categories": {
        "exponent of the ids": (0.9, 0.15, exponent_of_ids),
        "ids": (True, 0, lambda r: r.categorical == (10, 11, 12) and 9_000 < r.matrix[:, 11].max() < 10_000),
    },
    "sparse-3k": {"words a row": (30, 4, words), "exponent": (1.0, 0.15, exponent_of_words)},
    "sparse-50k": {"words a row": (30, 4, words), "columns": (50_000, 0, lambda r: r.matrix.shape[1])},
    "yahoo": {
        "missing": (0.5, 0.01, missing),
        "kinds": (8, 0, blocks),
        "within 0 and 1": (True, 0, lambda r: 0 <= np.nanmin(r.matrix) and np.nanmax(r.matrix) <= 1),
    },
    "skewed": {"share of zeros": (0.95, 0.01, zeros)},
    "ecommerce": {"clicks": (0.019, 0.005, lambda r: 1 - zeros(r))},
    "positions": {"clicks at position 1 over 10": (6.3, 4, clicks_above)},
    "ties": {"values a column": (4, 0, distinct)},
    "rare": {"share of the facts": (0.0055, 0.001, lambda r: float(r.matrix[:, 10:].mean()))},
    "onehot": {"ones a row": (3, 0, lambda r: float(r.matrix[:, 10:280].sum(axis=1).max()))},
    "dates": {"seconds that float32 cannot hold": (True, 0, beyond_float32)},
    "little": {"largest value of each query": (1.0, 1e-9, lambda r: float(r.matrix.max()))},
}


def watching(table: Table) -> None:
    """Memory is read while threads and processes end, which vanish between listing and reading them."""
    over = threading.Event()

    def start_and_end() -> None:
        while not over.is_set():
            threading.Thread(target=int).start()

    starting = threading.Thread(target=start_and_end)
    starting.start()
    try:
        smallest = min(memory.now_mib() for _ in range(100))
    finally:
        over.set()
        starting.join()
    row(table, "all", "memory while threads end", True, smallest > 1)
    ended = subprocess.Popen(["true"])
    ended.wait()
    row(table, "all", "threads of a process that has ended", [], memory.of_threads(str(ended.pid), "schedstat"))


def bench(table: Table) -> None:
    """Runs the whole bench on tiny shapes, which have a sparse matrix and positions, and also categories where all cases are wanted."""
    names, systems = ["sparse-3k", "positions", *["categories"] * ALL], ["default", "every", "lightgbm", "xgboost"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        options = f"--size tiny --draws 1 --iterations 3 --shapes {','.join(names)}"
        options += f" --systems {','.join(systems)}"
        for name in "pandas", "sklearn":  # LightGBM and XGBoost import them for longer than they train here, and the bench has no use for them
            Path(folder, f"{name}.py").write_text("raise ImportError")
        path = f"{ROOT}/bench:{ROOT}/python"
        environment = os.environ | dict(PYTHONPATH=path, XDG_CACHE_HOME=folder)
        command = [sys.executable, "-m", "shapes.run", *options.split(), "--out", out]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        for d in json.loads(out.read_text())["draws"]:
            for system in systems:
                result = d["fits"][system] | d["times"][0]["systems"][system]
                row(table, d["shape"], f"run of {system}", "fine", result.get("failed", "fine"))
                row(table, d["shape"], "queries", True, len(result.get("ndcg", [])) > 50)
    row(table, "all", "lines of the tables", True, all(f"| {n} |" in done.stdout for n in names))
    same = "+0.0000 | +0.0000 ± 0.0000 | 1.00 |"  # few rows: every tree grows on all of them
    row(table, "all", "lines without a smaller share", len(names), done.stdout.count(same))
    chosen = mean_share("[active_fraction=auto; active_shares=0.125,0.5*3; seed=1]")
    row(table, "all", "mean share of a model", 0.40625, chosen)


if __name__ == "__main__":
    main()
