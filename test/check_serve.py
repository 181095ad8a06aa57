"""Checks lambdamart serve with tritonclient over HTTP and gRPC, LightGBM's scores, and Prometheus's parser.

    python3 test/check_serve.py
    python3 test/check_serve.py load requests=50000      # the load of test/long.sh

The packages are installed in an environment of their own, test/requirements-serving.txt, in which this script runs itself
again: tritonclient needs an older protobuf than ONNX Runtime.
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
import tritonclient.grpc as triton_grpc  # noqa: E402
import tritonclient.http as triton_http  # noqa: E402
from tritonclient.utils import InferenceServerException  # noqa: E402
from urllib.request import urlopen  # noqa: E402

FEATURES, DOCUMENTS = 12, 40
CLIENTS = {"http": triton_http, "grpc": triton_grpc}


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
    for _ in range(600):
        found = re.search(r"msg=listening address=(\S+)", os.pread(log.fileno(), 1 << 20, 0).decode())
        if found:
            return found[1]
        assert process.poll() is None, os.pread(log.fileno(), 1 << 20, 0).decode()
        time.sleep(0.05)
    raise AssertionError("the server does not listen")


def tensor(triton, name: str, values: np.ndarray, kind: str, **how):
    t = triton.InferInput(name, list(values.shape), kind)
    t.set_data_from_numpy(values, **how)
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
            for name, triton in CLIENTS.items():
                c = triton.InferenceServerClient(address)
                score = lambda inputs, **more: c.infer("shop", inputs, **more).as_numpy("score")  # noqa: B023, E731
                equal(score([tensor(triton, "features", x, "FP64")]), want, name)
                equal(score([tensor(triton, "features", x.astype(np.float32), "FP32")]), want32, f"{name} FP32")
                equal(score([tensor(triton, "features", mixed, "FP64"), tensor(triton, "feature_names", names[order], "BYTES")]), want, f"{name} by name")
                columns = [tensor(triton, names[i], np.ascontiguousarray(x[:, i]), "FP64") for i in order]
                equal(score(columns), want, f"{name} by columns")
                equal(score([tensor(triton, "features", x, "FP64")], model_version="1", request_id="r", outputs=[triton.InferRequestedOutput("score")]), want, f"{name} all named")
                c.close()
            c = triton_http.InferenceServerClient(address)
            plain = np.nan_to_num(x)
            asked = [triton_http.InferRequestedOutput("score", binary_data=False)]
            for compression in (None, "gzip", "deflate"):
                got = c.infer("shop", [tensor(triton_http, "features", plain, "FP64", binary_data=False)], outputs=asked, request_compression_algorithm=compression)
                equal(got.as_numpy("score"), model.predict(plain, raw_score=True), f"JSON, {compression}")
            c.close()
            typed_contents(address, plain, model.predict(plain, raw_score=True))


def typed_contents(address: str, x: np.ndarray, want: np.ndarray) -> None:
    """gRPC requests with values in typed fields instead of raw bytes."""
    import grpc
    from tritonclient.grpc import service_pb2, service_pb2_grpc

    request = service_pb2.ModelInferRequest(model_name="shop", id="typed")
    one = request.inputs.add(name="features", datatype="FP64", shape=x.shape)
    one.contents.fp64_contents.extend(x.ravel())
    with grpc.insecure_channel(address) as channel:
        answer = service_pb2_grpc.GRPCInferenceServiceStub(channel).ModelInfer(request)
    assert answer.id == "typed" and answer.model_name == "shop" and answer.model_version == "1"
    equal(np.array(answer.outputs[0].contents.fp64_contents), want, "typed contents")


def errors() -> None:
    """Invalid requests are errors of the protocol."""
    model, x = booster(1), documents()
    missing, infinite = x.copy(), x.copy()
    missing[3, 2], infinite[4, 7] = np.nan, np.inf
    names = np.array(model.feature_name(), dtype=object)
    unknown = names.copy()
    unknown[0] = "x_0"
    with tempfile.TemporaryDirectory() as folder:
        put(Path(folder, "shop.txt"), model)
        with server(Path(folder), "max_request_bytes=20000") as (address, _):
            for name, triton in CLIENTS.items():
                c = triton.InferenceServerClient(address)
                bad, gone = {"http": ("400", "404"), "grpc": ("INVALID_ARGUMENT", "NOT_FOUND")}[name]
                ask = lambda *inputs, model="shop", **more: lambda: c.infer(model, list(inputs), **more)  # noqa: B023, E731
                features = tensor(triton, "features", x, "FP64")
                refused(ask(features, model="shap"), 'did you mean "shop"', gone)
                refused(ask(features, model_version="7"), "it has 1", gone)
                refused(ask(tensor(triton, "features", x[:, :5].copy(), "FP64")), "has 5 columns, and the model has 12", bad)
                refused(ask(tensor(triton, "features", x[0], "FP64")), "must be .documents, features", bad)
                refused(ask(tensor(triton, "features", np.full((2, FEATURES), b"1", dtype=object), "BYTES")), "BYTES", bad)
                refused(ask(tensor(triton, "features", x.astype(np.float16), "FP16")), "FP16", bad)
                refused(ask(tensor(triton, "features", missing, "FP64")), 'document 3: feature "x2" is missing', bad)
                equal(ask(tensor(triton, "features", infinite, "FP64"))().as_numpy("score"), model.predict(infinite), "infinite values")
                refused(ask(features, tensor(triton, "feature_names", unknown, "BYTES")), 'feature "x0" is missing.*"x_0"', bad)
                refused(ask(features, outputs=[triton.InferRequestedOutput("rank")]), 'no output "rank"', bad)
                large = tensor(triton, "features", np.zeros((1000, FEATURES)), "FP64")
                refused(ask(large), "more than|larger than", {"http": "413", "grpc": "RESOURCE_EXHAUSTED"}[name])
                c.close()


def descriptions() -> None:
    """Health, metadata and the index, and metrics that Prometheus's own parser reads."""
    from prometheus_client.parser import text_string_to_metric_families

    with tempfile.TemporaryDirectory() as folder:
        put(Path(folder, "news", "1", "model.txt"), booster(1))
        put(Path(folder, "news", "2", "model.txt"), booster(2))
        with server(Path(folder)) as (address, _):
            for triton in CLIENTS.values():
                c = triton.InferenceServerClient(address)
                assert c.is_server_live() and c.is_server_ready() and c.is_model_ready("news") and c.is_model_ready("news", "1")
                assert not c.is_model_ready("news", "3") and not c.is_model_ready("other")
                c.close()
            c = triton_grpc.InferenceServerClient(address)
            about, server_about = c.get_model_metadata("news"), c.get_server_metadata()
            assert list(about.versions) == ["1", "2"] and list(about.inputs[0].shape) == [-1, FEATURES] and server_about.name == "lambdamart", about
            assert [(m.name, m.version, m.state) for m in c.get_model_repository_index().models] == [("news", "1", "READY"), ("news", "2", "READY")]
            put(Path(folder, "news", "3", "model.txt"), booster(3))
            c.load_model("news")
            got = c.infer("news", [tensor(triton_grpc, "features", documents(), "FP64")])
            assert got.get_response().model_version == "3"
            equal(got.as_numpy("score"), booster(3).predict(documents(), raw_score=True), "a version that was loaded on request")
            c.close()
            c = triton_http.InferenceServerClient(address)
            assert c.get_model_metadata("news")["parameters"]["feature_names"] == [f"x{i}" for i in range(FEATURES)]
            assert [m["version"] for m in c.get_model_repository_index()] == ["1", "2", "3"]
            c.close()
            families = {f.name: f for f in text_string_to_metric_families(urlopen(f"http://{address}/metrics").read().decode())}
            counted = [s for s in families["lambdamart_requests"].samples if s.labels["code"] == "ok"]
            assert [(s.labels["version"], s.labels["protocol"], s.value) for s in counted] == [("3", "grpc", 1.0)], counted
            assert families["lambdamart_documents"].samples[0].value == DOCUMENTS and families["lambdamart_request_seconds"].type == "histogram"


