"""Checks that DuckDB and PostgreSQL score exported models as the model itself does, in every bit.

DuckDB and PostgreSQL come from packages of an environment of their own (test/requirements-sql.txt; where there is no such
package of PostgreSQL, the installed server is used, if there is one). PostgreSQL runs in a temporary folder and
without a network. The oracle is LightGBM, which loads the model before it is exported. Half of the missing values are
NULL, the others NaN. One column name contains quotes and SQL.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import environment
import ours
import sets
from exports import Case, case_of, punched, same_bits, train_lightgbm
from report import Table

SIDE = Path(__file__).parent / "sql_side.py"
HOSTILE = '"; DROP TABLE documents; --'


def models(folder: Path) -> Iterator[tuple[str, Case]]:
    data = sets.shipped()
    train, test = sets.load(data.train), sets.load(data.test)
    model = folder / "model.txt"
    ours.train(data.train, model, num_iterations=300, num_leaves=31, min_data_in_leaf=2)
    yield "300 trees", case_of(model, test)
    for name, matrix, parameters in (
        ("NaN", punched(train.matrix, 2), {}),
        ("zero_as_missing", train.matrix, {"zero_as_missing": True}),
        ("categorical", train.matrix, {"categorical": range(5, 15)}),
        ("linear", train.matrix, {"linear_tree": True}),
        ("average", train.matrix, {"boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1}),
    ):
        train_lightgbm(matrix, train, model, **parameters)
        yield name, case_of(model, test)


def exported(case: Case, folder: Path, dialect: str) -> tuple[Path, list[str]]:
    """Returns the statement and the names of the columns. The first feature in use gets a hostile name."""
    names = case.booster.feature_name()
    used = sorted({s.feature for t in case.trees for s in t.splits})
    columns = [HOSTILE if i == used[0] else name for i, name in enumerate(names)]
    (folder / "names.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in zip(names, columns)))
    path = folder / f"{dialect}.sql"
    arguments = ours.arguments(to="sql", dialect=dialect, output=path, features=folder / "names.tsv", vectors=50)
    ours.run("cmd/lambdamart", "export", str(case.path), *arguments)
    return path, columns


def from_duckdb(python: Path, path: Path, columns: list[str], rows: np.ndarray, null: np.ndarray) -> tuple[np.ndarray, float]:
    np.savez(path.parent / "rows.npz", names=np.array(columns), columns=rows, null=null)
    done = subprocess.run([python, SIDE, path.parent / "rows.npz", path], check=True, capture_output=True, text=True)
    return np.load(f"{path}.npy"), float(done.stdout)


def server_programs(python: Path, home: Path) -> Path | None:
    """Returns the folder with the programs of PostgreSQL: those of the package, copied to where its user can read them, or
    those that are installed; None if there are none."""
    for package in python.parent.parent.glob("lib/*/site-packages/pgserver/pginstall"):
        shutil.copytree(package, home / "pgserver" / "pginstall")
        shutil.copytree(package.parent.parent / "pgserver.libs", home / "pgserver.libs")
        return home / "pgserver" / "pginstall" / "bin"
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = str(installed[-1]) if installed else shutil.which("initdb")
    return Path(found).parent if found and shutil.which("psql") else None


@contextmanager
def postgresql(python: Path) -> Iterator[list[str] | None]:
    """Runs a server and yields the command of its client, or None where there is no server."""
    home = Path(tempfile.mkdtemp(prefix="lambdamart-pg-", dir="/tmp"))  # a socket's path must be short
    try:
        programs = server_programs(python, home)
        if programs is None:
            print("NOTICE: PostgreSQL is left out: no server here")
            yield None
            return
        user = "nobody" if os.getuid() == 0 else None  # the server refuses to run as root
        if user:
            shutil.chown(home, user)
        print(subprocess.run([programs / "postgres", "--version"], check=True, capture_output=True, text=True).stdout.strip())
        options = f"-k {home} -c listen_addresses='' -c jit=off -c fsync=off"
        initialize = [programs / "initdb", "-D", home / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(initialize, user=user, cwd="/", check=True, capture_output=True)
        control = [programs / "pg_ctl", "-D", home / "data"]
        subprocess.run([*control, "-w", "-l", home / "log", "-o", options, "start"], user=user, cwd="/", check=True, stdout=subprocess.DEVNULL)
        try:
            client = programs / "psql"
            yield [client if client.exists() else "psql", "-h", str(home), "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-qAt"]
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], user=user, cwd="/", check=True, stdout=subprocess.DEVNULL)
    finally:
        shutil.rmtree(home)


def from_postgresql(client: list[str], path: Path, columns: list[str], rows: np.ndarray, null: np.ndarray) -> tuple[np.ndarray, float]:
    quoted = ['"' + c.replace('"', '""') + '"' for c in columns]
    text = path.read_text().rstrip().removesuffix(";")
    lines = [f"{i}\t" + "\t".join("\\N" if n else repr(float(v)) for v, n in zip(row, gone)) for i, (row, gone) in enumerate(zip(rows, null))]
    script = "\n".join(
        [
            "DROP TABLE IF EXISTS documents;",
            f"CREATE TABLE documents (id integer, {', '.join(f'{c} float8' for c in quoted)});",
            "COPY documents FROM stdin;",
            *lines,
            "\\.",
            f"SELECT score FROM ({text}) AS scored ORDER BY id;",
        ]
    )
    began = time.monotonic()
    done = subprocess.run(client, input=script, check=True, capture_output=True, text=True)
    return np.array(done.stdout.split(), float), time.monotonic() - began


def main() -> None:
    python = environment.python_with(SIDE.parent / "requirements-sql.txt")
    table = Table("model", "dialect", "rows", "other bits", "seconds", "kilobytes")
    with tempfile.TemporaryDirectory() as name, postgresql(python) as client:
        folder = Path(name)
        for title, case in models(folder):
            rows = case.rows[::6]
            null = np.isnan(rows) & (np.arange(len(rows)) % 2 == 0)[:, None]
            want = case.booster.predict(rows)  # not raw scores, which LightGBM does not average
            path, columns = exported(case, folder, "duckdb")
            show(table, title, path, want, *from_duckdb(python, path, columns, rows, null))
            if client:
                path, columns = exported(case, folder, "postgresql")
                show(table, title, path, want, *from_postgresql(client, path, columns, rows, null))
    table.exit()


def show(table: Table, title: str, path: Path, want: np.ndarray, got: np.ndarray, seconds: float) -> None:
    other = same_bits(got, want)
    table.row(other == 0, title, path.stem, len(want), other, seconds, path.stat().st_size // 1000)


if __name__ == "__main__":
    main()
