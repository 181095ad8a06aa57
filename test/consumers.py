"""Scores rows with exported models in the engines that load them.

Each function takes a file that lambdamart export wrote and a matrix of rows × features, with NaN for
missing values, and returns a score for each row.
"""

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import lightgbm
import numpy as np

import sets

SHORT = "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"  # Java for a few seconds: less work for its compiler and collector
JAVAC = "javac", *(f"-J{option}" for option in SHORT)

GO_MAIN = """package main

import (
	"bufio"
	"encoding/binary"
	"os"

	"scorer/ranker"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	row := make([]float64, ranker.NumFeatures)
	for binary.Read(in, binary.LittleEndian, row) == nil {
		binary.Write(out, binary.LittleEndian, ranker.Score(row))
	}
}
"""


def from_lightgbm(path: Path, matrix: np.ndarray) -> np.ndarray:
    return lightgbm.Booster(model_file=path).predict(matrix, raw_score=True)


def library(path: Path, folder: Path, *more: str) -> ctypes.CDLL:
    """Compiles with the system's C compiler and its usual optimizations."""
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-x", "c", path, "-o", folder / "ranker.so", *more], check=True)
    return ctypes.CDLL(folder / "ranker.so")


def from_c(path: Path, matrix: np.ndarray) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        score = library(path, Path(folder)).ranker_score
        score.restype, score.argtypes = ctypes.c_double, [np.ctypeslib.ndpointer(np.float64, ndim=1, flags="C")]
        return np.array([score(row) for row in np.ascontiguousarray(matrix)])


def queries_from_c(path: Path, matrix: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Scores with the function for a query, which models with query context have. sizes are the rows of the queries."""
    scores, first = np.zeros(len(matrix)), 0
    with tempfile.TemporaryDirectory() as folder:
        score = library(path, Path(folder), "-lm").ranker_score_query
        flat = np.ctypeslib.ndpointer(np.float64, flags="C")
        score.restype, score.argtypes = ctypes.c_int, [flat, ctypes.c_int32, flat]
        for size in sizes:
            part = np.zeros(size)
            if score(np.ascontiguousarray(matrix[first : first + size]), size, part) != 0:
                raise MemoryError
            scores[first : first + size] = part
            first += size
    return scores


def from_go(path: Path, matrix: np.ndarray) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "ranker").mkdir()
        shutil.copy(path, Path(folder) / "ranker" / "ranker.go")
        (Path(folder) / "main.go").write_text(GO_MAIN)
        (Path(folder) / "go.mod").write_text("module scorer\n\ngo 1.21\n")
        subprocess.run(["go", "build", "-o", "scorer", "."], cwd=folder, check=True)
        return through([Path(folder) / "scorer"], matrix, "<f8")


def from_java(path: Path, matrix: np.ndarray) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        compile_java(path, Path(folder), "Scores")
        return through(["java", "-cp", folder, "Scores"], matrix, ">f8").astype("f8")


def compile_java(path: Path, folder: Path, program: str, classpath: str = "") -> None:
    """Compiles an exported class with a program of test/java into a folder."""
    (folder / "Ranker.java").write_bytes(path.read_bytes())
    sources = [folder / "Ranker.java", sets.ROOT / "test" / "java" / f"{program}.java"]
    subprocess.run([*JAVAC, "-cp", f"{folder}{os.pathsep}{classpath}", "-d", folder, *sources], check=True)


def through(command: list, matrix: np.ndarray, kind: str) -> np.ndarray:
    """Returns the scores of a program that reads rows and writes scores in binary."""
    done = subprocess.run(command, input=matrix.astype(kind).tobytes(), capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"{command[-2:]}: exit status {done.returncode}\n{done.stderr.decode()}")
    return np.frombuffer(done.stdout, kind)


def from_onnxruntime(path: Path, matrix: np.ndarray, kind=np.float32) -> np.ndarray:
    (score,) = onnx_session(path).run(["score"], {"input": matrix.astype(kind)})
    return score[:, 0]


def queries_from_onnxruntime(path: Path, matrix: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Returns the scores of a graph whose input are the documents of a query."""
    session = onnx_session(path)
    parts = np.split(matrix, np.cumsum(sizes)[:-1])
    return np.concatenate([session.run(["score"], {"input": part})[0][:, 0] for part in parts])


def onnx_session(path: Path):
    import onnxruntime  # here, because it prints a warning on import if it finds no GPU

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def from_treelite(path: Path, matrix: np.ndarray, load: str) -> np.ndarray:
    import treelite

    model = getattr(treelite.frontend, load)(path)
    return treelite.gtil.predict(model, np.ascontiguousarray(matrix), pred_margin=True).reshape(-1)


def java_is_here() -> bool:
    """Reports whether Java and Maven are installed, and prints the version of Java, or a notice if not."""
    missing = [tool for tool in ("java", "javac", "mvn") if shutil.which(tool) is None]
    if missing:
        print(f"NOTICE: left out: no {' and no '.join(missing)} here")
    else:
        print(subprocess.run(["java", "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0], flush=True)
    return not missing


@lru_cache
def solr() -> list[str]:
    """Returns the command that scores by Solr's class."""
    return compiled("solr", "SolrScores")


@lru_cache
def vespa() -> list[str]:
    """Returns the command that scores by Vespa's importer and its evaluation of ranking expressions."""
    return compiled("vespa", "VespaScores")


def compiled(engine: str, program: str) -> list[str]:
    """Compiles a Java program of the folder test/ENGINE with the classes that its pom.xml names, which come from Maven's
    repository. Returns the command that runs it."""
    source = sets.ROOT / "test" / engine
    folder = Path(tempfile.mkdtemp(prefix=f"lambdamart-{engine}-"))
    classpath = classpath_of(engine, folder)
    subprocess.run([*JAVAC, "-cp", classpath, "-d", folder, *source.rglob("*.java")], check=True)
    return ["java", *SHORT, "-cp", f"{classpath}{os.pathsep}{folder}", program]


def classpath_of(engine: str, folder: Path) -> str:
    """Returns the path of the classes that test/ENGINE/pom.xml names, and writes it into the folder."""
    goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
    project = sets.ROOT / "test" / engine / "pom.xml"
    maven = ["mvn", "-q", "-B", "-C", "-Dstyle.color=never", "-f", project, goal, f"-Dmdep.outputFile={folder / 'classpath'}"]
    subprocess.run(maven, check=True, stdout=sys.stderr, env=os.environ | {"MAVEN_OPTS": " ".join(SHORT)})  # with -q it writes only errors, to standard output
    return (folder / "classpath").read_text()


def from_solr(path: Path, matrix: np.ndarray, names: list[str]) -> np.ndarray:
    """names are the names of all columns; the file lists those in use."""
    columns = [names.index(feature["name"]) for feature in json.loads(path.read_text())["features"]]
    return through([*solr(), str(path)], np.ascontiguousarray(matrix[:, columns]), ">f4")


def from_vespa(path: Path, matrix: np.ndarray, names: list[str]) -> np.ndarray:
    """names are the names of the columns."""
    list_of_names = Path(f"{path}.names")
    list_of_names.write_text("\n".join(names))
    return through([*vespa(), str(path), str(list_of_names)], matrix, ">f8")
