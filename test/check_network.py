"""Checks that two ranks on a slow network, and on one that loses packets, train the model of one process.

The network is two namespaces with a link that delays each packet by 0.1 ms or 1 ms, or loses one in a hundred (network.py). MPICH starts
one rank in each namespace. The time of an iteration is printed; it is not checked, because it depends on
the load of the machine. Where namespaces cannot be made the exit status is 77: left out.
"""

import gzip
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import ours
from check_mpi import Job, digest
from network import Link, inside
from report import Table
from sets import ROOT

SETTINGS = ["num_iterations=4", "num_leaves=15", "num_threads=1"]
LINKS = {"0.1 ms": (0.0001, 0.0), "1 ms": (0.001, 0.0), "0.1 ms, 1 % lost": (0.0001, 0.01)}
SECONDS = 3600  # against hanging


def run(job: Job, link: Link, binary: Path, args: list[str]) -> tuple[int, str]:
    """Runs a job with a rank in each namespace, and returns the status and the output."""
    launch = [*job.command, "-launcher", "manual", "-localhost", link.addresses[0], "-hosts", ",".join(link.addresses), "-n", "2", "-ppn", "1"]
    environment = {**job.environment, "FI_PROVIDER": "tcp"}
    launcher = subprocess.Popen(inside(link.names[0], *launch, str(binary), *args), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    machines, output = [], []
    for line in launcher.stdout:
        if line.startswith("HYDRA_LAUNCH: "):
            namespace = link.names[len(machines)]
            machines.append(subprocess.Popen(inside(namespace, *shlex.split(line.removeprefix("HYDRA_LAUNCH: "))), env=environment))
        elif not line.startswith("HYDRA_LAUNCH"):
            output.append(line)
    try:
        status = launcher.wait(timeout=SECONDS)
    finally:
        for machine in machines:
            machine.kill()
            machine.wait()
    return status, "".join(output)


def main() -> None:
    if sys.platform != "linux" or os.geteuid() != 0:
        print("network namespaces need Linux and root")
        sys.exit(77)
    job = Job("mpich", [])
    table = Table("network", "made by", "ms an iteration")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binary = folder / "lambdamart"
        subprocess.run(["go", "build", "-tags", "mpi", "-o", binary, "./cmd/lambdamart"], cwd=ROOT, check=True)
        (folder / "train.txt").write_bytes(gzip.decompress((ROOT / "testdata/mslr-small/train.txt.gz").read_bytes()))
        data, model = f"data={folder / 'train.txt'}", folder / "model.txt"
        ours.run("cmd/lambdamart", "train", data, *SETTINGS, f"output_model={folder / 'one.txt'}")
        for network, (delay, loss) in LINKS.items():
            model.unlink(missing_ok=True)
            try:
                link = Link(delay, loss)
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"no network namespaces: {error}")
                sys.exit(77)
            try:
                status, output = run(job, link, binary, ["train", data, *SETTINGS, f"output_model={model}", "log_json=true"])
            finally:
                link.close()
            same = status == 0 and digest(model) == digest(folder / "one.txt")
            events = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
            seconds = [e["seconds"] for e in events if e["event"] == "iteration"]
            table.row(same, network, link.kind, 1e3 * statistics.median(seconds or [0]))
            if not same:
                print(output[-800:])
    table.exit()


if __name__ == "__main__":
    main()