def secured() -> None:
    """TLS and a token, by both protocols."""
    with tempfile.TemporaryDirectory() as folder:
        put(Path(folder, "models", "shop.txt"), booster(1))
        cert, key, token = Path(folder, "cert.pem"), Path(folder, "key.pem"), Path(folder, "token")
        make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        if subprocess.run([*make, "-keyout", key, "-out", cert], capture_output=True).returncode != 0:
            print("left out: no openssl here that makes certificates")
            return
        token.write_text("correct-horse-battery\n")
        x, want = documents(), booster(1).predict(documents(), raw_score=True)
        with server(Path(folder, "models"), f"tls_cert={cert}", f"tls_key={key}", f"token_file={token}") as (address, _):
            address = address.replace("127.0.0.1", "localhost")
            headers = {"authorization": "Bearer correct-horse-battery"}
            c = triton_grpc.InferenceServerClient(address, ssl=True, root_certificates=str(cert))
            equal(c.infer("shop", [tensor(triton_grpc, "features", x, "FP64")], headers=headers).as_numpy("score"), want, "gRPC with TLS")
            refused(lambda: c.infer("shop", [tensor(triton_grpc, "features", x, "FP64")]), "token", "UNAUTHENTICATED")
            c.close()
            import gevent.ssl

            context = lambda: gevent.ssl.create_default_context(cafile=str(cert))  # noqa: E731
            h = triton_http.InferenceServerClient(address, ssl=True, ssl_context_factory=context)
            equal(h.infer("shop", [tensor(triton_http, "features", x, "FP64")], headers=headers).as_numpy("score"), want, "HTTP with TLS")
            refused(lambda: h.infer("shop", [tensor(triton_http, "features", x, "FP64")]), "token", "401")
            h.close()


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
            jobs = [lambda k=k: ask(address, list(CLIENTS)[k % 2], x, want, count) for k in range(clients)]
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
    answered = sum(int(n) for n in re.findall(r'code="ok"\} (\d+)', text))
    assert answered == requests and 'result="failed"} 0' in text, text
    peak, early = max(count.memory), max(count.memory[: max(1, len(count.memory) // 4)])
    print(f"{requests} requests in {seconds:.0f} s by HTTP and gRPC, with {loads} loads of models, {count.disturbed} slow or hostile "
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


def ask(address: str, protocol: str, x: np.ndarray, want: list, count: Counts) -> None:
    """The model shop may give the scores of any of its files; each version of news gives its own scores."""
    triton = CLIENTS[protocol]
    c = triton.InferenceServerClient(address)
    while not count.faults and count.take():
        name = ("shop", "news")[count.left % 2]
        got = c.infer(name, [tensor(triton, "features", x, "FP64")])
        response = got.get_response()
        version = int(response["model_version"] if protocol == "http" else response.model_version)
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


CHECKS = [all_forms, errors, descriptions, secured, load]


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
