"""Computes nDCG of Parquet parts by Spark, with the program of the notes on nDCG in Spark.

Reads lines "folder cut-off" from standard input and answers each with a line of JSON: the mean, and
the seconds from the start of reading to the mean. The session stays open between the lines.
"""

import json
import sys
import time

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F


def main() -> None:
    spark = (
        SparkSession.builder.master("local[*]")
        .config("spark.driver.memory", "8g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    print(json.dumps({"version": spark.version}), flush=True)
    for line in sys.stdin:
        folder, cutoff = line.split()
        begin = time.perf_counter()
        mean = ndcg(spark.read.parquet(folder), int(cutoff)).agg(F.avg("ndcg")).collect()[0][0]
        print(json.dumps({"mean": mean, "seconds": time.perf_counter() - begin}), flush=True)


def ndcg(rows, cutoff):
    """nDCG of each query: linear gain, log2 discount, ties in any order."""
    by_target = Window.partitionBy("query").orderBy(F.col("target").desc())
    by_score = Window.partitionBy("query").orderBy(F.col("score").desc())
    ranked = rows.withColumn("target_rank", F.row_number().over(by_target)).withColumn("score_rank", F.row_number().over(by_score))
    return discounted(ranked, "score_rank", cutoff, "dcg").join(discounted(ranked, "target_rank", cutoff, "best"), "query").select(
        "query", (F.col("dcg") / F.col("best")).alias("ndcg")
    )


def discounted(ranked, rank: str, cutoff: int, name: str):
    """Sums the discounted targets of the first ranks of each query. Ranks count from 1."""
    term = F.col("target") / F.log2(F.col(rank) + 1)
    return ranked.filter(F.col(rank) <= cutoff).groupby("query").agg(F.sum(term).alias(name))


if __name__ == "__main__":
    main()
