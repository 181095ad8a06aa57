"""Makes the Parquet files of the tests, and what is in them as text.

    pip install pyarrow==26.0.1 numpy==2.4.6 pandas==3.1.1
    python io/data/internal/table/testdata/generate.py

Each file holds the rows of rows.csv in columns query, target and score; they
differ in how they are written. parts/ is a folder as Spark writes it. An empty
cell of rows.csv is a null. small/ is what fuzzing begins with: a few rows each,
without statistics and Arrow's copy of the schema. types.parquet has the same
four ids, in two queries, in a column of each type, and columns of times. The
files frame_*.parquet are data frames of pandas with an index.
"""

import csv
import json
import uuid
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
ROWS = 500


def main() -> None:
    query, target, score = make_rows()
    with open(HERE / "rows.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["query", "target", "score"])
        for row in zip(query, target, score):
            writer.writerow(["" if cell is None else cell for cell in row])

    ints = pa.array([int(q) for q in query], pa.int64())
    texts = pa.array(query)
    labels = pa.array(target, pa.int32())
    floats = pa.array(score, pa.float64())
    usual = pa.table({"query": ints, "target": labels, "score": floats, "note": pa.array([[1]] * ROWS)})
    write("snappy", usual, compression="snappy")
    write("gzip", usual, compression="gzip", data_page_version="2.0")
    write("zstd", usual.set_column(0, "query", texts), compression="zstd", row_group_size=128)
    write("plain", usual.set_column(0, "query", texts), compression="none", use_dictionary=False, data_page_size=512)
    write("plain_v2", usual, compression="snappy", use_dictionary=False, data_page_version="2.0", data_page_size=512)
    write("delta", usual.set_column(0, "query", texts), compression="none", use_dictionary=False, data_page_size=700,
          column_encoding={"query": "DELTA_BYTE_ARRAY", "target": "DELTA_BINARY_PACKED", "score": "BYTE_STREAM_SPLIT"})
    write("lengths", usual.set_column(0, "query", texts), use_dictionary=False,
          column_encoding={"query": "DELTA_LENGTH_BYTE_ARRAY", "target": "PLAIN", "score": "PLAIN"})
    write("unsigned", usual.set_column(0, "query", ints.cast(pa.uint32())).set_column(1, "target", labels.cast(pa.uint8())))
    write("decimal", usual.set_column(1, "target", pa.array(
        [None if t is None else Decimal(t) for t in target], pa.decimal128(20, 3))))
    write("dictionary_of_arrow", usual.set_column(0, "query", texts.dictionary_encode()))
    write("lz4", usual, compression="lz4")
    floats32 = pa.array([None if s is None else np.float32(s) for s in score], pa.float32())
    pq.write_table(usual.set_column(2, "score", floats32), HERE / "float32.parquet")
    booleans = pa.array([None if t is None else t > 1 for t in target])
    pq.write_table(usual.set_column(1, "target", booleans), HERE / "boolean.parquet")
    write_parts(usual)
    write_small(usual.slice(59, 4).drop_columns("note"))
    write_types()
    write_spark()
    write_frames()


def make_rows() -> tuple[list, list, list]:
    rng = np.random.default_rng(7)
    sizes = [1, 2, 40, 7, 250]
    query = [str(1000 + 17 * number) for number, size in enumerate(sizes + [ROWS - sum(sizes)]) for _ in range(size)]
    target = [int(t) for t in rng.integers(0, 5, ROWS)]
    score = [float(round(s, 3)) for s in rng.normal(size=ROWS)]
    for row in range(60, ROWS, 45):
        target[row] = None
    for row in range(70, ROWS, 50):
        score[row] = None
    return query, target, score


def write(name: str, table: pa.Table, **options) -> None:
    pq.write_table(table, HERE / f"{name}.parquet", **options)


def write_parts(table: pa.Table) -> None:
    folder = HERE / "parts"
    folder.mkdir(exist_ok=True)
    (folder / "_SUCCESS").touch()
    (folder / "._SUCCESS.crc").write_bytes(b"crc\0")
    for part, (begin, end) in enumerate([(0, 200), (200, 200), (200, ROWS)]):
        name = f"part-{part:05d}-0f0e-c000.snappy.parquet"
        pq.write_table(table.slice(begin, end - begin), folder / name, compression="snappy")
        (folder / f".{name}.crc").write_bytes(b"crc\0")


def write_small(table: pa.Table) -> None:
    (HERE / "small").mkdir(exist_ok=True)
    texts = table.set_column(0, "query", table["query"].cast(pa.string()))
    smallest = dict(write_statistics=False, store_schema=False)
    for codec in ("none", "snappy", "gzip", "zstd"):
        write(f"small/{codec}", table, compression=codec, **smallest)
    write("small/plain_v2", texts, use_dictionary=False, data_page_version="2.0", **smallest)
    write("small/delta", texts, compression="none", use_dictionary=False, row_group_size=2,
          column_encoding={"query": "DELTA_BYTE_ARRAY", "target": "DELTA_BINARY_PACKED", "score": "BYTE_STREAM_SPLIT"}, **smallest)


def write_types() -> None:
    ids = [12, 12, 12, 7]
    at = [datetime(2024, 2, 29, 12, 30, 15, 250000 * i) for i in (0, 0, 2, 2)]
    when = [time(1, 2, 3, 4000)] * 4
    took = [timedelta(days=1, milliseconds=250)] * 3 + [timedelta(seconds=-1)]
    columns = {
        "label": pa.array([0, 1, 2, 0]),
        "int": pa.array(ids), "texts": pa.array(["12", "00012", "1.2e1", "7"]), "words": pa.array(["12", None, "x", "7"]),
        "categories": pa.array(["12", None, "12.0", "7"]).dictionary_encode(),
        "decimal": pa.array([Decimal(i) for i in ids], pa.decimal128(20, 0)),
        "decimal_cents": pa.array([Decimal(i) for i in ids], pa.decimal128(9, 2)),
        "decimal256": pa.array([Decimal(i) for i in ids], pa.decimal256(40, 3)),
        "double": pa.array(ids, pa.float64()), "float": pa.array(ids, pa.float32()),
        "float16": pa.array([np.float16(i) for i in ids], pa.float16()),
        "fraction": pa.array([0.5, 0.5, 1, 1]), "large": pa.array([2.0**60] * 4),
        "bytes": pa.array([b"12", b"12", b"12", b"7"]), "uuid": pa.array([uuid.UUID(int=i).bytes for i in ids], pa.uuid()),
        "fixed": pa.array([b"12", b"12", b"12", b"77"], pa.binary(2)),
        "nothing": pa.nulls(4), "list": pa.array([[1]] * 4), "struct": pa.array([{"a": 1}] * 4),
        "map": pa.array([[("a", 1)]] * 4, pa.map_(pa.string(), pa.int64())),
        "date": pa.array([date(2024, 2, 29)] * 4), "date64": pa.array([date(2024, 2, 29)] * 4, pa.date64()),
    }
    for unit in ("s", "ms", "us", "ns"):
        columns[f"timestamp_{unit}"] = pa.array(at).cast(pa.timestamp(unit), safe=False)
        columns[f"zoned_{unit}"] = pa.array(at).cast(pa.timestamp(unit), safe=False).cast(pa.timestamp(unit, "UTC"))
        columns[f"duration_{unit}"] = pa.array(took).cast(pa.duration(unit), safe=False)
    for unit in ("s", "ms"):
        columns[f"time_{unit}"] = pa.array(when).cast(pa.time64("us")).cast(pa.time32(unit), safe=False)
    for unit in ("us", "ns"):
        columns[f"time_{unit}"] = pa.array(when).cast(pa.time64(unit))
    write("types", pa.table(columns))
    old = pa.table({"label": columns["label"], "timestamp": columns["timestamp_ns"]})
    write("int96", old, use_deprecated_int96_timestamps=True)


def write_spark() -> None:
    """Writes intervals as Spark 4.0 does: integers, of which only its own note says what they are."""
    names = {"label": "integer", "days": "interval day to second", "months": "interval year to month", "count": "long"}
    fields = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in names.items()]
    table = pa.table({"label": pa.array([0, 1], pa.int32()), "days": pa.array([93_780_000_000] * 2),
                      "months": pa.array([14] * 2, pa.int32()), "count": pa.array([1, 2])})
    note = {"org.apache.spark.sql.parquet.row.metadata": json.dumps({"type": "struct", "fields": fields})}
    write("intervals_of_spark", table.replace_schema_metadata(note))


def write_frames() -> None:
    plain = pd.DataFrame({"label": [0, 1, 2, 0, 1, 2], "qid": [1, 1, 1, 2, 2, 2], "f": [.5, 1, 2, 3, 4, 5]})
    plain[plain.f != 2].to_parquet(HERE / "frame_filtered.parquet")
    plain.set_index("f").to_parquet(HERE / "frame_named.parquet")
    plain.set_index("qid").to_parquet(HERE / "frame_query.parquet")
    plain.set_index([pd.Index([10, 11, 12, 13, 14, 15]), pd.Index(list("abcdef"), name="part")]).to_parquet(
        HERE / "frame_levels.parquet")
    plain.to_parquet(HERE / "frame_range.parquet")
    months = pd.Series(pd.period_range("2024-01", periods=len(plain), freq="M"))
    plain.assign(month=months).to_parquet(HERE / "period.parquet")
    table = pa.Table.from_pandas(plain[plain.f != 2])
    write("frame_copied", table.replace_schema_metadata(None))
    write("frame_first", table.select(["__index_level_0__", "label", "qid", "f"]))


if __name__ == "__main__":
    main()
