"""Trains by one process with two threads and by two with a thread each, ours and LightGBM's, in turn.

    bench/machines/compare.sh [--queries 6000] [--leaves 255] [--iterations 20] [--rounds 3] [--active 1]

The time of an iteration is the smallest over all rounds of the median within a training run, without its first three iterations.
"""

import argparse
import hashlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import data

WARM = 3  # iterations that are left out


@dataclass
class Way:
    """A way to train, with the times of its rounds and its model."""

    name: str
    seconds: list[float] = field(default_factory=list)
    model: str = ""
    exchanged: str = ""


def ours(way: Way, files: data.Files, options: argparse.Namespace, folder: Path, ranks: int) -> None:
    binary, mpi = Path(os.environ["LAMBDAMART_BIN"]) / "lambdamart", os.environ["OPENMPI"]
    roots = {f"{name}_ALLOW_RUN_AS_ROOT{suffix}": "1" for name in ("OMPI", "PRTE") for suffix in ("", "_CONFIRM")}
    launcher = [f"{mpi}/bin/mpiexec", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    model = folder / "model.txt"
    settings = {"data": folder / "train.bin", "num_leaves": options.leaves, "num_iterations": options.iterations, "num_threads": 2 // ranks,
                "active_fraction": options.active, "output_model": model, "log_json": "true"}
    if not settings["data"].exists():
        subprocess.run([binary, "bin", f"data={files.train}", f"output={settings['data']}"], check=True, capture_output=True)
    command = [*launcher, binary, "train", *(f"{name}={value}" for name, value in settings.items())]
    done = subprocess.run(command, env={**os.environ, **roots, "LD_LIBRARY_PATH": f"{mpi}/lib"}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr + done.stdout)
    events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    note(way, [e["seconds"] for e in events if e["event"] == "iteration"], model.read_bytes())
    for e in events:
        if e["event"] == "ranks":
            way.exchanged = f"{e['collectives'] / e['trees']:.0f} collectives, {e['bytes'] / e['trees'] / 1e6:.1f} MB"


def note(way: Way, seconds: list[float], model: bytes) -> None:
    way.seconds.append(statistics.median(seconds[WARM:]))
    way.model = hashlib.sha256(model).hexdigest()[:12]


LIGHTGBM = """
import json, sys, time
import lightgbm
parameters, path, model, iterations = json.loads(sys.argv[1])
train = lightgbm.Dataset(path, params=parameters)
seconds, last = [], [0.0]
def lap(env):
    now = time.perf_counter()
    seconds.append(now - last[0])
    last[0] = now
booster = lightgbm.train(parameters, train, iterations, callbacks=[lap])
text = booster.model_to_string()
open(model, "w").write(text[:text.index("\\nparameters:")])
print(json.dumps(seconds))
"""


def lightgbm(way: Way, files: data.Files, options: argparse.Namespace, folder: Path, ranks: int) -> None:
    common = {"objective": "lambdarank", "num_leaves": options.leaves, "num_threads": 2 // ranks, "verbosity": -1}
    paths, more = [files.train_without_qid], [{}]
    if ranks > 1:
        ports = free_ports(ranks)
        machines = ",".join(f"127.0.0.1:{port}" for port in ports)
        paths = halves(files, folder)
        more = [{"tree_learner": "data", "num_machines": ranks, "machines": machines, "local_listen_port": port, "pre_partition": True} for port in ports]
    running = []
    for rank, (path, own) in enumerate(zip(paths, more, strict=True)):
        arguments = json.dumps([{**common, **own}, str(path), str(folder / f"lightgbm-{rank}.txt"), options.iterations])
        running.append(subprocess.Popen([sys.executable, "-c", LIGHTGBM, arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    outputs = [process.communicate() for process in running]
    if any(process.returncode for process in running):
        sys.exit("\n".join(error for _, error in outputs))
    seconds = json.loads(outputs[0][0].splitlines()[-1])
    note(way, seconds, (folder / "lightgbm-0.txt").read_bytes())


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def halves(files: data.Files, folder: Path) -> list[Path]:
    """Divides the data between two queries, with about half of the rows on each side."""
    sizes = [int(line) for line in Path(f"{files.train_without_qid}.query").read_text().split()]
    rows, first = 0, 0
    while rows < sum(sizes) / 2:
        rows, first = rows + sizes[first], first + 1
    paths = [folder / "half-0.txt", folder / "half-1.txt"]
    if not paths[1].exists():
        with open(files.train_without_qid, "rb") as lines:
            for path, part, n in zip(paths, (sizes[:first], sizes[first:]), (rows, None), strict=True):
                Path(f"{path}.query").write_text("".join(f"{size}\n" for size in part))
                with open(path, "wb") as out:
                    out.writelines(islice(lines, n))
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/machines/compare.sh")
    parser.add_argument("--queries", type=int, default=6000)
    parser.add_argument("--leaves", type=int, default=255)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--active", default="1", help="active_fraction of ours")
    parser.add_argument("--ours", action="store_true", help="leave LightGBM out")
    options = parser.parse_args()
    files = data.make(options.queries, 0)
    systems = {"ours": ours} if options.ours else {"ours": ours, "LightGBM": lightgbm}
    with tempfile.TemporaryDirectory() as name:
        ways = {(system, ranks): Way(f"{system}, {'two ranks' if ranks == 2 else 'one process'}") for system in systems for ranks in (1, 2)}
        for _ in range(options.rounds):
            for (system, ranks), way in ways.items():
                systems[system](way, files, options, Path(name), ranks)
    print("| | ms an iteration | rounds | over one process | model | exchanged for a tree |\n|---|---|---|---|---|---|")
    for (system, ranks), way in ways.items():
        alone = ways[system, 1]
        same = "" if ranks == 1 else "the same bytes" if way.model == alone.model else "another"
        rounds = " ".join(f"{1e3 * s:.0f}" for s in way.seconds)
        print(f"| {way.name} | {1e3 * min(way.seconds):.0f} | {rounds} | {min(way.seconds) / min(alone.seconds):.2f} | {same} | {way.exchanged} |")


if __name__ == "__main__":
    main()
