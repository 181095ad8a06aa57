"""Trains the same networks with lambdamart and with PyTorch. run.sh calls it.

Speed: rounds are interleaved, so that other work of the machine slows all systems alike, and ratios
are taken within a round. Quality: nDCG@10 under LightGBM's convention, with several seeds, on
queries that were not used in training.
"""

import argparse
import dataclasses
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from statistics import mean, median, stdev

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

import numpy as np

import letor
import pytorch
from settings import Settings

import data  # this and the next two of bench/
import quality
from run import cpu, output

DROPOUTS = 0.0, 0.2
OURS, DEFAULT, FUSED = "lambdamart", "PyTorch", "PyTorch, fused Adam"


def main() -> None:
    options = parse()
    if options.data:
        paths = options.data / "train.txt", options.data / "vali.txt"
    else:
        files = data.make(options.queries, 0)
        paths = files.train, files.vali
    train, vali = map(letor.read, paths)
    inputs = pytorch.Inputs(train.rows)
    queries = pytorch.queries(inputs, train.rows, train.labels, train.sizes)
    go = Go(*paths)
    result = about(options, len(train.sizes), len(train.labels)) | dict(runs=[])
    if options.quality:
        compare_quality(options, result, go, queries, inputs, vali)
        text = quality_table(result)
    else:
        compare_speed(options, result, go, queries)
        text = speed_table(result)
    go.close()
    result["load_after"] = os.getloadavg()
    keep(options, result)
    print(text)
    print(f"kept in {options.out}", file=sys.stderr)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares the training of networks with PyTorch on this machine, one thread each.")
    parser.add_argument("--queries", type=int, default=600, help="training queries in the shape of MSLR; a third as many are judged")
    parser.add_argument("--data", type=Path, help="a folder with train.txt and vali.txt instead")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quality", action="store_true", help="compare nDCG@10 instead of speed")
    parser.add_argument("--seeds", type=int, default=5, help="of the quality")
    parser.add_argument("--epochs", type=int, default=5, help="of the quality")
    parser.add_argument("--rate", type=float, default=Settings.rate, help="learning rate of Adam")
    parser.add_argument("--out", type=Path, help="JSON file")
    options = parser.parse_args()
    kind = "neural-quality" if options.quality else "neural"
    options.out = options.out or HERE.parent / "results" / f"{datetime.date.today()}-{kind}.json"
    options.out.parent.mkdir(exist_ok=True)
    return options


class Go:
    """The Go program bench/timed. It loads both parts once."""

    def __init__(self, train: Path, vali: Path):
        program = Path(os.environ["LAMBDAMART_BIN"]) / "timed"
        self.process = subprocess.Popen([program, "neural", train, vali], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *task, **parameters) -> dict:
        print(*task, *(f"{name}={value}" for name, value in parameters.items()), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.process.args[0]}: exit status {self.process.wait()}; what it said is above")
        return json.loads(answer)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def parameters(ranker: str, settings: Settings) -> dict:
    """Returns the settings under lambdamart's parameter names."""
    hidden = ",".join(map(str, settings.hidden))
    return dict(ranker=ranker, hidden_layers=hidden, dropout=settings.dropout, learning_rate=settings.rate, batch_queries=1)


def compare_speed(options: argparse.Namespace, result: dict, go: Go, queries: pytorch.Queries) -> None:
    for dropout in DROPOUTS:
        settings = Settings(dropout=dropout, rate=options.rate)
        for ranker in pytorch.LOSSES:
            others = {name: pytorch.Training(queries, ranker, 0, settings, fused=name == FUSED) for name in (DEFAULT, FUSED)}
            for training in others.values():
                training.epoch()  # warms the caches
            for number in range(options.rounds):
                costs = {OURS: go.ask("time", **parameters(ranker, settings))}
                costs |= {name: training.epoch() for name, training in others.items()}
                for name, cost in costs.items():
                    run = dict(system=name, ranker=ranker, dropout=dropout, round=number) | cost
                    result["runs"].append(run)
                    print(f"{name:20} {ranker:8} dropout {dropout}: {speed(run):7.0f} documents/s", file=sys.stderr, flush=True)
                keep(options, result)


