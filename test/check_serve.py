"""Checks lambdamart serve with tritonclient, LightGBM's scores, and Prometheus's parser.

    python3 test/check_serve.py
    python3 test/check_serve.py load requests=50000      # the load of test/long.sh

The packages are installed in an environment of their own, test/requirements-serving.txt, in which this script runs itself
again.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
INSIDE = "LAMBDAMART_SERVING"


if __name__ == "__main__" and INSIDE not in os.environ:
    import environment
    import ours

    environment.run_again("requirements-serving.txt", {INSIDE: "1", "LAMBDAMART_BINARY": str(ours.built("cmd/lambdamart"))})

import lightgbm  # noqa: E402
import numpy as np  # noqa: E402
import socket  # noqa: E402
import tritonclient.http as triton  # noqa: E402
from tritonclient.utils import InferenceServerException  # noqa: E402
from urllib.request import urlopen  # noqa: E402

FEATURES, DOCUMENTS = 12, 40


def booster(seed: int) -> lightgbm.Booster:
    """Returns a small model by LightGBM. Its features x0 to x5 were never missing in training, and the others were."""
    rng = np.random.default_rng(seed)
    x = rng.random((2000, FEATURES))
    x[:, 6:][rng.random((2000, FEATURES - 6)) < 0.2] = np.nan
    y = np.floor(4 * np.nan_to_num(x).mean(axis=1) + rng.random(2000)).astype(int)
    data = lightgbm.Dataset(x, y, group=np.full(50, 40), feature_name=[f"x{i}" for i in range(FEATURES)])
    return lightgbm.train({"objective": "lambdarank", "verbosity": -1, "num_leaves": 15, "num_threads": 1, "seed": seed}, data, 20)


def put(path: Path, model: lightgbm.Booster) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}")
    model.save_model(beside)
    beside.rename(path)


def documents(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.random((DOCUMENTS, FEATURES))
    x[:, 6:][rng.random((DOCUMENTS, FEATURES - 6)) < 0.2] = np.nan
    return x


@contextmanager
def server(models: Path, *more: str):
    """Runs a server. Yields its address and its process, and expects a graceful end with status 0."""
    command = [os.environ["LAMBDAMART_BINARY"], "serve", f"models={models}", "address=127.0.0.1:0", *more]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stderr=log)
        try:
            yield address_in(log, process), process
            process.terminate()
            assert process.wait(timeout=3600) == 0, "the end was not graceful"
        finally:
            process.kill()
            process.wait()
            log.seek(0)
            text = log.read()
            assert "panic" not in text, text


def address_in(log, process) -> str:
    while True:
        found = re.search(r"msg=listening address=(\S+)", os.pread(log.fileno(), 1 << 20, 0).decode())
        if found:
            return found[1]
        assert process.poll() is None, os.pread(log.fileno(), 1 << 20, 0).decode()
        time.sleep(0.05)


def tensor(name: str, values: np.ndarray, kind: str):
    """Returns an input in JSON, where null is a missing value: tritonclient itself would write NaN, which is not JSON."""
    t = triton.InferInput(name, list(values.shape), kind)
    if kind == "BYTES":
        t.set_data_from_numpy(values, binary_data=False)
    else:
        t.set_data_from_numpy(np.nan_to_num(values), binary_data=False)
        t._data = [None if np.isnan(v) else v for v in values.ravel().tolist()]
    return t


def refused(call, pattern: str, status: str) -> None:
    try:
        call()
    except InferenceServerException as error:
        assert re.search(pattern, str(error)) and status in str(error.status()), f"{error}; wanted {status} {pattern}"
        return
    raise AssertionError(f"no error; wanted {status} {pattern}")


def equal(got: np.ndarray, want: np.ndarray, what: str) -> None:
    assert got.dtype == np.float64 and np.array_equal(got, want), f"{what}: {got[:5]}, wanted {want[:5]}"


def all_forms() -> None:
    """Every form of a request gets LightGBM's scores, in every bit."""
    model, x = booster(1), documents()
    names = np.array(model.feature_name(), dtype=object)
    order = np.random.default_rng(2).permutation(FEATURES)
    mixed = np.ascontiguousarray(x[:, order])
    want, want32 = model.predict(x, raw_score=True), model.predict(x.astype(np.float32).astype(np.float64), raw_score=True)
    with tempfile.TemporaryDirectory() as folder:
        put(Path(folder, "shop.txt"), model)
        with server(Path(folder)) as (address, _):
            c = triton.InferenceServerClient(address)
            score = lambda inputs, **more: c.infer("shop", inputs, **more).as_numpy("score")  # noqa: E731
            features = tensor("features", x, "FP64")
            equal(score([features]), want, "in order")
            equal(score([tensor("features", x.astype(np.float32), "FP32")]), want32, "FP32")
            equal(score([tensor("features", mixed, "FP64"), tensor("feature_names", names[order], "BYTES")]), want, "by name")
            equal(score([tensor(names[i], np.ascontiguousarray(x[:, i]), "FP64") for i in order]), want, "by columns")
            asked = [triton.InferRequestedOutput("score")]
            equal(score([features], model_version="1", request_id="r", outputs=asked), want, "all named")
            equal(score([features], request_compression_algorithm="gzip"), want, "gzip")
            c.close()


