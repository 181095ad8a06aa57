"""The systems of the comparison. Each has

- name;
- load(model): called once and not timed;
- batches(first, n): returns a function that scores rows [first, first+n) of the matrix and returns
  their scores; its arguments are prepared before it is timed;
- tolerance: the largest difference from LightGBM's scores, relative to the largest score; 0 means
  that they must be equal in every bit.

lambdamart and leaves run in the Go program of this folder.
"""

import ctypes
import json
import os
import subprocess
from pathlib import Path

import lightgbm
import numpy as np

import models

THREADS = 1


class LightGBM:
    """LightGBM's C library, called as by a C program."""

    name, tolerance = "LightGBM", 0.0

    def __init__(self, rows: np.ndarray):
        self.rows, self.library = rows, lightgbm.basic._LIB
        self.scores, self.length = np.empty(len(rows)), ctypes.c_int64()

    def load(self, model: models.Model) -> None:
        self.booster = lightgbm.Booster(model_file=model.path)
        self.fast = ctypes.c_void_p()
        raw, all_trees, float64 = 1, -1, 1
        self.options = raw, 0, all_trees, ctypes.c_char_p(b"num_threads=%d" % THREADS)
        columns = ctypes.c_int32(self.rows.shape[1])
        check(self.library.LGBM_BoosterPredictForMatSingleRowFastInit(
            self.booster._handle, raw, 0, all_trees, float64, columns, self.options[3], ctypes.byref(self.fast)))  # fmt: skip

    def batches(self, first: int, n: int):
        values, out = pointer(self.rows[first:]), pointer(self.scores)
        if n == 1:
            call, arguments = self.library.LGBM_BoosterPredictForMatSingleRowFast, (self.fast, values, ctypes.byref(self.length), out)
        else:
            float64, row_major = 1, 1
            shape = ctypes.c_int32(n), ctypes.c_int32(self.rows.shape[1]), row_major
            call, arguments = self.library.LGBM_BoosterPredictForMat, (
                self.booster._handle, values, float64, *shape, *self.options, ctypes.byref(self.length), out)  # fmt: skip

        def score() -> np.ndarray:
            check(call(*arguments))
            return self.scores[:n]

        return score


def check(status: int) -> None:
    if status != 0:
        raise RuntimeError(f"LightGBM: status {status}: {lightgbm.basic._LIB.LGBM_GetLastError().decode()}")


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


class Compiled:
    """Code that tl2cgen writes and gcc -O3 compiles."""

    name, tolerance = "tl2cgen, gcc -O3", 1e-12

    def __init__(self, rows: np.ndarray):
        self.rows = rows

    def load(self, model: models.Model) -> None:
        import tl2cgen

        library = model.path.parent / f"tl2cgen-{model.key}.so"
        if not library.exists():
            compile_model(model, library)
        self.predictor = tl2cgen.Predictor(library, nthread=THREADS)
        self.function = ctypes.CDLL(library).predict
        self.function.restype = None
        self.score = np.zeros(1)

    def batches(self, first: int, n: int):
        import tl2cgen

        if n == 1:  # the C function itself. It takes unions of a value and an int, which is -1 if the value is missing; no value here begins so
            arguments = pointer(self.rows[first:]), 1, pointer(self.score)
            return lambda: self.function(*arguments) or self.score
        matrix = tl2cgen.DMatrix(self.rows[first : first + n], dtype="float64")
        return lambda: self.predictor.predict(matrix, pred_margin=True).reshape(-1)


def compile_model(model: models.Model, library: Path) -> None:
    import tl2cgen
    import treelite

    print(f"compiling {model.name} with tl2cgen and gcc", flush=True)
    parts = 32  # source files
    beside = library.with_suffix(".making.so")
    loaded = treelite.frontend.load_lightgbm_model(model.path)
    tl2cgen.export_lib(loaded, toolchain="gcc", libpath=beside, params=dict(parallel_comp=parts), nthread=os.cpu_count(), options=["-O3"])
    beside.rename(library)


class ONNX:
    """ONNX Runtime, with a TreeEnsembleRegressor of the same trees."""

    name, tolerance = "ONNX Runtime", 1e-5

    def __init__(self, rows: np.ndarray):
        self.rows = rows.astype(np.float32)

    def load(self, model: models.Model) -> None:
        import onnxruntime

        import onnx_model

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = THREADS
        text = onnx_model.make(models.trees(model.path), self.rows.shape[1])
        self.session = onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"])

    def batches(self, first: int, n: int):
        rows = {"rows": self.rows[first : first + n]}
        return lambda: self.session.run(None, rows)[0].reshape(-1)


class XGBoost:
    """XGBoost's inplace_predict, with a model of the same trees."""

    name, tolerance = "XGBoost inplace_predict", 1e-5

    def __init__(self, rows: np.ndarray):
        self.rows = rows.astype(np.float32)

    def load(self, model: models.Model) -> None:
        import xgboost

        import xgboost_model

        self.booster = xgboost.Booster(dict(nthread=THREADS))
        self.booster.load_model(bytearray(xgboost_model.make(models.trees(model.path), self.rows.shape[1])))
        self.booster.set_param(dict(nthread=THREADS))

    def batches(self, first: int, n: int):
        rows = self.rows[first : first + n]
        return lambda: self.booster.inplace_predict(rows, predict_type="margin")


class Go:
    """The Go program of this folder. It loads all models once."""

    def __init__(self, rows: Path, columns: int, chosen: list[models.Model]):
        program = Path(os.environ["LAMBDAMART_BIN"]) / "timed"
        command = [program, "scoring", rows, str(columns), *(f"{m.name}={m.path}" for m in chosen)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *task) -> dict:
        print(*task, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.process.args[0]}: exit status {self.process.wait()}; what it said is above")
        return json.loads(answer)

    def scores(self, system: str, model: models.Model, beside: Path) -> np.ndarray:
        self.ask("scores", system, model.name, beside)
        return np.fromfile(beside)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