def speed(run: dict) -> float:
    """Returns documents per second of CPU time, which other programs do not influence."""
    return run["documents"] / run["processor"]


def speed_table(result: dict) -> str:
    lines = ["| loss | dropout | lambdamart | " + " | ".join((DEFAULT, FUSED)) + " |", "|---|---|---|---|---|"]
    for dropout in DROPOUTS:
        for ranker in pytorch.LOSSES:
            chosen = [r for r in result["runs"] if (r["ranker"], r["dropout"]) == (ranker, dropout)]
            of = {name: [speed(r) for r in chosen if r["system"] == name] for name in (OURS, DEFAULT, FUSED)}
            cells = [f"{median(of[OURS]):,.0f}"]
            for name in (DEFAULT, FUSED):
                ratios = [ours / other for ours, other in zip(of[OURS], of[name])]
                cells.append(f"{median(of[name]):,.0f} ({median(ratios):.2f}: {min(ratios):.2f} to {max(ratios):.2f})")
            lines.append(f"| {ranker} | {dropout} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def compare_quality(options, result: dict, go: Go, queries: pytorch.Queries, inputs: pytorch.Inputs, vali: letor.Part) -> None:
    judged = data.Judged(vali.rows, vali.labels, vali.sizes)
    rows = inputs(vali.rows)
    settings = Settings(rate=options.rate)
    for ranker in pytorch.LOSSES:
        for seed in range(options.seeds):
            for name in OURS, DEFAULT:
                if name == OURS:
                    scores = scores_of_ours(go, ranker, settings, seed, options.epochs)
                else:
                    training = pytorch.Training(queries, ranker, seed, settings, fused=False)
                    for _ in range(options.epochs):
                        training.epoch()
                    scores = training.scores(rows)
                run = dict(system=name, ranker=ranker, seed=seed, ndcg=quality.ndcg(judged, scores)[10])
                result["runs"].append(run)
                print(f"{name:12} {ranker:8} seed {seed}: nDCG@10 {run['ndcg']:.4f}", file=sys.stderr, flush=True)
                keep(options, result)


def scores_of_ours(go: Go, ranker: str, settings: Settings, seed: int, epochs: int) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores"
        go.ask("scores", path, seed=seed, epochs=epochs, **parameters(ranker, settings))
        return np.fromfile(path)


def quality_table(result: dict) -> str:
    lines = ["| loss | lambdamart | PyTorch | difference of the means |", "|---|---|---|---|"]
    for ranker in pytorch.LOSSES:
        of = {name: [r["ndcg"] for r in result["runs"] if (r["system"], r["ranker"]) == (name, ranker)] for name in (OURS, DEFAULT)}
        cells = [f"{mean(values):.4f} ± {stdev(values) if len(values) > 1 else 0:.4f}" for values in of.values()]
        lines.append(f"| {ranker} | {' | '.join(cells)} | {mean(of[OURS]) - mean(of[DEFAULT]):+.4f} |")
    return "\n".join(lines)


def keep(options: argparse.Namespace, result: dict) -> None:
    options.out.write_text(json.dumps(result, indent=1) + "\n")


def about(options: argparse.Namespace, queries: int, rows: int) -> dict:
    return dict(
        date=datetime.date.today().isoformat(),
        commit=output("git", "describe", "--always", "--dirty"),
        go=output("go", "env", "GOVERSION"),
        versions={name: metadata.version(name) for name in ("torch", "numpy")},
        instructions=pytorch.torch.backends.cpu.get_cpu_capability(),
        machine=dict(cpu=cpu(), cores=os.cpu_count(), system=platform.platform()),
        load_before=os.getloadavg(),
        settings=dataclasses.asdict(Settings(rate=options.rate)),
        queries=queries,
        rows=rows,
        rounds=options.rounds,
        epochs=options.epochs,
    )


if __name__ == "__main__":
    main()