def errors() -> None:
    """Invalid requests are errors of the protocol."""
    model, x = booster(1), documents()
    missing = x.copy()
    missing[3, 2] = np.nan
    names = np.array(model.feature_name(), dtype=object)
    unknown = names.copy()
    unknown[0] = "x_0"
    with tempfile.TemporaryDirectory() as folder:
        put(Path(folder, "shop.txt"), model)
        with server(Path(folder), "max_request_bytes=20000") as (address, _):
            c = triton.InferenceServerClient(address)
            ask = lambda *inputs, model="shop", **more: lambda: c.infer(model, list(inputs), **more)  # noqa: E731
            features = tensor("features", x, "FP64")
            binary = triton.InferInput("features", list(x.shape), "FP64")
            binary.set_data_from_numpy(x)
            refused(ask(features, model="shap"), 'did you mean "shop"', "404")
            refused(ask(features, model_version="7"), "it has 1", "404")
            refused(ask(binary), "binary tensors are not supported", "400")
            refused(ask(tensor("features", x[:, :5].copy(), "FP64")), "has 5 columns, and the model has 12", "400")
            refused(ask(tensor("features", x[0], "FP64")), "must be .documents, features", "400")
            refused(ask(tensor("features", np.full((2, FEATURES), b"1", dtype=object), "BYTES")), "BYTES", "400")
            refused(ask(tensor("features", missing, "FP64")), 'document 3: feature "x2" is missing', "400")
            refused(ask(features, tensor("feature_names", unknown, "BYTES")), 'feature "x0" is missing.*"x_0"', "400")
            refused(ask(features, outputs=[triton.InferRequestedOutput("rank")]), 'no output "rank"', "400")
            refused(ask(tensor("features", np.zeros((2000, FEATURES)), "FP64")), "more than", "413")
            c.close()


def descriptions() -> None:
    """Health and metadata, and metrics that Prometheus's own parser reads."""
    from prometheus_client.parser import text_string_to_metric_families

    with tempfile.TemporaryDirectory() as folder:
        put(Path(folder, "news", "1", "model.txt"), booster(1))
        put(Path(folder, "news", "2", "model.txt"), booster(2))
        with server(Path(folder), "reload_seconds=0.05") as (address, _):
            c = triton.InferenceServerClient(address)
            assert c.is_server_live() and c.is_server_ready() and c.is_model_ready("news") and c.is_model_ready("news", "1")
            assert not c.is_model_ready("news", "3") and not c.is_model_ready("other")
            about = c.get_model_metadata("news")
            assert about["versions"] == ["1", "2"] and about["inputs"][0]["shape"] == [-1, FEATURES], about
            assert about["parameters"]["feature_names"] == [f"x{i}" for i in range(FEATURES)]
            assert c.get_server_metadata()["name"] == "lambdamart"
            put(Path(folder, "news", "3", "model.txt"), booster(3))
            while not c.is_model_ready("news", "3"):
                time.sleep(0.05)
            got = c.infer("news", [tensor("features", documents(), "FP64")])
            assert got.get_response()["model_version"] == "3"
            equal(got.as_numpy("score"), booster(3).predict(documents(), raw_score=True), "a version that was found")
            c.close()
            families = {f.name: f for f in text_string_to_metric_families(urlopen(f"http://{address}/metrics").read().decode())}
            counted = [s for s in families["lambdamart_requests"].samples if s.labels["code"] == "200"]
            assert [(s.labels["version"], s.value) for s in counted] == [("3", 1.0)], counted
            assert families["lambdamart_documents"].samples[0].value == DOCUMENTS and families["lambdamart_request_seconds"].type == "histogram"


