"""Times the reading of tables by lambdamart, LightGBM and pyarrow in turn, in several rounds. run.sh calls it.

Rounds are interleaved, so that other work of the machine slows all systems alike, and ratios are
taken within a round. The file is in the operating system's cache, and each process has read it
once before; only the reading is timed. Fails if row counts or sums of values differ.

CSV: from the path to binned data (LightGBM's Dataset.construct) with a thread for each core. Parquet:
from the path to every value as float64, in columns by pyarrow.parquet.read_table and in rows by
lambdamart; and from the path to one matrix of all rows, which numpy fills from pyarrow's table
column by column.
"""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from statistics import median

import numpy as np

HERE = Path(__file__).resolve().parent
BIN = Path(os.environ["LAMBDAMART_BIN"])
COLUMNS = dict(header=True, label_column="name:label", group_column="name:query")
TOLERANCE = 1e-9


def main() -> None:
    options = parse()
    if options.worker:
        serve(*options.worker)
        return
    csv, parquet = data(options.queries)
    result = about(options, csv, parquet) | dict(runs=compare(csv, parquet, options.rounds))
    result["load_after"] = os.getloadavg()
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    print(table(result))
    print(f"kept in {options.out}", file=sys.stderr)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares the reading of CSV and Parquet on this machine.")
    parser.add_argument("--queries", type=int, default=2000, help="of about 119 rows of 136 features")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path, help="JSON file")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out = options.out or HERE.parent / "results" / f"{datetime.date.today()}-tables.json"
    return options


def data(queries: int) -> tuple[Path, Path]:
    """Returns MSLR-shaped rows as CSV, and the same rows as Parquet written by pyarrow. The files are made once."""
    import pyarrow.csv
    import pyarrow.parquet

    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lambdamart"
    folder.mkdir(parents=True, exist_ok=True)
    csv, parquet = (folder / f"tables-{queries}.{form}" for form in ("csv", "parquet"))
    if not csv.exists():
        part = csv.with_suffix(".part")
        with open(part, "w") as out:
            print("label", "query", *(f"f{number}" for number in range(1, 137)), sep=",", file=out, flush=True)
            rows = subprocess.Popen([BIN / "mslrgen", "-queries", str(queries)], stdout=subprocess.PIPE)
            subprocess.run(["sed", "s/ [a-z0-9]*:/,/g"], stdin=rows.stdout, stdout=out, check=True)
            if rows.wait() != 0:
                raise SystemExit("mslrgen failed; what it said is above")
        part.rename(csv)
    if not parquet.exists():
        read = pyarrow.csv.read_csv(csv)
        types = ["int64" if name in ("label", "query") else "float64" for name in read.schema.names]
        part = parquet.with_suffix(".part")
        pyarrow.parquet.write_table(read.cast(pyarrow.schema(zip(read.schema.names, map(pyarrow.type_for_alias, types)))), part)
        part.rename(parquet)
    return csv, parquet


# What is timed: a name, the format of the file, our way of reading, and the other system.
READINGS = [
    ("CSV to bins", "csv", "bins", "LightGBM"),
    ("Parquet to values", "parquet", "rows", "pyarrow"),
    ("Parquet to a matrix", "parquet", "matrix", "pyarrow and numpy"),
]


def compare(csv: Path, parquet: Path, rounds: int) -> list[dict]:
    """The programs keep running, so their start is not timed. Only one reads at a time."""
    paths = dict(csv=csv, parquet=parquet)
    pairs = [
        (name, Reader([BIN / "timed", "tables", how, paths[form]]), Reader([sys.executable, __file__, "--worker", how, paths[form]]))
        for name, form, how, _ in READINGS
    ]
    runs = []
    for number in range(-1, rounds):  # round -1 warms up and is not counted
        for name, mine, theirs in pairs:
            run = dict(round=number, reading=name, ours=mine.read(), theirs=theirs.read())
            check(run)
            if number >= 0:
                runs.append(run)
                print(f"round {number} {name}: ours {run['ours']['seconds']:.3f} s, theirs {run['theirs']['seconds']:.3f} s", file=sys.stderr, flush=True)
    for _, mine, theirs in pairs:
        mine.close()
        theirs.close()
    return runs


