"""Training on a Spark cluster.

    from lambdamart import spark

    model = spark.train(frame, "/shared/run-1", label="grade", query="qid", ranks=8, params={"num_iterations": 500})

Each task of a barrier stage runs one rank of a training run over MPI. Spark places the ranks, waits until all can start, and
ends them together. Ranks communicate directly over MPI, not through Spark. The model has the bytes that one process would
write for the same rows.

Every machine needs this package with a binary built with `-tags mpi`, MPICH's `mpiexec` (`pip install mpich`) under the same
path, and access to a shared folder. No logins to other machines are needed: `mpiexec -launcher manual` prints the command for
each machine, and a task there runs it. docs/machines.md lists what is tested.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _binary
from ._errors import LambdaMARTError
from ._model import Model
from ._settings import as_settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["train", "write"]

OWN_ERRORS = (1, 2)  # exit statuses of the binary for errors that would occur again
LONGEST = 4000  # largest number of characters of messages in an error


def train(
    data: DataFrame | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    label: str = "label",
    query: str = "qid",
    features: Sequence[str] | None = None,
    valid: Sequence[DataFrame | str | os.PathLike[str]] = (),
    ranks: int = 2,
    params: Mapping[str, Any] | None = None,
    mpiexec: str | None = None,
    spark: SparkSession | None = None,
) -> Model:
    """Trains trees in the tasks of a barrier stage and returns the model, which is also written to folder/model.txt. Messages and
    progress go to folder/log.txt.

    data: a DataFrame, which is written to the folder as Parquet, or the path of Parquet files that all machines can read, in
        which the rows of a query are consecutive, as `write` writes them.
    folder: a folder that the driver and all executors see under this path. Files of earlier calls are replaced.
    label, query, features: names of columns; by default, all other columns are features.
    valid: validation sets, given like data.
    ranks: number of tasks of the stage, all of which must be able to run at the same time.
    params: parameters of the command `train`. num_threads is spark.task.cpus by default.
    mpiexec: MPICH's launcher on the executors; by default the one beside the executor's Python, or in PATH.
    """
    if ranks < 1:
        raise ValueError(f"ranks={ranks}: a training needs one at least")
    if features is not None and isinstance(data, (str, os.PathLike)):
        raise ValueError(f"features={list(features)} with data={data}, which is stored: write its DataFrame with these features, or leave features out")
    from pyspark.sql import SparkSession

    spark = spark or SparkSession.getActiveSession()
    if spark is None:
        raise ValueError("there is no active Spark session; give one: spark=")
    root = Path(folder).absolute()
    root.mkdir(parents=True, exist_ok=True)
    columns = {"label": label, "query": query, "features": features}
    paths = [_stored(data, root / "train", **columns)]
    paths += [_stored(frame, root / f"valid_{number + 1}", **columns) for number, frame in enumerate(valid)]
    settings = [f"{name}={value}" for name, value in as_settings(params or {})]
    job = _Job(root, paths, [f"label_column=name:{label}", f"group_column=name:{query}"], settings, mpiexec)
    stage = spark.sparkContext.parallelize(range(ranks), ranks).barrier()
    job.log.write_text("")
    job.model.unlink(missing_ok=True)
    for status, output in stage.mapPartitions(job.task).collect():
        if status:
            said = job.log.read_text(errors="replace")[-LONGEST:].strip()
            raise LambdaMARTError(f"training on {ranks} ranks ended with status {status}: {said or output}")
    if not job.model.exists():
        raise LambdaMARTError(f"no model was written: {job.log.read_text(errors='replace')[-LONGEST:].strip()}")
    return Model(job.model)


def write(frame: DataFrame, path: str | os.PathLike[str], *, label: str = "label", query: str = "qid", features: Sequence[str] | None = None) -> None:
    """Writes a DataFrame as Parquet for training: sorted by query and then by all other columns, which makes the order of
    rows reproducible. Existing files at the path are replaced."""
    for name in (label, query, *(features or ())):
        if name not in frame.columns:
            raise ValueError(f"{name} is not a column of the data, which has {', '.join(frame.columns)}")
    used = list(features) if features is not None else [c for c in frame.columns if c not in (label, query)]
    target = Path(path).absolute().as_uri()  # a path of the machines, not of Spark's file system
    frame.select(label, query, *used).orderBy(query, label, *used).write.mode("overwrite").parquet(target)


def _stored(data: DataFrame | str | os.PathLike[str], path: Path, **columns: Any) -> str:
    """Returns the path of the data. A DataFrame is written first."""
    if isinstance(data, (str, os.PathLike)):
        return str(Path(data).absolute())
    write(data, path, **columns)
    return str(path)


def hosts_of(addresses: Sequence[str]) -> list[str]:
    """Returns the host of each task, from addresses of the form "host:port". If all tasks run on one machine, each gets a
    different name for it, so each starts its own rank."""
    hosts = [address.rsplit(":", 1)[0] for address in addresses]
    if len(set(hosts)) == 1:
        return [f"127.0.0.{number + 1}" for number in range(len(hosts))]
    return hosts


class _Job:
    """The work of a task. Spark sends it to the executors."""

    def __init__(self, root: Path, paths: list[str], columns: list[str], settings: list[str], mpiexec: str | None) -> None:
        self.paths, self.columns, self.settings, self.mpiexec = paths, columns, settings, mpiexec
        self.log, self.model = root / "log.txt", root / "model.txt"

    def task(self, _: Iterator[int]) -> Iterator[tuple[int, str]]:
        """Runs this task's part of the job: the first one also runs the launcher. Yields the launcher's status and output."""
        from pyspark import BarrierTaskContext

        context = BarrierTaskContext.get()
        own, hosts = context.partitionId(), hosts_of([info.address for info in context.getTaskInfos()])
        launcher = None
        if own == 0:
            launcher = _Launcher([*self.command(), "-launcher", "manual", "-hosts", _spread(hosts), "-n", str(len(hosts))], self.training(context.cpus()))
        told = context.allGather("\n".join(launcher.commands if launcher else []))[0].split("\n")
        machines = list(dict.fromkeys(hosts))
        if len(told) != len(machines):
            if launcher:
                raise RuntimeError(f"mpiexec has not started: {launcher.wait()[1]}")
            return
        if hosts.index(hosts[own]) == own:  # the first task on each machine starts the ranks there
            _run(shlex.split(told[machines.index(hosts[own])]))
        if launcher:
            status, output = launcher.wait()
            if status not in (0, *OWN_ERRORS):
                raise RuntimeError(f"mpiexec ended with status {status}: {output}")
            yield status, output
        context.barrier()  # the task occupies its slot until all ranks are done

    def command(self) -> list[str]:
        """Returns MPICH's launcher on this machine."""
        beside = Path(sys.prefix) / "bin" / "mpiexec"
        found = self.mpiexec or (str(beside) if beside.exists() else shutil.which("mpiexec"))
        if found is None:
            raise LambdaMARTError("there is no mpiexec on the executor: pip install mpich there, or give its path: mpiexec=")
        return [found]

    def training(self, cores: int) -> list[str]:
        """Returns the command of each rank. Ranks write their messages to the log themselves, because mpiexec ends when a rank
        fails, without waiting for the remaining output."""
        append = ["/bin/sh", "-c", 'exec "$@" 2>>"$0"', str(self.log)]
        sets = [f"data={self.paths[0]}", *(f"valid={path}" for path in self.paths[1:])]
        threads = [] if any(s.startswith("num_threads=") for s in self.settings) else [f"num_threads={cores}"]
        return [*append, _binary.path(), "train", *sets, *self.columns, *threads, *self.settings, f"output_model={self.model}"]