def load(requests: int = 1500, clients: int = 4) -> None:
    """Requests while models are replaced, and slow and hostile clients: no error, no wrong score, bounded memory."""
    models = [booster(seed) for seed in range(5)]
    x = documents()
    want = [m.predict(x, raw_score=True) for m in models]
    count = Counts(requests)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        put(root / "shop.txt", models[0])
        put(root / "news" / "1" / "model.txt", models[1])
        with server(root, "reload_seconds=0.05", "request_seconds=2") as (address, process):
            jobs = [lambda: ask(address, x, want, count)] * clients
            jobs += [lambda: exchange(root, models, count), lambda: disturb(address, count), lambda: watch(process.pid, count)]
            threads = [threading.Thread(target=count.guard, args=(job,)) for job in jobs]
            began = time.monotonic()
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            seconds = time.monotonic() - began
            text = urlopen(f"http://{address}/metrics").read().decode()
    if count.faults:
        raise AssertionError("\n".join(count.faults[:5]))
    loads = int(float(re.search(r'loads_total\{result="ok"\} (\S+)', text)[1]))
    answered = sum(int(n) for n in re.findall(r'code="200"\} (\d+)', text))
    assert answered == requests and 'result="failed"} 0' in text, text
    peak, early = max(count.memory), max(count.memory[: max(1, len(count.memory) // 4)])
    print(f"{requests} requests in {seconds:.0f} s, with {loads} loads of models, {count.disturbed} slow or hostile "
          f"connections: no error, no wrong score; resident memory at most {peak} MB, {early} MB in the first quarter")
    assert peak < 300 and peak < 2 * early + 50, count.memory


class Counts:
    """The state shared by the threads of the load."""

    def __init__(self, requests: int):
        self.left, self.lock, self.faults, self.memory, self.disturbed = requests, threading.Lock(), [], [], 0

    def take(self) -> bool:
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def busy(self) -> bool:
        return self.left > 0 and not self.faults

    def guard(self, job) -> None:
        try:
            job()
        except Exception:
            self.faults.append(traceback.format_exc())


def ask(address: str, x: np.ndarray, want: list, count: Counts) -> None:
    """The model shop may give the scores of any of its files; each version of news gives its own scores."""
    c = triton.InferenceServerClient(address)
    while not count.faults and count.take():
        name = ("shop", "news")[count.left % 2]
        got = c.infer(name, [tensor("features", x, "FP64")])
        version = int(got.get_response()["model_version"])
        scores = got.as_numpy("score")
        right = want if name == "shop" else [want[version % len(want)]]
        assert any(np.array_equal(scores, w) for w in right), f"wrong scores of {name}, version {version}"
    c.close()


def exchange(root: Path, models: list, count: Counts) -> None:
    version = 1
    while count.busy():
        version += 1
        put(root / "shop.txt", models[version % len(models)])
        put(root / "news" / str(version) / "model.txt", models[version % len(models)])
        time.sleep(0.06)
        old = root / "news" / str(version - 1)
        (old / "model.txt").unlink()
        old.rmdir()


def disturb(address: str, count: Counts) -> None:
    host, port = address.rsplit(":", 1)
    texts = [b"POST /v2/models/shop/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n{", b"\x00\xff" * 500, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00"]
    held = []
    while count.busy():
        s = socket.create_connection((host, int(port)))
        s.send(texts[count.disturbed % len(texts)])
        held.append(s)
        count.disturbed += 1
        if len(held) > 50:
            held.pop(0).close()
        time.sleep(0.02)
    for s in held:
        s.close()


def watch(pid: int, count: Counts) -> None:
    while count.busy():
        status = Path(f"/proc/{pid}/status").read_text()
        count.memory.append(int(re.search(r"VmRSS:\s*(\d+)", status)[1]) // 1024)
        time.sleep(0.1)


CHECKS = [all_forms, errors, descriptions, load]


def main() -> None:
    options = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    chosen = [a for a in sys.argv[1:] if "=" not in a]
    failed = 0
    for check in CHECKS:
        if chosen and check.__name__ not in chosen:
            continue
        began = time.monotonic()
        try:
            check(**{name: int(v) for name, v in options.items()} if check is load else {})
            verdict = "ok"
        except Exception:
            traceback.print_exc()
            verdict, failed = "FAILED", failed + 1
        print(f"{verdict}: {check.__name__}, {time.monotonic() - began:.1f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
