"""Times requests of 100 documents with 136 features to lambdamart serve and to a LightGBM server made by FastAPI, side by side.

    python3 bench/serving/latency.py trees=500 leaves=63 requests=1000

One client sends one request at a time, in turns of 50 to each server, so that the load of the machine meets all alike. The body is
made beforehand; a time is that from sending the first byte to having the last one. CPU seconds are those of the server, all its
threads included. Packages are those of test/requirements-serving.txt.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSIDE = "LAMBDAMART_SERVING"


def run_again() -> None:
    """Runs this script in the environment that has the packages."""
    sys.path.insert(0, str(ROOT / "test"))
    import environment

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "build", "-o", folder, "./cmd/lambdamart"], cwd=ROOT, check=True)
        environment.run_again("requirements-serving.txt", {INSIDE: "1", "LAMBDAMART_BIN": folder})


if __name__ == "__main__" and INSIDE not in os.environ:
    run_again()

import lightgbm  # noqa: E402
import numpy as np  # noqa: E402

DOCUMENTS, FEATURES, TURN = 100, 136, 50


def main() -> None:
    given = {"trees": 500, "leaves": 63, "requests": 1000, **{k: int(v) for k, v in (a.split("=") for a in sys.argv[1:])}}
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "shop.txt")
        train(model, given["trees"], given["leaves"])
        x = documents()
        want = lightgbm.Booster(model_file=model).predict(x, raw_score=True)
        measure(model, x, want, given)


def documents() -> np.ndarray:
    return np.random.default_rng(1).gamma(1, 20, (DOCUMENTS, FEATURES)).round(6)


def train(model: Path, trees: int, leaves: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.gamma(1, 20, (5000, FEATURES)).round(6)
    y = np.clip(np.floor(np.log1p(x[:, :10]).sum(axis=1) / 8 + rng.normal(0, 1, len(x))), 0, 4)
    data = lightgbm.Dataset(x, y, group=np.full(50, 100))
    lightgbm.train({"objective": "lambdarank", "verbosity": -1, "num_leaves": leaves, "min_data_in_leaf": 5, "num_threads": 1}, data, trees).save_model(model)


def measure(model: Path, x: np.ndarray, want: np.ndarray, given: dict) -> None:
    ours, usual = free_port(), free_port()
    binary = Path(os.environ["LAMBDAMART_BIN"], "lambdamart")
    servers = {
        "ours": subprocess.Popen([binary, "serve", f"models={model}", f"address=127.0.0.1:{ours}", "verbosity=0"]),
        "usual": subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "usual:app", "--port", str(usual), "--log-level", "error", "--no-access-log"],
            cwd=Path(__file__).parent, env={**os.environ, "MODEL": str(model)}),
    }
    try:
        for port in (ours, usual):
            wait(port)
        ways = ways_of(ours, usual, x)
        times, cpu = {name: [] for name in ways}, {name: 0.0 for name in ways}
        for name, (_, ask) in ways.items():
            assert np.array_equal(ask(), want), f"{name}: other scores"
        for turn in range(given["requests"] // TURN):
            for name, (server, ask) in ways.items():
                before = cpu_seconds(servers[server].pid)
                for _ in range(TURN):
                    began = time.perf_counter()
                    ask(parse=False)
                    times[name].append(time.perf_counter() - began)
                cpu[name] += cpu_seconds(servers[server].pid) - before
        report(times, cpu, given)
    finally:
        for server in servers.values():
            server.terminate()
            server.wait()


def ways_of(ours: int, usual: int, x: np.ndarray) -> dict:
    """Returns, by name, the server, and a function that sends a request and returns the scores."""
    rows = x.tolist()
    shape = {"name": "features", "datatype": "FP64", "shape": list(x.shape)}
    return {
        "FastAPI": ("usual", http(usual, "/predict", json.dumps({"features": rows}).encode(), lambda a: a)),
        "serve": ("ours", http(ours, "/v2/models/shop/infer", json.dumps({"inputs": [{**shape, "data": rows}]}).encode(), scores)),
    }


def scores(answer: dict) -> list:
    return answer["outputs"][0]["data"]


def http(port: int, path: str, body: bytes, scores):
    connection = HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    headers = {"Content-Type": "application/json"}

    def ask(parse: bool = True):
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        answer = response.read()
        assert response.status == 200, answer
        return np.array(scores(json.loads(answer))) if parse else None

    return ask


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("a server does not listen")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(times: dict, cpu: dict, given: dict) -> None:
    print(f"{DOCUMENTS} documents with {FEATURES} features, {given['trees']} trees with {given['leaves']} leaves, {given['requests']} requests each, one at a time")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs\n")
    print("| | p50 | p99 | CPU of the server, a request |\n|---|---|---|---|")
    for name, all_times in times.items():
        p50, p99 = np.percentile(all_times, [50, 99]) * 1e3
        print(f"| {name} | {p50:.2f} ms | {p99:.2f} ms | {cpu[name] / len(all_times) * 1e3:.2f} ms |")


if __name__ == "__main__":
    main()
