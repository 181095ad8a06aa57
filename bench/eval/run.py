"""Times evaluation by lambdamart, Spark and scikit-learn in turn, in several rounds. run.sh calls it.

Rounds are interleaved, so that other work of the machine slows all systems alike, and ratios are
taken within a round. Fails if the computed figures differ.
"""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
BIN = Path(os.environ["LAMBDAMART_BIN"])
CUTOFF = 10
TOLERANCE = 1e-9


def main() -> None:
    options = parse()
    result = about(options) | dict(parquet=[], one_query=[])
    if not options.no_spark:
        result["parquet"] = compare_with_spark(options)
    result["one_query"] = compare_with_sklearn(options)
    result["load_after"] = os.getloadavg()
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    print(tables(result))
    print(f"kept in {options.out}", file=sys.stderr)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares evaluation with Spark and scikit-learn on this machine.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3, help="each starts Spark anew")
    parser.add_argument("--no-spark", action="store_true", help="scikit-learn only")
    parser.add_argument("--out", type=Path, help="JSON file")
    options = parser.parse_args()
    options.out = options.out or HERE.parent / "results" / f"{datetime.date.today()}-eval.json"
    return options


def about(options: argparse.Namespace) -> dict:
    packages = ["pyspark", "pyarrow", "numpy", "scikit-learn"]
    return dict(
        date=str(datetime.date.today()),
        rows=options.rows,
        queries=options.queries,
        cutoff=CUTOFF,
        cpu=cpu(),
        cores=os.cpu_count(),
        python=platform.python_version(),
        go=subprocess.run(["go", "version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[2],
        packages={name: metadata.version(name) for name in packages},
        load_before=os.getloadavg(),
    )


def cpu() -> str:
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if Path("/proc/cpuinfo").exists() else None
    return found[1] if found else platform.processor()


class Spark:
    """A Spark session that stays open. Spark always writes warnings, so its messages are kept and printed only if it fails."""

    def __init__(self) -> None:
        self.begin = time.perf_counter()
        self.said = tempfile.TemporaryFile()
        command = [sys.executable, HERE / "spark_ndcg.py"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, text=True)
        self.answer()

    def answer(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            self.said.seek(0)
            said = self.said.read().decode(errors="replace")
            raise SystemExit(f"{said}\nSpark ended with exit status {status}; what it said is above. It needs Java 17 or newer.")
        return json.loads(line)

    def first(self, folder: Path) -> dict:
        """Evaluates for the first time. The time includes the start of the session, as ours includes that of our process."""
        found = self.ndcg(folder)
        return found | dict(seconds=time.perf_counter() - self.begin, cpu_seconds=processor_seconds(self.process.pid))

    def ndcg(self, folder: Path) -> dict:
        before = processor_seconds(self.process.pid)
        print(folder, CUTOFF, file=self.process.stdin, flush=True)
        return self.answer() | dict(cpu_seconds=processor_seconds(self.process.pid) - before)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.said.close()


def processor_seconds(root: int) -> float:
    """Returns the CPU time of a process and all its children: Spark is a JVM that Python starts (Linux only)."""
    parents, ticks = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue
        parents[int(stat.parent.name)] = int(fields[1])
        ticks[int(stat.parent.name)] = int(fields[11]) + int(fields[12])
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(ticks.get(pid, 0) for pid in family) / os.sysconf("SC_CLK_TCK")


def ours(folder: Path) -> dict:
    """Evaluates once. The time is that of the whole process, its start included."""
    command = [BIN / "lambdamart", "eval", f"data={folder}", f"metric=ndcg@{CUTOFF}", "metric_convention=sklearn", "json=true", "verbosity=-1"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)  # a process inherits the peak memory of its parent: this program must stay small
    seconds = time.perf_counter() - begin
    if status != 0:
        raise SystemExit(f"lambdamart failed on {folder}; what it said is above")
    output = json.loads(text)
    return dict(
        mean=output["results"][0]["mean"], seconds=seconds, cpu_seconds=usage.ru_utime + usage.ru_stime, peak_mib=usage.ru_maxrss / 1024
    )


def compare_with_spark(options: argparse.Namespace) -> list[dict]:
    folders, runs = {}, []
    for layout in ("grouped", "shuffled"):
        folders[layout] = cache() / f"eval-{options.rows}-{options.queries}-{layout}"
        make = [sys.executable, HERE / "data.py", folders[layout], str(options.rows), str(options.queries), layout]
        subprocess.run(make, check=True)
    for number in range(options.rounds):
        for layout, folder in folders.items():
            runs.append(dict(round=number, layout=layout) | one_round(folder))
            seconds = ", ".join(f"{who} {runs[-1][who]['seconds']:.2f} s" for who in ("ours", "started", "warm"))
            print(f"round {number} {layout}: {seconds}", file=sys.stderr, flush=True)
    return runs


def one_round(folder: Path) -> dict:
    """Measures lambdamart, Spark from its start, and Spark again in the same session."""
    mine = ours(folder)
    spark = Spark()
    started = spark.first(folder)
    again = ours(folder)
    warm = spark.ndcg(folder)
    spark.close()
    for theirs in (started, warm):
        if abs(mine["mean"] - theirs["mean"]) > TOLERANCE:
            raise SystemExit(f"{folder}: our mean is {mine['mean']}, Spark's {theirs['mean']}")
    return dict(ours=mine, started=started, ours_again=again, warm=warm)


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lambdamart"


def compare_with_sklearn(options: argparse.Namespace) -> list[dict]:
    """Runs bench/timed and bench/ndcg/sklearn_ndcg.py, which print lines of documents, cut-off and microseconds."""
    runs = []
    for number in range(options.rounds):
        mine = microseconds([BIN / "timed", "ndcg"])
        theirs = microseconds([sys.executable, HERE.parent / "ndcg" / "sklearn_ndcg.py"])
        for (documents, cutoff), ours in mine.items():
            runs.append(dict(round=number, documents=documents, cutoff=cutoff, ours_us=ours, sklearn_us=theirs[documents, cutoff]))
        print(f"round {number} scikit-learn", file=sys.stderr, flush=True)
    return runs


def microseconds(command: list) -> dict:
    environment = os.environ | dict(OMP_NUM_THREADS="1")
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout
    return {(int(documents), cutoff): float(us) for documents, cutoff, us in (line.split() for line in text.splitlines()[1:])}


def tables(result: dict) -> str:
    lines = []
    if result["parquet"]:
        lines += [f"{result['rows']:,} rows, {result['queries']:,} queries, nDCG@{CUTOFF}:", ""]
        lines += ["| rows of a query | Spark | | ours | Spark | times faster |", "|---|---|---|---:|---:|---:|"]
        for layout in dict.fromkeys(run["layout"] for run in result["parquet"]):
            runs = [run for run in result["parquet"] if run["layout"] == layout]
            name = {"grouped": "follow each other", "shuffled": "lie anywhere"}[layout]
            for mine, theirs, which in (("ours", "started", "from its start"), ("ours_again", "warm", "second evaluation")):
                for key, unit in (("seconds", "seconds"), ("cpu_seconds", "processor seconds")):
                    us, spark = (median(run[who][key] for run in runs) for who in (mine, theirs))
                    ratios = spread(run[theirs][key] / run[mine][key] for run in runs)
                    lines.append(f"| {name} | {which} | {unit} | {us:.2f} | {spark:.1f} | {ratios} |")
            lines.append(f"| {name} | | peak memory, MiB | {median(run['ours']['peak_mib'] for run in runs):.0f} | | |")
        lines.append("")
    lines += ["One query:", "", "| documents | cut-off | ours, µs | scikit-learn, µs | times faster |", "|---:|---:|---:|---:|---:|"]
    for documents, cutoff in dict.fromkeys((run["documents"], run["cutoff"]) for run in result["one_query"]):
        runs = [run for run in result["one_query"] if (run["documents"], run["cutoff"]) == (documents, cutoff)]
        mine, theirs = (median(run[key] for run in runs) for key in ("ours_us", "sklearn_us"))
        ratios = spread(run["sklearn_us"] / run["ours_us"] for run in runs)
        lines.append(f"| {documents:,} | {cutoff} | {mine:.2f} | {theirs:,.0f} | {ratios} |")
    return "\n".join(lines)


def spread(ratios) -> str:
    """Formats the median, the smallest and the largest."""
    ratios = sorted(ratios)
    return f"{median(ratios):.0f} ({ratios[0]:.0f} to {ratios[-1]:.0f})"


if __name__ == "__main__":
    main()
