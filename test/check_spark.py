"""Checks lambdamart.spark with PySpark: local mode, and a local cluster with two executors.

Each trains on two ranks in barrier tasks, by MPICH, and must write the model that one process writes from the same Parquet. PySpark and
MPICH are installed in an environment of their own, test/requirements-spark.txt, in which this script runs itself again. Without
Java, or where PySpark cannot be installed, the exit status is 77: left out.

    check_spark.py          a local cluster: the model, and one error
    LAMBDAMART_LONG=1     local mode too, rows in another order, all errors
"""

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
INSIDE = "LAMBDAMART_SPARK"


def prepare() -> None:
    import consumers
    import environment

    if platform.system() != "Linux" or platform.machine() != "x86_64":
        print("the wheels of MPICH are for Linux on x86-64")
        sys.exit(77)
    if not consumers.java_is_here():
        sys.exit(77)
    try:
        environment.python_with(FOLDER / "requirements-spark.txt")
    except subprocess.CalledProcessError as error:
        print(f"PySpark cannot be installed: {error}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/lambdamart"
        subprocess.run(["go", "build", "-tags", "mpi", "-o", binary, "./cmd/lambdamart"], cwd=FOLDER.parent, check=True)
        environment.run_again("requirements-spark.txt", {INSIDE: "1", "LAMBDAMART_BINARY": binary, "PYTHONPATH": f"{FOLDER.parent / 'python'}:{FOLDER}"})


if __name__ == "__main__" and INSIDE not in os.environ:
    prepare()

from report import Table  # noqa: E402

BINARY = os.environ.get("LAMBDAMART_BINARY", "")
PARAMS = {"num_iterations": 5, "num_leaves": 15, "min_data_in_leaf": 5, "metric": "ndcg@5", "verbosity": 1}
COLUMNS = {"label": "grade", "query": "query"}


def session(master: str):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.sql.shuffle.partitions", "3").config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = builder.config("spark.executor.memory", "512m").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def frame_of(spark, seed: int, queries: int):
    """Returns data of queries of 20 rows, in no order."""
    from pyspark.sql import functions as f

    frame = spark.range(20 * queries).withColumn("query", f.concat(f.lit("q"), f.col("id") % queries))
    for number in range(5):
        frame = frame.withColumn(f"x{number}", f.round(f.rand(seed + number), 3))
    return frame.withColumn("grade", f.floor(4 * f.col("x0") * f.col("x1"))).drop("id")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def one_process(folder: Path) -> str:
    """Returns the digest of the model that one process trains on the Parquet of the folder."""
    settings = [f"{name}={value}" for name, value in PARAMS.items()]
    columns = ["label_column=name:grade", "group_column=name:query"]
    subprocess.run([BINARY, "train", f"data={folder / 'train'}", f"valid={folder / 'valid_1'}", *columns, *settings, f"output_model={folder / 'one.txt'}"],
                   check=True, capture_output=True)
    return digest(folder / "one.txt")


def check_bytes(table: Table, master: str, spark, folder: Path, full: bool) -> None:
    from lambdamart import spark as ours

    train, valid = frame_of(spark, 1, 100), frame_of(spark, 20, 30)
    begin = time.monotonic()
    model = ours.train(train, folder, valid=[valid], ranks=2, params=PARAMS, **COLUMNS)
    same = digest(folder / "model.txt") == one_process(folder)
    table.row(same and model.num_trees == 5 and model.feature_names[-1] == "x4", f"{master}: as one process", 2, time.monotonic() - begin)
    if not full:
        return
    begin, before = time.monotonic(), digest(folder / "model.txt")
    ours.write(train.repartition(7), folder / "again", **COLUMNS)
    ours.train(str(folder / "again"), folder / "second", valid=[str(folder / "valid_1")], ranks=1, params=PARAMS, **COLUMNS)
    table.row(digest(folder / "second/model.txt") == before, f"{master}: rows in another order", 1, time.monotonic() - begin)


def check_errors(table: Table, master: str, spark, folder: Path, full: bool) -> None:
    from lambdamart import LambdaMARTError
    from lambdamart import spark as ours

    data = str(folder / "train")
    cases = {
        "an unknown parameter": (LambdaMARTError, "num_leafs", lambda: ours.train(data, folder / "bad", params={"num_leafs": 3}, **COLUMNS)),
        "what ranks cannot do": (LambdaMARTError, "num_models=2", lambda: ours.train(data, folder / "bad", params={"num_models": 2}, **COLUMNS)),
        "a column that is not there": (ValueError, "answer is not a column", lambda: ours.train(frame_of(spark, 1, 9), folder / "bad", label="answer")),
        "features of stored data": (ValueError, "which is stored", lambda: ours.train(data, folder / "bad", features=["x0"], **COLUMNS)),
        "no tree": (LambdaMARTError, "split", lambda: ours.train(data, folder, params={"min_data_in_leaf": 1500}, **COLUMNS)),
        "no launcher": (Exception, "no/mpiexec", lambda: ours.train(data, folder / "bad", mpiexec="no/mpiexec", **COLUMNS)),
    }
    for name in cases if full else ["what ranks cannot do"]:
        kind, text, run = cases[name]
        begin = time.monotonic()
        try:
            run()
            good = False
        except kind as error:
            good = text in str(error)
            if not good:
                print(str(error)[-800:])
        table.row(good, f"{master}: {name}", 2, time.monotonic() - begin)


def check_hosts(table: Table) -> None:
    from lambdamart.spark import _spread, hosts_of

    good = hosts_of(["a:1", "a:2", "b:1"]) == ["a", "a", "b"] and _spread(["a", "a", "b"]) == "a:2,b:1" and hosts_of(["a:1", "a:1"]) == ["127.0.0.1", "127.0.0.2"]
    table.row(good, "hosts", 3, 0.0)


def main() -> None:
    full = "LAMBDAMART_LONG" in os.environ
    masters = ["local[2]", "local-cluster[2,1,1024]"] if full else ["local-cluster[2,1,1024]"]
    table = Table("case", "ranks", "seconds")
    check_hosts(table)
    for master in masters:
        with tempfile.TemporaryDirectory() as name:
            spark = session(master)
            check_bytes(table, master, spark, Path(name), full)
            check_errors(table, master, spark, Path(name), full)
            spark.stop()
    table.exit()


if __name__ == "__main__":
    main()