def check(run: dict) -> None:
    mine, theirs = run["ours"], run["theirs"]
    if mine["rows"] != theirs["rows"] or abs(mine["sum"] - theirs["sum"]) > TOLERANCE * abs(mine["sum"]):
        raise SystemExit(f"{run['reading']}: we found {mine}, they {theirs}")


class Reader:
    """A program that reads the file once for each line of its standard input."""

    def __init__(self, command: list) -> None:
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self) -> dict:
        print("read", file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{' '.join(self.process.args)}: exit status {self.process.wait()}; what it said is above")
        return json.loads(line)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def serve(how: str, path: str) -> None:
    """Reads the file once for each line of standard input."""
    read = dict(bins=lightgbm_bins, rows=arrow_table, matrix=arrow_matrix)[how]
    for _ in sys.stdin:
        begin, busy = time.perf_counter(), time.process_time()
        found = read(path)
        seconds, cpu = time.perf_counter() - begin, time.process_time() - busy
        rows, total = found()
        del found
        print(json.dumps(dict(seconds=seconds, cpu_seconds=cpu, rows=rows, sum=total)), flush=True)


def lightgbm_bins(path: str):
    import lightgbm

    built = lightgbm.Dataset(path, params=dict(COLUMNS, verbosity=-1, num_threads=os.cpu_count())).construct()
    return lambda: (built.num_data(), 0.0)


def arrow_table(path: str):
    import pyarrow.parquet

    read = pyarrow.parquet.read_table(path)
    return lambda: (read.num_rows, sum(float(column.to_numpy().sum()) for column in read.columns[2:]))


def arrow_matrix(path: str):
    import pyarrow.parquet

    read = pyarrow.parquet.read_table(path)
    matrix = np.empty((read.num_rows, read.num_columns - 2))
    for i in range(matrix.shape[1]):
        matrix[:, i] = read.column(i + 2).to_numpy()
    return lambda: (len(matrix), 0.0)


def about(options: argparse.Namespace, csv: Path, parquet: Path) -> dict:
    return dict(
        date=str(datetime.date.today()),
        queries=options.queries,
        rounds=options.rounds,
        csv_bytes=csv.stat().st_size,
        parquet_bytes=parquet.stat().st_size,
        cpu=cpu(),
        cores=os.cpu_count(),
        python=platform.python_version(),
        go=subprocess.run(["go", "version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[2],
        packages={name: metadata.version(name) for name in ("lightgbm", "pyarrow", "numpy")},
        commit=subprocess.run(["git", "describe", "--always", "--dirty"], stdout=subprocess.PIPE, text=True, cwd=HERE).stdout.strip(),
        load_before=os.getloadavg(),
    )


def cpu() -> str:
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if Path("/proc/cpuinfo").exists() else None
    return found[1] if found else platform.processor()


def table(result: dict) -> str:
    rows = result["runs"][0]["ours"]["rows"]
    before, after = (" ".join(f"{load:.1f}" for load in result[key]) for key in ("load_before", "load_after"))
    versions = ", ".join([result["go"]] + [f"{name} {version}" for name, version in result["packages"].items()])
    lines = [
        f"{rows:,} rows of 136 features, {result['csv_bytes'] / 1e6:.0f} MB of CSV, {result['parquet_bytes'] / 1e6:.0f} MB of Parquet; "
        f"{result['cores']} cores of {result['cpu']}; {versions}; commit {result['commit']}; {result['rounds']} rounds; "
        f"{result['date']}; load {before} before, {after} after:",
        "",
        "| reading | beside | ours | theirs | times faster | processor time |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for name, _, _, other in READINGS:
        runs = [run for run in result["runs"] if run["reading"] == name]
        mine, theirs = (median(run[who]["seconds"] for run in runs) for who in ("ours", "theirs"))
        faster, spared = (spread([run["theirs"][key] / run["ours"][key] for run in runs]) for key in ("seconds", "cpu_seconds"))
        lines.append(f"| {name} | {other} | {mine:.3f} s | {theirs:.3f} s | {faster} | {spared} |")
    return "\n".join(lines)


def spread(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