def _spread(hosts: Sequence[str]) -> str:
    """Returns the machines and their numbers of ranks in the format of mpiexec."""
    return ",".join(f"{host}:{hosts.count(host)}" for host in dict.fromkeys(hosts))


class _Launcher:
    """An mpiexec process, which prints commands and waits until they are run."""

    def __init__(self, command: list[str], program: list[str]) -> None:
        libraries = [str(Path(command[0]).resolve().parent.parent / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
        environment = {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(filter(None, libraries))}
        self.process = subprocess.Popen([*command, *program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=_end_with_parent)
        self.lines: list[str] = []
        self.commands: list[str] = []
        for line in self.output():
            if line.startswith("HYDRA_LAUNCH_END"):
                break
            if line.startswith("HYDRA_LAUNCH: "):
                self.commands.append(line.removeprefix("HYDRA_LAUNCH: ").strip())

    def output(self) -> Iterator[str]:
        """Returns the output lines of mpiexec and of rank 0, which also go to the log of the executor."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            sys.stderr.write(line)
            if not line.startswith("HYDRA_LAUNCH"):
                self.lines.append(line)
            yield line

    def wait(self) -> tuple[int, str]:
        """Returns the status and the end of the output."""
        for _ in self.output():
            pass
        return self.process.wait(), "".join(self.lines)[-LONGEST:].strip()


def _run(command: list[str]) -> None:
    """Runs the ranks of a machine. The launcher reports how they end."""
    subprocess.run(command, preexec_fn=_end_with_parent)


def _end_with_parent() -> None:
    """Makes the system end this process when Spark ends the task (PR_SET_PDEATHSIG on Linux)."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
