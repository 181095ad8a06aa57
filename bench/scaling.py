"""Measures how our cost grows with threads, rows and features.

    bench/run.sh scaling [--queries 6000]

Rows: 1/16, 1/4, 1 and 4 times the queries. Features: the first 20 columns, all 136, and 700. Columns
beyond 136 are copied from other rows and so carry no information. The minimum Hessian of a leaf grows
with the rows, so that trees have the same size. Every figure is the best of several training runs.
"""

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import data
from report import iteration, reading
from run import measure
from systems import Settings

ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/run.sh scaling")
    parser.add_argument("--queries", type=int, default=6000)
    parser.add_argument("--iterations", type=int, default=50)
    options = parser.parse_args()
    cores = os.cpu_count()
    print("| queries | rows | features | threads | read and bin, s | iteration, ms | ns a value | peak memory, MiB |")
    print("|---|---|---|---|---|---|---|---|")
    standard = data.make(options.queries, 0)
    for threads in sorted({1, 2, 4, 8, 16, 32, 64, cores}):
        if threads <= cores:
            row(standard, options, options.queries, 136, threads)
    for queries in options.queries // 16, options.queries // 4, 4 * options.queries:
        with_text_removed(data.make(queries, 0), options, queries, cores)
    with tempfile.TemporaryDirectory() as folder:
        quarter = data.make(options.queries // 4, 0)
        for features in 20, 700:
            widened = data.Files(Path(folder))
            write_columns(quarter.train, widened.train, features)
            row(widened, options, options.queries // 4, features, cores)


def with_text_removed(files: data.Files, options: argparse.Namespace, queries: int, cores: int) -> None:
    """The largest set takes gigabytes and is not kept."""
    row(files, options, queries, 136, cores)
    if queries > options.queries:
        for path in files.folder.iterdir():
            path.unlink()
        files.folder.rmdir()


def row(files: data.Files, options: argparse.Namespace, queries: int, features: int, threads: int) -> None:
    settings = Settings(options.iterations, threads, min_sum_hessian=100 * queries / 6000)
    with tempfile.TemporaryDirectory() as folder:
        runs = [measure("ours", "lambdamart", files, settings, Path(folder), judge=False) for _ in range(ROUNDS)]
    rows = int(subprocess.run(["wc", "-l", files.train], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[0])
    seconds = min(map(iteration, runs))
    cells = queries, rows, features, threads, f"{min(map(reading, runs)):.2f}", f"{1000 * seconds:.1f}"
    more = f"{1e9 * seconds / rows / features:.2f}", f"{max(r['peak_mib'] for r in runs):.0f}"
    print("| " + " | ".join(map(str, cells + more)) + " |", flush=True)


def write_columns(source: Path, path: Path, features: int) -> None:
    """Cuts rows to their first columns, or appends the columns of the preceding rows."""
    earlier: list[list[bytes]] = []
    with open(source, "rb") as lines, open(path, "wb") as out:
        for line in lines:
            label, qid, *cells = line.split()
            values = [cell.split(b":", 1)[1] for cell in cells]
            earlier = [values, *earlier][: -(-features // len(values))]
            wide = [v for values in earlier for v in values][:features]
            out.write(b" ".join([label, qid, *(b"%d:%s" % (i, v) for i, v in enumerate(wide, 1))]) + b"\n")


if __name__ == "__main__":
    main()
